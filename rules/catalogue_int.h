/* What the files of the catalogue share with each other and with nobody else: its rows as they are kept.
 * Knows nothing of facts, settings or servers. */
#ifndef NVADVISE_RULES_CATALOGUE_INT_H
#define NVADVISE_RULES_CATALOGUE_INT_H

#include "rules/catalogue.h"

/* From which release on: one version, or one a release series where a change went into several
 * ("10.11.12/11.4.6/11.8.2"), ascending. Series that are not named, and older ones, do not have it;
 * what is newer than the last does. */
struct since {
    const struct version *at;
    size_t n; /* 0: always */
};

enum life_event { LIFE_INTRODUCED, LIFE_DEPRECATED, LIFE_IGNORED, LIFE_REFUSED };

struct dated_event {
    enum life_event event;
    struct since from;
};

struct dated_default {
    bool automatic; /* the server works it out: no value here */
    struct value value;
    struct since from;
};

struct dated_range {
    struct num min, max, step; /* step 0: none */
    struct since from;
};

struct dated_bool {
    bool value;
    struct since from;
};

struct dated_words {
    const char *words; /* "A, B, C", in the order of their numbers */
    struct since from;
};

/* A place that claims come from, and for which versions it speaks. */
struct catalogue_source {
    const char *key, *text;
    struct version from, to; /* `to` counts as far as it is given: 8.0 is all of 8.0 */
};

/* What one flavour has; the last entry that holds for a version counts. */
struct flavour_rows {
    struct dated_event *life;
    size_t n_life;
    struct dated_default *defaults;
    size_t n_defaults;
    struct dated_range *ranges;
    size_t n_ranges;
    struct dated_bool *dynamic;
    size_t n_dynamic;
    struct dated_words *words;
    size_t n_words;
    const char **sources; /* keys of [sources] */
    size_t n_sources;
    bool has_life, has_default, has_range, has_dynamic; /* the key stands there */
};

/* One flavour's list of option names (catalogue_names.h), as text. */
struct name_list {
    struct span text; /* the lines with names */
    struct version oldest, newest;
    struct span *families;
    size_t n_families;
};

struct variable {
    const char *name;
    enum kind kind;
    const char *values;   /* enum words, else NULL */
    struct num unit;      /* what the option file's number counts, in the kind's base unit */
    enum scratch scratch;
    const char *replaced_by[FLAVOURS]; /* the variable that took its place, or NULL */
    const char *file;
    unsigned line;
    struct flavour_rows rows[FLAVOURS];
};

struct catalogue {
    struct arena *arena;
    struct variable *variables; /* in byte order of their names */
    size_t n;
    struct version newest[FLAVOURS];
    struct version *tried[FLAVOURS]; /* release series that the servers themselves were asked of */
    size_t n_tried[FLAVOURS];
    struct catalogue_source *sources;
    size_t n_sources;
    struct name_list names[FLAVOURS];
};

/* ---- while the texts are read ---- */

struct catalogue_reader {
    struct arena *arena;
    struct buf *out;   /* all problems, or NULL */
    struct err *first;
    unsigned n_problems;
    const char *file;
    struct span section;
    unsigned line;
};

/* "FILE:LINE: [SECTION] message". */
void catalogue_complain(struct catalogue_reader *l, const char *fmt, ...) ATTR_PRINTF(2, 3);

/* [newest], [tried] and [sources]; false: it is none of these. */
bool catalogue_read_about(struct catalogue_reader *l, const struct ini_section *s, struct catalogue *c);

/* Every source that a row names is one of [sources], and every flavour of a row has one. */
void catalogue_check_sources(struct catalogue_reader *l, const struct catalogue *c);

/* "FLAVOUR.KEY = ENTRY, ENTRY"; false: there is no such key. */
bool catalogue_read_key(struct catalogue_reader *l, struct variable *v, const struct ini_entry *e);

#define CATALOGUE_APPEND(l, list, n, item)                                                         \
    do {                                                                                           \
        (list) = arena_list_room((l)->arena, (list), (n), sizeof(item));                           \
        (list)[(n)++] = (item);                                                                    \
    } while (0)

bool since_holds(const struct since *s, const struct version *at);
bool same_series(const struct version *a, const struct version *b);

/* Byte order of names with '-' as '_' and without case. */
int names_compare(struct span a, struct span b);

struct option_name;

/* What the lists alone say of a name; PRESENCE_UNKNOWN where they cannot tell. */
enum presence names_listed(const struct catalogue *c, enum flavour f, const struct version *at,
                           struct span name, struct option_name *ret);

#endif
