/* The engine: rules x subjects -> findings. A pure function of (facts, rules, parameters). */
#ifndef NVADVISE_RULES_ENGINE_H
#define NVADVISE_RULES_ENGINE_H

#include "rules/eval.h"
#include "rules/ruleset.h"

struct waiver; /* rules/waiver.h */

enum verdict {
    VERDICT_PASS, VERDICT_FAIL, VERDICT_UNKNOWN, VERDICT_NOT_APPLICABLE, VERDICT_NOT_MEASURED,
    VERDICT_ERROR, VERDICTS
};
const char *verdict_name(enum verdict v); /* "pass", "not_applicable", … */

struct evidence {
    const char *name;              /* as the rule names it */
    const struct subject *subject; /* NULL for parameters */
    const struct fact *fact;
    const struct fact_decl *decl;  /* NULL for parameters and plan values */
};

struct finding {
    const struct rule *rule;
    const struct subject *subject;
    const struct subject *leaf;   /* a folded pair: the leaf that decided; else NULL */
    enum verdict verdict;
    enum severity severity;       /* fail: the level; unknown: the highest not known false */
    const char *skipped_steps;    /* severity steps that were undecided, or "" */
    struct evidence *evidence;    /* facts that decided it (fail, pass) */
    size_t n_evidence;
    struct evidence *blockers;    /* unknown, not_measured: what is missing */
    size_t n_blockers;
    enum need need;               /* not_measured: what it waits for */
    const char *estimated;        /* "would fail: …" or "" (facts.md R2) */
    bool overridden;              /* rests on a --set */
    const char *error;
    const struct waiver *waiver;  /* accepted by the site: does not count, nothing is planned; or NULL */
};

struct findings {
    struct finding *items; /* in byte order of (rule id, subject label) */
    size_t n;
};

/* Compute the derived facts (rules/derived.ini) that the store does not hold already. */
void engine_derive(const struct ruleset *rs, struct store *s);

/* Judge every rule against every subject of its scope. Needs engine_derive first. */
void engine_judge(const struct ruleset *rs, struct store *s, struct arena *a, struct findings *ret);

/* One rule on one subject, for tests. */
void engine_judge_one(const struct ruleset *rs, struct store *s, const struct rule *r,
                      const struct subject *sub, struct arena *a, struct finding *ret);

/* An environment that answers names for `sub` as rules see them (roles, folds, relatives, parameters,
 * plan values that are pure functions of facts). Used by the plan and by texts. */
struct eval_env engine_env(const struct ruleset *rs, struct store *s, const struct subject *sub,
                           const struct subject *leaf, struct arena *a);

/* As engine_env, but an unknown fact is answered by its estimate (`twin` in rules/derived.ini) when that
 * is known. For estimates only, never for a verdict or a setting. */
struct eval_env engine_env_estimated(const struct ruleset *rs, struct store *s,
                                     const struct subject *sub, const struct subject *leaf,
                                     struct arena *a);

/* What keeps `e` undecided, plan values opened up to the facts that they rest on. Returns how many. */
size_t engine_blockers(const struct expr *e, const struct eval_env *env, struct arena *a,
                       struct evidence **ret);

/* The value of a name as a rule of that scope may write it; false when it is not known. */
bool engine_value(const struct eval_env *env, const struct ruleset *rs, enum subject_kind scope,
                  struct span name, struct value *ret);

/* Fill {{name}} in a text with printed values; an unknown prints as "unknown". */
const char *engine_fill(const struct eval_env *env, const struct ruleset *rs,
                        enum subject_kind scope, const char *text, struct arena *a);

#endif
