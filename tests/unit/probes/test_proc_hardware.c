/* The proc probe on made-up hosts: processors, drivers' parameters, trimming, swap, and what none
 * of these must be taken for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "tests/lib/factcheck.h"
#include "tests/unit/probes/proc_fixture.h"

#include "advisor/base/banned.h"

#define CPU "/sys/devices/system/cpu/cpu"
#define WANTS(dir) dir "/timers.target.wants/fstrim.timer"
#define SWAPS_HEAD "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"

enum act { FILE_IS, STAT_IS, LINK_IS, GONE_READ, GONE_STAT, DENIED_READ, DENIED_STAT };

/* What is different on this host, and what a fact is then. */
struct row {
    const char *what;
    struct {
        enum act act;
        const char *path, *text;
    } change[10];
    const char *fact, *text;
};

static const struct row rows[] = {
    {"governors differ",
     {{FILE_IS, CPU "2/cpufreq/scaling_governor", "powersave\n"}},
     "host.cpu.governor",
     "mixed"},
    {"a governor that has no word",
     {{FILE_IS, CPU "0/cpufreq/scaling_governor", "userspace\n"},
      {FILE_IS, CPU "1/cpufreq/scaling_governor", "userspace\n"},
      {FILE_IS, CPU "2/cpufreq/scaling_governor", "userspace\n"},
      {FILE_IS, CPU "3/cpufreq/scaling_governor", "userspace\n"}},
     "host.cpu.governor",
     "? absent"},
    {"a guest without governors",
     {{GONE_READ, CPU "0/cpufreq/scaling_governor", NULL}},
     "host.cpu.governor",
     "none"},
    {"a governor that may not be read",
     {{DENIED_READ, CPU "3/cpufreq/scaling_governor", NULL}},
     "host.cpu.governor",
     "? not permitted"},
    {"preferences differ: the most sparing",
     {{FILE_IS, CPU "1/cpufreq/energy_performance_preference", "power\n"}},
     "host.cpu.epp",
     "power"},
    {"a preference as a number",
     {{FILE_IS, CPU "1/cpufreq/energy_performance_preference", "128\n"}},
     "host.cpu.epp",
     "? absent"},
    {"no preferences",
     {{GONE_READ, CPU "0/cpufreq/energy_performance_preference", NULL}},
     "host.cpu.epp",
     "none"},
    {"the deepest state is enabled on the last CPU",
     {{FILE_IS, CPU "3/cpuidle/state2/disable", "0\n"}},
     "host.cpu.exit_latency_max",
     "0.00089s"},
    {"a state that cannot be switched off",
     {{GONE_READ, CPU "3/cpuidle/state1/disable", NULL}},
     "host.cpu.exit_latency_max",
     "? absent"},
    {"a latency that is no number",
     {{FILE_IS, CPU "0/cpuidle/state1/latency", "-1\n"}},
     "host.cpu.exit_latency_max",
     "? unreadable"},
    {"no idle states",
     {{GONE_READ, CPU "0/cpuidle/state0/latency", NULL},
      {GONE_READ, CPU "1/cpuidle/state0/latency", NULL},
      {GONE_READ, CPU "2/cpuidle/state0/latency", NULL},
      {GONE_READ, CPU "3/cpuidle/state0/latency", NULL}},
     "host.cpu.exit_latency_max",
     "? not supported"},
    {"the older name of a package's list",
     {{GONE_READ, CPU "0/topology/package_cpus_list", NULL},
      {FILE_IS, CPU "0/topology/core_siblings_list", "0-3\n"}},
     "host.cpu.sockets",
     "1"},
    {"a list without its own CPU",
     {{FILE_IS, CPU "0/topology/package_cpus_list", "7\n"}},
     "host.cpu.sockets",
     "3"},
    {"no topology",
     {{GONE_READ, CPU "0/topology/package_cpus_list", NULL}},
     "host.cpu.sockets",
     "? absent"},
    {"a driver without multipath",
     {{GONE_READ, "/sys/module/nvme_core/parameters/multipath", NULL}},
     "host.nvme.multipath",
     "false"},
    {"no driver",
     {{GONE_READ, "/sys/module/nvme_core/parameters/multipath", NULL},
      {GONE_READ, "/sys/module/nvme_core/parameters/default_ps_max_latency_us", NULL}},
     "host.nvme.multipath",
     "? absent"},
    {"multipath as a number",
     {{FILE_IS, "/sys/module/nvme_core/parameters/multipath", "1\n"}},
     "host.nvme.multipath",
     "? unreadable"},
    {"a policy without a choice",
     {{FILE_IS, "/sys/module/pcie_aspm/parameters/policy", "default\n"}},
     "host.pci.aspm_policy",
     "? unreadable"},
    {"a clock of its own",
     {{FILE_IS, "/sys/devices/system/clocksource/clocksource0/current_clocksource",
       "arch_sys_counter\n"}},
     "host.clocksource",
     "other"},
    {"no clock",
     {{FILE_IS, "/sys/devices/system/clocksource/clocksource0/current_clocksource", "\n"}},
     "host.clocksource",
     "? unreadable"},
    {"a clock that the kernel gave up",
     {{FILE_IS, "/sys/devices/system/clocksource/clocksource0/available_clocksource",
       "hpet acpi_pm \n"}},
     "host.clocksource_tsc_available",
     "false"},
    {"a list of clocks without one",
     {{FILE_IS, "/sys/devices/system/clocksource/clocksource0/available_clocksource", " \n"}},
     "host.clocksource_tsc_available",
     "? unreadable"},
    {"a kernel before io_uring's group",
     {{GONE_READ, "/proc/sys/kernel/io_uring_group", NULL}},
     "host.io_uring.group",
     "? not supported"},

    {"the timer is enabled",
     {{STAT_IS, WANTS("/etc/systemd/system"), NULL}},
     "host.fstrim_timer",
     "true"},
    {"enabled by the vendor",
     {{STAT_IS, WANTS("/usr/lib/systemd/system"), NULL}},
     "host.fstrim_timer",
     "true"},
    {"enabled, but masked",
     {{STAT_IS, WANTS("/etc/systemd/system"), NULL},
      {LINK_IS, "/etc/systemd/system/fstrim.timer", "/dev/null"}},
     "host.fstrim_timer",
     "false"},
    {"an alias is no mask",
     {{STAT_IS, WANTS("/etc/systemd/system"), NULL},
      {LINK_IS, "/etc/systemd/system/fstrim.timer", "/srv/fstrim.timer"}},
     "host.fstrim_timer",
     "true"},
    {"cron's job, whatever systemd does",
     {{STAT_IS, "/etc/cron.weekly/fstrim", NULL},
      {LINK_IS, "/etc/systemd/system/fstrim.timer", "/dev/null"}},
     "host.fstrim_timer",
     "true"},
    {"no systemd", {{GONE_STAT, "/run/systemd/system", NULL}}, "host.fstrim_timer", "? absent"},
    {"a folder that may not be looked into",
     {{DENIED_STAT, WANTS("/etc/systemd/system"), NULL}},
     "host.fstrim_timer",
     "? not permitted"},
    {"in a container",
     {{STAT_IS, WANTS("/etc/systemd/system"), NULL}, {STAT_IS, "/.dockerenv", NULL}},
     "host.fstrim_timer",
     "? absent"},

    {"no swap", {{FILE_IS, "/proc/swaps", SWAPS_HEAD}}, "host.swap.devices", "{}"},
    {"a table without its head",
     {{FILE_IS, "/proc/swaps", "/dev/sda2 partition 1 0 -2\n"}},
     "host.swap.devices",
     "? unreadable"},
    {"a line without a type",
     {{FILE_IS, "/proc/swaps", SWAPS_HEAD "/dev/sda2\n"}},
     "host.swap.devices",
     "? unreadable"},
    {"an area that is not there",
     {{FILE_IS, "/proc/swaps", SWAPS_HEAD "/dev/sdb1 partition 1 0 -2\n"}},
     "host.swap.devices",
     "? absent"},
    {"a file whose filesystem has no device",
     {{FILE_IS, "/proc/swaps", SWAPS_HEAD "/swap\\040file file 1 0 -2\n"},
      {STAT_IS, "/swap file", NULL}},
     "host.swap.devices",
     "? absent"},
    {"one of two cannot be followed",
     {{FILE_IS, "/proc/swaps",
       SWAPS_HEAD "/dev/sda2 partition 1 0 -2\n/dev/zz partition 1 0 -2\n"}},
     "host.swap.devices",
     "? absent"},
};

static void change(struct host *h, enum act act, const char *path, const char *text)
{
    switch (act) {
    case FILE_IS:
        fakehost_file(h, path, text);
        break;
    case STAT_IS:
        fakehost_stat(h, path, &(struct host_stat){.mode = 0100755});
        break;
    case LINK_IS:
        fakehost_link(h, path, text);
        break;
    case GONE_READ:
        fakehost_remove(h, HOST_READ, path);
        break;
    case GONE_STAT:
        fakehost_remove(h, HOST_STAT, path);
        break;
    case DENIED_READ:
        fakehost_fail(h, HOST_READ, path, E_DENIED, EACCES);
        break;
    case DENIED_STAT:
        fakehost_fail(h, HOST_STAT, path, E_DENIED, EACCES);
        break;
    }
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct fixture f = fixture_new(a);
        for (size_t k = 0; k < ARRAY_LEN(rows[i].change) && rows[i].change[k].path != NULL; k++) {
            change(f.host, rows[i].change[k].act, rows[i].change[k].path, rows[i].change[k].text);
        }
        fixture_run(&f, &probe_proc, NULL);
        check_facts(rows[i].what, f.store, "host", &(struct fact_want){rows[i].fact, rows[i].text},
                    1);
    }
}

/* A swap file lies where its filesystem does. */
static void test_swap_file(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct fixture f = fixture_new(a);
    fakehost_file(f.host, "/proc/swaps", SWAPS_HEAD "/swap\\040file file 1 0 -2\n");
    fakehost_stat(f.host, "/swap file",
                  &(struct host_stat){.mode = 0100600, .dev_major = 8, .dev_minor = 2});
    fixture_run(&f, &probe_proc, NULL);
    assert_string_equal(fact_text(f.store, "host", "host.swap.devices"), "{sda}");
}

/* Whatever number of CPUs there is, the clock is asked of 64 and idle states of 8. */
static void test_many_cpus(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct fixture f = fixture_new(a);
    fakehost_file(f.host, "/sys/devices/system/cpu/online", "0-1023\n");
    for (unsigned i = 0; i < 1024; i++) {
        fakehost_file(f.host, arena_printf(a, CPU "%u/topology/package_cpus_list", i),
                      i < 512 ? "0-511\n" : "512-1023\n");
        fakehost_file(f.host, arena_printf(a, CPU "%u/cpufreq/scaling_governor", i),
                      i < 1000 ? "performance\n" : "powersave\n");
        fakehost_file(f.host, arena_printf(a, CPU "%u/cpuidle/state0/latency", i), "2\n");
        fakehost_file(f.host, arena_printf(a, CPU "%u/cpuidle/state0/disable", i), "0\n");
    }
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned k = 1; k < 3; k++) {
            fakehost_remove(f.host, HOST_READ,
                            arena_printf(a, CPU "%u/cpuidle/state%u/latency", i, k));
        }
    }
    fixture_run(&f, &probe_proc, NULL);
    assert_string_equal(fact_text(f.store, "host", "host.cpu.sockets"), "2");
    assert_string_equal(fact_text(f.store, "host", "host.cpu.governor"), "mixed");
    assert_string_equal(fact_text(f.store, "host", "host.cpu.exit_latency_max"), "2e-06s");
    unsigned clocks = 0, idles = 0;
    for (unsigned i = 0; i < 1024; i++) {
        clocks += fakehost_calls_of(f.host, HOST_READ,
                                    arena_printf(a, CPU "%u/cpufreq/scaling_governor", i)) > 0;
        idles += fakehost_calls_of(f.host, HOST_READ,
                                   arena_printf(a, CPU "%u/cpuidle/state0/latency", i)) > 0;
    }
    assert_int_equal(clocks, 64);
    assert_int_equal(idles, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_swap_file),
        cmocka_unit_test(test_many_cpus),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
