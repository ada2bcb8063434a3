/* Properties of ZFS, as zfs get and zpool get print them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probes/zfs_text.h"

#include "advisor/base/banned.h"

static void test_properties(void **state)
{
    (void)state;
    static const char text[] = "tank/my sql\trecordsize\t16384\tlocal\n"
                               "tank/my sql\tcompressratio\t1.83\t-\n"
                               "tank/my sql\torigin\t-\t-\n"
                               "tank/my sql\tsync\n"
                               "recordsize\n"
                               "tank/my sql\trecordsize\t4096\tlocal\n"
                               "tank/my sql\tlast\tvalue";
    struct span v;
    assert_true(zfs_property(SPAN_LIT(text), "recordsize", &v) && span_eq_text(v, "16384"));
    assert_true(zfs_property(SPAN_LIT(text), "compressratio", &v) && span_eq_text(v, "1.83"));
    assert_true(zfs_property(SPAN_LIT(text), "last", &v) && span_eq_text(v, "value"));
    assert_false(zfs_property(SPAN_LIT(text), "origin", &v));
    assert_false(zfs_property(SPAN_LIT(text), "sync", &v));
    assert_false(zfs_property(SPAN_LIT(text), "record", &v));
    assert_false(zfs_property(SPAN_LIT(""), "sync", &v));
}

static void test_origins(void **state)
{
    (void)state;
    static const char text[] = "tank/my\trecordsize\t16384\tinherited from tank\n"
                               "tank/my\tatime\toff\tlocal\n"
                               "tank/my\tsync\tstandard\n"
                               "tank/my\tlogbias\tlatency\t\n";
    assert_true(span_eq_text(zfs_property_origin(SPAN_LIT(text), "recordsize"), "inherited"));
    assert_true(span_eq_text(zfs_property_origin(SPAN_LIT(text), "atime"), "local"));
    assert_int_equal(zfs_property_origin(SPAN_LIT(text), "sync").len, 0);
    assert_int_equal(zfs_property_origin(SPAN_LIT(text), "logbias").len, 0);
    assert_int_equal(zfs_property_origin(SPAN_LIT(text), "absent").len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_properties),
        cmocka_unit_test(test_origins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
