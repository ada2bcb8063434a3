/* What a child is allowed: identities, descriptors, signals; and runs that end before they begin.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "probes/child.h"
#include "tests/unit/probes/toy.h"

#include "advisor/base/banned.h"

/* Lines of /proc/self/status, as words after the name. */
static const char *status_line(struct probe_ctx *ctx, const char *name)
{
    struct span text, line;
    struct err err = ERR_INIT;
    if (!host_read(ctx->host, "/proc/self/status", 0, &text, &err)) {
        return "?";
    }
    while (span_line(&text, &line)) {
        if (span_starts(line, name)) {
            return span_dup(ctx->arena, span_trim(span_sub(line, strlen(name), line.len)));
        }
    }
    return "?";
}

static void look_run(struct probe_ctx *ctx)
{
    struct host_names fds = {.n = 0};
    struct err err = ERR_INIT;
    struct buf b;
    buf_init(&b, ctx->arena, 4096);
    (void)!host_list(ctx->host, "/proc/self/fd", &fds, &err);
    buf_printf(&b, "uid %s gid %s groups [%s] caps %s nnp %s fds", status_line(ctx, "Uid:"),
               status_line(ctx, "Gid:"), status_line(ctx, "Groups:"), status_line(ctx, "CapEff:"),
               status_line(ctx, "NoNewPrivs:"));
    for (size_t i = 0; i < fds.n; i++) {
        buf_printf(&b, " %.*s", SPAN_ARG(fds.names[i]));
    }
    toy_text(ctx, "host.text", b.ptr);
    toy_count(ctx, "host.a", (uint64_t)getpgrp() == (uint64_t)getpid());
}

static bool open_any(struct probe_ctx *ctx)
{
    struct host_who who = {.uid = 77};
    struct err err = ERR_INIT;
    if (host_who(ctx->host, &who, &err)) {
        toy_count(ctx, "host.b", who.uid); /* before the drop */
    }
    return true;
}

static struct toy_run run_as(struct arena *a, enum identity identity)
{
    const struct probe p = {
        .name = "proc", .identity = identity, .open = open_any, .run = look_run};
    const struct probe_table t = {.proc = &p};
    const struct collect_options opt = {.timeout_s = 5, .host_only = true};
    return toy_live(a, &t, &opt, NULL);
}

static void test_identities(void **state)
{
    (void)state;
    static const struct {
        enum identity identity;
        const char *root, *other; /* what root becomes; what others keep */
    } rows[] = {
        {IDENTITY_NOBODY,
         "uid 65534\t65534\t65534\t65534 gid 65534\t65534\t65534\t65534 groups [] caps "
         "0000000000000000 nnp 1 fds 0 1 2 3 4 5",
         "caps 0000000000000000 nnp 1 fds 0 1 2 3 4 5"},
        {IDENTITY_NVME,
         "uid 65534\t65534\t65534\t65534 gid 65534\t65534\t65534\t65534 groups [] caps "
         "0000000000200000 nnp 1 fds 0 1 2 3 4 5",
         "nnp 1 fds 0 1 2 3 4 5"},
        {IDENTITY_SERVER,
         "uid 0\t0\t0\t0 gid 0\t0\t0\t0 groups [] caps 0000000000000000 nnp 1 fds 0 1 2 3 4 5",
         "caps 0000000000000000 nnp 1 fds 0 1 2 3 4 5"},
    };
    const int secret = open("/dev/null", O_RDONLY); /* not close-on-exec, like a library's */
    assert_true(dup2(secret, 77) == 77);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        const struct toy_run r = run_as(a, rows[i].identity);
        const char *const text = toy_dump(a, r.store);
        const char *const want = geteuid() == 0 ? rows[i].root : rows[i].other;
        const struct fact *const f =
            store_get(r.store, store_find_subject(r.store, "host"), SPAN_LIT("host.text"));
        const char *const got = f->state == FACT_KNOWN ? span_dup(a, f->value.text) : text;
        if (strstr(got, want) == NULL) {
            fail_msg("identity %zu: %s", i, got);
        }
        assert_non_null(strstr(text, "host.a: known = 1"));
        assert_non_null(strstr(text, arena_printf(a, "host.b: known = %u", (unsigned)geteuid())));
    }
    close(77);
    close(secret);
}

static void set_run(struct probe_ctx *ctx)
{
    toy_count(ctx, "host.a", 3);
}

static const struct probe simple = {.name = "proc", .run = set_run};

/* Whoever started us may ignore dead children: the kernel then takes them away at once. */
static void test_ignored_sigchld(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct probe_table t = {.proc = &simple};
    const struct collect_options opt = {.timeout_s = 5, .host_only = true};
    (void)signal(SIGCHLD, SIG_IGN);
    const struct toy_run r = toy_live(a, &t, &opt, NULL);
    (void)signal(SIGCHLD, SIG_DFL);
    assert_non_null(strstr(toy_dump(a, r.store), "host.a: known = 3"));
    assert_true(r.seconds < 2);
}

/* More jobs than run side by side; and none at all. */
static void test_many_jobs(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct store *const s = store_new(a, toy_decls(a));
    struct job jobs[70];
    struct job_end ends[70];
    for (size_t i = 0; i < ARRAY_LEN(jobs); i++) {
        jobs[i] = (struct job){
            .id = arena_printf(a, "device:d%zu", i), .probe = &simple, .kind = SUBJECT_DEVICE};
        jobs[i].args.label = jobs[i].id;
    }
    const struct live_run run = {.stuck = stuck_load(a, NULL),
                                 .child_ns = 5000000000,
                                 .deadline_ns = live_now_ns() + 8000000000};
    wave_live(&run, jobs, ARRAY_LEN(jobs), s, true, ends);
    for (size_t i = 0; i < ARRAY_LEN(jobs); i++) {
        assert_true(ends[i].lost); /* host.a is no fact of a device */
        assert_int_equal(ends[i].why.code, E_CRASHED);
    }
    wave_live(&run, jobs, 0, s, true, ends);
    /* No time left: nothing is started, and it is said why. */
    const struct live_run late = {
        .stuck = stuck_load(a, NULL), .child_ns = 1, .deadline_ns = live_now_ns()};
    wave_live(&late, jobs, 1, s, true, ends);
    assert_true(ends[0].lost);
    assert_int_equal(ends[0].why.code, E_TIMEOUT);
    assert_non_null(strstr(ends[0].why.text, "time of the whole run"));
}

/* ---- stuck ----------------------------------------------------------------------------------- */

static void test_stuck(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    char dir[] = "/tmp/nv-stuck-XXXXXX";
    assert_non_null(mkdtemp(dir));
    const pid_t pid = fork();
    if (pid == 0) {
        for (;;) {
            pause();
        }
    }
    struct err why = ERR_INIT;
    struct stuck *s = stuck_load(a, dir);
    assert_false(stuck_find(s, "proc", &why));
    stuck_add(s, "proc", pid, 1764500000);
    stuck_save(s);
    s = stuck_load(a, dir);
    assert_true(stuck_find(s, "proc", &why));
    assert_false(stuck_find(s, "device:sda", &why));
    assert_int_equal(why.code, E_TIMEOUT);
    assert_non_null(strstr(why.text, arena_printf(a, "process %d", (int)pid)));
    assert_non_null(strstr(why.text, "since 2025-11-30 10:53 UTC"));
    /* A run does not try it, says so, and so does its replay. */
    const struct probe_table t = {.proc = &simple};
    const struct collect_options opt = {.timeout_s = 5, .host_only = true, .state_dir = dir};
    const struct toy_run r = toy_live(a, &t, &opt, NULL);
    assert_null(strstr(toy_dump(a, r.store), "host.a: known"));
    const struct toy_run again = toy_replay(a, &t, r.capture, NULL);
    assert_string_equal(toy_dump(a, r.store), toy_dump(a, again.store));
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    s = stuck_load(a, dir);
    assert_false(stuck_find(s, "proc", &why));
    stuck_save(s);
    unlink(arena_printf(a, "%s/stuck.json", dir));
    rmdir(dir);
    assert_false(stuck_find(stuck_load(a, "/nv-absent"), "proc", &why));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_identities),
        cmocka_unit_test(test_ignored_sigchld),
        cmocka_unit_test(test_many_jobs),
        cmocka_unit_test(test_stuck),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
