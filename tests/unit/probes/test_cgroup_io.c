/* Limits of control groups on disks: lines of v2 and v1, levels, and what is malformed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/cgroup_io.h"
#include "tests/lib/fakehost.h"

#include "advisor/base/banned.h"

/* "8:16 read write writes; …", max where there is none. */
static const char *text_of(struct arena *a, const struct cgroup_io_list *list)
{
    struct buf b;
    buf_init(&b, a, 4096);
    for (size_t i = 0; i < list->n; i++) {
        const struct cgroup_io *const io = &list->list[i];
        const struct num parts[] = {io->read_bytes, io->write_bytes, io->writes};
        buf_printf(&b, "%s%u:%u", i == 0 ? "" : "; ", io->major, io->minor);
        for (size_t k = 0; k < ARRAY_LEN(parts); k++) {
            uint64_t n = 0;
            if (parts[k].tag == NUM_UNLIMITED) {
                buf_add_text(&b, " max");
            } else {
                assert_true(num_to_u64(parts[k], &n));
                buf_printf(&b, " %llu", (unsigned long long)n);
            }
        }
    }
    return span_dup(a, buf_span(&b));
}

static const struct {
    const char *in, *out; /* NULL: malformed */
} lines[] = {
    {"", ""},
    {"8:16 rbps=2097152 wbps=max riops=max wiops=120\n", "8:16 2097152 max 120"},
    {"8:16 rbps=5\n8:0 wbps=7 later=word\n", "8:16 5 max max; 8:0 max 7 max"},
    {"8:16 rbps=5\n8:16 rbps=3 wbps=9\n", "8:16 3 9 max"},
    {"8:16 rbps=18446744073709551615\n", "8:16 18446744073709551615 max max"},
    {"8:16\n", "8:16 max max max"},
    {"816 rbps=5\n", NULL},
    {"8:16 rbps\n", NULL},
    {"8:16 rbps=-1\n", NULL},
    {"8:16 rbps=\n", NULL},
    {"4294967296:0 rbps=1\n", NULL},
    {":16 rbps=1\n", NULL},
    {"\n", NULL},
};

static void test_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        ARENA_AUTO a = arena_new();
        struct cgroup_io_list list = {.n = 0};
        const bool ok = cgroup_io_add_max(a, span_of(lines[i].in), &list);
        assert_int_equal(ok, lines[i].out != NULL);
        if (ok) {
            assert_string_equal(text_of(a, &list), lines[i].out);
        }
    }
}

static void test_throttle(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct cgroup_io_list list = {.n = 0};
    assert_true(
        cgroup_io_add_throttle(a, SPAN_LIT("8:16 1048576\n8:0 5\n"), CGROUP_IO_READ_BYTES, &list));
    assert_true(cgroup_io_add_throttle(a, SPAN_LIT("8:16 9\n"), CGROUP_IO_WRITES, &list));
    assert_string_equal(text_of(a, &list), "8:16 1048576 max 9; 8:0 5 max max");
    static const char *const bad[] = {"8:16\n", "8:16 max\n", "8:16 1 2\n", "x 1\n"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        assert_false(cgroup_io_add_throttle(a, span_of(bad[i]), CGROUP_IO_WRITE_BYTES, &list));
    }
    struct buf b;
    buf_init(&b, a, 1u << 20);
    for (unsigned i = 0; i < 300; i++) {
        buf_printf(&b, "%u:0 rbps=1\n", i);
    }
    assert_false(cgroup_io_add_max(a, buf_span(&b), &list));
}

static void test_levels(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct host *const h = fakehost_new(a);
    struct cgroup g = {
        .v2 = true, .path = SPAN_LIT("/a/b"), .mount = "/sys/fs/cgroup", .below = "/a/b"};
    struct cgroup_io_list list;
    struct err err = ERR_INIT;
    assert_true(cgroup_io_read(h, a, &g, &list, &err));
    assert_int_equal(list.n, 0);
    fakehost_file(h, "/sys/fs/cgroup/a/b/io.max", "8:0 rbps=100 wbps=max riops=max wiops=max\n");
    fakehost_file(h, "/sys/fs/cgroup/a/io.max", "8:0 rbps=max wbps=50 riops=max wiops=max\n");
    assert_true(cgroup_io_read(h, a, &g, &list, &err));
    assert_string_equal(text_of(a, &list), "8:0 100 50 max");
    fakehost_file(h, "/sys/fs/cgroup/a/io.max", "odd\n");
    assert_false(cgroup_io_read(h, a, &g, &list, &err));
    assert_int_equal(err.code, E_SYNTAX);
    g.none = true;
    assert_true(cgroup_io_read(h, a, &g, &list, &err));
    assert_int_equal(list.n, 0);
    /* v1: the group's own alone */
    const struct cgroup v1 = {
        .path = SPAN_LIT("/a/b"), .mount = "/sys/fs/cgroup/blkio", .below = "/a/b"};
    fakehost_file(h, "/sys/fs/cgroup/blkio/a/blkio.throttle.read_bps_device", "8:0 1\n");
    fakehost_file(h, "/sys/fs/cgroup/blkio/a/b/blkio.throttle.write_bps_device", "8:0 77\n");
    assert_true(cgroup_io_read(h, a, &v1, &list, &err));
    assert_string_equal(text_of(a, &list), "8:0 max 77 max");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_throttle),
        cmocka_unit_test(test_levels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
