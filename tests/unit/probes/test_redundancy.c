/* Stacks of every kind, and whether the data outlive any one disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "probes/redundancy.h"

#include "advisor/base/banned.h"

#define LAYERS_MAX 32

struct row {
    const char *name, *layers; /* a line each */
    const char *metadata;      /* btrfs */
    enum tri want;
};

#define XFS "0 /srv fs type=xfs\n"
#define ZFS "0 /srv fs type=zfs\n1 tank pool state=ONLINE\n"
#define BTRFS(profile) "0 /srv fs type=btrfs\n1 btrfs-a vdev type=" profile "\n2 a disk\n2 b disk\n"

/* Disks a to h are drives; "cloud" and "dark" are as they say. */
static const struct row rows[] = {
    {"one drive", XFS "1 a disk\n", "", TRI_NO},
    {"a partition, LVM, LUKS", XFS "1 luks crypt\n2 vg/lv lvm-linear\n3 a1 partition\n4 a disk\n", "", TRI_NO},
    {"a volume of a cloud", XFS "1 cloud disk\n", "", TRI_YES},
    {"two of them striped", XFS "1 vg/lv lvm-striped\n2 cloud disk\n2 cloud disk\n", "", TRI_YES},
    {"what a hypervisor hides", XFS "1 dark disk\n", "", TRI_UNKNOWN},
    {"a drive beside it", XFS "1 vg/lv lvm-linear\n2 dark disk\n2 a disk\n", "", TRI_NO},
    {"a mirror of drives", XFS "1 md0 md raid=raid1 disks=2 degraded=0\n2 a disk\n2 b disk\n", "", TRI_YES},
    {"a mirror of what is hidden", XFS "1 md0 md raid=raid1\n2 dark disk\n2 cloud disk\n", "", TRI_YES},
    {"a mirror with one leg", XFS "1 md0 md raid=raid1 disks=2 degraded=1\n2 a disk\n", "", TRI_NO},
    {"a mirror on two parts of one drive", XFS "1 md0 md raid=raid1\n2 a1 partition\n3 a disk\n2 a2 partition\n3 a disk\n", "",
     TRI_NO},
    {"a stripe", XFS "1 md0 md raid=raid0\n2 a disk\n2 b disk\n", "", TRI_NO},
    {"a stripe over mirrors", XFS "1 vg/lv lvm-striped\n2 md0 md raid=raid1\n3 a disk\n3 b disk\n"
     "2 md1 md raid=raid1\n3 c disk\n3 d disk\n", "", TRI_YES},
    {"a mirror over stripes", XFS "1 md0 md raid=raid1\n2 md1 md raid=raid0\n3 a disk\n3 b disk\n"
     "2 md2 md raid=raid0\n3 c disk\n3 d disk\n", "", TRI_YES},
    {"raid10", XFS "1 md0 md raid=raid10 degraded=0\n2 a disk\n2 b disk\n2 c disk\n2 d disk\n", "", TRI_YES},
    {"raid10 that lacks a leg", XFS "1 md0 md raid=raid10 degraded=1\n2 a disk\n2 b disk\n2 c disk\n", "", TRI_NO},
    {"raid5", XFS "1 md0 md raid=raid5\n2 a disk\n2 b disk\n2 c disk\n", "", TRI_YES},
    {"raid5 with two legs on one drive", XFS "1 md0 md raid=raid5\n2 a disk\n2 a disk\n2 c disk\n", "", TRI_NO},
    {"raid6 that lacks a leg", XFS "1 md0 md raid=raid6 degraded=1\n2 a disk\n2 b disk\n2 c disk\n", "", TRI_YES},
    {"raid6 that lacks two", XFS "1 md0 md raid=raid6 degraded=2\n2 a disk\n2 b disk\n2 c disk\n", "", TRI_NO},
    {"a container of the firmware's", XFS "1 md0 md raid=container\n2 a disk\n2 b disk\n", "", TRI_UNKNOWN},
    {"an array over one drive that says nothing", XFS "1 md0 md\n2 a disk\n", "", TRI_NO},
    {"LVM raid1", XFS "1 vg/lv lvm-raid raid=raid1\n2 m0 lvm-linear role=metadata\n3 a disk\n2 i0 lvm-linear\n3 a disk\n"
     "2 m1 lvm-linear role=metadata\n3 b disk\n2 i1 lvm-linear\n3 b disk\n", "", TRI_YES},
    {"LVM raid whose table is for root", XFS "1 vg/lv lvm-raid\n2 a disk\n2 b disk\n", "", TRI_UNKNOWN},
    {"LVM raid5", XFS "1 vg/lv lvm-raid raid=raid5_ls\n2 a disk\n2 b disk\n2 c disk\n", "", TRI_YES},
    {"thin, its metadata on one drive", XFS "1 vg/t lvm-thin\n2 md0 md raid=raid1\n3 a disk\n3 b disk\n"
     "2 tmeta lvm-linear role=metadata\n3 a disk\n", "", TRI_NO},
    {"a cache that is written through", XFS "1 c bcache mode=writethrough\n2 md0 md raid=raid1\n3 a disk\n3 b disk\n"
     "2 c disk role=cache\n", "", TRI_YES},
    {"a cache that is written back", XFS "1 c bcache mode=writeback\n2 md0 md raid=raid1\n3 a disk\n3 b disk\n"
     "2 c disk role=cache\n", "", TRI_NO},
    {"a mapping of no known kind", XFS "1 x dm-other target=odd\n2 a disk\n2 b disk\n", "", TRI_UNKNOWN},
    {"a mirror of the device mapper", XFS "1 x dm-other target=mirror\n2 a disk\n2 b disk\n", "", TRI_YES},
    {"a loop device", XFS "1 loop0 loop path=/img\n2 a disk\n", "", TRI_NO},
    {"a loop device whose file is elsewhere", XFS "1 loop0 loop\n", "", TRI_UNKNOWN},
    {"DRBD", XFS "1 drbd0 drbd\n", "", TRI_UNKNOWN},
    {"the end of what was followed", XFS "1 x lvm-linear\n2 ? unknown why=it%20hides\n", "", TRI_UNKNOWN},
    {"paths of one drive", XFS "1 a disk\n2 nvme0 controller state=live\n2 nvme1 controller state=dead\n", "", TRI_NO},
    {"overlay over a mirror", "0 / fs type=overlay\n1 /var fs type=xfs\n2 md0 md raid=raid1\n3 a disk\n3 b disk\n", "",
     TRI_YES},
    {"nothing", "", "", TRI_UNKNOWN},
    {"no disk", XFS, "", TRI_UNKNOWN},
    {"ZFS on a drive", ZFS "2 a1 partition state=ONLINE\n3 a disk\n", "", TRI_NO},
    {"ZFS on mirrors", ZFS "2 mirror-0 vdev type=mirror state=ONLINE\n3 a disk state=ONLINE\n3 b disk state=ONLINE\n"
     "2 mirror-1 vdev type=mirror state=ONLINE\n3 c disk\n3 d disk\n2 e disk role=log\n2 f disk role=cache\n", "", TRI_YES},
    {"a drive beside a mirror", ZFS "2 mirror-0 vdev type=mirror state=ONLINE\n3 a disk\n3 b disk\n2 c disk\n", "", TRI_NO},
    {"special vdev without a mirror", ZFS "2 mirror-0 vdev type=mirror\n3 a disk\n3 b disk\n2 c disk role=special\n", "",
     TRI_NO},
    {"a mirror that lost a leg", ZFS "2 mirror-0 vdev type=mirror state=DEGRADED\n3 a disk state=ONLINE\n"
     "3 b vdev state=REMOVED\n4 ? unknown why=not%20in%20use\n", "", TRI_NO},
    {"a leg with errors", ZFS "2 mirror-0 vdev type=mirror state=DEGRADED\n3 a disk state=ONLINE\n3 b disk state=FAULTED\n", "",
     TRI_NO},
    {"RAID-Z2", ZFS "2 raidz2-0 vdev type=raidz2\n3 a disk\n3 b disk\n3 c disk\n3 d disk\n", "", TRI_YES},
    {"RAID-Z2 that lost two", ZFS "2 raidz2-0 vdev type=raidz2\n3 a disk\n3 b disk\n3 c vdev state=UNAVAIL\n"
     "3 d vdev state=OFFLINE\n", "", TRI_NO},
    {"RAID-Z1 that lost one", ZFS "2 raidz1-0 vdev type=raidz1\n3 a disk\n3 b disk\n3 c vdev state=UNAVAIL\n", "", TRI_NO},
    {"dRAID", ZFS "2 draid2:4d:8c:1s-0 vdev type=draid\n3 a disk\n3 b disk\n3 c vdev state=UNAVAIL\n", "", TRI_YES},
    {"a vdev of a kind to come", ZFS "2 hyper-0 vdev\n3 a disk\n3 b disk\n", "", TRI_UNKNOWN},
    {"a drive whose spare took over", ZFS "2 mirror-0 vdev type=mirror\n3 a disk\n3 spare-1 vdev type=spare state=DEGRADED\n"
     "4 b disk state=FAULTED\n4 c disk state=ONLINE\n", "", TRI_YES},
    {"btrfs raid1", BTRFS("raid1"), "raid1", TRI_YES},
    {"btrfs raid1, metadata once", BTRFS("raid1"), "single", TRI_NO},
    {"btrfs single, metadata twice", BTRFS("single"), "raid1", TRI_NO},
    {"btrfs raid0", BTRFS("raid0"), "raid1", TRI_NO},
    {"btrfs on the way to raid1", BTRFS("mixed"), "raid1", TRI_UNKNOWN},
    {"btrfs whose metadata are not known", BTRFS("raid1"), "", TRI_UNKNOWN},
    {"btrfs raid1 that lacks a device", "0 /srv fs type=btrfs\n1 btrfs-a vdev type=raid1 degraded=1\n2 a disk\n2 b disk\n",
     "raid1", TRI_NO},
};

static enum tri disk(void *ctx, struct span name)
{
    (void)ctx;
    return span_eq_text(name, "cloud") ? TRI_YES : span_eq_text(name, "dark") ? TRI_UNKNOWN : TRI_NO;
}

static void test_stacks(void **state)
{
    (void)state;
    unsigned bad = 0;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct layer layers[LAYERS_MAX];
        struct span rest = span_of(rows[i].layers), line;
        size_t n = 0;
        while (span_line(&rest, &line)) {
            assert_true(n < LAYERS_MAX && layer_read(a, line, &layers[n]));
            n++;
        }
        const enum tri got = redundancy_of(layers, n, span_of(rows[i].metadata), disk, NULL);
        if (got != rows[i].want) {
            (void)fprintf(stderr, "%s: %d, not %d\n", rows[i].name, (int)got, (int)rows[i].want);
            bad++;
        }
    }
    assert_int_equal(bad, 0);
}

/* ---- over facts ------------------------------------------------------------------------------ */

static const char *mirrored(struct arena *a, const char *layers)
{
    struct store *s = store_new(a, decl_set_new(a));
    struct subject *v = store_subject(s, SUBJECT_VOLUME, "volume:x:data");
    struct span words[LAYERS_MAX], rest = span_of(layers), line;
    size_t n = 0;
    v->server = store_subject(s, SUBJECT_SERVER, "server:x");
    while (span_line(&rest, &line)) {
        words[n++] = line;
    }
    if (n > 0) {
        store_known(s, v, "volume.layers", value_words(a, KIND_LIST, words, n), "test");
    }
    store_known(s, v, "volume.btrfs.metadata_profile", value_text(KIND_ENUM, SPAN_LIT("raid1")), "test");
    redundancy_set(s);
    const struct fact *f = store_get(s, v, SPAN_LIT("volume.mirrored"));
    assert_non_null(f);
    return f->state != FACT_KNOWN ? "?" : f->value.boolean ? "true" : "false";
}

static void test_facts(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    assert_string_equal(mirrored(a, XFS "1 sda disk\n"), "false");
    assert_string_equal(mirrored(a, XFS "1 md0 md raid=raid1\n2 sda disk\n2 sdb disk\n"), "true");
    assert_string_equal(mirrored(a, BTRFS("raid1")), "true");
    assert_string_equal(mirrored(a, ""), "?");
    assert_string_equal(mirrored(a, "no layer\n"), "?");
}

/* What belongs to no server has no data of one. */
static void test_alone(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct store *s = store_new(a, decl_set_new(a));
    const struct subject *v = store_subject(s, SUBJECT_VOLUME, "volume:x");
    redundancy_set(s);
    assert_null(store_get(s, v, SPAN_LIT("volume.mirrored")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stacks),
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
