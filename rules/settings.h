/* Settings: the spreadsheet of facts.md section 8. rules/settings.ini, a section a row, in order:
 *   [innodb_redo_log_capacity]        the name of the planned value is plan.<section>
 *   kind, owners (rule ids, first one wins), applies, target, first_step, first_step_when,
 *   comment, grid text, keep (condition: kept), in_force (fact or formula), write.FLAVOUR = VARIABLE …
 * and intermediate values ([plan.memory.os_reserve] kind, formula, twin). */
#ifndef NVADVISE_RULES_SETTINGS_H
#define NVADVISE_RULES_SETTINGS_H

#include "rules/engine.h"

enum line_kind { LINE_SETTING, LINE_FIRST_STEP, LINE_COMMENT };
const char *line_kind_name(enum line_kind k); /* "setting", "first_step", "comment" */

/* How a setting is carried out. */
enum setting_where { WHERE_OPTION_FILE, WHERE_SYSCTL, WHERE_UNIT, WHERE_MODULE };

struct plan_line {
    const struct setting *setting;
    const char *variable;          /* as this server spells it: "innodb_log_file_size" */
    enum setting_where where;
    enum line_kind line;
    struct value new_value;
    const char *new_text;          /* as written to the option file: plain digits, enum words */
    const struct fact *old;        /* the value in force; state may be unknown */
    const char *old_text;
    const char *old_origin;        /* "compiled", "file /etc/…", … or "unknown" */
    const char *formula;           /* the arithmetic with its numbers */
    const char *rule;              /* that owns it ("mem-bp-default"), or "io_capacity" style note */
    const char *settles;           /* "mem-bp-small" or "" */
    bool estimated;
    bool dynamic;                  /* SET GLOBAL works on this server */
    bool restart;                  /* takes effect at the next start only */
    unsigned set_order;            /* order for SET GLOBAL (max before capacity) */
    const char *risk;
    const char *group;             /* "mysqld", or a version group when a later version refuses the name */
    const struct subject *subject; /* the server, or the host for a sysctl */
    bool overridden;               /* rests on a --set */
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

/* Put the planned values into the store as if the server had been restarted with them (fixed point). */
void plan_overlay(const struct plan *p, struct store *s);

#endif
