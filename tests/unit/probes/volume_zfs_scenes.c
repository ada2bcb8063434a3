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
    hosts_attr(h, "nvme0n1p1", "dev", "259:1");
    hosts_attr(h, "nvme1n1", "dev", "259:2");
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
    fakehost_remove(h, HOST_READ, "/sys/class/block/nvme1n1/dev");
}

void volume_zfs_hostile_name(struct host *h)
{
    volume_zfs_mirror(h);
    fakehost_reply(h, HOST_EXEC, "zpool-status tank",
                   SPAN_LIT(ZPOOL_HEAD "\t  /dev/..  ONLINE  0  0  0\n" ZPOOL_END));
}
