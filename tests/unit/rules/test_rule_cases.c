/* Rule cases: names of files, expectations, and the message when one does not hold. */
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "rules/cases.h"
#include "tests/unit/rules/engine_world.h"

#include "advisor/base/banned.h"

static const char rules[] =
    "[r]\nscope = server\napplies = server.a\nfails = server.size > 1MiB || server.sampled > 5/s\n"
    "needs = sample\nseverity = high when server.b, low\ntitle = t\nwhy = it is {{server.size}}\n"
    "advice = set\ndo.1 = x | online\nsource = s\n";

struct folder {
    struct world w;
    char dir[64];
};

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st, (void)type, (void)at;
    return remove(path);
}

static void folder_open(struct folder *f)
{
    world_open(&f->w, rules, NULL);
    (void)snprintf(f->dir, sizeof(f->dir), "/tmp/nvadvise-cases-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
}

static void folder_close(struct folder *f)
{
    assert_int_equal(nftw(f->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
    world_close(&f->w);
}

static const char *put(struct folder *f, const char *name, const char *text)
{
    const char *path = arena_printf(f->w.a, "%s/%s", f->dir, name);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs(text, out) >= 0);
    assert_int_equal(fclose(out), 0);
    return path;
}

#define FAILING "server.a = true\nserver.size = 2MiB\n"

static const struct {
    const char *name, *text;
    const char *message; /* NULL: the case holds */
} table[] = {
    {"r.fail.facts", FAILING, NULL},
    {"r.fail.word.facts",
     "#! severity = low\n#! evidence = server.size\n#! skipped = high\n#! why = 2 MiB\n" FAILING, NULL},
    {"r.not_applicable.facts", "server.a = false\n", NULL},
    {"r.not_measured.facts",
     "#! need = sample\n#! blocker = server.sampled\nserver.a = true\nserver.size = 1KiB\n", NULL},
    {"r.unknown.facts", "#! severity = high\n#! blocker = server.a\nserver.size = 2MiB\n", NULL},
    {"r.fail.facts", "#! subject = server:b\nserver.a = true\n", "expected verdict fail"},
    {"r.pass.facts", FAILING, "expected verdict pass, got fail"},
    {"r.pass.facts", "server.size = 2MiB\n", "got unknown (missing: server.a"},
    {"r.pass.facts", "server.a = true\nserver.size = 1KiB\n", "got not_measured (missing: server.sam"},
    {"r.fail.facts", "#! severity = high\n" FAILING, "expected severity high, got low"},
    {"r.fail.facts", "#! evidence = server.b\n" FAILING, "expected evidence server.b, got server.a, s"},
    {"r.fail.facts", "#! blocker = server.b\n" FAILING, "expected blocker server.b, got none"},
    {"r.fail.facts", "#! need = bench\n" FAILING, "expected need bench, got none"},
    {"r.fail.facts", "#! skipped = medium\n" FAILING, "expected skipped steps with medium, got high"},
    {"r.fail.facts", "#! estimated = would\n" FAILING, "expected an estimate with would"},
    {"r.fail.facts", "#! why = 3 MiB\n" FAILING, "expected a why with 3 MiB, got it is 2 MiB"},
    {"r.fail.facts", "#! colour = red\n" FAILING, "'#! colour' is no expectation"},
    {"r.fail.facts", "server.nothing = 1\n", "r.fail.facts:1:"},
    {"r.fail.facts", "host.total = 1KiB\n", "has 0 subjects of kind server"},
};

static void test_cases(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        struct folder f;
        struct rule_case c;
        struct err err = ERR_INIT;
        folder_open(&f);
        const char *path = put(&f, table[i].name, table[i].text);
        if (!rule_case_read(f.w.a, &f.w.rs, path, &c, &err))
            fail_msg("row %zu: %s", i, err.text);
        bool ok = rule_case_run(f.w.a, &f.w.rs, &c, &err);
        if (ok != (table[i].message == NULL))
            fail_msg("row %zu: %s", i, ok ? "holds" : err.text);
        if (!ok && strstr(err.text, table[i].message) == NULL)
            fail_msg("row %zu: wanted '%s', got '%s'", i, table[i].message, err.text);
        folder_close(&f);
    }
}

static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *name, *message;
    } names[] = {
        {"r.facts", "is not named ID.VERDICT.facts"},
        {"r.good.facts", "is not named ID.VERDICT.facts"},
        {"q.pass.facts", "there is no rule 'q'"},
    };
    struct folder f;
    folder_open(&f);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct rule_case c;
        struct err err = ERR_INIT;
        const char *path = put(&f, names[i].name, "");
        assert_false(rule_case_read(f.w.a, &f.w.rs, path, &c, &err));
        assert_int_equal(err.code, E_USAGE);
        assert_non_null(strstr(err.text, names[i].message));
    }
    folder_close(&f);
}

static void test_directory(void **state)
{
    (void)state;
    struct folder f;
    struct rule_case *cases;
    size_t n = 0;
    struct err err = ERR_INIT;
    folder_open(&f);
    (void)put(&f, "r.pass.facts", "");
    (void)put(&f, "r.fail.facts", "");
    (void)put(&f, "notes.txt", "");
    assert_true(rule_cases_read_dir(f.w.a, &f.w.rs, f.dir, &cases, &n, &err));
    assert_int_equal(n, 2);
    assert_int_equal(cases[0].verdict, VERDICT_FAIL);
    assert_int_equal(cases[1].verdict, VERDICT_PASS);
    (void)put(&f, "x.pass.facts", "");
    assert_false(rule_cases_read_dir(f.w.a, &f.w.rs, f.dir, &cases, &n, &err));
    err = ERR_INIT;
    assert_false(rule_cases_read_dir(f.w.a, &f.w.rs, "/nowhere/at/all", &cases, &n, &err));
    assert_int_equal(err.code, E_ABSENT);
    folder_close(&f);
}

static void test_wanted(void **state)
{
    (void)state;
    struct world w;
    world_open(&w, rules, NULL);
    struct rule r = *ruleset_find(&w.rs, "r");
    assert_true(rule_case_wanted(&r, VERDICT_NOT_APPLICABLE));
    assert_true(rule_case_wanted(&r, VERDICT_NOT_MEASURED));
    assert_false(rule_case_wanted(&r, VERDICT_ERROR));
    r.applies = NULL;
    r.needs = 0;
    assert_false(rule_case_wanted(&r, VERDICT_NOT_APPLICABLE));
    assert_false(rule_case_wanted(&r, VERDICT_NOT_MEASURED));
    assert_true(rule_case_wanted(&r, VERDICT_PASS));
    r.retired = "gone";
    assert_false(rule_case_wanted(&r, VERDICT_PASS));
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_directory),
        cmocka_unit_test(test_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
