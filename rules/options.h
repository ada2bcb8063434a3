/* What a server of a flavour and version makes of the options that it gets: each line's variable, value
 * and effect, who wins and who is shadowed. Pure: from lines (advisor/facts/optline.h) and the catalogue.
 *
 * Names as the servers resolve them: '-' is '_', case does not count, unambiguous prefixes, and
 * loose_, skip_, disable_, enable_, maximum_. Values as that flavour reads them (suffixes, words, indices
 * of enums, what is clamped, rounded, ignored, refused): facts in ../rules/catalogue and the sources there. */
#ifndef NVADVISE_RULES_OPTIONS_H
#define NVADVISE_RULES_OPTIONS_H

#include "advisor/facts/optline.h"
#include "advisor/facts/store.h"
#include "rules/catalogue.h"

enum option_effect {
    OPTION_IN_FORCE, /* read, and the last one of its name */
    OPTION_SHADOWED, /* a later line of the same variable wins (`by`) */
    OPTION_IGNORED,  /* accepted without effect: removed, or not understood and passed over with a warning */
    OPTION_STOPS,    /* the server does not start */
    OPTION_UNSURE,   /* a plugin's name, or a version whose names are not all known */
};

/* What else is to be said of a line; bits. */
enum option_mark {
    OPTION_UNKNOWN = 1 << 0,    /* no such name in this version */
    OPTION_FOREIGN = 1 << 1,    /* the other flavour's name */
    OPTION_REMOVED = 1 << 2,    /* was there in an earlier version */
    OPTION_DEPRECATED = 1 << 3, /* works, and warns */
    OPTION_CLAMPED = 1 << 4,    /* the server takes another value: range or step */
    OPTION_FLOAT = 1 << 5,      /* exponent or decimals for a whole number */
    OPTION_BAD_VALUE = 1 << 6,  /* a word that is not in the list, a suffix that is none */
    OPTION_DUPLICATE = 1 << 7,  /* set again later, with another value or in another spelling */
    OPTION_LOOSE = 1 << 8,      /* written with loose_ */
    OPTION_BY_PREFIX = 1 << 9,  /* the name is cut short */
    OPTION_MAXIMUM = 1 << 10,   /* maximum_: bounds what sessions may set, sets nothing */
    OPTION_PERSISTED = 1 << 11, /* from SET PERSIST */
    OPTION_OVERRIDDEN = 1 << 12, /* a persisted value, or the command line, wins over this file's line */
};

struct option_reading {
    const struct optline *line;
    const char *name;                /* canonical, prefixes resolved; of a variable or of another option */
    const struct variable *variable; /* or NULL: no row in the catalogue */
    enum option_effect effect;
    unsigned marks;                  /* enum option_mark bits */
    const struct option_reading *by; /* OPTION_SHADOWED */
    bool has_value;                  /* `value` is what the server takes from it (after clamping) */
    struct value value;
    bool has_asked;                  /* `asked` is what the file says, where that differs */
    struct value asked;
    const char *text;                /* why, one sentence without full stop; "" when there is nothing to say */
};

struct option_target {
    enum flavour flavour;
    struct version version;
    const struct store *store;     /* with `server`: the running server's own list of variables, or NULL */
    const struct subject *server;
};

/* Judge lines in the order in which they are applied. One reading for each line, in that order. */
size_t options_read(const struct catalogue *c, const struct option_target *t,
                    const struct optline *lines, size_t n, struct arena *a,
                    struct option_reading **ret);

/* The lines of the fact server.option.lines; false: it is not known. */
bool options_lines(const struct store *s, const struct subject *server, struct arena *a,
                   struct optline **ret, size_t *ret_n);

/* Does a server of this flavour and version read the group? Groups with a suffix of
 * --defaults-group-suffix apart. */
bool option_group_read(enum flavour f, const struct version *v, struct span group);

/* Is it a group of servers of one version ("mysqld-5.7"), whatever version? */
bool option_group_has_version(struct span group);

/* The last reading of the option that is in force, or NULL. */
const struct option_reading *option_winner(const struct option_reading *r, size_t n,
                                           const char *name);

/* The lines of the fact server.option.other_lines, of groups that this server does not read; their values are
 * left out. false: not known. */
bool option_other_lines(const struct store *s, const struct subject *server, struct arena *a,
                        struct optline **ret, size_t *ret_n);

/* ---- facts ---- */

struct ruleset; /* rules/ruleset.h */

/* Declarations of the counted facts server.option.* that follow from lines, catalogue and variables. */
extern const struct fact_decl options_decls[];
extern const size_t options_n_decls;

/* Set them on every server whose lines are known (and unknown with the lines' reason where not); what a
 * document states already stands. Called by engine_derive, before the formulas. */
void options_derive(const struct ruleset *rs, struct store *s);

/* Names of persisted variables among `names`: what a plan wants to set and SET PERSIST would override.
 * Appended to server.option.persisted_names and counted; true: the fact has changed, and what rests on it
 * is to be judged anew. */
bool options_persisted_plan(const struct ruleset *rs, struct store *s,
                            const struct subject *server, const char *const *names, size_t n);

/* Does SET PERSIST hold the variable, so that no option file decides it? false where that is not known. */
bool options_is_persisted(const struct ruleset *rs, const struct store *s,
                          const struct subject *server, const char *name);

/* The values in force of a server that nobody can ask: every variable of the catalogue that its version
 * has gets server.var.NAME and server.source.NAME from the lines, else from its default; what the server
 * works out at start stays unknown. Needs server.flavour, server.version, server.option.lines. What a
 * document states stands. */
void options_assume(const struct ruleset *rs, struct store *s, const struct subject *server);

/* The values of options in force that no row of the catalogue describes (port, slow_query_log), as
 * server.var.NAME, as far as the text alone tells. What is there already stands. */
void options_rest(const struct ruleset *rs, struct store *s, const struct subject *server);

/* ---- lists for reports ---- */

/* One line that a finding is about. */
struct option_item {
    const char *setting; /* canonical name */
    const char *advice;  /* remove, rename, set, change, check */
    const char *file;    /* "" for a persisted value */
    unsigned line;
    const char *value;   /* as written */
    const char *text;    /* one sentence without full stop */
};

/* The lines that the fact (server.option.unknown_count, …) counts; 0 for other facts. */
size_t options_items(const struct ruleset *rs, struct store *s, const struct subject *server,
                     const char *fact, struct arena *a, struct option_item **ret);

/* ---- upgrades: check --target ---- */

enum option_change {
    CHANGE_STOPS,   /* that version does not start with the line */
    CHANGE_IGNORED, /* it no longer does anything there */
    CHANGE_VALUE,   /* read, but as another value, or with another meaning */
    CHANGE_DEPRECATED,
    CHANGE_UNSURE,
};
const char *option_change_name(enum option_change c); /* "stops", "ignored", "value", … */

struct option_upgrade {
    const struct optline *line;
    const struct option_reading *now, *then; /* NULL: that server does not read the line's group */
    enum option_change change;
    const char *name;    /* canonical */
    const char *text;    /* what happens there, one sentence without full stop */
    const char *instead; /* what to write instead, or "" */
};

/* What the lines would mean in `target` against `now`: only those that stop, change or lose their meaning,
 * in the order of the lines. `others`: lines of groups that `now` does not read. */
size_t options_upgrade(const struct catalogue *c, const struct option_target *now,
                       const struct option_target *target, const struct optline *lines, size_t n,
                       const struct optline *others, size_t n_others, struct arena *a,
                       struct option_upgrade **ret);

#endif
