/* The live backend on files of its own: nothing blocks, nothing leaves the root, nothing but a
 * regular file is read; and what it refuses to ask. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
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

#include "advisor/base/file.h"
#include "probes/host/host.h"

#include "advisor/base/banned.h"

struct fix {
    struct arena *a;
    struct host *h;
    char dir[64];
};

static const char *in(const struct fix *f, const char *name)
{
    return arena_printf(f->a, "%s/%s", f->dir, name);
}

static void put(const struct fix *f, const char *name, struct span bytes)
{
    struct err err = ERR_INIT;
    assert_true(file_replace(in(f, name), bytes, 0600, &err));
}

static int setup(void **state)
{
    struct fix *const f = calloc(1, sizeof(*f));
    f->a = arena_new();
    snprintf(f->dir, sizeof(f->dir), "/tmp/nv-live-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    f->h = host_live_new(f->a, NULL);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fix *const f = *state;
    host_live_close(f->h);
    const char *const cmd[] = {"rm", "-rf", f->dir, NULL};
    const pid_t pid = fork();
    if (pid == 0) {
        execv("/bin/rm", (char *const *)(uintptr_t)cmd);
        _exit(127);
    }
    waitpid(pid, NULL, 0);
    arena_free(f->a);
    free(f);
    return 0;
}

static void test_files(void **state)
{
    const struct fix *const f = *state;
    struct err err = ERR_INIT;
    struct span got;
    put(f, "plain", SPAN_LIT("text\n"));
    assert_int_equal(symlink("plain", in(f, "link")), 0);
    assert_int_equal(symlink(in(f, "loop"), in(f, "loop")), 0);
    assert_int_equal(mkfifo(in(f, "fifo"), 0600), 0);
    assert_true(host_read(f->h, in(f, "plain"), 0, &got, &err));
    assert_true(span_eq_text(got, "text"));
    assert_true(host_read(f->h, in(f, "link"), 0, &got, &err));
    static const struct {
        const char *name;
        enum err_code code;
    } rows[] = {
        {"fifo", E_IO}, {"absent", E_ABSENT},    {".", E_IO},
        {"loop", E_DENIED},        {"plain/sub", E_ABSENT},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_false(host_read(f->h, in(f, rows[i].name), 0, &got, &err));
        assert_int_equal(err.code, rows[i].code);
        assert_non_null(strstr(err.text, rows[i].name));
    }
    assert_false(host_read(f->h, "relative", 0, &got, &err));
    assert_int_equal(err.code, E_USAGE);
    assert_false(host_read(f->h, "/dev/null", 0, &got, &err));
    assert_int_equal(err.code, E_IO);
    assert_false(host_read(f->h, in(f, "plain"), 4, &got, &err));
    assert_int_equal(err.code, E_TOO_BIG);
    char *const big = arena_alloc(f->a, 100000);
    memset(big, 'b', 100000);
    put(f, "big", (struct span){big, 100000});
    assert_false(host_read(f->h, in(f, "big"), 0, &got, &err));
    assert_int_equal(err.code, E_TOO_BIG);
    assert_true(host_read(f->h, in(f, "big"), 100000, &got, &err));
    assert_int_equal(got.len, 100000);
}

static void test_proc(void **state)
{
    const struct fix *const f = *state;
    struct err err = ERR_INIT;
    struct span got;
    assert_true(host_read(f->h, "/proc/uptime", 0, &got, &err));
    assert_true(got.len > 0);
    const char *const pid = arena_printf(f->a, "/proc/%d", getpid());
    assert_true(host_link(f->h, arena_printf(f->a, "%s/exe", pid), &got, &err));
    assert_non_null(strstr(span_dup(f->a, got), "test_host_live"));
    /* Magic links lead anywhere: they are read as text and never followed. */
    assert_false(host_read(f->h, arena_printf(f->a, "%s/exe", pid), 0, &got, &err));
    assert_int_equal(err.code, E_DENIED);
    assert_false(host_read(f->h, arena_printf(f->a, "%s/root/etc/passwd", pid), 0, &got, &err));
    assert_int_equal(err.code, E_DENIED);
    const char *real = NULL;
    assert_false(host_real_path(f->h, arena_printf(f->a, "%s/cwd", pid), &real, &err));
    assert_int_equal(err.code, E_DENIED);
    assert_false(host_read(f->h, "/proc/999999999/stat", 0, &got, &err));
    assert_int_equal(err.code, E_ABSENT);
    /* Our own root by name. */
    put(f, "own", SPAN_LIT("x"));
    assert_true(
        host_read(f->h, arena_printf(f->a, "/proc/self/root%s", in(f, "own")), 0, &got, &err));
}

static void test_lists(void **state)
{
    const struct fix *const f = *state;
    struct err err = ERR_INIT;
    struct host_names names;
    put(f, "b", SPAN_LIT(""));
    put(f, "a\nb", SPAN_LIT(""));
    put(f, "\xff", SPAN_LIT(""));
    put(f, "B", SPAN_LIT(""));
    assert_true(host_list(f->h, f->dir, &names, &err));
    static const char *const sorted[] = {"B", "a\nb", "b", "\xff"};
    assert_int_equal(names.n, ARRAY_LEN(sorted));
    for (size_t i = 0; i < names.n; i++) {
        assert_true(span_eq_text(names.names[i], sorted[i]));
    }
    assert_false(host_list(f->h, in(f, "b"), &names, &err));
    assert_int_equal(err.code, E_ABSENT);
    assert_false(host_list(f->h, in(f, "no"), &names, &err));
    assert_int_equal(err.code, E_ABSENT);
}

static void test_links(void **state)
{
    const struct fix *const f = *state;
    struct err err = ERR_INIT;
    assert_int_equal(mkdir(in(f, "d"), 0700), 0);
    put(f, "d/file", SPAN_LIT("x"));
    assert_int_equal(symlink("d", in(f, "rel")), 0);
    assert_int_equal(symlink(in(f, "rel/file"), in(f, "abs")), 0);
    assert_int_equal(symlink("../../../../../../..", in(f, "up")), 0);
    assert_int_equal(symlink("loop2", in(f, "loop1")), 0);
    assert_int_equal(symlink("loop1", in(f, "loop2")), 0);
    static const struct {
        const char *path, *real; /* below the folder; NULL = refused */
    } rows[] = {
        {"abs", "d/file"}, {"rel/file", "d/file"}, {"rel/../d//./file", "d/file"},
        {"loop1", NULL},   {"none", NULL},         {"d/file/x", NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *got = NULL;
        assert_int_equal(host_real_path(f->h, in(f, rows[i].path), &got, &err),
                         rows[i].real != NULL);
        if (rows[i].real != NULL) {
            assert_string_equal(got, in(f, rows[i].real));
        }
    }
    const char *got = NULL;
    assert_true(host_real_path(f->h, in(f, "up/.."), &got, &err));
    assert_string_equal(got, "/");
    const char *const own = arena_printf(f->a, "/proc/self/root%s", in(f, "abs"));
    assert_true(host_real_path(f->h, own, &got, &err));
    assert_string_equal(got, arena_printf(f->a, "/proc/self/root%s", in(f, "d/file")));
    struct span text;
    assert_true(host_link(f->h, in(f, "rel"), &text, &err));
    assert_true(span_eq_text(text, "d"));
    assert_false(host_link(f->h, in(f, "d"), &text, &err));
    assert_int_equal(err.code, E_NOT_SUPPORTED);
}

static void test_stat(void **state)
{
    const struct fix *const f = *state;
    struct err err = ERR_INIT;
    put(f, "file", SPAN_LIT("12345"));
    assert_int_equal(symlink("file", in(f, "l")), 0);
    struct stat st;
    assert_int_equal(stat(in(f, "file"), &st), 0);
    struct host_stat got;
    assert_true(host_stat(f->h, in(f, "l"), &got, &err));
    assert_true(got.size == 5 && got.inode == st.st_ino && got.mode == st.st_mode);
    assert_true(got.uid == st.st_uid && got.mtime_sec == st.st_mtime);
    assert_true(got.has_mnt_id);
    assert_true(host_stat(f->h, "/dev/null", &got, &err));
    assert_true(got.rdev_major == 1 && got.rdev_minor == 3);
    struct host_statfs fs;
    assert_true(host_statfs(f->h, "/proc", &fs, &err));
    assert_true(fs.type == 0x9fa0);
    assert_false(host_stat(f->h, in(f, "none"), &got, &err));
    assert_false(host_statfs(f->h, in(f, "none"), &fs, &err));
}

static void test_names_and_clock(void **state)
{
    const struct fix *const f = *state;
    struct err err = ERR_INIT;
    int64_t now = 0;
    assert_true(host_clock(f->h, &now, &err));
    assert_true(now > 1700000000);
    struct host_uname u;
    assert_true(host_uname(f->h, &u, &err));
    assert_true(span_eq_text(u.sysname, "Linux"));
    struct host_who who;
    assert_true(host_who(f->h, &who, &err));
    assert_int_equal(who.uid, geteuid());
}

/* Questions that are never put to a device, a program, or a server. */
static void test_refused(void **state)
{
    const struct fix *const f = *state;
    static const struct {
        enum host_op op;
        const char *key;
    } rows[] = {
        {HOST_OPEN, "nvme nvme0n1"},
        {HOST_OPEN, "nvme ../sda"},
        {HOST_OPEN, "nvme nvme"},
        {HOST_OPEN, "root self"},
        {HOST_OPEN, "root -1"},
        {HOST_OPEN, "root 0"},
        {HOST_OPEN, "disk sda"},
        {HOST_OPEN, ""},
        {HOST_NVME, "nvme0 id-ctrl"},
        {HOST_NVME, "nvme0"},
        {HOST_NVME, ""},
        {HOST_NVME, "nvme0 format 1"},
        {HOST_NVME, "nvme0 log 7 0 512"},           /* telemetry makes a snapshot */
        {HOST_NVME, "nvme0 log 13 0 512"},          /* persistent events hold a context */
        {HOST_NVME, "nvme0 log 193 0 512"},         /* a maker's page that nobody decodes */
        {HOST_NVME, "nvme0 log 258 0 512"},
        {HOST_NVME, "nvme0 log 2 0 8192"},
        {HOST_NVME, "nvme0 log 2 0 511"},
        {HOST_NVME, "nvme0 log 9 0 512 65536"},
        {HOST_NVME, "nvme0 log 9 0 512 1 1"},
        {HOST_NVME, "nvme0 feature 12 0"},          /* would write into no buffer */
        {HOST_NVME, "nvme0 feature 13 0"},
        {HOST_NVME, "nvme0 feature 192 0"},
        {HOST_NVME, "nvme0 feature-data 12 0 4096"},
        {HOST_NVME, "nvme0 feature-data 13 0 256"},
        {HOST_NVME, "nvme0 feature-data 6 0 4"},
        {HOST_NVME, "nvme0 feature-data 12 0"},
        {HOST_NVME, "nvme0 id-ns"},
        {HOST_NVME, "nvme0 set-feature 6 0"},
        {HOST_READ, "at 0 64 /etc/passwd"},
        {HOST_READ, "at 0 64 /sys/../etc/config"},  /* below the root there is no such file */
        {HOST_READ, "at 256 4 /sys/class/nvme/nvme0/device/config"},
        {HOST_READ, "at 252 8 /sys/class/nvme/nvme0/device/config"},
        {HOST_READ, "at 0 128 /sys/class/nvme/nvme0/device/config"},
        {HOST_READ, "at 2 4 /sys/class/nvme/nvme0/device/config"},
        {HOST_READ, "at 0 0 /sys/class/nvme/nvme0/device/config"},
        {HOST_READ, "at 0 64"},
        {HOST_EXEC, "zpool-destroy x"},
        {HOST_EXEC, "zpool-list -f"},
        {HOST_EXEC, "zpool-list a b"},
        {HOST_EXEC, "zpool-list $(x)"},
        {HOST_EXEC, "zfs-get"},
        {HOST_EXEC, "zfs-get a -o"},
        {HOST_EXEC, "zfs-get a  b"},
        {HOST_EXEC, "zfs-get a $(x)"},
        {HOST_EXEC, "zpool-list"},
        {HOST_EXEC, "sh -c"},
        {HOST_EXEC, ""},
        {HOST_UDEV, "../sda"},
        {HOST_UDEV, ""},
        {HOST_SIZE, "/no-suffixes"},
        {HOST_LINK, "real x"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err err = ERR_INIT;
        struct span got;
        const struct host_request rq = {rows[i].op, rows[i].key, 4096};
        assert_false(host_call(f->h, &rq, &got, &err));
        if (err.code != E_USAGE && err.code != E_NOT_SUPPORTED &&
            !(err.code == E_ABSENT && rows[i].op == HOST_READ)) {
            fail_msg("%s '%s': %s", host_op_name(rows[i].op), rows[i].key, err.text);
        }
    }
    struct err err = ERR_INIT;
    struct host_rows sql;
    assert_false(host_sql(f->h, "guard-limits", &sql, &err));
    struct host_names names;
    assert_false(host_udev(f->h, "no-such-disk", &names, &err));
    assert_true(err.code == E_ABSENT || err.code == E_NOT_SUPPORTED);
}

/* Paths of a server stay below its root, whatever its links say; /proc stays ours. */
static void test_server_root(void **state)
{
    const struct fix *const f = *state;
    struct err err = ERR_INIT;
    put(f, "etc-passwd", SPAN_LIT("not the host's"));
    assert_int_equal(mkdir(in(f, "etc"), 0755), 0);
    assert_int_equal(rename(in(f, "etc-passwd"), in(f, "etc/passwd")), 0);
    assert_int_equal(symlink("../../../../../../etc/passwd", in(f, "up")), 0);
    assert_int_equal(symlink("/etc/passwd", in(f, "abs")), 0);
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const pid_t pid = fork();
    if (pid == 0) {
        if (chroot(f->dir) != 0 || write(ends[1], "x", 1) != 1) {
            _exit(1);
        }
        pause();
        _exit(0);
    }
    close(ends[1]);
    char c = 0;
    const bool rooted = read(ends[0], &c, 1) == 1;
    close(ends[0]);
    struct span got;
    if (rooted) {
        assert_true(host_open(f->h, arena_printf(f->a, "root %d", pid), &got, &err));
        assert_true(span_starts(got, "mnt:["));
        static const char *const paths[] = {"/up", "/abs", "/etc/passwd"};
        for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
            assert_true(host_read(f->h, paths[i], 0, &got, &err));
            assert_true(span_eq_text(got, "not the host's"));
        }
        const char *real = NULL;
        assert_true(host_real_path(f->h, "/up", &real, &err));
        assert_string_equal(real, "/etc/passwd");
        assert_true(host_read(f->h, "/proc/uptime", 0, &got, &err));
        assert_true(host_read(f->h, "/proc/self/root/etc/passwd", 0, &got, &err));
        assert_false(span_eq_text(got, "not the host's"));
        assert_false(host_open(f->h, "root 1", &got, &err));
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    if (!rooted) {
        print_message("skipped: may not chroot\n");
        skip();
    }
}

static void test_closed(void **state)
{
    const struct fix *const f = *state;
    struct host *const h = host_live_new(f->a, NULL);
    host_live_close(h);
    host_live_close(h);
    struct err err = ERR_INIT;
    struct span got;
    assert_false(host_read(h, "/proc/uptime", 0, &got, &err));
    assert_int_equal(err.code, E_INTERNAL);
}

/* Messages hold paths and servers' words, and end up in JSON. */
static void test_messages_are_utf8(void **state)
{
    const struct fix *const f = *state;
    struct err err = ERR_INIT;
    struct span got;
    assert_false(host_read(f->h, "/nv-absent-\xff\xc3", 0, &got, &err));
    assert_true(span_is_utf8(span_of(err.text)));
    assert_non_null(strstr(err.text, "nv-absent-?"));
}

#define LIVE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        LIVE(test_files),   LIVE(test_proc),
        LIVE(test_lists),   LIVE(test_links),
        LIVE(test_stat),    LIVE(test_names_and_clock),
        LIVE(test_refused), LIVE(test_server_root),
        LIVE(test_closed),  LIVE(test_messages_are_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
