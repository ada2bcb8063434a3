/* Evaluation: Kleene tables, comparisons, arithmetic, unlimited, versions, cases, odd stores. What
 * explains a result: test_explain.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/rules/toy.h"

#include "advisor/base/banned.h"

static void test_tables(void **state)
{
    static const enum tri F = TRI_FALSE, U = TRI_UNKNOWN, T = TRI_TRUE;
    const struct {
        enum tri a, b, and_, or_;
    } rows[] = {
        {F, F, F, F}, {F, U, F, U}, {F, T, F, T}, {U, F, F, U}, {U, U, U, U},
        {U, T, U, T}, {T, F, F, T}, {T, U, U, T}, {T, T, T, T},
    };
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_int_equal(tri_and(rows[i].a, rows[i].b), rows[i].and_);
        assert_int_equal(tri_or(rows[i].a, rows[i].b), rows[i].or_);
    }
    assert_int_equal(tri_not(F), T);
    assert_int_equal(tri_not(U), U);
    assert_int_equal(tri_not(T), F);
}

struct eval_row {
    const char *text;
    const char *result; /* as a literal; "unknown"; "error: …" */
};

static void run(const struct eval_row *rows, size_t n)
{
    ARENA_AUTO a = arena_new();
    const struct decl_set *const decls = toy_decls(a);
    const struct expr_names names = toy_names(decls, SUBJECT_SERVER);
    struct toy_world w;
    toy_fill(a, &w);
    const struct eval_env env = toy_env(&w, a);
    unsigned wrong = 0;
    for (size_t i = 0; i < n; i++) {
        const struct eval_result r = eval(toy_parse(a, &names, rows[i].text), &env);
        const char *const shown = toy_show(a, &r);
        if (strcmp(shown, rows[i].result) != 0) {
            print_error("%s\n  gives %s\n  want  %s\n", rows[i].text, shown, rows[i].result);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

/* true, false, unknown and error against each other, in both orders. */
static void test_logic(void **state)
{
    static const char *const side[4] = {"false", "server.is_replica", "true", "1 / 0 > 1"};
    static const char *const shown[4] = {"false", "unknown", "true",
                                         "error: division by zero in '1 / 0'"};
    static const unsigned and_[4][4] = {
        {0, 0, 0, 0}, {0, 1, 1, 3}, {0, 1, 2, 3}, {0, 3, 3, 3}};
    static const unsigned or_[4][4] = {
        {0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 2}, {3, 3, 2, 3}};
    (void)state;
    ARENA_AUTO a = arena_new();
    struct eval_row rows[36];
    size_t n = 0;
    for (size_t i = 0; i < 4; i++) {
        for (size_t j = 0; j < 4; j++) {
            rows[n++] = (struct eval_row){arena_printf(a, "%s && %s", side[i], side[j]),
                                          shown[and_[i][j]]};
            rows[n++] = (struct eval_row){arena_printf(a, "%s || %s", side[i], side[j]),
                                          shown[or_[i][j]]};
        }
        rows[n++] = (struct eval_row){arena_printf(a, "!(%s)", side[i]),
                                      shown[i == 3 ? 3 : 2 - i]};
    }
    assert_int_equal(n, 36);
    run(rows, n);
}

static void test_comparisons(void **state)
{
    static const struct eval_row rows[] = {
        {"server.redo.capacity <= 128MiB", "true"},
        {"server.redo.capacity < 128MiB", "false"},
        {"server.redo.capacity > 134217727B", "true"},
        {"server.redo.capacity >= 134217729B", "false"},
        {"server.redo.capacity == 0.125GiB", "true"},
        {"server.redo.capacity != 0.125GiB", "false"},
        {"server.version < 8.0.14", "false"},
        {"server.version >= 8.0.30", "true"},
        {"server.version < 8.4", "true"},
        {"server.version > 8.0", "true"},
        {"10.11 > server.version", "true"},
        {"8.4 < 9.7.0", "true"},
        {"server.version in {8.0.30, 8.4}", "true"},
        {"server.version in {8.0, 8.4}", "false"},
        {"server.flavour in {mysql, percona}", "true"},
        {"server.flavour not in {mysql, percona}", "false"},
        {"server.flavour == mariadb", "false"},
        {"server.var.innodb_flush_method == O_DIRECT", "true"},
        {"server.process.comm == \"mysqld\"", "true"},
        {"server.process.comm != \"mariadbd\"", "true"},
        {"server.process.comm in {\"maria*\", \"mysql*\"}", "true"},
        {"server.process.comm in {\"mysqld*\"}", "true"},
        {"server.process.comm in {\"mysqld-*\", \"ysqld*\"}", "false"},
        {"server.process.comm in {\"*\"}", "true"},
        {"server.process.comm == \"mysql*\"", "false"},
        {"server.dedicated", "true"},
        {"server.dedicated == true", "true"},
        {"server.dedicated == OFF", "false"},
        {"server.dedicated != data.flush_needed", "true"},
        {"data.role has redo", "true"},
        {"data.role has tmp", "false"},
        {"server.plugins has innodb", "true"},
        {"server.cpu.available in {4, 7}", "true"},
        {"server.redo.age_ratio in {0.75}", "true"},
        {"server.redo.age_ratio >= 75%", "true"},
        {"server.is_replica == true", "unknown"},
        {"server.is_replica == server.is_replica", "unknown"},
        {"server.bp.size_in_force > 1GiB", "unknown"},
        {"server.bp.size_in_force in {1GiB}", "unknown"},
        {"undo.fs.type == xfs", "unknown"}, /* no such subject */
        {"undo.role has tmp", "unknown"},
        {"server.bp.size_in_force > 1GiB / 0", "error: division by zero in '1GiB / 0'"},
    };
    (void)state;
    run(rows, ARRAY_LEN(rows));
}

static void test_arithmetic(void **state)
{
    static const struct eval_row rows[] = {
        {"server.redo.write_rate * 3600s / 0.75", "28800MiB"},
        {"server.redo.capacity / server.redo.write_rate > 21s", "true"},
        {"server.cpu.available / 2", "3.5"},
        {"floor(server.cpu.available / 2)", "3"},
        {"floor(-3.5)", "-4"},
        {"-server.cpu.available + 1", "-6"},
        {"2 + 3 * 4 - 5", "9"},
        {"(2 + 3) * 4", "20"},
        {"10 - 4 - 3", "3"},
        {"24 / 4 / 3", "2"},
        {"min(3, 1, 2)", "1"},
        {"min(3, 5, 7, 1, 2, 9)", "1"},
        {"max(3, 1, 2)", "3"},
        {"max(1GiB, server.bp.size_in_force)", "unknown"},
        {"min(0B, server.bp.size_in_force)", "unknown"},
        {"0 * server.bp.size_in_force", "unknown"},
        {"clamp(5, 1, 3)", "3"},
        {"clamp(0, 1, 3)", "1"},
        {"clamp(2, 1, 3)", "2"},
        {"clamp(2, 5, 3)", "3"}, /* lo > hi: hi wins */
        {"clamp(server.bp.size_in_force, 1GiB, 1GiB)", "unknown"},
        {"floor_to(1100MiB, 512MiB)", "1GiB"},
        {"ceil_to(1100MiB, 512MiB)", "1536MiB"},
        {"ceil_to(1GiB, 512MiB)", "1GiB"},
        {"floor_to(0B, 1GiB)", "0B"},
        {"floor_to(-7, 4)", "-8"},
        {"ceil_to(-7, 4)", "-4"},
        {"floor_to(0.3, 0.1) == ceil_to(0.3, 0.1)", "true"},
        {"floor_to(2.75, 0.5)", "2.5"},
        {"ceil_to(2.75, 0.5)", "3"},
        {"floor_to(1, 0)", "error: division by zero in 'floor_to(1, 0)'"},
        {"ceil_to(1, -1)",
         "error: a step that is not above zero and finite in 'ceil_to(1, -1)'"},
        {"grid125(0)", "0"},
        {"grid125(0.75)", "0"},
        {"grid125(1)", "1"},
        {"grid125(4.9)", "2"},
        {"grid125(5)", "5"},
        {"grid125(9.99)", "5"},
        {"grid125(10)", "10"},
        {"grid125(11625)", "10000"},
        {"grid125(0.375 * data.bench.flush.rate)", "10000/s"},
        {"grid125(199999/s)", "100000/s"},
        {"grid125(-1)", "error: a negative number on a grid in 'grid125(-1)'"},
        {"pow2(0)", "0"},
        {"pow2(1)", "1"},
        {"pow2(7)", "4"},
        {"pow2(8)", "8"},
        {"pow2(1023MiB)", "512MiB"},
        {"pow2(3.99)", "2"},
        {"pow2(1e300)", "error: overflow in 'pow2(1e+300)'"},
        {"grid125(1e300)", "error: overflow in 'grid125(1e+300)'"},
        {"floor_to(1e300, 1e-300)", "error: overflow in 'floor_to(1e+300, 1e-300)'"},
        {"pow2(-2)", "error: a negative number on a grid in 'pow2(-2)'"},
        {"1 / 0", "error: division by zero in '1 / 0'"},
        {"server.redo.capacity / server.uptime",
         "error: division by zero in 'server.redo.capacity / server.uptime'"},
        {"server.bp.size_in_force + 1GiB * (1 / 0)", "error: division by zero in '1 / 0'"},
        {"min(server.cpu.available, 1 / 0)", "error: division by zero in '1 / 0'"},
        {"1e300 * 1e300", "error: overflow in '1e+300 * 1e+300'"},
        {"340282366920938463463374607431768211455 + 1",
         "error: overflow in '340282366920938463463374607431768211455 + 1'"},
        {"340282366920938463463374607431768211455 - 1 == "
         "340282366920938463463374607431768211454", "true"},
        {"pow2(340282366920938463463374607431768211455)",
         "170141183460469231731687303715884105728"},
        {"grid125(340282366920938463463374607431768211455)",
         "200000000000000000000000000000000000000"},
        {"ceil_to(340282366920938463463374607431768211455, 2)",
         "error: overflow in 'ceil_to(340282366920938463463374607431768211455, 2)'"},
        {"param.share * plan.memory.pool_target", "4864MiB"},
    };
    (void)state;
    run(rows, ARRAY_LEN(rows));
}

static void test_unlimited(void **state)
{
    static const struct eval_row rows[] = {
        {"server.memory.limit == unlimited", "true"},
        {"server.redo.capacity == unlimited", "false"},
        {"server.memory.limit > 1024PiB", "true"},
        {"server.redo.capacity < unlimited", "true"},
        {"min(server.memory.limit, 1GiB)", "1GiB"},
        {"max(server.memory.limit, 1GiB)", "unlimited"},
        {"server.memory.limit + 1GiB", "unlimited"},
        {"2 * server.memory.limit", "unlimited"},
        {"server.redo.capacity / server.memory.limit", "0%"},
        {"clamp(server.memory.limit, 1GiB, 2GiB)", "2GiB"},
        {"floor_to(server.memory.limit, 1GiB)", "unlimited"},
        {"grid125(server.memory.limit)", "unlimited"},
        {"floor(server.memory.limit)", "unlimited"},
        {"server.memory.limit - server.memory.limit",
         "error: no defined result with unlimited in 'server.memory.limit - "
         "server.memory.limit'"},
        {"0 * server.memory.limit",
         "error: no defined result with unlimited in '0 * server.memory.limit'"},
        {"floor_to(1GiB, server.memory.limit)",
         "error: a step that is not above zero and finite in 'floor_to(1GiB, "
         "server.memory.limit)'"},
        {"server.memory.limit in {unlimited}", "true"},
    };
    (void)state;
    run(rows, ARRAY_LEN(rows));
}

static void test_cases(void **state)
{
    static const struct eval_row rows[] = {
        {"case(server.dedicated: 1, else: 2)", "1"},
        {"case(!server.dedicated: 1, else: 2)", "2"},
        {"case(data.flush_needed: 1, server.dedicated: 2, else: 3)", "2"},
        {"case(server.is_replica: 1, else: 2)", "unknown"},
        {"case(server.is_replica: 1, else: 1)", "unknown"},
        {"case(server.dedicated: 1, server.is_replica: 2, else: 3)", "1"},
        {"case(server.dedicated: server.bp.size_in_force, else: 1B)", "unknown"},
        {"case(data.flush_needed: server.bp.size_in_force, else: 1B)", "1B"},
        {"case(1 / 0 > 1: 1, else: 2)", "error: division by zero in '1 / 0'"},
        {"case(server.dedicated: 1, 1 / 0 > 1: 2, else: 3)", "1"},
        {"case(server.version < 8.0: xfs, else: ext4) == data.fs.type", "false"},
        {"case(server.dedicated: server.is_replica, else: true)", "unknown"},
    };
    (void)state;
    run(rows, ARRAY_LEN(rows));
}

/* A store that holds something else than declared: an error, never a guess; but for kinds that differ in
 * how they print only. */
static void test_kind_mismatch(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct decl_set *const decls = toy_decls(a);
    const struct expr_names names = toy_names(decls, SUBJECT_SERVER);
    struct toy_world w = {0};
    toy_set(a, &w, "server.redo.capacity", KIND_COUNT, "1024");
    toy_set(a, &w, "server.redo.age_ratio", KIND_COUNT, "1");
    toy_set(a, &w, "server.flavour", KIND_STRING, "mysql");
    toy_set(a, &w, "server.dedicated", KIND_STRING, "ON");
    toy_set(a, &w, "server.plugins", KIND_SET, "{innodb}");
    toy_set(a, &w, "server.version", KIND_STRING, "8.0.30");
    static const struct eval_row rows[] = {
        {"server.redo.capacity > 1B",
         "error: a value of another kind than declared in 'server.redo.capacity'"},
        {"server.redo.age_ratio > 50%", "true"},
        {"server.flavour == mysql", "true"},
        {"!server.dedicated",
         "error: a value of another kind than declared in 'server.dedicated'"},
        {"server.plugins has innodb", "true"},
        {"server.version > 8.0",
         "error: a value of another kind than declared in 'server.version'"},
    };
    const struct eval_env env = toy_env(&w, a);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct eval_result r = eval(toy_parse(a, &names, rows[i].text), &env);
        assert_string_equal(toy_show(a, &r), rows[i].result);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),      cmocka_unit_test(test_logic),
        cmocka_unit_test(test_comparisons), cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_unlimited),   cmocka_unit_test(test_cases),
        cmocka_unit_test(test_kind_mismatch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
