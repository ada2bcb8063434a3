/* Programs that hang, flood, crash, fork away: each ends, with all that it started, in its time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "advisor/base/file.h"
#include "advisor/base/parse.h"
#include "advisor/scratch/run.h"

#include "advisor/base/banned.h"

struct world {
    char dir[64];
};

static int set_up(void **state)
{
    struct world *w = calloc(1, sizeof(*w));
    memcpy(w->dir, "/var/tmp/nvt-run.XXXXXX", sizeof("/var/tmp/nvt-run.XXXXXX"));
    *state = w;
    return mkdtemp(w->dir) != NULL && chmod(w->dir, 0777) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    struct world *w = *state;
    ARENA_AUTO a = arena_new();
    static const char *const names[] = {"pid", "out", "big"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        (void)unlink(arena_printf(a, "%s/%s", w->dir, names[i]));
    }
    const int rc = rmdir(w->dir);
    free(w);
    return rc;
}

/* A shell script as the program; as nobody where we are root. */
static bool script(const struct world *w, const char *text, unsigned ms, size_t max,
                   struct arena *a, struct run_result *ret, struct err *reterr)
{
    const char *const args[] = {"-c", text, "sh", w->dir, NULL};
    const uint32_t id = geteuid() == 0 ? 65534 : geteuid();
    const struct run_spec spec = {.program = "/bin/sh",
                                  .args = args,
                                  .uid = id,
                                  .gid = geteuid() == 0 ? 65534 : getegid(),
                                  .dir = w->dir,
                                  .file_max = 4096};
    return run_program(&spec, ms, max, a, ret, reterr);
}

static void test_good(void **state)
{
    ARENA_AUTO a = arena_new();
    struct run_result r;
    struct err err = ERR_INIT;
    assert_true(script(*state, "echo out; echo err >&2; exit 3", 10000, 1000, a, &r, &err));
    assert_true(r.exited && r.status == 3 && !r.timed_out && !r.flooded);
    assert_true(span_eq_text(r.out, "out\n"));
    assert_true(span_eq_text(r.err, "err\n"));
}

/* Nobody's environment, files, rights; standing in the folder, last in every queue. */
static void test_bare(void **state)
{
    const struct world *w = *state;
    ARENA_AUTO a = arena_new();
    struct run_result r;
    struct err err = ERR_INIT;
    const int kept = open("/dev/null", O_RDONLY); /* no O_CLOEXEC: a library may have such */
    assert_true(setenv("NVT_SECRET", "1", 1) == 0);
    assert_true(script(
        w,
        "env | grep -v -e ^PWD= -e ^SHLVL= -e ^_=; pwd; echo files $(ls /proc/self/fd | wc -l);"
        "cat /proc/self/oom_score_adj; sed -n 's/^NoNewPrivs:.//p' /proc/self/status;"
        "sed -n 's/^CapEff:.//p' /proc/self/status; cat <&0; umask",
        10000, 10000, a, &r, &err));
    (void)close(kept);
    const char *const want =
        arena_printf(a,
                     "PATH=/usr/sbin:/usr/bin:/sbin:/bin\nLC_ALL=C\nHOME=%s\nTMPDIR=%s\n"
                     "%s\nfiles 4\n1000\n1\n0000000000000000\n0077\n",
                     w->dir, w->dir, w->dir);
    struct span rest = span_of(want), line;
    while (span_line(&rest, &line)) {
        if (memmem(r.out.ptr, r.out.len, line.ptr, line.len) == NULL) {
            fail_msg("no '%.*s' in '%.*s'", SPAN_ARG(line), SPAN_ARG(r.out));
        }
    }
    assert_null(memmem(r.out.ptr, r.out.len, "NVT_SECRET", 10));
}

static void test_limits(void **state)
{
    ARENA_AUTO a = arena_new();
    struct run_result r;
    struct err err = ERR_INIT;
    const uint64_t t0 = run_now_ms();
    assert_true(script(*state, "sleep 100", 300, 1000, a, &r, &err));
    assert_true(r.timed_out && !r.exited);
    assert_true(script(*state, "exec sleep 100", 300, 1000, a, &r, &err));
    assert_true(r.timed_out);
    assert_true(script(*state, "trap '' TERM INT HUP; sleep 100", 300, 1000, a, &r, &err));
    assert_true(r.timed_out);
    assert_true(script(*state, "while :; do echo flood; done", 20000, 1000, a, &r, &err));
    assert_true(r.flooded && r.out.len == 1000);
    assert_true(script(*state, "while :; do echo flood >&2; done", 20000, 1000, a, &r, &err));
    assert_true(r.flooded && r.err.len == 1000);
    assert_true(script(*state, "kill -SEGV $$", 20000, 1000, a, &r, &err));
    assert_true(!r.exited && r.signal == SIGSEGV);
    assert_true(script(*state, "head -c 100000 /dev/zero >big; true", 20000, 1000, a, &r, &err));
    assert_true(run_now_ms() - t0 < 30000);
}

/* The process whose number a script left in the file is gone (or nobody has waited for it yet). */
static void assert_gone(const struct world *w)
{
    ARENA_AUTO a = arena_new();
    struct span text;
    struct err err = ERR_INIT;
    uint64_t pid = 0;
    assert_true(file_read(a, arena_printf(a, "%s/pid", w->dir), 100, &text, &err));
    assert_true(parse_u64(span_trim(text), &pid) && pid > 1);
    for (unsigned i = 0; i < 100 && kill((pid_t)pid, 0) == 0; i++) {
        run_sleep_ms(20);
    }
    assert_int_equal(kill((pid_t)pid, 0), -1);
    assert_int_equal(errno, ESRCH);
    assert_int_equal(unlink(arena_printf(a, "%s/pid", w->dir)), 0);
}

static void test_children(void **state)
{
    const struct world *w = *state;
    ARENA_AUTO a = arena_new();
    struct run_result r;
    struct err err = ERR_INIT;
    /* In the group; in a session of its own; holding the pipe open. */
    assert_true(script(w, "sleep 1000 & echo $! >pid; exit 0", 20000, 1000, a, &r, &err));
    assert_true(r.exited && !r.timed_out);
    assert_gone(w);
    assert_true(script(w, "setsid sh -c 'echo $$ >pid; exec sleep 1000' & sleep 0.5; exit 0", 20000,
                       1000, a, &r, &err));
    assert_true(r.exited && !r.timed_out);
    assert_gone(w);
    assert_true(script(w, "setsid sh -c 'echo $$ >pid; exec sleep 1000' & sleep 1000", 1500, 1000,
                       a, &r, &err));
    assert_true(r.timed_out);
    assert_gone(w);
}

static void test_not_a_program(void **state)
{
    const struct world *w = *state;
    ARENA_AUTO a = arena_new();
    static const char *const none[] = {NULL};
    struct run_result r = {.status = 77};
    struct err err = ERR_INIT;
    struct run_spec spec = {.program = "/nonexistent/mysqld",
                            .args = none,
                            .uid = geteuid(),
                            .gid = getegid(),
                            .dir = w->dir,
                            .file_max = 4096};
    assert_false(run_program(&spec, 1000, 100, a, &r, &err));
    assert_int_equal(err.code, E_ABSENT);
    assert_int_equal(r.status, 77);
    spec.program = "/etc/passwd";
    assert_false(run_program(&spec, 1000, 100, a, &r, &err));
    assert_int_equal(err.code, E_DENIED);
    spec.program = "/bin/sh";
    spec.dir = "/nonexistent";
    assert_false(run_program(&spec, 1000, 100, a, &r, &err));
    assert_int_equal(err.code, E_ABSENT);
}

/* Where the kernel lets us, it can write nowhere but in its folder, though it owns the rest. */
static void test_fence(void **state)
{
    const struct world *w = *state;
    ARENA_AUTO a = arena_new();
    struct err err = ERR_INIT;
    struct run *r = NULL;
    struct world other;
    static const char text[] = "echo x >\"$1/out\" 2>/dev/null; echo x >in";
    memcpy(other.dir, "/var/tmp/nvt-run.XXXXXX", sizeof("/var/tmp/nvt-run.XXXXXX"));
    assert_non_null(mkdtemp(other.dir));
    assert_int_equal(chmod(other.dir, 0777), 0);
    const char *const args[] = {"-c", text, "sh", other.dir, NULL};
    const struct run_spec spec = {.program = "/bin/sh",
                                  .args = args,
                                  .uid = geteuid(),
                                  .gid = getegid(),
                                  .dir = w->dir,
                                  .file_max = 4096};
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    assert_true(run_prepare(&spec, null, null, a, &r, &err));
    assert_true(run_go(r, &err));
    while (!run_ended(r, NULL)) {
        run_sleep_ms(5);
    }
    const bool fenced = run_is_fenced(r);
    assert_true(run_end(r, 0, &err));
    (void)close(null);
    assert_int_equal(unlink(arena_printf(a, "%s/in", w->dir)), 0);
    assert_int_equal(unlink(arena_printf(a, "%s/out", other.dir)) == 0, !fenced);
    assert_int_equal(rmdir(other.dir), 0);
}

/* A file that it shall not see; where it cannot be hidden, it does not start. */
static void test_cover(void **state)
{
    const struct world *w = *state;
    ARENA_AUTO a = arena_new();
    struct run_result r;
    struct err err = ERR_INIT;
    static const char *const args[] = {"-c", "cat /etc/hostname", NULL};
    const struct run_spec spec = {.program = "/bin/sh",
                                  .args = args,
                                  .uid = geteuid(),
                                  .gid = getegid(),
                                  .dir = w->dir,
                                  .file_max = 4096,
                                  .cover = "/etc/hostname",
                                  .cover_with = arena_printf(a, "%s/out", w->dir)};
    if (access("/etc/hostname", R_OK) != 0) {
        skip();
    }
    assert_false(run_program(&spec, 5000, 1000, a, &r, &err));
    assert_non_null(strstr(err.text, "cannot hide '/etc/hostname'"));
    FD_AUTO fd = open(spec.cover_with, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_int_equal(write(fd, "hidden", 6), 6);
    if (run_program(&spec, 5000, 1000, a, &r, &err)) {
        assert_true(span_eq_text(r.out, "hidden"));
    } else {
        assert_int_equal(err.code, E_DENIED); /* not root */
    }
}

static void check_signal(int signo, void *folder)
{
    ARENA_AUTO a = arena_new();
    struct run_hold hold;
    struct run_result r;
    struct err err = ERR_INIT;
    run_hold_signals(&hold);
    assert_false(run_interrupted());
    assert_int_equal(raise(signo), 0);
    if (!run_interrupted()) {
        fail_msg("signal %d ends us at once", signo);
    }
    const uint64_t t0 = run_now_ms();
    assert_false(script(folder, "sleep 100", 60000, 1000, a, &r, &err));
    assert_int_equal(err.code, E_BUSY);
    assert_true(run_now_ms() - t0 < 10000);
    /* Taken here, so that letting signals in does not end the test. */
    assert_true(signal(signo, SIG_IGN) != SIG_ERR);
    run_release_signals(&hold);
    assert_true(signal(signo, SIG_DFL) != SIG_ERR);
    assert_false(run_interrupted());
}

/* A reader of our output that goes away is one of them. */
static void test_signals(void **state)
{
    static const int list[] = {SIGTERM, SIGPIPE, SIGPROF};
    for (size_t i = 0; i < ARRAY_LEN(list); i++) {
        check_signal(list[i], *state);
    }
}

/* One that is ignored, as nohup does, does not end us. */
static void test_ignored(void **state)
{
    ARENA_AUTO a = arena_new();
    struct run_hold hold;
    struct run_result r;
    struct err err = ERR_INIT;
    assert_true(signal(SIGHUP, SIG_IGN) != SIG_ERR);
    run_hold_signals(&hold);
    assert_int_equal(raise(SIGHUP), 0);
    assert_false(run_interrupted());
    assert_true(script(*state, "exit 0", 60000, 1000, a, &r, &err));
    run_release_signals(&hold);
    assert_true(signal(SIGHUP, SIG_DFL) != SIG_ERR);
}

static bool refuse(void *ctx, pid_t pid, struct err *reterr)
{
    *(pid_t *)ctx = pid;
    return err_set(reterr, E_LIMIT, "not today");
}

static void test_gate(void **state)
{
    const struct world *w = *state;
    ARENA_AUTO a = arena_new();
    struct run_result r;
    struct err err = ERR_INIT;
    pid_t pid = 0;
    static const char *const args[] = {"-c", "echo x >out", NULL};
    const struct run_spec spec = {.program = "/bin/sh",
                                  .args = args,
                                  .uid = geteuid(),
                                  .gid = getegid(),
                                  .dir = w->dir,
                                  .file_max = 4096,
                                  .before = refuse,
                                  .ctx = &pid};
    assert_false(run_program(&spec, 5000, 100, a, &r, &err));
    assert_int_equal(err.code, E_LIMIT);
    assert_true(pid > 0 && kill(pid, 0) != 0);
    assert_int_not_equal(access(arena_printf(a, "%s/out", w->dir), F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_good, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bare, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_limits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_children, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_not_a_program, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_fence, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_cover, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_signals, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ignored, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_gate, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
