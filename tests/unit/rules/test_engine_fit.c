/* Raw values of a server given the declared kind; sums that do not fit; blockers for the plan. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rules/engine_int.h"
#include "tests/unit/rules/engine_world.h"

#include "advisor/base/banned.h"

static void test_fit_kind(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    static const struct {
        enum kind from;
        const char *raw;
        enum kind to;
        const char *allowed, *fitted; /* NULL: does not fit */
    } table[] = {
        {KIND_COUNT, "200", KIND_RATE, NULL, "200/s"},
        {KIND_COUNT, "4096", KIND_BYTES, NULL, "4KiB"},
        {KIND_STRING, "o_direct", KIND_ENUM, "fsync,O_DIRECT", "O_DIRECT"},
        {KIND_STRING, "", KIND_ENUM, "fsync,O_DIRECT", ""},
        {KIND_ENUM, "1", KIND_COUNT, NULL, "1"},
        {KIND_ENUM, "one", KIND_COUNT, NULL, NULL},
        {KIND_STRING, "ON", KIND_BOOL, NULL, "true"},
        {KIND_BOOL, "on", KIND_ENUM, "OFF,ON,fast", "ON"},
        {KIND_BOOL, "off", KIND_ENUM, "OFF,ON,fast", "OFF"},
        {KIND_BOOL, "on", KIND_COUNT, NULL, "1"},
        {KIND_COUNT, "0", KIND_BOOL, NULL, "false"},
        {KIND_COUNT, "2", KIND_BOOL, NULL, "true"},
        {KIND_BOOL, "on", KIND_BOOL, NULL, "true"},
        {KIND_VERSION, "8.0.30", KIND_BYTES, NULL, NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        const struct fact_decl decl = {.name = "x", .kind = table[i].to,
                                       .allowed = table[i].allowed};
        struct err err = ERR_INIT;
        struct value raw, got;
        if (table[i].raw[0] == '\0')
            raw = value_text(table[i].from, SPAN_LIT(""));
        else
            assert_true(value_read(a, table[i].from, NULL, true, span_of(table[i].raw), &raw, &err));
        bool ok = engine_fit_kind(a, &decl, &raw, &got);
        if (ok != (table[i].fitted != NULL))
            fail_msg("row %zu %s", i, ok ? "fits" : "does not fit");
        if (!ok)
            continue;
        struct buf b;
        buf_init(&b, a, 100);
        if (got.kind == KIND_ENUM)
            buf_add_span(&b, got.text);
        else
            value_print_literal(&b, &got);
        assert_int_equal(got.kind, table[i].to);
        assert_true(span_eq_text(buf_span(&b), table[i].fitted));
    }
}

static void test_rules_see_the_declared_kind(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, SERVER_RULE("fails = server.size > 1KiB\nseverity = low"), NULL);
    store_known(w.s, w.server, "server.size", value_u64(KIND_COUNT, 4096), "test");
    struct finding f = world_judge(&w, "r", w.server);
    assert_int_equal(f.verdict, VERDICT_FAIL);
    assert_int_equal(f.evidence[0].fact->value.kind, KIND_BYTES);
    store_known(w.s, w.server, "server.size", value_text(KIND_STRING, SPAN_LIT("much")), "test");
    f = world_judge(&w, "r", w.server);
    assert_int_equal(f.verdict, VERDICT_UNKNOWN);
    assert_int_equal(f.blockers[0].fact->state, FACT_UNREADABLE);
    world_close(&w);
}

static void test_a_sum_that_does_not_fit(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, SERVER_RULE("fails = data.sum > 1KiB\nseverity = low"), NULL);
    struct subject *v = store_subject(w.s, SUBJECT_VOLUME, "volume:a:data2");
    v->server = w.server;
    v->roles = ROLE_DATA;
    const nv_u128 most = ~(nv_u128)0;
    store_known(w.s, w.volume, "volume.sum", value_num(KIND_BYTES, num_u128(most)), "test");
    store_known(w.s, v, "volume.sum", value_u64(KIND_BYTES, 1), "test");
    struct finding f = world_judge(&w, "r", w.server);
    assert_int_equal(f.verdict, VERDICT_UNKNOWN);
    assert_non_null(strstr(f.blockers[0].fact->reason, "out of range"));
    world_close(&w);
}

static void test_blockers(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, SERVER_RULE("fails = server.size > 1KiB && server.a\nseverity = low"), NULL);
    world_set(&w, w.server, "server.a", "?not permitted");
    struct eval_env env = engine_env(&w.rs, w.s, w.server, NULL, w.a);
    struct evidence *e;
    const struct expr *fails = ruleset_find(&w.rs, "r")->fails;
    assert_int_equal(engine_blockers(fails, &env, w.a, &e), 2);
    assert_string_equal(e[1].name, "server.a");
    assert_string_equal(e[1].fact->remedy, "mend it");
    assert_string_equal(e[1].decl->name, "server.a");
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fit_kind),
        cmocka_unit_test(test_rules_see_the_declared_kind),
        cmocka_unit_test(test_a_sum_that_does_not_fit),
        cmocka_unit_test(test_blockers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
