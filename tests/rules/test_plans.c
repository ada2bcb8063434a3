/* The plans of whole hosts, against plans that were worked by hand: tests/rules/hosts/NAME.plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "advisor/base/file.h"
#include "tests/rules/planlib.h"

#include "advisor/base/banned.h"

/* The golden text in two halves, without its comment lines. */
static void read_golden(struct arena *a, const char *host, const char **ret_plan,
                        const char **ret_after)
{
    struct span text, line;
    struct err err = ERR_INIT;
    struct buf halves[2];
    unsigned at = 0;
    buf_init(&halves[0], a, 16384);
    buf_init(&halves[1], a, 16384);
    const char *path = arena_printf(a, NV_SOURCE_DIR "/tests/rules/hosts/%s.plan", host);
    if (!file_read(a, path, 16384, &text, &err))
        fail_msg("%s", err.text);
    while (span_line(&text, &line)) {
        if (span_eq_text(line, "after:"))
            at = 1;
        else if (!span_starts(line, "#"))
            buf_printf(&halves[at], "%.*s\n", SPAN_ARG(line));
    }
    *ret_plan = halves[0].ptr != NULL ? halves[0].ptr : "";
    *ret_after = halves[1].ptr != NULL ? halves[1].ptr : "";
}

static void check(const char *host, const char *what, const char *want, const char *got)
{
    if (strcmp(want, got) != 0)
        fail_msg("%s, %s: expected\n%sgot\n%s", host, what, want, got);
}

/* The same without the lines that are first steps. */
static const char *without_first_steps(struct arena *a, const char *text)
{
    struct span rest = span_of(text), line;
    struct buf b;
    buf_init(&b, a, 16384);
    while (span_line(&rest, &line)) {
        if (!span_starts(line, "first_step "))
            buf_printf(&b, "%.*s\n", SPAN_ARG(line));
    }
    return b.ptr != NULL ? b.ptr : "";
}

static void test_worked_hosts(void **state)
{
    static const char *const hosts[] = {"w4", "w5", "w6", "w7", "w8", "w9"};
    const struct rulelib *lib = *state;
    for (size_t i = 0; i < ARRAY_LEN(hosts); i++) {
        ARENA_AUTO a = arena_new();
        const char *plan, *after;
        struct plan *p;
        read_golden(a, hosts[i], &plan, &after);
        struct store *s = rulelib_host(lib, a, hosts[i], NULL);
        size_t n = planlib_make(lib, a, s, true, &p, NULL);
        check(hosts[i], "measured only", without_first_steps(a, plan), planlib_text(a, p, n, false));
        n = planlib_make(lib, a, s, false, &p, NULL);
        check(hosts[i], "plan", plan, planlib_text(a, p, n, false));
        for (size_t k = 0; k < n; k++) {
            assert_int_equal(p[k].n_refused, 0);
            plan_overlay(&p[k], s);
        }
        n = planlib_make(lib, a, s, false, &p, NULL);
        check(hosts[i], "after a restart", after, planlib_text(a, p, n, false));
    }
}

int main(void)
{
    struct rulelib lib;
    rulelib_open(&lib);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_worked_hosts, &lib),
    };
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(lib.a);
    return rc;
}
