/* Figures for people, and literals that read back exactly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "advisor/base/units.h"

#include "advisor/base/banned.h"

static void test_print(void **state)
{
    static const struct {
        const char *literal;
        const char *shown;
    } rows[] = {
        {"0B", "0 B"},
        {"1B", "1 B"},
        {"1023B", "1,023 B"},
        {"0.3B", "0.30 B"},
        {"0.001B", "0.001 B"},
        {"500KiB", "500 KiB"},
        {"992MiB", "992 MiB"},
        {"28GiB", "28 GiB"},
        {"64GiB", "64 GiB"},
        {"8TiB", "8 TiB"},
        {"1400GiB", "1.37 TiB"},
        {"1.1GiB", "1.10 GiB"},
        {"231.00000000000003GiB", "231 GiB"},
        {"230.99GiB", "230.99 GiB"},
        {"230.999GiB", "231.00 GiB"},
        {"17536KiB", "17.12 MiB"}, /* 17.125: half to even, as in the worked examples */
        {"19328KiB", "18.88 MiB"}, /* 18.875 */
        {"1014.52MiB", "1,014.52 MiB"},
        {"1023.99MiB", "1,023.99 MiB"},
        {"1023.999MiB", "1.00 GiB"},
        {"1023.99EiB", "1,023.99 EiB"},
        {"5000EiB", "5,000 EiB"},
        {"-1.1GiB", "-1.10 GiB"},
        {"-1234MiB", "-1.21 GiB"},
        {"0B/s", "0 B/s"},
        {"6MiB/s", "6 MiB/s"},
        {"368.64KiB/s", "368.64 KiB/s"},
        {"921.6KiB/s", "921.60 KiB/s"},
        {"2.7MiB/s", "2.70 MiB/s"},
        {"11625", "11,625"},
        {"999", "999"},
        {"1000", "1,000"},
        {"-1000", "-1,000"},
        {"146034152", "146,034,152"},
        {"2062.5", "2,062.50"},
        {"787.5", "787.50"},
        {"0.1", "0.10"},
        {"0.0123", "0.01"},
        {"0.00123", "0.0012"},
        {"-0.25", "-0.25"},
        {"1e16", "10,000,000,000,000,000"},
        {"1e30", "1e+30"},
        {"31000/s", "31,000/s"},
        {"0/s", "0/s"},
        {"0.5/s", "0.50/s"},
        {"10/h", "10/h"},
        {"1/h", "1/h"},
        {"0.9/h", "21.60/d"},
        {"0.25/d", "0.25/d"},
        {"1e-9/s", "8.6e-05/d"},
        {"250us", "250 us"},
        {"1.9ms", "1.90 ms"},
        {"100ns", "0.10 us"},
        {"999.999us", "1.00 ms"},
        {"0s", "0 s"},
        {"1s", "1 s"},
        {"59s", "59 s"},
        {"60s", "1 min"},
        {"90s", "1.50 min"},
        {"3600s", "1 h"},
        {"509h", "21.21 d"},
        {"400d", "400 d"},
        {"45degC", "45 degC"},
        {"-5degC", "-5 degC"},
    };
    ARENA_AUTO a = arena_new();

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct num n;
        struct dim d;
        struct buf b;

        assert_true(units_parse(span_of(rows[i].literal), &n, &d, NULL));
        buf_init(&b, a, 100);
        units_print(&b, n, d, false);
        if (strcmp(b.ptr, rows[i].shown) != 0)
            fail_msg("%s is shown as \"%s\"", rows[i].literal, b.ptr);
    }
}

static void test_print_decimal(void **state)
{
    static const struct {
        const char *literal;
        const char *shown;
    } rows[] = {
        {"0B", "0 B"},
        {"999B", "999 B"},
        {"1kB", "1 kB"},
        {"44296.25B", "44.3 kB"},
        {"512000B", "512 kB"},
        {"1.25MB", "1.2 MB"},
        {"40GiB", "42.95 GB"},
        {"100GB", "100 GB"},
        {"1.2TB", "1.2 TB"},
        {"6468773888000B", "6.469 TB"},
        {"-1.5GB", "-1.5 GB"},
        {"12345PB", "12.345 EB"},
        {"104.94%", "1.0494"},
        {"3", "3"},
        {"12345.5", "12,345.5"},
        {"0.00001", "0"},
        {"5400s", "1.50 h"},
        {"31000/s", "31,000/s"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct buf b;
        struct num n;
        struct dim d;
        buf_init(&b, a, 128);
        assert_true(units_parse(span_of(rows[i].literal), &n, &d, NULL));
        units_print_decimal(&b, n, d);
        assert_string_equal(b.ptr, rows[i].shown);
    }
}

static void test_print_percent(void **state)
{
    static const struct {
        const char *literal;
        const char *shown;
    } rows[] = {
        {"0%", "0 %"},
        {"3%", "3 %"},
        {"43%", "43 %"},
        {"57%", "57 %"},
        {"0.1%", "0.1 %"},
        {"29.3%", "29.3 %"},
        {"36.03%", "36.03 %"},
        {"4.1666666%", "4.167 %"},
        {"100%", "100 %"},
        {"-12.5%", "-12.5 %"},
        {"255%", "255 %"},
        {"1234.56%", "1,235 %"},
        {"12345.6%", "12,346 %"},
        {"1234500%", "1,234,500 %"},
        {"1e30%", "1e+30 %"},
        {"0.00001%", "1e-05 %"},
        {"340282366920938463463374607431768211455",
         "340,282,366,920,938,463,463,374,607,431,768,211,455"},
    };
    ARENA_AUTO a = arena_new();

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct num n;
        struct dim d;
        struct buf b;

        assert_true(units_parse(span_of(rows[i].literal), &n, &d, NULL));
        buf_init(&b, a, 100);
        units_print(&b, n, d, true);
        if (strcmp(b.ptr, rows[i].shown) != 0)
            fail_msg("%s is shown as \"%s\"", rows[i].literal, b.ptr);
    }
}

static void test_print_other(void **state)
{
    ARENA_AUTO a = arena_new();
    struct buf b;

    (void)state;
    buf_init(&b, a, 200);
    units_print(&b, num_unlimited(), DIM_BYTES, false);
    buf_add_text(&b, "; ");
    units_print(&b, num_u64(1200), (struct dim){1, 1, 0}, false);
    buf_add_text(&b, "; ");
    units_print_literal(&b, num_unlimited(), DIM_BYTES, false);
    buf_add_text(&b, "; ");
    units_print_literal(&b, num_u64(1200), (struct dim){1, 1, 0}, false);
    assert_string_equal(b.ptr, "unlimited; 1,200 bytes*seconds; unlimited; 1200 bytes*seconds");
}

static void test_print_literal(void **state)
{
    static const struct {
        const char *literal;
        bool is_ratio;
        const char *shown;
    } rows[] = {
        {"134217728B", false, "128MiB"},
        {"0B", false, "0B"},
        {"1025B", false, "1025B"},
        {"16EiB", false, "16EiB"},
        {"-2048B", false, "-2KiB"},
        {"0.5B", false, "0.5B"},
        {"1e30B", false, "1e+30B"},
        {"6MiB/s", false, "6MiB/s"},
        {"943718.4B/s", false, "943718.4B/s"},
        {"250us", false, "0.00025s"},
        {"0s", false, "0s"},
        {"90s", false, "90s"},
        {"120s", false, "2min"},
        {"3600s", false, "1h"},
        {"48h", false, "2d"},
        {"31000/s", false, "31000/s"},
        {"45degC", false, "45degC"},
        {"3%", true, "3%"},
        {"200%", true, "200%"},
        {"-80%", true, "-80%"},
        {"4.1666666%", true, "4.1666666%"},
        {"3%", false, "0.03"},
        {"340282366920938463463374607431768211455", true,
         "340282366920938463463374607431768211455"},
    };
    ARENA_AUTO a = arena_new();

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct num n;
        struct dim d;
        struct buf b;

        assert_true(units_parse(span_of(rows[i].literal), &n, &d, NULL));
        buf_init(&b, a, 100);
        units_print_literal(&b, n, d, rows[i].is_ratio);
        assert_string_equal(b.ptr, rows[i].shown);
    }
}

static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void check_reads_back(struct num n)
{
    static const struct dim dims[] = {
        {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {1, -1, 0}, {0, 0, 1},
    };
    ARENA_AUTO a = arena_new();

    for (size_t i = 0; i < ARRAY_LEN(dims) * 2; i++) {
        const struct dim d = dims[i / 2];
        struct num back;
        struct dim back_dim;
        struct buf b;

        buf_init(&b, a, 400);
        units_print_literal(&b, n, d, i % 2 == 1);
        if (!units_parse(buf_span(&b), &back, &back_dim, NULL) || back.tag != n.tag ||
            num_cmp(back, n) != 0 || !dim_eq(back_dim, d))
            fail_msg("%s does not read back", b.ptr);
        buf_init(&b, a, 400);
        units_print(&b, n, d, i % 2 == 1);
        assert_false(b.full);
    }
}

/* Literals read back to exactly the number, whatever its kind, size and dimension. */
static void test_random_literals(void **state)
{
    uint64_t seed = 2463534242u;

    (void)state;
    for (int i = 0; i < 2000; i++) {
        const uint64_t bits = next_random(&seed);
        struct num n = num_u128(((nv_u128)bits << 64 | next_random(&seed)) >> (i % 128));
        double v;

        check_reads_back(n);
        n.neg = n.mag != 0;
        check_reads_back(n);
        check_reads_back(num_u64((bits >> 50) << (i % 50)));
        check_reads_back(num_u64((bits >> 44) * 3600));
        check_reads_back(num_real((double)(bits >> 44) / 100000));
        check_reads_back(num_real((double)(bits >> 54) / 1000));
        memcpy(&v, &bits, sizeof(v));
        if (isfinite(v))
            check_reads_back(num_real(v));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_print),           cmocka_unit_test(test_print_percent),
        cmocka_unit_test(test_print_other),     cmocka_unit_test(test_print_literal),
        cmocka_unit_test(test_random_literals), cmocka_unit_test(test_print_decimal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
