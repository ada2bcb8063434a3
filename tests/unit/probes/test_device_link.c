/* The device probe on the way from the root of PCI to a controller: shared ports, slots, errors, vectors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/probes/device_scenes.h"
#include "tests/unit/probes/scene_runner.h"

#include "advisor/base/banned.h"

#define ROOT_PORT "/sys/devices/pci0000:00/0000:00:01.0"
#define SWITCH ROOT_PORT "/0000:01:00.0"
#define FIRST SWITCH "/0000:02:00.0"
#define SECOND SWITCH "/0000:02:01.0"

static const struct probe_args nvme_args = {.label = "device:nvme0n1", .device = "nvme0n1"};
static const struct probe_args head_args = {.label = "device:nvme3n1", .device = "nvme3n1"};

static void attr(struct host *h, const char *file, const char *text)
{
    fakehost_file(h, arena_printf(h->arena, "/sys/class/nvme/nvme0/device/%s", file), text);
}

static void port(struct host *h, const char *path, const char *speed, const char *width)
{
    fakehost_file(h, arena_printf(h->arena, "%s/current_link_speed", path), speed);
    fakehost_file(h, arena_printf(h->arena, "%s/current_link_width", path), width);
}

static void place(struct host *h, const char *ctrl, const char *path)
{
    fixture_link(h, arena_printf(h->arena, "real /sys/class/nvme/%s/device", ctrl), path);
}

/* Two controllers below a switch; a third hangs on fabrics. */
static void behind_a_switch(struct host *h)
{
    device_plain(h);
    fixture_list(h, "/sys/class/nvme", "nvme0 nvme1 nvme2");
    place(h, "nvme0", FIRST "/0000:03:00.0");
    place(h, "nvme1", SECOND "/0000:04:00.0");
    port(h, ROOT_PORT, "8.0 GT/s PCIe", "4");
    port(h, SWITCH, "8.0 GT/s PCIe", "4");
    port(h, FIRST, "8.0 GT/s PCIe", "4");
    fixture_list(h, "/sys/bus/pci/slots", "2 12-1");
    fakehost_file(h, "/sys/bus/pci/slots/2/address", "0000:05:00");
    fakehost_file(h, "/sys/bus/pci/slots/12-1/address", "0000:03:00");
    fixture_list(h, "/sys/bus/pci/slots/12-1", "adapter address attention power");
}

static void alone(struct host *h)
{
    behind_a_switch(h);
    fixture_list(h, "/sys/class/nvme", "nvme0");
    port(h, FIRST, "5.0 GT/s PCIe", "2");
    fixture_list(h, "/sys/bus/pci/slots/12-1", "address cur_bus_speed max_bus_speed module");
}

static void configuration(struct host *h, const char *path, const char *at4, const char *at52,
                          const char *at64, const char *at84)
{
    fakehost_reply(h, HOST_READ, arena_printf(h->arena, "at 4 4 %s/config", path),
                   (struct span){at4, 4});
    fakehost_reply(h, HOST_READ, arena_printf(h->arena, "at 52 4 %s/config", path),
                   (struct span){at52, 4});
    fakehost_reply(h, HOST_READ, arena_printf(h->arena, "at 64 4 %s/config", path),
                   (struct span){at64, 4});
    fakehost_reply(h, HOST_READ, arena_printf(h->arena, "at 84 4 %s/config", path),
                   (struct span){at84, 4});
}

/* No driver works its slot; the port says what it can. */
static void hotplug_by_port(struct host *h)
{
    alone(h);
    configuration(h, FIRST, "\6\0\x10\0", "\x40\0\0\0", "\x10\0\x42\1", "\x60\0\4\0");
}

static void no_hotplug_by_port(struct host *h)
{
    alone(h);
    configuration(h, FIRST, "\6\0\x10\0", "\x40\0\0\0", "\x10\0\x42\1", "\x20\0\4\0");
}

static void port_without_slot(struct host *h)
{
    alone(h);
    configuration(h, FIRST, "\6\0\x10\0", "\x40\0\0\0", "\x10\0\x42\0", "\x60\0\4\0");
}

static void unknown_port(struct host *h)
{
    behind_a_switch(h);
    port(h, SWITCH, "Unknown", "63");
}

static void in_the_root(struct host *h)
{
    device_plain(h);
    place(h, "nvme0", "/sys/devices/pci0000:00/0000:00:0e.0");
}

static void no_function(struct host *h)
{
    device_plain(h);
    place(h, "nvme0", "/sys/devices/platform/apple-nvme");
}

static void counters(struct host *h)
{
    device_plain(h);
    attr(h, "aer_dev_correctable", "RxErr 7\nBadTLP 0\nTimeout 2\nTOTAL_ERR_COR 9\n");
    attr(h, "aer_dev_nonfatal", "Undefined 0\nTLP 1\nTOTAL_ERR_NONFATAL 1\n");
    attr(h, "aer_dev_fatal", "DLP 0\nTOTAL_ERR_FATAL 0\n");
    attr(h, "../aer_dev_correctable", "RxErr 100\nTOTAL_ERR_COR 100\n");
    attr(h, "../aer_dev_nonfatal", "TOTAL_ERR_NONFATAL 0\n");
    attr(h, "../aer_dev_fatal", "DLP 3\nTOTAL_ERR_FATAL 3\n");
    attr(h, "link/l1_aspm", "1");
    attr(h, "link/l1_2_aspm", "0");
    attr(h, "link/l0s_aspm", "1");
}

static void counters_broken(struct host *h)
{
    counters(h);
    attr(h, "aer_dev_correctable", "RxErr seven\n");
}

/* ---- vectors ---- */

static void irq(struct host *h, const char *number, const char *names, const char *cpus)
{
    fixture_list(h, arena_printf(h->arena, "/proc/irq/%s", number), names);
    fakehost_file(h, arena_printf(h->arena, "/proc/irq/%s/effective_affinity_list", number), cpus);
}

static void vectors(struct host *h)
{
    device_plain(h);
    irq(h, "40", "effective_affinity_list nvme0q0 smp_affinity_list", "2");
    irq(h, "41", "effective_affinity_list nvme0q2", "3,5-6");
    irq(h, "42", "effective_affinity_list nvme0q1", "0-1");
    configuration(h, "/sys/class/nvme/nvme0/device", "\6\0\x10\0", "\x40\0\0\0", "\x11\0\x20\x80", "");
}

/* An older kernel, which does not tell the effective CPUs. */
static void vectors_allowed(struct host *h)
{
    vectors(h);
    fakehost_remove(h, HOST_READ, "/proc/irq/42/effective_affinity_list");
    fakehost_file(h, "/proc/irq/42/smp_affinity_list", "0-3");
    configuration(h, "/sys/class/nvme/nvme0/device", "\6\0\x10\0", "\x40\0\0\0", "\5\0\x20\x80", "");
}

static void one_line(struct host *h)
{
    device_plain(h);
    fakehost_remove(h, HOST_LIST, "/sys/class/nvme/nvme0/device/msi_irqs");
    attr(h, "irq", "22");
    irq(h, "22", "effective_affinity_list nvme0q0 nvme0q1 ohci_hcd:usb1", "1");
}

static void nameless(struct host *h)
{
    vectors(h);
    irq(h, "40", "nvme00q0 nvme0q nvme0qx xnvme0q1", "2");
    irq(h, "41", "nvme1q1", "2");
    irq(h, "42", "", "2");
}

static void not_root(struct host *h)
{
    vectors(h);
    device_no_root(h);
}

static void head_failovers(struct host *h)
{
    device_head(h);
    hosts_attr(h, "nvme3c2n1", "ana_state", "optimized");
    hosts_attr(h, "nvme3c3n1", "ana_state", "non-optimized");
    hosts_attr(h, "nvme3c2n1", "diag/multipath_failover_count", "4");
    hosts_attr(h, "nvme3c3n1", "diag/multipath_failover_count", "5");
    fakehost_file(h, "/sys/class/nvme/nvme2/state", "deleting (no IO)");
}

static const struct scene scenes[] = {
    {"behind a switch", behind_a_switch, &nvme_args,
     WANTS({"device.pci.address", "0000:03:00.0"},
           {"device.pci.upstream_bytes_per_sec", "1969230769.2307692B/s"},
           {"device.pci.upstream_port", "0000:00:01.0"}, {"device.pci.slot", "12-1"},
           {"device.pci.hotplug", "true"})},
    {"alone, behind a narrow port", alone, &nvme_args,
     WANTS({"device.pci.upstream_bytes_per_sec", "1000000000B/s"},
           {"device.pci.upstream_port", "0000:02:00.0"}, {"device.pci.slot", "12-1"},
           {"device.pci.hotplug", "?absent"})},
    {"a port that can", hotplug_by_port, &nvme_args, WANTS({"device.pci.hotplug", "true"})},
    {"a port that cannot", no_hotplug_by_port, &nvme_args, WANTS({"device.pci.hotplug", "false"})},
    {"a port without a slot", port_without_slot, &nvme_args, WANTS({"device.pci.hotplug", "false"})},
    {"a port whose link is not known", unknown_port, &nvme_args,
     WANTS({"device.pci.upstream_bytes_per_sec", "?absent"}, {"device.pci.slot", "12-1"})},
    {"part of the root", in_the_root, &nvme_args,
     WANTS({"device.pci.address", "0000:00:0e.0"},
           {"device.pci.upstream_bytes_per_sec", "?not supported"},
           {"device.pci.slot", "?absent"}, {"device.pci.hotplug", "false"})},
    {"no PCI function", no_function, &nvme_args,
     WANTS({"device.pci.address", "?not supported"}, {"device.pci.hotplug", "?not supported"})},
    {"errors of both ends", counters, &nvme_args,
     WANTS({"device.pci.aer_fatal", "4"}, {"device.pci.aer_correctable", "109"},
           {"device.pci.aer_counters",
            "{port:fatal:DLP:3, device:nonfatal:TLP:1, device:correctable:RxErr:7, "
            "device:correctable:Timeout:2, port:correctable:RxErr:100}"},
           {"device.pci.aspm_l1", "true"}, {"device.pci.aspm", "{l1, l0s}"})},
    {"counters that are none", counters_broken, &nvme_args,
     WANTS({"device.pci.aer_fatal", "4"}, {"device.pci.aer_correctable", "?unreadable"},
           {"device.pci.aer_counters", "?unreadable"})},
    {"vectors", vectors, &nvme_args,
     WANTS({"device.queue.affinity", "{nvme0q0:2, nvme0q1:0-1, nvme0q2:3+5-6}"},
           {"device.queue.msix_table_size", "33"}, {"device.queue.vectors", "3"})},
    {"vectors of an older kernel", vectors_allowed, &nvme_args,
     WANTS({"device.queue.affinity", "{nvme0q0:2, nvme0q1:0-3, nvme0q2:3+5-6}"},
           {"device.queue.msix_table_size", "?not supported"})},
    {"one line for all", one_line, &nvme_args,
     WANTS({"device.queue.affinity", "{nvme0q0:1, nvme0q1:1}"},
           {"device.queue.interrupt_mode", "intx"}, {"device.queue.msix_table_size", "?absent"})},
    {"vectors without names", nameless, &nvme_args, WANTS({"device.queue.affinity", "?absent"})},
    {"not root", not_root, &nvme_args,
     WANTS({"device.queue.msix_table_size", "?not measured"},
           {"device.queue.affinity", "{nvme0q0:2, nvme0q1:0-1, nvme0q2:3+5-6}"})},
    {"paths", head_failovers, &head_args,
     WANTS({"device.multipath.paths", "2"}, {"device.multipath.paths_live", "0"},
           {"device.multipath.paths_usable", "1"},
           {"device.multipath.path_list", "{nvme2:deleting:optimized:pcie:nvme3c2n1, "
                                          "nvme3:live:non-optimized:pcie:nvme3c3n1}"},
           {"device.multipath.failover_count", "9"}, {"device.state", "deleting"})},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scenes),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
