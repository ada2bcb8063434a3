/* Strict readers: the whole span or nothing, and outputs untouched on failure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

struct row_u64 {
    const char *text;
    bool ok;
    uint64_t v;
};

static void run_u64(bool (*read)(struct span, uint64_t *), const struct row_u64 *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t v = 4711;

        if (read(span_of(rows[i].text), &v) != rows[i].ok || v != (rows[i].ok ? rows[i].v : 4711))
            fail_msg("\"%s\": %llu", rows[i].text, (unsigned long long)v);
    }
}

static void test_u64(void **state)
{
    static const struct row_u64 rows[] = {
        {"0", true, 0},
        {"0000000000000000000000000000000000000000000000000012", true, 12},
        {"18446744073709551615", true, UINT64_MAX},
        {"18446744073709551616", false, 0},
        {"184467440737095516150", false, 0},
        {"999999999999999999999999999999999999999999999999", false, 0},
        {"", false, 0},
        {"-1", false, 0},
        {"+1", false, 0},
        {" 1", false, 0},
        {"1\n", false, 0},
        {"0x1", false, 0},
        {"1.0", false, 0},
        {"\xc2\xb2", false, 0},
    };

    (void)state;
    run_u64(parse_u64, rows, ARRAY_LEN(rows));
    uint64_t v = 5;

    assert_false(parse_u64(SPAN_LIT("1\0"), &v));
    assert_false(parse_u64((struct span){NULL, 0}, &v));
    assert_int_equal(v, 5);
}

static void test_hex(void **state)
{
    static const struct row_u64 rows[] = {
        {"0", true, 0},
        {"0x144d", true, 0x144d},
        {"0XfF", true, 255},
        {"ffffffffffffffff", true, UINT64_MAX},
        {"0000000000000000000000001", true, 1},
        {"10000000000000000", false, 0},
        {"", false, 0},
        {"0x", false, 0},
        {"x1", false, 0},
        {"0x0x1", false, 0},
        {"12g", false, 0},
        {"-1", false, 0},
    };

    (void)state;
    run_u64(parse_hex_u64, rows, ARRAY_LEN(rows));
}

static void test_cpulist(void **state)
{
    static const struct row_u64 rows[] = {
        {"0", true, 1},
        {"0-3", true, 4},
        {"0-3,8,10-11", true, 7},
        {"5-5", true, 1},
        {"", true, 0}, /* a memory-only node */
        {"0-3,", false, 0},
        {",0", false, 0},
        {"0,,1", false, 0},
        {"3-1", false, 0},
        {"0-3,2", false, 0},
        {"0-3,3", false, 0},
        {"1,1", false, 0},
        {"-3", false, 0},
        {"1-", false, 0},
        {"1-2-3", false, 0},
        {"0-3\n", false, 0},
        {"0 - 3", false, 0},
        {"all", false, 0},
        {"0-18446744073709551615", false, 0},
        {"0-18446744073709551614", true, UINT64_MAX},
        {"0-18446744073709551616", false, 0},
    };

    (void)state;
    run_u64(parse_cpulist_count, rows, ARRAY_LEN(rows));
}

static void test_i64(void **state)
{
    static const struct {
        const char *text;
        bool ok;
        int64_t v;
    } rows[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"-1", true, -1},
        {"9223372036854775807", true, INT64_MAX},
        {"9223372036854775808", false, 0},
        {"-9223372036854775807", true, -INT64_MAX},
        {"-9223372036854775808", true, INT64_MIN},
        {"-9223372036854775809", false, 0},
        {"-", false, 0},
        {"--1", false, 0},
        {"+1", false, 0},
        {"", false, 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        int64_t v = 4711;

        assert_int_equal(parse_i64(span_of(rows[i].text), &v), rows[i].ok);
        assert_true(v == (rows[i].ok ? rows[i].v : 4711));
    }
}

static void test_u128(void **state)
{
    nv_u128 v = 1;

    (void)state;
    assert_true(parse_u128(span_of("340282366920938463463374607431768211455"), &v));
    assert_true(v == ~(nv_u128)0);
    assert_false(parse_u128(span_of("340282366920938463463374607431768211456"), &v));
    assert_false(parse_u128(span_of("3402823669209384634633746074317682114550"), &v));
    assert_true(v == ~(nv_u128)0);
}

static void test_double(void **state)
{
    static const struct {
        const char *text;
        bool ok;
        double v;
    } rows[] = {
        {"0", true, 0},         {"0.5", true, 0.5},
        {"-2.25", true, -2.25}, {"1e3", true, 1000},
        {"1E+3", true, 1000},   {"25e-2", true, 0.25},
        {"1e-999", true, 0},    {"1.7976931348623157e308", true, 1.7976931348623157e308},
        {"1e309", false, 0},    {"nan", false, 0},
        {"inf", false, 0},      {"0x1p3", false, 0},
        {"1,5", false, 0},      {".5", false, 0},
        {"5.", false, 0},       {"5.e1", false, 0},
        {"e5", false, 0},       {"1e", false, 0},
        {"1e-", false, 0},      {"1 ", false, 0},
        {"+1", false, 0},       {"", false, 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        double v = 4711;

        if (parse_double(span_of(rows[i].text), &v) != rows[i].ok)
            fail_msg("\"%s\"", rows[i].text);
        const double expected = rows[i].ok ? rows[i].v : 4711;

        assert_true(v >= expected && v <= expected);
    }
}

static void test_double_length(void **state)
{
    char text[512];
    double v = 0;

    (void)state;
    memset(text, '1', sizeof(text));
    text[1] = '.';
    assert_true(parse_double((struct span){text, 400}, &v));
    assert_true(v > 1.1 && v < 1.2);
    assert_false(parse_double((struct span){text, 401}, &v));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_u64),           cmocka_unit_test(test_hex),
        cmocka_unit_test(test_cpulist),       cmocka_unit_test(test_i64),
        cmocka_unit_test(test_u128),          cmocka_unit_test(test_double),
        cmocka_unit_test(test_double_length),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
