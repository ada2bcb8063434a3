/* Typed values: printing, literals that read back, and texts that are no value. */
#include "tests/unit/facts/fixture.h"

#include <string.h>

#include "advisor/base/banned.h"

static const char *literal(struct arena *a, const struct value *v)
{
    struct buf b;
    buf_init(&b, a, 4096);
    value_print_literal(&b, v);
    return b.ptr;
}

static const char *printed(struct arena *a, const struct value *v)
{
    struct buf b;
    buf_init(&b, a, 4096);
    value_print(&b, v);
    return b.ptr;
}

/* Text read, as a literal, for people; the literal must read back to the same value. */
static void test_read_and_print(void **state)
{
    (void)state;
    static const struct {
        enum kind kind;
        const char *text, *literal, *people;
    } rows[] = {
        {KIND_BOOL, "ON", "true", "true"},
        {KIND_BOOL, " no ", "false", "false"},
        {KIND_BOOL, "1", "true", "true"},
        {KIND_COUNT, "65535", "65535", "65,535"},
        {KIND_COUNT, "-1", "-1", "-1"},
        {KIND_COUNT, "unlimited", "unlimited", "unlimited"},
        {KIND_BYTES, "1400GiB", "1400GiB", "1.37 TiB"},
        {KIND_BYTES, "0B", "0B", "0 B"},
        {KIND_BYTES, "9223372036854775808B", "8EiB", "8 EiB"},
        {KIND_SECONDS, "509h", "509h", "21.21 d"},
        {KIND_RATIO, "1.2%", "1.2%", "1.2 %"},
        {KIND_RATIO, "0.5", "50%", "50 %"},
        {KIND_RATE, "16000000000/s", "16000000000/s", "16,000,000,000/s"},
        {KIND_BYTES_PER_S, "204.8KiB/s", NULL, "204.80 KiB/s"},
        {KIND_CELSIUS, "70degC", "70degC", "70 degC"},
        {KIND_VERSION, "8.0.36", "8.0.36", "8.0.36"},
        {KIND_ENUM, "defer+madvise", "defer+madvise", "defer+madvise"},
        {KIND_ENUM, "\"unknown\"", "\"unknown\"", "unknown"},
        {KIND_STRING, "INTEL SSDPEDME012T4", "\"INTEL SSDPEDME012T4\"", "INTEL SSDPEDME012T4"},
        {KIND_STRING, "\"a \\\"b\\\" \\\\ \\x0a\"", "\"a \\\"b\\\" \\\\ \\x0a\"", "a \"b\" \\ \n"},
        {KIND_STRING, "/dev/nvme0n1", "/dev/nvme0n1", "/dev/nvme0n1"},
        {KIND_STRING, "\"\"", "\"\"", ""},
        {KIND_STRING, "true", "true", "true"},
        {KIND_SET, "{redo, data,redo}", "{data, redo}", "data, redo"},
        {KIND_SET, "tmp", "{tmp}", "tmp"},
        {KIND_SET, "{ }", "{}", "none"},
        {KIND_LIST, "b, a, b", "{b, a, b}", "b, a, b"},
        {KIND_LIST, "{\"x, y\", z}", "{\"x, y\", z}", "x, y, z"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct value v;
        struct value again;
        struct err err = ERR_INIT;
        if (!value_read(a, rows[i].kind, NULL, false, span_of(rows[i].text), &v, &err)) {
            fail_msg("%s: %s", rows[i].text, err.text);
        }
        assert_int_equal(v.kind, rows[i].kind);
        if (rows[i].literal != NULL) {
            assert_string_equal(literal(a, &v), rows[i].literal);
        }
        assert_string_equal(printed(a, &v), rows[i].people);
        assert_true(value_read(a, v.kind, NULL, false, span_of(literal(a, &v)), &again, &err));
        assert_true(value_eq(&v, &again));
        const struct value copy = value_copy(a, &v);
        assert_true(value_eq(&v, &copy));
    }
}

static void test_refuses(void **state)
{
    (void)state;
    static const struct {
        enum kind kind;
        const char *text, *expected;
    } rows[] = {
        {KIND_BOOL, "maybe", "true or false"},
        {KIND_BOOL, "", "true or false"},
        {KIND_COUNT, "3%", "whole number"},
        {KIND_COUNT, "1.5", "whole number"},
        {KIND_COUNT, "0x10", "whole number"},
        {KIND_COUNT, "1KiB", "whole number"},
        {KIND_BYTES, "16K", "KiB or kB"},
        {KIND_BYTES, "4096", "unit"},
        {KIND_BYTES, "5s", "unit"},
        {KIND_BYTES, "99999999999999999999999999999999999999999B", "size"},
        {KIND_SECONDS, "10", "unit"},
        {KIND_RATE, "200", "2000/s"},
        {KIND_RATIO, "1s", "percentage"},
        {KIND_RATIO, "nan", "percentage"},
        {KIND_VERSION, "8", "8.0.36"},
        {KIND_VERSION, "8.0.36-debug", "8.0.36"},
        {KIND_ENUM, "", "word"},
        {KIND_STRING, "\"a", "quotes"},
        {KIND_STRING, "\"a\" b", "quotes"},
        {KIND_STRING, "\"\\q\"", "quotes"},
        {KIND_STRING, "\"\\x4\"", "quotes"},
        {KIND_STRING, "\"a\\", "quotes"},
        {KIND_SET, "", "words"},
        {KIND_SET, "{a,}", "words"},
        {KIND_SET, "a,,b", "words"},
        {KIND_SET, "{a", "words"},
        {KIND_SET, "{\"a\" b}", "words"},
        {KIND_SET, "{\"a\",}", "words"},
        {KIND_SET, "{{a}}", "words"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct value v = value_u64(KIND_COUNT, 77);
        struct err err = ERR_INIT;
        if (value_read(a, rows[i].kind, NULL, false, span_of(rows[i].text), &v, &err)) {
            fail_msg("taken: %s as %s", rows[i].text, kind_name(rows[i].kind));
        }
        assert_int_equal(err.code, E_SYNTAX);
        if (strstr(err.text, rows[i].expected) == NULL) {
            fail_msg("%s: '%s' lacks '%s'", rows[i].text, err.text, rows[i].expected);
        }
        assert_true(v.kind == KIND_COUNT && num_cmp(v.num, num_u64(77)) == 0);
    }
}

static void test_allowed_and_plain(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct value v;
    struct err err = ERR_INIT;
    assert_true(value_read(a, KIND_ENUM, "a, b", false, SPAN_LIT("b"), &v, &err));
    assert_false(value_read(a, KIND_ENUM, "a,b", false, SPAN_LIT("B"), &v, &err));
    assert_non_null(strstr(err.text, "a,b"));
    assert_true(value_read(a, KIND_SET, "a,b", false, SPAN_LIT("{b,a}"), &v, &err));
    assert_false(value_read(a, KIND_SET, "a,b", false, SPAN_LIT("{b,c}"), &v, &err));
    assert_true(value_read(a, KIND_BYTES, NULL, true, SPAN_LIT("4096"), &v, &err));
    assert_string_equal(literal(a, &v), "4KiB");
    assert_false(value_read(a, KIND_BYTES, NULL, true, SPAN_LIT("50%"), &v, &err));
    assert_true(value_read(a, KIND_RATE, NULL, true, SPAN_LIT("200"), &v, &err));
    assert_string_equal(literal(a, &v), "200/s");
}

/* Control bytes and broken UTF-8 survive the way through a literal. */
static void test_any_bytes(void **state)
{
    (void)state;
    char bytes[256];
    for (size_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (char)i;
    }
    ARENA_AUTO a = arena_new();
    struct err err = ERR_INIT;
    struct value again;
    const struct span all = {bytes, sizeof(bytes)};
    const struct span items[] = {all, SPAN_LIT(""), SPAN_LIT("x")};
    const struct value string = value_text(KIND_STRING, all);
    const struct value list = value_words(a, KIND_LIST, items, 3);
    const char *text = literal(a, &string);
    assert_true(span_is_utf8(span_of(text)));
    assert_true(value_read(a, KIND_STRING, NULL, false, span_of(text), &again, &err));
    assert_true(value_eq(&string, &again));
    assert_true(value_read(a, KIND_LIST, NULL, false, span_of(literal(a, &list)), &again, &err));
    assert_true(value_eq(&list, &again));
}

static void test_kinds(void **state)
{
    (void)state;
    for (unsigned i = 0; i < KINDS; i++) {
        enum kind k = KINDS;
        assert_true(kind_from_name(span_of(kind_name((enum kind)i)), &k));
        assert_int_equal(k, i);
    }
    enum kind k;
    assert_false(kind_from_name(SPAN_LIT("byte"), &k));
    assert_true(kind_is_numeric(KIND_CELSIUS));
    assert_false(kind_is_numeric(KIND_VERSION));
    assert_true(dim_eq(kind_dim(KIND_BYTES_PER_S), DIM_BYTES_PER_S));
}

static void test_equal(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct span ab[] = {SPAN_LIT("a"), SPAN_LIT("b")};
    const struct span ba[] = {SPAN_LIT("b"), SPAN_LIT("a")};
    const struct value values[] = {
        value_bool(true),
        value_bool(false),
        value_u64(KIND_COUNT, 1),
        value_u64(KIND_BYTES, 1),
        value_num(KIND_BYTES, num_real(1.5)),
        value_num(KIND_BYTES, num_unlimited()),
        value_version((struct version){{8, 0, 1}, 3}),
        value_version((struct version){{8, 0, 2}, 3}),
        value_text(KIND_STRING, SPAN_LIT("a")),
        value_text(KIND_ENUM, SPAN_LIT("a")),
        value_text(KIND_STRING, SPAN_LIT("b")),
        value_words(a, KIND_SET, ab, 2),
        value_words(a, KIND_LIST, ab, 2),
        value_words(a, KIND_LIST, ba, 2),
        value_words(a, KIND_LIST, ab, 1),
    };
    for (size_t i = 0; i < ARRAY_LEN(values); i++) {
        for (size_t k = 0; k < ARRAY_LEN(values); k++) {
            assert_int_equal(value_eq(&values[i], &values[k]), i == k);
        }
    }
    const struct value other = value_words(a, KIND_SET, ba, 2);
    assert_true(value_eq(&values[11], &other));
    assert_true(value_has(&values[11], SPAN_LIT("b")));
    assert_false(value_has(&values[11], SPAN_LIT("")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_and_print),
        cmocka_unit_test(test_refuses),
        cmocka_unit_test(test_allowed_and_plain),
        cmocka_unit_test(test_any_bytes),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_equal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
