/* The typed wrappers over a host made of a table: the keys they ask with, and what they do with
 * wrong, short and long replies. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/host/reply.h"
#include "tests/lib/fakehost.h"

#include "advisor/base/banned.h"

static void test_op_names(void **state)
{
    (void)state;
    for (unsigned i = 0; i < HOST_OPS; i++) {
        enum host_op op = HOST_OPS;
        assert_true(host_op_from_name(span_of(host_op_name((enum host_op)i)), &op));
        assert_int_equal(op, i);
    }
    enum host_op op = HOST_OPS;
    assert_false(host_op_from_name(SPAN_LIT("write"), &op));
    assert_int_equal(op, HOST_OPS);
    assert_string_equal(host_op_name(HOST_OPS), "?");
}

static void test_read(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct host *const h = fakehost_new(a);
    static const struct {
        const char *bytes, *text;
    } rows[] = {{"1\n", "1"}, {"1\n\n", "1\n"}, {"", ""}, {"\n", ""}, {"x", "x"}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err err = ERR_INIT;
        struct span got;
        fakehost_file(h, "/f", rows[i].bytes);
        assert_true(host_read(h, "/f", 0, &got, &err));
        assert_true(span_eq_text(got, rows[i].text));
    }
    struct err err = ERR_INIT;
    struct span got = SPAN_LIT("kept");
    assert_false(host_read(h, "/absent", 0, &got, &err));
    assert_int_equal(err.code, E_ABSENT);
    assert_int_equal(err.sys_errno, ENOENT);
    fakehost_file(h, "/f", "123456");
    assert_false(host_read(h, "/f", 5, &got, &err));
    assert_int_equal(err.code, E_TOO_BIG);
    assert_true(span_eq_text(got, "kept"));
    char *const path = arena_alloc(a, 10000);
    memset(path, 'x', 9999);
    assert_false(host_read(h, path, 5, &got, &err));
    assert_int_equal(err.code, E_TOO_BIG);
}

static void test_nvme_keys_and_lengths(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct host *const h = fakehost_new(a);
    char page[4096] = {'p'};
    static const struct {
        enum host_nvme_page page;
        uint32_t nsid, id, bytes;
        const char *key;
        uint32_t want;
    } rows[] = {
        {NVME_ID_CTRL, 7, 7, 7, "nvme0 id-ctrl", 4096},
        {NVME_ID_NS, 4294967295u, 0, 0, "nvme0 id-ns 4294967295", 4096},
        {NVME_LOG, 4294967295u, 2, 512, "nvme0 log 2 4294967295 512", 512},
        {NVME_FEATURE, 0, 7, 0, "nvme0 feature 7 0", 4},
        {NVME_FEATURE_DATA, 0, 12, 256, "nvme0 feature-data 12 0 256", 260},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        static const int off_by[] = {0, -1, 1};
        for (size_t j = 0; j < ARRAY_LEN(off_by); j++) {
            struct err err = ERR_INIT;
            const size_t n = (size_t)((int)rows[i].want + off_by[j]);
            struct span got = {NULL, 0};
            fakehost_reply(h, HOST_NVME, rows[i].key, (struct span){page, n > 4096 ? 4096 : n});
            const bool right = n == rows[i].want || (n > 4096 && rows[i].want == 4096);
            assert_int_equal(host_nvme(h, "nvme0", rows[i].page, rows[i].nsid, rows[i].id,
                                       rows[i].bytes, &got, &err),
                             right);
            assert_true(right ? got.len == rows[i].want
                              : err.code == E_CUT || err.code == E_TOO_BIG);
        }
    }
}

static void test_groups_and_registers(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct host *const h = fakehost_new(a);
    char page[512] = {'p'};
    struct span got;
    struct err err = ERR_INIT;
    fakehost_reply(h, HOST_NVME, "nvme0 log 9 0 512 7", (struct span){page, 512});
    fakehost_reply(h, HOST_NVME, "nvme0 feature 29 0 7", SPAN_LIT("\1\0\0\0"));
    fakehost_reply(h, HOST_READ, "at 52 4 /sys/x/config", SPAN_LIT("\x40\0\0\0"));
    fakehost_reply(h, HOST_READ, "at 64 4 /sys/x/config", SPAN_LIT(""));
    assert_true(host_nvme_group(h, "nvme0", NVME_LOG, 9, 7, 512, &got, &err) && got.len == 512);
    assert_true(host_nvme_group(h, "nvme0", NVME_FEATURE, 29, 7, 0, &got, &err) && got.len == 4);
    assert_true(host_pci_config(h, "/sys/x/config", 52, 4, &got, &err) && got.ptr[0] == 0x40);
    assert_false(host_pci_config(h, "/sys/x/config", 64, 4, &got, &err)); /* not root: it ends */
    assert_int_equal(err.code, E_CUT);
}

static void test_texts(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct host *const h = fakehost_new(a);
    struct err err = ERR_INIT;
    int64_t seconds = 5;
    fakehost_reply(h, HOST_CLOCK, "", SPAN_LIT("1764500000"));
    assert_true(host_clock(h, &seconds, &err));
    assert_true(seconds == 1764500000);
    fakehost_reply(h, HOST_CLOCK, "", SPAN_LIT("soon"));
    assert_false(host_clock(h, &seconds, &err));
    assert_int_equal(err.code, E_CORRUPT);
    assert_int_equal(err.n_frames, 1);
    const char *path = NULL;
    fakehost_reply(h, HOST_LINK, "real /a/b", SPAN_LIT("/c"));
    assert_true(host_real_path(h, "/a/b", &path, &err));
    assert_string_equal(path, "/c");
    fakehost_reply(h, HOST_LINK, "real /a/b", SPAN_LIT("relative"));
    assert_false(host_real_path(h, "/a/b", &path, &err));
    fakehost_reply(h, HOST_LINK, "real /a/b", SPAN_LIT("/x\0y"));
    assert_false(host_real_path(h, "/a/b", &path, &err));
    fakehost_reply(h, HOST_LINK, "real /a/b", SPAN_LIT(""));
    assert_false(host_real_path(h, "/a/b", &path, &err));
    struct span got;
    fakehost_reply(h, HOST_EXEC, "zpool-list tank", SPAN_LIT("out"));
    assert_true(host_exec(h, "zpool-list", "tank", &got, &err));
    fakehost_reply(h, HOST_OPEN, "nvme nvme0", SPAN_LIT("/dev/nvme0"));
    assert_true(host_open(h, "nvme nvme0", &got, &err));
    struct host_size size;
    fakehost_reply(h, HOST_SIZE, ".ibd,.ibu /data dir",
                   reply_size(a, &(struct host_size){.files = 3, .complete = true}));
    assert_true(host_size(h, "/data dir", ".ibd,.ibu", &size, &err));
    assert_true(size.files == 3 && size.complete);
    struct host_names names;
    fakehost_reply(h, HOST_UDEV, "sda", SPAN_LIT("A=1\nB=2\n"));
    assert_true(host_udev(h, "sda", &names, &err));
    assert_int_equal(names.n, 2);
    struct host_rows rows;
    fakehost_reply(h, HOST_SQL, "vars", SPAN_LIT("a\tb\n1\t\\N\n"));
    assert_true(host_sql(h, "vars", &rows, &err));
    assert_true(rows.cells[1].null);
}

/* Whatever bytes come back, a wrapper gives an answer or an error, and reads nothing beyond them.
 */
static void test_hostile_replies(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct host *const h = fakehost_new(a);
    const struct span bad[] = {
        {"", 0},
        SPAN_LIT("\0"),
        SPAN_LIT("\xff\xff\xff\xff"),
        SPAN_LIT("="),
        SPAN_LIT("\t\n\t"),
        SPAN_LIT("\\"),
        SPAN_LIT("a=1"),
        SPAN_LIT("mode=1 mode=2"),
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        for (unsigned op = 0; op < HOST_OPS; op++) {
            fakehost_reply(h, (enum host_op)op, "", bad[i]);
            fakehost_reply(h, (enum host_op)op, "k", bad[i]);
        }
        struct err err = ERR_INIT;
        struct host_stat st;
        struct host_statfs fs;
        struct host_who who;
        struct host_uname u;
        int64_t t = 0;
        assert_false(host_stat(h, "k", &st, &err));
        assert_int_equal(err.code, E_CORRUPT);
        assert_false(host_statfs(h, "k", &fs, &err));
        assert_false(host_who(h, &who, &err));
        assert_false(host_uname(h, &u, &err));
        assert_false(host_clock(h, &t, &err));
        struct host_names names;
        if (host_list(h, "k", &names, &err)) {
            for (size_t n = 0; n < names.n; n++) {
                assert_non_null(span_dup(a, names.names[n]));
            }
        }
        struct host_rows rows;
        (void)!host_sql(h, "k", &rows, &err);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_op_names),
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_nvme_keys_and_lengths),
        cmocka_unit_test(test_groups_and_registers),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_hostile_replies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
