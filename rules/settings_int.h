/* What the files of settings and plan share with each other and with nobody else: the rows of
 * rules/settings.ini as they are kept. */
#ifndef NVADVISE_RULES_SETTINGS_INT_H
#define NVADVISE_RULES_SETTINGS_INT_H

#include "rules/catalogue.h"
#include "rules/settings.h"

/* A rule that owns the setting. */
struct setting_owner {
    const char *id;
    const struct expr *target;       /* what the setting is to be when the rule fails */
    bool raises, lowers;             /* its line only raises, only lowers the value */
    bool first_step;                 /* gives a first step, never the target */
    const struct expr *comment_when; /* while the rule is not there: it would fail (estimated) */
};

/* A name in the option file: the value is `variable` times what `divisor` says, where there is such a
 * variable. */
struct setting_name {
    const char *variable;
    const char *divisor; /* or NULL */
};

/* Values stand on multiples of `step`; one that lies below `below` on the next entry's. */
struct setting_grid {
    struct num step;
    struct num below; /* of entries after the first: they hold below this */
};

#define SETTING_STEPS_MAX 4
#define SETTING_NAMES_MAX 4
#define SETTING_GRIDS_MAX 4
#define SETTING_EFFECTS_MAX 4

/* A fact that follows from the setting: it is this once the line was carried out. */
struct setting_effect {
    const char *fact;
    const struct expr *value;
};

struct setting {
    const char *name; /* plan.NAME */
    const char *file;
    unsigned line;
    bool intermediate; /* a formula only: never written */
    bool pure;         /* an intermediate that rests on facts and parameters alone */
    struct expr_type type;
    const char *meaning;
    const struct expr *formula; /* of an intermediate */

    enum subject_kind scope; /* server or host */
    enum setting_where where;
    const struct expr *target; /* of every owner that has none of its own */
    struct setting_owner *owners;
    size_t n_owners;
    const struct expr *applies;  /* or NULL */
    const struct expr *in_force; /* a name */
    const struct expr *first_step[SETTING_STEPS_MAX]; /* the first one known counts */
    size_t n_first_step;
    const struct expr *first_step_open[SETTING_STEPS_MAX]; /* the same with a bound left out */
    size_t n_first_step_open;
    const struct expr *first_step_above; /* it must come out above this, or NULL */
    const struct expr *first_step_when;  /* where a target is a first step, or NULL */
    const char *first_step_note;         /* "" or what the comment adds then */
    bool first_step_any_way;             /* a first step may lower as well */
    const struct expr *unmeasured;       /* stands in where a target waits for a measurement; or NULL */
    struct setting_effect effects[SETTING_EFFECTS_MAX];
    size_t n_effects;
    const struct expr *align;            /* further down to a multiple, where it is known; or NULL */
    const struct expr *keep;             /* in this band the owners pass; or NULL */
    const struct expr *restart_when;     /* or NULL */
    const struct expr *grows_on;         /* free bytes that growth is taken from; or NULL */
    const char *follows;                 /* the setting whose line brings one of this, or NULL */
    const struct expr *follows_when;
    const struct expr *same_when; /* a line even for the value in force; or NULL */
    const char *set_before; /* at run time this one goes first when it is raised, or NULL */
    struct setting_grid grid[SETTING_GRIDS_MAX];
    size_t n_grid;
    struct setting_name names[FLAVOURS][SETTING_NAMES_MAX];
    size_t n_names[FLAVOURS];
};

/* By the name without "plan."; NULL when there is none. */
const struct setting *settings_find(const struct ruleset *rs, struct span name);

#endif
