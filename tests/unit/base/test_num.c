/* Numbers: exact arithmetic with limits, order across kinds, and texts that read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <locale.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "advisor/base/num.h"

#include "advisor/base/banned.h"

#define U128_MAX_TEXT "340282366920938463463374607431768211455"
#define TWO_TO_53_REAL "9007199254740992.0"

static struct num num_of(const char *text)
{
    struct num n = num_u64(0);

    if (!num_parse(span_of(text), &n))
        fail_msg("not a number: %s", text);
    return n;
}

static const char *text_of(struct arena *a, struct num n)
{
    struct buf b;

    buf_init(&b, a, 400);
    num_print(&b, n);
    return b.ptr;
}

static void test_arithmetic(void **state)
{
    static const struct {
        const char *a;
        char op;
        const char *b;
        enum num_status status;
        const char *result;
    } rows[] = {
        {"2", '+', "3", NUM_OK, "5"},
        {"2", '+', "-3", NUM_OK, "-1"},
        {"-2", '+', "3", NUM_OK, "1"},
        {"-2", '+', "-3", NUM_OK, "-5"},
        {"3", '+', "-3", NUM_OK, "0"},
        {"0.5", '+', "0.5", NUM_OK, "1"},
        {"1", '+', "0.25", NUM_OK, "1.25"},
        {U128_MAX_TEXT, '+', "1", NUM_OVERFLOW, NULL},
        {U128_MAX_TEXT, '+', "-1", NUM_OK, "340282366920938463463374607431768211454"},
        {"-" U128_MAX_TEXT, '+', "-1", NUM_OVERFLOW, NULL},
        {"1.7e308", '+', "1.7e308", NUM_OVERFLOW, NULL},
        {"unlimited", '+', "-5", NUM_OK, "unlimited"},
        {"1", '+', "unlimited", NUM_OK, "unlimited"},
        {"unlimited", '+', "unlimited", NUM_OK, "unlimited"},
        {"5", '-', "7", NUM_OK, "-2"},
        {"0", '-', "0", NUM_OK, "0"},
        {"5", '-', "0", NUM_OK, "5"},
        {"0.25", '-', "0.75", NUM_OK, "-0.5"},
        {"-" U128_MAX_TEXT, '-', "1", NUM_OVERFLOW, NULL},
        {"unlimited", '-', "1e300", NUM_OK, "unlimited"},
        {"1", '-', "unlimited", NUM_UNDEFINED, NULL},
        {"unlimited", '-', "unlimited", NUM_UNDEFINED, NULL},
        {"-4", '*', "6", NUM_OK, "-24"},
        {"-4", '*', "0", NUM_OK, "0"},
        {"18446744073709551615", '*', "18446744073709551615", NUM_OK,
         "340282366920938463426481119284349108225"},
        {"18446744073709551616", '*', "18446744073709551616", NUM_OVERFLOW, NULL},
        {"0.1", '*', "31000", NUM_OK, "3100"},
        {"1e200", '*', "1e200", NUM_OVERFLOW, NULL},
        {"unlimited", '*', "2", NUM_OK, "unlimited"},
        {"0.5", '*', "unlimited", NUM_OK, "unlimited"},
        {"unlimited", '*', "unlimited", NUM_OK, "unlimited"},
        {"unlimited", '*', "0", NUM_UNDEFINED, NULL},
        {"0", '*', "unlimited", NUM_UNDEFINED, NULL},
        {"unlimited", '*', "-1", NUM_UNDEFINED, NULL},
        {"-0.5", '*', "unlimited", NUM_UNDEFINED, NULL},
        {"12", '/', "-4", NUM_OK, "-3"},
        {"1", '/', "4", NUM_OK, "0.25"},
        {U128_MAX_TEXT, '/', "3", NUM_OK, "113427455640312821154458202477256070485"},
        {"7.5", '/', "2.5", NUM_OK, "3"},
        {"7", '/', "0", NUM_DIV_ZERO, NULL},
        {"0", '/', "0", NUM_DIV_ZERO, NULL},
        {"0.5", '/', "0", NUM_DIV_ZERO, NULL},
        {"unlimited", '/', "0", NUM_DIV_ZERO, NULL},
        {"1e300", '/', "1e-300", NUM_OVERFLOW, NULL},
        {"unlimited", '/', "3", NUM_OK, "unlimited"},
        {"unlimited", '/', "-3", NUM_UNDEFINED, NULL},
        {"unlimited", '/', "unlimited", NUM_UNDEFINED, NULL},
        {"3", '/', "unlimited", NUM_OK, "0"},
        {"-0.5", '/', "unlimited", NUM_OK, "0"},
    };
    ARENA_AUTO arena = arena_new();

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct num a = num_of(rows[i].a);
        const struct num b = num_of(rows[i].b);
        struct num r = num_u64(4711);
        const enum num_status st = rows[i].op == '+'   ? num_add(a, b, &r)
                                   : rows[i].op == '-' ? num_sub(a, b, &r)
                                   : rows[i].op == '*' ? num_mul(a, b, &r)
                                                       : num_div(a, b, &r);
        const char *const expected = rows[i].status == NUM_OK ? rows[i].result : "4711";

        if (st != rows[i].status || strcmp(text_of(arena, r), expected) != 0)
            fail_msg("%s %c %s: status %d, %s", rows[i].a, rows[i].op, rows[i].b, (int)st,
                     text_of(arena, r));
    }
}

static void test_order(void **state)
{
    /* Strictly ascending. The reals stand between whole numbers that a double cannot tell apart. */
    static const char *const rows[] = {
        "-1e300",
        "-" U128_MAX_TEXT,
        "-9007199254740993",
        "-" TWO_TO_53_REAL,
        "-9007199254740991",
        "-1.5",
        "-1",
        "-0.5",
        "0",
        "1e-300",
        "0.5",
        "1",
        "1.5",
        "2",
        "2.5",
        "9007199254740991",
        TWO_TO_53_REAL,
        "9007199254740993",
        "9007199254740994.0",
        "340282366920938425684442744474606501888.0",
        "340282366920938425684442744474606501889",
        U128_MAX_TEXT,
        "340282366920938463463374607431768211456.0",
        "1e300",
        "unlimited",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        for (size_t k = 0; k < ARRAY_LEN(rows); k++) {
            const int order = num_cmp(num_of(rows[i]), num_of(rows[k]));

            if (order != (i > k) - (i < k))
                fail_msg("%s against %s: %d", rows[i], rows[k], order);
        }
    }
    assert_int_equal(num_cmp(num_of("9007199254740992"), num_of(TWO_TO_53_REAL)), 0);
    assert_int_equal(num_cmp(num_of("-9007199254740992"), num_of("-" TWO_TO_53_REAL)), 0);
}

static void test_make(void **state)
{
    ARENA_AUTO a = arena_new();

    (void)state;
    assert_string_equal(text_of(a, num_i64(INT64_MIN)), "-9223372036854775808");
    assert_string_equal(text_of(a, num_i64(INT64_MAX)), "9223372036854775807");
    assert_string_equal(text_of(a, num_i64(-1)), "-1");
    assert_string_equal(text_of(a, num_u64(UINT64_MAX)), "18446744073709551615");
    assert_string_equal(text_of(a, num_u128(~(nv_u128)0)), U128_MAX_TEXT);
    assert_int_equal(num_real(-0.0).tag, NUM_INT);
    assert_false(num_real(-0.0).neg);
    assert_int_equal(num_real(-7.0).tag, NUM_INT);
    assert_int_equal(num_real(9007199254740991.0).tag, NUM_INT);
    assert_int_equal(num_real(9007199254740992.0).tag, NUM_REAL);
    assert_int_equal(num_real(0.5).tag, NUM_REAL);
    assert_true(num_is_zero(num_real(0.0)));
    assert_false(num_is_zero(num_real(1e-320)));
    assert_false(num_is_zero(num_unlimited()));
    assert_true(isinf(num_to_double(num_unlimited())) && num_to_double(num_unlimited()) > 0);
    assert_true(num_to_double(num_i64(-3)) < -2.9 && num_to_double(num_i64(-3)) > -3.1);
}

/* A defect upstream must not become a number: the process ends, in every build. */
static void test_not_finite(void **state)
{
    const double bad[] = {NAN, HUGE_VAL, -HUGE_VAL};

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        int status = 0;
        const pid_t child = fork();

        assert_true(child >= 0);
        if (child == 0) {
            signal(SIGABRT, SIG_DFL);
            prctl(PR_SET_DUMPABLE, 0);
            (void)num_real(bad[i]);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    }
}

static void test_floor_ceil(void **state)
{
    static const struct {
        const char *n, *floor, *ceil;
    } rows[] = {
        {"2.5", "2", "3"},
        {"-2.5", "-3", "-2"},
        {"-0.5", "-1", "0"},
        {"7", "7", "7"},
        {"1e20", "100000000000000000000", "100000000000000000000"},
        {"1e300", "1e+300", "1e+300"},
        {"unlimited", "unlimited", "unlimited"},
    };
    ARENA_AUTO a = arena_new();

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct num n;

        assert_int_equal(num_floor(num_of(rows[i].n), &n), NUM_OK);
        assert_string_equal(text_of(a, n), rows[i].floor);
        assert_int_equal(num_ceil(num_of(rows[i].n), &n), NUM_OK);
        assert_string_equal(text_of(a, n), rows[i].ceil);
        assert_false(n.tag == NUM_INT && n.mag == 0 && n.neg);
    }
}

static void test_to_u64(void **state)
{
    static const struct {
        const char *n;
        bool ok;
        uint64_t v;
    } rows[] = {
        {"0", true, 0},
        {"18446744073709551615", true, UINT64_MAX},
        {"18446744073709551616", false, 0},
        {"-1", false, 0},
        {"0.5", false, 0},
        {"-0.5", false, 0},
        {"1e15", true, 1000000000000000},
        {"1e19", true, 10000000000000000000u},
        {"1e20", false, 0},
        {"unlimited", false, 0},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint64_t v = 99;

        assert_int_equal(num_to_u64(num_of(rows[i].n), &v), rows[i].ok);
        assert_true(v == (rows[i].ok ? rows[i].v : 99));
    }
}

static void test_text(void **state)
{
    static const struct {
        const char *in;
        const char *out; /* NULL: refused */
    } rows[] = {
        {"12", "12"},
        {"-3", "-3"},
        {"-0", "0"},
        {"007", "7"},
        {"0.25", "0.25"},
        {"0.1", "0.1"},
        {"1.0", "1"},
        {"1e30", "1e+30"},
        {"1E3", "1000"},
        {"-1.5e-7", "-1.5e-07"},
        {"0.30000000000000004", "0.30000000000000004"},
        {"9007199254740992.0", "9007199254740992.0"},
        {U128_MAX_TEXT, U128_MAX_TEXT},
        {"340282366920938463463374607431768211456", NULL},
        {"1e309", NULL},
        {"unlimited", "unlimited"},
        {"Unlimited", NULL},
        {"-unlimited", NULL},
        {"", NULL},
        {"-", NULL},
        {"+1", NULL},
        {" 1", NULL},
        {"1 ", NULL},
        {"1,000", NULL},
        {"0x10", NULL},
        {".5", NULL},
        {"5.", NULL},
        {"1e", NULL},
        {"1e+", NULL},
        {"--1", NULL},
        {"nan", NULL},
        {"inf", NULL},
        {"1.2.3", NULL},
        {"1e5.0", NULL},
    };
    ARENA_AUTO a = arena_new();
    struct num n = num_u64(4711);

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (num_parse(span_of(rows[i].in), &n) != (rows[i].out != NULL))
            fail_msg("\"%s\"", rows[i].in);
        if (rows[i].out != NULL)
            assert_string_equal(text_of(a, n), rows[i].out);
    }
    assert_false(num_parse(SPAN_LIT("1\0"), &n));
    assert_false(num_parse((struct span){NULL, 0}, &n));
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
    ARENA_AUTO a = arena_new();
    const char *const text = text_of(a, n);
    struct num back;

    if (!num_parse(span_of(text), &back) || back.tag != n.tag || num_cmp(back, n) != 0)
        fail_msg("%s does not read back", text);
}

static void test_random_text(void **state)
{
    uint64_t seed = 88172645463325252u;

    (void)state;
    for (int i = 0; i < 20000; i++) {
        const uint64_t bits = next_random(&seed);
        double v;

        memcpy(&v, &bits, sizeof(v));
        if (isfinite(v))
            check_reads_back(num_real(v));
        check_reads_back(num_real((double)(bits >> 40) / 1000));
        check_reads_back(num_u128(((nv_u128)bits << 64 | next_random(&seed)) >> (i % 128)));
    }
}

/* A process with a decimal comma writes and reads the same texts. */
static void test_locale(void **state)
{
    (void)state;
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL)
        skip();

    ARENA_AUTO a = arena_new();

    assert_string_equal(text_of(a, num_of("0.25")), "0.25");
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arithmetic),  cmocka_unit_test(test_order),
        cmocka_unit_test(test_make),        cmocka_unit_test(test_floor_ceil),
        cmocka_unit_test(test_to_u64),      cmocka_unit_test(test_text),
        cmocka_unit_test(test_random_text), cmocka_unit_test(test_locale),
        cmocka_unit_test(test_not_finite),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
