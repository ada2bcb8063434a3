/* The engine: verdicts, severities, folds, relatives. Derived facts and texts: test_engine_derive.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/rules/engine_world.h"

#include "advisor/base/banned.h"

#define assert_verdict(f, v) assert_string_equal(verdict_name((f).verdict), verdict_name(v))

/* ---- verdicts ---- */

static void test_truth_table(void **state)
{
    (void)state;
    static const struct {
        const char *applies, *fails;
        enum verdict verdict;
    } table[] = {
        {"true", "true", VERDICT_FAIL},  {"false", "true", VERDICT_NOT_APPLICABLE},
        {"true", "false", VERDICT_PASS}, {"false", "false", VERDICT_NOT_APPLICABLE},
        {"true", NULL, VERDICT_UNKNOWN}, {"false", NULL, VERDICT_NOT_APPLICABLE},
        {NULL, "true", VERDICT_UNKNOWN}, {NULL, "false", VERDICT_UNKNOWN},
        {NULL, NULL, VERDICT_UNKNOWN},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct world w;
        world_open(&w, SERVER_RULE("applies = server.a\nfails = server.b\nseverity = low"), NULL);
        if (table[i].applies != NULL)
            world_set(&w, w.server, "server.a", table[i].applies);
        if (table[i].fails != NULL)
            world_set(&w, w.server, "server.b", table[i].fails);
        struct finding f = world_judge(&w, "r", w.server);
        if (f.verdict != table[i].verdict)
            fail_msg("row %zu gives %s", i, verdict_name(f.verdict));
        world_close(&w);
    }
}

static void test_evidence_and_blockers(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, SERVER_RULE("applies = server.a\nfails = server.b && server.count > 3\n"
                               "severity = low"), NULL);
    world_set(&w, w.server, "server.a", "true");
    world_set(&w, w.server, "server.b", "true");
    struct finding f = world_judge(&w, "r", w.server);
    assert_verdict(f, VERDICT_UNKNOWN);
    assert_int_equal(f.n_blockers, 1);
    assert_string_equal(f.blockers[0].name, "server.count");
    assert_ptr_equal(f.blockers[0].subject, w.server);
    assert_int_equal(f.blockers[0].fact->state, FACT_ABSENT);
    world_set(&w, w.server, "server.count", "4");
    f = world_judge(&w, "r", w.server);
    assert_verdict(f, VERDICT_FAIL);
    assert_int_equal(f.n_evidence, 3);
    assert_string_equal(f.evidence[0].name, "server.a");
    assert_string_equal(f.evidence[2].name, "server.count");
    assert_int_equal(f.n_blockers, 0);
    world_close(&w);
}

static void test_an_error_is_no_verdict(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, SERVER_RULE("fails = server.size / server.count > 1B\nseverity = low"), NULL);
    world_set(&w, w.server, "server.size", "4KiB");
    world_set(&w, w.server, "server.count", "0");
    struct finding f = world_judge(&w, "r", w.server);
    assert_verdict(f, VERDICT_ERROR);
    assert_non_null(strstr(f.error, "zero"));
    world_close(&w);
}

/* ---- unknown, not measured, not applicable (R43) ---- */

static void test_unsupported_is_not_applicable(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, SERVER_RULE("fails = server.a && server.b\nseverity = low"), NULL);
    world_set(&w, w.server, "server.a", "?not supported");
    world_set(&w, w.server, "server.b", "?not supported");
    assert_verdict(world_judge(&w, "r", w.server), VERDICT_NOT_APPLICABLE);
    world_set(&w, w.server, "server.b", "?not permitted");
    assert_verdict(world_judge(&w, "r", w.server), VERDICT_UNKNOWN);
    world_close(&w);
}

static void test_not_measured_without_its_need(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, SERVER_RULE("fails = data.bench.rate < 5/s && server.a\nneeds = bench\n"
                               "severity = high"), NULL);
    world_set(&w, w.server, "server.a", "true");
    struct finding f = world_judge(&w, "r", w.server);
    assert_verdict(f, VERDICT_NOT_MEASURED);
    assert_int_equal(f.need, NEED_BENCH);
    assert_int_equal(f.severity, SEV_HIGH);
    /* Measured somewhere else, so the rule is selected: not knowing it here counts. */
    struct subject *other = store_subject(w.s, SUBJECT_VOLUME, "volume:b:data");
    world_set(&w, other, "bench.rate", "7/s");
    assert_verdict(world_judge(&w, "r", w.server), VERDICT_UNKNOWN);
    world_close(&w);
}

static void test_what_it_waits_for_must_be_the_need(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, SERVER_RULE("fails = data.bench.rate < 5/s || server.a\nneeds = sample\n"
                               "severity = low"), NULL);
    world_set(&w, w.server, "server.a", "?not permitted");
    assert_verdict(world_judge(&w, "r", w.server), VERDICT_UNKNOWN);
    world_close(&w);
}

static void test_root_is_what_the_run_held(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, "[r]\nscope = device\nfails = device.ill\nneeds = root\nseverity = critical"
               WORLD_TAIL, NULL);
    world_set(&w, w.d1, "device.ill", "?not permitted");
    assert_verdict(world_judge(&w, "r", w.d1), VERDICT_NOT_MEASURED);
    world_set(&w, w.host, "host.root", "false");
    assert_verdict(world_judge(&w, "r", w.d1), VERDICT_NOT_MEASURED);
    world_set(&w, w.host, "host.root", "true");
    assert_verdict(world_judge(&w, "r", w.d1), VERDICT_UNKNOWN);
    world_close(&w);
}

/* ---- severity ---- */

static void test_severity_steps(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, SERVER_RULE("fails = server.size > 1MiB\nseverity = critical when server.a,\n"
                               "  medium when server.b, low"), NULL);
    world_set(&w, w.server, "server.size", "2MiB");
    struct finding f = world_judge(&w, "r", w.server);
    assert_int_equal(f.severity, SEV_LOW);
    assert_string_equal(f.skipped_steps, "critical when server.a; medium when server.b");
    world_set(&w, w.server, "server.b", "true");
    f = world_judge(&w, "r", w.server);
    assert_int_equal(f.severity, SEV_MEDIUM);
    assert_string_equal(f.skipped_steps, "critical when server.a");
    assert_string_equal(f.evidence[f.n_evidence - 1].name, "server.b");
    world_set(&w, w.server, "server.a", "true");
    f = world_judge(&w, "r", w.server);
    assert_int_equal(f.severity, SEV_CRITICAL);
    assert_string_equal(f.skipped_steps, "");
    world_close(&w);
}

static void test_severity_of_an_unknown(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, SERVER_RULE("fails = server.size > 1MiB\nseverity = low when server.a,\n"
                               "  critical when server.b, medium"), NULL);
    assert_int_equal(world_judge(&w, "r", w.server).severity, SEV_CRITICAL);
    world_set(&w, w.server, "server.b", "false");
    assert_int_equal(world_judge(&w, "r", w.server).severity, SEV_MEDIUM);
    world_set(&w, w.server, "server.a", "true");
    assert_int_equal(world_judge(&w, "r", w.server).severity, SEV_LOW);
    world_close(&w);
}

/* ---- pairs of volume and leaf ---- */

#define PAIR_RULE                                                                                  \
    "[r]\nscope = volume\nfails = device.spins\nseverity = high when device.queues == 1, low"     \
    WORLD_TAIL

static void test_pairs(void **state)
{
    (void)state;
    static const struct {
        const char *one, *two;
        enum verdict verdict;
        unsigned leaf;
    } table[] = {
        {"false", "false", VERDICT_PASS, 1}, {"true", "false", VERDICT_FAIL, 1},
        {"false", "true", VERDICT_FAIL, 2},  {"false", "?timed out", VERDICT_UNKNOWN, 2},
        {"?timed out", "true", VERDICT_FAIL, 2},
        {"?not supported", "false", VERDICT_PASS, 2},
        {"?not supported", "?not supported", VERDICT_NOT_APPLICABLE, 1},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct world w;
        world_open(&w, PAIR_RULE, NULL);
        world_set(&w, w.d1, "device.spins", table[i].one);
        world_set(&w, w.d2, "device.spins", table[i].two);
        struct finding f = world_judge(&w, "r", w.volume);
        if (f.verdict != table[i].verdict || f.leaf != (table[i].leaf == 1 ? w.d1 : w.d2))
            fail_msg("row %zu: %s, %s", i, verdict_name(f.verdict), f.leaf->label);
        world_close(&w);
    }
}

static void test_the_worst_leaf_speaks(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, PAIR_RULE, NULL);
    world_set(&w, w.d1, "device.spins", "true");
    world_set(&w, w.d2, "device.spins", "true");
    world_set(&w, w.d1, "device.queues", "8");
    world_set(&w, w.d2, "device.queues", "1");
    struct finding f = world_judge(&w, "r", w.volume);
    assert_int_equal(f.severity, SEV_HIGH);
    assert_ptr_equal(f.leaf, w.d2);
    world_close(&w);
}

static void test_leaves_unknown_or_none(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, PAIR_RULE, NULL);
    world_set(&w, w.d1, "device.spins", "true");
    world_set(&w, w.volume, "volume.leaf_devices", "?not permitted");
    struct finding f = world_judge(&w, "r", w.volume);
    assert_verdict(f, VERDICT_UNKNOWN);
    assert_null(f.leaf);
    assert_string_equal(f.blockers[0].fact->remedy, "mend it");
    world_set(&w, w.volume, "volume.leaf_devices", "{}");
    assert_verdict(world_judge(&w, "r", w.volume), VERDICT_NOT_APPLICABLE);
    world_close(&w);
}

/* ---- several volumes of a role, and relatives ---- */

static struct subject *second_volume(struct world *w)
{
    struct subject *v = store_subject(w->s, SUBJECT_VOLUME, "volume:a:data2");
    v->server = w->server;
    v->roles = ROLE_DATA;
    return v;
}

static void test_folds_over_data_volumes(void **state)
{
    (void)state;
    static const struct {
        const char *fails, *fact, *one, *two;
        enum verdict verdict;
    } table[] = {
        {"data.good", "volume.good", "true", "true", VERDICT_FAIL},
        {"data.good", "volume.good", "true", "false", VERDICT_PASS},
        {"data.good", "volume.good", "true", "?absent", VERDICT_UNKNOWN},
        {"data.good", "volume.good", "false", "?absent", VERDICT_PASS},
        {"data.bad", "volume.bad", "true", "?absent", VERDICT_FAIL},
        {"data.bad", "volume.bad", "false", "?absent", VERDICT_UNKNOWN},
        {"data.bad", "volume.bad", "false", "false", VERDICT_PASS},
        {"data.free < 2KiB", "volume.free", "1KiB", "4KiB", VERDICT_FAIL},
        {"data.free < 2KiB", "volume.free", "1KiB", "?absent", VERDICT_UNKNOWN},
        {"data.used < 2KiB", "volume.used", "1KiB", "4KiB", VERDICT_PASS},
        {"data.sum == 5KiB", "volume.sum", "1KiB", "4KiB", VERDICT_FAIL},
        {"data.kind == \"x\"", "volume.kind", "x", "x", VERDICT_FAIL},
        {"data.kind == \"x\"", "volume.kind", "x", "y", VERDICT_UNKNOWN},
    };
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        char rule[512];
        (void)snprintf(rule, sizeof(rule), SERVER_RULE("severity = low\nfails = %s"),
                       table[i].fails);
        struct world w;
        world_open(&w, rule, NULL);
        world_set(&w, w.volume, table[i].fact, table[i].one);
        world_set(&w, second_volume(&w), table[i].fact, table[i].two);
        struct finding f = world_judge(&w, "r", w.server);
        if (f.verdict != table[i].verdict)
            fail_msg("row %zu gives %s", i, verdict_name(f.verdict));
        world_close(&w);
    }
}

static void test_volumes_that_differ_have_no_single_answer(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, SERVER_RULE("fails = data.kind == \"x\"\nseverity = low"), NULL);
    world_set(&w, w.volume, "volume.kind", "x");
    world_set(&w, second_volume(&w), "volume.kind", "y");
    struct finding f = world_judge(&w, "r", w.server);
    assert_non_null(strstr(f.blockers[0].fact->reason, "volume:a:data has x"));
    world_close(&w);
}

static void test_a_role_without_a_path_is_the_data_volume(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, SERVER_RULE("fails = undo.bad\nseverity = low"), NULL);
    world_set(&w, w.volume, "volume.bad", "true");
    struct finding f = world_judge(&w, "r", w.server);
    assert_verdict(f, VERDICT_FAIL);
    assert_ptr_equal(f.evidence[0].subject, w.volume);
    world_close(&w);
}

static void test_no_volume_is_unknown(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, SERVER_RULE("fails = data.bad\nseverity = low"), NULL);
    struct subject *other = store_subject(w.s, SUBJECT_SERVER, "server:b");
    assert_verdict(world_judge(&w, "r", other), VERDICT_UNKNOWN);
    world_close(&w);
}

static void test_servers_above_a_device(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, "[r]\nscope = device\nfails = server.a\nseverity = low" WORLD_TAIL, NULL);
    struct subject *b = store_subject(w.s, SUBJECT_SERVER, "server:b");
    struct subject *v = store_subject(w.s, SUBJECT_VOLUME, "volume:b:data");
    v->server = b;
    v->roles = ROLE_DATA;
    world_set(&w, v, "volume.leaf_devices", "{d2}");
    world_set(&w, w.server, "server.a", "false");
    world_set(&w, b, "server.a", "true");
    assert_verdict(world_judge(&w, "r", w.d1), VERDICT_PASS); /* server:a only */
    struct finding f = world_judge(&w, "r", w.d2);            /* any of both */
    assert_verdict(f, VERDICT_FAIL);
    assert_ptr_equal(f.evidence[0].subject, b);
    /* Where another volume ends is not known: it may end here. */
    world_set(&w, v, "volume.leaf_devices", "?timed out");
    assert_verdict(world_judge(&w, "r", w.d1), VERDICT_UNKNOWN);
    world_close(&w);
}

static void test_the_host_asks_all_servers(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, "[r]\nscope = host\nfails = server.size > 1MiB\nseverity = low" WORLD_TAIL, NULL);
    struct subject *b = store_subject(w.s, SUBJECT_SERVER, "server:b");
    world_set(&w, w.server, "server.size", "1KiB");
    assert_verdict(world_judge(&w, "r", w.host), VERDICT_UNKNOWN);
    world_set(&w, b, "server.size", "2MiB");
    assert_verdict(world_judge(&w, "r", w.host), VERDICT_FAIL);
    world_close(&w);
}

static void test_findings_are_in_order(void **state)
{
    (void)state;
    struct world w;
    struct findings all;
    world_open(&w,
               "[r-b]\nscope = device\nfails = device.spins\nseverity = low" WORLD_TAIL
               "[r-a]\nscope = server\nfails = server.a\nseverity = low" WORLD_TAIL
               "[r-c]\nalias = r-a\n[r-d]\nretired = gone\n", NULL);
    engine_judge(&w.rs, w.s, w.a, &all);
    assert_int_equal(all.n, 3);
    assert_string_equal(all.items[0].rule->id, "r-a");
    assert_string_equal(all.items[1].rule->id, "r-b");
    assert_string_equal(all.items[1].subject->label, "device:d1");
    assert_string_equal(all.items[2].subject->label, "device:d2");
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truth_table),
        cmocka_unit_test(test_evidence_and_blockers),
        cmocka_unit_test(test_an_error_is_no_verdict),
        cmocka_unit_test(test_unsupported_is_not_applicable),
        cmocka_unit_test(test_not_measured_without_its_need),
        cmocka_unit_test(test_what_it_waits_for_must_be_the_need),
        cmocka_unit_test(test_root_is_what_the_run_held),
        cmocka_unit_test(test_severity_steps),
        cmocka_unit_test(test_severity_of_an_unknown),
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_the_worst_leaf_speaks),
        cmocka_unit_test(test_leaves_unknown_or_none),
        cmocka_unit_test(test_folds_over_data_volumes),
        cmocka_unit_test(test_volumes_that_differ_have_no_single_answer),
        cmocka_unit_test(test_a_role_without_a_path_is_the_data_volume),
        cmocka_unit_test(test_no_volume_is_unknown),
        cmocka_unit_test(test_servers_above_a_device),
        cmocka_unit_test(test_the_host_asks_all_servers),
        cmocka_unit_test(test_findings_are_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
