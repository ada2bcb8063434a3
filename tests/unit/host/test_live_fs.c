/* What a live host tells of files and filesystems here: which are refused, which of many files are
 * looked at, and that a hole or a second piece counts as it should. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "probes/host/host.h"

#include "advisor/base/banned.h"

static void remove_tree(const char *path)
{
    const pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/rm", "rm", "-rf", path, (char *)NULL);
        _exit(127);
    }
    waitpid(pid, NULL, 0);
}

/* `mebi` MiB of data, on the disk when this returns. */
static void fill(int dir, const char *name, unsigned mebi)
{
    const int fd = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    static char block[65536];
    memset(block, 'x', sizeof(block));
    assert_true(fd >= 0);
    for (unsigned i = 0; i < mebi * 16; i++) {
        assert_int_equal(write(fd, block, sizeof(block)), sizeof(block));
    }
    assert_int_equal(fsync(fd), 0);
    close(fd);
}

static void test_largest_files(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    char path[] = "/var/tmp/nv-fs-XXXXXX";
    assert_non_null(mkdtemp(path));
    const int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct host *const h = host_live_new(a, NULL);
    struct err err = ERR_INIT;
    struct host_extents x;
    assert_true(host_extents(h, path, ".ibd", &x, &err));
    assert_true(x.files == 0 && x.complete && !x.mapped && x.bytes == 0);
    assert_int_equal(mkdirat(dir, "db", 0700), 0);
    fill(dir, "a.ibd", 1);
    fill(dir, "db/b.ibd", 3);
    fill(dir, "c.ibd", 2);
    fill(dir, "db/d.ibd", 4);
    fill(dir, "e.other", 9);
    assert_true(host_extents(h, path, ".ibd", &x, &err));
    assert_true(x.files == 3 && x.complete);
    if (x.mapped) {
        assert_true(x.bytes == 9u << 20);
        assert_true(x.extents >= 3 && x.extents < 100);
    }
    assert_true(x.flagged <= 3 && x.nocow <= x.flagged && x.compressed <= x.flagged);
    assert_false(host_extents(h, "/nv-absent", ".ibd", &x, &err));
    assert_int_equal(err.code, E_ABSENT);
    host_live_close(h);
    close(dir);
    remove_tree(path);
}

static void test_direct(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    char path[] = "/var/tmp/nv-fs-XXXXXX";
    assert_non_null(mkdtemp(path));
    const int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct host *const h = host_live_new(a, NULL);
    struct err err = ERR_INIT;
    bool direct = false;
    fill(dir, "a", 1);
    assert_true(host_direct(h, arena_printf(a, "%s/a", path), &direct, &err));
    const int fd = openat(dir, "a", O_RDONLY | O_DIRECT | O_CLOEXEC);
    assert_int_equal(direct, fd >= 0);
    close(fd);
    assert_int_equal(mkfifoat(dir, "pipe", 0600), 0);
    assert_false(host_direct(h, arena_printf(a, "%s/pipe", path), &direct, &err));
    assert_int_equal(err.code, E_IO);
    assert_false(host_direct(h, path, &direct, &err));
    assert_int_equal(err.code, E_IO);
    assert_false(host_direct(h, arena_printf(a, "%s/none", path), &direct, &err));
    assert_int_equal(err.code, E_ABSENT);
    host_live_close(h);
    close(dir);
    remove_tree(path);
}

/* /proc is no disk's filesystem; and nothing is read that was not opened. */
static void test_refused(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct host *const h = host_live_new(a, NULL);
    struct err err = ERR_INIT;
    struct host_xfs x;
    struct span text;
    assert_false(host_xfs(h, "/proc", &x, &err));
    assert_int_equal(err.code, E_NOT_SUPPORTED);
    assert_false(host_super(h, &text, &err));
    assert_int_equal(err.code, E_USAGE);
    assert_false(host_open(h, "super /proc", &text, &err));
    assert_int_equal(err.code, E_NOT_SUPPORTED);
    assert_false(host_open(h, "super relative", &text, &err));
    assert_int_equal(err.code, E_USAGE);
    const struct host_request odd = {.op = HOST_FS, .key = "format /", .max_bytes = 10};
    assert_false(host_call(h, &odd, &text, &err));
    assert_int_equal(err.code, E_USAGE);
    host_live_close(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_largest_files),
        cmocka_unit_test(test_direct),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
