/* Whole hosts: what all rules together say of a machine. tests/rules/hosts/NAME.facts, with lines
 * "#! RULE = VERDICT SEVERITY" or, where there are several subjects, "#! SUBJECT/RULE = VERDICT SEVERITY". */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>
#include <stdio.h>

#include "tests/rules/rulelib.h"

#include "advisor/base/banned.h"

static unsigned check_line(const struct rulelib *lib, struct arena *a, struct store *s,
                           const char *host, struct span line)
{
    struct span id, rest = span_sub(line, 2, line.len), verdict, severity = {NULL, 0};
    const struct subject *const *subs;
    struct finding f;
    if (!span_split(&rest, '=', &id) || !span_word(&rest, &verdict))
        fail_msg("%s: '%.*s' is no expectation", host, SPAN_ARG(line));
    (void)span_word(&rest, &severity);
    const struct subject *sub = NULL;
    struct span whole = span_trim(id), label;
    if (span_split(&whole, '/', &label) && whole.len > 0)
        sub = store_find_subject(s, span_dup(a, label));
    else
        whole = span_trim(id);
    const char *name = span_dup(a, whole);
    const struct rule *r = ruleset_find(&lib->rs, name);
    if (r == NULL || store_subjects_of(s, r->scope, &subs) == 0)
        fail_msg("%s: no rule '%s', or nothing that it could judge", host, name);
    if (whole.len < span_trim(id).len && (sub == NULL || sub->kind != r->scope))
        fail_msg("%s: '%.*s' is no subject of '%s'", host, SPAN_ARG(label), name);
    engine_judge_one(&lib->rs, s, r, sub != NULL ? sub : subs[0], a, &f);
    bool level = severity.len == 0 || span_eq_text(severity, severity_name(f.severity));
    if (span_eq_text(verdict, verdict_name(f.verdict)) && level)
        return 0;
    (void)fprintf(stderr, "%s: %s: expected %.*s %.*s, got %s %s\n", host, name, SPAN_ARG(verdict),
                  SPAN_ARG(severity), verdict_name(f.verdict), severity_name(f.severity));
    for (size_t i = 0; i < f.n_blockers; i++)
        (void)fprintf(stderr, "    missing %s: %s\n", f.blockers[i].name,
                      f.blockers[i].fact->reason);
    return 1;
}

static unsigned check_host(const struct rulelib *lib, const char *host)
{
    ARENA_AUTO a = arena_new();
    struct span text, line;
    unsigned bad = 0;
    struct store *s = rulelib_host(lib, a, host, &text);
    engine_derive(&lib->rs, s);
    while (span_line(&text, &line)) {
        if (span_starts(line, "#!"))
            bad += check_line(lib, a, s, host, line);
    }
    return bad;
}

static void test_hosts(void **state)
{
    struct rulelib *lib = *state;
    unsigned bad = 0;
    for (size_t i = 0; rulelib_hosts[i] != NULL; i++)
        bad += check_host(lib, rulelib_hosts[i]);
    assert_int_equal(bad, 0);
}

int main(void)
{
    struct rulelib lib;
    rulelib_open(&lib);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_hosts, &lib),
    };
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(lib.a);
    return rc;
}
