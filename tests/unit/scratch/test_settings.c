/* Which options reach a scratch server: those that the catalogue allows, in the right size, and no
 * other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "advisor/scratch/settings.h"

#include "advisor/base/banned.h"

static const char rows[] =
    "[sources]\nt = 5.6-9.7 a test\n[newest]\nmysql = 9.7\npercona = 8.4\nmariadb = 11.8\n"
    "[pool]\nkind = bytes\nmysql.default = 128MiB\nmysql.range = 5MiB 1TiB step 1MiB\n"
    "scratch = scale\nmysql.source = t\n"
    "[log_buffer]\nkind = bytes\nmysql.default = 16MiB\nmysql.range = 256KiB 4GiB\n"
    "scratch = copy\nmysql.source = t\n"
    "[percent]\nkind = ratio\nunit = percent\nmysql.default = 90%\nscratch = copy\n"
    "mysql.source = t\n"
    "[flag]\nkind = bool\nmysql.default = OFF\nscratch = copy\nmysql.source = t\n"
    "[skip_names]\nkind = bool\nmysql.default = OFF\nscratch = copy\nmysql.source = t\n"
    "[names]\nkind = bool\nmysql.default = OFF\nscratch = copy\nmysql.source = t\n"
    "[dir]\nkind = string\nmysql.default = x\nscratch = no\nmysql.source = t\n";

static const struct catalogue *catalogue(struct arena *a)
{
    struct ini_file f;
    struct catalogue *c = NULL;
    struct err err = ERR_INIT;
    if (!ini_read(a, "test.ini", span_of(rows), &f, &err) ||
        !catalogue_load(a, &f, 1, &c, NULL, &err)) {
        fail_msg("%s", err.text);
    }
    return c;
}

static struct optline line(const char *text)
{
    struct span rest = span_of(text), name = {"", 0};
    (void)span_split(&rest, '=', &name);
    const bool valued = strchr(text, '=') != NULL;
    return (struct optline){.file = SPAN_LIT("/f"),
                            .name = name,
                            .value = valued ? rest : (struct span){"", 0},
                            .has_value = valued};
}

/* The arguments that lines become, one a line. */
static const char *args_of(struct arena *a, const char *const *texts, size_t n,
                           const struct scratch_scale *scale)
{
    const struct version v = {{9, 7, 4, 0}, 3};
    struct optline lines[16];
    struct scratch_setting *set = NULL;
    struct buf b;
    for (size_t i = 0; i < n; i++) {
        lines[i] = line(texts[i]);
    }
    buf_init(&b, a, 4096);
    const size_t count =
        scratch_settings(catalogue(a), FLAVOUR_MYSQL, &v, lines, n, scale, a, &set);
    for (size_t i = 0; i < count; i++) {
        buf_printf(&b, "%s%s\n", set[i].arg, set[i].scaled ? " scaled" : "");
    }
    return b.ptr != NULL ? b.ptr : "";
}

static void test_copy(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    static const struct scratch_scale scale = {1.0, 64 * 1024 * 1024};
    static const struct {
        const char *texts[6];
        const char *want;
    } cases[] = {
        {{"percent=80"}, "--percent=80\n"},
        {{"Loose-PERCENT=80"}, "--percent=80\n"},
        {{"percent=80", "percent=70"}, "--percent=70\n"},
        {{"percent=80", "loose_percent=70", "flag"}, "--percent=70\n--flag\n"},
        {{"skip-flag"}, "--flag=0\n"},
        {{"disable_flag", "enable_flag"}, "--flag=1\n"},
        {{"skip_names"}, "--skip_names\n"}, /* a variable of that very name */
        {{"maximum-percent=3"}, ""},
        {{"dir=/var/lib/mysql", "unknown=1", "datadir=/x"}, ""},
        {{"pool=12G"}, "--pool=67108864 scaled\n"},
        {{"pool=32M"}, "--pool=32M\n"},
        {{"pool=12Q"}, "--pool=12Q\n"}, /* the server shall say so */
        {{"pool=1e6"}, "--pool=1e6\n"},
        {{"log_buffer=1G"}, "--log_buffer=67108864 scaled\n"},
        {{"log_buffer=1000001"}, "--log_buffer=1000001\n"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        size_t n = 0;
        while (n < 6 && cases[i].texts[n] != NULL) {
            n++;
        }
        assert_string_equal(args_of(a, cases[i].texts, n, &scale), cases[i].want);
    }
}

static void test_scale(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    static const char *const pool[] = {"pool=1G"}, *const tiny[] = {"pool=8M"};
    const struct scratch_scale tenth = {0.1, UINT64_MAX}, none = {0.0001, UINT64_MAX};
    /* 102.4 MiB on a grid of 1 MiB; not below what the range allows. */
    assert_string_equal(args_of(a, pool, 1, &tenth), "--pool=106954752 scaled\n");
    assert_string_equal(args_of(a, tiny, 1, &none), "--pool=5242880 scaled\n");
    /* A value that may only be copied is made no smaller for being a tenth. */
    static const char *const copied[] = {"log_buffer=1M"};
    assert_string_equal(args_of(a, copied, 1, &tenth), "--log_buffer=1M\n");
}

static void test_own(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const enum flavour flavours[] = {FLAVOUR_MYSQL, FLAVOUR_MARIADB};
    for (size_t f = 0; f < 2; f++) {
        const struct own_settings o = {.flavour = flavours[f], .own = "/var/tmp/x/s"};
        const char **args = NULL;
        bool marked = false;
        const size_t n = scratch_own_settings(&o, a, &args);
        for (size_t i = 0; i < n; i++) {
            const char *const path = strchr(args[i], '/');
            assert_true(strncmp(args[i], "--", 2) == 0);
            assert_null(strchr(args[i], '@'));
            /* Every path lies inside. */
            assert_true(path == NULL || strncmp(path, "/var/tmp/x/s/", 13) == 0);
            marked = marked || strcmp(args[i], "--pid-file=/var/tmp/x/s/nvadvise-scratch.pid") == 0;
            assert_true(strcmp(args[i], "--user=root") != 0);
        }
        assert_true(marked);
    }
    const struct own_settings root = {.flavour = FLAVOUR_MYSQL, .own = "/x", .as_root = true};
    const char **args = NULL;
    const size_t n = scratch_own_settings(&root, a, &args);
    assert_string_equal(args[n - 1], "--user=root");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_scale),
        cmocka_unit_test(test_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
