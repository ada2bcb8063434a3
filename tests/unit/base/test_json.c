/* JSON: exact numbers both ways, strict reading with places, hostile input. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "advisor/base/json.h"

#include "advisor/base/banned.h"

#define U128_MAX "340282366920938463463374607431768211455"

static const char *write_text(struct arena *a, const struct json *doc, bool pretty)
{
    struct buf b;
    buf_init(&b, a, 1 << 20);
    json_write(&b, doc, pretty);
    assert_false(b.full);
    return arena_strndup(a, b.ptr, b.len);
}

/* Text in, text out. */
static void test_round_trip(void **state)
{
    (void)state;
    static const struct {
        const char *in;
        const char *out;
    } rows[] = {
        {"null", "null"},
        {" [ ] ", "[]"},
        {"{}", "{}"},
        {"[true,false,null]", "[true, false, null]"},
        {"{\"b\":1,\"a\":{\"x\":[]}}", "{\"b\": 1, \"a\": {\"x\": []}}"},
        {"999999999999999999", "999999999999999999"},
        {"9223372036854775807", "9223372036854775807"},
        {"-9223372036854775808", "-9223372036854775808"},
        {"9223372036854775808", "9223372036854775808"},
        {"18446744073709551615", "18446744073709551615"},
        {U128_MAX, U128_MAX},
        {"-" U128_MAX, "-" U128_MAX},
        {"{\"k\":[" U128_MAX "," U128_MAX "]}", "{\"k\": [" U128_MAX ", " U128_MAX "]}"},
        {"-0", "0"},
        {"0.25", "0.25"},
        {"1e3", "1000"},
        {"[0.1,1234567890123456789012e-10]", "[0.1, 123456789012.34567]"},
        {"\"12345678901234567890\"", "\"12345678901234567890\""},
        {"\"a\\\"12345678901234567890\\\\\"", "\"a\\\"12345678901234567890\\\\\""},
        {"\"\\u0001\"", "\"\\u0001\""},
        {"\"\\u000112345678901234567890\"", "\"\\u000112345678901234567890\""},
        {"\"\\u0001\\u0001x\"", "\"\\u0001\\u0001x\""},
        {"{\"\\u00011\":1}", "{\"\\u00011\": 1}"},
        {"\"a\\u0000b\"", "\"a\\u0000b\""},
        {"\"\\n\\t\\r\\b\\f\\u001b\\u007f\\u009b\"", "\"\\n\\t\\r\\b\\f\\u001b\\u007f\\u009b\""},
        {"\"\\ud83d\\ude00/\\/\"", "\"\xf0\x9f\x98\x80//\""},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct json *doc = NULL;
        struct err err = ERR_INIT;
        if (!json_read(a, "f", span_of(rows[i].in), &doc, &err)) {
            fail_msg("%s: %s", rows[i].in, err.text);
        }
        assert_string_equal(write_text(a, doc, false), rows[i].out);
    }
}

static void test_refuses(void **state)
{
    (void)state;
    static const struct {
        const char *in;
        const char *expected;
    } rows[] = {
        {"", "f:1:"},
        {"[1,2", "f:1:"},
        {"[1,]", "f:1:"},
        {"{\"a\":1} x", "f:1:10:"},
        {"[1]\n[2]", "f:2:"},
        {"{\"a\":1,\n\"b\":2,\n\"a\":3}", "f:3:"},
        {"{\"a\":1,\"\\u0061\":3}", "f:1:"},
        {"{\"a\":12345678901234567890,\n \"b\":12345678901234567890 x}", "f:2:28:"},
        {"{12345678901234567890: 1}", "f: a number stands where a key"},
        {U128_MAX "0", "f: whole number of 40 digits"},
        {"340282366920938463463374607431768211456", "f: whole number of 39 digits"},
        {"012345678901234567890", "f:1:"},
        {"+12345678901234567890", "f:1:"},
        {"--12345678901234567890", "f:1:"},
        {"-", "f:1:"},
        {"1e999", "f:1:"},
        {"1.", "f:1:"},
        {"NaN", "f:1:"},
        {"'a'", "f:1:"},
        {"\"a", "f:1:"},
        {"\"a\\", "f:1:"},
        {"\"\\ud800\"", "f:1:"},
        {"\"\xff\"", "f:1:"},
        {"\"\n\"", "f:1:"},
        {"\xef\xbb\xbf{}", "f:1:"},
        {"{\"a\\u0000b\":1}", "f:1:"},
        {"// c\n1", "f:1:"},
        {"12345678901234567890\"a\"", "f:1:"},
        {"\"a\"12345678901234567890", "f:1:"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct json *doc = NULL;
        struct err err = ERR_INIT;
        if (json_read(a, "f", span_of(rows[i].in), &doc, &err)) {
            fail_msg("taken: %s", rows[i].in);
        }
        assert_null(doc);
        assert_int_equal(err.code, E_SYNTAX);
        if (strncmp(err.text, rows[i].expected, strlen(rows[i].expected)) != 0) {
            fail_msg("%s: '%s', expected '%s'", rows[i].in, err.text, rows[i].expected);
        }
    }
}

static bool read_nested(struct arena *a, unsigned depth, struct err *reterr)
{
    struct buf b;
    struct json *doc;
    buf_init(&b, a, 1 << 22);
    for (unsigned i = 0; i < depth; i++) {
        buf_add_char(&b, '[');
    }
    for (unsigned i = 0; i < depth; i++) {
        buf_add_char(&b, ']');
    }
    return json_read(a, "f", buf_span(&b), &doc, reterr);
}

static void test_hostile(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct err err = ERR_INIT;
    struct json *doc;
    assert_true(read_nested(a, 64, &err));
    assert_false(read_nested(a, 65, &err));
    assert_string_equal(err.text, "f:1:65: nested deeper than 64 levels");
    assert_false(read_nested(a, 1000000, &err));
    assert_false(json_read(a, "f", SPAN_LIT("[1,\n\0 2]"), &doc, &err));
    assert_string_equal(err.text, "f:2:1: NUL byte");
    assert_false(json_read(a, "f", SPAN_LIT("\"a\0b\""), &doc, &err));
    assert_false(json_read(a, "f", SPAN_LIT("1\0"), &doc, &err));
    struct buf b;
    buf_init(&b, a, 1 << 20);
    for (unsigned i = 0; i < 1000000; i++) {
        buf_add_char(&b, '9');
    }
    assert_false(json_read(a, "f", buf_span(&b), &doc, &err));
    /* Many keys and many marked numbers: no quadratic time. */
    buf_init(&b, a, 1 << 24);
    buf_add_char(&b, '{');
    for (unsigned i = 0; i < 100000; i++) {
        buf_printf(&b, "%s\"k%u\": 123456789012345678901", i == 0 ? "" : ",\n", i);
    }
    buf_add_char(&b, '}');
    assert_true(json_read(a, "f", buf_span(&b), &doc, &err));
    assert_int_equal(doc->n, 100000);
}

static void test_random(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "{", "}", "[", "]", ",", ":",     "\"", "\\",   "\\u0001", "12345678901234567890",
        "-", "1", "0", ".", "e", "\"k\"", " ",  "true", "\n",
    };
    uint32_t seed = 99;
    for (unsigned round = 0; round < 30000; round++) {
        ARENA_AUTO a = arena_new();
        struct buf b;
        struct json *doc = NULL;
        struct json *again = NULL;
        struct err err = ERR_INIT;
        buf_init(&b, a, 1000);
        for (unsigned i = 0; i < 1 + round % 9; i++) {
            seed = seed * 1664525u + 1013904223u;
            buf_add_text(&b, pieces[(seed >> 16) % ARRAY_LEN(pieces)]);
        }
        if (json_read(a, "f", buf_span(&b), &doc, &err)) {
            const char *text = write_text(a, doc, true);
            assert_true(json_read(a, "f", span_of(text), &again, &err));
            assert_string_equal(write_text(a, again, true), text);
        }
    }
}

static void test_build(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct json *o = json_object(a);
    json_set(o, "b", json_int(a, -5));
    json_set(o, "a", json_str(a, NULL));
    json_set(o, "b", json_bool(a, true));
    struct json *list = json_array(a);
    json_push(list, json_num(a, num_unlimited()));
    json_push(list, json_span(a, SPAN_LIT("x\xff\xc3\xa9\xc3")));
    json_push(list, json_object(a));
    json_set(o, "list", list);
    assert_string_equal(write_text(a, o, false),
                        "{\"b\": true, \"a\": null, \"list\": [\"unlimited\", "
                        "\"x\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\", {}]}");
    json_sort(o);
    assert_string_equal(write_text(a, o, true),
                        "{\n  \"a\": null,\n  \"b\": true,\n  \"list\": [\n    \"unlimited\",\n"
                        "    \"x\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\",\n    {}\n  ]\n}");
    assert_null(json_get(o, "c"));
    assert_null(json_get(list, "c"));
    assert_null(json_get(NULL, "c"));
    assert_null(json_get_str(o, "b"));
    json_set(o, "s", json_str(a, "text"));
    assert_string_equal(json_get_str(o, "s"), "text");
    json_set(o, "n", json_span(a, SPAN_LIT("a\0b")));
    assert_null(json_get_str(o, "n"));
    assert_int_equal(json_get(o, "n")->string.len, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_hostile),    cmocka_unit_test(test_random),
        cmocka_unit_test(test_build),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
