/* See volume_scenes.h. */
#include <errno.h>
#include <string.h>

#include "probes/host/reply.h"
#include "tests/unit/probes/volume_scenes.h"

#include "advisor/base/banned.h"

#define LVM "LVM-" "0123456789abcdef0123456789abcdef" "0123456789abcdef0123456789abcdef"
#define MYSQL "/var/lib/mysql"
#define EXT4_MAGIC 0xef53u

static void mounts(struct host *h, const char *text)
{
    fakehost_reply(h, HOST_OPEN, "root 100", SPAN_LIT("/proc/100/root"));
    fakehost_file(h, "/proc/100/mountinfo", text);
    fakehost_file(h, "/proc/self/mountinfo", "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n");
    fixture_list(h, "/sys/block", "dm-0 loop0 nvme0n1");
    fakehost_who(h, 65534, 65534, false);
}

/* XFS on a partition of a local drive, below a bind mount, reached through a symbolic link. */
void volume_plain(struct host *h)
{
    mounts(h, "20 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n"
              "31 20 259:1 / /data rw,noatime - xfs /dev/nvme0n1p1 rw,attr2,logbsize=32k\n"
              "32 20 259:1 /my /srv/my rw,noatime - xfs /dev/nvme0n1p1 rw,attr2,logbsize=32k\n");
    hosts_path(h, MYSQL, "/srv/my/data", 259, 1, 32);
    hosts_number(h, "259:1", "nvme0n1p1");
    hosts_nvme(h, "nvme0n1", "nvme0", "Drive 960");
    hosts_partition(h, "nvme0n1p1", "nvme0n1", "2048");
}

void volume_striped_ext4(struct host *h)
{
    mounts(h, "31 20 253:0 / / rw - ext4 /dev/mapper/vg-data rw\n");
    hosts_path(h, MYSQL, "/m", 253, 0, 31);
    hosts_magic(h, "/m", EXT4_MAGIC);
    hosts_number(h, "253:0", "dm-0");
    hosts_nvme(h, "nvme0n1", "nvme0", "Drive 960");
    hosts_nvme(h, "nvme1n1", "nvme1", "Drive 960");
    hosts_stacked(h, "dm-0", "nvme0n1 nvme1n1", "vg-data", LVM, "131072", "262144");
    fakehost_file(h, "/proc/fs/ext4/dm-0/options",
                  "rw\nbarrier\ndioread_lock\nerrors=continue\ndata=journal\nnobarrier\n");
}

void volume_linear(struct host *h)
{
    mounts(h, "31 20 253:0 / / rw,lazytime - ext4 /dev/mapper/vg-data rw,discard\n");
    hosts_path(h, MYSQL, "/m", 253, 0, 31);
    hosts_magic(h, "/m", EXT4_MAGIC);
    hosts_number(h, "253:0", "dm-0");
    hosts_nvme(h, "nvme0n1", "nvme0", "Drive 960");
    hosts_nvme(h, "nvme1n1", "nvme1", "Drive 960");
    hosts_stacked(h, "dm-0", "nvme0n1 nvme1n1", "vg-data", LVM, "512", "0");
}

/* Only what differs from the superblock's defaults is in mountinfo. */
void volume_ext4_shown(struct host *h)
{
    volume_linear(h);
    mounts(h, "31 20 253:0 / / rw - ext4 /dev/mapper/vg-data rw,nobarrier,data=writeback\n");
}

static void md_member(struct host *h, const char *disk, const char *state)
{
    hosts_attr(h, "md0", arena_printf(h->arena, "md/dev-%s/state", disk), state);
    hosts_attr(h, "md0", arena_printf(h->arena, "md/dev-%s/offset", disk), "264192");
}

/* raid10 of four, one hot spare. */
void volume_raid10(struct host *h)
{
    mounts(h, "31 20 9:0 / /m rw,relatime - xfs /dev/md0 rw,discard,logbsize=256k\n");
    hosts_path(h, MYSQL, "/m", 9, 0, 31);
    hosts_number(h, "9:0", "md0");
    hosts_stacked(h, "md0", "nvme0n1 nvme1n1 nvme2n1 nvme3n1 nvme4n1", NULL, NULL, "16384",
                  "32768");
    hosts_attr(h, "md0", "md/level", "raid10");
    hosts_attr(h, "md0", "md/chunk_size", "16384");
    hosts_attr(h, "md0", "md/degraded", "1");
    hosts_attr(h, "md0", "md/sync_action", "recover");
    hosts_attr(h, "md0", "md/bitmap/location", "+8");
    hosts_attr(h, "md0", "md/bitmap/chunksize", "67108864");
    for (unsigned i = 0; i < 5; i++) {
        const char *disk = arena_printf(h->arena, "nvme%un1", i);
        hosts_nvme(h, disk, arena_printf(h->arena, "nvme%u", i), "Drive 960");
        md_member(h, disk, i == 4 ? "spare" : "in_sync");
    }
}

/* A mirror whose drives have a preferred size of their own: not a stripe. */
void volume_raid1(struct host *h)
{
    volume_raid10(h);
    hosts_attr(h, "md0", "md/level", "raid1");
    hosts_attr(h, "md0", "queue/minimum_io_size", "4096");
    hosts_attr(h, "md0", "queue/optimal_io_size", "8192");
    hosts_attr(h, "md0", "md/bitmap/location", "none");
}

void volume_luks(struct host *h)
{
    volume_plain(h);
    mounts(h, "31 20 253:1 / /m rw,relatime - xfs /dev/mapper/crypt rw\n");
    hosts_path(h, MYSQL, "/m", 253, 1, 31);
    hosts_number(h, "253:1", "dm-1");
    hosts_stacked(h, "dm-1", "dm-0", "crypt", "CRYPT-LUKS2-0123-crypt", "512", "0");
    hosts_stacked(h, "dm-0", "nvme0n1p1", "vg-data", LVM, "512", "0");
}

void volume_thin(struct host *h)
{
    volume_plain(h);
    mounts(h, "31 20 253:4 / /m rw,relatime - xfs /dev/mapper/thin rw\n");
    hosts_path(h, MYSQL, "/m", 253, 4, 31);
    hosts_number(h, "253:4", "dm-4");
    hosts_stacked(h, "dm-4", "dm-3", "vg-thin", LVM, "65536", "65536");
    hosts_stacked(h, "dm-3", "dm-1 dm-2", "vg-pool-tpool", LVM "-tpool", "65536", "65536");
    hosts_stacked(h, "dm-1", "nvme0n1p1", "vg-pool_tmeta", LVM, "512", "0");
    hosts_stacked(h, "dm-2", "nvme0n1p1", "vg-pool_tdata", LVM, "512", "0");
}

void volume_foreign_dm(struct host *h)
{
    volume_plain(h);
    mounts(h, "31 20 253:9 / /m rw,relatime - xfs /dev/mapper/odd rw\n");
    hosts_path(h, MYSQL, "/m", 253, 9, 31);
    hosts_number(h, "253:9", "dm-9");
    hosts_stacked(h, "dm-9", "nvme0n1p1", "odd", NULL, "512", "0");
}

/* A file on the partition of plain(), as a loop device with a filesystem. */
void volume_loop(struct host *h)
{
    volume_plain(h);
    mounts(h, "31 20 7:0 / /m rw,relatime - xfs /dev/loop0 rw\n");
    hosts_path(h, MYSQL, "/m", 7, 0, 31);
    hosts_number(h, "7:0", "loop0");
    hosts_block(h, "loop0", "../../devices/virtual/block/loop0", "512", "0");
    hosts_attr(h, "loop0", "loop/backing_file", "/images/my sql.img");
    fixture_stat(h, "/proc/self/root/images/my sql.img",
                 &(struct host_stat){.mode = 0100600, .dev_major = 259, .dev_minor = 1});
}

void volume_loop_deleted(struct host *h)
{
    volume_loop(h);
    hosts_attr(h, "loop0", "loop/backing_file", "/images/my sql.img (deleted)");
    hosts_attr(h, "loop0", "queue/rotational", "1");
}

void volume_multipath_head(struct host *h)
{
    mounts(h, "31 20 259:7 / /m rw,relatime - xfs /dev/nvme3n1 rw\n");
    hosts_path(h, MYSQL, "/m", 259, 7, 31);
    hosts_number(h, "259:7", "nvme3n1");
    hosts_nvme(h, "nvme3c2n1", "nvme2", "Drive 960");
    hosts_nvme(h, "nvme3n1", "nvme2", "Drive 960");
    fixture_link(h, "/sys/class/block/nvme3n1",
                 "../../devices/virtual/nvme-subsystem/nvme-subsys3/nvme3n1");
    fixture_link(h, "/sys/class/block/nvme3n1/device", "../../nvme-subsys3");
    fixture_list(h, "/sys/class/nvme-subsystem/nvme-subsys3",
                 "iopolicy model nvme2 nvme3 nvme3n1 power");
}

void volume_mixed_classes(struct host *h)
{
    volume_linear(h);
    hosts_attr(h, "nvme1n1", "device/model", "Amazon Elastic Block Store              ");
}

static void on_fs(struct host *h, const char *type, uint64_t magic, const char *source,
                  const char *super)
{
    mounts(h, arena_printf(h->arena, "31 20 0:50 / /m rw,relatime - %s %s %s\n", type, source,
                           super));
    hosts_path(h, MYSQL, "/m", 0, 51, 31);
    hosts_magic(h, "/m", magic);
}

void volume_on_tmpfs(struct host *h)
{
    on_fs(h, "tmpfs", 0x01021994, "tmpfs", "rw,size=4g");
}

void volume_on_nfs(struct host *h)
{
    on_fs(h, "nfs4", 0x6969, "filer:/my", "rw,vers=4.2");
}

void volume_on_overlay(struct host *h)
{
    on_fs(h, "overlay", 0x794c7630, "overlay", "rw,lowerdir=a:b,upperdir=c,workdir=d");
}

void volume_on_zfs(struct host *h)
{
    on_fs(h, "zfs", 0x2fc12fc1, "tank/my", "rw,xattr");
}

void volume_on_fuse(struct host *h)
{
    on_fs(h, "fuse.sshfs", 0x65735546, "host:", "rw");
}

void volume_on_btrfs(struct host *h)
{
    volume_plain(h);
    on_fs(h, "btrfs", 0x9123683e, "/dev/nvme0n1p1", "rw,compress-force=zstd:3,autodefrag,discard=async");
    fixture_stat(h, "/proc/self/root/dev/nvme0n1p1",
                 &(struct host_stat){.mode = 0060660, .rdev_major = 259, .rdev_minor = 1});
    fixture_list(h, "/sys/fs/btrfs", "0a-1b features");
    fixture_list(h, "/sys/fs/btrfs/0a-1b/devices", "nvme0n1p1");
}

void volume_btrfs_options(struct host *h, const char *options)
{
    on_fs(h, "btrfs", 0x9123683e, "/dev/nvme0n1p1", options);
}

/* A plain chroot: the table is empty, and what our own says is of another namespace. */
void volume_chroot_empty(struct host *h)
{
    volume_plain(h);
    fakehost_file(h, "/proc/100/mountinfo", "");
}

/* Partial: only the bind mount elsewhere is in sight, the id is not. */
void volume_chroot_partial(struct host *h)
{
    volume_plain(h);
    fakehost_file(h, "/proc/100/mountinfo",
                  "31 20 259:1 / /data rw,noatime - xfs /dev/nvme0n1p1 rw,logbsize=32k\n");
}

void volume_old_kernel(struct host *h)
{
    volume_plain(h);
    hosts_path(h, MYSQL, "/srv/my/data", 259, 1, 0);
}

void volume_big_data(struct host *h)
{
    volume_plain(h);
    const struct host_size size = {.files = 20000, .bytes_allocated = 1, .complete = false};
    fakehost_reply(h, HOST_SIZE, ".ibd /srv/my/data", reply_size(h->arena, &size));
}

void volume_no_datadir_access(struct host *h)
{
    volume_plain(h);
    fakehost_fail(h, HOST_SIZE, ".ibd /srv/my/data", E_DENIED, EACCES);
    fakehost_remove(h, HOST_STAT, "/srv/my/data/ibdata1");
}

void volume_virtio(struct host *h)
{
    mounts(h, "31 20 254:0 / /m rw - ext4 /dev/vda rw\n");
    hosts_path(h, MYSQL, "/m", 254, 0, 31);
    hosts_magic(h, "/m", EXT4_MAGIC);
    hosts_number(h, "254:0", "vda");
    hosts_block(h, "vda", "../../devices/pci0000:00/virtio0/block/vda", "512", "0");
}

/* The bottom of a stack that cannot be followed. */
void volume_broken(struct host *h)
{
    mounts(h, "31 20 253:0 / /m rw - xfs /dev/dm-0 rw\n");
    hosts_path(h, MYSQL, "/m", 253, 0, 31);
    hosts_number(h, "253:0", "dm-0");
    hosts_stacked(h, "dm-0", "dm-1", "a", LVM, "512", "0");
    hosts_stacked(h, "dm-1", "", "b", LVM, "512", "0");
}

void volume_cycle(struct host *h)
{
    volume_broken(h);
    hosts_stacked(h, "dm-1", "dm-0", "b", LVM, "512", "0");
}

/* One mapping on the other, dm-0 on top, down to the drive. */
static void pile(struct host *h, unsigned n)
{
    volume_linear(h);
    for (unsigned i = 0; i < n; i++) {
        const char *name = arena_printf(h->arena, "dm-%u", i);
        const char *below = i + 1 < n ? arena_printf(h->arena, "dm-%u", i + 1) : "nvme0n1";
        hosts_stacked(h, name, below, arena_printf(h->arena, "x%u", i), LVM, "512", "0");
    }
}

void volume_forty(struct host *h)
{
    pile(h, 40);
}

void volume_sixty(struct host *h)
{
    pile(h, 60);
}

void volume_missing(struct host *h)
{
    volume_broken(h);
    hosts_stacked(h, "dm-1", "nvme9n1", "b", LVM, "512", "0");
}

void volume_impossible_name(struct host *h)
{
    volume_broken(h);
    fixture_list(h, "/sys/class/block/dm-1/slaves", "../../etc");
}

void volume_denied_slaves(struct host *h)
{
    volume_broken(h);
    fakehost_fail(h, HOST_LIST, "/sys/class/block/dm-1/slaves", E_DENIED, EACCES);
}

/* Each level doubles: more legs than any real stack. */
void volume_wide(struct host *h)
{
    volume_broken(h);
    for (unsigned i = 1; i < 14; i++) {
        hosts_stacked(h, arena_printf(h->arena, "dm-%u", i),
                      arena_printf(h->arena, "dm-%u dm-%u", i + 1, i + 1), "x", LVM, "512", "0");
    }
    hosts_block(h, "dm-14", "../x/dm-14", "512", "0");
}

void volume_absent_path(struct host *h)
{
    mounts(h, "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
}

void volume_denied_path(struct host *h)
{
    volume_absent_path(h);
    fakehost_fail(h, HOST_LINK, "real " MYSQL, E_DENIED, EACCES);
}

/* Not root, and the server has another filesystem there. */
void volume_other_view(struct host *h)
{
    volume_plain(h);
    fakehost_fail(h, HOST_OPEN, "root 100", E_DENIED, EACCES);
    fakehost_file(h, "/proc/self/mountinfo",
                  "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
                  "77 1 8:17 / /srv/my rw - ext4 /dev/sdb1 rw\n");
}

/* Not root, in another mount namespace, but the same filesystem and directory. */
void volume_same_view(struct host *h)
{
    volume_plain(h);
    fakehost_fail(h, HOST_OPEN, "root 100", E_DENIED, EACCES);
    hosts_path(h, MYSQL, "/srv/my/data", 259, 1, 77);
    fakehost_file(h, "/proc/self/mountinfo",
                  "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
                  "77 1 259:1 /my /srv/my rw,noatime - xfs /dev/nvme0n1p1 rw,logbsize=32k\n");
}
