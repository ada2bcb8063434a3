/* Cgroups of made-up hosts: where one is made, what is written into it; and which security module
 * is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cmocka.h>

#include "advisor/scratch/cage.h"
#include "advisor/scratch/confine.h"
#include "tests/unit/scratch/fakeroot.h"

#include "advisor/base/banned.h"

#define NAME "nvadvise-scratch.abc"

/* A kernel fills a new cgroup with files, a made-up host does not: it takes no limit, so it is no
 * cgroup, and none may be left. (A real one: tests/integration/scratch.sh.) */
static void test_v2(void **state)
{
    const char *const root = *state;
    ARENA_AUTO a = arena_new();
    struct cage c;
    const struct cage_limits l = {.name = NAME, .memory = 1 << 20};
    fakeroot_file(root, "proc/self/cgroup", "0::/user.slice/session.scope\n");
    fakeroot_file(root, "sys/fs/cgroup/cgroup.subtree_control", "cpu memory io pids\n");
    fakeroot_file(root, "sys/fs/cgroup/user.slice/cgroup.subtree_control", "cpu pids\n");
    /* Without memory.max there is no such group, and none is left. */
    cage_make(a, root, &l, &c);
    assert_string_equal(c.paths, "");
    assert_string_equal(c.note, "no cgroup of its own: its memory is held by its settings alone");
    struct stat st;
    assert_int_not_equal(stat(arena_printf(a, "%s/sys/fs/cgroup/%s", root, NAME), &st), 0);
    assert_int_not_equal(stat(arena_printf(a, "%s/sys/fs/cgroup/user.slice/%s", root, NAME), &st),
                         0);
}

static void test_places(void **state)
{
    const char *const root = *state;
    ARENA_AUTO a = arena_new();
    assert_string_equal(cage_places(a, root, NAME), "");
    fakeroot_file(root, "proc/self/cgroup",
                  "9:blkio,pids:/c/d\n4:memory:/\n0::/user.slice/session.scope\n");
    fakeroot_file(root, "sys/fs/cgroup/cgroup.subtree_control", "cpu memory io pids\n");
    fakeroot_file(root, "sys/fs/cgroup/user.slice/cgroup.subtree_control", "cpu pids\n");
    fakeroot_file(root, "sys/fs/cgroup/blkio/c/d/cgroup.procs", "");
    /* v2 where memory is handed down; v1 in our own, or at the top where our path is not to be seen. */
    assert_string_equal(cage_places(a, root, NAME),
                        arena_printf(a,
                                     "%s/sys/fs/cgroup/%s\n%s/sys/fs/cgroup/memory/%s\n"
                                     "%s/sys/fs/cgroup/blkio/c/d/%s\n%s/sys/fs/cgroup/pids/%s",
                                     root, NAME, root, NAME, root, NAME, root, NAME));
}

static void test_none(void **state)
{
    const char *const root = *state;
    ARENA_AUTO a = arena_new();
    struct cage c;
    struct err err = ERR_INIT;
    const struct cage_limits l = {.name = NAME, .memory = 1 << 20, .disk_rate = 1000};
    cage_make(a, root, &l, &c);
    assert_string_equal(c.paths, "");
    assert_string_equal(c.note, "no cgroup of its own: its memory is held by its settings alone");
    assert_true(cage_enter(&c, getpid(), &err));
    cage_remove(a, c.paths);
}

static void test_enter(void **state)
{
    const char *const root = *state;
    ARENA_AUTO a = arena_new();
    struct err err = ERR_INIT;
    fakeroot_file(root, "x/" NAME "/cgroup.procs", "");
    fakeroot_file(root, "y/" NAME "/cgroup.procs", "");
    const struct cage c = {arena_printf(a, "%s/x/%s\n%s/y/%s", root, NAME, root, NAME), ""};
    assert_true(cage_enter(&c, 123, &err));
    assert_true(fakeroot_holds(root, "x/" NAME "/cgroup.procs", "123"));
    assert_true(fakeroot_holds(root, "y/" NAME "/cgroup.procs", "123"));
    const struct cage gone = {arena_printf(a, "%s/z/%s", root, NAME), ""};
    assert_false(cage_enter(&gone, 123, &err));
}

/* Only folders of our name go, and only empty ones. */
static void test_remove(void **state)
{
    const char *const root = *state;
    ARENA_AUTO a = arena_new();
    assert_int_equal(mkdir(arena_printf(a, "%s/%s", root, NAME), 0755), 0);
    assert_int_equal(mkdir(arena_printf(a, "%s/other", root), 0755), 0);
    cage_remove(a, arena_printf(a, "%s/other\n%s/%s\n%s/gone", root, root, NAME, root));
    assert_int_not_equal(access(arena_printf(a, "%s/%s", root, NAME), F_OK), 0);
    assert_int_equal(access(arena_printf(a, "%s/other", root), F_OK), 0);
}

static void test_apparmor(void **state)
{
    const char *const root = *state;
    ARENA_AUTO a = arena_new();
    assert_null(confine_of(a, root, "/usr/sbin/mysqld", NULL));
    assert_null(confine_of(a, root, "/usr/sbin/mysqld", "unconfined"));
    assert_string_equal(confine_of(a, root, "/usr/sbin/mysqld", "/usr/sbin/mysqld (enforce)"),
                        "AppArmor profile '/usr/sbin/mysqld' (enforce)");
    assert_null(confine_of(a, root, "/usr/sbin/mysqld", "/usr/sbin/mysqld (complain)"));
    fakeroot_file(
        root, "sys/kernel/security/apparmor/profiles",
        "/usr/sbin/other (enforce)\nmysqld_akonadi (enforce)\n/usr/sbin/mysqld (complain)\n"
        "mariadbd (enforce)\n");
    assert_null(confine_of(a, root, "/usr/sbin/mysqld", NULL));
    assert_string_equal(confine_of(a, root, "/usr/sbin/mariadbd", NULL),
                        "AppArmor profile 'mariadbd' (enforce)");
}

static void test_selinux(void **state)
{
    const char *const root = *state;
    ARENA_AUTO a = arena_new();
    fakeroot_file(root, "sys/fs/selinux/enforce", "0");
    assert_null(confine_of(a, root, "/usr/sbin/mysqld", "system_u:system_r:mysqld_t:s0"));
    fakeroot_file(root, "sys/fs/selinux/enforce", "1");
    assert_string_equal(confine_of(a, root, "/usr/sbin/mysqld", "system_u:system_r:mysqld_t:s0"),
                        "SELinux, label 'system_u:system_r:mysqld_t:s0' (enforcing)");
    assert_string_equal(confine_of(a, root, "/usr/sbin/mysqld", NULL), "SELinux (enforcing)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_v2, fakeroot_set_up, fakeroot_tear_down),
        cmocka_unit_test_setup_teardown(test_places, fakeroot_set_up, fakeroot_tear_down),
        cmocka_unit_test_setup_teardown(test_none, fakeroot_set_up, fakeroot_tear_down),
        cmocka_unit_test_setup_teardown(test_enter, fakeroot_set_up, fakeroot_tear_down),
        cmocka_unit_test_setup_teardown(test_remove, fakeroot_set_up, fakeroot_tear_down),
        cmocka_unit_test_setup_teardown(test_apparmor, fakeroot_set_up, fakeroot_tear_down),
        cmocka_unit_test_setup_teardown(test_selinux, fakeroot_set_up, fakeroot_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
