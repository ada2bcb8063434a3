/* The volume probe on made-up machines: mounts, options, stacks, and what it must not guess. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/probes/volume_scenes.h"
#include "tests/unit/probes/volume_sweep.h"

#include "advisor/base/banned.h"

#define WANTS(...) ((const struct want[]){__VA_ARGS__, {NULL, NULL}})
#define MYSQL "/var/lib/mysql"

static const struct probe_args data_args = {
    .label = "volume:x:data",
    .path = MYSQL,
    .server = "server:x",
    .pid = 100,
    .roles = ROLE_DATA | ROLE_REDO,
};

static const struct volume_scene scenes[] = {
    {"plain", volume_plain,
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
    {"striped ext4", volume_striped_ext4,
     WANTS({"volume.stack.kinds", "{lvm-striped}"}, {"volume.stack.stripe_count", "2"},
           {"volume.stack.chunk_bytes", "128KiB"}, {"volume.leaf_devices", "{nvme0n1, nvme1n1}"},
           {"volume.chain", "{dm-0:lvm-striped, nvme0n1:disk+nvme1n1:disk}"},
           {"volume.partition_offset", "?absent"}, {"volume.aligned_4k", "?absent"},
           {"volume.ext4.data_mode", "journal"}, {"volume.ext4.dioread_nolock", "false"},
           {"volume.ext4.errors", "continue"}, {"volume.fs.barrier", "false"},
           {"volume.fs.atime", "strictatime"}, {"volume.xfs.logbsize", "?not supported"})},
    {"linear over two", volume_linear,
     WANTS({"volume.stack.kinds", "{lvm-linear}"}, {"volume.stack.stripe_count", "1"},
           {"volume.device_count", "2"}, {"volume.fs.atime", "lazytime"},
           {"volume.fs.discard_mount", "true"}, {"volume.fs.barrier", "?absent"},
           {"volume.ext4.data_mode", "?absent"}, {"volume.ext4.dioread_nolock", "?absent"},
           {"volume.ext4.errors", "?absent"})},
    {"ext4 options that mountinfo shows", volume_ext4_shown,
     WANTS({"volume.fs.barrier", "false"}, {"volume.ext4.data_mode", "writeback"})},
    {"raid10 with a spare", volume_raid10,
     WANTS({"volume.leaf_devices", "{nvme0n1, nvme1n1, nvme2n1, nvme3n1}"},
           {"volume.stack.kinds", "{md}"}, {"volume.stack.md_level", "raid10"},
           {"volume.stack.md_degraded", "1"}, {"volume.stack.md_sync_action", "recover"},
           {"volume.stack.md_bitmap_chunk", "64MiB"}, {"volume.stack.stripe_count", "2"},
           {"volume.stack.chunk_bytes", "16KiB"}, {"volume.partition_offset", "129MiB"},
           {"volume.aligned_1m", "true"}, {"volume.xfs.logbsize", "256KiB"},
           {"volume.fs.discard_mount", "true"})},
    {"raid1", volume_raid1,
     WANTS({"volume.stack.md_level", "raid1"}, {"volume.stack.stripe_count", "1"},
           {"volume.stack.chunk_bytes", "?not supported"},
           {"volume.stack.md_bitmap_chunk", "?not supported"})},
    {"LUKS over LVM over a partition", volume_luks,
     WANTS({"volume.stack.kinds", "{crypt, lvm-linear, partition}"},
           {"volume.chain", "{dm-1:crypt, dm-0:lvm-linear, nvme0n1p1:partition, nvme0n1:disk}"},
           {"volume.leaf_devices", "{nvme0n1}"}, {"volume.partition_offset", "?absent"},
           {"volume.stack.crypt_no_workqueue", "?not permitted"})},
    {"LVM thin", volume_thin,
     WANTS({"volume.stack.kinds", "{lvm-linear, lvm-thin, partition}"},
           {"volume.leaf_devices", "{nvme0n1}"}, {"volume.device_count", "1"})},
    {"a dm node of no known kind", volume_foreign_dm,
     WANTS({"volume.stack.kinds", "?absent"}, {"volume.stack.stripe_count", "?absent"},
           {"volume.stack.md_level", "?not permitted"}, {"volume.leaf_devices", "{nvme0n1}"})},
    {"loop over a file", volume_loop,
     WANTS({"volume.stack.kinds", "{loop, partition}"}, {"volume.leaf_devices", "{nvme0n1}"},
           {"volume.partition_offset", "?absent"}, {"volume.storage_class", "nvme-local"})},
    {"loop over a deleted file", volume_loop_deleted,
     WANTS({"volume.stack.kinds", "{loop}"}, {"volume.leaf_devices", "{loop0}"},
           {"volume.storage_class", "?absent"}, {"volume.partition_offset", "?absent"})},
    {"NVMe subsystem", volume_multipath_head,
     WANTS({"volume.leaf_devices", "{nvme3n1}"}, {"volume.storage_class", "nvme-local"},
           {"volume.stack.kinds", "{}"})},
    {"two classes", volume_mixed_classes, WANTS({"volume.storage_class", "mixed"})},
    {"virtio", volume_virtio,
     WANTS({"volume.leaf_devices", "{vda}"}, {"volume.storage_class", "virtual"},
           {"volume.partition_offset", "0B"}, {"volume.chain", "{vda:disk}"})},
    {"tmpfs", volume_on_tmpfs,
     WANTS({"volume.fs.type", "tmpfs"}, {"volume.leaf_devices", "{}"},
           {"volume.device_count", "0"}, {"volume.storage_class", "memory"},
           {"volume.chain", "{}"}, {"volume.aligned_4k", "?not supported"},
           {"volume.fs.copy_on_write", "false"}, {"volume.fs.barrier", "?not supported"})},
    {"NFS", volume_on_nfs,
     WANTS({"volume.fs.type", "nfs"}, {"volume.leaf_devices", "{}"},
           {"volume.storage_class", "network"}, {"volume.fs.copy_on_write", "?absent"})},
    {"overlay", volume_on_overlay,
     WANTS({"volume.fs.type", "overlay"}, {"volume.leaf_devices", "?absent"},
           {"volume.device_count", "?absent"}, {"volume.storage_class", "?absent"})},
    {"ZFS", volume_on_zfs,
     WANTS({"volume.fs.type", "zfs"}, {"volume.leaf_devices", "?absent"},
           {"volume.fs.copy_on_write", "true"}, {"volume.fs.compression", "?absent"},
           {"volume.fs.block_size", "?absent"}, {"volume.zfs.recordsize", "?absent"},
           {"volume.source", "tank/my"})},
    {"FUSE", volume_on_fuse,
     WANTS({"volume.fs.type", "fuse"}, {"volume.leaf_devices", "{}"},
           {"volume.storage_class", "network"})},
    {"chroot, empty table", volume_chroot_empty,
     WANTS({"volume.fs.type", "xfs"}, {"volume.leaf_devices", "{nvme0n1}"},
           {"volume.mountpoint", "?absent"}, {"volume.fs.atime", "?absent"},
           {"volume.fs.barrier", "?absent"}, {"volume.fs.copy_on_write", "false"})},
    {"chroot, partial table", volume_chroot_partial,
     WANTS({"volume.fs.type", "xfs"}, {"volume.mountpoint", "?absent"},
           {"volume.source", "/dev/nvme0n1p1"}, {"volume.leaf_devices", "{nvme0n1}"})},
    {"no mount ids", volume_old_kernel, WANTS({"volume.mountpoint", "/srv/my"}, {"volume.fs.type", "xfs"})},
    {"dm without anything below", volume_broken,
     WANTS({"volume.leaf_devices", "?absent"}, {"volume.stack.kinds", "?absent"},
           {"volume.fs.type", "xfs"})},
    {"forty layers", volume_forty, WANTS({"volume.leaf_devices", "{nvme0n1}"})},
    {"more layers than are followed", volume_sixty, WANTS({"volume.leaf_devices", "?unreadable"})},
    {"cycle", volume_cycle, WANTS({"volume.leaf_devices", "?unreadable"}, {"volume.chain", "?unreadable"})},
    {"missing entry", volume_missing, WANTS({"volume.leaf_devices", "?absent"})},
    {"impossible name", volume_impossible_name, WANTS({"volume.leaf_devices", "?unreadable"})},
    {"no permission for slaves", volume_denied_slaves, WANTS({"volume.leaf_devices", "?not permitted"})},
    {"wider than any stack", volume_wide, WANTS({"volume.device_count", "?unreadable"})},
    {"no such path", volume_absent_path,
     WANTS({"volume.role", "{data, redo}"}, {"volume.path", "?absent"},
           {"volume.fs.type", "?absent"}, {"volume.leaf_devices", "?absent"})},
    {"no permission for the path", volume_denied_path,
     WANTS({"volume.path", "?not permitted"}, {"volume.fs.type", "?not permitted"})},
    {"not root, another filesystem there", volume_other_view,
     WANTS({"volume.fs.type", "?not permitted"}, {"volume.leaf_devices", "?not permitted"})},
    {"not root, the same filesystem", volume_same_view,
     WANTS({"volume.fs.type", "xfs"}, {"volume.mountpoint", "/srv/my"},
           {"volume.leaf_devices", "{nvme0n1}"})},
};

static void test_scenes(void **state)
{
    (void)state;
    volume_check(scenes, ARRAY_LEN(scenes), &data_args);
}

static void test_data(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        void (*make)(struct host *h);
        const char *bytes, *count, *source;
    } rows[] = {
        {"whole walk", volume_plain, "3GiB", "25", "walk of the .ibd files"},
        {"too many files", volume_big_data, "20GiB", "?absent", "upper bound"},
        {"no access", volume_no_datadir_access, "?not permitted", "?not permitted", "walk"},
        {"no path", volume_absent_path, "?absent", "?absent", "statx"},
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
    volume_plain(h);
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
    volume_plain(h);
    const struct subject *sub = fixture_run(a, s, &probe_volume, h, SUBJECT_VOLUME, &data_args);
    assert_string_equal(sub->identity, "259:1 inode 128");
}

static void test_faults(void **state)
{
    (void)state;
    volume_sweep(scenes, ARRAY_LEN(scenes), &data_args);
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
