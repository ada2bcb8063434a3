/* Room: meminfo and cgroups of made-up hosts, the measure, and filesystems. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "advisor/scratch/room.h"
#include "tests/unit/scratch/fakeroot.h"

#include "advisor/base/banned.h"

#define MIB ((uint64_t)1024 * 1024)

static const char meminfo[] = "MemTotal:        8388608 kB\nMemFree:          100000 kB\n"
                              "MemAvailable:    4194304 kB\n";

static void test_memory(void **state)
{
    const char *const root = *state;
    ARENA_AUTO a = arena_new();
    struct room r;
    struct err err = ERR_INIT;
    fakeroot_file(root, "proc/meminfo", meminfo);
    assert_true(room_memory(a, root, &r, &err));
    assert_int_equal(r.total, 8192 * MIB);
    assert_int_equal(r.available, 4096 * MIB);

    /* v2: a limit above us, and none in our own. */
    fakeroot_file(root, "proc/self/cgroup", "0::/a/b\n");
    fakeroot_file(root, "sys/fs/cgroup/a/b/memory.max", "max\n");
    fakeroot_file(root, "sys/fs/cgroup/a/b/memory.current", "1\n");
    fakeroot_file(root, "sys/fs/cgroup/a/memory.max", "1073741824\n");
    fakeroot_file(root, "sys/fs/cgroup/a/memory.current", "805306368\n");
    assert_true(room_memory(a, root, &r, &err));
    assert_int_equal(r.total, 1024 * MIB);
    assert_int_equal(r.available, 256 * MIB);
    /* File pages go when they must. */
    fakeroot_file(root, "sys/fs/cgroup/a/memory.stat",
                  "anon 1\nactive_file 268435456\ninactive_file 268435456\n");
    assert_true(room_memory(a, root, &r, &err));
    assert_int_equal(r.available, 768 * MIB);
}

static void test_memory_v1(void **state)
{
    const char *const root = *state;
    ARENA_AUTO a = arena_new();
    struct room r;
    struct err err = ERR_INIT;
    fakeroot_file(root, "proc/meminfo", meminfo);
    fakeroot_file(root, "proc/self/cgroup", "5:cpu,cpuacct:/x\n4:memory:/c\n0::/\n");
    fakeroot_file(root, "sys/fs/cgroup/memory/c/memory.limit_in_bytes", "536870912\n");
    fakeroot_file(root, "sys/fs/cgroup/memory/c/memory.usage_in_bytes", "536870912\n");
    assert_true(room_memory(a, root, &r, &err));
    assert_int_equal(r.total, 512 * MIB);
    assert_int_equal(r.available, 0);
}

static void test_memory_not_told(void **state)
{
    const char *const root = *state;
    ARENA_AUTO a = arena_new();
    struct room r;
    struct err err = ERR_INIT;
    assert_false(room_memory(a, root, &r, &err));
    assert_int_equal(err.code, E_ABSENT);
    fakeroot_file(root, "proc/meminfo", "MemTotal: many\nMemAvailable: 3 kB\n");
    assert_false(room_memory(a, root, &r, &err));
    assert_int_equal(err.code, E_SYNTAX);
    fakeroot_file(root, "proc/meminfo", "MemTotal: 1 kB\nMemAvailable: 3 kB\n");
    assert_false(room_memory(a, root, &r, &err));
    fakeroot_file(root, "proc/meminfo", "MemTotal: 36893488147419103 kB\nMemAvailable: 3 kB\n");
    assert_false(room_memory(a, root, &r, &err));
}

static void test_measure(void **state)
{
    (void)state;
    static const struct {
        struct room r;
        uint64_t wanted;
        unsigned left;
        bool ok;
    } rows[] = {
        {{1000, 300}, 100, 5, true}, /* 200 stay: just a fifth */
        {{1000, 299}, 100, 5, false},
        {{1000, 200}, 100, 10, true},
        {{1000, 199}, 100, 10, false},
        {{1000, 50}, 100, 10, false}, /* less than is wanted */
        {{1000, 1000}, UINT64_MAX, 10, false},
        {{0, 0}, 0, 10, true},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err err = ERR_INIT;
        if (room_check(&rows[i].r, rows[i].wanted, rows[i].left, "memory", &err) != rows[i].ok) {
            fail_msg("row %zu", i);
        }
        assert_int_equal(err.code, rows[i].ok ? E_NONE : E_FULL);
    }
    struct err err = ERR_INIT;
    const struct room r = {8192 * MIB, 2048 * MIB};
    assert_false(room_check(&r, 1024 * MIB, 5, "memory", &err));
    assert_string_equal(
        err.text, "no room for a scratch server in memory: 2 GiB of 8 GiB free, 1 GiB wanted, "
                  "and 1.60 GiB (20 %) have to stay free");
}

static void test_disk(void **state)
{
    const char *const root = *state;
    struct room r = {0, 0};
    struct err err = ERR_INIT;
    assert_true(room_disk(root, &r, &err));
    assert_true(r.total > 0 && r.available <= r.total);
    assert_false(room_disk("/nonexistent", &r, &err));
    assert_int_equal(err.code, E_ABSENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_memory, fakeroot_set_up, fakeroot_tear_down),
        cmocka_unit_test_setup_teardown(test_memory_v1, fakeroot_set_up, fakeroot_tear_down),
        cmocka_unit_test_setup_teardown(test_memory_not_told, fakeroot_set_up, fakeroot_tear_down),
        cmocka_unit_test(test_measure),
        cmocka_unit_test_setup_teardown(test_disk, fakeroot_set_up, fakeroot_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
