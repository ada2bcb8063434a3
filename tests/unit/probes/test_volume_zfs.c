/* The volume probe on pools of ZFS: datasets, vdevs, and the devices below. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/probes/volume_scenes.h"
#include "tests/unit/probes/volume_sweep.h"

#include "advisor/base/banned.h"

#define WANTS(...) ((const struct want[]){__VA_ARGS__, {NULL, NULL}})

static const struct probe_args data_args = {
    .label = "volume:x:data",
    .path = "/var/lib/mysql",
    .server = "server:x",
    .pid = 100,
    .roles = ROLE_DATA | ROLE_REDO,
};

static const struct volume_scene scenes[] = {
    {"a pool of ZFS", volume_zfs_mirror,
     WANTS({"volume.zfs.pool", "tank"}, {"volume.zfs.dataset", "tank/my"},
           {"volume.zfs.recordsize", "128KiB"}, {"volume.zfs.file_block_size", "128KiB"},
           {"volume.fs.block_size", "128KiB"}, {"volume.fs.compression", "gzip"},
           {"volume.zfs.compression_level", "9"}, {"volume.zfs.compress_ratio", "150%"},
           {"volume.zfs.primarycache", "metadata"}, {"volume.zfs.logbias", "latency"},
           {"volume.zfs.sync", "disabled"}, {"volume.zfs.atime", "false"},
           {"volume.zfs.direct", "?not supported"}, {"volume.zfs.redundant_metadata", "some"},
           {"volume.zfs.snapshots_bytes", "4KiB"}, {"volume.zfs.vdev_kind", "mirror"},
           {"volume.zfs.vdev_count", "1"}, {"volume.zfs.slog", "false"},
           {"volume.zfs.pool_state", "degraded"}, {"volume.zfs.pool_errors", "2"},
           {"volume.leaf_devices", "{nvme0n1, nvme1n1}"}, {"volume.device_count", "2"},
           {"volume.chain",
            "{tank:pool, mirror-0:vdev, nvme0n1p1:partition+nvme1n1:disk+nvme2n1p1:vdev, nvme0n1:disk}"},
           {"volume.storage_class", "nvme-local"}, {"volume.stack.kinds", "{partition}"},
           {"volume.partition_offset", "1MiB"}, {"volume.stack.md_level", "?not supported"},
           {"volume.zfs.slog_mirrored", "?not supported"}, {"volume.zfs.slog_devices", "{}"},
           {"volume.zfs.slog_shares_leaf", "?not supported"}, {"volume.zfs.cache_device", "false"},
           {"volume.zfs.cache_bytes", "0B"}, {"volume.zfs.scan", "none"},
           {"volume.zfs.scrub_age", "?absent"}, {"volume.zfs.trim_age", "?absent"},
           {"volume.zfs.pool_used_ratio", "?absent"}, {"volume.zfs.autotrim", "?absent"},
           {"volume.zfs.ashift_min", "?absent"}, {"volume.zfs.encrypted", "?not supported"},
           {"volume.zfs.dedup", "?not supported"})},
    {"odd words of ZFS", volume_zfs_odd,
     WANTS({"volume.zfs.recordsize", "?unreadable"}, {"volume.fs.compression", "zstd"},
           {"volume.zfs.compression_level", "?not supported"},
           {"volume.zfs.primarycache", "?absent"}, {"volume.zfs.sync", "?not supported"},
           {"volume.zfs.compress_ratio", "?absent"})},
    {"a pool on a file", volume_zfs_on_file,
     WANTS({"volume.zfs.vdev_kind", "disk"}, {"volume.leaf_devices", "?absent"},
           {"volume.chain", "?absent"})},
    {"a pool's device that sysfs does not know", volume_zfs_gone_leg,
     WANTS({"volume.zfs.vdev_kind", "mirror"}, {"volume.leaf_devices", "?absent"})},
    {"a pool's device that cannot be", volume_zfs_hostile_name,
     WANTS({"volume.leaf_devices", "?absent"})},
    {"a pool with all there can be", volume_zfs_whole,
     WANTS({"volume.zfs.vdev_kind", "mirror"}, {"volume.zfs.vdev_count", "1"},
           {"volume.zfs.pool_state", "online"}, {"volume.zfs.pool_errors", "0"},
           {"volume.zfs.slog", "true"}, {"volume.zfs.slog_mirrored", "false"},
           {"volume.zfs.slog_devices", "{nvme1n1}"}, {"volume.zfs.slog_shares_leaf", "true"},
           {"volume.zfs.cache_device", "true"}, {"volume.zfs.cache_bytes", "1GiB"},
           {"volume.zfs.scan", "none"}, {"volume.zfs.scrub_age", "1d"},
           {"volume.zfs.trim_age", "2d"}, {"volume.zfs.pool_used_ratio", "45%"},
           {"volume.zfs.pool_frag", "12%"}, {"volume.zfs.autotrim", "true"},
           {"volume.zfs.ashift_min", "9"}, {"volume.zfs.sector_bytes_min", "512B"},
           {"volume.zfs.encrypted", "true"}, {"volume.zfs.dedup", "false"},
           {"volume.leaf_devices", "{nvme0n1, nvme1n1, nvme4n1}"}, {"volume.device_count", "3"},
           {"volume.stack.kinds", "{partition}"},
           {"volume.chain",
            "{tank:pool, mirror-0:vdev+nvme4n1:disk+nvme1n1p2:partition+nvme2n1:disk+nvme3n1:vdev, "
            "nvme0n1p1:partition+nvme1n1p1:partition+nvme1n1:disk, nvme0n1:disk+nvme1n1:disk}"})},
    {"a pool that was never read through", volume_zfs_never,
     WANTS({"volume.zfs.scan", "none"}, {"volume.zfs.scrub_age", "10d"},
           {"volume.zfs.trim_age", "10d"}, {"volume.zfs.slog_mirrored", "true"},
           {"volume.zfs.slog_devices", "{nvme1n1, nvme2n1}"},
           {"volume.zfs.slog_shares_leaf", "false"}, {"volume.zfs.ashift_min", "12"},
           {"volume.zfs.sector_bytes_min", "4KiB"}, {"volume.leaf_devices", "{nvme0n1}"})},
    {"a new pool", volume_zfs_new,
     WANTS({"volume.zfs.scan", "none"}, {"volume.zfs.scrub_age", "10d"},
           {"volume.zfs.trim_age", "10d"}, {"volume.zfs.pool_errors", "0"})},
    {"a pool at work on itself", volume_zfs_at_work,
     WANTS({"volume.zfs.scan", "scrub"}, {"volume.zfs.scrub_age", "?absent"},
           {"volume.zfs.trim_age", "?absent"}, {"volume.zfs.ashift_min", "13"})},
    {"a pool that chose its sectors, on devices that take no trim", volume_zfs_automatic,
     WANTS({"volume.zfs.ashift_min", "?absent"}, {"volume.zfs.sector_bytes_min", "?absent"},
           {"volume.zfs.trim_age", "?not supported"}, {"volume.zfs.autotrim", "false"},
           {"volume.zfs.scrub_age", "?absent"}, {"volume.zfs.scan", "resilver"})},
    {"a log on a file", volume_zfs_log_on_file,
     WANTS({"volume.leaf_devices", "{nvme0n1}"}, {"volume.zfs.slog_devices", "?absent"},
           {"volume.zfs.slog_shares_leaf", "?absent"}, {"volume.zfs.cache_bytes", "?absent"})},
};

/* Not swept: a pool whose state cannot be read is asked for its properties, and they are right. */
static const struct volume_scene still[] = {
    {"a pool that stands still", volume_zfs_suspended,
     WANTS({"volume.zfs.pool_state", "suspended"}, {"volume.zfs.recordsize", "?absent"},
           {"volume.zfs.pool_used_ratio", "?absent"}, {"volume.zfs.vdev_kind", "disk"},
           {"volume.leaf_devices", "?absent"})},
};

static void test_scenes(void **state)
{
    (void)state;
    volume_check(scenes, ARRAY_LEN(scenes), &data_args);
    volume_check(still, ARRAY_LEN(still), &data_args);
}

static void test_faults(void **state)
{
    (void)state;
    volume_sweep(scenes, ARRAY_LEN(scenes), &data_args);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
