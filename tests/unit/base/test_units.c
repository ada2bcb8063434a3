/* Dimensions, and reading literals with units. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "advisor/base/units.h"

#include "advisor/base/banned.h"

#define NONE                                                                                       \
    {                                                                                              \
        0, 0, 0                                                                                    \
    }
#define BYTES                                                                                      \
    {                                                                                              \
        1, 0, 0                                                                                    \
    }
#define SECONDS                                                                                    \
    {                                                                                              \
        0, 1, 0                                                                                    \
    }
#define RATE                                                                                       \
    {                                                                                              \
        0, -1, 0                                                                                   \
    }
#define BYTE_RATE                                                                                  \
    {                                                                                              \
        1, -1, 0                                                                                   \
    }
#define CELSIUS                                                                                    \
    {                                                                                              \
        0, 0, 1                                                                                    \
    }

static const char *number_text(struct arena *a, struct num n)
{
    struct buf b;

    buf_init(&b, a, 400);
    num_print(&b, n);
    return b.ptr;
}

static const char *dim_text(struct arena *a, struct dim d)
{
    struct buf b;

    buf_init(&b, a, 200);
    dim_print(&b, d);
    return b.ptr;
}

static void test_parse(void **state)
{
    static const struct {
        const char *text;
        struct dim dim;
        const char *value;
    } rows[] = {
        {"0", NONE, "0"},
        {"1e5", NONE, "100000"},
        {"2.5e-1", NONE, "0.25"},
        {"0.1", NONE, "0.1"},
        {"80%", NONE, "0.8"},
        {"200%", NONE, "2"},
        {"0.1%", NONE, "0.001"},
        {"4.167%", NONE, "0.04167"},
        {"1e-2%", NONE, "0.0001"},
        {"0B", BYTES, "0"},
        {"1KiB", BYTES, "1024"},
        {"16KiB", BYTES, "16384"},
        {"128MiB", BYTES, "134217728"},
        {"1.5GiB", BYTES, "1610612736"},
        {"8TiB", BYTES, "8796093022208"},
        {"1PiB", BYTES, "1125899906842624"},
        {"16EiB", BYTES, "18446744073709551616"},
        {"1kB", BYTES, "1000"},
        {"1MB", BYTES, "1000000"},
        {"1GB", BYTES, "1000000000"},
        {"6.4TB", BYTES, "6400000000000"},
        {"2PB", BYTES, "2000000000000000"},
        {"1e3B", BYTES, "1000"},
        {"1e+30B", BYTES, "1e+30"},
        {"512000B", BYTES, "512000"},
        {"500ns", SECONDS, "5e-07"},
        {"250us", SECONDS, "0.00025"},
        {"1.9ms", SECONDS, "0.0019"},
        {"2000ms", SECONDS, "2"},
        {"90s", SECONDS, "90"},
        {"5min", SECONDS, "300"},
        {"1h", SECONDS, "3600"},
        {"1.5h", SECONDS, "5400"},
        {"9d", SECONDS, "777600"},
        {"3degC", CELSIUS, "3"},
        {"-5degC", CELSIUS, "-5"},
        {"-80%", NONE, "-0.8"},
        {"-0B", BYTES, "0"},
        {"16000000000/s", RATE, "16000000000"},
        {"0/s", RATE, "0"},
        {"0.5/s", RATE, "0.5"},
        {"7200/h", RATE, "2"},
        {"10/h", RATE, "0.002777777777777778"},
        {"86400/d", RATE, "1"},
        {"172800B/d", BYTE_RATE, "2"},
        {"6MiB/s", BYTE_RATE, "6291456"},
        {"921.6KiB/s", BYTE_RATE, "943718.4"},
        {"3600B/h", BYTE_RATE, "1"},
        {"1GB/s", BYTE_RATE, "1000000000"},
        {"340282366920938463463374607431768211455B", BYTES,
         "340282366920938463463374607431768211455"},
    };
    ARENA_AUTO a = arena_new();

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct span s = span_of(rows[i].text);
        const char *hint = "left over";
        struct num n = num_u64(4711);
        struct dim d = {9, 9, 9};

        if (!units_parse(s, &n, &d, &hint) || !dim_eq(d, rows[i].dim) ||
            strcmp(number_text(a, n), rows[i].value) != 0)
            fail_msg("%s: %s %s", rows[i].text, number_text(a, n), dim_text(a, d));
        assert_null(hint);
    }
}

static void test_refused(void **state)
{
    static const struct {
        const char *text;
        const char *hint; /* what it begins with */
    } rows[] = {
        {"", NULL},
        {"%", NULL},
        {"KiB", NULL},
        {"1 KiB", NULL},
        {"1KIB", NULL},
        {"1kib", NULL},
        {"1b", NULL},
        {"1sec", NULL},
        {"1S", NULL},
        {"1e", NULL},
        {"1e+", NULL},
        {"1.", NULL},
        {".5", NULL},
        {"1.KiB", NULL},
        {"0x10", NULL},
        {"1,000", NULL},
        {"+1", NULL},
        {"--1", NULL},
        {"1%%", NULL},
        {"1%B", NULL},
        {"1KiB ", NULL},
        {" 1KiB", NULL},
        {"1KiB\n", NULL},
        {"1/", NULL},
        {"1/m", NULL},
        {"1/days", NULL},
        {"1/min", NULL},
        {"1/s/s", NULL},
        {"1s/s", NULL},
        {"5%/s", NULL},
        {"1degC/s", NULL},
        {"1h/h", NULL},
        {"1KiB/S", NULL},
        {"8.0.30", NULL},
        {"1_000", NULL},
        {"1EB", NULL},
        {"unlimited", NULL},
        {"1e400", NULL},
        {"1e99999", NULL},
        {"1e-99999", NULL},
        {"1e99999999999999999999", NULL},
        {"340282366920938463463374607431768211456", NULL},
        {"340282366920938463463374607431768211455KiB", NULL},
        {"340282366920938463463374607431768211455kB", NULL},
        {"1e308KiB", NULL},
        {"1e307kB", NULL},
        {"1\xc2\xb5s", NULL},
        {"16K", "K is 1024"},
        {"16k", "k is 1024"},
        {"1.5M", "M is 1024"},
        {"1m", "m may be"},
        {"64G", "G is 1024"},
        {"64g", "g is 1024"},
        {"2T", "T is 1024"},
        {"2t", "t is 1024"},
        {"1P", "P is 1024"},
        {"1E", "E is 1024"},
        {"16KB", "KB is 1024"},
        {"16kb", "kb may be"},
        {"16K/s", "K is 1024"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *hint = "left over";
        struct num n = num_u64(4711);
        struct dim d = {9, 9, 9};

        if (units_parse(span_of(rows[i].text), &n, &d, &hint))
            fail_msg("\"%s\" was taken", rows[i].text);
        if (rows[i].hint == NULL ? hint != NULL
                                 : hint == NULL || !span_starts(span_of(hint), rows[i].hint))
            fail_msg("\"%s\": hint \"%s\"", rows[i].text, hint == NULL ? "" : hint);
        assert_false(units_parse(span_of(rows[i].text), &n, &d, NULL));
        assert_int_equal(num_cmp(n, num_u64(4711)), 0);
        assert_int_equal(d.byte, 9);
    }
    struct num n;
    struct dim d;

    assert_false(units_parse((struct span){NULL, 0}, &n, &d, NULL));
    assert_false(units_parse(SPAN_LIT("1\0"), &n, &d, NULL));
}

static void test_long_numbers(void **state)
{
    char text[1000];
    struct num n;
    struct dim d;

    (void)state;
    memset(text, '0', sizeof(text));
    text[1] = '.';
    text[99] = '5';
    assert_true(units_parse((struct span){text, 300}, &n, &d, NULL));
    assert_true(num_cmp(n, num_u64(0)) > 0 && num_cmp(n, num_real(1e-97)) < 0);
    assert_false(units_parse((struct span){text, sizeof(text)}, &n, &d, NULL));
    text[1] = '0';
    text[99] = '0';
    assert_true(units_parse((struct span){text, sizeof(text)}, &n, &d, NULL));
    assert_true(num_is_zero(n));
}

static void test_dim(void **state)
{
    static const struct {
        struct dim d;
        const char *text;
    } rows[] = {
        {NONE, "a plain number"},    {BYTES, "bytes"},
        {SECONDS, "seconds"},        {RATE, "1/s"},
        {BYTE_RATE, "bytes/s"},      {CELSIUS, "celsius"},
        {{-1, 0, 0}, "1/byte"},      {{-1, 1, 0}, "seconds/byte"},
        {{2, -2, 0}, "bytes^2/s^2"}, {{1, 1, -1}, "bytes*seconds/celsius"},
        {{-1, -1, 0}, "1/byte/s"},   {{100, 0, -100}, "bytes^100/celsius^100"},
    };
    ARENA_AUTO a = arena_new();
    struct dim d = {7, 7, 7};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_string_equal(dim_text(a, rows[i].d), rows[i].text);
        for (size_t k = 0; k < ARRAY_LEN(rows); k++)
            assert_int_equal(dim_eq(rows[i].d, rows[k].d), i == k);
    }
    assert_true(dim_mul(DIM_BYTES_PER_S, DIM_SECONDS, &d) && dim_eq(d, DIM_BYTES));
    assert_true(dim_div(DIM_BYTES, DIM_SECONDS, &d) && dim_eq(d, DIM_BYTES_PER_S));
    assert_true(dim_div(DIM_CELSIUS, DIM_CELSIUS, &d) && dim_eq(d, DIM_NONE));
    assert_true(dim_mul((struct dim){99, -99, 0}, (struct dim){1, -1, 0}, &d));
    assert_true(dim_eq(d, (struct dim){100, -100, 0}));
    assert_false(dim_mul(d, DIM_BYTES, &d));
    assert_false(dim_div(d, DIM_SECONDS, &d));
    assert_false(dim_mul((struct dim){0, 0, 100}, (struct dim){0, 0, 100}, &d));
    assert_false(dim_div((struct dim){-128, 0, 0}, (struct dim){127, 0, 0}, &d));
    assert_true(dim_eq(d, (struct dim){100, -100, 0}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_long_numbers),
        cmocka_unit_test(test_dim),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
