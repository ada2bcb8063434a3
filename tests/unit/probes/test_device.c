/* The device probe on made-up machines: pages, queues, links, and who may see what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "probes/device_queue.h"
#include "tests/unit/probes/device_scenes.h"
#include "tests/unit/probes/scene_runner.h"

#include "advisor/base/banned.h"

static const struct probe_args nvme_args = {.label = "device:nvme0n1", .device = "nvme0n1"};
static const struct probe_args vda_args = {.label = "device:vda", .device = "vda"};
static const struct probe_args sda_args = {.label = "device:sda", .device = "sda"};
static const struct probe_args head_args = {.label = "device:nvme3n1", .device = "nvme3n1"};

static const struct scene scenes[] = {
    {"local drive", device_plain, &nvme_args,
     WANTS({"device.name", "nvme0n1"}, {"device.controller", "nvme0"}, {"device.kind", "nvme"},
           {"device.model", "\"Drive 960\""}, {"device.serial", "SN-nvme0n1"},
           {"device.firmware", "1.0"}, {"device.vid", "5197"},
           {"device.storage_class", "nvme-local"}, {"device.virtual_device", "false"},
           {"device.network_storage", "false"}, {"device.ephemeral", "false"},
           {"device.rotational_media", "false"}, {"device.transport", "pcie"},
           {"device.state", "live"}, {"device.numa_node", "?absent"},
           {"device.nvme_version", "1.3.0"}, {"device.mdts", "5"},
           {"device.max_transfer_bytes_4k_pages", "128KiB"}, {"device.cntlid", "9"},
           {"device.power_states",
            "{ps0:8.50W:enter-0us:exit-0us, ps1:0.30W:enter-5000us:exit-8000us:idle}"},
           {"device.wctemp_c", "70degC"}, {"device.cctemp_c", "?absent"},
           {"device.volatile_write_cache", "true"}, {"device.discard_supported", "true"},
           {"device.awupf_bytes", "4KiB"}, {"device.ns.lba_bytes", "512B"},
           {"device.ns.size_bytes", "500000KiB"}, {"device.ns.used_bytes", "200000KiB"},
           {"device.ns.formats", "{512+0:rp2:in-use, 4096+0:rp0}"},
           {"device.ns.full_4k_available", "true"}, {"device.ns.nawupf_valid", "false"},
           {"device.ns.nawupf_bytes", "4KiB"}, {"device.ns.npwg_bytes", "?absent"},
           {"device.ns.format_remaining_pct", "?not supported"},
           {"device.cloud.torn_write_unit", "?not supported"})},
    {"its health", device_plain, &nvme_args,
     WANTS({"device.smart.critical_warning", "4"},
           {"device.smart.critical_warning_bits.spare_low", "false"},
           {"device.smart.critical_warning_bits.reliability_degraded", "true"},
           {"device.smart.temperature_c", "40degC"}, {"device.smart.sensors_c", "{39, 27}"},
           {"device.smart.available_spare_pct", "97%"}, {"device.smart.spare_threshold_pct", "10%"},
           {"device.smart.percentage_used_pct", "3%"}, {"device.smart.data_units_written", "1000"},
           {"device.smart.power_cycles", "16"}, {"device.smart.power_on_hours", "509h"},
           {"device.smart.unsafe_shutdowns", "8"}, {"device.smart.warning_temp_minutes", "0s"},
           {"device.feature.vwc_enabled", "true"}, {"device.feature.io_queues_granted", "64"},
           {"device.media.capacitor_page", "false"}, {"device.media.capacitor_ok", "?not supported"},
           {"device.feature.hmb_enabled", "false"}, {"device.plp_data_sheet", "?absent"})},
    {"a list of log pages", device_log_list, &nvme_args,
     WANTS({"device.media.capacitor_page", "false"})},
    {"a page of its maker's", device_maker_log, &nvme_args,
     WANTS({"device.media.capacitor_page", "?absent"}, {"device.media.capacitor_ok", "?absent"})},
    {"half a list of log pages", device_log_list_cut, &nvme_args,
     WANTS({"device.media.capacitor_page", "?unreadable"})},
    {"memory of the host", device_host_memory, &nvme_args,
     WANTS({"device.hmb_preferred_bytes", "64MiB"}, {"device.feature.hmb_enabled", "?absent"})},
    {"its queues and link", device_plain, &nvme_args,
     WANTS({"device.queue.io_queues", "2"}, {"device.queue.hw_queues", "2"},
           {"device.queue.depth", "1024"}, {"device.queue.cpus_per_queue_max", "3"},
           {"device.queue.scheduler", "none"}, {"device.queue.write_cache", "write-back"},
           {"device.queue.nr_requests", "1023"}, {"device.queue.wbt_latency", "0.002s"},
           {"device.queue.max_hw_sectors_bytes", "2MiB"}, {"device.queue.rotational", "false"},
           {"device.queue.atomic_max_bytes", "?not supported"},
           {"device.pci.link_speed", "8000000000/s"},
           {"device.pci.link_speed_max", "16000000000/s"}, {"device.pci.link_width", "4"},
           {"device.queue.interrupt_mode", "msix"}, {"device.queue.vectors", "3"},
           {"device.pci.aer_fatal", "?not supported"},
           {"device.multipath.paths", "?not supported"})},
    {"not root", device_no_root, &nvme_args,
     WANTS({"device.model", "\"Drive 960\""}, {"device.queue.io_queues", "2"},
           {"device.smart.critical_warning", "?not measured"}, {"device.mdts", "?not measured"},
           {"device.ns.npwg_bytes", "?not measured"}, {"device.ns.size_bytes", "1GiB"},
           {"device.ns.lba_bytes", "512B"}, {"device.volatile_write_cache", "true"},
           {"device.feature.vwc_enabled", "?not measured"}, {"device.cntlid", "7"},
           {"device.media.capacitor_page", "?not measured"},
           {"device.discard_supported", "true"})},
    {"identify for everyone", device_identify_only, &nvme_args,
     WANTS({"device.mdts", "5"}, {"device.smart.critical_warning", "?not measured"},
           {"device.feature.io_queues_granted", "?not measured"})},
    {"root, and refused", device_root_refused, &nvme_args,
     WANTS({"device.smart.critical_warning", "?not permitted"}, {"device.mdts", "?not permitted"})},
    {"a resetting controller is not asked", device_resetting, &nvme_args,
     WANTS({"device.state", "resetting"}, {"device.smart.critical_warning", "?unreadable"},
           {"device.mdts", "?unreadable"})},
    {"QEMU", device_qemu, &nvme_args,
     WANTS({"device.virtual_device", "true"}, {"device.storage_class", "virtual"},
           {"device.network_storage", "false"}, {"device.ephemeral", "?not supported"},
           {"device.queue.io_queues", "1"}, {"device.queue.hw_queues", "1"},
           {"device.queue.cpus_per_queue_max", "4"}, {"device.queue.scheduler", "mq-deadline"},
           {"device.feature.io_queues_granted", "64"}, {"device.feature.vwc_enabled", "false"},
           {"device.volatile_write_cache", "true"}, {"device.smart.available_spare_pct", "0%"},
           {"device.smart.temperature_c", "50degC"}, {"device.queue.interrupt_mode", "intx"},
           {"device.queue.vectors", "1"}, {"device.pci.link_speed", "?absent"},
           {"device.pci.link_width", "?absent"}, {"device.smart.sensors_c", "{}"})},
    {"extremes", device_extremes, &nvme_args,
     WANTS({"device.smart.temperature_c", "?absent"},
           {"device.smart.data_units_written", "340282366920938463463374607431768211455"},
           {"device.smart.power_on_hours", "?unreadable"},
           {"device.smart.percentage_used_pct", "255%"}, {"device.smart.critical_warning", "255"})},
    {"broken pages", device_broken_pages, &nvme_args,
     WANTS({"device.mdts", "?unreadable"}, {"device.ns.npwg_bytes", "?unreadable"},
           {"device.ns.lba_bytes", "512B"}, {"device.smart.critical_warning", "?unreadable"},
           {"device.volatile_write_cache", "true"}, {"device.feature.vwc_enabled", "?unreadable"})},
    {"no volatile cache", device_no_cache, &nvme_args,
     WANTS({"device.volatile_write_cache", "false"},
           {"device.feature.vwc_enabled", "?not supported"}, {"device.nvme_version", "?absent"},
           {"device.tnvmcap_bytes", "?absent"}, {"device.max_transfer_bytes_4k_pages", "?absent"})},
    {"Amazon EBS", device_amazon, &nvme_args,
     WANTS({"device.storage_class", "cloud-network"}, {"device.network_storage", "true"},
           {"device.virtual_device", "true"}, {"device.cloud.torn_write_unit", "16KiB"})},
    {"atomic unit of the namespace", device_atomic_unit, &nvme_args,
     WANTS({"device.ns.nawupf_valid", "true"}, {"device.ns.nawupf_bytes", "32KiB"},
           {"device.ns.npwg_bytes", "16KiB"}, {"device.ns.nows_bytes", "128KiB"},
           {"device.ns.atomic_boundary_bytes", "?absent"})},
    {"atomic unit cut by its boundary", device_atomic_bounded, &nvme_args,
     WANTS({"device.ns.nawupf_bytes", "8KiB"}, {"device.ns.atomic_boundary_bytes", "8KiB"})},
    {"atomic unit off the blocks", device_atomic_offset, &nvme_args,
     WANTS({"device.ns.nawupf_bytes", "512B"})},
    {"hostile texts", device_hostile_texts, &nvme_args,
     WANTS({"device.model", "\"\\xef\\xbf\\xbd\\xef\\xbf\\xbdEvil\\x0a[mysqld]\\x0ainit_file=/x\""},
           {"device.serial", "?absent"}, {"device.transport", "?absent"},
           {"device.state", "deleting"}, {"device.queue.io_queues", "?absent"},
           {"device.queue.scheduler", "?absent"}, {"device.queue.nr_requests", "?unreadable"},
           {"device.queue.write_cache", "?unreadable"},
           {"device.queue.cpus_per_queue_max", "?absent"}, {"device.queue.hw_queues", "2"})},
    {"virtio with the kernel's flag", device_virtio, &vda_args,
     WANTS({"device.kind", "virtio"}, {"device.rotational_media", "?absent"},
           {"device.queue.rotational", "true"}, {"device.network_storage", "?absent"},
           {"device.storage_class", "virtual"}, {"device.virtual_device", "true"},
           {"device.serial", "disk-7"}, {"device.model", "?not supported"},
           {"device.transport", "?not supported"},
           {"device.smart.critical_warning", "?not supported"}, {"device.mdts", "?not supported"},
           {"device.media.capacitor_page", "false"}, {"device.feature.hmb_enabled", "?not supported"},
           {"device.queue.io_queues", "?not supported"}, {"device.queue.hw_queues", "4"},
           {"device.queue.cpus_per_queue_max", "5"}, {"device.pci.link_speed", "?not supported"},
           {"device.queue.scheduler", "none"}, {"device.volatile_write_cache", "true"},
           {"device.ns.npwg_bytes", "?not supported"}, {"device.ns.lba_bytes", "512B"},
           {"device.state", "?not supported"}, {"device.multipath.paths", "?not supported"},
           {"device.vid", "?not supported"})},
    {"virtio without the flag", device_virtio_flash, &vda_args,
     WANTS({"device.rotational_media", "false"}, {"device.volatile_write_cache", "false"})},
    {"SATA disk", device_sata_disk, &sda_args,
     WANTS({"device.kind", "disk"}, {"device.rotational_media", "true"},
           {"device.model", "ST4000NM"}, {"device.serial", "S123"}, {"device.firmware", "F1"},
           {"device.storage_class", "?absent"}, {"device.network_storage", "false"})},
    {"SATA flash", device_sata_flash, &sda_args,
     WANTS({"device.kind", "sata-ssd"}, {"device.rotational_media", "false"})},
    {"QEMU's SCSI disk", device_qemu_scsi, &sda_args,
     WANTS({"device.kind", "other"}, {"device.rotational_media", "?absent"},
           {"device.virtual_device", "true"})},
    {"iSCSI", device_iscsi, &sda_args,
     WANTS({"device.kind", "network"}, {"device.network_storage", "true"},
           {"device.rotational_media", "?absent"}, {"device.storage_class", "network"})},
    {"flag that udev contradicts", device_sata_flag_wrong, &sda_args,
     WANTS({"device.rotational_media", "false"}, {"device.queue.rotational", "true"})},
    {"subsystem of two controllers", device_head, &head_args,
     WANTS({"device.kind", "nvme"}, {"device.state", "connecting"}, {"device.multipath.paths", "2"},
           {"device.multipath.paths_live", "1"}, {"device.multipath.paths_usable", "1"},
           {"device.multipath.iopolicy", "round-robin"},
           {"device.queue.io_queues", "2"}, {"device.queue.hw_queues", "2"},
           {"device.queue.wbt_latency", "?not supported"}, {"device.queue.scheduler", "none"},
           {"device.smart.power_cycles", "16"}, {"device.numa_node", "?absent"},
           {"device.storage_class", "nvme-local"})},
    {"a device that is not there", device_gone, &nvme_args,
     WANTS({"device.name", "?absent"}, {"device.smart.critical_warning", "?absent"})},
};

static void test_scenes(void **state)
{
    (void)state;
    scenes_check(scenes, ARRAY_LEN(scenes));
}

static void test_identity(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct host *h = fakehost_new(a);
    struct store *s = fixture_store(a, &probe_device);
    device_plain(h);
    const struct subject *sub = fixture_run(a, s, &probe_device, h, SUBJECT_DEVICE, &nvme_args);
    assert_string_equal(sub->identity, "Drive 960 SN-nvme0n1");
}

/* No command goes to a controller that is not live, nor to a disk that is none. */
static void test_not_asked(void **state)
{
    (void)state;
    static const struct {
        void (*make)(struct host *h);
        const struct probe_args *args;
    } rows[] = {
        {device_resetting, &nvme_args}, {device_virtio, &vda_args}, {device_sata_disk, &sda_args}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct host *h = fakehost_new(a);
        struct store *s = fixture_store(a, &probe_device);
        rows[i].make(h);
        fixture_run(a, s, &probe_device, h, SUBJECT_DEVICE, rows[i].args);
        assert_int_equal(fakehost_calls(h, HOST_NVME), 0);
        assert_int_equal(fakehost_calls(h, HOST_OPEN), 0);
    }
}

static void test_remedy(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct host *h = fakehost_new(a);
    struct store *s = fixture_store(a, &probe_device);
    device_no_root(h);
    const struct subject *sub = fixture_run(a, s, &probe_device, h, SUBJECT_DEVICE, &nvme_args);
    const struct fact *f = store_get(s, sub, SPAN_LIT("device.smart.critical_warning"));
    assert_non_null(f);
    assert_string_equal(f->remedy, "run as root");
}

static void test_cpu_lists(void **state)
{
    (void)state;
    static const struct {
        const char *list;
        uint64_t n; /* 0: malformed */
    } rows[] = {
        {"0", 1},     {"0, 1, 2", 3},
        {"0-3,8", 5}, {"7", 1},
        {"", 0},      {"a", 0},
        {"3-1", 0},   {"0-", 0},
        {"-1", 0},    {",", 0},
        {"0,,1", 0},  {"1-2-3", 0},
        {"0 1", 0},   {"0-99999999999999999999", 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        uint64_t n = 0;
        bool ok = queue_cpu_count(span_of(rows[i].list), &n);
        if (ok != (rows[i].n > 0) || (ok && n != rows[i].n)) {
            fail_msg("'%s' gives %d, %llu", rows[i].list, ok, (unsigned long long)n);
        }
    }
}

static void test_path_names(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    assert_string_equal(multipath_path_name(a, "nvme3n1", "nvme12"), "nvme3c12n1");
    assert_null(multipath_path_name(a, "sda", "nvme2"));
    assert_null(multipath_path_name(a, "nvme3n1", "sda"));
}

static void test_faults(void **state)
{
    (void)state;
    scenes_fail(scenes, ARRAY_LEN(scenes));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes),    cmocka_unit_test(test_identity),
        cmocka_unit_test(test_not_asked), cmocka_unit_test(test_remedy),
        cmocka_unit_test(test_cpu_lists), cmocka_unit_test(test_path_names),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
