/* The server probe on made-up processes: limits, status, control groups, namespace, who shares
 * memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "probes/server.h"
#include "tests/lib/factcheck.h"
#include "tests/unit/probes/proc_fixture.h"

#include "advisor/base/banned.h"

#define LABEL "server:/a.sock"
#define GROUP "/sys/fs/cgroup/system.slice/mysql.service"
#define CHECK(what, f, ...)                                                                        \
    check_facts(what, (f)->store, LABEL, (const struct fact_want[]){__VA_ARGS__},                  \
                sizeof((const struct fact_want[]){__VA_ARGS__}) / sizeof(struct fact_want))

static const char limits[] =
    "Limit                     Soft Limit           Hard Limit           Units     \n"
    "Max address space         unlimited            unlimited            bytes     \n"
    "Max processes             30000                30000                processes \n"
    "Max open files            10000                20000                files     \n"
    "Max locked memory         8388608              unlimited            bytes     \n";

static const struct probe_args args = {
    .label = LABEL, .pid = 500, .others_rss = 3u << 20, .others_rss_known = true};

/* A service of systemd on v2: 2 GiB at the slice, 4 GiB at the service. The host has 8 GiB. */
static struct fixture service(struct arena *a)
{
    struct fixture f = fixture_new(a);
    fixture_server(&f, 500, "mysqld", "/a.sock", "");
    fakehost_file(f.host, "/proc/500/limits", limits);
    fakehost_file(f.host, "/proc/500/oom_score_adj", "-600\n");
    fakehost_link(f.host, "/proc/500/ns/mnt", "mnt:[4026531841]");
    fakehost_link(f.host, "/proc/self/ns/mnt", "mnt:[4026531841]");
    fakehost_file(f.host, "/proc/500/cgroup", "0::/system.slice/mysql.service\n");
    fakehost_file(f.host, "/proc/self/mountinfo",
                  "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    fakehost_stat(f.host, GROUP, &(struct host_stat){.mode = 040755});
    fakehost_file(f.host, GROUP "/memory.max", "4294967296\n");
    fakehost_file(f.host, GROUP "/memory.high", "max\n");
    fakehost_file(f.host, GROUP "/memory.events", "low 0\nhigh 4\nmax 0\noom 0\noom_kill 2\n");
    fakehost_file(f.host, GROUP "/cpu.max", "150000 100000\n");
    fakehost_file(f.host, GROUP "/pids.max", "max\n");
    fakehost_file(f.host, "/sys/fs/cgroup/system.slice/memory.max", "2147483648\n");
    fakehost_file(f.host, "/sys/fs/cgroup/system.slice/memory.high", "max\n");
    fakehost_file(f.host, "/sys/fs/cgroup/system.slice/pids.max", "4915\n");
    fakehost_file(f.host, GROUP "/io.max",
                  "259:0 rbps=max wbps=1073741824 riops=max wiops=max\n"
                  "8:0 rbps=1048576 wbps=max riops=max wiops=12000\n");
    fakehost_file(f.host, "/sys/fs/cgroup/system.slice/io.max",
                  "259:0 rbps=max wbps=2147483648 riops=max wiops=90000\n");
    fakehost_link(f.host, "/sys/dev/block/259:0", "../../devices/pci0000:00/nvme/nvme0/nvme0n1");
    fakehost_file(f.host, "/sys/devices/system/node/node0/cpulist", "0-3\n");
    fakehost_file(f.host, "/sys/devices/system/node/node1/cpulist", "4-7\n");
    fakehost_file(f.host, "/proc/500/maps", "mysqld\nlibjemalloc.so.2\nlibc.so.6\n");
    return f;
}

static void test_service(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct fixture f = service(a);
    fixture_run(&f, &probe_server, &args);
    CHECK("service", &f, {"server.process.max_open_files", "10000"},
          {"server.process.memlock", "8MiB"}, {"server.process.address_space", "unlimited"},
          {"server.process.max_processes", "4915"}, {"server.process.vm_size", "2GiB"},
          {"server.process.vm_swap", "1MiB"}, {"server.process.cpus_allowed", "3"},
          {"server.process.nodes_allowed", "1"}, {"server.process.cpu_nodes", "{0}"},
          {"server.process.oom_score_adj", "-600"},
          {"server.process.mount_namespace_differs", "false"},
          {"server.cgroup.path", "/system.slice/mysql.service"},
          {"server.cgroup.memory_max", "2GiB"}, {"server.cgroup.memory_high", "unlimited"},
          {"server.cgroup.oom_kills", "2"}, {"server.cgroup.cpu_quota", "150%"},
          {"server.cgroup.io_limits", "{\"nvme0n1 read=max write=1073741824 writes=90000\", "
                                      "\"8:0 read=1048576 write=max writes=12000\"}"},
          {"server.process.allocator", "jemalloc"}, {"server.process.numa_policy", "? absent"},
          {"server.memory.others", "0B"});
    const struct fact *max =
        store_get(f.store, store_find_subject(f.store, LABEL), span_of("server.cgroup.memory_max"));
    assert_string_equal(max->source, "/sys/fs/cgroup/system.slice/memory.max");
}

/* Its CPUs are 0 to 2. */
static void test_nodes(void **state)
{
    (void)state;
    static const struct {
        const char *online, *first, *second, *nodes;
    } rows[] = {
        {"0-1\n", "0-1\n", "2-3\n", "{0, 1}"}, {"0-1\n", "8-9\n", "2\n", "{1}"},
        {"0\n", "0-63\n", "0\n", "{0}"},       {"0-1\n", "8\n", "9\n", "? absent"},
        {"0-1", "0\n", "1\n", "? unreadable"},     {"0-1\n", "\n", "0-99999\n", "{1}"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct fixture f = service(a);
        fakehost_file(f.host, "/sys/devices/system/node/online", rows[i].online);
        fakehost_file(f.host, "/sys/devices/system/node/node0/cpulist", rows[i].first);
        fakehost_file(f.host, "/sys/devices/system/node/node1/cpulist", rows[i].second);
        fixture_run(&f, &probe_server, &args);
        CHECK(rows[i].online, &f, {"server.process.cpu_nodes", rows[i].nodes});
    }
}

/* Every declared fact is set, known or not. */
static void check_all_set(struct fixture *f, const char *what)
{
    for (size_t t = 0; t < probe_server.n_themes; t++) {
        for (size_t i = 0; i < probe_server.themes[t].n; i++) {
            const char *name = probe_server.themes[t].rows[i].name;
            if (strcmp(fact_text(f->store, LABEL, name), "(none)") == 0) {
                fail_msg("%s: %s is not set", what, name);
            }
        }
    }
}

struct row {
    const char *what;
    enum host_op op;
    const char *key, *text; /* NULL: fails with `code` */
    enum err_code code;
    struct fact_want want;
};

static const struct row rows[] = {
    {"tcmalloc", HOST_READ, "/proc/500/maps", "mysqld\nlibc.so.6\nlibtcmalloc_minimal.so.4\n", E_NONE,
     {"server.process.allocator", "tcmalloc"}},
    {"the C library's own", HOST_READ, "/proc/500/maps", "mysqld\nlibc.so.6\n", E_NONE,
     {"server.process.allocator", "glibc"}},
    {"an older C library", HOST_READ, "/proc/500/maps", "libc-2.31.so\n", E_NONE,
     {"server.process.allocator", "glibc"}},
    {"a C library that is another", HOST_READ, "/proc/500/maps", "mysqld\nld-musl-x86_64.so.1\n",
     E_NONE, {"server.process.allocator", "other"}},
    {"no library at all", HOST_READ, "/proc/500/maps", "", E_NONE,
     {"server.process.allocator", "? absent"}},
    {"a map that may not be read", HOST_READ, "/proc/500/maps", NULL, E_DENIED,
     {"server.process.allocator", "? not permitted"}},
    {"one node", HOST_READ, "/sys/devices/system/node/has_memory", "0\n", E_NONE,
     {"server.process.numa_policy", "default"}},
    {"one node, evenly used", HOST_READ, "/sys/devices/system/node/has_memory", "0\n", E_NONE,
     {"server.process.numa_imbalance", "0%"}},
    {"nodes that are no list", HOST_READ, "/sys/devices/system/node/has_memory", "x\n", E_NONE,
     {"server.process.numa_policy", "? unreadable"}},
    {"limits on disks that are malformed", HOST_READ, GROUP "/io.max", "259:0 rbps=\n", E_NONE,
     {"server.cgroup.io_limits", "? unreadable"}},
    {"limits on disks that may not be read", HOST_READ, GROUP "/io.max", NULL, E_DENIED,
     {"server.cgroup.io_limits", "? not permitted"}},
    {"high below the host",
     HOST_READ,
     GROUP "/memory.high",
     "1073741824\n",
     E_NONE,
     {"server.cgroup.memory_high", "1GiB"}},
    {"cgroup may not be read",
     HOST_READ,
     "/proc/500/cgroup",
     NULL,
     E_DENIED,
     {"server.cgroup.memory_max", "? not permitted"}},
    {"then nobody knows who shares",
     HOST_READ,
     "/proc/500/cgroup",
     NULL,
     E_DENIED,
     {"server.memory.others", "? not permitted"}},
    {"limit may not be read",
     HOST_READ,
     GROUP "/memory.max",
     NULL,
     E_DENIED,
     {"server.cgroup.memory_max", "? not permitted"}},
    {"mountinfo may not be read",
     HOST_READ,
     "/proc/self/mountinfo",
     NULL,
     E_IO,
     {"server.cgroup.cpu_quota", "? unreadable"}},
    {"group is not there",
     HOST_STAT,
     GROUP,
     NULL,
     E_ABSENT,
     {"server.cgroup.memory_max", "? absent"}},
    {"no events",
     HOST_READ,
     GROUP "/memory.events",
     NULL,
     E_ABSENT,
     {"server.cgroup.oom_kills", "? absent"}},
    {"events of another shape",
     HOST_READ,
     GROUP "/memory.events",
     "oom_killer 3\n",
     E_NONE,
     {"server.cgroup.oom_kills", "? unreadable"}},
    {"no limits",
     HOST_READ,
     "/proc/500/limits",
     NULL,
     E_ABSENT,
     {"server.process.max_open_files", "? absent"}},
    {"limits cut",
     HOST_READ,
     "/proc/500/limits",
     "Max open files   10",
     E_NONE,
     {"server.process.max_open_files", "? unreadable"}},
    {"limits without the row",
     HOST_READ,
     "/proc/500/limits",
     "Max open file 1 2\n",
     E_NONE,
     {"server.process.max_open_files", "? unreadable"}},
    {"open files unlimited",
     HOST_READ,
     "/proc/500/limits",
     "Max open files unlimited unlimited\n",
     E_NONE,
     {"server.process.max_open_files", "unlimited"}},
    {"address space",
     HOST_READ,
     "/proc/500/limits",
     "Max address space 1073741824 unlimited\n",
     E_NONE,
     {"server.process.address_space", "1GiB"}},
    {"nproc is the smaller",
     HOST_READ,
     "/proc/500/limits",
     "Max processes 100 100 processes\n",
     E_NONE,
     {"server.process.max_processes", "100"}},
    {"status garbage",
     HOST_READ,
     "/proc/500/status",
     "VmSwap: much kB\nVmSize\n\n:\n",
     E_NONE,
     {"server.process.vm_swap", "? unreadable"}},
    {"status huge",
     HOST_READ,
     "/proc/500/status",
     "VmSwap: 18446744073709551615 kB\n",
     E_NONE,
     {"server.process.vm_swap", "18446744073709551615KiB"}},
    {"mask of no CPU",
     HOST_READ,
     "/proc/500/status",
     "Cpus_allowed_list:\t\n",
     E_NONE,
     {"server.process.cpus_allowed", "? unreadable"}},
    {"other namespace",
     HOST_LINK,
     "/proc/500/ns/mnt",
     "mnt:[4026532000]",
     E_NONE,
     {"server.process.mount_namespace_differs", "true"}},
    {"namespace hidden",
     HOST_LINK,
     "/proc/500/ns/mnt",
     NULL,
     E_DENIED,
     {"server.process.mount_namespace_differs", "? not permitted"}},
    {"score garbage",
     HOST_READ,
     "/proc/500/oom_score_adj",
     "x\n",
     E_NONE,
     {"server.process.oom_score_adj", "? unreadable"}},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct row *r = &rows[i];
        ARENA_AUTO a = arena_new();
        struct fixture f = service(a);
        if (r->text != NULL) {
            fakehost_reply(f.host, r->op, r->key, span_of(r->text));
        } else {
            fakehost_fail(f.host, r->op, r->key, r->code, 0);
        }
        fixture_run(&f, &probe_server, &args);
        check_facts(r->what, f.store, LABEL, &r->want, 1);
        check_all_set(&f, r->what);
    }
}

static void test_v1(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct fixture f = service(a);
    fakehost_file(f.host, "/proc/500/cgroup", "4:memory:/docker/1\n2:cpu:/\n8:pids:/\n0::/\n");
    fakehost_file(f.host, "/proc/self/mountinfo",
                  "35 31 0:32 /docker/1 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                  "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
                  "39 31 0:36 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n");
    static const char *const dirs[] = {"/sys/fs/cgroup/memory", "/sys/fs/cgroup/cpu",
                                       "/sys/fs/cgroup/pids"};
    for (size_t i = 0; i < ARRAY_LEN(dirs); i++) {
        fakehost_stat(f.host, dirs[i], &(struct host_stat){.mode = 040755});
    }
    fakehost_file(f.host, "/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    fakehost_file(f.host, "/sys/fs/cgroup/memory/memory.stat",
                  "cache 1\nhierarchical_memory_limit 3221225472\n");
    fakehost_file(f.host, "/sys/fs/cgroup/memory/memory.oom_control",
                  "oom_kill_disable 0\nunder_oom 0\noom_kill 5\n");
    fakehost_file(f.host, "/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
    fixture_run(&f, &probe_server, &args);
    /* The limit of a group above the mount is seen through memory.stat. */
    CHECK("v1", &f, {"server.cgroup.path", "/docker/1"}, {"server.cgroup.memory_max", "3GiB"},
          {"server.cgroup.memory_high", "unlimited"}, {"server.cgroup.oom_kills", "5"},
          {"server.cgroup.cpu_quota", "unlimited"}, {"server.process.max_processes", "30000"},
          {"server.memory.others", "0B"});
    fakehost_remove(f.host, HOST_READ, "/sys/fs/cgroup/memory/memory.stat");
    fixture_run(&f, &probe_server, &args);
    CHECK("v1 without memory.stat", &f, {"server.cgroup.memory_max", "? absent"},
          {"server.memory.others", "? absent"});
}

static void test_no_cgroup(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct fixture f = service(a);
    fakehost_remove(f.host, HOST_READ, "/proc/500/cgroup");
    fixture_run(&f, &probe_server, &args);
    CHECK("the process has gone", &f, {"server.cgroup.memory_max", "? absent"});
    fakehost_stat(f.host, "/proc/500/", &(struct host_stat){.mode = 040555});
    fixture_run(&f, &probe_server, &args);
    CHECK("a kernel without control groups", &f, {"server.cgroup.memory_max", "unlimited"},
          {"server.cgroup.memory_high", "unlimited"}, {"server.cgroup.cpu_quota", "unlimited"},
          {"server.cgroup.path", "? absent"}, {"server.cgroup.oom_kills", "? absent"},
          {"server.process.max_processes", "30000"}, {"server.memory.others", "3MiB"});
}

static void test_others(void **state)
{
    (void)state;
    static const struct {
        const char *max, *high;
        bool known;
        const char *want;
    } cases[] = {
        {"max", "max", true, "3MiB"},
        {"8589934592", "max", true, "3MiB"},
        {"8589934591", "max", true, "0B"},
        {"max", "8589934592", true, "0B"}, /* 0.9 of it rules */
        {"max", "9663676417", true, "3MiB"},
        {"max", "max", false, "? not permitted"},
        {"1073741824", "max", false, "0B"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        ARENA_AUTO a = arena_new();
        struct fixture f = service(a);
        struct probe_args own = args;
        own.others_rss_known = cases[i].known;
        fakehost_file(f.host, "/sys/fs/cgroup/system.slice/memory.max", "max\n");
        fakehost_file(f.host, GROUP "/memory.max", arena_printf(a, "%s\n", cases[i].max));
        fakehost_file(f.host, GROUP "/memory.high", arena_printf(a, "%s\n", cases[i].high));
        fixture_run(&f, &probe_server, &own);
        CHECK(cases[i].max, &f, {"server.memory.others", cases[i].want});
    }
}

static void test_remote(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct fixture f = service(a);
    struct probe_args remote = {.label = LABEL};
    fixture_run(&f, &probe_server, &remote);
    check_all_set(&f, "remote");
    CHECK("remote", &f, {"server.cgroup.memory_max", "? not supported"},
          {"server.process.max_open_files", "? not supported"});
    assert_int_equal(fakehost_calls(f.host, HOST_OPS), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_service), cmocka_unit_test(test_nodes), cmocka_unit_test(test_rows),
        cmocka_unit_test(test_v1),      cmocka_unit_test(test_no_cgroup),
        cmocka_unit_test(test_others),  cmocka_unit_test(test_remote),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
