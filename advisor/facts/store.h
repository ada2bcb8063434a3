/* The fact store: subjects and what is known, or not known and why, of each. */
#ifndef NVADVISE_ADVISOR_FACTS_STORE_H
#define NVADVISE_ADVISOR_FACTS_STORE_H

#include "advisor/facts/decl.h"

enum fact_state {
    FACT_KNOWN,
    FACT_NOT_PERMITTED,
    FACT_NOT_SUPPORTED, /* this drive, kernel, version or build has no such thing */
    FACT_ABSENT,        /* the source does not give it */
    FACT_TIMED_OUT,
    FACT_NOT_MEASURED, /* waits for bench, a sample, history or root */
    FACT_STALE,
    FACT_UNSTABLE,
    FACT_UNREADABLE,
    FACT_CRASHED,
    FACT_STATES
};

/* "known", "not permitted", "not supported", … as in the facts document; and back. */
const char *fact_state_name(enum fact_state s);
bool fact_state_from_name(struct span s, enum fact_state *ret);

struct fact {
    enum fact_state state;
    struct value value; /* FACT_KNOWN only */
    const char
        *reason; /* unknown: what was in the way ("cannot open /dev/nvme0: …"); never NULL then */
    const char
        *remedy; /* unknown: one command or sentence that would mend it; "" when there is none */
    const char *source; /* file, ioctl, statement it came from; never NULL */
    bool overridden;    /* --set */
    bool derived;       /* computed by rules/derived.ini */
    bool estimated;     /* est.* and what rests on it */
};

/* Roles of a volume, bits; names in `role_name`. */
enum role {
    ROLE_DATA = 1 << 0,
    ROLE_REDO = 1 << 1,
    ROLE_UNDO = 1 << 2,
    ROLE_DOUBLEWRITE = 1 << 3,
    ROLE_BINLOG = 1 << 4,
    ROLE_RELAYLOG = 1 << 5,
    ROLE_TMP = 1 << 6,
};
#define ROLES 7
#define ROLE_ALL ((1u << ROLES) - 1)
const char *role_name(enum role r);
bool role_from_name(struct span s, enum role *ret);

/* A set of the names of `roles`, bits of enum role. */
struct value value_roles(struct arena *a, unsigned roles);

struct subject {
    enum subject_kind kind;
    const char *label;            /* "host", "server:LABEL", "volume:LABEL:ROLE", "device:NAME" */
    const char *identity;         /* stable over reboots (server_uuid, device and inode, model and
                                     serial); "" until known */
    const struct subject *server; /* of a volume: its server */
    unsigned roles;               /* of a volume: enum role bits */
};

struct store;

struct store *store_new(struct arena *a, const struct decl_set *decls);
struct arena *store_arena(const struct store *s);
const struct decl_set *store_decls(const struct store *s);

/* Get or make a subject. Labels are whole ("device:nvme0n1"). Order of making is kept. */
struct subject *store_subject(struct store *s, enum subject_kind kind, const char *label);
struct subject *store_find_subject(const struct store *s, const char *label); /* or NULL */
size_t store_subjects(const struct store *s);
struct subject *store_subject_at(const struct store *s, size_t i);

/* Subjects of one kind, in byte order of their labels; array lives in the arena. */
size_t store_subjects_of(const struct store *s, enum subject_kind kind,
                         const struct subject *const **ret);

/* Volumes of `server` that carry the role; falls back to the data volumes when the role has none of
 * its own. In byte order. */
size_t store_volumes(const struct store *s, const struct subject *server, enum role role,
                     const struct subject *const **ret);

/* The leaf devices of a volume, from its fact volume.leaf_devices; when that fact is not there at
 * all and the store has exactly one device and was read from a document, that device. false:
 * unknown. */
bool store_leaves(const struct store *s, const struct subject *volume,
                  const struct subject *const **ret, size_t *ret_n);

/* The devices that a set or list of the volume names. false: it is not known, or one of them is no subject. */
bool store_devices(const struct store *s, const struct subject *volume, const char *fact,
                   const struct subject *const **ret, size_t *ret_n);

/* Set or replace. Everything in `f` is copied. `name` need not be declared (families, documents).
 */
void store_set(struct store *s, const struct subject *sub, const char *name, const struct fact *f);

/* NULL when nothing was ever set. */
const struct fact *store_get(const struct store *s, const struct subject *sub, struct span name);

/* Take a fact away, as if never set (property tests). */
void store_unset(struct store *s, const struct subject *sub, const char *name);

/* All facts of a subject in byte order of their names. */
struct fact_row {
    const char *name;
    const struct fact *fact;
};
size_t store_facts(const struct store *s, const struct subject *sub, const struct fact_row **ret);

/* Call `fn` after every store_set (and what rests on it) with the fact as stored; one observer at
 * most, NULL takes it away. For the children, which send each fact as it is found. */
typedef void (*store_observer)(void *ctx, const struct subject *sub, const char *name,
                               const struct fact *f);
void store_observe(struct store *s, store_observer fn, void *ctx);

/* Deep copy, for what-if and tests. */
struct store *store_clone(struct arena *a, const struct store *s);

/* Fill every declared fact that a subject of its kind lacks: unknown, NOT_MEASURED with the remedy
 * of its need when decl.needs is not 0, else ABSENT. Makes missing probes visible, never good. */
void store_fill_missing(struct store *s);

/* Was this fact put there by store_fill_missing, so that nobody ever set it? */
bool store_is_filled(const struct fact *f);

/* State, reason and remedy of a declared fact that nobody set. Borrows constant texts and `decl`. */
struct fact store_missing_fact(const struct store *s, const struct fact_decl *decl);

/* Short setters for probes. `source` and texts are copied. */
void store_known(struct store *s, const struct subject *sub, const char *name, struct value v,
                 const char *source);
void store_unknown(struct store *s, const struct subject *sub, const char *name,
                   enum fact_state state, const char *source, const char *remedy,
                   const char *reason_fmt, ...) ATTR_PRINTF(7, 8);

/* The state that goes with an error code (E_DENIED -> NOT_PERMITTED, E_ABSENT -> ABSENT, …). */
enum fact_state fact_state_from_err(enum err_code code);

/* Does any fact that needs this, and nothing else, stand known anywhere? (for not_measured) One that several
 * ways lead to shows none of them. */
bool store_has_need(const struct store *s, enum need need);

/* The document the store came from has no subjects of its own (plain lines, offline). */
void store_set_offline(struct store *s, bool offline);
bool store_is_offline(const struct store *s);

#endif
