/* Shared by the rule tests: the built-in set over the real declarations, and all cases. */
#ifndef NVADVISE_TESTS_RULES_RULELIB_H
#define NVADVISE_TESTS_RULES_RULELIB_H

#include "rules/cases.h"

struct rulelib {
    struct arena *a;
    struct ruleset rs;
    struct rule_case *cases;
    size_t n_cases;
    const char *const *only; /* ids that the program was asked for, NULL at the end; none: all */
};

/* Load everything; prints what is wrong and ends the program with 1 on failure. Free lib->a. */
void rulelib_open(struct rulelib *lib);

/* Is the rule among those of lib->only? */
bool rulelib_wanted(const struct rulelib *lib, const char *id);

/* The worked hosts: names, NULL at the end; the facts of one (nothing derived), and its text. */
extern const char *const rulelib_hosts[];
struct store *rulelib_host(const struct rulelib *lib, struct arena *a, const char *host,
                           struct span *ret_text);

/* Subjects of all facts of the case, as (subject, name), in a stable order. */
struct case_fact {
    const char *subject, *name;
};
size_t rulelib_facts(struct arena *a, const struct store *s, struct case_fact **ret);

#endif
