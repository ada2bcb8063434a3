/* See proc_fixture.h. */
#include "tests/unit/probes/proc_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/twins.h"

#include "advisor/base/banned.h"

static const struct fake_row host_rows[] = {
    FAKE_FILE("/sys/devices/system/cpu/online", "0-3\n"),
    FAKE_FILE("/proc/cmdline", "root=/dev/vda1 rd.iscsi.password=*** ro\n"),
    FAKE_FILE("/proc/meminfo", "MemTotal:        8388608 kB\nMemFree:         4194304 kB\n"
                               "MemAvailable:    6291456 kB\nSwapTotal:       1048576 kB\n"
                               "AnonHugePages:      2048 kB\nHugePages_Total:      10\n"
                               "HugePages_Free:        3\nHugepagesize:       2048 kB\n"),
    FAKE_FILE("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"),
    FAKE_FILE("/sys/kernel/mm/transparent_hugepage/defrag",
              "always defer [defer+madvise] madvise never\n"),
    FAKE_FILE("/sys/devices/system/node/has_memory", "0-1\n"),
    FAKE_FILE("/sys/devices/system/node/online", "0-1\n"),
    FAKE_FILE("/sys/devices/system/node/node0/meminfo",
              "Node 0 MemTotal:       5242880 kB\nNode 0 MemFree:        1048576 kB\n"),
    FAKE_FILE("/sys/devices/system/node/node1/meminfo",
              "Node 1 MemTotal:       3145728 kB\nNode 1 MemFree:        2097152 kB\n"),
    FAKE_FILE("/proc/sys/vm/swappiness", "60\n"),
    FAKE_FILE("/proc/sys/vm/overcommit_memory", "0\n"),
    FAKE_FILE("/proc/sys/vm/min_free_kbytes", "67584\n"),
    FAKE_FILE("/proc/sys/vm/max_map_count", "65530\n"),
    FAKE_FILE("/proc/sys/vm/dirty_bytes", "0\n"),
    FAKE_FILE("/proc/sys/vm/dirty_ratio", "20\n"),
    FAKE_FILE("/proc/sys/vm/dirty_background_bytes", "268435456\n"),
    FAKE_FILE("/proc/sys/vm/zone_reclaim_mode", "0\n"),
    FAKE_FILE("/proc/sys/kernel/numa_balancing", "1\n"),
    FAKE_FILE("/proc/sys/fs/aio-nr", "2304\n"),
    FAKE_FILE("/proc/sys/fs/aio-max-nr", "65536\n"),
    FAKE_FILE("/proc/pressure/io", "some avg10=0.00 avg60=1.25 avg300=0.00 total=1\n"
                                   "full avg10=0.00 avg60=0.50 avg300=0.00 total=1\n"),
    FAKE_FILE("/proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1\n"
                                       "full avg10=0.00 avg60=0.00 avg300=0.00 total=1\n"),
    FAKE_FILE("/sys/class/dmi/id/sys_vendor", "Dell Inc.\n"),
    FAKE_FILE("/sys/class/dmi/id/product_name", "PowerEdge R650\n"),
    FAKE_FILE("/sys/devices/system/clocksource/clocksource0/available_clocksource",
              "tsc hpet acpi_pm \n"),
    FAKE_FILE("/proc/self/cgroup", "0::/user.slice\n"),
    FAKE_FILE("/proc/self/status", "Name:\tnvadvise\nVmSize:\t    8192 kB\n"),
    FAKE_FILE("/proc/self/statm", "2050 100 50 1 0 200 0\n"),
};

#define CPU "/sys/devices/system/cpu/cpu"
#define CPU_ROWS(n, package, governor)                                                             \
    FAKE_FILE(CPU n "/topology/package_cpus_list", package "\n"),                                  \
        FAKE_FILE(CPU n "/cpufreq/scaling_governor", governor "\n"),                               \
        FAKE_FILE(CPU n "/cpufreq/energy_performance_preference", "balance_performance\n"),        \
        FAKE_FILE(CPU n "/cpuidle/state0/latency", "0\n"),                                         \
        FAKE_FILE(CPU n "/cpuidle/state0/disable", "0\n"),                                         \
        FAKE_FILE(CPU n "/cpuidle/state1/latency", "133\n"),                                       \
        FAKE_FILE(CPU n "/cpuidle/state1/disable", "0\n"),                                         \
        FAKE_FILE(CPU n "/cpuidle/state2/latency", "890\n"),                                       \
        FAKE_FILE(CPU n "/cpuidle/state2/disable", "1\n")

/* Two sockets, NVMe and PCIe parameters, swap on a partition, systemd without fstrim's timer. */
static const struct fake_row hardware_rows[] = {
    CPU_ROWS("0", "0-1", "performance"),
    CPU_ROWS("1", "0-1", "performance"),
    CPU_ROWS("2", "2-3", "performance"),
    CPU_ROWS("3", "2-3", "performance"),
    FAKE_FILE("/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"),
    FAKE_FILE("/proc/sys/kernel/io_uring_group", "-1\n"),
    FAKE_FILE("/sys/module/nvme/parameters/poll_queues", "0\n"),
    FAKE_FILE("/sys/module/nvme/parameters/write_queues", "2\n"),
    FAKE_FILE("/sys/module/nvme/parameters/io_queue_depth", "1024\n"),
    FAKE_FILE("/sys/module/nvme_core/parameters/multipath", "Y\n"),
    FAKE_FILE("/sys/module/nvme_core/parameters/default_ps_max_latency_us", "100000\n"),
    FAKE_FILE("/sys/module/pcie_aspm/parameters/policy",
              "default performance [powersave] powersupersave \n"),
    FAKE_FILE("/proc/swaps", "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
                             "/dev/sda2                               partition\t1048572\t\t0\t\t-2\n"),
    FAKE_REPLY(HOST_LINK, "/sys/dev/block/8:2", "../../devices/pci0000:00/x/sda/sda2"),
    FAKE_REPLY(HOST_LINK, "/sys/class/block/sda2", "../../devices/pci0000:00/x/sda/sda2"),
    FAKE_FILE("/sys/class/block/sda2/partition", "2\n"),
    FAKE_FILE("/sys/class/block/sda2/start", "2048\n"),
    FAKE_REPLY(HOST_LINK, "/sys/class/block/sda", "../../devices/pci0000:00/x/sda"),
    FAKE_REPLY(HOST_LIST, "/sys/class/block/sda/slaves", ""),
    FAKE_REPLY(HOST_LIST, "/sys/class/block/sda2/slaves", ""),
    FAKE_FILE("/sys/class/block/sda/queue/minimum_io_size", "512\n"),
    FAKE_FILE("/sys/class/block/sda/queue/optimal_io_size", "0\n"),
    FAKE_FILE("/sys/class/block/sda/queue/max_sectors_kb", "1280\n"),
    FAKE_FILE("/sys/class/block/sda/queue/discard_max_bytes", "0\n"),
};

const char *fixture_path(struct fixture *f, unsigned pid, const char *file)
{
    return arena_printf(f->arena, "/proc/%u/%s", pid, file);
}

void fixture_process(struct fixture *f, unsigned pid, const char *comm, unsigned size,
                     unsigned resident, unsigned shared)
{
    fakehost_file(f->host, fixture_path(f, pid, "statm"),
                  arena_printf(f->arena, "%u %u %u 10 0 100 0\n", size, resident, shared));
    fakehost_file(f->host, fixture_path(f, pid, "comm"), arena_printf(f->arena, "%s\n", comm));
    buf_printf(&f->pids, " %u", pid);
}

struct fixture fixture_new(struct arena *a)
{
    struct fixture f = {.arena = a, .host = fakehost_new(a)};
    struct err err = ERR_INIT;
    struct decl_set *set = decl_set_new(a);
    if (!probes_declare(set, &err)) {
        abort();
    }
    f.store = store_new(a, set);
    buf_init(&f.pids, a, 65536);
    buf_add_text(&f.pids, "self uptime version");
    fakehost_add(f.host, host_rows, ARRAY_LEN(host_rows));
    fakehost_add(f.host, hardware_rows, ARRAY_LEN(hardware_rows));
    fakehost_stat(f.host, "/dev/sda2",
                  &(struct host_stat){.mode = 0060660, .rdev_major = 8, .rdev_minor = 2});
    fakehost_stat(f.host, "/run/systemd/system", &(struct host_stat){.mode = 0040755});
    fakehost_who(f.host, 0, 0, true);
    fakehost_uname(f.host, "db1", "6.1.0-57-amd64", "#1 SMP PREEMPT_DYNAMIC Debian 6.1.128-1");
    fixture_process(&f, 1, "systemd", 5000, 3000, 1000);
    fixture_process(&f, 2, "kthreadd", 0, 0, 0);
    fixture_process(&f, 17, "ksoftirqd/0", 0, 0, 0);
    fixture_process(&f, 300, "sshd", 2000, 600, 500);
    return f;
}

static void set_command(struct fixture *f, unsigned pid, const char *comm, const char *args)
{
    const char *line = arena_printf(f->arena, "/usr/sbin/%s%s%s", comm, *args ? " " : "", args);
    size_t len = strlen(line) + 1;
    char *text = arena_strndup(f->arena, line, len);
    for (size_t i = 0; i < len; i++) {
        text[i] = text[i] == ' ' ? '\0' : text[i];
    }
    fakehost_reply(f->host, HOST_READ, fixture_path(f, pid, "cmdline"), (struct span){text, len});
}

static const char unix_head[] = "Num       RefCount Protocol Flags    Type St Inode Path\n";

void fixture_server(struct fixture *f, unsigned pid, const char *comm, const char *socket,
                    const char *args)
{
    static const char status[] =
        "Name:\tmysqld\nUid:\t101\t101\t101\t101\nGid:\t102\t103\t102\t102\n"
        "VmSize:\t 2097152 kB\nVmSwap:\t    1024 kB\n"
        "Cpus_allowed_list:\t0-2\nMems_allowed_list:\t0\n";
    fixture_process(f, pid, comm, 5000, 1000, 100);
    set_command(f, pid, comm, args);
    fakehost_file(f->host, fixture_path(f, pid, "status"), status);
    fakehost_link(f->host, fixture_path(f, pid, "exe"),
                  arena_printf(f->arena, "/usr/sbin/%s", comm));
    fakehost_link(f->host, fixture_path(f, pid, "cwd"), "/var/lib/mysql");
    fakehost_link(f->host, fixture_path(f, pid, "root"), "/");
    fakehost_list(f->host, fixture_path(f, pid, "fd"), "0 1 10 2 21");
    for (unsigned i = 0; i < 3; i++) {
        fakehost_link(f->host, arena_printf(f->arena, "/proc/%u/fd/%u", pid, i), "/dev/null");
    }
    fakehost_link(f->host, fixture_path(f, pid, "fd/10"), "anon_inode:[eventpoll]");
    fakehost_link(f->host, fixture_path(f, pid, "fd/21"),
                  arena_printf(f->arena, "socket:[%u]", 9000 + pid));
    const char *row = socket == NULL ? ""
                                     : arena_printf(f->arena,
                                                    "00000000f05fb4c4: 00000002 00000000 00010000 "
                                                    "0001 01 %u %s\n",
                                                    9000 + pid, socket);
    fakehost_file(f->host, fixture_path(f, pid, "net/unix"),
                  arena_printf(f->arena, "%s%s", unix_head, row));
}

void fixture_hide_links(struct fixture *f, unsigned pid)
{
    static const char *const links[] = {"exe", "cwd", "root"};
    for (size_t i = 0; i < ARRAY_LEN(links); i++) {
        fakehost_fail(f->host, HOST_LINK, fixture_path(f, pid, links[i]), E_DENIED, EACCES);
    }
    fakehost_fail(f->host, HOST_LIST, fixture_path(f, pid, "fd"), E_DENIED, EACCES);
}

void fixture_run(struct fixture *f, const struct probe *probe, const struct probe_args *args)
{
    static const struct probe_args none = {.label = "host"};
    const struct probe_args *use = args != NULL ? args : &none;
    enum subject_kind kind = strcmp(use->label, "host") == 0 ? SUBJECT_HOST : SUBJECT_SERVER;
    struct twin *const twin = twin_is_due() ? twin_new(f->arena, f->host) : NULL;
    struct probe_ctx ctx = {.host = twin == NULL ? f->host : twin_host(twin),
                            .store = f->store,
                            .args = use,
                            .subject = store_subject(f->store, kind, use->label),
                            .arena = f->arena};
    if (kind == SUBJECT_HOST && !f->faulty) {
        fakehost_list(f->host, "/proc", f->pids.ptr);
    }
    if (probe->open(&ctx)) {
        probe->run(&ctx);
    }
    const char *const differences =
        twin == NULL ? "" : twin_differences(twin, probe, kind, use, f->store);
    if (differences[0] != '\0') {
        fprintf(stderr, "redacted: %s", differences);
        abort();
    }
}
