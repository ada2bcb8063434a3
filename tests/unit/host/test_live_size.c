/* The bounded size of a directory: what counts, what does not, and that the bounds hold. */
#include <dirent.h>
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

static void make(int dir, const char *name, size_t bytes)
{
    const int fd = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)bytes), 0);
    close(fd);
}

static void remove_tree(const char *path)
{
    const pid_t pid = fork();
    if (pid == 0) {
        execl("/bin/rm", "rm", "-rf", path, (char *)NULL);
        _exit(127);
    }
    waitpid(pid, NULL, 0);
}

static void test_what_counts(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    char path[] = "/tmp/nv-size-XXXXXX";
    assert_non_null(mkdtemp(path));
    const int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(mkdirat(dir, "db", 0700), 0);
    make(dir, "a.ibd", 100);
    make(dir, "db/b.ibd", 1000);
    make(dir, "db/b.frm", 7);
    make(dir, "ibd", 3);
    make(dir, "undo.ibu", 20);
    assert_int_equal(symlinkat("/usr", dir, "link.ibd"), 0);
    assert_int_equal(symlinkat("..", dir, "up"), 0);
    assert_int_equal(mkdirat(dir, "dir.ibd", 0700), 0);
    static const struct {
        const char *suffixes;
        uint64_t files, bytes;
    } rows[] = {{".ibd", 2, 1100}, {".ibd,.ibu", 3, 1120}, {"", 5, 1130}, {".none", 0, 0}};
    struct host *const h = host_live_new(a, NULL);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err err = ERR_INIT;
        struct host_size got;
        assert_true(host_size(h, path, rows[i].suffixes, &got, &err));
        assert_true(got.complete);
        assert_true(got.files == rows[i].files);
        assert_true(got.bytes_apparent == rows[i].bytes);
    }
    struct err err = ERR_INIT;
    struct host_size got;
    assert_false(host_size(h, "/nv-absent", "", &got, &err));
    assert_int_equal(err.code, E_ABSENT);
    host_live_close(h);
    close(dir);
    remove_tree(path);
}

static void test_bounds(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    char path[] = "/tmp/nv-size-XXXXXX";
    assert_non_null(mkdtemp(path));
    const int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (unsigned i = 0; i < 20000; i++) {
        make(dir, arena_printf(a, "t%u.ibd", i), 1);
    }
    struct host *const h = host_live_new(a, NULL);
    struct err err = ERR_INIT;
    struct host_size got;
    assert_true(host_size(h, path, ".ibd", &got, &err));
    assert_true(got.files == 20000 && got.complete);
    make(dir, "one-more.ibd", 1);
    assert_true(host_size(h, path, ".ibd", &got, &err));
    assert_true(got.files == 20000 && !got.complete);
    /* Deep below: not followed for ever, and said so. */
    assert_true(host_size(h, path, ".none", &got, &err));
    assert_true(got.complete);
    char *const deep = arena_strdup(a, "d/d/d/d/d/d/d/d/d/d");
    for (size_t i = 1; i <= strlen(deep); i += 2) {
        assert_int_equal(mkdirat(dir, arena_strndup(a, deep, i), 0700), 0);
    }
    assert_true(host_size(h, path, ".none", &got, &err));
    assert_false(got.complete);
    host_live_close(h);
    close(dir);
    remove_tree(path);
}

/* As somebody who may not look everywhere: no sum, and it is said why. */
static void test_out_of_reach(void **state)
{
    (void)state;
    char path[] = "/tmp/nv-size-XXXXXX";
    assert_non_null(mkdtemp(path));
    assert_int_equal(chmod(path, 0755), 0);
    const int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    make(dir, "a.ibd", 100);
    assert_int_equal(mkdirat(dir, "closed", 0), 0);
    close(dir);
    const pid_t pid = fork();
    if (pid == 0) {
        struct arena *const a = arena_new();
        struct err err = ERR_INIT;
        struct host_size got;
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) {
            _exit(2);
        }
        const bool ok = host_size(host_live_new(a, NULL), path, ".ibd", &got, &err);
        _exit(ok || err.code != E_DENIED ? 1 : 0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    assert_int_equal(chmod(path, 0700), 0);
    remove_tree(path);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* Access times are years old, so that "relatime" would renew them as well. */
static void test_times_stay(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    char path[] = "/tmp/nv-times-XXXXXX";
    assert_non_null(mkdtemp(path));
    const int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(mkdirat(dir, "db", 0700), 0);
    make(dir, "db/b.ibd", 10);
    make(dir, "log", 10);
    static const char *const names[] = {".", "db", "log"};
    const struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 2000}};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        assert_int_equal(utimensat(dir, names[i], old, 0), 0);
    }
    struct host *const h = host_live_new(a, NULL);
    struct err err = ERR_INIT;
    struct host_size size;
    struct host_names list;
    struct span text;
    assert_true(host_size(h, path, ".ibd", &size, &err));
    assert_true(host_list(h, path, &list, &err));
    assert_true(host_read(h, arena_printf(a, "%s/log", path), 100, &text, &err));
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        struct stat st;
        assert_int_equal(fstatat(dir, names[i], &st, 0), 0);
        assert_true(st.st_atime == 1000);
    }
    host_live_close(h);
    close(dir);
    remove_tree(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_counts),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_out_of_reach),
        cmocka_unit_test(test_times_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
