/* Pools of ZFS; see volume_scenes.h. */
#include "probes/host/reply.h"
#include "tests/unit/probes/volume_scenes.h"

#include "advisor/base/banned.h"

#define ZPOOL_HEAD                                                                                 \
    "  pool: tank\n state: DEGRADED\nconfig:\n\n\tNAME  STATE  READ WRITE CKSUM\n"                   \
    "\ttank  DEGRADED  0  0  0\n"
#define ZPOOL_END "\nerrors: No known data errors\n"

/* A mirror over a partition and a whole drive; a third leg is gone. */
void volume_zfs_mirror(struct host *h)
{
    volume_on_zfs(h);
    hosts_nvme(h, "nvme0n1", "nvme0", "Drive 960");
    hosts_nvme(h, "nvme1n1", "nvme1", "Drive 960");
    hosts_partition(h, "nvme0n1p1", "nvme0n1", "2048");
    hosts_number(h, "259:1", "nvme0n1p1");
    hosts_number(h, "259:2", "nvme1n1");
    fakehost_reply(h, HOST_EXEC, "zpool-status tank",
                   SPAN_LIT(ZPOOL_HEAD "\t  mirror-0  DEGRADED  0  0  0\n"
                                       "\t    /dev/nvme0n1p1  ONLINE  0  0  2\n"
                                       "\t    /dev/nvme1n1  ONLINE  0  0  0\n"
                                       "\t    /dev/nvme2n1p1  REMOVED  0  0  0\n" ZPOOL_END));
    fakehost_reply(h, HOST_EXEC, "zfs-get tank/my",
                   SPAN_LIT("tank/my\trecordsize\t131072\tdefault\n"
                            "tank/my\tcompression\tgzip-9\tlocal\n"
                            "tank/my\tcompressratio\t1.50\t-\n"
                            "tank/my\tprimarycache\tmetadata\tlocal\n"
                            "tank/my\tlogbias\tlatency\tdefault\n"
                            "tank/my\tsync\tdisabled\tlocal\n"
                            "tank/my\tatime\toff\tlocal\n"
                            "tank/my\tredundant_metadata\tsome\tdefault\n"
                            "tank/my\tusedbysnapshots\t4096\t-\n"));
    const struct host_size size = {.files = 3,
                                   .bytes_allocated = 4096,
                                   .complete = true,
                                   .largest_bytes = 1 << 20,
                                   .largest_block = 131072};
    fakehost_reply(h, HOST_SIZE, ".ibd /m", reply_size(h->arena, &size));
}

/* Words and figures that nobody expects, and an older release without some properties. */
void volume_zfs_odd(struct host *h)
{
    volume_zfs_mirror(h);
    fakehost_reply(h, HOST_EXEC, "zfs-get tank/my",
                   SPAN_LIT("tank/my\trecordsize\tmuch\tdefault\n"
                            "tank/my\tcompression\tzstd-fast-10\tlocal\n"
                            "tank/my\tprimarycache\tsometimes\tlocal\n"));
}

void volume_zfs_on_file(struct host *h)
{
    volume_zfs_mirror(h);
    fakehost_reply(h, HOST_EXEC, "zpool-status tank",
                   SPAN_LIT(ZPOOL_HEAD "\t  /srv/pool.img  ONLINE  0  0  0\n" ZPOOL_END));
}

void volume_zfs_gone_leg(struct host *h)
{
    volume_zfs_mirror(h);
    fakehost_remove(h, HOST_LINK, "/sys/class/block/nvme1n1");
}

void volume_zfs_hostile_name(struct host *h)
{
    volume_zfs_mirror(h);
    fakehost_reply(h, HOST_EXEC, "zpool-status tank",
                   SPAN_LIT(ZPOOL_HEAD "\t  /dev/..  ONLINE  0  0  0\n" ZPOOL_END));
}

/* ---- pools of more parts --------------------------------------------------------------------- */

#define NOW 1795953601 /* Sun Nov 29 12:00:01 2026 */
#define DAY 86400
#define STATUS(scan, rows)                                                                         \
    "  pool: tank\n state: ONLINE\n  scan: " scan "\nconfig:\n\n"                                 \
    "\tNAME  STATE  READ WRITE CKSUM\n\ttank  ONLINE  0  0  0\n" rows ZPOOL_END
#define ZPOOL_NEW                                                                                  \
    "  pool: tank\n state: ONLINE\nconfig:\n\n\tNAME  STATE  READ WRITE CKSUM\n"                   \
    "\ttank  ONLINE  0  0  0\n"
#define TRIMMED(day) "  (100% trimmed, completed at " day " 12:00:01 2026)\n"

/* A disk of the pool with its number; a partition on it where there is one. */
static void pool_disk(struct host *h, const char *disk, const char *ctrl, const char *number)
{
    hosts_nvme(h, disk, ctrl, "Drive 960");
    hosts_number(h, number, disk);
}

static void pool_part(struct host *h, const char *part, const char *disk, const char *number)
{
    hosts_partition(h, part, disk, "2048");
    hosts_number(h, number, part);
}

static void pool_base(struct host *h)
{
    volume_on_zfs(h);
    pool_disk(h, "nvme0n1", "nvme0", "259:0");
    pool_disk(h, "nvme1n1", "nvme1", "259:10");
    pool_disk(h, "nvme2n1", "nvme2", "259:20");
    pool_disk(h, "nvme4n1", "nvme4", "259:40");
    pool_part(h, "nvme0n1p1", "nvme0n1", "259:1");
    pool_part(h, "nvme1n1p1", "nvme1n1", "259:11");
    pool_part(h, "nvme1n1p2", "nvme1n1", "259:12");
    hosts_attr(h, "nvme2n1", "size", "2097152");
    const char *const now = arena_printf(h->arena, "%d", NOW);
    fakehost_reply(h, HOST_CLOCK, "", span_of(now));
    fakehost_reply(h, HOST_EXEC, "zfs-get tank/my",
                   span_of(arena_printf(h->arena,
                                        "tank/my\trecordsize\t16384\tinherited from tank\n"
                                        "tank/my\tencryption\taes-256-gcm\t-\n"
                                        "tank/my\tdedup\toff\tdefault\n"
                                        "tank/my\tcreation\t%d\t-\n",
                                        NOW - 10 * DAY)));
}

static void pool_get(struct host *h, const char *ashift, const char *autotrim, const char *features)
{
    fakehost_reply(h, HOST_EXEC, "zpool-get tank",
                   span_of(arena_printf(h->arena,
                                        "tank\tcapacity\t45\t-\ntank\tfragmentation\t12\t-\n"
                                        "tank\tashift\t%s\tlocal\ntank\tautotrim\t%s\tlocal\n%s",
                                        ashift, autotrim, features)));
}

void volume_zfs_whole(struct host *h)
{
    pool_base(h);
    pool_get(h, "12", "on", "");
    fakehost_reply(
        h, HOST_EXEC, "zpool-status-t tank",
        SPAN_LIT(STATUS("scrub repaired 0B in 00:12:34 with 0 errors on Sat Nov 28 12:00:01 2026",
                        "\t  mirror-0  ONLINE  0  0  0\n"
                        "\t    /dev/nvme0n1p1  ONLINE  0  0  0" TRIMMED("Sat Nov 28")
                        "\t    /dev/nvme1n1p1  ONLINE  0  0  0  block size: 512B configured, "
                        "4096B native" TRIMMED("Fri Nov 27")
                        "\tspecial\t\n\t  /dev/nvme4n1  ONLINE  0  0  0" TRIMMED("Sat Nov 28")
                        "\tlogs\t\n\t  /dev/nvme1n1p2  ONLINE  0  0  0" TRIMMED("Sat Nov 28")
                        "\tcache\n\t  /dev/nvme2n1  ONLINE  0  0  0  (untrimmed)\n"
                        "\tspares\n\t  /dev/nvme3n1  AVAIL\n")));
}

void volume_zfs_never(struct host *h)
{
    pool_base(h);
    pool_get(h, "9", "on", "tank\tfeature@vdev_zaps_v2\tactive\tlocal\n");
    fakehost_reply(h, HOST_EXEC, "zpool-ashift tank",
                   SPAN_LIT("nvme0n1\tashift\t12\t-\nmirror-1\tashift\t13\t-\n"
                            "sdx\tashift\t0\t-\nsdy\tashift\t-\t-\n"));
    fakehost_reply(h, HOST_EXEC, "zpool-status-t tank",
                   SPAN_LIT(STATUS("none requested",
                                   "\t  /dev/nvme0n1p1  ONLINE  0  0  0  (untrimmed)\n"
                                   "\tlogs\t\n\t  mirror-1  ONLINE  0  0  0\n"
                                   "\t    /dev/nvme1n1p2  ONLINE  0  0  0  (untrimmed)\n"
                                   "\t    /dev/nvme2n1  ONLINE  0  0  0  (untrimmed)\n")));
}

/* As 2.1 prints a new pool: without a line about scans. */
void volume_zfs_new(struct host *h)
{
    pool_base(h);
    pool_get(h, "12", "off", "");
    fakehost_reply(h, HOST_EXEC, "zpool-status-t tank",
                   SPAN_LIT(ZPOOL_NEW "\t  /dev/nvme0n1p1  ONLINE  0  0  0  (untrimmed)\n" ZPOOL_END));
}

void volume_zfs_at_work(struct host *h)
{
    pool_base(h);
    pool_get(h, "13", "on", "");
    fakehost_reply(h, HOST_EXEC, "zpool-status-t tank",
                   SPAN_LIT(STATUS("scrub in progress since Sun Nov 29 11:00:01 2026\n"
                                   "\t1G scanned at 100M/s, 0B issued at 0B/s, 2G total\n"
                                   "\t0B repaired, 0.00% done, no estimated completion time",
                                   "\t  /dev/nvme0n1p1  ONLINE  0  0  0  (37% trimmed, started at "
                                   "Sun Nov 29 11:00:01 2026)\n")));
}

void volume_zfs_automatic(struct host *h)
{
    pool_base(h);
    pool_get(h, "0", "off", "");
    fakehost_reply(h, HOST_EXEC, "zpool-status-t tank",
                   SPAN_LIT(STATUS("resilver in progress since Sun Nov 29 11:00:01 2026",
                                   "\t  /dev/nvme0n1p1  ONLINE  0  0  0  (trim unsupported)\n")));
}

void volume_zfs_log_on_file(struct host *h)
{
    pool_base(h);
    pool_get(h, "12", "off", "");
    fakehost_reply(h, HOST_EXEC, "zpool-status-t tank",
                   SPAN_LIT(STATUS("none requested",
                                   "\t  /dev/nvme0n1p1  ONLINE  0  0  0  (untrimmed)\n"
                                   "\tlogs\t\n\t  /srv/log.img  ONLINE  0  0  0  (untrimmed)\n"
                                   "\tcache\n\t  /srv/cache.img  ONLINE  0  0  0  (untrimmed)\n")));
}

void volume_zfs_suspended(struct host *h)
{
    pool_base(h);
    pool_get(h, "12", "off", "");
    fakehost_reply(h, HOST_EXEC, "zpool-status-t tank",
                   SPAN_LIT("  pool: tank\n state: SUSPENDED\nconfig:\n\n"
                            "\tNAME  STATE  READ WRITE CKSUM\n\ttank  UNAVAIL  0  0  0  insufficient "
                            "replicas\n\t  /dev/nvme0n1p1  REMOVED  0  0  0\n\n"
                            "errors: 4 data errors, use '-v' for a list\n"));
}
