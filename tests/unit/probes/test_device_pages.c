/* The device probe on drives that announce more than the least: log pages, features, pages of makers; and
 * that it asks for nothing that is not announced. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/probes/device_page_scenes.h"
#include "tests/unit/probes/scene_runner.h"

#include "advisor/base/banned.h"

static const struct probe_args nvme_args = {.label = "device:nvme0n1", .device = "nvme0n1"};

static const struct scene scenes[] = {
    {"log pages", pages_logs, &nvme_args,
     WANTS({"device.errors.media_io", "2"},
           {"device.errors.entries", "{30:q0:0x281:lba77, 29:q1:0x281:lba77, 28:q2:0x281:lba77}"},
           {"device.firmware_slots", "{slot1:1.0:active, slot2:2.0__x_:next}"},
           {"device.firmware_pending", "true"}, {"device.selftest.last_result", "failed"},
           {"device.selftest.failed_count", "1"}, {"device.selftest.last_hours", "12h"},
           {"device.sanitize.status", "done"}, {"device.errors.selftest_running", "false"},
           {"device.reset_count", "?not supported"})},
    {"a self-test at work", pages_selftest_at_work, &nvme_args,
     WANTS({"device.selftest.last_result", "none"}, {"device.selftest.last_hours", "?absent"},
           {"device.errors.selftest_running", "true"})},
    {"a sanitize log that cannot be read", pages_sanitize_unreadable, &nvme_args,
     WANTS({"device.sanitize.status", "?unreadable"},
           {"device.errors.selftest_running", "?unreadable"})},
    {"a format at work", pages_format_at_work, &nvme_args,
     WANTS({"device.errors.selftest_running", "true"})},
    {"a state of later versions", pages_sanitize_strange, &nvme_args,
     WANTS({"device.sanitize.status", "?unreadable"},
           {"device.errors.selftest_running", "?unreadable"})},
    {"nothing announced", device_plain, &nvme_args,
     WANTS({"device.selftest.last_result", "?not supported"},
           {"device.sanitize.status", "?not supported"}, {"device.errors.selftest_running", "false"},
           {"device.feature.apst_enabled", "false"},
           {"device.feature.apst_exit_latency_max", "?not supported"},
           {"device.feature.tmt1_c", "?not supported"}, {"device.feature.fdp_enabled", "false"},
           {"device.media.bytes_written", "?not supported"},
           {"device.media.throttled_now", "?not supported"},
           {"device.endurance_group.percentage_used_pct", "?not supported"},
           {"device.cloud.queue_length", "?not supported"})},
    {"features", pages_modes, &nvme_args,
     WANTS({"device.feature.power_state", "1"}, {"device.feature.irq_coalesce_time", "0.0003s"},
           {"device.feature.atomic_normal_disabled", "true"}, {"device.feature.apst_enabled", "true"},
           {"device.feature.apst_exit_latency_max", "0.05s"}, {"device.feature.hmb_enabled", "true"},
           {"device.feature.tmt1_c", "77degC"}, {"device.feature.tmt2_c", "82degC"})},
    {"features switched off", pages_modes_off, &nvme_args,
     WANTS({"device.feature.apst_enabled", "false"},
           {"device.feature.apst_exit_latency_max", "?not supported"},
           {"device.feature.hmb_enabled", "false"}, {"device.feature.tmt1_c", "?absent"})},
    {"only shallow states", pages_apst_shallow, &nvme_args,
     WANTS({"device.feature.apst_exit_latency_max", "0.008s"})},
    {"Open Compute page", pages_ocp, &nvme_args,
     WANTS({"device.media.source", "ocp"}, {"device.media.bytes_written", "750KiB"},
           {"device.media.host_bytes_written", "500000KiB"}, {"device.media.wear_min", "800"},
           {"device.media.wear_max", "900"}, {"device.media.wear_avg", "850"},
           {"device.media.e2e_errors", "2"}, {"device.media.throttle_count", "3"},
           {"device.media.throttled_now", "false"}, {"device.media.free_blocks_pct", "70%"},
           {"device.media.unexpected_power_loss", "1"}, {"device.media.capacitor_page", "true"},
           {"device.media.capacitor_ok", "true"}, {"device.media.program_fail", "?not supported"})},
    {"capacitors that failed", pages_ocp_capacitor_failed, &nvme_args,
     WANTS({"device.media.capacitor_page", "true"}, {"device.media.capacitor_ok", "false"},
           {"device.media.throttled_now", "true"})},
    {"no capacitors", pages_ocp_no_capacitor, &nvme_args,
     WANTS({"device.media.capacitor_page", "false"},
           {"device.media.capacitor_ok", "?not supported"},
           {"device.media.wear_avg", "?not supported"})},
    {"another maker's page C0h", pages_not_ocp, &nvme_args,
     WANTS({"device.media.capacitor_page", "false"}, {"device.media.source", "?not supported"},
           {"device.media.wear_max", "?not supported"})},
    {"a page C0h that cannot be read", pages_ocp_unreadable, &nvme_args,
     WANTS({"device.media.capacitor_page", "?unreadable"}, {"device.media.source", "?unreadable"},
           {"device.media.wear_max", "?unreadable"}, {"device.media.throttled_now", "?unreadable"})},
    {"Intel's page", pages_intel, &nvme_args,
     WANTS({"device.media.source", "intel"}, {"device.media.bytes_written", "96000MiB"},
           {"device.media.host_bytes_written", "64000MiB"}, {"device.media.wear_min", "5"},
           {"device.media.wear_max", "7"}, {"device.media.wear_avg", "6"},
           {"device.media.program_fail", "4"}, {"device.media.erase_fail", "5"},
           {"device.media.crc_errors", "2"}, {"device.media.throttle_pct", "25%"},
           {"device.media.throttle_count", "9"}, {"device.media.throttled_now", "true"},
           {"device.media.timed_media_wear_pct", "?absent"},
           {"device.media.timed_host_reads_pct", "?absent"}, {"device.media.timed_minutes", "?absent"},
           {"device.media.capacitor_page", "false"})},
    {"its timed workload", pages_intel_timed, &nvme_args,
     WANTS({"device.media.timed_media_wear_pct", "0.015625%"},
           {"device.media.timed_host_reads_pct", "80%"}, {"device.media.timed_minutes", "2h"})},
    {"a drive of Intel's that is not known", pages_intel_other, &nvme_args,
     WANTS({"device.media.source", "?not supported"})},
    {"endurance group", pages_endurance, &nvme_args,
     WANTS({"device.media.source", "endgrp"}, {"device.media.bytes_written", "2929687500KiB"},
           {"device.media.host_bytes_written", "1953125000KiB"},
           {"device.endurance_group.critical_warning", "1"},
           {"device.endurance_group.percentage_used_pct", "12%"},
           {"device.endurance_group.available_spare_pct", "95%"})},
    {"endurance group that counts nothing", pages_endurance_silent, &nvme_args,
     WANTS({"device.media.source", "ocp"}, {"device.endurance_group.percentage_used_pct", "12%"})},
    {"data placement", pages_placement, &nvme_args,
     WANTS({"device.feature.fdp_enabled", "true"}, {"device.media.source", "fdp"},
           {"device.media.bytes_written", "1100B"}, {"device.media.host_bytes_written", "1000B"})},
    {"data placement off", pages_placement_off, &nvme_args,
     WANTS({"device.feature.fdp_enabled", "false"}, {"device.media.source", "endgrp"})},
    {"Amazon EBS", pages_ebs, &nvme_args,
     WANTS({"device.cloud.volume_exceeded_iops_time", "1.5s"},
           {"device.cloud.volume_exceeded_throughput_time", "1e-06s"},
           {"device.cloud.instance_exceeded_iops_time", "2s"},
           {"device.cloud.instance_exceeded_throughput_time", "0s"},
           {"device.cloud.queue_length", "4"}, {"device.errors.media_io", "?not supported"},
           {"device.firmware_slots", "?not supported"},
           {"device.feature.power_state", "?not supported"})},
    {"a disk of the instance", pages_instance_disk, &nvme_args,
     WANTS({"device.cloud.volume_exceeded_iops_time", "?not supported"},
           {"device.cloud.instance_exceeded_iops_time", "2s"}, {"device.cloud.queue_length", "4"})},
    {"an older one", pages_instance_disk_old, &nvme_args,
     WANTS({"device.cloud.instance_exceeded_iops_time", "?not supported"})},
    {"over TCP", pages_over_tcp, &nvme_args,
     WANTS({"device.errors.media_io", "?not supported"},
           {"device.firmware_slots", "?not supported"},
           {"device.feature.power_state", "?not supported"},
           {"device.selftest.last_result", "failed"})},
    {"counters of new kernels", pages_counted_by_kernel, &nvme_args,
     WANTS({"device.reset_count", "2"}, {"device.errors.command_error_count", "5"},
           {"device.errors.command_retries_count", "6"})},
};

static void test_scenes(void **state)
{
    (void)state;
    scenes_check(scenes, ARRAY_LEN(scenes));
}

static void test_faults(void **state)
{
    (void)state;
    scenes_fail(scenes, ARRAY_LEN(scenes));
}

/* A refused command is an entry in the drive's error log. */
static void test_unannounced(void **state)
{
    (void)state;
    static const struct {
        void (*make)(struct host *h);
        const char *keys[12];
    } rows[] = {
        {device_plain,
         {"nvme0 log 0 0 1024", "nvme0 log 6 4294967295 564", "nvme0 log 129 4294967295 512",
          "nvme0 log 9 0 512 0", "nvme0 log 192 4294967295 512", "nvme0 log 202 4294967295 512",
          "nvme0 log 208 4294967295 4096", "nvme0 feature-data 12 0 256",
          "nvme0 feature-data 13 0 4096", "nvme0 feature 16 0", "nvme0 feature 29 0 0"}},
        {pages_intel_other, {"nvme0 log 202 4294967295 512"}},
        {pages_placement_off, {"nvme0 log 34 0 64 2"}},
        {pages_instance_disk_old, {"nvme0 log 208 4294967295 4096"}},
        {pages_over_tcp,
         {"nvme0 log 1 4294967295 256", "nvme0 log 3 4294967295 512", "nvme0 feature 2 0",
          "nvme0 feature 8 0", "nvme0 feature 10 0"}},
        {pages_ebs, {"nvme0 log 1 4294967295 256", "nvme0 log 3 4294967295 512", "nvme0 feature 2 0"}},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct host *h = fakehost_new(a);
        struct store *s = fixture_store(a, &probe_device);
        rows[i].make(h);
        fixture_run(a, s, &probe_device, h, SUBJECT_DEVICE, &nvme_args);
        for (size_t k = 0; k < ARRAY_LEN(rows[i].keys) && rows[i].keys[k] != NULL; k++) {
            if (fakehost_calls_of(h, HOST_NVME, rows[i].keys[k]) != 0) {
                fail_msg("row %zu asks for '%s'", i, rows[i].keys[k]);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_unannounced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
