/* Files: capped reads, whole-or-nothing writes, and the directories that are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "advisor/base/file.h"

#include "advisor/base/banned.h"

struct here {
    char dir[64];
    struct arena *arena;
};

static int make_dir(void **state)
{
    struct here *h = calloc(1, sizeof(*h));
    snprintf(h->dir, sizeof(h->dir), "/tmp/nv-test-file-XXXXXX");
    h->arena = arena_new();
    if (mkdtemp(h->dir) == NULL) {
        return -1;
    }
    *state = h;
    return 0;
}

static int drop_dir(void **state)
{
    struct here *h = *state;
    char *const argv[] = {(char[]){"rm"}, (char[]){"-rf"}, h->dir, NULL};
    const pid_t pid = fork();
    if (pid == 0) {
        execv("/bin/rm", argv);
        _exit(127);
    }
    waitpid(pid, NULL, 0);
    arena_free(h->arena);
    free(h);
    return 0;
}

static const char *path_of(struct here *h, const char *name)
{
    return arena_printf(h->arena, "%s/%s", h->dir, name);
}

static unsigned count_files(struct here *h)
{
    unsigned n = 0;
    const char *command = arena_printf(h->arena, "%s", h->dir);
    DIR *d = opendir(command);
    assert_non_null(d);
    const struct dirent *e;
    while ((e = readdir(d)) != NULL) {
        n += strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
    }
    closedir(d);
    return n;
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void assert_content(struct here *h, const char *path, const char *expected)
{
    struct span s;
    struct err err = ERR_INIT;
    assert_true(file_read(h->arena, path, 1000, &s, &err));
    assert_int_equal(s.len, strlen(expected));
    assert_memory_equal(s.ptr, expected, s.len);
}

static void test_read(void **state)
{
    struct here *h = *state;
    struct span s = SPAN_LIT("untouched");
    struct err err = ERR_INIT;
    const char *path = path_of(h, "a");
    put(path, "12345");
    assert_true(file_read(h->arena, path, 5, &s, &err));
    assert_int_equal(s.len, 5);
    assert_string_equal(s.ptr, "12345");
    s = SPAN_LIT("untouched");
    assert_false(file_read(h->arena, path, 4, &s, &err));
    assert_int_equal(err.code, E_TOO_BIG);
    assert_true(span_eq_text(s, "untouched"));
    put(path, "");
    assert_true(file_read(h->arena, path, 0, &s, &err));
    assert_int_equal(s.len, 0);
}

static void test_read_refuses(void **state)
{
    struct here *h = *state;
    struct span s;
    struct err err = ERR_INIT;
    assert_false(file_read(h->arena, path_of(h, "none"), 10, &s, &err));
    assert_int_equal(err.code, E_ABSENT);
    assert_non_null(strstr(err.text, "none"));
    assert_false(file_read(h->arena, h->dir, 10, &s, &err));
    assert_int_equal(err.code, E_USAGE);
    assert_false(file_read(h->arena, "/dev/zero", 10, &s, &err));
    assert_int_equal(err.code, E_USAGE);
}

/* /proc files say size 0 and are regular: the size is a hint only. */
static void test_read_grows(void **state)
{
    struct here *h = *state;
    struct span s;
    struct err err = ERR_INIT;
    assert_true(file_read(h->arena, "/proc/self/status", 1 << 20, &s, &err));
    assert_true(s.len > 100);
    assert_false(file_read(h->arena, "/proc/self/status", 100, &s, &err));
    assert_int_equal(err.code, E_TOO_BIG);
}

static void test_read_pipe(void **state)
{
    struct here *h = *state;
    const char *path = path_of(h, "fifo");
    assert_int_equal(mkfifo(path, 0600), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        /* Two writes with a pause: the reader must wait for the first and for the end. */
        const int fd = open(path, O_WRONLY);
        usleep(20000);
        const bool ok = write(fd, "one ", 4) == 4 && usleep(20000) == 0 && write(fd, "two", 3) == 3;
        _exit(ok ? 0 : 1);
    }
    struct span s;
    struct err err = ERR_INIT;
    assert_true(file_read(h->arena, path, 100, &s, &err));
    assert_string_equal(s.ptr, "one two");
    int status = 1;
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
}

static void test_replace(void **state)
{
    struct here *h = *state;
    struct err err = ERR_INIT;
    struct stat st;
    const char *path = path_of(h, "zz-x.cnf");
    const mode_t mask = umask(077);
    assert_true(file_replace(path, SPAN_LIT("one"), 0644, &err));
    assert_content(h, path, "one");
    assert_true(file_replace(path, SPAN_LIT("second"), 0640, &err));
    umask(mask);
    assert_content(h, path, "second");
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0640);
    assert_int_equal(count_files(h), 1);
    const char *longest = arena_printf(h->arena, "%s/%0255d", h->dir, 1);
    assert_true(file_replace(longest, SPAN_LIT(""), 0600, &err));
    assert_content(h, longest, "");
}

static void test_replace_directories(void **state)
{
    struct here *h = *state;
    static const struct {
        mode_t mode;
        bool ok;
    } rows[] = {
        {0700, true}, {0755, true}, {0775, false}, {0757, false}, {0777, false}, {01777, true},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err err = ERR_INIT;
        assert_int_equal(chmod(h->dir, rows[i].mode), 0);
        const bool ok = file_replace(path_of(h, "f"), SPAN_LIT("x"), 0600, &err);
        assert_int_equal(ok, rows[i].ok);
        if (!ok) {
            assert_int_equal(err.code, E_DENIED);
            assert_non_null(strstr(err.text, h->dir));
            assert_true(err.hint[0] != '\0');
        }
    }
    if (geteuid() == 0) {
        struct err err = ERR_INIT;
        assert_int_equal(chmod(h->dir, 0755), 0);
        assert_int_equal(chown(h->dir, 65534, 65534), 0);
        assert_false(file_replace(path_of(h, "f"), SPAN_LIT("y"), 0600, &err));
        assert_int_equal(err.code, E_DENIED);
        assert_int_equal(chown(h->dir, 0, 0), 0);
    }
}

static void test_replace_targets(void **state)
{
    struct here *h = *state;
    struct err err = ERR_INIT;
    put(path_of(h, "real"), "kept");
    assert_int_equal(symlink("real", path_of(h, "link")), 0);
    assert_int_equal(mkfifo(path_of(h, "fifo"), 0600), 0);
    static const char *const names[] = {"link", "fifo", ".", "..", "", "no/such/dir"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        err = ERR_INIT;
        assert_false(file_replace(path_of(h, names[i]), SPAN_LIT("x"), 0600, &err));
        assert_int_not_equal(err.code, E_NONE);
        assert_true(err.text[0] != '\0');
    }
    assert_content(h, path_of(h, "real"), "kept");
    assert_int_equal(count_files(h), 3);
    assert_false(file_replace("/dev/null", SPAN_LIT("x"), 0600, &err));
}

/* A limit on the file size stands for a full disk: the write fails half way. */
static void test_replace_full(void **state)
{
    struct here *h = *state;
    struct err err = ERR_INIT;
    const char *path = path_of(h, "f");
    put(path, "old");
    char *big = arena_alloc(h->arena, 100000);
    memset(big, 'x', 100000);
    struct rlimit before;
    getrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){50000, before.rlim_max});
    const bool ok = file_replace(path, (struct span){big, 100000}, 0600, &err);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_false(ok);
    assert_int_equal(err.code, E_IO);
    assert_int_equal(err.sys_errno, EFBIG);
    assert_content(h, path, "old");
    assert_int_equal(count_files(h), 1);
}

static void test_make_dir(void **state)
{
    struct here *h = *state;
    struct err err = ERR_INIT;
    struct stat st;
    const char *deep = path_of(h, "a//b/c");
    assert_true(file_make_dir(deep, 0700, &err));
    assert_true(file_make_dir(deep, 0700, &err));
    assert_int_equal(stat(deep, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_true(file_make_dir("/", 0700, &err));
    put(path_of(h, "file"), "");
    assert_false(file_make_dir(path_of(h, "file"), 0700, &err));
    assert_false(file_make_dir(path_of(h, "file/x"), 0700, &err));
    assert_false(file_make_dir("", 0700, &err));
}

static void test_write_all(void **state)
{
    (void)state;
    struct err err = ERR_INIT;
    assert_false(file_write_all(-1, SPAN_LIT("x"), &err));
    assert_int_equal(err.sys_errno, EBADF);
    FD_AUTO fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_false(file_write_all(fd, SPAN_LIT("x"), &err));
    assert_int_equal(err.code, E_FULL);
    assert_true(file_write_all(fd, SPAN_LIT(""), &err));
}

/* Whatever ends the writer, the file is the old or the new one, and nothing lies beside it. */
static void test_replace_interrupted(void **state)
{
    struct here *h = *state;
    const char *path = path_of(h, "out.cnf");
    char *text = arena_alloc(h->arena, 400000);
    struct err err = ERR_INIT;
    memset(text, 'x', 400000);
    for (unsigned i = 0; i < 40; i++) {
        int ready[2];
        char go = 0;
        assert_int_equal(pipe(ready), 0);
        const pid_t pid = fork();
        if (pid == 0) {
            for (;;) {
                (void)!file_replace(path, (struct span){text, 400000}, 0600, &err);
                (void)!write(ready[1], "x", 1);
            }
        }
        assert_int_equal(read(ready[0], &go, 1), 1);
        const struct timespec some = {.tv_nsec = (long)(i * 37 % 40) * 100000};
        (void)nanosleep(&some, NULL);
        assert_int_equal(kill(pid, SIGTERM), 0);
        assert_int_equal(waitpid(pid, NULL, 0), pid);
        close(ready[0]);
        close(ready[1]);
        struct span got;
        assert_int_equal(count_files(h), 1);
        assert_true(file_read(h->arena, path, 400000, &got, &err));
        assert_int_equal(got.len, 400000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_read, make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(test_read_refuses, make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(test_read_grows, make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(test_read_pipe, make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(test_replace, make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(test_replace_directories, make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(test_replace_targets, make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(test_replace_full, make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(test_make_dir, make_dir, drop_dir),
        cmocka_unit_test_setup_teardown(test_replace_interrupted, make_dir, drop_dir),
        cmocka_unit_test(test_write_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
