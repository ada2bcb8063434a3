/* Control groups: paths, mounts, the walk upwards, both versions; what cannot be seen is an error.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "probes/cgroup.h"
#include "tests/lib/fakehost.h"

#include "advisor/base/banned.h"

#define V2 "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n"
#define V1_MEM "35 31 0:32 / /sys/fs/cgroup/memory rw shared:9 - cgroup cgroup rw,memory\n"
#define V1_CPU "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
#define UNIFIED "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"

/* ---- paths ----------------------------------------------------------------------------------- */

struct path_row {
    const char *text, *controller;
    bool found;
    const char *path;
    bool v2;
};

static const struct path_row paths[] = {
    {"0::/system.slice/mysql.service", "memory", true, "/system.slice/mysql.service", true},
    {"4:memory:/m\n1:name=systemd:/s\n0::/u", "memory", true, "/m", false},
    {"0::/u\n4:memory:/m", "memory", true, "/m", false},
    {"2:cpu,cpuacct:/c\n0::/u", "cpu", true, "/c", false},
    {"2:cpuacct:/c\n0::/u", "cpu", true, "/u", true},
    {"1:name=memory:/s\n0::/u", "memory", true, "/u", true},
    {"0::/a:b:c", "memory", true, "/a:b:c", true},
    {"", "memory", false, "", false},
    {"4:pids:/m", "memory", false, "", false},
    {"0:/u", "memory", false, "", false},
    {"0::u", "memory", false, "", false},
    {":::\n\n::\nmemory\n4:memory\n", "memory", false, "", false},
};

static void test_paths(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
        struct span path = {"", 0};
        bool v2 = false;
        bool found = cgroup_find_path(span_of(paths[i].text), paths[i].controller, &path, &v2);
        if (found != paths[i].found || !span_eq_text(path, paths[i].path) || v2 != paths[i].v2) {
            fail_msg("%s: found %d '%.*s' v2 %d", paths[i].text, found, SPAN_ARG(path), v2);
        }
    }
}

/* ---- readers --------------------------------------------------------------------------------- */

struct reader_row {
    cgroup_reader reader;
    const char *text, *want; /* NULL: malformed */
};

static const struct reader_row readers[] = {
    {cgroup_read_max, "max", "unlimited"},
    {cgroup_read_max, "1073741824", "1073741824"},
    {cgroup_read_max, "0", "0"},
    {cgroup_read_max, "18446744073709551615", "18446744073709551615"},
    {cgroup_read_max, "18446744073709551616", NULL},
    {cgroup_read_max, "-1", NULL},
    {cgroup_read_max, "", NULL},
    {cgroup_read_max, "max max", NULL},
    {cgroup_read_v1_bytes, "9223372036854771712", "unlimited"},
    {cgroup_read_v1_bytes, "9223372036854710272", "unlimited"},
    {cgroup_read_v1_bytes, "9223372036854775807", "unlimited"},
    {cgroup_read_v1_bytes, "9223372036853000000", "9223372036853000000"},
    {cgroup_read_v1_bytes, "4294967296", "4294967296"},
    {cgroup_read_v1_bytes, "max", NULL},
    {cgroup_read_cpu_max, "max 100000", "unlimited"},
    {cgroup_read_cpu_max, "200000 100000", "2"},
    {cgroup_read_cpu_max, "150000 100000", "1.5"},
    {cgroup_read_cpu_max, "1000 100000", "0.01"},
    {cgroup_read_cpu_max, "100000 0", NULL},
    {cgroup_read_cpu_max, "max 0", NULL},
    {cgroup_read_cpu_max, "100000", NULL},
    {cgroup_read_cpu_max, "1 2 3", NULL},
    {cgroup_read_cpu_max, "", NULL},
};

static void test_readers(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    for (size_t i = 0; i < ARRAY_LEN(readers); i++) {
        struct num n = num_u64(0);
        struct buf b;
        buf_init(&b, a, 64);
        bool ok = readers[i].reader(span_of(readers[i].text), &n);
        num_print(&b, n);
        if (ok != (readers[i].want != NULL) || (ok && strcmp(b.ptr, readers[i].want) != 0)) {
            fail_msg("%zu '%s': ok %d %s", i, readers[i].text, ok, b.ptr);
        }
    }
}

/* ---- walks ----------------------------------------------------------------------------------- */

struct file {
    const char *path, *text;
};

struct walk_row {
    const char *what, *text, *mounts, *controller, *dir; /* dir: what is asked for */
    const struct file *files;
    const char *file; /* "" = v1 quota */
    cgroup_reader reader;
    const char *want; /* NULL: an error */
    const char *where;
};

#define FILES(...) ((const struct file[]){__VA_ARGS__, {NULL, NULL}})
#define NONE ((const struct file[]){{NULL, NULL}})

static const struct walk_row walks[] = {
    {"own limit", "0::/a/b", V2, "memory", "/sys/fs/cgroup/a/b",
     FILES({"/sys/fs/cgroup/a/b/memory.max", "1000\n"}, {"/sys/fs/cgroup/a/memory.max", "max\n"}),
     "memory.max", cgroup_read_max, "1000", "/sys/fs/cgroup/a/b/memory.max"},
    {"an ancestor's limit is smaller", "0::/a/b", V2, "memory", "/sys/fs/cgroup/a/b",
     FILES({"/sys/fs/cgroup/a/b/memory.max", "3000\n"}, {"/sys/fs/cgroup/a/memory.max", "2000\n"}),
     "memory.max", cgroup_read_max, "2000", "/sys/fs/cgroup/a/memory.max"},
    {"a level without the controller", "0::/a/b/c", V2, "memory", "/sys/fs/cgroup/a/b/c",
     FILES({"/sys/fs/cgroup/a/memory.max", "2000\n"}), "memory.max", cgroup_read_max, "2000",
     "/sys/fs/cgroup/a/memory.max"},
    {"no limit anywhere", "0::/a", V2, "memory", "/sys/fs/cgroup/a", NONE, "memory.max",
     cgroup_read_max, "unlimited", "/sys/fs/cgroup/a/memory.max"},
    {"container with its own namespace", "0::/", V2, "memory", "/sys/fs/cgroup",
     FILES({"/sys/fs/cgroup/memory.max", "4096\n"}), "memory.max", cgroup_read_max, "4096",
     "/sys/fs/cgroup/memory.max"},
    {"directory that is not there", "0::/a", V2, "memory", "/elsewhere", NONE, "memory.max",
     cgroup_read_max, NULL, ""},
    {"outside of the namespace", "0::/../b", V2, "memory", "/sys/fs/cgroup/../b", NONE,
     "memory.max", cgroup_read_max, NULL, ""},
    {"dots in a name", "0::/a..b/..c", V2, "memory", "/sys/fs/cgroup/a..b/..c", NONE, "memory.max",
     cgroup_read_max, "unlimited", "/sys/fs/cgroup/a..b/..c/memory.max"},
    {"malformed", "0::/a", V2, "memory", "/sys/fs/cgroup/a",
     FILES({"/sys/fs/cgroup/a/memory.max", "lots\n"}), "memory.max", cgroup_read_max, NULL, ""},
    {"cut", "0::/a", V2, "memory", "/sys/fs/cgroup/a",
     FILES({"/sys/fs/cgroup/a/memory.max", "100"}), "memory.max", cgroup_read_max, NULL, ""},
    {"v1", "4:memory:/m/n\n0::/", V1_MEM UNIFIED, "memory", "/sys/fs/cgroup/memory/m/n",
     FILES({"/sys/fs/cgroup/memory/m/n/memory.limit_in_bytes", "9223372036854771712\n"},
           {"/sys/fs/cgroup/memory/m/memory.limit_in_bytes", "5000\n"},
           {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"}),
     "memory.limit_in_bytes", cgroup_read_v1_bytes, "5000",
     "/sys/fs/cgroup/memory/m/memory.limit_in_bytes"},
    {"v1 in a container: the mount shows a part", "4:memory:/docker/1/x",
     "35 31 0:32 /docker/1 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n", "memory",
     "/sys/fs/cgroup/memory/x", FILES({"/sys/fs/cgroup/memory/memory.limit_in_bytes", "7000\n"}),
     "memory.limit_in_bytes", cgroup_read_v1_bytes, "7000",
     "/sys/fs/cgroup/memory/memory.limit_in_bytes"},
    {"a neighbour of that part", "4:memory:/docker/12",
     "35 31 0:32 /docker/1 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n", "memory",
     "/sys/fs/cgroup/memory2", NONE, "memory.limit_in_bytes", cgroup_read_v1_bytes, NULL, ""},
    {"second mount shows it", "0::/a", "29 23 0:26 /z /mnt/z rw - cgroup2 cgroup2 rw\n" V2,
     "memory", "/sys/fs/cgroup/a", FILES({"/sys/fs/cgroup/a/memory.max", "9\n"}), "memory.max",
     cgroup_read_max, "9", "/sys/fs/cgroup/a/memory.max"},
    {"memory moved to the unified hierarchy of a mixed host", "2:cpu,cpuacct:/c\n0::/u",
     V1_CPU UNIFIED, "memory", "/sys/fs/cgroup/unified/u",
     FILES({"/sys/fs/cgroup/unified/u/memory.max", "8\n"}), "memory.max", cgroup_read_max, "8",
     "/sys/fs/cgroup/unified/u/memory.max"},
    {"empty mountinfo (chroot): the usual place", "0::/a", "", "memory", "/sys/fs/cgroup/a",
     FILES({"/sys/fs/cgroup/a/memory.max", "6\n"}), "memory.max", cgroup_read_max, "6",
     "/sys/fs/cgroup/a/memory.max"},
    {"empty mountinfo, v1", "4:memory:/a", "", "memory", "/sys/fs/cgroup/memory/a",
     FILES({"/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "6\n"}), "memory.limit_in_bytes",
     cgroup_read_v1_bytes, "6", "/sys/fs/cgroup/memory/a/memory.limit_in_bytes"},
    {"mount point with a blank", "0::/a", "30 23 0:26 / /sys/my\\040cg rw - cgroup2 cgroup2 rw\n",
     "memory", "/sys/my cg/a", FILES({"/sys/my cg/a/memory.max", "6\n"}), "memory.max",
     cgroup_read_max, "6", "/sys/my cg/a/memory.max"},
    {"quota of an ancestor", "0::/a/b", V2, "cpu", "/sys/fs/cgroup/a/b",
     FILES({"/sys/fs/cgroup/a/b/cpu.max", "max 100000\n"},
           {"/sys/fs/cgroup/a/cpu.max", "250000 100000\n"}),
     "cpu.max", cgroup_read_cpu_max, "2.5", "/sys/fs/cgroup/a/cpu.max"},
    {"v1 quota", "2:cpu,cpuacct:/a/b\n0::/", V1_CPU UNIFIED, "cpu",
     "/sys/fs/cgroup/cpu,cpuacct/a/b",
     FILES({"/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_quota_us", "300000\n"},
           {"/sys/fs/cgroup/cpu,cpuacct/a/b/cpu.cfs_period_us", "100000\n"},
           {"/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "75000\n"},
           {"/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "50000\n"},
           {"/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n"}),
     "", NULL, "1.5", "/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us"},
    {"v1 quota without its period", "2:cpu:/a", V1_CPU, "cpu", "/sys/fs/cgroup/cpu,cpuacct/a",
     FILES({"/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "300000\n"}), "", NULL, NULL, ""},
    {"v1 quota, period 0", "2:cpu:/a", V1_CPU, "cpu", "/sys/fs/cgroup/cpu,cpuacct/a",
     FILES({"/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_quota_us", "300000\n"},
           {"/sys/fs/cgroup/cpu,cpuacct/a/cpu.cfs_period_us", "0\n"}),
     "", NULL, NULL, ""},
};

static void check_walk(const struct walk_row *r)
{
    ARENA_AUTO a = arena_new();
    struct host *h = fakehost_new(a);
    fakehost_stat(h, r->dir, &(struct host_stat){.mode = 040755});
    for (const struct file *f = r->files; f->path != NULL; f++) {
        fakehost_file(h, f->path, f->text);
    }
    struct mountinfo mounts;
    struct cgroup g;
    struct num n = num_u64(0);
    const char *where = "";
    struct err err = ERR_INIT;
    mountinfo_parse(a, span_of(r->mounts), &mounts);
    bool ok =
        cgroup_open(h, a, span_of(r->text), &mounts, r->controller, &g, &err) &&
        (r->file[0] == '\0' ? cgroup_smallest_v1_quota(h, a, &g, &n, &where, &err)
                            : cgroup_smallest(h, a, &g, r->file, r->reader, &n, &where, &err));
    struct buf b;
    buf_init(&b, a, 64);
    num_print(&b, n);
    if (ok != (r->want != NULL) ||
        (ok && (strcmp(b.ptr, r->want) != 0 || strcmp(where, r->where) != 0))) {
        fail_msg("%s: ok %d %s at %s; %s", r->what, ok, b.ptr, where, err.text);
    }
}

static void test_walks(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(walks); i++) {
        check_walk(&walks[i]);
    }
}

/* "No such limit" must not come from one accident; every other error counts at once. */
static void test_one_bad_read(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct host *h = fakehost_new(a);
    static const char path[] = "/sys/fs/cgroup/a/memory.max";
    const struct fake_row twice[] = {FAKE_FAIL(HOST_READ, path, E_ABSENT, ENOENT),
                                     FAKE_FILE(path, "1000\n")};
    struct cgroup g = {.v2 = true, .mount = "/sys/fs/cgroup", .below = "/a"};
    struct num n;
    struct err err = ERR_INIT;
    fakehost_add(h, twice, 2);
    assert_true(cgroup_smallest(h, a, &g, "memory.max", cgroup_read_max, &n, NULL, &err));
    assert_int_equal(num_cmp(n, num_u64(1000)), 0);
    fakehost_fail(h, HOST_READ, path, E_DENIED, EACCES);
    assert_false(cgroup_smallest(h, a, &g, "memory.max", cgroup_read_max, &n, NULL, &err));
    assert_int_equal(err.code, E_DENIED);
}

static void test_depth(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct host *h = fakehost_new(a);
    struct buf b;
    buf_init(&b, a, 4096);
    for (unsigned i = 0; i < 100; i++) {
        buf_add_text(&b, "/d");
    }
    struct cgroup g = {.v2 = true, .mount = "/sys/fs/cgroup", .below = b.ptr};
    struct num n;
    struct err err = ERR_INIT;
    assert_false(cgroup_smallest(h, a, &g, "memory.max", cgroup_read_max, &n, NULL, &err));
    assert_int_equal(err.code, E_TOO_BIG);
}

static void test_no_groups(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct host *h = fakehost_new(a);
    struct mountinfo mounts = {.n = 0};
    struct cgroup g;
    struct err err = ERR_INIT;
    assert_true(cgroup_open(h, a, SPAN_LIT(""), &mounts, "memory", &g, &err));
    assert_true(g.none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths), cmocka_unit_test(test_readers),
        cmocka_unit_test(test_walks), cmocka_unit_test(test_one_bad_read),
        cmocka_unit_test(test_depth), cmocka_unit_test(test_no_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
