/* The terminal view over documents of our own making: short, within 80 columns, harmless. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "advisor/report/report.h"

#include "advisor/base/banned.h"

#define EVIL "x\x1b[31m\nskip-grant-tables\r\xff"

static struct json *counts(struct arena *a, int fail)
{
    static const char *const verdicts[] = {"pass",         "unknown",        "not_measured",
                                           "error",        "not_applicable", "rules"};
    static const char *const levels[] = {"critical", "high", "medium", "low", "info"};
    struct json *c = json_object(a), *failed = json_object(a), *unknown = json_object(a);
    json_set(c, "fail", json_int(a, fail));
    for (size_t i = 0; i < ARRAY_LEN(verdicts); i++) {
        json_set(c, verdicts[i], json_int(a, 13));
    }
    for (size_t i = 0; i < ARRAY_LEN(levels); i++) {
        json_set(failed, levels[i], json_int(a, fail / 5));
        json_set(unknown, levels[i], json_int(a, 0));
    }
    json_set(c, "failed_by_severity", failed);
    json_set(c, "unknown_by_severity", unknown);
    return c;
}

static struct json *setting(struct arena *a, const char *rule)
{
    struct json *s = json_object(a);
    static const char *const pairs[][2] = {
        {"variable", "innodb_buffer_pool_size"}, {"new", "20401094656"}, {"new_text", "19 GiB"},
        {"old_text", "128 MiB"},  {"old_origin", "compiled"},   {"where", "option_file"},
        {"line", "setting"}, {"formula", "min(1, 2) = 1"}, {"group", "mysqld"},
        {"risk", "memory"},  {"settles", ""},              {"server", "server:/run/a.sock"}};
    for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
        json_set(s, pairs[i][0], json_str(a, pairs[i][1]));
    }
    json_set(s, "rule", json_str(a, rule));
    json_set(s, "dynamic", json_bool(a, true));
    json_set(s, "estimated", json_bool(a, false));
    json_set(s, "set_order", json_int(a, 0));
    return s;
}

static struct json *finding(struct arena *a, const char *rule, const char *severity,
                            const char *title)
{
    struct json *f = json_object(a), *settings = json_array(a), *actions = json_array(a);
    json_set(f, "rule", json_str(a, rule));
    json_set(f, "subject", json_str(a, "server:/run/a.sock"));
    json_set(f, "verdict", json_str(a, "fail"));
    json_set(f, "severity", json_str(a, severity));
    json_set(f, "title", json_str(a, title));
    json_set(f, "why", json_str(a, "because it is so, and that at some length, as reasons are"));
    json_push(settings, setting(a, rule));
    json_set(f, "settings", settings);
    struct json *action = json_object(a);
    json_set(action, "command", json_str(a, "echo none > /sys/block/nvme0n1/queue/scheduler"));
    json_set(action, "effect", json_str(a, "online"));
    json_push(actions, action);
    json_set(f, "actions", actions);
    return f;
}

static struct json *document(struct arena *a, size_t n, const char *title)
{
    static const char *const levels[] = {"low", "high", "medium", "critical", "info"};
    struct json *d = json_object(a), *subjects = json_object(a), *servers = json_array(a);
    struct json *findings = json_array(a), *s = json_object(a), *remedies = json_array(a);
    json_set(d, "verdict", json_str(a, n > 0 ? "fail" : "pass"));
    json_set(d, "fail_on", json_str(a, "high"));
    json_set(d, "counts", counts(a, (int)n));
    json_set(s, "subject", json_str(a, "server:/run/a.sock"));
    json_set(s, "flavour", json_str(a, "mariadb"));
    json_set(s, "version", json_str(a, "10.11.19"));
    json_push(servers, s);
    json_set(subjects, "servers", servers);
    json_set(d, "subjects", subjects);
    for (size_t i = 0; i < n; i++) {
        json_push(findings, finding(a, arena_printf(a, "a-rule-with-a-long-name-%zu", i),
                                    levels[i % ARRAY_LEN(levels)], title));
    }
    json_set(d, "findings", findings);
    for (size_t i = 0; i < 2; i++) {
        struct json *r = json_object(a), *rules = json_array(a);
        json_push(rules, json_str(a, "nvme-critical-warning"));
        json_set(r, "text", json_str(a, i == 0 ? "run nvadvise as root" : "log in"));
        json_set(r, "severity", json_str(a, "critical"));
        json_set(r, "rules", rules);
        json_push(remedies, r);
    }
    json_set(d, "remedies", remedies);
    return d;
}

static void render(struct buf *b, struct arena *a, const struct json *doc, bool verbose)
{
    const struct text_options opt = {.columns = 80, .verbose = verbose};
    buf_init(b, a, 1 << 20);
    report_text(b, doc, &opt);
}

static size_t count_lines(const char *text)
{
    size_t n = 0;
    for (; *text != '\0'; text++) {
        n += *text == '\n';
    }
    return n;
}

static void assert_narrow(const char *text)
{
    struct span rest = span_of(text), line;
    while (span_line(&rest, &line)) {
        if (line.len > 80) {
            fail_msg("%zu columns: %.*s", line.len, SPAN_ARG(line));
        }
    }
}

static void test_ten_faults(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct buf b;
    render(&b, a,
           document(a, 10, "A title that is quite long, since some things need many words to say"),
           false);
    if (count_lines(b.ptr) > 40) {
        fail_msg("%zu lines:\n%s", count_lines(b.ptr), b.ptr);
    }
    assert_narrow(b.ptr);
    assert_int_equal(strncmp(b.ptr, "FAIL ", 5), 0);
    assert_non_null(strstr(b.ptr, "5 more (-v shows them):"));
    const char *critical = strstr(b.ptr, "critical A title");
    const char *high = strstr(b.ptr, "high     A title");
    assert_non_null(critical);
    assert_non_null(high);
    assert_true(critical < high);
    assert_null(strstr(b.ptr, "low      A title"));
}

static void test_verbose_shows_all(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct buf b;
    render(&b, a, document(a, 10, "t"), true);
    assert_null(strstr(b.ptr, "more (-v"));
    assert_non_null(strstr(b.ptr, "a-rule-with-a-long-name-9"));
    assert_non_null(strstr(b.ptr, "min(1, 2) = 1"));
}

static void test_pass(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct buf b;
    render(&b, a, document(a, 0, ""), false);
    assert_int_equal(strncmp(b.ptr, "PASS ", 5), 0);
    assert_true(count_lines(b.ptr) <= 8);
}

static void test_hostile(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct buf b;
    struct json *doc = document(a, 1, "T");
    struct json *f = json_get(doc, "findings")->items[0];
    struct json *evil = json_null(a);
    evil->type = JSON_STRING;
    evil->string = SPAN_LIT(EVIL);
    json_set(f, "title", evil);
    json_set(f, "subject", evil);
    render(&b, a, doc, true);
    assert_null(strchr(b.ptr, '\x1b'));
    assert_null(strchr(b.ptr, '\xff'));
    assert_non_null(strstr(b.ptr, "\\x1b[31m"));
}

static void test_dropin_doc(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct json *doc = document(a, 1, "T"), *plan = json_array(a), *rules = json_object(a);
    assert_null(report_dropin_doc(a, doc, "server:/run/a.sock", NULL));
    json_push(plan, setting(a, "mem-bp-default"));
    json_set(doc, "plan", plan);
    json_set(rules, "hash", json_str(a, "0123456789abcdef"));
    json_set(doc, "rules", rules);
    struct json *d = report_dropin_doc(a, doc, "server:/run/a.sock", NULL);
    assert_non_null(d);
    assert_null(report_dropin_doc(a, doc, "server:/other", NULL));
    struct buf b;
    buf_init(&b, a, 1 << 16);
    json_write(&b, d, false);
    assert_non_null(strstr(b.ptr, "SET GLOBAL innodb_buffer_pool_size = 20401094656"));
    assert_string_equal(json_get_str(d, "rules"), "0123456789ab");
}

/* Anybody may start many processes that are called mysqld. */
static void test_many_servers(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct json *doc = document(a, 10, "A title"), *servers = json_array(a);
    struct json *subjects = json_object(a);
    for (size_t i = 0; i < 300; i++) {
        struct json *s = json_object(a);
        json_set(s, "subject", json_str(a, arena_printf(a, "server:pid-%zu", i)));
        json_push(servers, s);
    }
    json_set(subjects, "servers", servers);
    json_set(doc, "subjects", subjects);
    struct buf b;
    render(&b, a, doc, false);
    assert_non_null(strstr(b.ptr, "server pid-4:"));
    assert_null(strstr(b.ptr, "server pid-5:"));
    assert_non_null(strstr(b.ptr, "and 295 more servers"));
    assert_true(count_lines(b.ptr) <= 40);
    render(&b, a, doc, true);
    assert_non_null(strstr(b.ptr, "server pid-299:"));
}

/* One rule on many servers: shown once and named once more, with how often; so another has its place. */
static void test_same_rule(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct json *doc = document(a, 0, "A title"), *findings = json_array(a);
    struct buf b;
    for (size_t i = 0; i < 9; i++) {
        json_push(findings, finding(a, i < 8 ? "same" : "other", i < 8 ? "high" : "info", "A title"));
    }
    json_set(doc, "findings", findings);
    render(&b, a, doc, false);
    assert_non_null(strstr(b.ptr, "rule  other on"));
    assert_non_null(strstr(b.ptr, "7 more (-v shows them): same (7)\n"));
    render(&b, a, doc, true);
    assert_null(strstr(b.ptr, "-v shows them"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ten_faults), cmocka_unit_test(test_verbose_shows_all),
        cmocka_unit_test(test_pass),       cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_dropin_doc), cmocka_unit_test(test_many_servers),
        cmocka_unit_test(test_same_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
