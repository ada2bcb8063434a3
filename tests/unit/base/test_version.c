/* Versions as servers, kernels and modules print them, and texts that only look like one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "advisor/base/version.h"

#include "advisor/base/banned.h"

static const char *text_of(struct arena *a, const struct version *v)
{
    struct buf b;

    buf_init(&b, a, 100);
    version_print(&b, v);
    return b.ptr;
}

static void test_parse(void **state)
{
    static const struct {
        const char *in;
        const char *out; /* NULL: refused */
        bool exact;
    } rows[] = {
        {"8.0.30", "8.0.30", true},
        {"8.4", "8.4", true},
        {"26.7.0", "26.7.0", true},
        {"1.2.3.4", "1.2.3.4", true},
        {"08.00.036", "8.0.36", true},
        {"999999999.0", "999999999.0", true},
        {"10.11.19-MariaDB-0+deb12u1", "10.11.19", false},
        {"11.8.9-MariaDB-0+deb13u1 from Debian", "11.8.9", false},
        {"5.5.5-10.11.19-MariaDB", "10.11.19", false},
        {"5.5.5-10.4.2", "10.4.2", false},
        {"5.5.5-m3", "5.5.5", false},
        {"5.5.5-9.1", "5.5.5", false},
        {"5.5.5-10", "5.5.5", false},
        {"5.5.5-10.1000000000", "5.5.5", false},
        {"5.5.5", "5.5.5", true},
        {"8.0.36-28", "8.0.36", false},
        {"9.7.4-2", "9.7.4", false},
        {"6.1.0-57-amd64", "6.1.0", false},
        {"2.1.11+deb12", "2.1.11", false},
        {"8.0.36rc1", "8.0.36", false},
        {"5.4.el8", "5.4", false},
        {"8.0.36 (Debian)", "8.0.36", false},
        {"8.0.36\n", "8.0.36", false},
        {"8.0.36~beta", "8.0.36", false},
        {"", NULL, false},
        {"8", NULL, false},
        {"8.", NULL, false},
        {"8.0.", NULL, false},
        {"8.0.-1", NULL, false},
        {"8..0", NULL, false},
        {".8.0", NULL, false},
        {"v8.0", NULL, false},
        {" 8.0", NULL, false},
        {"-8.0", NULL, false},
        {"8.0,36", NULL, false},
        {"8.0:36", NULL, false},
        {"1000000000.0", NULL, false},
        {"8.4294967296", NULL, false},
        {"8.99999999999999999999999", NULL, false},
        {"1.2.3.4.5", NULL, false},
        {"8.0\xff", NULL, false},
    };
    ARENA_AUTO a = arena_new();

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct version v = {{47, 11}, 2};
        const bool ok = version_parse(span_of(rows[i].in), &v);

        if (ok != (rows[i].out != NULL) || strcmp(text_of(a, &v), ok ? rows[i].out : "47.11") != 0)
            fail_msg("\"%s\": %s", rows[i].in, text_of(a, &v));
        if (version_parse_exact(span_of(rows[i].in), &v) != rows[i].exact)
            fail_msg("exact \"%s\"", rows[i].in);
    }
}

static void test_no_nul_inside(void **state)
{
    struct version v;

    (void)state;
    assert_false(version_parse(SPAN_LIT("8.0\0.36"), &v));
    assert_false(version_parse((struct span){NULL, 0}, &v));
    assert_false(version_parse_exact((struct span){"8.0.36", 2}, &v));
}

static void test_cmp(void **state)
{
    static const char *const ascending[] = {
        "5.7.44", "8.0.4", "8.0.30", "8.0.30.1", "8.0.36", "8.4", "8.4.1", "9.7", "10.11", "26.7",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(ascending); i++) {
        for (size_t k = 0; k < ARRAY_LEN(ascending); k++) {
            struct version a, b;

            assert_true(version_parse_exact(span_of(ascending[i]), &a));
            assert_true(version_parse_exact(span_of(ascending[k]), &b));
            assert_int_equal(version_cmp(&a, &b), (i > k) - (i < k));
        }
    }

    struct version two, three;

    assert_true(version_parse_exact(span_of("8.4"), &two));
    assert_true(version_parse_exact(span_of("8.4.0"), &three));
    assert_int_equal(version_cmp(&two, &three), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_no_nul_inside),
        cmocka_unit_test(test_cmp),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
