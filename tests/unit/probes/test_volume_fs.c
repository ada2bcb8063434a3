/* The volume probe on made-up filesystems: what their own calls tell, and the table of filesystems.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/host/reply.h"
#include "tests/unit/probes/volume_scenes.h"

#include "advisor/base/banned.h"

#define MYSQL "/var/lib/mysql"
#define PATH "/srv/my/data" /* of volume_plain: XFS, device 259:1, mount id 32 */
#define EXTENTS "extents .ibd " PATH
#define OURS "/proc/self/root"

static const struct probe_args data_args = {
    .label = "volume:x:data",
    .path = MYSQL,
    .server = "server:x",
    .pid = 100,
    .roles = ROLE_DATA,
    .lazy_init = LAZY_INIT_NO,
};

/* What one more reply makes of a fact. */
struct row {
    const char *what;
    enum host_op op;
    const char *key;
    const char *text; /* NULL: fails with `code` */
    enum err_code code;
    const char *fact, *want;
};

#define X(text, fact, want)                                                                        \
    {                                                                                              \
        "XFS", HOST_FS, "xfs " PATH, text, E_NONE, "volume.xfs." fact, want                        \
    }
#define XFS_TEXT                                                                                   \
    "block_size=4096 sector_size=512 ag_count=6 log_blocks=2560 sunit=16 swidth=32 flags=1048577"
#define E(text, want)                                                                              \
    {                                                                                              \
        "extents", HOST_FS, EXTENTS, text, E_NONE, "volume.fs.fragments_per_gib", want             \
    }
#define E_TEXT(mapped, complete, bytes, extents)                                                   \
    "files=3 mapped=" #mapped " complete=" #complete " bytes=" #bytes " extents=" #extents         \
    " flagged=3 nocow=0 compressed=0"
#define T(text, fact, want)                                                                        \
    {                                                                                              \
        "fstab: " text, HOST_READ, "/etc/fstab", text, E_NONE, "volume." fact, want                \
    }

static const struct row on_xfs[] = {
    X(XFS_TEXT, "agcount", "6"),
    X(XFS_TEXT, "log_bytes", "10MiB"),
    X(XFS_TEXT, "sunit", "64KiB"),
    X(XFS_TEXT, "swidth", "128KiB"),
    X(XFS_TEXT, "sector_size", "512B"),
    X(XFS_TEXT, "reflink", "true"),
    X("block_size=4096 sector_size=512 ag_count=6 log_blocks=1 sunit=0 swidth=0 flags=1", "reflink",
      "false"),
    X("block_size=4096 sector_size=512 ag_count=6 log_blocks=1 sunit=0 swidth=0 flags=1", "sunit",
      "0B"),
    X("block_size=4096", "agcount", "?unreadable"),
    {"XFS denied", HOST_FS, "xfs " PATH, NULL, E_DENIED, "volume.xfs.agcount", "?not permitted"},
    {"no ext4", HOST_FS, "xfs " PATH, XFS_TEXT, E_NONE, "volume.ext4.journal_bytes",
     "?not supported"},
    {"no ext4", HOST_FS, "xfs " PATH, XFS_TEXT, E_NONE, "volume.fs.lazy_init", "?not supported"},

    E(E_TEXT(1, 1, 4294967296, 1000), "25000%"),
    E(E_TEXT(1, 1, 1610612736, 3), "200%"),
    E(E_TEXT(1, 1, 1048576, 7), "700%"), /* less than a GiB counts as one */
    E(E_TEXT(1, 0, 2147483648, 4000), "200000%"),
    E(E_TEXT(0, 1, 0, 0), "?not supported"),
    E("files=0 mapped=0 complete=1 bytes=0 extents=0 flagged=0 nocow=0 compressed=0", "?absent"),
    {"extents denied", HOST_FS, EXTENTS, NULL, E_DENIED, "volume.fs.fragments_per_gib",
     "?not permitted"},

    T("/dev/x /srv/my xfs noatime,nobarrier\n", "fstab_options", "\"noatime,nobarrier\""),
    T("/dev/x /srv/my xfs noatime,nobarrier\n", "fs.fstab_nobarrier", "true"),
    T("/dev/x /srv/my xfs barrier=0\n", "fs.fstab_nobarrier", "true"),
    T("/dev/x /srv/my xfs barrier=1\n", "fs.fstab_nobarrier", "false"),
    T("/dev/x / xfs nobarrier\n/dev/x /srv/my xfs defaults\n", "fs.fstab_nobarrier", "false"),
    T("/dev/x / xfs nobarrier\n", "fs.fstab_nobarrier", "?absent"),
    T("/dev/x / xfs defaults\n", "fs.fstab_nobarrier", "false"),
    T("/dev/x / xfs defaults\n", "fstab_options", "?absent"),
    T("/dev/nvme0n1p1 /elsewhere xfs noatime\n", "fstab_options", "noatime"),
    T("UUID=1b4e28ba-2fa1-11d2-883f-b9a761bde3fb /x xfs noatime\n", "fstab_options", "noatime"),
    T("LABEL=data /x xfs noatime\n", "fstab_options", "noatime"),
    T("LABEL=data /x xfs noatime 0 2\n", "fstab_source", "\"LABEL=data\""),
    T("LABEL=data /x xfs noatime 0 2\n", "fstab_mountpoint", "/x"),
    T("LABEL=data /x xfs noatime 0 2\n", "fstab_numbers", "\"0 2\""),
    T("LABEL=data /x xfs noatime\n", "fstab_numbers", "?absent"),
    T("LABEL=other /x xfs noatime 0 2\n", "fstab_source", "?absent"),
    T("/data /srv/my none bind\n/dev/nvme0n1p1 /data xfs nobarrier\n", "fstab_options",
      "nobarrier"),
    T("/dev/nvme0n1p1 none swap sw\n", "fstab_options", "?absent"),
    T("/dev/nvme0n1 /srv/other xfs noatime\n", "fstab_options", "?absent"),
    {"fstab cut", HOST_READ, "/etc/fstab", "/dev/x /srv/my xfs noba", E_NONE,
     "volume.fs.fstab_nobarrier", "?unreadable"},
    {"fstab denied", HOST_READ, "/etc/fstab", NULL, E_DENIED, "volume.fs.fstab_nobarrier",
     "?not permitted"},
    {"the host's fstab, by the device", HOST_READ, OURS "/etc/fstab",
     "/dev/nvme0n1p1 /host xfs nobarrier\n", E_NONE, "volume.fs.fstab_nobarrier", "true"},
    {"the host's fstab, not by the path", HOST_READ, OURS "/etc/fstab",
     "/dev/x /srv/my xfs noatime\n", E_NONE, "volume.fstab_options", "?absent"},
    {"no fstab at all", HOST_READ, "/etc/none", "", E_NONE, "volume.fs.fstab_nobarrier", "?absent"},
};

static void apply(struct host *h, const struct row *row)
{
    if (row->text != NULL) {
        fakehost_reply(h, row->op, row->key, span_of(row->text));
    } else {
        fakehost_fail(h, row->op, row->key, row->code, row->code == E_DENIED ? EACCES : EIO);
    }
}

static void add_node(struct host *h, const char *path, uint32_t major, uint32_t minor)
{
    const struct host_stat st = {.mode = 0060660, .rdev_major = major, .rdev_minor = minor};
    fixture_stat(h, arena_printf(h->arena, OURS "%s", path), &st);
}

static void check(const struct row *row, void (*make)(struct host *h),
                  const struct probe_args *args)
{
    ARENA_AUTO a = arena_new();
    struct host *h = fakehost_new(a);
    struct store *s = fixture_store(a, &probe_volume);
    const struct want wants[] = {{row->fact, row->want}, {NULL, NULL}};
    make(h);
    add_node(h, "/dev/nvme0n1p1", 259, 1);
    add_node(h, "/dev/nvme0n1", 259, 0);
    add_node(h, "/dev/disk/by-uuid/1b4e28ba-2fa1-11d2-883f-b9a761bde3fb", 259, 1);
    add_node(h, "/dev/disk/by-label/data", 259, 1);
    apply(h, row);
    const struct subject *sub = fixture_run(a, s, &probe_volume, h, SUBJECT_VOLUME, args);
    fixture_check(a, s, sub, row->what, wants);
}

static void test_xfs(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(on_xfs); i++) {
        check(&on_xfs[i], volume_plain, &data_args);
    }
}

/* ---- ext4 ------------------------------------------------------------------------------------ */

static void put(unsigned char *raw, size_t at, uint32_t value)
{
    for (unsigned k = 0; k < 4; k++) {
        raw[at + k] = (unsigned char)(value >> (8 * k));
    }
}

/* A million blocks of 4 KiB, a twentieth reserved, a journal of 64 MiB, clusters of 16 KiB. */
static void with_super(struct host *h)
{
    volume_striped_ext4(h);
    unsigned char *const raw = arena_calloc(h->arena, HOST_SUPER_BYTES, 1);
    put(raw, 0x04, 1000000);
    put(raw, 0x08, 50000);
    put(raw, 0x18, 2);
    put(raw, 0x1c, 4);
    put(raw, 0x38, 0xef53);
    put(raw, 0x5c, 4);
    put(raw, 0x64, 0x200);
    put(raw, 0xe0, 8);
    put(raw, 0xfc, 0x100);
    put(raw, 0x14c, 64u << 20);
    fakehost_reply(h, HOST_OPEN, "super " MYSQL, SPAN_LIT(""));
    fakehost_reply(h, HOST_FS, "super", (struct span){(const char *)raw, HOST_SUPER_BYTES});
    fixture_list(h, "/proc/fs/ext4", "dm-0 sda1");
    fakehost_file(h, "/proc/fs/ext4/sda1/options", "rw\nbarrier\n");
}

static void without_root(struct host *h)
{
    volume_striped_ext4(h);
    fakehost_fail(h, HOST_OPEN, "super " MYSQL, E_DENIED, EACCES);
    fixture_list(h, "/proc/fs/jbd2", "dm-0-8 sda1-8");
}

#define S(what, fact, want)                                                                        \
    {                                                                                              \
        what, HOST_READ, "/etc/none", "", E_NONE, fact, want                                       \
    }
#define LAZY "volume.fs.lazy_init"
static const struct row on_ext4[] = {
    S("cluster", "volume.ext4.cluster_bytes", "16KiB"),
    S("allocation", "volume.fs.block_size", "16KiB"),
    S("reserved", "volume.ext4.reserved_ratio", "5%"),
    S("journal", "volume.ext4.journal_bytes", "64MiB"),
    S("journal inside", "volume.ext4.external_journal", "false"),
    S("not XFS", "volume.xfs.agcount", "?not supported"),
    {"a superblock that cannot be read", HOST_FS, "super", NULL, E_IO, "volume.ext4.cluster_bytes",
     "?unreadable"},
    {"half a superblock", HOST_FS, "super", "x", E_NONE, "volume.ext4.cluster_bytes",
     "?unreadable"},
};
static const struct row without[] = {
    S("allocation, as far as it shows", "volume.fs.block_size", "4KiB"),
    S("cluster", "volume.ext4.cluster_bytes", "?not permitted"),
    S("journal", "volume.ext4.journal_bytes", "?not permitted"),
    S("journal inside, as the kernel names it", "volume.ext4.external_journal", "false"),
    {"no such journal", HOST_LIST, "/proc/fs/jbd2", "dm-0\nsda1-8\ndm-01-8\n", E_NONE,
     "volume.ext4.external_journal", "?not permitted"},
};
static const struct row lazy[] = {
    {"one of two", HOST_READ, "/etc/none", "", E_NONE, LAZY, "?absent"},
    {"the other is read only", HOST_READ, "/proc/fs/ext4/sda1/options", "ro\n", E_NONE, LAZY,
     "true"},
    {"the other is left alone", HOST_READ, "/proc/fs/ext4/sda1/options", "rw\nnoinit_itable\n",
     E_NONE, LAZY, "true"},
    {"ours is read only", HOST_READ, "/proc/fs/ext4/dm-0/options", "ro\n", E_NONE, LAZY, "false"},
    {"the other cannot be read", HOST_READ, "/proc/fs/ext4/sda1/options", NULL, E_IO, LAZY,
     "?unreadable"},
    {"the list cannot be read", HOST_LIST, "/proc/fs/ext4", NULL, E_DENIED, LAZY, "?not permitted"},
};

static void test_ext4(void **state)
{
    (void)state;
    struct probe_args args = data_args;
    for (size_t i = 0; i < ARRAY_LEN(on_ext4); i++) {
        check(&on_ext4[i], with_super, &args);
    }
    for (size_t i = 0; i < ARRAY_LEN(without); i++) {
        check(&without[i], without_root, &args);
    }
    const struct row no = S("no thread", LAZY, "false"),
                     hidden = S("threads hidden", LAZY, "?not permitted");
    check(&no, with_super, &args);
    args.lazy_init = LAZY_INIT_UNKNOWN;
    check(&hidden, with_super, &args);
    args.lazy_init = LAZY_INIT_YES;
    for (size_t i = 0; i < ARRAY_LEN(lazy); i++) {
        check(&lazy[i], with_super, &args);
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

/* statx without, and with, what newer kernels tell; and a file that is opened instead. */
static void test_files(void **state)
{
    (void)state;
    static const struct {
        const char *what, *direct; /* reply to the open; NULL: it fails */
        bool has_dio, has_atomic;
        uint32_t atomic_max;
        const char *o_direct, *align, *atomic;
    } rows[] = {
        {"told", NULL, true, true, 65536, "true", "512B", "64KiB"},
        {"told: none", NULL, true, true, 0, "true", "512B", "0B"},
        {"not told", NULL, true, false, 0, "true", "512B", "?not supported"},
        {"opens", "yes", false, false, 0, "true", "?absent", "?not supported"},
        {"does not open", "no", false, false, 0, "false", "?absent", "?not supported"},
        {"an odd answer", "maybe", false, false, 0, "?unreadable", "?absent", "?not supported"},
        {"may not be opened", NULL, false, false, 0, "?not permitted", "?absent", "?not supported"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct host *h = fakehost_new(a);
        struct store *s = fixture_store(a, &probe_volume);
        const struct want wants[] = {{"volume.fs.o_direct", rows[i].o_direct},
                                     {"volume.fs.dio_align", rows[i].align},
                                     {"volume.fs.atomic_write_max", rows[i].atomic},
                                     {NULL, NULL}};
        const struct host_stat st = {.mode = 0100640,
                                     .dev_major = 259,
                                     .dev_minor = 1,
                                     .has_dio = rows[i].has_dio,
                                     .dio_mem_align = 4,
                                     .dio_offset_align = 512,
                                     .has_atomic = rows[i].has_atomic,
                                     .atomic_max = rows[i].atomic_max};
        volume_plain(h);
        fixture_stat(h, PATH "/ibdata1", &st);
        if (rows[i].direct != NULL) {
            fakehost_reply(h, HOST_FS, "direct " PATH "/ibdata1", span_of(rows[i].direct));
        } else {
            fakehost_fail(h, HOST_FS, "direct " PATH "/ibdata1", E_DENIED, EACCES);
        }
        const struct subject *sub = fixture_run(a, s, &probe_volume, h, SUBJECT_VOLUME, &data_args);
        fixture_check(a, s, sub, rows[i].what, wants);
    }
}

/* Filesystems whose options say what they do with data files. */
static void test_compression(void **state)
{
    (void)state;
    static const struct {
        const char *mount, *extents, *compression, *cow;
    } rows[] = {
        {"bcachefs /dev/sda:/dev/sdb rw", NULL, "none", "true"},
        {"bcachefs /dev/sda rw,compression=zstd:3", NULL, "zstd", "true"},
        {"bcachefs /dev/sda rw,background_compression=lz4", NULL, "lz4", "true"},
        {"bcachefs /dev/sda rw,compression=brotli", NULL, "other", "true"},
        {"f2fs /dev/sda rw,lazytime", NULL, "none", "?absent"},
        {"f2fs /dev/sda rw,compress_algorithm=lz4", NULL, "?absent", "?absent"},
        {"f2fs /dev/sda rw,compress_algorithm=lz4", "3 nocow=0 compressed=0", "none", "?absent"},
        {"f2fs /dev/sda rw,compress_algorithm=lzo-rle", "3 nocow=0 compressed=2", "lzo", "?absent"},
        {"f2fs /dev/sda rw,compress_algorithm=zstd:6", "0 nocow=0 compressed=0", "?absent",
         "?absent"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct host *h = fakehost_new(a);
        struct store *s = fixture_store(a, &probe_volume);
        const struct want wants[] = {{"volume.fs.compression", rows[i].compression},
                                     {"volume.fs.copy_on_write", rows[i].cow},
                                     {NULL, NULL}};
        volume_plain(h);
        fakehost_file(h, "/proc/100/mountinfo",
                      arena_printf(a, "32 20 259:1 / /srv/my rw - %s\n", rows[i].mount));
        if (rows[i].extents != NULL) {
            fakehost_reply(
                h, HOST_FS, EXTENTS,
                span_of(arena_printf(a, "files=3 mapped=0 complete=1 bytes=0 extents=0 flagged=%s",
                                     rows[i].extents)));
        }
        const struct subject *sub = fixture_run(a, s, &probe_volume, h, SUBJECT_VOLUME, &data_args);
        fixture_check(a, s, sub, rows[i].mount, wants);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_xfs),
        cmocka_unit_test(test_ext4),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_compression),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
