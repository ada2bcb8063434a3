/* Replies as text: what the live backend writes the wrappers read back, and hostile bytes are
 * refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/host/reply.h"

#include "advisor/base/banned.h"

static void test_stat_round_trip(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    static const struct host_stat rows[] = {
        {0},
        {.mode = 0100644, .uid = 27, .gid = 27, .size = UINT64_MAX, .blocks512 = 8, .inode = 3},
        {.mode = 0040755,
         .mnt_id = 41,
         .dev_major = 259,
         .dev_minor = UINT32_MAX,
         .rdev_major = 1,
         .rdev_minor = 3,
         .has_mnt_id = true,
         .has_dio = true,
         .dio_mem_align = 512,
         .dio_offset_align = 4096,
         .has_atomic = true,
         .atomic_max = 65536,
         .mtime_sec = INT64_MIN + 1},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err err = ERR_INIT;
        struct host_stat got = {.uid = 99};
        assert_true(reply_read_stat(reply_stat(a, &rows[i]), &got, &err));
        assert_int_equal(got.mode, rows[i].mode);
        assert_int_equal(got.uid, rows[i].uid);
        assert_true(got.size == rows[i].size && got.blocks512 == rows[i].blocks512);
        assert_true(got.inode == rows[i].inode && got.mnt_id == rows[i].mnt_id);
        assert_int_equal(got.dev_major, rows[i].dev_major);
        assert_int_equal(got.dev_minor, rows[i].dev_minor);
        assert_int_equal(got.rdev_major, rows[i].rdev_major);
        assert_int_equal(got.rdev_minor, rows[i].rdev_minor);
        assert_int_equal(got.has_mnt_id, rows[i].has_mnt_id);
        assert_int_equal(got.has_dio, rows[i].has_dio);
        assert_int_equal(got.dio_mem_align, rows[i].dio_mem_align);
        assert_int_equal(got.dio_offset_align, rows[i].dio_offset_align);
        assert_true(got.mtime_sec == rows[i].mtime_sec);
        assert_int_equal(got.has_atomic, rows[i].has_atomic);
        assert_int_equal(got.atomic_max, rows[i].atomic_max);
    }
}

static void test_small_round_trips(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct err err = ERR_INIT;
    const struct host_statfs fs = {.type = 0x58465342, .block_size = 4096, .free_files = 7};
    struct host_statfs fs_got;
    assert_true(reply_read_statfs(reply_statfs(a, &fs), &fs_got, &err));
    assert_memory_equal(&fs, &fs_got, sizeof(fs));
    const struct host_size sz = {.bytes_apparent = 1, .files = 20000, .complete = false};
    struct host_size sz_got = {.complete = true};
    assert_true(reply_read_size(reply_size(a, &sz), &sz_got, &err));
    assert_false(sz_got.complete);
    assert_true(sz_got.files == 20000);
    const struct host_who who = {.uid = 65534, .gid = 7, .sys_admin = true};
    struct host_who who_got;
    assert_true(reply_read_who(reply_who(a, &who), &who_got, &err));
    assert_int_equal(who_got.uid, 65534);
    assert_true(who_got.sys_admin);
    const struct host_uname u = {SPAN_LIT("Linux"), SPAN_LIT("a\nb"), SPAN_LIT("6.1.0"),
                                 SPAN_LIT("#1"), SPAN_LIT("x86_64")};
    struct host_uname u_got;
    assert_true(reply_read_uname(a, reply_uname(a, &u), &u_got, &err));
    assert_true(span_eq(u.nodename, u_got.nodename));
    assert_true(span_eq(u.machine, u_got.machine));
}

static void test_words_refused(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    static const char *const rows[] = {
        "",
        "uid=1",
        "uid=1 gid=2",
        "uid=1 gid=2 sys_admin",
        "uid=1 gid=2 sys_admin=2",
        "uid=1 gid=2 sys_admin=",
        "uid=-1 gid=2 sys_admin=1",
        "uid=4294967296 gid=2 sys_admin=1",
        "uid=1 gid=99999999999999999999999 sys_admin=1",
        "uid=1 gid=\xff sys_admin=1",
        "=1 gid=2 sys_admin=1",
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err err = ERR_INIT;
        struct host_who who = {.uid = 77};
        assert_false(reply_read_who(span_of(rows[i]), &who, &err));
        assert_int_equal(err.code, E_CORRUPT);
        assert_int_equal(who.uid, 77);
    }
    struct err err = ERR_INIT;
    struct host_who who;
    assert_true(reply_read_who(SPAN_LIT("new=word uid=1 gid=2 sys_admin=1"), &who, &err));
    const struct host_stat st = {.size = 12};
    const struct span whole = reply_stat(a, &st);
    for (size_t n = 0; n + 1 < whole.len; n++) {
        struct host_stat got;
        assert_false(reply_read_stat(span_sub(whole, 0, n), &got, &err));
    }
}

/* What captures of earlier versions do not have is not told; what every version has must be there.
 */
static void test_later_words(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct err err = ERR_INIT;
    struct host_stat st = {.atomic_max = 7};
    const struct span old =
        SPAN_LIT("mode=33188 uid=0 gid=0 size=1 blocks512=8 inode=3 dev_major=8 "
                 "dev_minor=1 rdev_major=0 rdev_minor=0 has_mnt_id=1 mnt_id=30 "
                 "has_dio=0 dio_mem_align=0 dio_offset_align=0 mtime_sec=5");
    assert_true(reply_read_stat(old, &st, &err));
    assert_false(st.has_atomic);
    assert_int_equal(st.atomic_max, 0);
    struct host_size sz;
    assert_true(reply_read_size(SPAN_LIT("bytes_allocated=1 bytes_apparent=2 files=3 complete=1"),
                                &sz, &err));
    assert_true(sz.complete && sz.largest_bytes == 0);
    const struct host_size big = {.largest_bytes = 12345, .largest_block = 16384, .complete = true};
    const struct span whole = reply_size(a, &big);
    for (size_t n = 0; n < whole.len; n++) {
        assert_false(reply_read_size(span_sub(whole, 0, n), &sz, &err));
    }
}

static void test_filesystems(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct err err = ERR_INIT;
    const struct host_xfs x = {.block_size = 4096,
                               .sector_size = 512,
                               .ag_count = 4,
                               .log_blocks = 2560,
                               .sunit = 16,
                               .swidth = 32,
                               .flags = HOST_XFS_REFLINK};
    struct host_xfs x_got;
    assert_true(reply_read_xfs(reply_xfs(a, &x), &x_got, &err));
    assert_memory_equal(&x, &x_got, sizeof(x));
    assert_false(reply_read_xfs(SPAN_LIT("block_size=4096"), &x_got, &err));
    assert_int_equal(err.code, E_CORRUPT);
    const struct host_extents e = {.files = 3,
                                   .mapped = true,
                                   .complete = true,
                                   .bytes = 1u << 30,
                                   .extents = 9,
                                   .flagged = 3,
                                   .nocow = 2,
                                   .compressed = 1};
    struct host_extents e_got = {0};
    assert_true(reply_read_extents(reply_extents(a, &e), &e_got, &err));
    assert_true(e_got.files == 3 && e_got.mapped && e_got.complete && e_got.bytes == 1u << 30);
    assert_true(e_got.extents == 9 && e_got.flagged == 3 && e_got.nocow == 2 &&
                e_got.compressed == 1);
    assert_false(reply_read_extents(SPAN_LIT("files=3 mapped=2"), &e_got, &err));
}

static void test_names(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct err err = ERR_INIT;
    const struct span names[] = {SPAN_LIT(""), SPAN_LIT("a\nb\\"), SPAN_LIT("t\tr\r"),
                                 SPAN_LIT("z\0z"), SPAN_LIT("\xff\xfe")};
    struct host_names got;
    assert_true(reply_read_names(a, reply_names(a, names, ARRAY_LEN(names)), &got, &err));
    assert_int_equal(got.n, ARRAY_LEN(names));
    for (size_t i = 0; i < got.n; i++) {
        assert_true(span_eq(got.names[i], names[i]));
    }
    assert_true(reply_read_names(a, SPAN_LIT(""), &got, &err));
    assert_int_equal(got.n, 0);
    assert_false(reply_read_names(a, SPAN_LIT("cut"), &got, &err));
    assert_false(reply_read_names(a, SPAN_LIT("a\nbad\\q\n"), &got, &err));
    assert_false(reply_read_names(a, SPAN_LIT("bad\\\n"), &got, &err));
    struct host_uname u;
    assert_false(reply_read_uname(a, SPAN_LIT("1\n2\n3\n4\n"), &u, &err));
    assert_int_equal(err.code, E_CORRUPT);
}

static void test_rows_round_trip(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct err err = ERR_INIT;
    struct buf b;
    buf_init(&b, a, 4096);
    reply_rows_cell(&b, true, false, SPAN_LIT("Variable_name"));
    reply_rows_cell(&b, false, false, SPAN_LIT("Value"));
    reply_rows_end_line(&b);
    reply_rows_cell(&b, true, false, SPAN_LIT("a"));
    reply_rows_cell(&b, false, true, SPAN_LIT("ignored"));
    reply_rows_end_line(&b);
    reply_rows_cell(&b, true, false, SPAN_LIT("\\N"));
    reply_rows_cell(&b, false, false, SPAN_LIT("tab\tnl\n\0\\"));
    reply_rows_end_line(&b);
    struct host_rows got;
    assert_true(reply_read_rows(a, buf_span(&b), &got, &err));
    assert_int_equal(got.n_columns, 2);
    assert_int_equal(got.n_rows, 2);
    assert_true(span_eq_text(got.columns[1], "Value"));
    assert_true(got.cells[1].null);
    assert_false(got.cells[2].null);
    assert_true(span_eq_text(got.cells[2].text, "\\N"));
    assert_true(span_eq(got.cells[3].text, SPAN_LIT("tab\tnl\n\0\\")));
    /* Cut anywhere it is refused, except where a whole line ends. */
    const struct span whole = buf_span(&b);
    for (size_t n = 0; n < whole.len; n++) {
        const bool at_line = n > 0 && whole.ptr[n - 1] == '\n';
        struct host_rows part;
        assert_int_equal(reply_read_rows(a, span_sub(whole, 0, n), &part, &err), at_line);
    }
}

/* A cut reply must not pass for a shorter file. */
static void test_optfile(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct host_optfile file = {0100640, 27, 4294967295u, SPAN_LIT("[a]\nx=\0\n")};
    const struct span whole = reply_optfile(a, &file);
    struct host_optfile got;
    struct err err = ERR_INIT;
    assert_true(reply_read_optfile(whole, &got, &err));
    assert_int_equal(got.mode, file.mode);
    assert_int_equal(got.uid, file.uid);
    assert_int_equal(got.gid, file.gid);
    assert_true(span_eq(got.text, file.text));
    for (size_t n = 0; n < whole.len; n++) {
        assert_false(reply_read_optfile(span_sub(whole, 0, n), &got, &err));
        assert_true(err.code == E_CUT || err.code == E_CORRUPT);
    }
    assert_false(reply_read_optfile(SPAN_LIT("mode=1 uid=1 gid=1 bytes=0\nx"), &got, &err));
    assert_int_equal(err.code, E_CUT);
}

static void test_rows_refused(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    static const char *const rows[] = {
        "",     "a",        "a\tb\nx\n", "a\tb\nx\ty\tz\n", "a\nb\tc\n", "a\n\\x\n",
        "\\\n", "a\nb\\\n", "a\nb",
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err err = ERR_INIT;
        struct host_rows got = {.n_rows = 99};
        assert_false(reply_read_rows(a, span_of(rows[i]), &got, &err));
        assert_int_equal(err.code, E_CORRUPT);
        assert_int_equal(got.n_rows, 99);
    }
    /* Many columns and many short lines must not multiply into memory. */
    const size_t n = 100000;
    char *const big = arena_alloc(a, n * 2 + 2);
    memset(big, '\t', n);
    memset(big + n, '\n', n);
    struct err err = ERR_INIT;
    struct host_rows got;
    const size_t before = arena_used(a);
    assert_false(reply_read_rows(a, (struct span){big, n * 2}, &got, &err));
    assert_true(arena_used(a) - before < 64 * n);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stat_round_trip), cmocka_unit_test(test_small_round_trips),
        cmocka_unit_test(test_words_refused),   cmocka_unit_test(test_later_words),
        cmocka_unit_test(test_filesystems),     cmocka_unit_test(test_names),
        cmocka_unit_test(test_rows_round_trip), cmocka_unit_test(test_rows_refused),
        cmocka_unit_test(test_optfile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
