/* The fact store: names of states and roles, gaps made visible, copies of a whole store.
 * Must not know probes, documents or rules. */
#include "advisor/facts/store.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "advisor/base/banned.h"

#define REASON_MAX 512

/* ---- names ------------------------------------------------------------------------------ */

static const char *const state_names[FACT_STATES] = {
    [FACT_KNOWN] = "known",
    [FACT_NOT_PERMITTED] = "not permitted",
    [FACT_NOT_SUPPORTED] = "not supported",
    [FACT_ABSENT] = "absent",
    [FACT_TIMED_OUT] = "timed out",
    [FACT_NOT_MEASURED] = "not measured",
    [FACT_STALE] = "stale",
    [FACT_UNSTABLE] = "unstable",
    [FACT_UNREADABLE] = "unreadable",
    [FACT_CRASHED] = "crashed",
};

const char *fact_state_name(enum fact_state s)
{
    return s < FACT_STATES ? state_names[s] : "?";
}

bool fact_state_from_name(struct span s, enum fact_state *ret)
{
    for (size_t i = 0; i < FACT_STATES; i++) {
        if (span_eq_text(s, state_names[i])) {
            *ret = (enum fact_state)i;
            return true;
        }
    }
    return false;
}

static const struct {
    enum role role;
    const char *name;
} roles[ROLES] = {
    {ROLE_DATA, "data"},     {ROLE_REDO, "redo"},
    {ROLE_UNDO, "undo"},     {ROLE_DOUBLEWRITE, "doublewrite"},
    {ROLE_BINLOG, "binlog"}, {ROLE_RELAYLOG, "relaylog"},
    {ROLE_TMP, "tmp"},
};

const char *role_name(enum role r)
{
    for (size_t i = 0; i < ROLES; i++) {
        if (roles[i].role == r) {
            return roles[i].name;
        }
    }
    return "?";
}

bool role_from_name(struct span s, enum role *ret)
{
    for (size_t i = 0; i < ROLES; i++) {
        if (span_eq_text(s, roles[i].name)) {
            *ret = roles[i].role;
            return true;
        }
    }
    return false;
}

struct value value_roles(struct arena *a, unsigned bits)
{
    struct span words[ROLES];
    size_t n = 0;
    for (size_t i = 0; i < ROLES; i++) {
        if ((bits & (unsigned)roles[i].role) != 0) {
            words[n++] = span_of(roles[i].name);
        }
    }
    return value_words(a, KIND_SET, words, n);
}

enum fact_state fact_state_from_err(enum err_code code)
{
    switch (code) {
    case E_ABSENT:
        return FACT_ABSENT;
    case E_DENIED:
    case E_LOGIN:
        return FACT_NOT_PERMITTED;
    case E_NOT_SUPPORTED:
        return FACT_NOT_SUPPORTED;
    case E_TIMEOUT:
    case E_BUSY:
        return FACT_TIMED_OUT;
    case E_CRASHED:
        return FACT_CRASHED;
    case E_NONE:
    case E_USAGE:
    case E_TOO_BIG:
    case E_SYNTAX:
    case E_IO:
    case E_FULL:
    case E_CUT:
    case E_CORRUPT:
    case E_CONNECT:
    case E_LIMIT:
    case E_INTERNAL:
    case E_CODES:
        break;
    }
    return FACT_UNREADABLE;
}

/* ---- setters ---------------------------------------------------------------------------- */

void store_known(struct store *s, const struct subject *sub, const char *name, struct value v,
                 const char *source)
{
    const struct fact f = {.state = FACT_KNOWN, .value = v, .source = source};
    store_set(s, sub, name, &f);
}

void store_unknown(struct store *s, const struct subject *sub, const char *name,
                   enum fact_state state, const char *source, const char *remedy,
                   const char *reason_fmt, ...)
{
    char reason[REASON_MAX];
    va_list args;
    va_start(args, reason_fmt);
    if (vsnprintf(reason, sizeof(reason), reason_fmt, args) < 0) {
        reason[0] = '\0';
    }
    va_end(args);
    const struct fact f = {
        .state = state == FACT_KNOWN ? FACT_UNREADABLE : state,
        .reason = reason,
        .remedy = remedy,
        .source = source,
    };
    store_set(s, sub, name, &f);
}

/* ---- gaps ------------------------------------------------------------------------------- */

static const char reason_absent[] = "not given by any source";

/* In the order in which a fact that waits for several asks for them. */
static const struct {
    enum need need;
    const char *reason;
    const char *remedy;
} waits[NEED_BITS] = {
    {NEED_ROOT, "needs root", "run nvadvise check as root"},
    {NEED_BENCH, "needs a benchmark", "wait for a version with benchmarks"},
    {NEED_HISTORY, "needs counter readings of earlier runs", "wait for a version that keeps them"},
    {NEED_SAMPLE, "needs a second sample", "wait for a version that takes one"},
};

bool store_is_filled(const struct fact *f)
{
    if (f->state == FACT_ABSENT) {
        return strcmp(f->reason, reason_absent) == 0;
    }
    for (size_t i = 0; f->state == FACT_NOT_MEASURED && i < NEED_BITS; i++) {
        if (strcmp(f->reason, waits[i].reason) == 0) {
            return true;
        }
    }
    return false;
}

/* A run that had root waits for it no more: what is missing then is missing. */
static bool has_root(const struct store *s)
{
    const struct subject *host = store_find_subject(s, "host");
    const struct fact *f = host == NULL ? NULL : store_get(s, host, SPAN_LIT("host.root"));
    return f != NULL && f->state == FACT_KNOWN && f->value.kind == KIND_BOOL && f->value.boolean;
}

struct fact store_missing_fact(const struct store *s, const struct fact_decl *decl)
{
    const unsigned needs = has_root(s) ? decl->needs & ~(unsigned)NEED_ROOT : decl->needs;
    struct fact f = {
        .state = FACT_ABSENT,
        .value = {.kind = decl->kind},
        .reason = reason_absent,
        .remedy = "",
        .source = decl->read_from == NULL ? "" : decl->read_from,
    };
    for (size_t i = 0; i < NEED_BITS; i++) {
        if ((needs & (unsigned)waits[i].need) != 0) {
            f.state = FACT_NOT_MEASURED;
            f.reason = waits[i].reason;
            f.remedy = waits[i].remedy;
            break;
        }
    }
    return f;
}

void store_fill_missing(struct store *s)
{
    const struct decl_set *decls = store_decls(s);
    for (size_t i = 0; i < decl_count(decls); i++) {
        const struct fact_decl *decl = decl_at(decls, i);
        const struct fact missing = store_missing_fact(s, decl);
        for (size_t k = 0; k < store_subjects(s); k++) {
            const struct subject *sub = store_subject_at(s, k);
            if (sub->kind == decl->subject && store_get(s, sub, span_of(decl->name)) == NULL) {
                store_set(s, sub, decl->name, &missing);
            }
        }
    }
}

static bool is_known(const struct store *s, const struct fact_decl *decl)
{
    for (size_t k = 0; k < store_subjects(s); k++) {
        const struct subject *const sub = store_subject_at(s, k);
        const struct fact *const f =
            sub->kind != decl->subject ? NULL : store_get(s, sub, span_of(decl->name));
        if (f != NULL && f->state == FACT_KNOWN) {
            return true;
        }
    }
    return false;
}

/* Facts of families have no declaration of their own: all facts are looked at. */
static bool family_has_need(const struct store *s, enum need need)
{
    for (size_t k = 0; k < store_subjects(s); k++) {
        const struct fact_row *rows;
        const size_t n = store_facts(s, store_subject_at(s, k), &rows);
        for (size_t i = 0; i < n; i++) {
            if (rows[i].fact->state != FACT_KNOWN) {
                continue;
            }
            const struct fact_decl *decl = decl_find(store_decls(s), span_of(rows[i].name), true);
            if (decl != NULL && decl->needs == (unsigned)need) {
                return true;
            }
        }
    }
    return false;
}

/* Of the declared facts few have a need, and of the stored ones there are thousands. */
bool store_has_need(const struct store *s, enum need need)
{
    const struct decl_set *const decls = store_decls(s);
    for (size_t i = 0; i < decl_count(decls); i++) {
        const struct fact_decl *const decl = decl_at(decls, i);
        if (decl->needs == (unsigned)need && is_known(s, decl)) {
            return true;
        }
    }
    return decl_family_needs(decls, need) && family_has_need(s, need);
}

/* ---- copies ----------------------------------------------------------------------------- */

struct store *store_clone(struct arena *a, const struct store *s)
{
    struct store *copy = store_new(a, store_decls(s));
    for (size_t k = 0; k < store_subjects(s); k++) {
        const struct subject *old = store_subject_at(s, k);
        struct subject *sub = store_subject(copy, old->kind, old->label);
        sub->identity = arena_strdup(a, old->identity);
        sub->roles = old->roles;
        const struct fact_row *rows;
        const size_t n = store_facts(s, old, &rows);
        for (size_t i = 0; i < n; i++) {
            store_set(copy, sub, rows[i].name, rows[i].fact);
        }
    }
    for (size_t k = 0; k < store_subjects(s); k++) {
        const struct subject *server = store_subject_at(s, k)->server;
        if (server != NULL) {
            store_subject_at(copy, k)->server = store_find_subject(copy, server->label);
        }
    }
    store_set_offline(copy, store_is_offline(s));
    return copy;
}
