/* Properties of a user's own do not leave the seam. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probes/host/zfs_filter.h"

#include "advisor/base/banned.h"

static void test_filter(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    static const char text[] = "tank/my\trecordsize\t16384\tlocal\n"
                               "tank/my\tcom.example:password\tsecret\tlocal\n"
                               "tank/my\tkeylocation\tfile:///etc/key\tlocal\n"
                               "tank/my\tcomment\tpassword is\nsecret\tlocal\n"
                               "tank/my\tx:y\tone\ntwo secret\t-\tlocal\n"
                               "secret\n"
                               "tank/my\tsync\tstandard\tdefault";
    assert_true(span_eq_text(zfs_filter(a, SPAN_LIT(text), SPAN_LIT("tank/my")),
                             "tank/my\trecordsize\t16384\tlocal\n"
                             "tank/my\tkeylocation\tfile:///etc/key\tlocal\n"
                             "tank/my\tsync\tstandard\tdefault\n"));
    assert_int_equal(zfs_filter(a, SPAN_LIT(text), SPAN_LIT("tank")).len, 0);
    assert_int_equal(zfs_filter(a, SPAN_LIT(""), SPAN_LIT("tank")).len, 0);
}

#define LINES(name)                                                                                \
    name "\ttype\tfilesystem\t-\n" name "\trecordsize\t16384\tlocal\n"
#define SEVERAL(in, want)                                                                          \
    assert_true(span_eq_text(zfs_filter(a, SPAN_LIT(in), SPAN_LIT("t/a t/b")), want))

static void test_several(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    SEVERAL(LINES("t/a") "t/a\tx:y\tsecret\tlocal\n" LINES("t/b") LINES("t/c"),
            LINES("t/a") LINES("t/b"));
    SEVERAL(LINES("t/b"), LINES("t/b"));
    SEVERAL("", "");
    /* What a value of the first says of the second does not count. */
    SEVERAL(LINES("t/a") "t/a\tx:y\tv\nt/b\tdirect\talways\tlocal\n" LINES("t/b"), LINES("t/a"));
    SEVERAL(LINES("t/a") "t/a\tx:y\tv\n" LINES("t/b") LINES("t/b"), LINES("t/a"));
    SEVERAL(LINES("t/a") "t/b\ttype\tfilesystem\t-\nt/b\trecordsize\t512\tlocal\n" LINES("t/b"),
            LINES("t/a"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_filter),
        cmocka_unit_test(test_several),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
