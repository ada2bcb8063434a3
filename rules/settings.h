/* Settings: the spreadsheet of planned values. rules/settings.ini, a section a row; a row may name only rows
 * above it.
 *   [plan.NAME]               a value in between: kind, meaning, formula
 *   [NAME]                    a setting; its planned value is plan.NAME
 *     kind, meaning
 *     scope    = server | host          where = option_file | sysctl | unit | module
 *     in_force = FACT                   (server.var.NAME)
 *     owners   = rule ids: the first one that fails sets the value
 *     target   = formula                target.OWNER = formula of that owner alone
 *     raises   = owners                 lowers = owners: their lines move the value this way only
 *     applies  = condition              not known true: no line
 *     grid     = STEP, STEP below VALUE, …     down to a multiple
 *     align    = formula: further down to a multiple of it, where it is known
 *     keep     = condition: the band in which the owners pass
 *     write.FLAVOUR = VARIABLE, VARIABLE / OTHER    the first one that the version has; divided by OTHER,
 *                where there is such a variable (the setting's own name for all flavours)
 *     follows  = SETTING: a line of that one brings one of this; follows_when = condition
 *     same_when = condition: a line even for the value in force, which would not stay without it
 *     set_before = SETTING: at run time before it when raised, after it when lowered
 *     restart_when = condition: only a restart changes it, whatever the server says
 *     unmeasured = formula: the target while that only waits for a measurement
 *     after.FACT = formula: what a fact of the row's subject is once its line was carried out, beside the
 *                value itself; in the facts before, and planned values of rows above
 *     grows_on = FACT: free space that growth is taken from
 *   first steps (estimates, small, upward only):
 *     first_step_owners = ids that give no more than one
 *     first_step.N = formula: the first one known counts; first_step_above = formula
 *     first_step_open.N = the same without a bound that is not known: shown, never active
 *     first_step_when = condition: where not known false, a target that raises is only one
 *     first_step_note = text of the line then
 *     first_step_moves = any: this one may lower as well
 *   comments (never active):
 *     comment.OWNER = condition: while that rule is not there, when it would fail
 * An owner rule that is not there counts as not measured. */
#ifndef NVADVISE_RULES_SETTINGS_H
#define NVADVISE_RULES_SETTINGS_H

#include "rules/engine.h"

enum line_kind { LINE_SETTING, LINE_FIRST_STEP, LINE_COMMENT };
const char *line_kind_name(enum line_kind k); /* "setting", "first_step", "comment" */

/* How a setting is carried out. */
enum setting_where { WHERE_OPTION_FILE, WHERE_SYSCTL, WHERE_UNIT, WHERE_MODULE };

/* A fact that a line changes beside the value in force. */
struct plan_effect {
    const char *fact;
    struct value value;
};

struct plan_line {
    const struct setting *setting;
    const char *variable;          /* as this server spells it: "innodb_log_file_size" */
    enum setting_where where;
    enum line_kind line;
    struct value planned;          /* of plan.SETTING, in the kind of the setting */
    struct value new_value;        /* of the variable: divided where there are several files */
    const char *new_text;          /* as written to the option file: plain digits, enum words */
    const struct fact *old;        /* the value in force; state may be unknown */
    const char *old_text;
    const char *old_origin;        /* "compiled", "file /etc/…", … or "unknown" */
    const char *formula;           /* the arithmetic with its numbers */
    const char *rule;              /* that owns it, or the row that this one follows */
    const char *settles;           /* "mem-bp-small" or "" */
    bool estimated;
    bool dynamic;                  /* SET GLOBAL works on this server */
    bool restart;                  /* takes effect at the next start only */
    unsigned set_order;            /* for SET GLOBAL, from 0: max before capacity when raised */
    const char *risk;
    const char *group;             /* "mysqld", or a version group when a later version refuses the name */
    const struct subject *subject; /* the server, or the host for a sysctl */
    bool overridden;               /* rests on a --set */
    bool unmeasured;               /* the target waits for a measurement; this stands in */
    struct plan_effect *effects;   /* known ones */
    size_t n_effects;
};

struct plan {
    struct plan_line *lines;
    size_t n;
    const char **refused;          /* names the catalogue or the server refused, with reason */
    size_t n_refused;
};

/* ---- for the loader and the engine (rules/ruleset.c, rules/engine*.c) ---- */

/* Read rules/settings.ini into rs->settings. Called when facts, params, catalogue and derived facts of
 * `rs` stand; names are answered by ruleset_names(rs, SUBJECT_SERVER), plan names as far as they were
 * read. Params ("param.NAME = …" in any section) are read already: such keys are to be skipped. Problems
 * as ruleset_load tells them. */
ATTR_NODISCARD bool settings_load(struct arena *a, const struct ini_file *f, struct ruleset *rs,
                                  struct buf *problems, struct err *reterr);

/* The type of plan.NAME; `name` is without "plan.". */
bool settings_type(const struct ruleset *rs, struct span name, struct expr_type *ret);

/* The formula behind plan.NAME, on a server, when it is a pure function of facts and parameters
 * (plan.memory.pool_target); NULL for planned values that depend on verdicts, and for unknown names. */
const struct expr *settings_pure(const struct ruleset *rs, struct span name);

/* Is there a setting (a section that a rule may name in `sets`); is the rule one of its owners? */
bool settings_has(const struct ruleset *rs, struct span setting);
bool settings_owned_by(const struct ruleset *rs, struct span setting, struct span rule_id);

/* Lines in the order of settings.ini, for one server (and the host). measured_only leaves out first
 * steps. A line is only made for a variable that the server has (server.var.NAME known) and that the
 * catalogue allows in that version, inside the range that the server itself tells, else the
 * catalogue's. */
void plan_make(const struct ruleset *rs, struct store *s, const struct findings *f,
               const struct subject *server, bool measured_only, struct arena *a,
               struct plan *ret);

/* Put the planned values into the store as if the server had been restarted with them; comments are no
 * plan. Derived facts are taken away: engine_derive works them out anew (fixed point). */
void plan_overlay(const struct plan *p, struct store *s);

#endif
