/* What the files of the plan share with each other and with nobody else. */
#ifndef NVADVISE_RULES_PLAN_INT_H
#define NVADVISE_RULES_PLAN_INT_H

#include "rules/settings_int.h"

/* How names are answered. */
enum plan_view {
    VIEW_STRICT,    /* facts as they are; a planned value with an undecided owner is unknown */
    VIEW_ESTIMATED, /* an unknown fact may be answered by its estimate */
    VIEW_ASIDE,     /* and undecided owners are left aside: the value in force stands in */
    VIEWS
};

/* The planned value of one row. */
struct cell {
    const struct fact *planned; /* VIEW_STRICT, VIEW_ESTIMATED */
    const struct fact *aside;   /* VIEW_ASIDE */
    bool first_step;            /* what reads it is a first step too */
    size_t line;                /* index of its active line + 1, or 0 */
    bool raised;                /* that line raises the value */
};

struct plan_ctx;

struct view {
    struct plan_ctx *p;
    enum plan_view which;
    enum subject_kind scope;
    struct eval_env base;
    struct eval_env env;
};

struct plan_ctx {
    const struct ruleset *rs;
    struct store *s;
    const struct findings *findings;
    const struct subject *server, *host; /* either may be NULL */
    bool measured_only;
    struct arena *a;
    struct plan *plan;
    struct cell *cells; /* one a row of rs->settings */
    struct view views[2][VIEWS]; /* of the server, of the host */
    bool has_version;
    enum flavour flavour;
    struct version version;
};

/* ---- plan_env.c ---- */

void plan_views_open(struct plan_ctx *p);
const struct eval_env *plan_view(struct plan_ctx *p, const struct setting *s, enum plan_view which);

/* A known fact that nothing but the plan made. */
const struct fact *plan_known(struct arena *a, const struct value *v);
const struct fact *plan_unknown(struct arena *a, const char *reason);

/* Does the formula rest, also through others, on a row whose cell says so? */
bool plan_rests_on_first_step(const struct plan_ctx *p, const struct expr *e);

/* The formula behind a formula that is only the name of another; for the arithmetic. */
const struct expr *plan_opened(const struct plan_ctx *p, const struct expr *e);

/* What a formula rests on: --set, estimates. */
struct plan_rests {
    bool overridden, estimated;
};
struct plan_rests plan_rests_on(struct plan_ctx *p, const struct expr *e,
                                const struct eval_env *env);

/* ---- plan_row.c ---- */

/* Work out one row: its lines, and its cell for the rows below. */
void plan_row(struct plan_ctx *p, const struct setting *s);

/* ---- plan_effects.c ---- */

/* What else the row's line changes, worked in the facts before it; called when its cell is filled. */
void plan_effects(struct plan_ctx *p, const struct setting *s);

/* Does the formula only wait for a benchmark, a second sample or history? */
bool plan_waits_for_measure(struct plan_ctx *p, const struct expr *e, const struct eval_env *env);

/* ---- plan_write.c ---- */

/* A value that a row came to, and why. */
struct choice {
    const struct setting *setting;
    enum line_kind line;
    struct value value;
    const struct expr *formula; /* and how it was worked */
    enum plan_view view;
    const char *rule, *settles, *risk;
    const struct fact *in_force;
    bool overridden;
    bool unmeasured;
};

/* Make the line. false: this server has no such variable, or refuses the value; plan->refused says so. */
bool plan_write(struct plan_ctx *p, const struct choice *c);

#endif
