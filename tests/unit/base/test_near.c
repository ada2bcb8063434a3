/* Distances between words: each kind of slip, both ways round. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "advisor/base/near.h"

#include "advisor/base/banned.h"

static const struct {
    const char *a, *b;
    unsigned want;
} rows[] = {
    {"", "", 0},
    {"", "abc", 3},
    {"abc", "abc", 0},
    {"ABC", "abc", 0},
    {"abc", "abd", 1},
    {"abc", "ab", 1},
    {"abc", "abxc", 1},
    {"socket", "sokcet", 1},
    {"format", "from", 3},
    {"format", "fromat", 1},
    {"kitten", "sitting", 3},
    {"ab", "ba", 1},
    {"ca", "abc", 3},
    {"aaaa", "bbbb", 4},
    {"a", "b", 1},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct span a = span_of(rows[i].a), b = span_of(rows[i].b);
        if (near_distance(a, b) != rows[i].want || near_distance(b, a) != rows[i].want) {
            fail_msg("'%s', '%s': %u and %u, not %u", rows[i].a, rows[i].b, near_distance(a, b),
                     near_distance(b, a), rows[i].want);
        }
    }
}

static void test_limits(void **state)
{
    (void)state;
    char text[NEAR_WORD_MAX + 1];
    memset(text, 'x', sizeof(text));
    const struct span fits = {text, NEAR_WORD_MAX}, longer = {text, sizeof(text)};
    assert_int_equal(near_distance(fits, fits), 0);
    assert_int_equal(near_distance(fits, (struct span){text, 0}), NEAR_WORD_MAX);
    assert_int_equal(near_distance(longer, longer), NEAR_WORD_MAX);
    assert_int_equal(near_distance(SPAN_LIT("x"), longer), NEAR_WORD_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
