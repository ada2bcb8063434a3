/* The strict INI reader: what it takes, and every hazard of the library that it must refuse. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "advisor/base/ini.h"

#include "advisor/base/banned.h"

#define TEN "0123456789"
#define FIFTY TEN TEN TEN TEN TEN

static void test_reads(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct ini_file f;
    struct err err = ERR_INIT;
    static const char text[] = "\xef\xbb\xbf# comment\n"
                               "[empty]\n"
                               "\n"
                               "[one]\r\n"
                               "key = value; with; semicolons\r\n"
                               "long =\n"
                               "  first part\n"
                               "; a comment between\n"
                               "\n"
                               "\tsecond = part  \n"
                               "none =\n"
                               "url = a:b#c [d]\n"
                               "[two]\n"
                               "key=\xc3\xa9";
    assert_true(ini_read(a, "x.ini", SPAN_LIT(text), &f, &err));
    assert_string_equal(f.name, "x.ini");
    assert_int_equal(f.n_sections, 3);
    assert_int_equal(ini_section(&f, "empty")->n_entries, 0);
    const struct ini_section *s = ini_section(&f, "one");
    assert_non_null(s);
    assert_int_equal(s->line, 4);
    assert_int_equal(s->n_entries, 4);
    assert_true(span_eq_text(ini_entry(s, "key")->value, "value; with; semicolons"));
    assert_true(span_eq_text(ini_entry(s, "long")->value, "first part second = part"));
    assert_int_equal(ini_entry(s, "long")->line, 6);
    assert_int_equal(ini_entry(s, "none")->value.len, 0);
    assert_true(span_eq_text(ini_entry(s, "url")->value, "a:b#c [d]"));
    assert_null(ini_entry(s, "Key"));
    assert_true(span_eq_text(ini_entry(ini_section(&f, "two"), "key")->value, "\xc3\xa9"));
    assert_null(ini_section(&f, "three"));
}

static void test_limits(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct ini_file f;
    struct err err = ERR_INIT;
    /* 190 bytes of line and 48 of section name are taken whole. */
    static const char text[] = "[" TEN TEN TEN TEN "12345678]\nk = " FIFTY FIFTY FIFTY TEN TEN TEN
                               "123456\n " FIFTY FIFTY FIFTY TEN TEN TEN "123456789\n";
    assert_true(ini_read(a, "x", SPAN_LIT(text), &f, &err));
    assert_int_equal(f.sections[0].name.len, 48);
    assert_int_equal(f.sections[0].entries[0].value.len, 186 + 1 + 189);
    assert_true(ini_read(a, "x", SPAN_LIT(""), &f, &err));
    assert_int_equal(f.n_sections, 0);
}

struct bad {
    const char *text;
    size_t len;
    const char *expected; /* begin of the message */
};

#define BAD(text, expected)                                                                        \
    {                                                                                              \
        text, sizeof(text) - 1, expected                                                           \
    }

static void test_refuses(void **state)
{
    (void)state;
    static const struct bad rows[] = {
        BAD("[a]\nk = " FIFTY FIFTY FIFTY FIFTY " severity = critical\n", "f:2: line is longer"),
        BAD("[a]\nk = v\n " FIFTY FIFTY FIFTY FIFTY "\n", "f:3: line is longer"),
        BAD("# " FIFTY FIFTY FIFTY FIFTY "\n", "f:1: line is longer"),
        BAD("[" FIFTY "]\n", "f:1: section name is longer"),
        BAD("[a]\nk = a ; b\n", "f:2: ' ;' would cut"),
        BAD("[a]\nk = v\n  a\t; b\n", "f:3: ' ;' would cut"),
        BAD("[a]\nk = ;b\n", "f:2: ' ;' would cut"),
        BAD("[a] ; b\n", "f:1: ' ;' would cut"),
        BAD("[a]\nk = a\0b\n", "f:2: NUL byte"),
        BAD("\0", "f:1: NUL byte"),
        BAD("[a]\nk = \xff\n", "f:2: not UTF-8"),
        BAD("[a]\nk = \xc0\xaf\n", "f:2: not UTF-8"),
        BAD("[a]\nk = \x1b[2J\n", "f:2: control character"),
        BAD("[a]\nk = a\rb\n", "f:2: control character"),
        BAD("k = v\n", "f:1: key before the first section"),
        BAD("  k = v\n", "f:1: indented line"),
        BAD("[a]\n  k = v\n", "f:2: indented line"),
        BAD("[a]\nk = v\n[b]\n  more\n", "f:4: indented line"),
        BAD("[a]\nword\n", "f:2: neither"),
        BAD("[a]\nk: v = w\n", "f:2: neither"),
        BAD("[a]\n= v\n", "f:2: no key"),
        BAD("[a\n", "f:1: a section is"),
        BAD("[]\n", "f:1: a section is"),
        BAD("[a] b\n", "f:1: a section is"),
        BAD("[a]b]\n", "f:1: section name has"),
        BAD("[ a]\n", "f:1: section name has"),
        BAD("[a]\n[b]\n[a]\n", "f:3: section 'a' is there already, in line 1"),
        BAD("[a]\nk = 1\nl = 2\nk = 3\nk = 4\n", "f:4: key 'k' is there already, in line 2"),
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct ini_file f = {.name = "untouched"};
        struct err err = ERR_INIT;
        assert_false(ini_read(a, "f", (struct span){rows[i].text, rows[i].len}, &f, &err));
        assert_int_equal(err.code, E_SYNTAX);
        if (strncmp(err.text, rows[i].expected, strlen(rows[i].expected)) != 0) {
            fail_msg("row %zu: '%s', expected '%s'", i, err.text, rows[i].expected);
        }
        assert_string_equal(f.name, "untouched");
    }
}

/* A hundred thousand sections must neither take minutes nor be cut. */
static void test_many(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct buf b;
    struct ini_file f;
    struct err err = ERR_INIT;
    buf_init(&b, a, INI_MAX_BYTES);
    for (unsigned i = 0; i < 60000; i++) {
        buf_printf(&b, "[s%u]\nk=%u\n", i, i);
    }
    assert_false(b.full);
    assert_true(ini_read(a, "f", buf_span(&b), &f, &err));
    assert_int_equal(f.n_sections, 60000);
    buf_add_text(&b, "[s7]\n");
    assert_false(ini_read(a, "f", buf_span(&b), &f, &err));
    char *huge = arena_alloc(a, INI_MAX_BYTES + 1);
    assert_false(ini_read(a, "f", (struct span){huge, INI_MAX_BYTES + 1}, &f, &err));
    assert_int_equal(err.code, E_TOO_BIG);
}

/* Whatever the bytes, it is an error or something that reads back the same. */
static void test_random(void **state)
{
    (void)state;
    static const char alphabet[] = "[]=:;# \t\n\rab\0\xc3\xa9";
    uint32_t seed = 12345;
    for (unsigned round = 0; round < 20000; round++) {
        char text[40];
        for (size_t i = 0; i < sizeof(text); i++) {
            seed = seed * 1664525u + 1013904223u;
            text[i] = alphabet[(seed >> 16) % (sizeof(alphabet) - 1)];
        }
        ARENA_AUTO a = arena_new();
        struct ini_file f;
        struct err err = ERR_INIT;
        if (!ini_read(a, "f", (struct span){text, sizeof(text)}, &f, &err)) {
            assert_null(strstr(err.text, "library"));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads), cmocka_unit_test(test_limits), cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_many),  cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
