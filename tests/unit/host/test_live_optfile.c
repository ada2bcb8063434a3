/* Live option files: below the server's root only, regular files only, in time, and without
 * secrets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probes/host/host.h"

#include "advisor/base/banned.h"

struct world {
    struct arena *arena;
    struct host *host;
    char dir[64];
};

static const char *at(const struct world *w, const char *name)
{
    return arena_printf(w->arena, "%s/%s", w->dir, name);
}

static void put(const struct world *w, const char *name, struct span text, mode_t mode)
{
    const char *path = at(w, name);
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.ptr, text.len), (ssize_t)text.len);
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

/* This process stands for the server: its root is ours. */
static int set_up(void **state)
{
    struct world *w = calloc(1, sizeof(*w));
    struct err err = ERR_INIT;
    struct span note;
    assert_non_null(w);
    w->arena = arena_new();
    w->host = host_live_new(w->arena, NULL);
    snprintf(w->dir, sizeof(w->dir), "/tmp/nvt-optfile.XXXXXX");
    assert_non_null(mkdtemp(w->dir));
    assert_true(host_open(w->host, arena_printf(w->arena, "root %d", (int)getpid()), &note, &err));
    *state = w;
    return 0;
}

static int tear_down(void **state)
{
    struct world *w = *state;
    static const char *const names[] = {"a.cnf", "link", "out", "fifo", "big", "auto", "bad"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        (void)unlink(at(w, names[i]));
    }
    (void)rmdir(w->dir);
    host_live_close(w->host);
    arena_free(w->arena);
    free(w);
    return 0;
}

static void test_reads(void **state)
{
    const struct world *w = *state;
    struct host_optfile f;
    struct err err = ERR_INIT;
    put(w, "a.cnf", SPAN_LIT("[client]\npassword=hush\n[mysqld]\nx = 1 # hush\n"), 0640);
    assert_int_equal(symlink("a.cnf", at(w, "link")), 0);
    for (int i = 0; i < 2; i++) {
        assert_true(host_optfile(w->host, at(w, i == 0 ? "a.cnf" : "link"), &f, &err));
        assert_true(span_eq_text(f.text, "[client]\npassword=***\n[mysqld]\nx = 1 \n"));
        assert_int_equal(f.mode, S_IFREG | 0640);
        assert_int_equal(f.uid, geteuid());
        assert_int_equal(f.gid, getegid());
    }
}

static void test_persisted(void **state)
{
    const struct world *w = *state;
    struct host_optfile f;
    struct err err = ERR_INIT;
    put(w, "auto",
        SPAN_LIT(
            "{\"Version\":2,\"mysql_static_variables\":{\"port\":{\"Value\":\"1\",\"Metadata\":"
            "{\"User\":\"hush\"}}},\"mysql_sensitive_variables\":{\"x\":\"hush\"}}"),
        0644);
    put(w, "bad", SPAN_LIT("hush"), 0644);
    assert_true(host_persisted(w->host, at(w, "auto"), &f, &err));
    assert_true(span_eq_text(
        f.text, "{\"Version\": 2, \"mysql_static_variables\": {\"port\": {\"Value\": \"1\"}}}"));
    assert_false(host_persisted(w->host, at(w, "bad"), &f, &err));
    assert_int_equal(err.code, E_SYNTAX);
    assert_null(strstr(err.text, "hush"));
}

static void check_refused(const struct world *w, const char *path, enum err_code code)
{
    struct host_optfile f;
    struct err err = ERR_INIT;
    if (host_optfile(w->host, path, &f, &err) || err.code != code) {
        fail_msg("'%s': code %d, '%s'", path, (int)err.code, err.text);
    }
}

static void test_refuses(void **state)
{
    const struct world *w = *state;
    assert_int_equal(mkfifo(at(w, "fifo"), 0644), 0);
    put(w, "big", SPAN_LIT("[a]\n"), 0644);
    assert_int_equal(truncate(at(w, "big"), HOST_OPTFILE_MAX + 1), 0);
    assert_int_equal(symlink("/proc/self/environ", at(w, "out")), 0);
    check_refused(w, at(w, "none"), E_ABSENT);
    check_refused(w, at(w, "fifo"), E_NOT_SUPPORTED);
    check_refused(w, at(w, "big"), E_TOO_BIG);
    check_refused(w, at(w, "out"), E_NOT_SUPPORTED);
    check_refused(w, w->dir, E_ABSENT);
    check_refused(w, "/dev/zero", E_NOT_SUPPORTED);
    check_refused(w, "/proc/self/environ", E_NOT_SUPPORTED);
    check_refused(w, "/proc/cmdline", E_NOT_SUPPORTED);
    check_refused(w, "relative", E_USAGE);
}

static void test_only_below_a_servers_root(void **state)
{
    const struct world *w = *state;
    struct host *h = host_live_new(w->arena, NULL);
    struct host_optfile f;
    struct err err = ERR_INIT;
    put(w, "a.cnf", SPAN_LIT("[a]\n"), 0644);
    assert_false(host_optfile(h, at(w, "a.cnf"), &f, &err));
    assert_int_equal(err.code, E_USAGE);
    host_live_close(h);
}

/* Of this process, which has one that must not be told. */
static void test_environment(void **state)
{
    const struct world *w = *state;
    struct span text;
    struct err err = ERR_INIT;
    assert_true(host_read(w->host, "/proc/self/environ", HOST_PROC_MAX, &text, &err));
    struct span rest = text, word;
    while (span_split(&rest, '\0', &word)) {
        assert_true(word.len == 0 || span_starts(word, "HOME=") || span_starts(word, "MYSQL_") ||
                    span_starts(word, "MARIADB_"));
        assert_false(span_starts(word, "MYSQL_PWD"));
    }
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_reads),       TEST(test_persisted),
        TEST(test_refuses),     TEST(test_only_below_a_servers_root),
        TEST(test_environment),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
