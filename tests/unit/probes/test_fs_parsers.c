/* The table of filesystems and the superblock of ext4: what is read, and what of odd bytes is not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/ext_super.h"
#include "probes/fstab.h"

#include "advisor/base/banned.h"

static void test_table(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct fstab t;
    fstab_parse(a,
                SPAN_LIT("UUID=1 / ext4 errors=remount-ro\n"
                         "/dev/vg/d /my\\040dir// xfs noatime\n"
                         "/my\\040dir /srv/my none bind\n"
                         "/dev/sdb1 /srv/my xfs ro 0 2\n"
                         "too few fields\n"
                         "too many fields in this row\n"
                         "/dev/x /odd xfs ro 0\n"
                         "/dev/x /odd xfs ro 0 22\n"
                         "tmpfs / tmpfs size=1g\n"),
                &t);
    assert_int_equal(t.n, 5);
    assert_true(span_eq_text(t.rows[1].path, "/my dir"));
    const struct fstab_row *row = fstab_by_path(&t, SPAN_LIT("/my dir"));
    assert_non_null(row);
    assert_true(span_eq_text(row->options, "noatime"));
    assert_int_equal(row->numbers.len, 0); /* kept by a version that left them out */
    row = fstab_by_path(&t, SPAN_LIT("/srv/my"));
    assert_non_null(row); /* not the bind mount */
    assert_true(span_eq_text(row->options, "ro"));
    assert_true(span_eq_text(row->numbers, "0 2"));
    row = fstab_by_path(&t, SPAN_LIT("/"));
    assert_non_null(row); /* the later lies over the earlier */
    assert_true(span_eq_text(row->type, "tmpfs"));
    assert_null(fstab_by_path(&t, SPAN_LIT("/my")));
    assert_true(fstab_is_bind(&t.rows[2]));
    fstab_parse(a, SPAN_LIT(""), &t);
    assert_int_equal(t.n, 0);
}

static void test_many_rows(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct buf b;
    struct fstab t;
    buf_init(&b, a, 1u << 20);
    for (unsigned i = 0; i < 2000; i++) {
        buf_printf(&b, "/dev/d%u /m%u xfs ro\n", i, i);
    }
    fstab_parse(a, buf_span(&b), &t);
    assert_int_equal(t.n, 1024);
}

static const struct {
    const char *source, *path;
} sources[] = {
    {"/dev/mapper/vg-data", "/dev/mapper/vg-data"},
    {"UUID=0123-abcd", "/dev/disk/by-uuid/0123-abcd"},
    {"UUID=\"0123-abcd\"", "/dev/disk/by-uuid/0123-abcd"},
    {"LABEL='my disk/1'", "/dev/disk/by-label/my\\x20disk\\x2f1"},
    {"LABEL=\xc3\xa4_#+-.:=@9", "/dev/disk/by-label/\xc3\xa4_#+-.:=@9"},
    {"PARTUUID=11", "/dev/disk/by-partuuid/11"},
    {"PARTLABEL=..", "/dev/disk/by-partlabel/.."},
    {"ID=nvme-x", "/dev/disk/by-id/nvme-x"},
    {"UUID=", ""},
    {"tank/data", ""},
    {"tmpfs", ""},
    {"//nas/share", ""},
    {"nas:/x", ""},
    {"/srv/image", ""},
};

static void test_sources(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
        ARENA_AUTO a = arena_new();
        const struct span got = fstab_device_path(a, span_of(sources[i].source));
        assert_string_equal(span_dup(a, got), sources[i].path);
    }
}

/* ---- superblock ------------------------------------------------------------------------------ */

struct field {
    size_t at;
    uint32_t value;
};

static struct span super(struct arena *a, const struct field *fields, size_t n)
{
    unsigned char *const raw = arena_calloc(a, 1024, 1);
    for (size_t i = 0; i < n; i++) {
        for (unsigned k = 0; k < 4; k++) {
            raw[fields[i].at + k] = (unsigned char)(fields[i].value >> (8 * k));
        }
    }
    return (struct span){(const char *)raw, 1024};
}
#define SUPER(a, ...)                                                                              \
    super(a, (const struct field[]){__VA_ARGS__},                                                  \
          sizeof((const struct field[]){__VA_ARGS__}) / sizeof(struct field))
/* 1,000,000 blocks of 4 KiB, 50,000 reserved, magic. */
#define PLAIN                                                                                      \
    {0x04, 1000000}, {0x08, 50000}, {0x18, 2}, {0x1c, 2},                                          \
    {                                                                                              \
        0x38, 0xef53                                                                               \
    }

static void test_super(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct ext_super s;
    struct err err = ERR_INIT;
    assert_true(ext_super_read(SUPER(a, PLAIN), &s, &err));
    assert_true(s.blocks == 1000000 && s.reserved == 50000);
    assert_true(s.block_bytes == 4096 && s.cluster_bytes == 4096 && !s.journal);
    /* a journal of 128 MiB in inode 8; the high half of the blocks counts only with its feature */
    assert_true(ext_super_read(
        SUPER(a, PLAIN, {0x5c, 4}, {0xe0, 8}, {0xfc, 0x100}, {0x14c, 134217728}, {0x150, 1}), &s,
        &err));
    assert_true(s.journal && !s.external && s.has_journal_bytes && s.journal_bytes == 134217728);
    assert_true(s.blocks == 1000000);
    assert_true(ext_super_read(SUPER(a, PLAIN, {0x60, 0x80}, {0x150, 1}, {0x154, 1}), &s, &err));
    assert_true(s.blocks == (1ull << 32) + 1000000 && s.reserved == (1ull << 32) + 50000);
    assert_true(ext_super_read(SUPER(a, PLAIN, {0x5c, 4}, {0xe4, 77}), &s, &err));
    assert_true(s.journal && s.external && !s.has_journal_bytes);
    assert_true(ext_super_read(SUPER(a, PLAIN, {0x5c, 4}, {0xe0, 8}, {0x14c, 4096}), &s, &err));
    assert_true(s.journal && !s.has_journal_bytes); /* no copy of the inode */
    assert_true(ext_super_read(SUPER(a, PLAIN, {0x64, 0x200}, {0x1c, 4}), &s, &err));
    assert_true(s.cluster_bytes == 16384);
    assert_true(ext_super_read(SUPER(a, PLAIN, {0x1c, 4}), &s, &err));
    assert_true(s.cluster_bytes == 4096); /* without the feature it means nothing */
}

static void test_bad_super(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct span rows[] = {
        SUPER(a, {0x04, 100}, {0x18, 2}),           /* no magic */
        SUPER(a, PLAIN, {0x04, 0}),                 /* no blocks */
        SUPER(a, PLAIN, {0x08, 1000001}),           /* more reserved than there are */
        SUPER(a, PLAIN, {0x18, 7}),                 /* blocks of 128 KiB */
        SUPER(a, PLAIN, {0x18, 0xffffffff}),        /* no shift is that long */
        SUPER(a, PLAIN, {0x64, 0x200}, {0x1c, 21}), /* clusters of 2 GiB */
        SUPER(a, PLAIN, {0x64, 0x200}, {0x1c, 1}),  /* smaller than a block */
    };
    struct ext_super s = {.blocks = 7};
    struct err err = ERR_INIT;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_false(ext_super_read(rows[i], &s, &err));
        assert_int_equal(err.code, E_CORRUPT);
        assert_true(s.blocks == 7);
    }
    assert_false(ext_super_read(SPAN_LIT(""), &s, &err));
    assert_int_equal(err.code, E_CUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),     cmocka_unit_test(test_many_rows),
        cmocka_unit_test(test_sources),   cmocka_unit_test(test_super),
        cmocka_unit_test(test_bad_super),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
