/* What explains a result: the facts that decided it, those that keep it undecided, its arithmetic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/rules/toy.h"

#include "advisor/base/banned.h"

struct eval_row {
    const char *text;
    const char *result;
};

typedef size_t explain_fn(const struct expr *e, const struct eval_env *env,
                          const struct eval_input **ret);

static void run_inputs(explain_fn *explain, const struct eval_row *rows, size_t n, bool decided)
{
    ARENA_AUTO a = arena_new();
    const struct decl_set *const decls = toy_decls(a);
    const struct expr_names names = toy_names(decls, SUBJECT_SERVER);
    struct toy_world w;
    toy_fill(a, &w);
    const struct eval_env env = toy_env(&w, a);
    for (size_t i = 0; i < n; i++) {
        const struct eval_input *inputs = NULL;
        const size_t n_inputs = explain(toy_parse(a, &names, rows[i].text), &env, &inputs);
        struct buf b;
        buf_init(&b, a, 1000);
        for (size_t k = 0; k < n_inputs; k++) {
            assert_int_equal(inputs[k].decided, decided);
            buf_printf(&b, "%s%s", k > 0 ? " " : "", inputs[k].ref->name);
        }
        if (!span_eq_text(buf_span(&b), rows[i].result)) {
            fail_msg("%s: '%.*s', want '%s'", rows[i].text, SPAN_ARG(buf_span(&b)),
                     rows[i].result);
        }
    }
}

static void test_blockers(void **state)
{
    static const struct eval_row rows[] = {
        {"server.dedicated", ""},
        {"server.is_replica", "server.is_replica"},
        {"server.is_replica && data.flush_needed", ""},
        {"server.is_replica && server.dedicated", "server.is_replica"},
        {"server.is_replica || server.bp.size_in_force > server.redo.capacity",
         "server.is_replica server.bp.size_in_force"},
        {"(server.is_replica || server.dedicated) && server.bp.size_in_force > 1B",
         "server.bp.size_in_force"},
        {"undo.fs.type == xfs && undo.fs.type != zfs", "undo.fs.type"},
        {"max(server.bp.size_in_force, undo.fs.free_bytes) > server.redo.capacity",
         "server.bp.size_in_force undo.fs.free_bytes"},
        {"case(data.flush_needed: undo.fs.free_bytes, server.is_replica: server.bp.size_in_force, "
         "else: server.redo.capacity) > 1B",
         "server.is_replica server.bp.size_in_force"},
        {"case(server.dedicated: server.bp.size_in_force, server.is_replica: 1B, else: 2B)",
         "server.bp.size_in_force"},
        {"1 / 0 > 1", ""},
        {"1 / 0 > 1 && server.is_replica", "server.is_replica"},
    };
    (void)state;
    run_inputs(eval_blockers, rows, ARRAY_LEN(rows), false);
}

static void test_evidence(void **state)
{
    static const struct eval_row rows[] = {
        {"server.dedicated", "server.dedicated"},
        {"server.is_replica", ""},
        {"server.dedicated && server.redo.capacity <= 128MiB",
         "server.dedicated server.redo.capacity"},
        {"server.dedicated && data.flush_needed && server.is_replica", "data.flush_needed"},
        {"server.is_replica || server.dedicated || data.flush_needed", "server.dedicated"},
        {"!(data.flush_needed || server.redo.capacity > 1GiB)",
         "data.flush_needed server.redo.capacity"},
        {"case(data.flush_needed: server.cpu.available, server.dedicated: param.share, else: "
         "server.redo.age_ratio) < 1",
         "data.flush_needed server.dedicated param.share"},
        {"server.redo.capacity in {128MiB} && data.role has data",
         "server.redo.capacity data.role"},
        {"server.redo.capacity > 1B && server.redo.capacity < plan.memory.pool_target",
         "server.redo.capacity plan.memory.pool_target"},
    };
    (void)state;
    run_inputs(eval_evidence, rows, ARRAY_LEN(rows), true);
}

static void test_shown_arithmetic(void **state)
{
    static const struct eval_row rows[] = {
        {"clamp(max(server.redo.capacity, plan.memory.pool_target) / 2, 512MiB, 2GiB)",
         "clamp(max(128 MiB, 19 GiB) / 2, 512 MiB, 2 GiB) = 2 GiB"},
        {"clamp(max(server.redo.capacity, server.bp.size_in_force) / 2, 512MiB, 2GiB)",
         "clamp(max(128 MiB, unknown) / 2, 512 MiB, 2 GiB) = unknown"},
        {"min(20000/s, grid125(0.375 * data.bench.flush.rate))",
         "min(20,000/s, grid125(0.375 x 31,000/s)) = 10,000/s"},
        {"plan.memory.pool_target", "19 GiB"},
        {"case(server.dedicated: plan.memory.pool_target, else: 1GiB)", "19 GiB"},
        {"2 * case(server.dedicated: plan.memory.pool_target - 1GiB, else: 1GiB)",
         "2 x (19 GiB - 1 GiB) = 36 GiB"},
        {"case(server.is_replica: 1GiB, else: 2GiB)", "unknown"},
        {"(plan.memory.pool_target - 1GiB) * (1 - param.share)",
         "(19 GiB - 1 GiB) x (1 - 25 %) = 13.50 GiB"},
        {"server.redo.capacity / server.uptime",
         "128 MiB / 0 s = division by zero in 'server.redo.capacity / server.uptime'"},
        {"server.redo.capacity > 1GiB", "128 MiB > 1 GiB = false"},
        {"server.memory.limit * 80%", "unlimited x 80 % = unlimited"},
        {"server.var.innodb_flush_method", "O_DIRECT"},
    };
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct decl_set *const decls = toy_decls(a);
    const struct expr_names names = toy_names(decls, SUBJECT_SERVER);
    struct toy_world w;
    toy_fill(a, &w);
    const struct eval_env env = toy_env(&w, a);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct buf b;
        buf_init(&b, a, 1000);
        eval_arithmetic(&b, toy_parse(a, &names, rows[i].text), &env);
        assert_string_equal(span_dup(a, buf_span(&b)), rows[i].result);
    }
}

/* Text from a server cannot drive the terminal. */
static void test_shown_escaped(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct decl_set *const decls = toy_decls(a);
    const struct expr_names names = toy_names(decls, SUBJECT_SERVER);
    struct toy_world w = {0};
    toy_set(a, &w, "server.process.comm", KIND_STRING, "x");
    w.facts[0].fact.value = value_text(KIND_STRING, span_of("a\x1b[2J\nb"));
    const struct eval_env env = toy_env(&w, a);
    struct buf b;
    buf_init(&b, a, 1000);
    eval_arithmetic(&b, toy_parse(a, &names, "server.process.comm"), &env);
    assert_string_equal(span_dup(a, buf_span(&b)), "a\\x1b[2J\\x0ab");
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blockers),
        cmocka_unit_test(test_evidence),
        cmocka_unit_test(test_shown_arithmetic),
        cmocka_unit_test(test_shown_escaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
