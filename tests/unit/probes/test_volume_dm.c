/* The volume probe over device mapper, md and bcache, with the tables that root reads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/probes/volume_dm_scenes.h"
#include "tests/unit/probes/volume_scenes.h"
#include "tests/unit/probes/volume_sweep.h"

#include "advisor/base/banned.h"

#define WANTS(...) ((const struct want[]){__VA_ARGS__, {NULL, NULL}})

static const struct probe_args data_args = {
    .label = "volume:x:data",
    .path = "/var/lib/mysql",
    .server = "server:x",
    .pid = 100,
    .roles = ROLE_DATA,
};

static const struct volume_scene scenes[] = {
    {"two segments on two drives", dm_two_segments,
     WANTS({"volume.stack.kinds", "{lvm-linear, partition}"}, {"volume.stack.stripe_count", "1"},
           {"volume.partition_offset", "6MiB"}, {"volume.aligned_1m", "true"},
           {"volume.alignment_bytes", "2MiB"}, {"volume.stack.group_devices", "2"},
           {"volume.stack.suspended", "false"}, {"volume.stack.thin_data_ratio", "?not supported"},
           {"volume.stack.crypt_no_workqueue", "?not supported"},
           {"volume.stack.md_level", "none"})},
    {"stripe", dm_striped,
     WANTS({"volume.stack.kinds", "{lvm-striped, partition}"}, {"volume.stack.stripe_count", "2"},
           {"volume.stack.chunk_bytes", "64KiB"}, {"volume.partition_offset", "2MiB"},
           {"volume.alignment_bytes", "64KiB"}, {"volume.aligned_1m", "true"},
           {"volume.stack.group_devices", "2"}, {"volume.device_count", "2"})},
    {"misaligned stripe", dm_misaligned_stripe,
     WANTS({"volume.stack.chunk_bytes", "4KiB"}, {"volume.partition_offset", "1080832B"},
           {"volume.aligned_4k", "false"}, {"volume.alignment_bytes", "512B"})},
    {"thin", dm_thin,
     WANTS({"volume.stack.kinds", "{lvm-linear, lvm-thin, partition}"},
           {"volume.stack.thin_data_ratio", "75%"}, {"volume.stack.thin_metadata_ratio", "25%"},
           {"volume.partition_offset", "?absent"}, {"volume.aligned_1m", "true"},
           {"volume.alignment_bytes", "64KiB"}, {"volume.leaf_devices", "{nvme0n1}"},
           {"volume.stack.stripe_count", "1"})},
    {"a thin pool that failed", dm_thin_failed,
     WANTS({"volume.stack.thin_data_ratio", "?absent"}, {"volume.leaf_devices", "{nvme0n1}"})},
    {"snapshots of the volume", dm_snapshots,
     WANTS({"volume.stack.kinds", "{lvm-linear, lvm-snapshot, partition}"},
           {"volume.stack.snapshot_ratio", "89.990234375%"}, {"volume.partition_offset", "2MiB"})},
    {"a snapshot is mounted", dm_is_snapshot,
     WANTS({"volume.stack.snapshot_ratio", "0.1953125%"},
           {"volume.stack.kinds", "{lvm-linear, lvm-snapshot, partition}"},
           {"volume.partition_offset", "2MiB"})},
    {"LUKS without its queues", dm_luks,
     WANTS({"volume.stack.crypt_no_workqueue", "true"},
           {"volume.chain", "{dm-1:crypt, dm-0:lvm-linear, nvme0n1p1:partition, nvme0n1:disk}"},
           {"volume.partition_offset", "18MiB"}, {"volume.aligned_1m", "true"})},
    {"LUKS with one queue", dm_luks_queues, WANTS({"volume.stack.crypt_no_workqueue", "false"})},
    {"LVM raid1 that recovers", dm_raid1,
     WANTS({"volume.stack.kinds", "{lvm-linear, lvm-raid, partition}"},
           {"volume.stack.md_level", "raid1"}, {"volume.stack.md_degraded", "0"},
           {"volume.stack.md_sync_action", "recover"}, {"volume.stack.md_sync_done", "25%"},
           {"volume.stack.stripe_count", "1"}, {"volume.partition_offset", "6MiB"},
           {"volume.stack.md_bitmap_chunk", "?not supported"})},
    {"LVM raid5 without a leg", dm_raid5_degraded,
     WANTS({"volume.stack.md_level", "raid5"}, {"volume.stack.md_degraded", "1"},
           {"volume.stack.md_sync_action", "idle"}, {"volume.stack.md_sync_done", "?not supported"},
           {"volume.stack.stripe_count", "2"}, {"volume.stack.chunk_bytes", "64KiB"})},
    {"LVM cache", dm_cache,
     WANTS({"volume.stack.kinds", "{lvm-cache, lvm-linear, partition}"},
           {"volume.leaf_devices", "{nvme0n1, nvme1n1}"}, {"volume.partition_offset", "2MiB"})},
    {"multipath", dm_multipath,
     WANTS({"volume.stack.kinds", "{multipath}"}, {"volume.leaf_devices", "{sda, sdb}"},
           {"volume.device_count", "1"}, {"volume.storage_class", "san"},
           {"volume.partition_offset", "0B"})},
    {"an unknown target", dm_foreign,
     WANTS({"volume.stack.kinds", "{dm-other, partition}"}, {"volume.partition_offset", "?absent"},
           {"volume.stack.stripe_count", "?absent"}, {"volume.leaf_devices", "{nvme0n1}"})},
    {"suspended", dm_suspended,
     WANTS({"volume.stack.suspended", "true"}, {"volume.partition_offset", "6MiB"})},
    {"a table of another size", dm_other_size,
     WANTS({"volume.partition_offset", "?absent"}, {"volume.leaf_devices", "{nvme0n1, nvme1n1}"},
           {"volume.stack.kinds", "{lvm-linear, partition}"})},
    {"a table of other devices", dm_other_devices,
     WANTS({"volume.partition_offset", "?absent"}, {"volume.leaf_devices", "{nvme0n1, nvme1n1}"})},
    {"a cut table", dm_cut_table,
     WANTS({"volume.partition_offset", "?absent"}, {"volume.leaf_devices", "{nvme0n1, nvme1n1}"})},
    {"no dmsetup", dm_no_tool,
     WANTS({"volume.partition_offset", "?absent"}, {"volume.leaf_devices", "{nvme0n1, nvme1n1}"})},
    {"no node of the mapper", dm_no_node,
     WANTS({"volume.partition_offset", "?absent"}, {"volume.leaf_devices", "{nvme0n1, nvme1n1}"})},
    {"not root", dm_not_root,
     WANTS({"volume.stack.thin_data_ratio", "?not permitted"}, {"volume.leaf_devices", "{nvme0n1}"},
           {"volume.stack.kinds", "{lvm-linear, lvm-thin, partition}"})},
    {"no mapping on the host", dm_none,
     WANTS({"volume.stack.kinds", "{partition}"}, {"volume.partition_offset", "1MiB"},
           {"volume.stack.suspended", "false"}, {"volume.stack.group_devices", "?not supported"})},
    {"md raid0 over raid1", md_raid0_over_raid1,
     WANTS({"volume.stack.md_level", "raid0"}, {"volume.stack.md_degraded", "1"},
           {"volume.stack.md_sync_action", "check"}, {"volume.stack.md_sync_done", "25%"},
           {"volume.stack.stripe_count", "2"}, {"volume.stack.chunk_bytes", "512KiB"},
           {"volume.partition_offset", "3MiB"}, {"volume.alignment_bytes", "512KiB"})},
    {"md raid5 with a journal", md_raid5_journal,
     WANTS({"volume.stack.md_level", "raid5"}, {"volume.stack.md_degraded", "2"},
           {"volume.leaf_devices", "{nvme0n1, nvme1n1}"}, {"volume.stack.stripe_count", "2"},
           {"volume.partition_offset", "2MiB"})},
    {"md in resync", md_resync,
     WANTS({"volume.stack.md_sync_action", "resync"}, {"volume.stack.md_sync_done", "25%"})},
    {"bcache", bcache_writeback,
     WANTS({"volume.stack.kinds", "{bcache, partition}"}, {"volume.partition_offset", "?absent"},
           {"volume.leaf_devices", "{nvme0n1, nvme1n1}"})},
    {"drbd", drbd_internal,
     WANTS({"volume.stack.kinds", "{drbd, partition}"}, {"volume.partition_offset", "1MiB"})},
};

/* A subsystem with two controllers, of which one lost its way to the target. */
static void nvme_paths(struct host *h)
{
    volume_multipath_head(h);
    fixture_list(h, "/sys/class/nvme/nvme2", "address nvme3c2n1 state");
    fixture_list(h, "/sys/class/nvme/nvme3", "nvme3c3n1 nvme3c3n2 state");
    fakehost_file(h, "/sys/class/nvme/nvme2/transport", "tcp");
    fakehost_file(h, "/sys/class/nvme/nvme2/state", "live");
    fakehost_file(h, "/sys/class/block/nvme3c2n1/ana_state", "optimized");
    fakehost_file(h, "/sys/class/nvme/nvme3/transport", "tcp");
    fakehost_file(h, "/sys/class/nvme/nvme3/state", "connecting");
}

static void md_container(struct host *h)
{
    md_resync(h);
    hosts_attr(h, "md0", "md/metadata_version", "external:/md127/0");
}

/* ---- the words of volume.layers -------------------------------------------------------------- */

static void check_layers(void (*make)(struct host *h), const char *const *wants, size_t n)
{
    ARENA_AUTO a = arena_new();
    struct host *h = fakehost_new(a);
    struct store *s = fixture_store(a, &probe_volume);
    make(h);
    const struct subject *sub = fixture_run(a, s, &probe_volume, h, SUBJECT_VOLUME, &data_args);
    const struct fact *f = store_get(s, sub, SPAN_LIT("volume.layers"));
    assert_non_null(f);
    assert_int_equal(f->state, FACT_KNOWN);
    for (size_t i = 0; i < n && i < f->value.n_items; i++) {
        if (!span_eq_text(f->value.items[i], wants[i])) {
            fail_msg("layer %zu is '%.*s', not '%s'", i, SPAN_ARG(f->value.items[i]), wants[i]);
        }
    }
    assert_int_equal(f->value.n_items, n);
}

#define LIMITS " sectsz=512 min_io=512 opt_io=0 max_io=1310720 discard=1"

static void test_layers(void **state)
{
    (void)state;
    static const char *const grown[] = {
        "0 /m fs type=xfs at=/m source=/dev/mapper/x block=4096",
        "1 vg/my-data lvm-linear dm=dm-0 offset=0 size=12582912" LIMITS,
        "2 nvme0n1p1 partition offset=1048576 size=1072693248",
        "3 nvme0n1 disk offset=2097152 size=1073741824" LIMITS,
        "2 nvme1n1p1 partition offset=5242880 size=1072693248",
        "3 nvme1n1 disk offset=6291456 size=1073741824" LIMITS,
    };
    static const char *const thin[] = {
        "0 /m fs type=xfs at=/m source=/dev/mapper/x block=4096",
        "1 vg/thin lvm-thin dm=dm-4 offset=0 size=209715200" LIMITS,
        "2 vg/pool-tpool lvm-thin dm=dm-3 size=104857600 chunk=65536 used=75 metadata=25" LIMITS,
        "3 vg/pool_tmeta lvm-linear dm=dm-1 size=4194304 role=metadata" LIMITS,
        "4 nvme0n1p1 partition size=1072693248 role=metadata",
        "5 nvme0n1 disk size=1073741824 role=metadata" LIMITS,
        "3 vg/pool_tdata lvm-linear dm=dm-2 size=104857600" LIMITS,
        "4 nvme0n1p1 partition size=1072693248",
        "5 nvme0n1 disk size=1073741824" LIMITS,
    };
    static const char *const crypt[] = {
        "0 /m fs type=xfs at=/m source=/dev/mapper/x block=4096",
        "1 secret crypt dm=dm-1 offset=0 size=8388608 cipher=aes-xts-plain64 sector=4096 "
        "workqueue=off" LIMITS,
        "2 vg/data lvm-linear dm=dm-0 offset=16777216 size=25165824" LIMITS,
        "3 nvme0n1p1 partition offset=17825792 size=1072693248",
        "4 nvme0n1 disk offset=18874368 size=1073741824" LIMITS,
    };
    static const char *const paths[] = {
        "0 /m fs type=xfs at=/m source=/dev/nvme3n1 block=4096",
        "1 nvme3n1 disk offset=0 size=1073741824" LIMITS,
        "2 nvme2 controller state=live transport=tcp path=nvme3c2n1 ana=optimized",
        "2 nvme3 controller state=connecting transport=tcp path=nvme3c3n1",
    };
    static const char *const container[] = {
        "0 /m fs type=xfs at=/m source=/dev/md0 block=4096",
        "1 md0 md offset=0 size=1073741824 raid=raid1 container=md127 layout=2 disks=2 degraded=0 "
        "sync=resync done=25 sectsz=512 min_io=65536 opt_io=131072 max_io=1310720 discard=1",
        "2 nvme0n1p1 partition offset=1048576 size=1072693248",
        "3 nvme0n1 disk offset=2097152 size=1073741824" LIMITS,
        "2 nvme1n1p1 partition offset=1048576 size=1072693248",
        "3 nvme1n1 disk offset=2097152 size=1073741824" LIMITS,
    };
    static const char *const lost[] = {
        "0 /m fs type=xfs at=/m source=/dev/loop0 block=4096", "1 loop0 loop offset=0 size=1073741824" LIMITS,
        "2 ? unknown why=where%20the%20file%20behind%20'loop0'%20lies%20on%20its%20disk%20is%20not%20known"};
    check_layers(volume_loop_deleted, lost, ARRAY_LEN(lost));
    check_layers(nvme_paths, paths, ARRAY_LEN(paths));
    check_layers(md_container, container, ARRAY_LEN(container));
    check_layers(dm_two_segments, grown, ARRAY_LEN(grown));
    check_layers(dm_thin, thin, ARRAY_LEN(thin));
    check_layers(dm_luks, crypt, ARRAY_LEN(crypt));
}

/* The tool is only run where there is a mapping, and by root. */
static void test_tool(void **state)
{
    (void)state;
    static const struct {
        void (*make)(struct host *h);
        unsigned calls;
    } rows[] = {{dm_none, 0}, {dm_not_root, 0}, {dm_no_node, 0}, {dm_thin, 2}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct host *h = fakehost_new(a);
        struct store *s = fixture_store(a, &probe_volume);
        rows[i].make(h);
        fixture_run(a, s, &probe_volume, h, SUBJECT_VOLUME, &data_args);
        assert_int_equal(fakehost_calls_of(h, HOST_EXEC, "dmsetup-table") +
                             fakehost_calls_of(h, HOST_EXEC, "dmsetup-status"),
                         rows[i].calls);
    }
}

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
        cmocka_unit_test(test_layers),
        cmocka_unit_test(test_tool),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
