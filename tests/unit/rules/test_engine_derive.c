/* The engine: derived facts, estimates, texts with names filled in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/rules/engine_world.h"

#include "advisor/base/banned.h"

#define RULE SERVER_RULE("fails = server.sampled > 5/s\nneeds = sample\nseverity = low")
#define DECL(name, kind) "[" name "]\nscope = server\nkind = " kind "\nmeaning = m\n"

static const struct fact *get(struct world *w, const struct subject *sub, const char *name)
{
    const struct fact *f = store_get(w->s, sub, span_of(name));
    assert_non_null(f);
    return f;
}

static void test_chain_of_derived_facts(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, RULE,
               DECL("server.c", "bytes") "formula = 2 * server.d\n"
               DECL("server.d", "bytes") "formula = server.size + host.total\n");
    world_set(&w, w.server, "server.size", "1KiB");
    engine_derive(&w.rs, w.s);
    const struct fact *f = get(&w, w.server, "server.c");
    assert_int_equal(f->state, FACT_ABSENT);
    assert_non_null(strstr(f->reason, "needs server.d: needs host.total"));
    assert_true(f->derived);
    world_set(&w, w.host, "host.total", "1KiB");
    engine_derive(&w.rs, w.s); /* computed anew */
    f = get(&w, w.server, "server.c");
    assert_int_equal(f->state, FACT_KNOWN);
    assert_int_equal(num_cmp(f->value.num, num_u64(4096)), 0);
    assert_int_equal(f->value.kind, KIND_BYTES);
    assert_string_equal(f->source, "computed: 2 * server.d");
    world_close(&w);
}

static void test_what_is_stated_stays(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, RULE, DECL("server.c", "bytes") "formula = server.size\n");
    world_set(&w, w.server, "server.size", "1KiB");
    world_set(&w, w.server, "server.c", "?unreadable");
    engine_derive(&w.rs, w.s);
    assert_int_equal(get(&w, w.server, "server.c")->state, FACT_UNREADABLE);
    world_set(&w, w.server, "server.c", "7B");
    engine_derive(&w.rs, w.s);
    assert_int_equal(num_cmp(get(&w, w.server, "server.c")->value.num, num_u64(7)), 0);
    world_close(&w);
}

static void test_gaps_that_were_filled_are_computed(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, RULE, DECL("server.c", "bytes") "formula = server.size\n");
    world_set(&w, w.server, "server.size", "1KiB");
    store_fill_missing(w.s);
    engine_derive(&w.rs, w.s);
    assert_int_equal(get(&w, w.server, "server.c")->state, FACT_KNOWN);
    world_close(&w);
}

/* The reason that somebody can mend goes before those that nobody can. */
static void test_state_of_an_unknown(void **state)
{
    (void)state;
    static const struct {
        const char *size, *total;
        enum fact_state state;
    } table[] = {
        {"?not supported", "?not supported", FACT_NOT_SUPPORTED},
        {"?not supported", "?not measured", FACT_NOT_MEASURED},
        {"?not permitted", "?not measured", FACT_NOT_PERMITTED},
        {"?absent", "?timed out", FACT_TIMED_OUT},
        {"?crashed", "?not permitted", FACT_CRASHED},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct world w;
        world_open(&w, RULE, DECL("server.c", "bytes") "formula = server.size + host.total\n");
        world_set(&w, w.server, "server.size", table[i].size);
        world_set(&w, w.host, "host.total", table[i].total);
        engine_derive(&w.rs, w.s);
        const struct fact *f = get(&w, w.server, "server.c");
        if (f->state != table[i].state)
            fail_msg("row %zu: %s", i, fact_state_name(f->state));
        assert_string_equal(f->remedy, "mend it");
        world_close(&w);
    }
}

static void test_error_is_unreadable(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, RULE, DECL("server.c", "bytes") "formula = server.size / server.count\n");
    world_set(&w, w.server, "server.size", "1KiB");
    world_set(&w, w.server, "server.count", "0");
    engine_derive(&w.rs, w.s);
    const struct fact *f = get(&w, w.server, "server.c");
    assert_int_equal(f->state, FACT_UNREADABLE);
    assert_non_null(strstr(f->reason, "zero"));
    world_close(&w);
}

static void test_applies(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, RULE,
               DECL("server.c", "bytes") "applies = server.a\nformula = server.size\n");
    world_set(&w, w.server, "server.size", "1KiB");
    engine_derive(&w.rs, w.s);
    assert_int_equal(get(&w, w.server, "server.c")->state, FACT_ABSENT);
    world_set(&w, w.server, "server.a", "false");
    engine_derive(&w.rs, w.s);
    assert_int_equal(get(&w, w.server, "server.c")->state, FACT_NOT_SUPPORTED);
    world_set(&w, w.server, "server.a", "true");
    engine_derive(&w.rs, w.s);
    assert_int_equal(get(&w, w.server, "server.c")->state, FACT_KNOWN);
    world_close(&w);
}

#define FOLDED "[volume.spins]\nscope = volume\nkind = bool\nmeaning = m\nfold = any\nof = device.spins\n"

static void test_fold_over_leaves(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, RULE, FOLDED);
    world_set(&w, w.d1, "device.spins", "false");
    engine_derive(&w.rs, w.s);
    assert_int_equal(get(&w, w.volume, "volume.spins")->state, FACT_ABSENT);
    world_set(&w, w.d2, "device.spins", "true");
    engine_derive(&w.rs, w.s);
    assert_true(get(&w, w.volume, "volume.spins")->value.boolean);
    world_set(&w, w.volume, "volume.leaf_devices", "{d1}");
    engine_derive(&w.rs, w.s);
    assert_false(get(&w, w.volume, "volume.spins")->value.boolean);
    world_set(&w, w.volume, "volume.leaf_devices", "?timed out");
    engine_derive(&w.rs, w.s);
    assert_int_equal(get(&w, w.volume, "volume.spins")->state, FACT_TIMED_OUT);
    world_set(&w, w.volume, "volume.leaf_devices", "{}");
    engine_derive(&w.rs, w.s);
    assert_int_equal(get(&w, w.volume, "volume.spins")->state, FACT_NOT_SUPPORTED);
    world_close(&w);
}

/* Over what another set of the volume names, whatever its leaves are. */
static void test_fold_over_a_set(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, RULE, FOLDED "over = volume.log_devices\n");
    world_set(&w, w.d1, "device.spins", "false");
    world_set(&w, w.d2, "device.spins", "true");
    engine_derive(&w.rs, w.s);
    assert_int_equal(get(&w, w.volume, "volume.spins")->state, FACT_ABSENT);
    world_set(&w, w.volume, "volume.log_devices", "{d1}");
    engine_derive(&w.rs, w.s);
    assert_false(get(&w, w.volume, "volume.spins")->value.boolean);
    world_set(&w, w.volume, "volume.log_devices", "{d1, d2}");
    engine_derive(&w.rs, w.s);
    assert_true(get(&w, w.volume, "volume.spins")->value.boolean);
    world_set(&w, w.volume, "volume.log_devices", "{d1, d9}");
    engine_derive(&w.rs, w.s);
    assert_int_equal(get(&w, w.volume, "volume.spins")->state, FACT_ABSENT);
    world_set(&w, w.volume, "volume.log_devices", "?timed out");
    engine_derive(&w.rs, w.s);
    assert_int_equal(get(&w, w.volume, "volume.spins")->state, FACT_TIMED_OUT);
    world_set(&w, w.volume, "volume.log_devices", "{}");
    engine_derive(&w.rs, w.s);
    assert_int_equal(get(&w, w.volume, "volume.spins")->state, FACT_NOT_SUPPORTED);
    world_close(&w);
}

/* ---- estimates ---- */

#define ESTIMATE                                                                                   \
    DECL("est.sampled", "rate") "model = mean-to-peak\ntwin = server.sampled\n"                    \
    "formula = max(server.sampled, 3 * server.mean)\notherwise = 3 * server.mean\n"                \
    "otherwise_when = server.a\n"

static void test_otherwise(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, RULE, ESTIMATE);
    world_set(&w, w.server, "server.mean", "2/s");
    engine_derive(&w.rs, w.s);
    assert_int_equal(get(&w, w.server, "est.sampled")->state, FACT_NOT_MEASURED);
    world_set(&w, w.server, "server.a", "true");
    engine_derive(&w.rs, w.s);
    const struct fact *f = get(&w, w.server, "est.sampled");
    assert_int_equal(num_cmp(f->value.num, num_u64(6)), 0);
    assert_true(f->estimated);
    assert_string_equal(f->source, "model mean-to-peak");
    /* Looked and could not see is no wait for a measurement. */
    world_set(&w, w.server, "server.sampled", "?not permitted");
    engine_derive(&w.rs, w.s);
    assert_int_equal(get(&w, w.server, "est.sampled")->state, FACT_NOT_PERMITTED);
    world_close(&w);
}

static void test_a_verdict_never_comes_from_an_estimate(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, RULE, ESTIMATE);
    world_set(&w, w.server, "server.mean", "2/s");
    world_set(&w, w.server, "server.a", "true");
    struct finding f = world_judge(&w, "r", w.server);
    assert_int_equal(f.verdict, VERDICT_NOT_MEASURED);
    assert_non_null(strstr(f.estimated, "would fail"));
    assert_non_null(strstr(f.estimated, "6/s"));
    assert_non_null(strstr(f.estimated, "mean-to-peak"));
    world_set(&w, w.server, "server.mean", "1/s");
    f = world_judge(&w, "r", w.server);
    assert_int_equal(f.verdict, VERDICT_NOT_MEASURED);
    assert_non_null(strstr(f.estimated, "would pass"));
    world_close(&w);
}

static void test_rests_on_an_estimate(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, SERVER_RULE("fails = est.x > 1KiB\nseverity = low"),
               DECL("est.x", "bytes") "model = guess\nformula = server.size\n");
    world_set(&w, w.server, "server.size", "1MiB");
    struct finding f = world_judge(&w, "r", w.server);
    assert_int_equal(f.verdict, VERDICT_FAIL);
    assert_string_equal(f.estimated, "rests on est.x (model guess)");
    world_close(&w);
}

/* ---- --set ---- */

static void test_what_rests_on_a_set_is_marked(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, SERVER_RULE("fails = server.c > 1KiB\nseverity = low"),
               DECL("server.c", "bytes") "formula = server.size\n");
    struct fact f = {.state = FACT_KNOWN, .value = value_u64(KIND_BYTES, 4096), .reason = "",
                     .remedy = "", .source = "--set", .overridden = true};
    store_set(w.s, w.server, "server.size", &f);
    assert_true(world_judge(&w, "r", w.server).overridden);
    f.overridden = false;
    store_set(w.s, w.server, "server.size", &f);
    assert_false(world_judge(&w, "r", w.server).overridden);
    world_close(&w);
}

/* ---- texts ---- */

static void test_fill(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, SERVER_RULE("param.p = ratio 50% 0% 100% m\nfails = server.size > param.p * 1KiB\n"
                               "severity = low"), NULL);
    world_set(&w, w.server, "server.size", "1KiB");
    world_set(&w, w.server, "server.name", "{{server.count}}");
    world_set(&w, w.volume, "volume.kind", "x");
    static const struct {
        const char *text, *filled;
    } table[] = {
        {"", ""},
        {"no name", "no name"},
        {"{{server.size}} and {{ data.kind }}, {{param.p}}", "1 KiB and x, 50 %"},
        {"{{server.count}}", "unknown"},
        {"{{server.name}}", "{{server.count}}"}, /* a value is not filled again */
        {"{{nonsense", "{{nonsense"},
        {"{{no.such}}", "unknown"},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct eval_env env = engine_env(&w.rs, w.s, w.server, NULL, w.a);
        assert_string_equal(engine_fill(&env, &w.rs, SUBJECT_SERVER, table[i].text, w.a),
                            table[i].filled);
    }
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chain_of_derived_facts),
        cmocka_unit_test(test_what_is_stated_stays),
        cmocka_unit_test(test_gaps_that_were_filled_are_computed),
        cmocka_unit_test(test_state_of_an_unknown),
        cmocka_unit_test(test_error_is_unreadable),
        cmocka_unit_test(test_applies),
        cmocka_unit_test(test_fold_over_leaves),
        cmocka_unit_test(test_fold_over_a_set),
        cmocka_unit_test(test_otherwise),
        cmocka_unit_test(test_a_verdict_never_comes_from_an_estimate),
        cmocka_unit_test(test_rests_on_an_estimate),
        cmocka_unit_test(test_what_rests_on_a_set_is_marked),
        cmocka_unit_test(test_fill),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
