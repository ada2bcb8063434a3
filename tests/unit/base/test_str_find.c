/* Texts in texts, words of lists, paths below paths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "advisor/base/str.h"

#include "advisor/base/banned.h"

static void test_find(void **state)
{
    (void)state;
    assert_true(span_contains(SPAN_LIT("a raid1 b"), "raid1") && span_contains((struct span){NULL, 0}, ""));
    assert_false(span_contains(SPAN_LIT("raid"), "raid1") || span_contains((struct span){NULL, 0}, "x"));
    assert_true(span_in_words(SPAN_LIT("b"), "a,b,c") && span_in_words(SPAN_LIT("c"), "a,b,c"));
    assert_false(span_in_words(SPAN_LIT("ab"), "a,b") || span_in_words(SPAN_LIT("a,b"), "a,b"));
    assert_true(span_path_below(SPAN_LIT("/data"), SPAN_LIT("/data")));
    assert_true(span_path_below(SPAN_LIT("/data/x"), SPAN_LIT("/data")) && span_path_below(SPAN_LIT("/x"), SPAN_LIT("/")));
    assert_false(span_path_below(SPAN_LIT("/database"), SPAN_LIT("/data")) || span_path_below(SPAN_LIT("x"), SPAN_LIT("/")));
    assert_false(span_path_below(SPAN_LIT("/"), SPAN_LIT("/data")) || span_path_below(SPAN_LIT("/"), (struct span){NULL, 0}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_find)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
