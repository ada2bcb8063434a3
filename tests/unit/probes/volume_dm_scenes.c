/* See volume_dm_scenes.h. */
#include <errno.h>
#include <string.h>

#include "tests/unit/probes/volume_dm_scenes.h"

#include "advisor/base/banned.h"

#define VG                                                                                         \
    "LVM-"                                                                                         \
    "0123456789abcdef0123456789abcdef"
#define LV "fedcba9876543210fedcba9876543210"
#define MYSQL "/var/lib/mysql"

/* Two drives of a size, their first partitions, and the server's data on device 253:`minor`. */
static void machine(struct host *h, unsigned minor, const char *blocks)
{
    const char *number = arena_printf(h->arena, "253:%u", minor);
    fakehost_reply(h, HOST_OPEN, "root 100", SPAN_LIT("/proc/100/root"));
    fakehost_file(
        h, "/proc/100/mountinfo",
        arena_printf(h->arena, "31 20 %s / /m rw,noatime - xfs /dev/mapper/x rw\n", number));
    fakehost_file(h, "/proc/self/mountinfo", "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n");
    fixture_list(h, "/sys/block", blocks);
    fakehost_who(h, 0, 0, true);
    fixture_stat(h, "/proc/self/root/dev/mapper/control",
                 &(struct host_stat){.mode = 0020600, .rdev_major = 10, .rdev_minor = 236});
    hosts_path(h, MYSQL, "/m", 253, minor, 31);
    hosts_number(h, number, arena_printf(h->arena, "dm-%u", minor));
    for (unsigned i = 0; i < 2; i++) {
        const char *disk = arena_printf(h->arena, "nvme%un1", i);
        const char *part = arena_printf(h->arena, "nvme%un1p1", i);
        hosts_nvme(h, disk, arena_printf(h->arena, "nvme%u", i), "Drive 960");
        hosts_attr(h, disk, "dev", arena_printf(h->arena, "259:%u", 10 * i));
        hosts_partition(h, part, disk, "2048");
        hosts_attr(h, part, "dev", arena_printf(h->arena, "259:%u", 10 * i + 1));
        hosts_attr(h, part, "size", "2095104");
    }
}

/* The limits that a stripe shows. */
static void stripe_limits(struct host *h, const char *name, const char *min, const char *opt)
{
    hosts_attr(h, name, "queue/minimum_io_size", min);
    hosts_attr(h, name, "queue/optimal_io_size", opt);
}

static void tables(struct host *h, const char *table, const char *status)
{
    fakehost_reply(h, HOST_EXEC, "dmsetup-table", span_of(table));
    fakehost_reply(h, HOST_EXEC, "dmsetup-status", span_of(status));
}

/* Mapping dm-`minor` of `sectors`. */
static void mapping(struct host *h, unsigned minor, const char *name, const char *uuid,
                    const char *slaves, const char *sectors)
{
    const char *dm = arena_printf(h->arena, "dm-%u", minor);
    hosts_stacked(h, dm, slaves, name, uuid, "512", "0");
    hosts_attr(h, dm, "size", sectors);
    hosts_attr(h, dm, "dev", arena_printf(h->arena, "253:%u", minor));
    hosts_attr(h, dm, "dm/suspended", "0");
}

/* A volume that grew onto a second drive: two segments, of which the second begins at another
 * place. */
void dm_two_segments(struct host *h)
{
    machine(h, 0, "dm-0 nvme0n1 nvme1n1");
    mapping(h, 0, "vg-my--data", VG LV, "nvme0n1p1 nvme1n1p1", "24576");
    tables(h,
           "vg-my--data: 0 16384 linear 259:1 2048\nvg-my--data: 16384 8192 linear 259:11 10240\n",
           "vg-my--data: 0 16384 linear\nvg-my--data: 16384 8192 linear\n");
}

void dm_striped(struct host *h)
{
    machine(h, 0, "dm-0 dm-7 nvme0n1 nvme1n1");
    mapping(h, 0, "vg-data", VG LV, "nvme0n1p1 nvme1n1p1", "16384");
    stripe_limits(h, "dm-0", "65536", "131072");
    mapping(h, 7, "swap", "CRYPT-PLAIN-swap", "nvme0n1p1", "8");
    tables(h,
           "swap: 0 8 crypt aes-xts-plain64 - 0 259:1 0\n"
           "vg-data: 0 16384 striped 2 128 259:1 2048 259:11 2048\n",
           "vg-data: 0 16384 striped 2 259:1 259:11 1 AA\n");
}

/* Physical volumes that begin at 63 sectors, pieces of 4 KiB. */
void dm_misaligned_stripe(struct host *h)
{
    dm_striped(h);
    hosts_attr(h, "nvme0n1p1", "start", "63");
    hosts_attr(h, "nvme1n1p1", "start", "63");
    stripe_limits(h, "dm-0", "4096", "8192");
    tables(h, "vg-data: 0 16384 striped 2 8 259:1 2048 259:11 2048\n", "");
}

void dm_thin(struct host *h)
{
    machine(h, 4, "dm-1 dm-2 dm-3 dm-4 nvme0n1");
    mapping(h, 4, "vg-thin", VG LV, "dm-3", "409600");
    mapping(h, 3, "vg-pool-tpool", VG LV "-tpool", "dm-1 dm-2", "204800");
    mapping(h, 1, "vg-pool_tmeta", VG LV, "nvme0n1p1", "8192");
    mapping(h, 2, "vg-pool_tdata", VG LV, "nvme0n1p1", "204800");
    tables(h,
           "vg-thin: 0 409600 thin 253:3 1\nvg-pool-tpool: 0 204800 thin-pool 253:1 253:2 128 0 0\n"
           "vg-pool_tmeta: 0 8192 linear 259:1 206848\nvg-pool_tdata: 0 204800 linear 259:1 2048\n",
           "vg-thin: 0 409600 thin 1024 2047\n"
           "vg-pool-tpool: 0 204800 thin-pool 1 256/1024 1200/1600 - rw no_discard_passdown "
           "queue_if_no_space "
           "- 1024\n");
}

void dm_thin_failed(struct host *h)
{
    dm_thin(h);
    fakehost_reply(h, HOST_EXEC, "dmsetup-status",
                   SPAN_LIT("vg-pool-tpool: 0 204800 thin-pool Fail\n"));
}

/* An origin with two snapshots, one of them nearly full; a third of another volume. */
void dm_snapshots(struct host *h)
{
    machine(h, 0, "dm-0 dm-1 dm-2 dm-3 dm-4 dm-5 nvme0n1");
    mapping(h, 0, "vg-data", VG LV, "dm-1", "16384");
    mapping(h, 1, "vg-data-real", VG LV "-real", "nvme0n1p1", "16384");
    mapping(h, 2, "vg-s1", VG LV, "dm-1 dm-3", "16384");
    mapping(h, 3, "vg-s1-cow", VG LV "-cow", "nvme0n1p1", "8192");
    mapping(h, 4, "vg-s2", VG LV, "dm-1 dm-3", "16384");
    mapping(h, 5, "vg-o", VG LV, "dm-3 dm-3", "16384");
    tables(h,
           "vg-data: 0 16384 snapshot-origin 253:1\nvg-data-real: 0 16384 linear 259:1 2048\n"
           "vg-s1: 0 16384 snapshot 253:1 253:3 P 8\nvg-s1-cow: 0 8192 linear 259:1 18432\n"
           "vg-s2: 0 16384 snapshot 253:1 253:3 P 8\nvg-o: 0 16384 snapshot 253:9 253:3 P 8\n",
           "vg-s1: 0 16384 snapshot 16/8192 16\nvg-s2: 0 16384 snapshot 7372/8192 16\n"
           "vg-o: 0 16384 snapshot 8192/8192 16\n");
}

void dm_is_snapshot(struct host *h)
{
    dm_snapshots(h);
    machine(h, 2, "dm-0 dm-1 dm-2 dm-3 dm-4 dm-5 nvme0n1");
}

static void luks(struct host *h, const char *options)
{
    machine(h, 1, "dm-0 dm-1 nvme0n1");
    mapping(h, 1, "secret", "CRYPT-LUKS2-0123-secret", "dm-0", "16384");
    mapping(h, 0, "vg-data", VG LV, "nvme0n1p1", "49152");
    tables(h,
           arena_printf(h->arena,
                        "secret: 0 16384 crypt aes-xts-plain64 - 0 253:0 32768%s\n"
                        "vg-data: 0 49152 linear 259:1 2048\n",
                        options),
           "");
}

void dm_luks(struct host *h)
{
    luks(h, " 3 no_read_workqueue no_write_workqueue sector_size:4096");
}

void dm_luks_queues(struct host *h)
{
    luks(h, " 1 no_read_workqueue");
}

static void raid_legs(struct host *h, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        mapping(h, 1 + 2 * i, arena_printf(h->arena, "vg-data_rmeta_%u", i), VG LV,
                arena_printf(h->arena, "nvme%un1p1", i), "8192");
        mapping(h, 2 + 2 * i, arena_printf(h->arena, "vg-data_rimage_%u", i), VG LV,
                arena_printf(h->arena, "nvme%un1p1", i), "16384");
    }
}

#define RAID_LEGS                                                                                  \
    "vg-data_rmeta_0: 0 8192 linear 259:1 2048\nvg-data_rimage_0: 0 16384 linear 259:1 10240\n"    \
    "vg-data_rmeta_1: 0 8192 linear 259:11 2048\nvg-data_rimage_1: 0 16384 linear 259:11 10240\n"

void dm_raid1(struct host *h)
{
    machine(h, 0, "dm-0 dm-1 dm-2 dm-3 dm-4 nvme0n1 nvme1n1");
    mapping(h, 0, "vg-data", VG LV, "dm-1 dm-2 dm-3 dm-4", "16384");
    raid_legs(h, 2);
    tables(h,
           "vg-data: 0 16384 raid raid1 3 0 region_size 4096 2 253:1 253:2 253:3 253:4\n" RAID_LEGS,
           "vg-data: 0 16384 raid raid1 2 Aa 4096/16384 recover 0 0 -\n");
}

/* The third leg is gone. */
void dm_raid5_degraded(struct host *h)
{
    dm_raid1(h);
    mapping(h, 0, "vg-data", VG LV, "dm-1 dm-2 dm-3 dm-4", "32768");
    stripe_limits(h, "dm-0", "65536", "131072");
    tables(h,
           "vg-data: 0 32768 raid raid5_ls 3 128 region_size 4096 3 253:1 253:2 253:3 253:4 - "
           "-\n" RAID_LEGS,
           "vg-data: 0 32768 raid raid5_ls 3 AAD 16384/16384 idle 0 0 -\n");
}

void dm_cache(struct host *h)
{
    machine(h, 0, "dm-0 dm-1 dm-2 dm-3 nvme0n1 nvme1n1");
    mapping(h, 0, "vg-data", VG LV, "dm-1 dm-2 dm-3", "16384");
    mapping(h, 1, "vg-fast_cpool-cmeta", VG LV "-cmeta", "nvme1n1p1", "8192");
    mapping(h, 2, "vg-fast_cpool-cdata", VG LV "-cdata", "nvme1n1p1", "8192");
    mapping(h, 3, "vg-data_corig", VG LV "-real", "nvme0n1p1", "16384");
    tables(h,
           "vg-data: 0 16384 cache 253:1 253:2 253:3 128 2 metadata2 writeback smq 0\n"
           "vg-fast_cpool-cmeta: 0 8192 linear 259:11 2048\nvg-fast_cpool-cdata: 0 8192 linear "
           "259:11 10240\n"
           "vg-data_corig: 0 16384 linear 259:1 2048\n",
           "");
}

void dm_multipath(struct host *h)
{
    machine(h, 0, "dm-0 sda sdb");
    mapping(h, 0, "mpatha", "mpath-3600a0980", "sda sdb", "2097152");
    for (unsigned i = 0; i < 2; i++) {
        const char *disk = i == 0 ? "sda" : "sdb";
        hosts_block(h, disk,
                    arena_printf(h->arena,
                                 "../../devices/pci0000:00/host%u/rport-1:0-%u/target/block/%s", i,
                                 i, disk),
                    "512", "0");
        hosts_attr(h, disk, "dev", i == 0 ? "8:0" : "8:16");
        hosts_attr(h, disk, "device/vendor", "NETAPP  ");
        hosts_attr(h, disk, "device/model", "LUN C-Mode      ");
    }
    tables(h,
           "mpatha: 0 2097152 multipath 1 queue_if_no_path 1 alua 2 1 service-time 0 1 2 8:0 1 1 "
           "service-time "
           "0 1 2 8:16 1 1\n",
           "");
}

/* A target that this program has never heard of. */
void dm_foreign(struct host *h)
{
    machine(h, 0, "dm-0 nvme0n1");
    mapping(h, 0, "odd", "", "nvme0n1p1", "16384");
    tables(h, "odd: 0 16384 pcache 259:1 writeback\n", "");
}

void dm_suspended(struct host *h)
{
    dm_two_segments(h);
    hosts_attr(h, "dm-0", "dm/suspended", "1");
}

/* The table was read before the volume grew. */
void dm_other_size(struct host *h)
{
    dm_two_segments(h);
    hosts_attr(h, "dm-0", "size", "32768");
}

/* … or before its data moved. */
void dm_other_devices(struct host *h)
{
    dm_two_segments(h);
    hosts_attr(h, "nvme1n1p1", "dev", "259:99");
}

void dm_cut_table(struct host *h)
{
    dm_two_segments(h);
    fakehost_reply(h, HOST_EXEC, "dmsetup-table", SPAN_LIT("vg-my--data: 0 16384 linear 259:1 20"));
}

void dm_no_tool(struct host *h)
{
    dm_two_segments(h);
    fakehost_fail(h, HOST_EXEC, "dmsetup-table", E_ABSENT, ENOENT);
}

/* In a container whose /dev lacks the mapper's node. */
void dm_no_node(struct host *h)
{
    dm_two_segments(h);
    fakehost_remove(h, HOST_STAT, "/proc/self/root/dev/mapper/control");
}

void dm_not_root(struct host *h)
{
    dm_thin(h);
    fakehost_who(h, 112, 112, false);
}

/* No mapping on the host: the tool is not run. */
void dm_none(struct host *h)
{
    machine(h, 0, "nvme0n1 nvme1n1");
    fakehost_file(h, "/proc/100/mountinfo",
                  "31 20 259:1 / /m rw,noatime - xfs /dev/nvme0n1p1 rw\n");
    hosts_path(h, MYSQL, "/m", 259, 1, 31);
    hosts_number(h, "259:1", "nvme0n1p1");
}

/* ---- md, bcache, drbd ------------------------------------------------------------------------ */

static void on_device(struct host *h, const char *number, const char *name)
{
    machine(h, 0, "nvme0n1 nvme1n1");
    fakehost_file(
        h, "/proc/100/mountinfo",
        arena_printf(h->arena, "31 20 %s / /m rw,noatime - xfs /dev/%s rw\n", number, name));
    hosts_path(h, MYSQL, "/m",
               strcmp(name, "bcache0") == 0 ? 252
               : strcmp(name, "drbd1") == 0 ? 147
                                            : 9,
               strcmp(name, "drbd1") == 0 ? 1 : 0, 31);
    hosts_number(h, number, name);
}

static void array(struct host *h, const char *name, const char *level, const char *members,
                  const char *disks)
{
    struct span rest = span_of(members), member;
    hosts_stacked(h, name, members, NULL, NULL, "65536", "131072");
    hosts_attr(h, name, "md/level", level);
    hosts_attr(h, name, "md/raid_disks", disks);
    hosts_attr(h, name, "md/metadata_version", "1.2");
    hosts_attr(h, name, "md/layout", "2");
    while (span_word(&rest, &member)) {
        hosts_attr(h, name, arena_printf(h->arena, "md/dev-%.*s/state", SPAN_ARG(member)),
                   "in_sync");
        hosts_attr(h, name, arena_printf(h->arena, "md/dev-%.*s/offset", SPAN_ARG(member)), "2048");
    }
}

static void redundant(struct host *h, const char *name, const char *degraded, const char *action)
{
    hosts_attr(h, name, "md/degraded", degraded);
    hosts_attr(h, name, "md/sync_action", action);
    hosts_attr(h, name, "md/bitmap/location", "none");
}

void md_raid0_over_raid1(struct host *h)
{
    on_device(h, "9:0", "md0");
    array(h, "md0", "raid0", "md1 md2", "2");
    hosts_attr(h, "md0", "md/chunk_size", "524288");
    stripe_limits(h, "md0", "524288", "1048576");
    array(h, "md1", "raid1", "nvme0n1p1", "2");
    redundant(h, "md1", "1", "idle");
    array(h, "md2", "raid1", "nvme1n1p1", "2");
    redundant(h, "md2", "0", "check");
    hosts_attr(h, "md2", "md/sync_completed", "500 / 2000");
}

/* Its journal is on another drive than its data. */
void md_raid5_journal(struct host *h)
{
    on_device(h, "9:0", "md0");
    array(h, "md0", "raid5", "nvme0n1p1 nvme1n1", "3 (2)");
    hosts_attr(h, "md0", "md/chunk_size", "65536");
    redundant(h, "md0", "2", "idle");
    hosts_attr(h, "md0", "md/dev-nvme1n1/state", "journal");
}

void md_resync(struct host *h)
{
    on_device(h, "9:0", "md0");
    array(h, "md0", "raid1", "nvme0n1p1 nvme1n1p1", "2");
    redundant(h, "md0", "0", "resync");
    hosts_attr(h, "md0", "md/sync_completed", "1000000 / 4000000");
}

void bcache_writeback(struct host *h)
{
    on_device(h, "252:0", "bcache0");
    hosts_stacked(h, "bcache0", "nvme0n1p1 nvme1n1p1", NULL, NULL, "512", "0");
    hosts_attr(h, "bcache0", "bcache/cache_mode", "writethrough [writeback] writearound none");
    hosts_attr(h, "nvme1n1p1", "bcache/cache_replacement_policy", "[lru] fifo random");
}

void drbd_internal(struct host *h)
{
    on_device(h, "147:1", "drbd1");
    hosts_stacked(h, "drbd1", "nvme0n1p1", NULL, NULL, "512", "0");
}
