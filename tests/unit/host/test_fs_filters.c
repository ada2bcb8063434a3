/* What leaves the seam of the table of filesystems and of a process's memory: rows without secrets,
 * names without addresses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/host/fstab_filter.h"
#include "probes/host/maps_filter.h"

#include "advisor/base/banned.h"

static const struct {
    const char *in, *out;
} tables[] = {
    {"", ""},
    {"# comment with a password=x\n\n   \t\n", ""},
    {"UUID=1 / ext4 errors=remount-ro 0 1\n", "UUID=1 / ext4 errors=remount-ro 0 1\n"},
    {"/dev/a /x xfs ro 1\n/dev/b /y xfs ro 0 22\n/dev/c /z xfs ro 0 p\n/dev/d /v xfs ro a 2\n",
     "/dev/a /x xfs ro 1 0\n/dev/b /y xfs ro\n/dev/c /z xfs ro\n/dev/d /v xfs ro\n"},
    {"/dev/a /x xfs ro 0 2 #passwd=x\n", "/dev/a /x xfs ro 0 2\n"},
    {"\t/dev/sda1\t/my\\040dir  xfs\tnoatime,nobarrier",
     "/dev/sda1 /my\\040dir xfs noatime,nobarrier\n"},
    {"/dev/sda1 /x xfs\n", "/dev/sda1 /x xfs defaults\n"},
    {"/dev/sda1 /x xfs ,,a,\n", "/dev/sda1 /x xfs a\n"},
    {"/dev/sda1 /x xfs ,\n", "/dev/sda1 /x xfs defaults\n"},
    {"/dev/sda1 /x\n#/dev/sdb1 /y xfs a\n", ""},
    {"//h/s /m cifs username=u,password=p,credentials=/root/c,cred=/c,ro 0 0\n",
     "//h/s /m cifs username=u,password=***,credentials=***,cred=***,ro 0 0\n"},
    {"//h/s /m cifs user=u%p,pass=q,passwd=r\n", "//h/s /m cifs user=***,pass=***,passwd=***\n"},
    {"https://u:p@h/x /m davfs rw\n", "*** /m davfs rw\n"},
    {"u@h:/x /m fuse.sshfs rw,IdentityFile=/k\n", "*** /m fuse.sshfs rw,IdentityFile=/k\n"},
    {"/dev/a@b /m xfs x-token=1,,=2\n", "/dev/a@b /m xfs x-token=***,=2\n"},
};

static void test_tables(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(tables); i++) {
        ARENA_AUTO a = arena_new();
        struct buf b;
        buf_init(&b, a, 4096);
        fstab_filter(&b, span_of(tables[i].in));
        assert_string_equal(span_dup(a, buf_span(&b)), tables[i].out);
    }
    assert_true(fstab_is_table("/etc/fstab"));
    assert_true(fstab_is_table("/proc/self/root/etc/fstab"));
    assert_false(fstab_is_table("/etc/fstab.d"));
}

static void test_maps(void **state)
{
    (void)state;
    static const char text[] =
        "5581-5582 r--p 00000000 08:01 12  /usr/sbin/mysqld\n"
        "5582-5583 r-xp 00001000 08:01 12  /usr/sbin/mysqld\n"
        "7f00-7f01 rw-p 00000000 00:00 0\n"
        "7f01-7f02 r-xp 00000000 08:01 13  /usr/lib/x86_64-linux-gnu/libjemalloc.so.2\n"
        "7f02-7f03 r-xp 00002000 08:01 13  /usr/lib/x86_64-linux-gnu/libjemalloc.so.2\n"
        "7f03-7f04 r--p 00000000 08:01 14  /usr/lib/libonlydata.so\n"
        "7f04-7f05 r-xp 00000000 08:01 15  /opt/my libs/lib c.so (deleted)\n"
        "7f05-7f06 r-xp 00000000 00:00 0   [vdso]\n"
        "7f06-7f07 r-xp 00000000 08:01 16\n"
        "7f07-7f08 r-xp\n"
        "odd\n";
    ARENA_AUTO a = arena_new();
    struct buf b;
    buf_init(&b, a, 4096);
    maps_keep_names(&b, span_of(text));
    assert_string_equal(span_dup(a, buf_span(&b)),
                        "mysqld\nlibjemalloc.so.2\nlib c.so (deleted)\n");
    assert_true(maps_are_of_process("/proc/1/maps"));
    assert_false(maps_are_of_process("/proc/self/maps"));
    assert_false(maps_are_of_process("/proc//maps"));
    assert_false(maps_are_of_process("/proc/1/smaps"));
    assert_false(maps_are_of_process("/etc/maps"));
}

static void test_many_names(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct buf in, out;
    buf_init(&in, a, 1u << 20);
    for (unsigned i = 0; i < 1000; i++) {
        buf_printf(&in, "1-2 r-xp 0 08:01 1 /lib/l%u.so\n", i);
    }
    buf_init(&out, a, 1u << 20);
    maps_keep_names(&out, buf_span(&in));
    struct span rest = buf_span(&out), line;
    size_t n = 0;
    while (span_line(&rest, &line)) {
        n++;
    }
    assert_int_equal(n, 256);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_maps),
        cmocka_unit_test(test_many_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
