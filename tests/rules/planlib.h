/* Shared by the tests of plans: a plan as text, and what the properties compare. */
#ifndef NVADVISE_TESTS_RULES_PLANLIB_H
#define NVADVISE_TESTS_RULES_PLANLIB_H

#include "rules/settings.h"
#include "tests/rules/rulelib.h"

/* Derive, judge and plan; one plan a server, or the host's alone. `ret_findings` may be NULL. */
size_t planlib_make(const struct rulelib *lib, struct arena *a, struct store *s, bool measured_only,
                    struct plan **ret, struct findings *ret_findings);

/* One line each: "KIND [GROUP] VARIABLE = VALUE RULE[, settles X]"; active_only: without comments. */
const char *planlib_text(struct arena *a, const struct plan *p, size_t n, bool active_only);

/* Hosts and cases alike: everything that the properties are tested on. */
struct planlib_input {
    const char *name;
    const struct rule_case *c; /* NULL: a worked host */
};
size_t planlib_inputs(const struct rulelib *lib, struct arena *a, struct planlib_input **ret);
struct store *planlib_store(const struct rulelib *lib, struct arena *a,
                            const struct planlib_input *in);

#endif
