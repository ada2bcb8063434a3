/* Every case gives its verdict, and every rule has a case of every verdict that it can have. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>
#include <stdio.h>

#include "tests/rules/rulelib.h"

#include "advisor/base/banned.h"

static void test_verdicts(void **state)
{
    struct rulelib *lib = *state;
    unsigned bad = 0;
    for (size_t i = 0; i < lib->n_cases; i++) {
        ARENA_AUTO a = arena_new();
        struct err err = ERR_INIT;
        if (!rule_case_run(a, &lib->rs, &lib->cases[i], &err)) {
            (void)fprintf(stderr, "%s %s\n", err.text, err.hint);
            bad++;
        }
    }
    assert_int_equal(bad, 0);
}

static void test_every_verdict_has_a_case(void **state)
{
    struct rulelib *lib = *state;
    unsigned missing = 0;
    for (size_t r = 0; r < lib->rs.n_rules; r++) {
        for (unsigned v = 0; v < VERDICTS; v++) {
            if (!rule_case_wanted(&lib->rs.rules[r], (enum verdict)v))
                continue;
            bool found = false;
            for (size_t i = 0; i < lib->n_cases && !found; i++)
                found = lib->cases[i].rule == &lib->rs.rules[r] && lib->cases[i].verdict == v;
            if (!found) {
                (void)fprintf(stderr, "no case %s.%s.facts\n", lib->rs.rules[r].id,
                              verdict_name((enum verdict)v));
                missing++;
            }
        }
    }
    assert_int_equal(missing, 0);
}

int main(void)
{
    struct rulelib lib;
    rulelib_open(&lib);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_verdicts, &lib),
        cmocka_unit_test_prestate(test_every_verdict_has_a_case, &lib),
    };
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(lib.a);
    return rc;
}
