/* The volume probe on btrfs: its devices, its profiles, and the flags of data files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probes/host/reply.h"
#include "tests/unit/probes/volume_scenes.h"
#include "tests/unit/probes/volume_sweep.h"

#include "advisor/base/banned.h"

#define WANTS(...) ((const struct want[]){__VA_ARGS__, {NULL, NULL}})
#define DIR "/sys/fs/btrfs/0a-1b"
#define CALM                                                                                       \
    "write_errs 0\nread_errs 0\nflush_errs 0\ncorruption_errs 0\ngeneration_errs 0\n"

static const struct probe_args data_args = {
    .label = "volume:x:data",
    .path = "/var/lib/mysql",
    .server = "server:x",
    .pid = 100,
    .roles = ROLE_DATA | ROLE_REDO,
};

/* ---- made-up machines ------------------------------------------------------------------------ */

static void device_info(struct host *h, const char *id, const char *missing, const char *errors)
{
    fakehost_reply(h, HOST_READ, arena_printf(h->arena, DIR "/devinfo/%s/missing", id), span_of(missing));
    fakehost_reply(h, HOST_READ, arena_printf(h->arena, DIR "/devinfo/%s/error_stats", id),
                   span_of(errors));
}

static void files(struct host *h, uint64_t n, uint64_t nocow, uint64_t compressed)
{
    const struct host_extents x = {.files = n, .complete = true, .mapped = true, .bytes = 1 << 20,
                                   .extents = 4, .flagged = n, .nocow = nocow,
                                   .compressed = compressed};
    fakehost_reply(h, HOST_FS, "extents .ibd /m", reply_extents(h->arena, &x));
}

static void one(struct host *h, const char *options)
{
    volume_on_btrfs(h);
    volume_btrfs_options(h, options);
    fixture_list(h, DIR "/allocation/data", "flags single total_bytes");
    fixture_list(h, DIR "/allocation/metadata", "dup flags");
    fixture_list(h, DIR "/devinfo", "1");
    device_info(h, "1", "0\n", CALM);
    fixture_list(h, DIR, "allocation devices devinfo exclusive_operation");
}

static void on_one(struct host *h)
{
    one(h, "rw,subvolid=257,subvol=/data");
    files(h, 3, 0, 0);
}

static void in_place(struct host *h)
{
    one(h, "rw,compress=zstd:3");
    files(h, 3, 3, 0);
}

static void partly_in_place(struct host *h)
{
    one(h, "rw,compress");
    files(h, 3, 2, 1);
}

static void flagged(struct host *h)
{
    one(h, "rw");
    files(h, 2, 0, 1);
    fixture_list(h, DIR, "allocation devices devinfo exclusive_operation qgroups");
}

/* No file yet: the option is what they will get. */
static void empty(struct host *h)
{
    one(h, "rw,compress-force=lzo");
    files(h, 0, 0, 0);
}

static void without_copies(struct host *h)
{
    one(h, "rw,nodatacow");
}

static void two(struct host *h)
{
    one(h, "rw");
    hosts_nvme(h, "nvme1n1", "nvme1", "Drive 960");
    fixture_list(h, DIR "/devices", "nvme0n1p1 nvme1n1");
    fixture_list(h, DIR "/allocation/data", "raid1 flags");
    fixture_list(h, DIR "/allocation/metadata", "raid1 flags");
    fixture_list(h, DIR "/devinfo", "1 2");
    device_info(h, "2", "0\n", "write_errs 3\nread_errs 4\n");
}

static void striped(struct host *h)
{
    two(h);
    fixture_list(h, DIR "/allocation/data", "raid0 flags");
}

static void converting(struct host *h)
{
    two(h);
    fixture_list(h, DIR "/allocation/data", "raid1 single flags");
}

/* Data and metadata share their space; one device is gone; errors that the kernel has not read yet. */
static void degraded(struct host *h)
{
    two(h);
    fakehost_remove(h, HOST_LIST, DIR "/allocation/data");
    fakehost_remove(h, HOST_LIST, DIR "/allocation/metadata");
    fixture_list(h, DIR "/allocation/mixed", "raid1 flags");
    fixture_list(h, DIR "/devices", "nvme0n1p1");
    device_info(h, "2", "1\n", "invalid\n");
}

static void odd(struct host *h)
{
    one(h, "rw");
    fixture_list(h, DIR "/allocation/data", "flags");
    device_info(h, "1", "two\n", "write_errs many\n");
    fixture_list(h, DIR, "allocation devices devinfo");
}

static void unknown_to_sysfs(struct host *h)
{
    one(h, "rw");
    fixture_list(h, DIR "/devices", "nvme9n1");
}

static const struct volume_scene scenes[] = {
    {"btrfs on one device", volume_on_btrfs,
     WANTS({"volume.fs.type", "btrfs"}, {"volume.leaf_devices", "{nvme0n1}"},
           {"volume.fs.compression", "?absent"}, {"volume.btrfs.autodefrag", "true"},
           {"volume.fs.copy_on_write", "?absent"}, {"volume.fs.discard_mount", "true"})},
    {"files of their own", on_one,
     WANTS({"volume.btrfs.nocow", "false"}, {"volume.fs.copy_on_write", "true"},
           {"volume.fs.compression", "none"}, {"volume.btrfs.autodefrag", "false"},
           {"volume.btrfs.subvolume", "/data"}, {"volume.btrfs.data_profile", "single"},
           {"volume.btrfs.metadata_profile", "dup"}, {"volume.btrfs.quota", "false"},
           {"volume.btrfs.missing_devices", "0"}, {"volume.btrfs.device_errors", "0"},
           {"volume.chain", "{nvme0n1p1:partition, nvme0n1:disk}"},
           {"volume.stack.stripe_count", "1"})},
    {"written in place", in_place,
     WANTS({"volume.btrfs.nocow", "true"}, {"volume.fs.copy_on_write", "false"},
           {"volume.fs.compression", "none"})},
    {"some in place", partly_in_place,
     WANTS({"volume.btrfs.nocow", "false"}, {"volume.fs.copy_on_write", "true"},
           {"volume.fs.compression", "zlib"})},
    {"a flag of compression, and quotas", flagged,
     WANTS({"volume.fs.compression", "other"}, {"volume.btrfs.quota", "true"},
           {"volume.btrfs.subvolume", "/"})},
    {"no file yet", empty,
     WANTS({"volume.btrfs.nocow", "?absent"}, {"volume.fs.compression", "lzo"})},
    {"nodatacow", without_copies,
     WANTS({"volume.btrfs.nocow", "true"}, {"volume.fs.compression", "none"})},
    {"a mirror", two,
     WANTS({"volume.btrfs.data_profile", "raid1"}, {"volume.btrfs.device_errors", "7"},
           {"volume.leaf_devices", "{nvme0n1, nvme1n1}"}, {"volume.device_count", "2"},
           {"volume.chain", "{btrfs-nvme0n1p1:vdev, nvme0n1p1:partition+nvme1n1:disk, nvme0n1:disk}"},
           {"volume.stack.stripe_count", "1"}, {"volume.stack.chunk_bytes", "?not supported"},
           {"volume.stack.kinds", "{partition}"}, {"volume.stack.md_level", "none"})},
    {"a stripe", striped,
     WANTS({"volume.btrfs.data_profile", "raid0"}, {"volume.stack.stripe_count", "2"},
           {"volume.stack.chunk_bytes", "64KiB"})},
    {"on the way from one profile to another", converting,
     WANTS({"volume.btrfs.data_profile", "mixed"}, {"volume.stack.stripe_count", "?absent"})},
    {"a mirror that lacks a device", degraded,
     WANTS({"volume.btrfs.data_profile", "raid1"}, {"volume.btrfs.metadata_profile", "raid1"},
           {"volume.btrfs.missing_devices", "1"}, {"volume.btrfs.device_errors", "?unreadable"},
           {"volume.leaf_devices", "{nvme0n1}"})},
    {"odd words of btrfs", odd,
     WANTS({"volume.btrfs.data_profile", "?absent"}, {"volume.btrfs.missing_devices", "?unreadable"},
           {"volume.btrfs.device_errors", "?unreadable"}, {"volume.btrfs.quota", "?not supported"})},
    {"a btrfs that sysfs does not show", unknown_to_sysfs,
     WANTS({"volume.btrfs.data_profile", "?absent"}, {"volume.leaf_devices", "?absent"},
           {"volume.btrfs.autodefrag", "false"})},
};

static void test_scenes(void **state)
{
    (void)state;
    volume_check(scenes, ARRAY_LEN(scenes), &data_args);
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
