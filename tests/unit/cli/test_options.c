/* The command line: every form that is taken, every mistake with its message. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "advisor/cli/options.h"

#include "advisor/base/banned.h"

static const struct option_row own[] = {
    {"format", 'f', "FORMAT", false, ""},
    {"set", 0, "NAME=VALUE", true, ""},
    {"allow-unknown", 0, NULL, false, ""},
};
static const struct option_row common[] = {
    {"help", 'h', NULL, false, ""},
    {"verbose", 'v', NULL, true, ""},
};

#define WORDS 6
static const struct {
    const char *name;
    const char *argv[WORDS];
    const char *error; /* NULL: taken */
    const char *hint;
} rows[] = {
    {"nothing", {NULL}, NULL, NULL},
    {"long with equals", {"--format=json"}, NULL, NULL},
    {"long with a word", {"--format", "json", "-v"}, NULL, NULL},
    {"short with a word", {"-f", "json"}, NULL, NULL},
    {"short glued", {"-vfjson"}, NULL, NULL},
    {"repeats", {"--set", "a=1", "--set=b=2"}, NULL, NULL},
    {"dash is a word", {"-"}, NULL, NULL},
    {"after two dashes", {"--", "--format"}, NULL, NULL},
    {"empty value", {"--format="}, NULL, NULL},
    {"unknown long", {"--fromat"}, "there is no option '--fromat'", "--format"},
    {"cut short", {"--allow"}, "there is no option '--allow'", "--allow-unknown"},
    {"unknown short", {"-x"}, "there is no option '-x'", "--help"},
    {"value missing", {"--format"}, "needs a value: --format FORMAT", NULL},
    {"value missing, short", {"-f"}, "needs a value: -f FORMAT", NULL},
    {"flag with a value", {"--allow-unknown=1"}, "takes no value", NULL},
    {"twice", {"--format", "a", "-f", "b"}, "'--format' is given twice", NULL},
    {"far from all", {"--completely-different"}, "there is no option", "--help"},
};

static bool parse(struct arena *a, const char *const *words, struct options **ret, struct err *err)
{
    char *argv[WORDS + 1] = {NULL};
    int argc = 0;
    while (argc < WORDS && words[argc] != NULL) {
        argv[argc] = arena_strdup(a, words[argc]);
        argc++;
    }
    return options_parse(a, argc, argv, own, ARRAY_LEN(own), common, ARRAY_LEN(common), ret, err);
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct err err = ERR_INIT;
        struct options *o = NULL;
        const bool ok = parse(a, rows[i].argv, &o, &err);
        if (ok != (rows[i].error == NULL) ||
            (rows[i].error != NULL && strstr(err.text, rows[i].error) == NULL) ||
            (rows[i].hint != NULL && strstr(err.hint, rows[i].hint) == NULL)) {
            fail_msg("%s: '%s' hint '%s'", rows[i].name, err.text, err.hint);
        }
    }
}

static void test_values(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct err err = ERR_INIT;
    struct options *o = NULL;
    const char *const words[WORDS] = {"-vfjson", "--set", "a=1", "word", "--set=b=2=3", NULL};
    assert_true(parse(a, words, &o, &err));
    assert_string_equal(option_text(o, "format"), "json");
    assert_true(option_flag(o, "verbose"));
    assert_false(option_flag(o, "help"));
    assert_null(option_text(o, "allow-unknown"));
    const char *const *list = NULL;
    assert_int_equal(option_texts(o, a, "set", &list), 2);
    assert_string_equal(list[0], "a=1");
    assert_string_equal(list[1], "b=2=3");
    assert_int_equal(option_args(o, &list), 1);
    assert_string_equal(list[0], "word");
}

static void test_too_many(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct err err = ERR_INIT;
    struct options *o = NULL;
    char *argv[300];
    for (size_t i = 0; i < ARRAY_LEN(argv); i++) {
        argv[i] = arena_strdup(a, "w");
    }
    assert_false(options_parse(a, (int)ARRAY_LEN(argv), argv, own, ARRAY_LEN(own), common,
                               ARRAY_LEN(common), &o, &err));
    assert_int_equal(err.code, E_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
