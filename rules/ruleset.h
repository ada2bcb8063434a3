/* Rules, parameters, settings, derived facts, the variable catalogue: read from their texts and checked
 * against the declarations. Adding a rule touches one INI section and its cases.
 *
 * rules/rules/TOPIC.ini, a section a rule ([redo-default-100m]):
 *   title    = one line, the bad state
 *   scope    = host | server | volume | device
 *   applies  = condition (absent: always)
 *   fails    = condition: the bad state
 *   needs    = bench, sample, root, history
 *   severity = high when COND, medium when COND, low          (ends with a plain level)
 *   why      = text with {{fact}}, {{plan.x}} and {{formula}} filled in; {{… as decimal}}: 6.469 TB, 1.0494
 *   sets     = SETTING, …                                      (rules/settings.ini)
 *   advice   = raise | lower | set | remove | rename | keep | enable | check | change
 *   do.N     = command | effect (none, online, remount, restart, reboot, destroys: WHAT)
 *   when.N   = condition: do.N, which stands before it, is left out where this is known false
 *   risk     = text      undo = text      source = keys of domain sources
 *   see      = ids
 *   param.NAME = KIND DEFAULT MIN MAX meaning
 *   retired  = text (only explains itself)
 * Aliases: [old-id] alias = new-id. */
#ifndef NVADVISE_RULES_RULESET_H
#define NVADVISE_RULES_RULESET_H

#include "advisor/base/ini.h"
#include "rules/expr.h"

enum severity { SEV_INFO, SEV_LOW, SEV_MEDIUM, SEV_HIGH, SEV_CRITICAL, SEVERITIES };
const char *severity_name(enum severity s);
bool severity_from_name(struct span s, enum severity *ret);

struct severity_step {
    enum severity level;
    const struct expr *when; /* NULL: the plain level at the end */
    struct span when_text;
};

struct rule_action {
    const char *command; /* with $D, $C, $M, $S, $U, $K, $crypt, $md; or a line of a file: docs/rules.md */
    const char *effect;  /* "online", "remount", "restart", "reboot"; "none": it only looks */
    const char *destroys; /* NULL, or what it destroys */
    uint64_t number;      /* of its key */
    const struct expr *when; /* NULL: always */
    struct span when_text;
};

struct rule {
    const char *id;
    const char *file;
    unsigned line;
    enum subject_kind scope;
    const char *title, *why, *risk, *undo, *source, *advice;
    struct span applies_text, fails_text;
    const struct expr *applies; /* NULL: always */
    const struct expr *fails;
    unsigned needs;
    struct severity_step *steps;
    size_t n_steps;
    const char **sets;
    size_t n_sets;
    struct rule_action *actions;
    size_t n_actions;
    const char **see;
    size_t n_see;
    bool pairs;            /* a volume rule that names device.*: judged per (volume, leaf) */
    const char *alias_of;  /* an alias: nothing else is set */
    const char *retired;
};

struct param {
    const char *name;  /* without "param." */
    const char *rule;  /* that declares it; or "settings" */
    struct expr_type type;
    struct value def, min, max, value;
    bool has_range;
    const char *meaning;
    const char *origin; /* "default", "profile NAME", "site configuration" */
};

struct setting;   /* rules/settings.h */
struct catalogue; /* rules/catalogue.h */
struct derived;   /* rules/derived.h */

struct ruleset {
    struct arena *arena;
    const struct decl_set *decls;
    const struct rule *rules; /* in byte order of ids */
    size_t n_rules;
    struct param *params;
    size_t n_params;
    const struct setting *settings; /* in the order of rules/settings.ini */
    size_t n_settings;
    const struct derived *derived;
    size_t n_derived;
    const struct catalogue *catalogue;
    unsigned required; /* enum need bits that the profile asks for: without them a rule is unknown */
    char hash[65];            /* over all texts */
};

/* One text: name for messages and its bytes. */
struct rule_text {
    const char *name;
    struct span bytes;
    const char *sha256; /* of the bytes, in hex, from the build; NULL: not known yet */
};

struct rule_texts {
    const struct rule_text *rules, *catalogue, *names; /* names: catalogue/names/FLAVOUR.txt */
    size_t n_rules, n_catalogue, n_names;
    struct rule_text settings, derived;
    struct rule_text profiles; /* rules/profile.h reads it */
    bool proven; /* all compiled in: the tests of the build looked for every mistake */
};

/* The texts compiled into the binary (generated at build). The lists live in the arena. */
const struct rule_texts *rule_texts_builtin(struct arena *a);

/* Texts of a directory laid out as rules/ (--rules DIR). */
ATTR_NODISCARD bool rule_texts_read_dir(struct arena *a, const char *dir, struct rule_texts *ret,
                                        struct err *reterr);

/* Add the *.ini files of rules.d in the system's configuration folder; only files and folders owned by root that
 * nobody else may write (else E_DENIED). A folder that does not exist adds nothing. */
ATTR_NODISCARD bool rule_texts_add_site(struct arena *a, const char *dir, struct rule_texts *texts,
                                        struct err *reterr);

/* Check everything and build the set. `decls` gets the derived facts added. All mistakes are found, the
 * first is in reterr, and each goes to `problems` (may be NULL) as "FILE:LINE: [SECTION] message\n caret".
 * Problems: undeclared names, wrong dimensions, cycles, settings outside the catalogue, two rules that
 * set one thing without order, rules without source, unknown keys, limits. Of proven texts without `problems` what
 * only finds mistakes is left out. */
ATTR_NODISCARD bool ruleset_load(struct arena *a, struct decl_set *decls,
                                 const struct rule_texts *texts, struct ruleset *ret,
                                 struct buf *problems, struct err *reterr);

/* The names that an expression of this scope may use: facts, param.*, plan.*. Borrows `rs`; valid while
 * a set is being loaded as well (then: what was read so far). */
struct expr_names ruleset_names(const struct ruleset *rs, enum subject_kind scope);

/* The derived fact of that whole name, or NULL. */
const struct derived *ruleset_derived(const struct ruleset *rs, struct span name);

/* The fact that may stand in for an unknown one in estimates (est.redo.write_rate_peak for
 * server.redo.write_rate_peak), or NULL. `fact` is a whole fact name, without role. */
const struct derived *ruleset_twin(const struct ruleset *rs, struct span fact);

const struct rule *ruleset_find(const struct ruleset *rs, const char *id); /* aliases followed */
const struct param *ruleset_param(const struct ruleset *rs, struct span name);

#endif
