/* mountinfo: fields, escapes, hostile lines, and the three ways to find a mount. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/mountinfo.h"

#include "advisor/base/banned.h"

static const char table[] =
    "22 27 0:21 / /proc rw,relatime - proc proc rw\n"
    "27 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw,errors=remount-ro\n"
    "40 27 253:0 / /data rw,noatime shared:7 master:3 propagate_from:2 - xfs /dev/mapper/vg-data "
    "rw,attr2,logbsize=32k\n"
    "41 27 253:0 /mysql /srv/my\\040sql rw,noatime - xfs /dev/mapper/vg-data rw\n"
    "42 27 0:44 / /data/tmp rw - tmpfs  rw,size=1k\n"
    "43 40 253:0 /other /data rw - xfs /dev/mapper/vg-data rw\n";

static struct mountinfo parse(struct arena *a, const char *text)
{
    struct mountinfo mi;
    mountinfo_parse(a, span_of(text), &mi);
    return mi;
}

static void test_fields(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct mountinfo mi = parse(a, table);
    assert_int_equal(mi.n, 6);
    assert_int_equal(mi.skipped, 0);
    const struct mount *m = mountinfo_by_id(&mi, 40);
    assert_non_null(m);
    assert_int_equal(m->parent, 27);
    assert_int_equal(m->major, 253);
    assert_int_equal(m->minor, 0);
    assert_true(span_eq_text(m->root, "/"));
    assert_true(span_eq_text(m->mountpoint, "/data"));
    assert_true(span_eq_text(m->options, "rw,noatime"));
    assert_true(span_eq_text(m->fstype, "xfs"));
    assert_true(span_eq_text(m->source, "/dev/mapper/vg-data"));
    assert_true(span_eq_text(m->super, "rw,attr2,logbsize=32k"));
    m = mountinfo_by_id(&mi, 41);
    assert_non_null(m);
    assert_true(span_eq_text(m->mountpoint, "/srv/my sql"));
    m = mountinfo_by_id(&mi, 42);
    assert_non_null(m);
    assert_int_equal(m->source.len, 0);
    assert_true(span_eq_text(m->super, "rw,size=1k"));
    assert_null(mountinfo_by_id(&mi, 99));
}

static void test_lines(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
        size_t n, skipped;
    } rows[] = {
        {"empty", "", 0, 0},
        {"blank lines", "\n\n\n", 0, 0},
        {"cut in the middle", "22 27 0:21 / /proc rw - pr", 0, 1},
        {"cut before the dash", "22 27 0:21 / /proc rw,relatime shared:1", 0, 1},
        {"no options field", "22 27 0:21 / /proc - proc proc rw", 0, 1},
        {"negative id", "-2 27 0:21 / /proc rw - proc proc rw", 0, 1},
        {"id too large", "99999999999999999999 27 0:21 / /p rw - proc proc rw", 0, 1},
        {"minor too large", "2 27 0:4294967296 / /p rw - proc proc rw", 0, 1},
        {"no minor", "2 27 0 / /p rw - proc proc rw", 0, 1},
        {"empty device", "2 27 : / /p rw - proc proc rw", 0, 1},
        {"two blanks", "2  27 0:1 / /p rw - proc proc rw", 0, 1},
        {"no super options", "2 27 0:1 / /p rw - proc proc", 1, 0},
        {"type only", "2 27 0:1 / /p rw - proc", 0, 1},
        {"not UTF-8", "2 27 0:1 / /\xff\xfe rw - proc \xc0 rw", 1, 0},
        {"CR at the end", "2 27 0:1 / /p rw - proc proc rw\r\n", 1, 0},
        {"a bad line between good ones",
         "2 27 0:1 / /p rw - proc proc rw\nrubbish\n3 27 0:2 / /q rw - sysfs sysfs rw", 2, 1},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct mountinfo mi = parse(a, rows[i].text);
        if (mi.n != rows[i].n || mi.skipped != rows[i].skipped) {
            fail_msg("%s: %zu rows, %zu skipped", rows[i].name, mi.n, mi.skipped);
        }
    }
}

static void test_escapes(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
        size_t len;
    } rows[] = {
        {"/a\\040b", "/a b", 4},     {"/a\\011\\012\\134b", "/a\t\n\\b", 6},
        {"/a\\04", "/a\\04", 5},     {"/a\\", "/a\\", 3},
        {"/a\\400b", "/a\\400b", 7}, {"/a\\377", "/a\xff", 3},
        {"/a\\000b", "/a\0b", 4},    {"/a\\089", "/a\\089", 6},
        {"/a\\\\040", "/a\\ ", 4},   {"/\\0400", "/ 0", 3},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct mountinfo mi =
            parse(a, arena_printf(a, "2 1 8:1 / %s rw - ext4 /dev/x rw", rows[i].in));
        assert_int_equal(mi.n, 1);
        struct span want = {rows[i].out, rows[i].len};
        if (!span_eq(mi.rows[0].mountpoint, want)) {
            fail_msg("%s gives '%.*s'", rows[i].in, SPAN_ARG(mi.rows[0].mountpoint));
        }
    }
}

static void test_nul_inside(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    static const char text[] = "2 27 0:1 / /p\0q rw - proc proc rw\n3 27 0:2 / /q rw - t t rw\n";
    struct mountinfo mi;
    mountinfo_parse(a, (struct span){text, sizeof(text) - 1}, &mi);
    assert_int_equal(mi.n, 2);
    assert_int_equal(mi.rows[0].mountpoint.len, 4);
    assert_null(mountinfo_by_path(&mi, SPAN_LIT("/p")));
}

static void test_by_path(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct mountinfo mi = parse(a, table);
    static const struct {
        const char *path;
        uint64_t id;
    } rows[] = {
        {"/", 27},        {"/var/lib", 27},     {"/database", 27},       {"/data", 43},
        {"/data/x", 43},  {"/data/tmp/y", 42},  {"/srv/my sql/ib", 41},  {"/srv", 27},
        {"/data/tm", 43}, {"/data/tmpfoo", 43}, {"/proc/1/mountinfo", 22},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct mount *m = mountinfo_by_path(&mi, span_of(rows[i].path));
        if (m == NULL || m->id != rows[i].id) {
            fail_msg("%s gives %llu", rows[i].path,
                     m == NULL ? 0ull : (unsigned long long)m->id);
        }
    }
    assert_null(mountinfo_by_path(&mi, (struct span){"", 0}));
    assert_null(mountinfo_by_path(&mi, SPAN_LIT("relative")));
}

static void test_by_device(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct mountinfo mi = parse(a, table);
    bool exact = false;
    const struct mount *m = mountinfo_by_device(&mi, 253, 0, SPAN_LIT("/srv/my sql/db"), &exact);
    assert_non_null(m);
    assert_int_equal(m->id, 41);
    assert_true(exact);
    m = mountinfo_by_device(&mi, 253, 0, SPAN_LIT("/elsewhere"), &exact);
    assert_non_null(m);
    assert_int_equal(m->id, 43);
    assert_false(exact);
    assert_null(mountinfo_by_device(&mi, 8, 1, SPAN_LIT("/"), &exact));
}

static void test_options(void **state)
{
    (void)state;
    struct span v = {"x", 1};
    struct span options = SPAN_LIT("rw,discard=async,nobarrier,data=journal,compress=zstd:3,=,");
    assert_true(mount_option(options, "discard", &v));
    assert_true(span_eq_text(v, "async"));
    assert_true(mount_option(options, "nobarrier", &v));
    assert_int_equal(v.len, 0);
    assert_true(mount_option(options, "compress", &v));
    assert_true(span_eq_text(v, "zstd:3"));
    assert_false(mount_option(options, "barrier", &v));
    assert_false(mount_option(options, "nodiscard", NULL));
    assert_false(mount_option((struct span){"", 0}, "rw", NULL));
}

static void test_many(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct buf b;
    buf_init(&b, a, 8u * 1024 * 1024);
    for (unsigned i = 0; i < 66000; i++) {
        buf_printf(&b, "%u 1 0:%u / /m%u rw - tmpfs t rw\n", i, i, i);
    }
    assert_false(b.full);
    struct mountinfo mi;
    mountinfo_parse(a, buf_span(&b), &mi);
    assert_int_equal(mi.n, 65536);
    assert_int_equal(mi.skipped, 66000 - 65536);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),     cmocka_unit_test(test_lines),
        cmocka_unit_test(test_escapes),    cmocka_unit_test(test_nul_inside),
        cmocka_unit_test(test_by_path),    cmocka_unit_test(test_by_device),
        cmocka_unit_test(test_options),    cmocka_unit_test(test_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
