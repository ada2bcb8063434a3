/* The runner with toy probes that do not behave: whatever a child does, the run ends in time, the
 * rest stands, and a replay of its capture gives the same store. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/probes/toy.h"

#include "advisor/base/banned.h"

#define PIPE_FD 3

static const struct collect_options quick = {.timeout_s = 2};

/* Each does its harm only after an answer, which a replay of its capture does not give. */
static bool ask(struct probe_ctx *ctx)
{
    struct span text;
    struct err err = ERR_INIT;
    toy_count(ctx, "device.a", 1);
    return host_read(ctx->host, "/proc/uptime", 0, &text, &err);
}

static void hang_run(struct probe_ctx *ctx)
{
    if (ask(ctx)) {
        (void)signal(SIGTERM, SIG_IGN);
        toy_count(ctx, "device.b", 2); /* found while it hung: not kept */
        for (;;) {
            pause();
        }
    }
}

static void fork_run(struct probe_ctx *ctx)
{
    if (ask(ctx)) {
        if (fork() == 0) {
            prctl(PR_SET_NAME, "nv-toy-orphan");
            for (;;) {
                pause(); /* holds the pipe open */
            }
        }
        _exit(0);
    }
}

static void killed_run(struct probe_ctx *ctx)
{
    if (ask(ctx)) {
        (void)raise(SIGKILL);
    }
}

static void exit_run(struct probe_ctx *ctx)
{
    if (ask(ctx)) {
        _exit(0);
    }
}

static void garbage_run(struct probe_ctx *ctx)
{
    if (ask(ctx)) {
        (void)!write(PIPE_FD, "\x05\0\0\0\xff garbage", 13);
        for (;;) {
            pause();
        }
    }
}

/* A whole frame that says what this job may not say. */
static void liar_run(struct probe_ctx *ctx)
{
    if (ask(ctx)) {
        struct probe_ctx other = *ctx;
        other.subject = store_subject(ctx->store, SUBJECT_HOST, "host");
        toy_count(&other, "host.a", 666);
    }
}

static void huge_run(struct probe_ctx *ctx)
{
    if (ask(ctx)) {
        char *const big = arena_alloc(ctx->arena, 60001);
        memset(big, 'x', 60000);
        for (;;) {
            toy_text(ctx, "device.b", big);
        }
    }
}

static void huge_frame_run(struct probe_ctx *ctx)
{
    if (ask(ctx)) {
        (void)!write(PIPE_FD, "\xff\xff\xff\x02\x02", 5);
        char zeros[65536] = {0};
        while (write(PIPE_FD, zeros, sizeof(zeros)) > 0) {
        }
    }
}

static void close_run(struct probe_ctx *ctx)
{
    if (ask(ctx)) {
        close(PIPE_FD);
        for (;;) {
            pause();
        }
    }
}

/* A child that stops itself cannot be told from one that hangs. */
static void stop_run(struct probe_ctx *ctx)
{
    if (ask(ctx)) {
        (void)raise(SIGSTOP);
    }
}

static void test_bad_children(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        void (*run)(struct probe_ctx *ctx);
        const char *state, *reason;
        double seconds; /* at most */
    } rows[] = {
        {"hang", hang_run, "timed out",
         "no answer within 2 s; the last question was read '/proc/uptime'", 4},
        {"fork", fork_run, "timed out", "no answer within 2 s", 4},
        {"stop", stop_run, "timed out", "no answer within 2 s", 4},
        {"killed", killed_run, "crashed",
         "the probe was ended by signal 9; the last question was read '/proc/uptime'", 1.8},
        {"exit", exit_run, "crashed", "the probe ended before its time", 1.8},
        {"close", close_run, "crashed", "the probe", 1.8},
        {"garbage", garbage_run, "crashed", "the probe sent bytes that mean nothing", 1.8},
        {"liar", liar_run, "crashed", "the probe sent what is no fact of its own", 1.8},
        {"huge", huge_run, "crashed", "the probe sent bytes that mean nothing", 6},
        {"huge frame", huge_frame_run, "crashed", "the probe sent bytes that mean nothing", 6},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct probe bad = toy_device;
        bad.run = rows[i].run;
        struct probe_table t = toy_table;
        t.device = &bad;
        const struct toy_run r = toy_live(a, &t, &quick, NULL);
        const char *const text = toy_dump(a, r.store);
        const char *const want =
            arena_printf(a, "device.b: %s reason '%s", rows[i].state, rows[i].reason);
        if (strstr(text, want) == NULL || strstr(text, "device.a: known = 1") == NULL ||
            strstr(text, "host.a: known = 7") == NULL) {
            fail_msg("%s: no \"%s\" in\n%s", rows[i].name, want, text);
        }
        if (r.seconds > rows[i].seconds) {
            fail_msg("%s took %g s", rows[i].name, r.seconds);
        }
        toy_assert_same(a, &r, &t);
    }
}

/* Living processes that a lost child of this test has started. A zombie is one that init has not yet
 * looked at. */
static unsigned living_orphans(struct host *h)
{
    ARENA_AUTO a = arena_new();
    struct host_names names;
    struct err err = ERR_INIT;
    unsigned n = 0;
    assert_true(host_list(h, "/proc", &names, &err));
    for (size_t i = 0; i < names.n; i++) {
        struct span stat;
        const char *const path = arena_printf(a, "/proc/%.*s/stat", SPAN_ARG(names.names[i]));
        if (host_read(h, path, 0, &stat, &err) &&
            strstr(span_dup(a, stat), "(nv-toy-orphan)") != NULL &&
            strstr(span_dup(a, stat), "(nv-toy-orphan) Z") == NULL) {
            n++;
        }
    }
    return n;
}

/* What a lost child started dies with it: at once, but a busy machine takes its time to say so, and
 * another run of this program may have orphans of its own for a moment. */
static void test_nothing_is_left(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct host *const h = host_live_new(a, NULL);
    unsigned left = living_orphans(h);
    for (unsigned i = 0; left > 0 && i < 100; i++) {
        usleep(50000);
        left = living_orphans(h);
    }
    host_live_close(h);
    assert_int_equal(left, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bad_children),
        cmocka_unit_test(test_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
