/* Waivers: what a file may say, which findings it fits, and when it is over. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rules/waiver.h"
#include "tests/unit/rules/engine_world.h"

#include "advisor/base/banned.h"

#define TODAY ((int64_t)1798761600) /* 2027-01-01 */

static const char rules[] = SERVER_RULE("fails = server.count > 3\nseverity = high");

static void bad(struct world *w, const char *text, const char *part)
{
    struct waivers all;
    struct err err = ERR_INIT;
    assert_false(waivers_read(w->a, "w.conf", span_of(text), &w->rs, TODAY, &all, &err));
    if (strstr(err.text, part) == NULL)
        fail_msg("'%s' does not say '%s'", err.text, part);
    assert_non_null(strstr(err.text, "w.conf:"));
}

static void test_mistakes(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, rules, NULL);
    bad(&w, "[q]\nreason = x\nexpires = 2027-02-01\n", "there is no rule 'q'");
    bad(&w, "[r]\nexpires = 2027-02-01\n", "no reason");
    bad(&w, "[r]\nreason =\nexpires = 2027-02-01\n", "no reason");
    bad(&w, "[r]\nreason = x\n", "no end");
    bad(&w, "[r]\nreason = x\npermanent = yes\n", "needs an owner");
    bad(&w, "[r]\nreason = x\nowner = o\npermanent = yes\nexpires = 2027-02-01\n", "both");
    bad(&w, "[r]\nreason = x\nowner = o\npermanent = maybe\n", "'yes' or 'no'");
    bad(&w, "[r]\nreason = x\nexpires = 2028-02-01\n", "more than a year");
    bad(&w, "[r]\nreason = x\nexpire = 2027-02-01\n", "unknown key 'expire'");
    bad(&w, "[r]\nreason = x\nexpires = 2027-02-01\nhost =\n", "host: empty");
    bad(&w, "[r]\nreason = x\nexpires = 2027-02-01\nsubject =\n", "subject: empty");
    bad(&w, "[r]\nreason = x\nexpires = 2027-02-01\nwhen_actual =\n", "when_actual: empty");
    static const char *const days[] = {"2027-02-29", "2027-13-01", "2027-00-01", "2027-01-00",
                                       "27-01-01",   "2027/01/01", "tomorrow",   "2027-1-01x"};
    for (size_t i = 0; i < ARRAY_LEN(days); i++)
        bad(&w, arena_printf(w.a, "[r]\nreason = x\nexpires = %s\n", days[i]), "not a day");
    world_close(&w);
}

static struct finding with(struct world *w, const char *text, int64_t clock,
                           enum waiver_state wanted)
{
    struct waivers all;
    struct err err = ERR_INIT;
    struct finding f = world_judge(w, "r", w->server);
    struct findings fs = {&f, 1};
    if (!waivers_read(w->a, "w.conf", span_of(text), &w->rs, TODAY, &all, &err))
        fail_msg("%s", err.text);
    waivers_apply(&all, &fs, w->s, clock);
    assert_string_equal(waiver_state_name(all.items[0].state), waiver_state_name(wanted));
    assert_int_equal(f.waiver != NULL, wanted == WAIVER_USED);
    return f;
}

static void test_end(void **state)
{
    (void)state;
    static const char text[] = "[r]\nreason = x\nexpires = 2027-02-28\n";
    struct world w;
    world_open(&w, rules, NULL);
    world_set(&w, w.server, "server.count", "5");
    const int64_t march = TODAY + (31 + 28) * (int64_t)86400;
    (void)with(&w, text, march - 1, WAIVER_USED); /* the last second of the last day */
    (void)with(&w, text, march, WAIVER_EXPIRED);
    (void)with(&w, "[r]\nreason = x\npermanent = yes\nowner = o\n", march * 2, WAIVER_USED);
    world_set(&w, w.server, "server.count", "3"); /* passes */
    (void)with(&w, text, TODAY, WAIVER_UNUSED);
    (void)with(&w, text, march, WAIVER_UNUSED);
    world_set(&w, w.server, "server.count", "?not permitted"); /* unknown counts, so it may be waived */
    (void)with(&w, text, TODAY, WAIVER_USED);
    world_close(&w);
}

static void test_fit(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, rules, NULL);
    world_set(&w, w.server, "server.count", "5");
#define UNTIL "[r:one]\nreason = x\nexpires = 2027-06-01\n"
    (void)with(&w, UNTIL "subject = server:*\n", TODAY, WAIVER_USED);
    (void)with(&w, UNTIL "subject = server:b\n", TODAY, WAIVER_UNUSED);
    (void)with(&w, UNTIL "host = db*\n", TODAY, WAIVER_ELSEWHERE); /* no name is known */
    store_known(w.s, w.host, "host.name", value_text(KIND_STRING, span_of("db-17")), "t");
    (void)with(&w, UNTIL "host = db-?7\n", TODAY, WAIVER_USED);
    (void)with(&w, UNTIL "host = web*\n", TODAY, WAIVER_ELSEWHERE);
    (void)with(&w, UNTIL "when_actual = 5\n", TODAY, WAIVER_USED);
    (void)with(&w, UNTIL "when_actual = 4\n", TODAY, WAIVER_LAPSED);
    w.server->identity = "0d6a-uuid";
    (void)with(&w, UNTIL "subject = 0d6a-*\n", TODAY, WAIVER_USED);
    world_close(&w);
}

static void test_glob(void **state)
{
    (void)state;
    static const struct {
        const char *glob, *text;
        bool fits;
    } rows[] = {
        {"", "", true},       {"", "a", false},        {"*", "", true},       {"a*", "abc", true},
        {"*c", "abc", true},  {"*b*", "abc", true},    {"a?c", "abc", true},  {"a?c", "ac", false},
        {"a*b*c", "aXbYbZc", true}, {"a*b*c", "aXbYbZ", false}, {"[a]", "a", false},
        {"**", "x", true},    {"?", "", false},
        {"*a*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (waiver_glob(rows[i].glob, span_of(rows[i].text)) != rows[i].fits)
            fail_msg("'%s' on '%s'", rows[i].glob, rows[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_end),
        cmocka_unit_test(test_fit),
        cmocka_unit_test(test_glob),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
