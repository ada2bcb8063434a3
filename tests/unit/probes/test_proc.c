/* The proc probe on made-up hosts: facts of the host, which processes are servers, where they
 * listen. */
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

#define SOCK "/run/mysqld/mysqld.sock"
#define CHECK(what, f, label, ...)                                                                 \
    check_facts(what, (f)->store, label, (const struct fact_want[]){__VA_ARGS__},                  \
                sizeof((const struct fact_want[]){__VA_ARGS__}) / sizeof(struct fact_want))

/* ---- the host -------------------------------------------------------------------------------- */

static void test_host(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct fixture f = fixture_new(a);
    fixture_run(&f, &probe_proc, NULL);
    CHECK("host", &f, "host", {"host.name", "db1"}, {"host.root", "true"}, {"host.cpu.online", "4"},
          {"host.kernel.version", "6.1.0"}, {"host.kernel.release", "6.1.0-57-amd64"},
          {"host.kernel.vendor", "debian"},
          {"host.kernel.cmdline", "\"root=/dev/vda1 rd.iscsi.password=*** ro\""},
          {"host.io_uring.disabled", "0"}, {"host.memory.total", "8GiB"},
          {"host.memory.available", "6GiB"}, {"host.memory.hugepage_size", "2MiB"},
          {"host.memory.hugepages_free", "3"}, {"host.memory.hugepages_total", "10"},
          {"host.memory.anon_hugepages", "2MiB"}, {"host.swap.total", "1GiB"},
          {"host.memory.thp", "madvise"}, {"host.memory.thp_defrag", "defer+madvise"},
          {"host.numa.nodes", "2"}, {"host.numa.node_total_min", "3GiB"},
          {"host.numa.node_free_min", "1GiB"}, {"host.numa.balancing", "true"},
          {"host.numa.zone_reclaim_mode", "0"}, {"host.vm.swappiness", "60"},
          {"host.vm.overcommit_memory", "0"}, {"host.vm.min_free", "66MiB"},
          {"host.vm.max_map_count", "65530"}, {"host.vm.dirty_background_limit", "256MiB"},
          {"host.fs.aio_nr", "2304"}, {"host.fs.aio_max_nr", "65536"},
          {"host.psi.io_some_avg60", "1.25%"}, {"host.psi.io_full_avg60", "0.5%"},
          {"host.psi.memory_full_avg60", "0%"}, {"host.virt.kind", "none"},
          {"host.cloud.platform", "none"}, {"host.container.kind", "none"},
          {"host.irqbalance", "false"}, {"host.server_processes", "0"},
          {"host.cpu.sockets", "2"}, {"host.cpu.governor", "performance"},
          {"host.cpu.epp", "balance_performance"}, {"host.cpu.exit_latency_max", "0.000133s"},
          {"host.clocksource", "tsc"}, {"host.clocksource_tsc_available", "true"},
          {"host.fstrim_timer", "false"}, {"host.pci.aspm_policy", "powersave"},
          {"host.io_uring.group", "-1"}, {"host.nvme.poll_queues", "0"},
          {"host.nvme.write_queues", "2"}, {"host.nvme.io_queue_depth", "1024"},
          {"host.nvme.multipath", "true"}, {"host.nvme.default_ps_max_latency", "0.1s"},
          {"host.swap.devices", "{sda}"},
          /* (3000 - 1000 + 600 - 500) pages of 4 KiB */
          {"host.memory.other_rss", "8400KiB"});
    assert_string_equal(subject_labels(f.store, SUBJECT_SERVER), "");
}

/* Every declared host fact is set, known or not. */
static void check_all_set(struct fixture *f)
{
    for (size_t t = 0; t < probe_proc.n_themes; t++) {
        for (size_t i = 0; i < probe_proc.themes[t].n; i++) {
            const struct fact_decl *d = &probe_proc.themes[t].rows[i];
            if (d->subject == SUBJECT_HOST &&
                strcmp(fact_text(f->store, "host", d->name), "(none)") == 0) {
                fail_msg("%s is not set", d->name);
            }
        }
    }
}

static void add_zfs(struct fixture *f)
{
    fakehost_file(f->host, "/sys/module/zfs/version", "2.1.11-1+deb12u1\n");
    fakehost_file(f->host, "/proc/spl/kstat/zfs/arcstats",
                  "13 1 0x01 96 26112 5127213 8100034\nname                            type data\n"
                  "hits                            4    1200\nc                               4    9\n"
                  "c_min                           4    1056964608\n"
                  "c_max                           4    33822867456\n"
                  "size                            4    1073741824\n"
                  "l2_size                         4    4294967296\n"
                  "l2_asize                        4    2147483648\n"
                  "l2_hdr_size                     4    25165824\n");
    fakehost_file(f->host, "/sys/module/zfs/parameters/zfs_arc_max", "0\n");
    fakehost_file(f->host, "/sys/module/zfs/parameters/zfs_prefetch_disable", "1\n");
    fakehost_file(f->host, "/sys/module/zfs/parameters/zfs_dirty_data_max", "4294967296\n");
}

static void test_zfs(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct fixture f = fixture_new(a);
    fixture_run(&f, &probe_proc, NULL);
    CHECK("no ZFS", &f, "host", {"host.zfs.version", "? not supported"},
          {"host.zfs.arc_max", "? not supported"}, {"host.zfs.arc_max_set", "? not supported"});
    f = fixture_new(a);
    add_zfs(&f);
    fixture_run(&f, &probe_proc, NULL);
    CHECK("ZFS", &f, "host", {"host.zfs.version", "2.1.11"}, {"host.zfs.arc_max", "32256MiB"},
          {"host.zfs.arc_size", "1GiB"}, {"host.zfs.arc_max_set", "false"},
          {"host.zfs.prefetch_disabled", "true"}, {"host.zfs.dirty_data_max", "4GiB"},
          {"host.zfs.l2_header_bytes", "24MiB"}, {"host.zfs.l2_size", "4GiB"},
          {"host.zfs.l2_allocated", "2GiB"});
    f = fixture_new(a);
    add_zfs(&f);
    fakehost_file(f.host, "/proc/spl/kstat/zfs/arcstats", "c_max 4 many\n");
    fakehost_file(f.host, "/sys/module/zfs/version", "new\n");
    fakehost_fail(f.host, HOST_READ, "/sys/module/zfs/parameters/zfs_arc_max", E_DENIED, EACCES);
    fixture_run(&f, &probe_proc, NULL);
    CHECK("odd ZFS", &f, "host", {"host.zfs.version", "? unreadable"},
          {"host.zfs.arc_max", "? unreadable"}, {"host.zfs.arc_size", "? unreadable"},
          {"host.zfs.l2_header_bytes", "? unreadable"},
          {"host.zfs.arc_max_set", "? not permitted"});
}

static void test_nothing_can_be_read(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct fixture f = fixture_new(a);
    f.host = fakehost_new(a);
    fakehost_fail(f.host, HOST_LIST, "/proc", E_DENIED, EACCES);
    struct probe_args args = {.label = "host"};
    struct probe_ctx ctx = {.host = f.host,
                            .store = f.store,
                            .args = &args,
                            .subject = store_subject(f.store, SUBJECT_HOST, "host"),
                            .arena = a};
    assert_true(probe_proc.open(&ctx));
    probe_proc.run(&ctx);
    check_all_set(&f);
    CHECK("nothing", &f, "host", {"host.server_processes", "? not permitted"},
          {"host.memory.other_rss", "? not permitted"}, {"host.memory.total", "? absent"},
          {"host.swap.total", "? absent"}, {"host.memory.thp", "? absent"},
          {"host.numa.nodes", "? absent"}, {"host.psi.io_full_avg60", "? not supported"},
          {"host.container.kind", "? absent"});
}

struct host_row {
    const char *what, *path, *text; /* text NULL: the file is not there */
    struct fact_want want;
};

static const struct host_row host_rows[] = {
    {"cut number", "/proc/sys/vm/swappiness", "6", {"host.vm.swappiness", "? unreadable"}},
    {"empty", "/proc/sys/vm/swappiness", "", {"host.vm.swappiness", "? unreadable"}},
    {"no number", "/proc/sys/vm/swappiness", "much\n", {"host.vm.swappiness", "? unreadable"}},
    {"negative", "/proc/sys/vm/swappiness", "-1\n", {"host.vm.swappiness", "? unreadable"}},
    {"huge",
     "/proc/sys/vm/min_free_kbytes",
     "18446744073709551615\n",
     {"host.vm.min_free", "18446744073709551615KiB"}},
    {"dirty bytes rule",
     "/proc/sys/vm/dirty_bytes",
     "1073741824\n",
     {"host.vm.dirty_limit", "1GiB"}},
    {"dirty ratio", "/proc/sys/vm/dirty_ratio", "50\n", {"host.vm.dirty_limit", "3221225450B"}},
    {"dirty ratio out of range",
     "/proc/sys/vm/dirty_ratio",
     "101\n",
     {"host.vm.dirty_limit", "? unreadable"}},
    {"io_uring off", "/proc/sys/kernel/io_uring_disabled", "2\n", {"host.io_uring.disabled", "2"}},
    {"thp word",
     "/sys/kernel/mm/transparent_hugepage/enabled",
     "[often] never\n",
     {"host.memory.thp", "? unreadable"}},
    {"thp without choice",
     "/sys/kernel/mm/transparent_hugepage/enabled",
     "always never\n",
     {"host.memory.thp", "? unreadable"}},
    {"thp gone though built in",
     "/sys/kernel/mm/transparent_hugepage/enabled",
     NULL,
     {"host.memory.thp", "? absent"}},
    {"cpus", "/sys/devices/system/cpu/online", "0-127,256\n", {"host.cpu.online", "129"}},
    {"cpus malformed",
     "/sys/devices/system/cpu/online",
     "0-\n",
     {"host.cpu.online", "? unreadable"}},
    {"nodes malformed",
     "/sys/devices/system/node/has_memory",
     "x\n",
     {"host.numa.nodes", "? unreadable"}},
    {"node not there",
     "/sys/devices/system/node/has_memory",
     "0-2\n",
     {"host.numa.nodes", "? absent"}},
    {"older kernel", "/sys/devices/system/node/has_memory", NULL, {"host.numa.nodes", "2"}},
    {"pressure garbage",
     "/proc/pressure/io",
     "full avg60=101.0\n",
     {"host.psi.io_full_avg60", "? unreadable"}},
    {"EC2", "/sys/class/dmi/id/sys_vendor", "Amazon EC2\n", {"host.cloud.platform", "aws"}},
    {"EC2 is nitro", "/sys/class/dmi/id/sys_vendor", "Amazon EC2\n", {"host.virt.kind", "nitro"}},
    {"a clock tells",
     "/sys/devices/system/clocksource/clocksource0/available_clocksource",
     "kvm-clock tsc \n",
     {"host.virt.kind", "kvm"}},
    {"xen", "/sys/hypervisor/type", "xen\n", {"host.virt.kind", "xen"}},
    {"DMI with control characters",
     "/sys/class/dmi/id/sys_vendor",
     "A\x01\xff\n",
     {"host.virt.kind", "none"}},
    {"empty vendor", "/sys/class/dmi/id/sys_vendor", " \n", {"host.cloud.platform", "? absent"}},
    {"docker v1",
     "/proc/self/cgroup",
     "4:memory:/docker/0123\n",
     {"host.container.kind", "docker"}},
    {"kubernetes",
     "/proc/self/cgroup",
     "0::/kubepods.slice/x\n",
     {"host.container.kind", "kubernetes"}},
    {"nspawn",
     "/run/systemd/container",
     "systemd-nspawn\n",
     {"host.container.kind", "systemd-nspawn"}},
};

static void test_host_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(host_rows); i++) {
        const struct host_row *r = &host_rows[i];
        ARENA_AUTO a = arena_new();
        struct fixture f = fixture_new(a);
        if (r->text != NULL) {
            fakehost_file(f.host, r->path, r->text);
        } else {
            fakehost_remove(f.host, HOST_READ, r->path);
        }
        fixture_run(&f, &probe_proc, NULL);
        check_facts(r->what, f.store, "host", &r->want, 1);
        check_all_set(&f);
    }
}

static void test_kernel_without(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct fixture f = fixture_new(a);
    static const char *const absent[] = {
        "/sys/devices/system/node/has_memory", "/sys/devices/system/node/online",
        "/sys/kernel/mm/transparent_hugepage/enabled", "/proc/sys/vm/zone_reclaim_mode"};
    for (size_t i = 0; i < ARRAY_LEN(absent); i++) {
        fakehost_remove(f.host, HOST_READ, absent[i]);
    }
    fakehost_file(f.host, "/proc/meminfo", "MemTotal: 1048576 kB\nSwapTotal: 0 kB\n");
    fixture_run(&f, &probe_proc, NULL);
    CHECK("no NUMA, no huge pages", &f, "host", {"host.numa.nodes", "1"},
          {"host.numa.node_total_min", "? absent"}, {"host.numa.zone_reclaim_mode", "? absent"},
          {"host.memory.thp", "never"}, {"host.memory.hugepages_free", "? absent"},
          {"host.memory.available", "? absent"}, {"host.vm.dirty_limit", "? unreadable"},
          {"host.swap.total", "0B"}, {"host.memory.total", "1GiB"});
}

struct kernel_row {
    const char *release, *version, *vendor;
};

static const struct kernel_row kernels[] = {
    {"6.1.0-57-amd64", "#1 SMP Debian 6.1.128-1", "debian"},
    {"5.15.0-91-generic", "#101-Ubuntu SMP", "ubuntu"},
    {"5.14.0-362.8.1.el9_3.x86_64", "#1 SMP", "rhel"},
    {"5.15.0-200.131.27.el9uek.x86_64", "#2 SMP", "oracle"},
    {"6.1.66-91.160.amzn2023.x86_64", "#1 SMP", "amazon"},
    {"6.7.3", "#1 SMP", "upstream"},
    {"6.10.0-rc3", "#1 SMP", "upstream"},
    {"6.18.44-fc-v669", "#1 SMP", "other"},
    {"", "", "other"},
};

static void test_kernels(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(kernels); i++) {
        ARENA_AUTO a = arena_new();
        struct fixture f = fixture_new(a);
        fakehost_uname(f.host, "h", kernels[i].release, kernels[i].version);
        fixture_run(&f, &probe_proc, NULL);
        CHECK(kernels[i].release, &f, "host", {"host.kernel.vendor", kernels[i].vendor});
    }
    /* From 6.6 on a kernel without the switch has no io_uring. */
    ARENA_AUTO a = arena_new();
    struct fixture f = fixture_new(a);
    fakehost_uname(f.host, "h", "6.7.3", "#1 SMP");
    fixture_run(&f, &probe_proc, NULL);
    CHECK("6.7", &f, "host", {"host.io_uring.disabled", "? absent"});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_host),      cmocka_unit_test(test_nothing_can_be_read),
        cmocka_unit_test(test_host_rows), cmocka_unit_test(test_kernel_without),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_zfs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
