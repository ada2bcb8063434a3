/* The mustache subset: every tag, every mistake, every escape. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "templates/template.h"

#include "advisor/base/banned.h"

struct row {
    const char *name;
    const char *text; /* after the header line */
    const char *json;
    const char *want; /* NULL: an error whose text holds `error` */
    const char *error;
};

static const struct row rows[] = {
    {"plain text", "a\nb\n", "{}", "a\nb\n", NULL},
    {"value", "x = {{v}}\n", "{\"v\":\"1\"}", "x = 1\n", NULL},
    {"blanks in a tag", "{{ v }}", "{\"v\":\"1\"}", "1", NULL},
    {"number exact", "{{v}}", "{\"v\":340282366920938463463374607431768211455}",
     "340282366920938463463374607431768211455", NULL},
    {"bool and null", "{{a}},{{b}}", "{\"a\":true,\"b\":null}", "true,", NULL},
    {"dotted", "{{a.b.c}}", "{\"a\":{\"b\":{\"c\":\"deep\"}}}", "deep", NULL},
    {"outer names seen inside", "{{#l}}{{o}}{{n}};{{/l}}", "{\"o\":\"O\",\"l\":[{\"n\":1},{\"n\":2}]}",
     "O1;O2;", NULL},
    {"list of words", "{{#l}}<{{.}}>{{/l}}", "{\"l\":[\"a\",\"b\"]}", "<a><b>", NULL},
    {"empty list", "{{#l}}x{{/l}}{{^l}}none{{/l}}", "{\"l\":[]}", "none", NULL},
    {"false and true", "{{#t}}yes{{/t}}{{^t}}no{{/t}}{{^f}}no{{/f}}", "{\"t\":true,\"f\":false}", "yesno",
     NULL},
    {"empty text is false", "{{#t}}yes{{/t}}{{^t}}no{{/t}}", "{\"t\":\"\"}", "no", NULL},
    {"zero is true", "{{#t}}yes{{/t}}", "{\"t\":0}", "yes", NULL},
    {"section tags take their lines", "a\n{{#l}}\n- {{.}}\n{{/l}}\nb\n", "{\"l\":[\"1\",\"2\"]}",
     "a\n- 1\n- 2\nb\n", NULL},
    {"indented section tags too", "a\n  {{#l}}  \n- {{.}}\n  {{/l}}\nb\n", "{\"l\":[\"1\"]}", "a\n- 1\nb\n", NULL},
    {"a comment takes its line", "a\n{{! nothing }}\nb\n", "{}", "a\nb\n", NULL},
    {"a value keeps its line", "{{v}}\n\nb", "{\"v\":\"\"}", "\n\nb", NULL},
    {"inline sections keep blanks", "a {{#t}} b {{/t}} c", "{\"t\":true}", "a  b  c", NULL},
    {"a newline in a value stays on its line", "# {{v}}\n", "{\"v\":\"x\\nskip-grant-tables\"}",
     "# x\\x0askip-grant-tables\n", NULL},
    {"code in a code block", "{{{v}}} {{{ v }}}", "{\"v\":\"a_b\\n\"}", "a_b\\x0a a_b\\x0a", NULL},
    {"code half closed", "{{{v}}", "{\"v\":\"1\"}", NULL, "no tag of this language"},
    {"missing name", "{{v}}", "{}", NULL, "has no 'v'"},
    {"missing section", "{{#v}}x{{/v}}", "{}", NULL, "has no 'v'"},
    {"missing inside a list", "\n{{#l}}\n{{n}}\n{{/l}}", "{\"l\":[{}]}", NULL, "t:4: the document has no 'n'"},
    {"object as a value", "{{v}}", "{\"v\":{}}", NULL, "not a value"},
    {"never closed", "{{#a}}x", "{\"a\":1}", NULL, "never closed"},
    {"closed wrongly", "{{#a}}{{#b}}{{/a}}{{/b}}", "{}", NULL, "closes no open section"},
    {"closed twice", "{{/a}}", "{}", NULL, "closes no open section"},
    {"open brace", "x {{a", "{}", NULL, "not closed"},
    {"no tag", "{{&a}}", "{}", NULL, "no tag of this language"},
    {"empty tag", "{{}}", "{}", NULL, "no tag of this language"},
    {"odd dots", "{{a..b}}", "{}", NULL, "no tag of this language"},
};

static struct span with_header(struct arena *a, const char *escape, const char *text)
{
    struct buf b;
    buf_init(&b, a, 1 << 20);
    buf_printf(&b, "{{! escape: %s; file: f.cnf}}\n%s", escape, text);
    return buf_span(&b);
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct err err = ERR_INIT;
        struct template *t = NULL;
        struct json *doc = NULL;
        struct buf out;
        buf_init(&out, a, 1 << 20);
        assert_true(json_read(a, "doc", span_of(rows[i].json), &doc, &err));
        const bool ok = template_parse(a, "t", with_header(a, "cnf", rows[i].text), &t, &err) &&
                        template_render(t, doc, &out, &err);
        if (rows[i].want != NULL) {
            if (!ok || strcmp(out.ptr, rows[i].want) != 0) {
                fail_msg("%s: got '%s' (%s)", rows[i].name, ok ? out.ptr : "", err.text);
            }
        } else if (ok || strstr(err.text, rows[i].error) == NULL) {
            fail_msg("%s: expected an error with '%s', got '%s'", rows[i].name, rows[i].error,
                     ok ? out.ptr : err.text);
        }
    }
}

static void test_escapes(void **state)
{
    (void)state;
    static const struct {
        const char *escape, *value, *want;
    } cases[] = {
        {"none", "a'b\\n*", "a'b\\n*"},
        {"md", "a_b*<x>|", "a\\_b\\*\\<x\\>\\|"},
        {"md", "a\tb", "a\\\\x09b"},
        {"sh", "it's; rm", "'it'\\''s; rm'"},
        {"sh", "", "''"},
        {"cnf", "a\rb\x7f", "a\\x0db\\x7f"},
        {"cnf", "\xc3\xbc\xff", "\\xc3\\xbc\\xef\\xbf\\xbd"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        ARENA_AUTO a = arena_new();
        struct err err = ERR_INIT;
        struct template *t = NULL;
        struct buf out;
        buf_init(&out, a, 4096);
        struct json *doc = json_object(a);
        json_set(doc, "v", json_str(a, cases[i].value));
        assert_true(template_parse(a, "t", with_header(a, cases[i].escape, "{{v}}"), &t, &err));
        assert_string_equal(template_file(t), "f.cnf");
        assert_true(template_render(t, doc, &out, &err));
        assert_string_equal(out.ptr, cases[i].want);
    }
}

static void test_header(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "x", "{{! about: x}}\n", "{{! escape: html}}\n", "{{! escape: cnf"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        ARENA_AUTO a = arena_new();
        struct err err = ERR_INIT;
        struct template *t = NULL;
        assert_false(template_parse(a, "t", span_of(bad[i]), &t, &err));
        assert_non_null(strstr(err.text, "t:1:"));
    }
}

static void test_output_limit(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct err err = ERR_INIT;
    struct template *t = NULL;
    struct buf out;
    buf_init(&out, a, 16);
    assert_true(template_parse(a, "t", with_header(a, "none", "0123456789abcdefXYZ{{! x}}"), &t, &err));
    assert_false(template_render(t, json_object(a), &out, &err));
    assert_int_equal(err.code, E_TOO_BIG);
}

static void test_builtin(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct err err = ERR_INIT;
    assert_non_null(template_builtin(a, "my.cnf", &err));
    assert_null(template_builtin(a, "no-such", &err));
    assert_int_equal(err.code, E_ABSENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),   cmocka_unit_test(test_escapes), cmocka_unit_test(test_header),
        cmocka_unit_test(test_output_limit), cmocka_unit_test(test_builtin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
