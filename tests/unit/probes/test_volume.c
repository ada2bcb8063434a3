/* The volume probe on made-up machines: mounts, options, stacks, and what it must not guess. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/host/reply.h"
#include "tests/unit/probes/storage_hosts.h"

#include "advisor/base/banned.h"

#define LVM "LVM-" "0123456789abcdef0123456789abcdef" "0123456789abcdef0123456789abcdef"
#define MYSQL "/var/lib/mysql"
#define EXT4_MAGIC 0xef53u
#define WANTS(...) ((const struct want[]){__VA_ARGS__, {NULL, NULL}})

static const struct probe_args data_args = {
    .label = "volume:x:data",
    .path = MYSQL,
    .server = "server:x",
    .pid = 100,
    .roles = ROLE_DATA | ROLE_REDO,
};

static void mounts(struct host *h, const char *text)
{
    fakehost_reply(h, HOST_OPEN, "root 100", SPAN_LIT("/proc/100/root"));
    fakehost_file(h, "/proc/100/mountinfo", text);
    fakehost_file(h, "/proc/self/mountinfo", "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n");
}

/* XFS on a partition of a local drive, below a bind mount, reached through a symbolic link. */
static void plain(struct host *h)
{
    mounts(h, "20 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n"
              "31 20 259:1 / /data rw,noatime - xfs /dev/nvme0n1p1 rw,attr2,logbsize=32k\n"
              "32 20 259:1 /my /srv/my rw,noatime - xfs /dev/nvme0n1p1 rw,attr2,logbsize=32k\n");
    hosts_path(h, MYSQL, "/srv/my/data", 259, 1, 32);
    hosts_number(h, "259:1", "nvme0n1p1");
    hosts_nvme(h, "nvme0n1", "nvme0", "Drive 960");
    hosts_partition(h, "nvme0n1p1", "nvme0n1", "2048");
}

static void striped_ext4(struct host *h)
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

static void linear(struct host *h)
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
static void ext4_shown(struct host *h)
{
    linear(h);
    mounts(h, "31 20 253:0 / / rw - ext4 /dev/mapper/vg-data rw,nobarrier,data=writeback\n");
}

static void md_member(struct host *h, const char *disk, const char *state)
{
    hosts_attr(h, "md0", arena_printf(h->arena, "md/dev-%s/state", disk), state);
    hosts_attr(h, "md0", arena_printf(h->arena, "md/dev-%s/offset", disk), "264192");
}

/* raid10 of four, one hot spare. */
static void raid10(struct host *h)
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
static void raid1(struct host *h)
{
    raid10(h);
    hosts_attr(h, "md0", "md/level", "raid1");
    hosts_attr(h, "md0", "queue/minimum_io_size", "4096");
    hosts_attr(h, "md0", "queue/optimal_io_size", "8192");
    hosts_attr(h, "md0", "md/bitmap/location", "none");
}

static void luks(struct host *h)
{
    plain(h);
    mounts(h, "31 20 253:1 / /m rw,relatime - xfs /dev/mapper/crypt rw\n");
    hosts_path(h, MYSQL, "/m", 253, 1, 31);
    hosts_number(h, "253:1", "dm-1");
    hosts_stacked(h, "dm-1", "dm-0", "crypt", "CRYPT-LUKS2-0123-crypt", "512", "0");
    hosts_stacked(h, "dm-0", "nvme0n1p1", "vg-data", LVM, "512", "0");
}

static void thin(struct host *h)
{
    plain(h);
    mounts(h, "31 20 253:4 / /m rw,relatime - xfs /dev/mapper/thin rw\n");
    hosts_path(h, MYSQL, "/m", 253, 4, 31);
    hosts_number(h, "253:4", "dm-4");
    hosts_stacked(h, "dm-4", "dm-3", "vg-thin", LVM, "65536", "65536");
    hosts_stacked(h, "dm-3", "dm-1 dm-2", "vg-pool-tpool", LVM "-tpool", "65536", "65536");
    hosts_stacked(h, "dm-1", "nvme0n1p1", "vg-pool_tmeta", LVM, "512", "0");
    hosts_stacked(h, "dm-2", "nvme0n1p1", "vg-pool_tdata", LVM, "512", "0");
}

static void foreign_dm(struct host *h)
{
    plain(h);
    mounts(h, "31 20 253:9 / /m rw,relatime - xfs /dev/mapper/odd rw\n");
    hosts_path(h, MYSQL, "/m", 253, 9, 31);
    hosts_number(h, "253:9", "dm-9");
    hosts_stacked(h, "dm-9", "nvme0n1p1", "odd", NULL, "512", "0");
}

/* A file on the partition of plain(), as a loop device with a filesystem. */
static void loop(struct host *h)
{
    plain(h);
    mounts(h, "31 20 7:0 / /m rw,relatime - xfs /dev/loop0 rw\n");
    hosts_path(h, MYSQL, "/m", 7, 0, 31);
    hosts_number(h, "7:0", "loop0");
    hosts_block(h, "loop0", "../../devices/virtual/block/loop0", "512", "0");
    hosts_attr(h, "loop0", "loop/backing_file", "/images/my sql.img");
    fixture_stat(h, "/proc/self/root/images/my sql.img",
                 &(struct host_stat){.mode = 0100600, .dev_major = 259, .dev_minor = 1});
}

static void loop_deleted(struct host *h)
{
    loop(h);
    hosts_attr(h, "loop0", "loop/backing_file", "/images/my sql.img (deleted)");
    hosts_attr(h, "loop0", "queue/rotational", "1");
}

static void multipath_head(struct host *h)
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

static void mixed_classes(struct host *h)
{
    linear(h);
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

static void on_tmpfs(struct host *h)
{
    on_fs(h, "tmpfs", 0x01021994, "tmpfs", "rw,size=4g");
}

static void on_nfs(struct host *h)
{
    on_fs(h, "nfs4", 0x6969, "filer:/my", "rw,vers=4.2");
}

static void on_overlay(struct host *h)
{
    on_fs(h, "overlay", 0x794c7630, "overlay", "rw,lowerdir=a:b,upperdir=c,workdir=d");
}

static void on_zfs(struct host *h)
{
    on_fs(h, "zfs", 0x2fc12fc1, "tank/my", "rw,xattr");
}

static void on_fuse(struct host *h)
{
    on_fs(h, "fuse.sshfs", 0x65735546, "host:", "rw");
}

static void on_btrfs(struct host *h)
{
    plain(h);
    on_fs(h, "btrfs", 0x9123683e, "/dev/nvme0n1p1", "rw,compress-force=zstd:3,autodefrag,discard=async");
    fixture_stat(h, "/proc/self/root/dev/nvme0n1p1",
                 &(struct host_stat){.mode = 0060660, .rdev_major = 259, .rdev_minor = 1});
    fixture_list(h, "/sys/fs/btrfs", "0a-1b features");
    fixture_list(h, "/sys/fs/btrfs/0a-1b/devices", "nvme0n1p1");
}

static void on_btrfs_two(struct host *h)
{
    on_btrfs(h);
    fixture_list(h, "/sys/fs/btrfs/0a-1b/devices", "nvme0n1p1 nvme1n1");
}

/* A plain chroot: the table is empty, and what our own says is of another namespace. */
static void chroot_empty(struct host *h)
{
    plain(h);
    fakehost_file(h, "/proc/100/mountinfo", "");
}

/* Partial: only the bind mount elsewhere is in sight, the id is not. */
static void chroot_partial(struct host *h)
{
    plain(h);
    fakehost_file(h, "/proc/100/mountinfo",
                  "31 20 259:1 / /data rw,noatime - xfs /dev/nvme0n1p1 rw,logbsize=32k\n");
}

static void old_kernel(struct host *h)
{
    plain(h);
    hosts_path(h, MYSQL, "/srv/my/data", 259, 1, 0);
}

static void big_data(struct host *h)
{
    plain(h);
    const struct host_size size = {.files = 20000, .bytes_allocated = 1, .complete = false};
    fakehost_reply(h, HOST_SIZE, ".ibd /srv/my/data", reply_size(h->arena, &size));
}

static void no_datadir_access(struct host *h)
{
    plain(h);
    fakehost_fail(h, HOST_SIZE, ".ibd /srv/my/data", E_DENIED, EACCES);
    fakehost_remove(h, HOST_STAT, "/srv/my/data/ibdata1");
}

static void virtio(struct host *h)
{
    mounts(h, "31 20 254:0 / /m rw - ext4 /dev/vda rw\n");
    hosts_path(h, MYSQL, "/m", 254, 0, 31);
    hosts_magic(h, "/m", EXT4_MAGIC);
    hosts_number(h, "254:0", "vda");
    hosts_block(h, "vda", "../../devices/pci0000:00/virtio0/block/vda", "512", "0");
}

/* The bottom of a stack that cannot be followed. */
static void broken(struct host *h)
{
    mounts(h, "31 20 253:0 / /m rw - xfs /dev/dm-0 rw\n");
    hosts_path(h, MYSQL, "/m", 253, 0, 31);
    hosts_number(h, "253:0", "dm-0");
    hosts_stacked(h, "dm-0", "dm-1", "a", LVM, "512", "0");
    hosts_stacked(h, "dm-1", "", "b", LVM, "512", "0");
}

static void cycle(struct host *h)
{
    broken(h);
    hosts_stacked(h, "dm-1", "dm-0", "b", LVM, "512", "0");
}

static void missing(struct host *h)
{
    broken(h);
    hosts_stacked(h, "dm-1", "nvme9n1", "b", LVM, "512", "0");
}

static void impossible_name(struct host *h)
{
    broken(h);
    fixture_list(h, "/sys/class/block/dm-1/slaves", "../../etc");
}

static void denied_slaves(struct host *h)
{
    broken(h);
    fakehost_fail(h, HOST_LIST, "/sys/class/block/dm-1/slaves", E_DENIED, EACCES);
}

/* Each level doubles: more legs than any real stack. */
static void wide(struct host *h)
{
    broken(h);
    for (unsigned i = 1; i < 14; i++) {
        hosts_stacked(h, arena_printf(h->arena, "dm-%u", i),
                      arena_printf(h->arena, "dm-%u dm-%u", i + 1, i + 1), "x", LVM, "512", "0");
    }
    hosts_block(h, "dm-14", "../x/dm-14", "512", "0");
}

static void absent_path(struct host *h)
{
    mounts(h, "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
}

static void denied_path(struct host *h)
{
    absent_path(h);
    fakehost_fail(h, HOST_LINK, "real " MYSQL, E_DENIED, EACCES);
}

/* Not root, and the server has another filesystem there. */
static void other_view(struct host *h)
{
    plain(h);
    fakehost_fail(h, HOST_OPEN, "root 100", E_DENIED, EACCES);
    fakehost_file(h, "/proc/self/mountinfo",
                  "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
                  "77 1 8:17 / /srv/my rw - ext4 /dev/sdb1 rw\n");
}

/* Not root, in another mount namespace, but the same filesystem and directory. */
static void same_view(struct host *h)
{
    plain(h);
    fakehost_fail(h, HOST_OPEN, "root 100", E_DENIED, EACCES);
    hosts_path(h, MYSQL, "/srv/my/data", 259, 1, 77);
    fakehost_file(h, "/proc/self/mountinfo",
                  "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
                  "77 1 259:1 /my /srv/my rw,noatime - xfs /dev/nvme0n1p1 rw,logbsize=32k\n");
}

struct scene {
    const char *name;
    void (*make)(struct host *h);
    const struct want *wants;
};

static const struct scene scenes[] = {
    {"plain", plain,
     WANTS({"volume.role", "{data, redo}"}, {"volume.path", "/srv/my/data"},
           {"volume.mountpoint", "/srv/my"}, {"volume.source", "/dev/nvme0n1p1"},
           {"volume.options", "\"rw,noatime,rw,attr2,logbsize=32k\""}, {"volume.fs.type", "xfs"},
           {"volume.fs.size_bytes", "100GiB"}, {"volume.fs.free_bytes", "80GiB"},
           {"volume.fs.used_ratio", "20%"}, {"volume.fs.inodes_used_ratio", "10%"},
           {"volume.fs.block_size", "4KiB"}, {"volume.fs.atime", "noatime"},
           {"volume.fs.discard_mount", "false"}, {"volume.fs.barrier", "true"},
           {"volume.fs.o_direct", "true"}, {"volume.fs.dio_align", "512B"},
           {"volume.fs.copy_on_write", "false"}, {"volume.fs.compression", "none"},
           {"volume.xfs.logbsize", "32KiB"}, {"volume.ext4.data_mode", "?not supported"},
           {"volume.chain", "{nvme0n1p1:partition, nvme0n1:disk}"},
           {"volume.leaf_devices", "{nvme0n1}"}, {"volume.device_count", "1"},
           {"volume.storage_class", "nvme-local"}, {"volume.partition_offset", "1MiB"},
           {"volume.aligned_4k", "true"}, {"volume.aligned_1m", "true"},
           {"volume.stack.kinds", "{partition}"}, {"volume.stack.stripe_count", "1"},
           {"volume.stack.chunk_bytes", "?not supported"}, {"volume.stack.md_level", "none"},
           {"volume.stack.md_degraded", "?not supported"}, {"volume.stack.discard", "true"},
           {"volume.stack.max_io_bytes", "1280KiB"},
           {"volume.stack.atomic_max", "?not supported"},
           {"volume.stack.crypt_no_workqueue", "?not supported"})},
    {"striped ext4", striped_ext4,
     WANTS({"volume.stack.kinds", "{lvm-striped}"}, {"volume.stack.stripe_count", "2"},
           {"volume.stack.chunk_bytes", "128KiB"}, {"volume.leaf_devices", "{nvme0n1, nvme1n1}"},
           {"volume.chain", "{dm-0:lvm-striped, nvme0n1:disk+nvme1n1:disk}"},
           {"volume.partition_offset", "?absent"}, {"volume.aligned_4k", "?absent"},
           {"volume.ext4.data_mode", "journal"}, {"volume.ext4.dioread_nolock", "false"},
           {"volume.ext4.errors", "continue"}, {"volume.fs.barrier", "false"},
           {"volume.fs.atime", "strictatime"}, {"volume.xfs.logbsize", "?not supported"})},
    {"linear over two", linear,
     WANTS({"volume.stack.kinds", "{lvm-linear}"}, {"volume.stack.stripe_count", "1"},
           {"volume.device_count", "2"}, {"volume.fs.atime", "lazytime"},
           {"volume.fs.discard_mount", "true"}, {"volume.fs.barrier", "?absent"},
           {"volume.ext4.data_mode", "?absent"}, {"volume.ext4.dioread_nolock", "?absent"},
           {"volume.ext4.errors", "?absent"})},
    {"ext4 options that mountinfo shows", ext4_shown,
     WANTS({"volume.fs.barrier", "false"}, {"volume.ext4.data_mode", "writeback"})},
    {"raid10 with a spare", raid10,
     WANTS({"volume.leaf_devices", "{nvme0n1, nvme1n1, nvme2n1, nvme3n1}"},
           {"volume.stack.kinds", "{md}"}, {"volume.stack.md_level", "raid10"},
           {"volume.stack.md_degraded", "1"}, {"volume.stack.md_sync_action", "recover"},
           {"volume.stack.md_bitmap_chunk", "64MiB"}, {"volume.stack.stripe_count", "2"},
           {"volume.stack.chunk_bytes", "16KiB"}, {"volume.partition_offset", "129MiB"},
           {"volume.aligned_1m", "true"}, {"volume.xfs.logbsize", "256KiB"},
           {"volume.fs.discard_mount", "true"})},
    {"raid1", raid1,
     WANTS({"volume.stack.md_level", "raid1"}, {"volume.stack.stripe_count", "1"},
           {"volume.stack.chunk_bytes", "?not supported"},
           {"volume.stack.md_bitmap_chunk", "?not supported"})},
    {"LUKS over LVM over a partition", luks,
     WANTS({"volume.stack.kinds", "{crypt, lvm-linear, partition}"},
           {"volume.chain", "{dm-1:crypt, dm-0:lvm-linear, nvme0n1p1:partition, nvme0n1:disk}"},
           {"volume.leaf_devices", "{nvme0n1}"}, {"volume.partition_offset", "?absent"},
           {"volume.stack.crypt_no_workqueue", "?not permitted"})},
    {"LVM thin", thin,
     WANTS({"volume.stack.kinds", "{lvm-linear, lvm-thin, partition}"},
           {"volume.leaf_devices", "{nvme0n1}"}, {"volume.device_count", "1"})},
    {"a dm node of no known kind", foreign_dm,
     WANTS({"volume.stack.kinds", "?absent"}, {"volume.stack.stripe_count", "?absent"},
           {"volume.stack.md_level", "?absent"}, {"volume.leaf_devices", "{nvme0n1}"})},
    {"loop over a file", loop,
     WANTS({"volume.stack.kinds", "{loop, partition}"}, {"volume.leaf_devices", "{nvme0n1}"},
           {"volume.partition_offset", "?absent"}, {"volume.storage_class", "nvme-local"})},
    {"loop over a deleted file", loop_deleted,
     WANTS({"volume.stack.kinds", "{loop}"}, {"volume.leaf_devices", "{loop0}"},
           {"volume.storage_class", "?absent"}, {"volume.partition_offset", "?absent"})},
    {"NVMe subsystem", multipath_head,
     WANTS({"volume.leaf_devices", "{nvme3n1}"}, {"volume.storage_class", "nvme-local"},
           {"volume.stack.kinds", "{}"})},
    {"two classes", mixed_classes, WANTS({"volume.storage_class", "mixed"})},
    {"virtio", virtio,
     WANTS({"volume.leaf_devices", "{vda}"}, {"volume.storage_class", "virtual"},
           {"volume.partition_offset", "0B"}, {"volume.chain", "{vda:disk}"})},
    {"tmpfs", on_tmpfs,
     WANTS({"volume.fs.type", "tmpfs"}, {"volume.leaf_devices", "{}"},
           {"volume.device_count", "0"}, {"volume.storage_class", "memory"},
           {"volume.chain", "{}"}, {"volume.aligned_4k", "?not supported"},
           {"volume.fs.copy_on_write", "false"}, {"volume.fs.barrier", "?not supported"})},
    {"NFS", on_nfs,
     WANTS({"volume.fs.type", "nfs"}, {"volume.leaf_devices", "{}"},
           {"volume.storage_class", "network"}, {"volume.fs.copy_on_write", "?absent"})},
    {"overlay", on_overlay,
     WANTS({"volume.fs.type", "overlay"}, {"volume.leaf_devices", "?absent"},
           {"volume.device_count", "?absent"}, {"volume.storage_class", "?absent"})},
    {"ZFS", on_zfs,
     WANTS({"volume.fs.type", "zfs"}, {"volume.leaf_devices", "?absent"},
           {"volume.fs.copy_on_write", "true"}, {"volume.fs.compression", "?absent"},
           {"volume.fs.block_size", "?absent"}, {"volume.zfs.recordsize", "?absent"},
           {"volume.source", "tank/my"})},
    {"FUSE", on_fuse,
     WANTS({"volume.fs.type", "fuse"}, {"volume.leaf_devices", "?absent"})},
    {"btrfs on one device", on_btrfs,
     WANTS({"volume.fs.type", "btrfs"}, {"volume.leaf_devices", "{nvme0n1}"},
           {"volume.fs.compression", "zstd"}, {"volume.btrfs.autodefrag", "true"},
           {"volume.fs.copy_on_write", "?absent"}, {"volume.fs.discard_mount", "true"})},
    {"btrfs on two devices", on_btrfs_two, WANTS({"volume.leaf_devices", "?absent"})},
    {"chroot, empty table", chroot_empty,
     WANTS({"volume.fs.type", "xfs"}, {"volume.leaf_devices", "{nvme0n1}"},
           {"volume.mountpoint", "?absent"}, {"volume.fs.atime", "?absent"},
           {"volume.fs.barrier", "?absent"}, {"volume.fs.copy_on_write", "false"})},
    {"chroot, partial table", chroot_partial,
     WANTS({"volume.fs.type", "xfs"}, {"volume.mountpoint", "?absent"},
           {"volume.source", "/dev/nvme0n1p1"}, {"volume.leaf_devices", "{nvme0n1}"})},
    {"no mount ids", old_kernel, WANTS({"volume.mountpoint", "/srv/my"}, {"volume.fs.type", "xfs"})},
    {"dm without anything below", broken,
     WANTS({"volume.leaf_devices", "?absent"}, {"volume.stack.kinds", "?absent"},
           {"volume.fs.type", "xfs"})},
    {"cycle", cycle, WANTS({"volume.leaf_devices", "?unreadable"}, {"volume.chain", "?unreadable"})},
    {"missing entry", missing, WANTS({"volume.leaf_devices", "?absent"})},
    {"impossible name", impossible_name, WANTS({"volume.leaf_devices", "?unreadable"})},
    {"no permission for slaves", denied_slaves, WANTS({"volume.leaf_devices", "?not permitted"})},
    {"wider than any stack", wide, WANTS({"volume.device_count", "?unreadable"})},
    {"no such path", absent_path,
     WANTS({"volume.role", "{data, redo}"}, {"volume.path", "?absent"},
           {"volume.fs.type", "?absent"}, {"volume.leaf_devices", "?absent"})},
    {"no permission for the path", denied_path,
     WANTS({"volume.path", "?not permitted"}, {"volume.fs.type", "?not permitted"})},
    {"not root, another filesystem there", other_view,
     WANTS({"volume.fs.type", "?not permitted"}, {"volume.leaf_devices", "?not permitted"})},
    {"not root, the same filesystem", same_view,
     WANTS({"volume.fs.type", "xfs"}, {"volume.mountpoint", "/srv/my"},
           {"volume.leaf_devices", "{nvme0n1}"})},
};

static void test_scenes(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(scenes); i++) {
        ARENA_AUTO a = arena_new();
        struct host *h = fakehost_new(a);
        struct store *s = fixture_store(a, &probe_volume);
        scenes[i].make(h);
        const struct subject *sub =
            fixture_run(a, s, &probe_volume, h, SUBJECT_VOLUME, &data_args);
        fixture_check(a, s, sub, scenes[i].name, scenes[i].wants);
    }
}

static void test_data(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        void (*make)(struct host *h);
        const char *bytes, *count, *source;
    } rows[] = {
        {"whole walk", plain, "3GiB", "25", "walk of the .ibd files"},
        {"too many files", big_data, "20GiB", "?absent", "upper bound"},
        {"no access", no_datadir_access, "20GiB", "?not permitted", "upper bound"},
        {"no path", absent_path, "?absent", "?absent", "statx"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct host *h = fakehost_new(a);
        struct store *s = fixture_store(a, &probe_volume);
        rows[i].make(h);
        fixture_run(a, s, &probe_volume, h, SUBJECT_VOLUME, &data_args);
        const struct subject *server = store_find_subject(s, "server:x");
        fixture_check(a, s, server, rows[i].name,
                      WANTS({"server.data.bytes", rows[i].bytes},
                            {"server.data.table_count", rows[i].count}));
        const struct fact *f = store_get(s, server, SPAN_LIT("server.data.bytes"));
        assert_non_null(strstr(f->source, rows[i].source));
    }
}

/* Another role than data says nothing of the size of the data. */
static void test_other_role(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct host *h = fakehost_new(a);
    struct store *s = fixture_store(a, &probe_volume);
    struct probe_args args = data_args;
    args.roles = ROLE_BINLOG;
    plain(h);
    const struct subject *sub = fixture_run(a, s, &probe_volume, h, SUBJECT_VOLUME, &args);
    assert_string_equal(fixture_text(a, s, sub, "volume.role"), "{binlog}");
    assert_int_equal(fakehost_calls(h, HOST_SIZE), 0);
    const struct subject *server = store_find_subject(s, "server:x");
    assert_true(server == NULL ||
                store_get(s, server, SPAN_LIT("server.data.bytes")) == NULL);
}

static void test_identity(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct host *h = fakehost_new(a);
    struct store *s = fixture_store(a, &probe_volume);
    plain(h);
    const struct subject *sub = fixture_run(a, s, &probe_volume, h, SUBJECT_VOLUME, &data_args);
    assert_string_equal(sub->identity, "259:1 inode 128");
}

static bool may_differ(const char *name)
{
    static const char *const names[] = {
        "server.data.bytes",   /* an upper bound takes its place */
        "volume.leaf_devices", /* a loop device whose file is out of reach is the leaf itself */
        "volume.device_count", "volume.stack.kinds", "volume.storage_class",
        "volume.stack.discard", "volume.stack.max_io_bytes",
    };
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void check_against(struct arena *a, const char *scene, unsigned n, const struct store *base,
                          const struct store *got)
{
    const struct subject *sub = store_find_subject(got, "volume:x:data");
    const struct subject *was = store_find_subject(base, "volume:x:data");
    const struct fact_row *rows = NULL;
    size_t n_rows = store_facts(got, sub, &rows);
    for (size_t i = 0; i < n_rows; i++) {
        if (rows[i].fact->state != FACT_KNOWN || strcmp(rows[i].name, "volume.chain") == 0 ||
            (may_differ(rows[i].name) && strstr(scene, "loop") != NULL)) {
            continue;
        }
        const char *now = fixture_text(a, got, sub, rows[i].name);
        const char *then = fixture_text(a, base, was, rows[i].name);
        if (strcmp(now, then) != 0) {
            fail_msg("%s, operation %u fails: %s becomes %s, was %s", scene, n, rows[i].name, now,
                     then);
        }
    }
}

/* Any one operation fails, in any way: a known fact never becomes another known one. (The chain may lose
 * the name of a layer.) */
static void test_faults(void **state)
{
    (void)state;
    static const enum err_code codes[] = {E_DENIED, E_ABSENT, E_IO, E_NONE};
    for (size_t i = 0; i < ARRAY_LEN(scenes); i++) {
        ARENA_AUTO outer = arena_new();
        struct host *h = fakehost_new(outer);
        struct store *base = fixture_store(outer, &probe_volume);
        scenes[i].make(h);
        fixture_run(outer, base, &probe_volume, h, SUBJECT_VOLUME, &data_args);
        unsigned calls = fakehost_calls(h, HOST_OPS);
        for (unsigned n = 0; n < calls; n++) {
            for (size_t c = 0; c < ARRAY_LEN(codes); c++) {
                ARENA_AUTO a = arena_new();
                struct host *inner = fakehost_new(a);
                struct store *s = fixture_store(a, &probe_volume);
                scenes[i].make(inner);
                struct host *faulty = host_fault_new(a, inner, n, codes[c], EIO);
                fixture_run(a, s, &probe_volume, faulty, SUBJECT_VOLUME, &data_args);
                if (codes[c] != E_NONE) {
                    check_against(a, scenes[i].name, n, base, s);
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes),     cmocka_unit_test(test_data),
        cmocka_unit_test(test_other_role), cmocka_unit_test(test_identity),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
