/* Mistakes in the texts of the variable catalogue: each is told with file, line and section. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "rules/catalogue.h"

#include "advisor/base/banned.h"

static void test_mistakes(void **state)
{
    (void)state;
    /* In each text line 1 is [x] unless it says otherwise. */
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"[x]\nscratch = no\nmysql.source = s\nmysql.default = 1\n", "c.ini:1: [x] 'kind' is missing"},
        {"[x]\nkind = version\nscratch = no\nmysql.source = s\nmysql.default = 1\n",
         "c.ini:2: [x] 'version' is no kind"},
        {"[x]\nkind = enum\nscratch = no\nmysql.source = s\nmysql.default = a\n",
         "c.ini:1: [x] 'values' belongs to enums"},
        {"[x]\nkind = count\nvalues = a\nscratch = no\nmysql.source = s\nmysql.default = 1\n",
         "c.ini:3: [x] 'values' belongs to enums"},
        {"[x]\nkind = count\nscratch = maybe\nmysql.source = s\nmysql.default = 1\n",
         "c.ini:3: [x] scratch 'maybe' is none of"},
        {"[x]\nkind = count\nscratch = no\nmysql.default = 1\n",
         "c.ini:1: [x] 'mysql.source' is missing"},
        {"[x]\nkind = count\nscratch = no\nmysql.source = s\nmysql.default = 1\n",
         "c.ini:1: [x] mysql.source: 's' is not in [sources]"},
        {"[x]\nkind = count\nscratch = no\nmysql.source = s, s\nmysql.default = 1\n[sources]\n"
         "s = 8.0 here\n", "c.ini:1: [x] mysql.source: 's' stands twice"},
        {"[sources]\ns = here\n", "c.ini:2: [sources] write KEY = VERSION"},
        {"[sources]\ns = 8.0\n", "c.ini:2: [sources] write KEY = VERSION"},
        {"[sources]\ns = 8.0-5.7 here\n", "c.ini:2: [sources] '8.0' is no range"},
        {"[sources]\ns = 8.0-next here\n", "c.ini:2: [sources] '8.0' is no range"},
        {"[tried]\nmysql = 9.7, 8.x\n", "c.ini:2: [tried] ' 8.x' is no version"},
        {"[tried]\noracle = 9.7\n", "c.ini:2: [tried] there is no flavour 'oracle'"},
        {"[x]\nkind = enum\nvalues = a, b\nscratch = no\nmysql.default = a\nmysql.values = a | c\n",
         "c.ini:6: [x] "},
        {"[x]\nkind = enum\nvalues = a, b\nscratch = no\nmysql.default = a\nmysql.values = a b\n",
         "c.ini:6: [x] words are written A | B"},
        {"[x]\nkind = enum\nvalues = a, b\nscratch = no\nmysql.default = a\nmysql.values = a |\n",
         "c.ini:6: [x] words are of enums"},
        {"[x]\nkind = count\nscratch = no\nmysql.default = 1\nmysql.values = a\n",
         "c.ini:5: [x] words are of enums"},
        {"[x]\nkind = count\nscratch = no\nmysql.source = s\nmysql.default = 1\n"
         "mysql.replaced_by = y\n[sources]\ns = 8.0 here\n",
         "c.ini:1: [x] replaced_by: 'y' is not in the catalogue"},
        {"[x]\nkind = count\nmysql.source = s\nmysql.default = 1\n", "c.ini:1: [x] 'scratch' is missing"},
        {"[x]\nkind = count\nscratch = no\nmysql.source = s\n", "c.ini:1: [x] no flavour has it"},
        {"[x]\nkind = count\nscratch = no\nmysql.source = s\nmysql.default = many\n",
         "c.ini:5: [x] default: "},
        {"[x]\nkind = bytes\nscratch = no\nmysql.source = s\nmysql.default = 128\n",
         "c.ini:5: [x] default: "},
        {"[x]\nkind = count\nscratch = no\nmysql.source = s\nmysql.default = 1 from 8.x\n",
         "c.ini:5: [x] '8.x' is no version"},
        {"[x]\nkind = count\nscratch = no\nmysql.source = s\nmysql.default = 1 since 8.0\n",
         "c.ini:5: [x] 'since' stands where 'from VERSION'"},
        {"[x]\nkind = count\nscratch = no\nmysql.source = s\nmysql.default = 1 from 8.0/5.7\n",
         "c.ini:5: [x] the versions of '8.0/5.7' do not ascend"},
        {"[x]\nkind = count\nscratch = no\nmysql.source = s\nmysql.default =\n",
         "c.ini:5: [x] 'mysql.default' has no value"},
        {"[x]\nkind = count\nscratch = no\nmysql.source = s\nmysql.default = 1,,2 from 8.0\n",
         "c.ini:5: [x] a default is missing"},
        {"[x]\nkind = count\nscratch = no\nmysql.source = s\nmysql.default = 9\nmysql.range = 0 2\n",
         "c.ini:1: [x] mysql: a default is outside the range"},
        {"[x]\nkind = count\nscratch = no\nmysql.source = s\nmysql.default = 1\nmysql.range = 2\n",
         "c.ini:6: [x] a range is MIN MAX"},
        {"[x]\nkind = count\nscratch = no\nmysql.source = s\nmysql.default = 1\nmysql.range = 2 1\n",
         "c.ini:6: [x] the range '2 1' is empty"},
        {"[x]\nkind = count\nscratch = no\nmysql.source = s\nmysql.default = 1\nmysql.range = 0 2 step 0\n",
         "c.ini:6: [x] a step is more than nothing"},
        {"[x]\nkind = count\nscratch = no\nmysql.source = s\nmysql.default = 1\nmysql.range = 0 2 step\n",
         "c.ini:6: [x] a step is missing"},
        {"[x]\nkind = bool\nscratch = no\nmysql.source = s\nmysql.default = ON\nmysql.range = 0 1\n",
         "c.ini:6: [x] a bool has no range"},
        {"[x]\nkind = count\nscratch = no\nmysql.source = s\nmysql.life = gone 8.0\n",
         "c.ini:5: [x] 'gone': write introduced VERSION"},
        {"[x]\nkind = count\nscratch = no\nmysql.source = s\nmysql.life = removed 8.0\n",
         "c.ini:5: [x] 'removed': write introduced VERSION"},
        {"[x]\nkind = count\nscratch = no\nmysql.source = s\nmysql.life = introduced 8.0 refused\n",
         "c.ini:5: [x] 'introduced': write introduced VERSION"},
        {"[x]\nkind = count\nscratch = no\nmysql.source = s\nmysql.default = 1\nmysql.dynamic = often\n",
         "c.ini:6: [x] dynamic 'often' is none of"},
        {"[x]\nkind = count\nscratch = no\nmysql.source = s\nmysql.default = 1\nmysql.colour = red\n",
         "c.ini:6: [x] there is no key 'mysql.colour'"},
        {"[x]\nkind = count\nscratch = no\nmysql.source = s\noracle.default = 1\n",
         "c.ini:5: [x] there is no key 'oracle.default'"},
        {"[x]\nkind = count\nunit = bushel\nscratch = no\nmysql.source = s\nmysql.default = 1\n",
         "c.ini:3: [x] unit 'bushel' is none of"},
        {"[X-y]\nkind = count\nscratch = no\nmysql.source = s\nmysql.default = 1\n",
         "c.ini:1: [X-y] is no name"},
        {"[newest]\nmysql = new\n", "c.ini:2: [newest] 'new' is no version"},
        {"[newest]\noracle = 1.0\n", "c.ini:2: [newest] there is no flavour 'oracle'"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct ini_file f;
        struct err err = ERR_INIT;
        struct buf problems;
        struct catalogue *c = NULL;
        buf_init(&problems, a, 4096);
        if (!ini_read(a, "c.ini", span_of(rows[i].text), &f, &err))
            fail_msg("%s", err.text);
        if (catalogue_load(a, &f, 1, &c, &problems, &err))
            fail_msg("not noticed: %s", rows[i].want);
        assert_null(c);
        assert_int_equal(err.code, E_SYNTAX);
        if (strncmp(err.text, rows[i].want, strlen(rows[i].want)) != 0)
            fail_msg("expected %s\ngot %s", rows[i].want, err.text);
        assert_non_null(strstr(problems.ptr, rows[i].want));
    }
}

static void test_twice(void **state)
{
    (void)state;
    static const char row[] = "[x]\nkind = count\nscratch = no\nmysql.source = s\nmysql.default = 1\n";
    ARENA_AUTO a = arena_new();
    struct ini_file files[2];
    struct err err = ERR_INIT;
    struct catalogue *c = NULL;
    assert_true(ini_read(a, "a.ini", span_of(row), &files[0], &err));
    assert_true(ini_read(a, "b.ini", span_of(row), &files[1], &err));
    assert_false(catalogue_load(a, files, 2, &c, NULL, &err));
    assert_string_equal(err.text, "b.ini:1: [x] stands twice, also in a.ini:1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
