/* The runner with toy probes: whatever a child does, the run ends in time, and a replay of its
 * capture gives the same store. */
#include <errno.h>
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

static const struct fact_decl host_rows[] = {
    {"host.a", KIND_COUNT, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE, "toy", "toy", ""},
    {"host.b", KIND_COUNT, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE, "toy", "toy", ""},
};
static const struct fact_decl device_rows[] = {
    {"device.a", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_SAME, NEED_NONE, "toy", "toy", ""},
    {"device.b", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_SAME, NEED_NONE, "toy", "toy", ""},
};
static const struct fact_decl volume_rows[] = {
    {"volume.fs.type", KIND_STRING, NULL, SUBJECT_VOLUME, FOLD_SAME, NEED_NONE, "toy", "toy", ""},
    {"server.data.bytes", KIND_BYTES, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE, "toy", "toy", ""},
};

/* ---- toys that behave ------------------------------------------------------------------------ */

static void make_server(struct probe_ctx *ctx, const char *label, uint64_t pid)
{
    struct probe_ctx sc = *ctx;
    sc.subject = store_subject(ctx->store, SUBJECT_SERVER, label);
    toy_count(&sc, "server.pid", pid);
    toy_count(&sc, "server.process.uid", 65534);
    toy_count(&sc, "server.process.gid", 65534);
    toy_text(&sc, "server.process.cwd", "/data");
    store_known(ctx->store, sc.subject, "server.process.rss", value_u64(KIND_BYTES, 1000 + pid),
                "toy");
}

static void proc_run(struct probe_ctx *ctx)
{
    struct span text;
    struct err err = ERR_INIT;
    if (host_read(ctx->host, "/proc/sys/kernel/ostype", 0, &text, &err)) {
        store_known(ctx->store, ctx->subject, "host.text", value_text(KIND_STRING, text), "toy");
    }
    if (!host_read(ctx->host, "/nv-absent", 0, &text, &err)) {
        store_unknown(ctx->store, ctx->subject, "host.b", fact_state_from_err(err.code), "toy",
                      "make it", "%s", err.text);
    }
    toy_count(ctx, "host.a", 7);
    store_known(ctx->store, ctx->subject, "host.memory.other_rss", value_u64(KIND_BYTES, 500),
                "toy");
    make_server(ctx, "server:/b", 22);
    make_server(ctx, "server:/a", 11);
}

static void server_run(struct probe_ctx *ctx)
{
    struct host_who who;
    struct err err = ERR_INIT;
    if (host_who(ctx->host, &who, &err) && ctx->args->others_rss_known) {
        store_known(ctx->store, ctx->subject, "server.memory.others",
                    value_u64(KIND_BYTES, ctx->args->others_rss), "toy");
    }
}

static bool sql_open(struct probe_ctx *ctx)
{
    struct span text;
    struct err err = ERR_INIT;
    if (!host_open(ctx->host, "sql", &text, &err)) {
        store_unknown(ctx->store, ctx->subject, "server.version_string",
                      fact_state_from_err(err.code), "toy", err.hint, "%s", err.text);
        return false;
    }
    return true;
}

static void sql_run(struct probe_ctx *ctx)
{
    toy_text(ctx, "server.version_string", "1.2");
}

static void volume_run(struct probe_ctx *ctx)
{
    static const struct span leaves[] = {{"sdb", 3}, {"../x", 4}, {"sda", 3}};
    struct host_stat st;
    struct err err = ERR_INIT;
    if (host_stat(ctx->host, "/proc", &st, &err)) {
        toy_text(ctx, "volume.fs.type", ctx->args->path);
        ctx->subject->identity = arena_printf(store_arena(ctx->store), "id %s", ctx->args->path);
    }
    store_known(ctx->store, ctx->subject, "volume.leaf_devices",
                value_words(ctx->arena, KIND_LIST, leaves, ARRAY_LEN(leaves)), "toy");
    const struct subject *const server = store_find_subject(ctx->store, ctx->args->server);
    store_known(ctx->store, server, "server.data.bytes", value_u64(KIND_BYTES, 99), "toy");
}

static void device_run(struct probe_ctx *ctx)
{
    int64_t now = 0;
    struct err err = ERR_INIT;
    toy_count(ctx, "device.a", strlen(ctx->args->device));
    if (host_clock(ctx->host, &now, &err)) {
        toy_count(ctx, "device.b", (uint64_t)now);
    }
}

static const struct probe proc_toy = {
    .name = "proc", .run = proc_run, .decls = host_rows, .n_decls = ARRAY_LEN(host_rows)};
static const struct probe server_toy = {.name = "server", .run = server_run};
static const struct probe sql_toy = {.name = "sql", .open = sql_open, .run = sql_run};
static const struct probe volume_toy = {.name = "volume",
                                        .run = volume_run,
                                        .decls = volume_rows,
                                        .n_decls = ARRAY_LEN(volume_rows),
                                        .identity = IDENTITY_SERVER};
static const struct probe device_toy = {.name = "device",
                                        .run = device_run,
                                        .decls = device_rows,
                                        .n_decls = ARRAY_LEN(device_rows),
                                        .identity = IDENTITY_NVME};
static const struct probe_table good = {.proc = &proc_toy,
                                        .server = &server_toy,
                                        .sql = &sql_toy,
                                        .volume = &volume_toy,
                                        .device = &device_toy};

static const struct collect_options quick = {.timeout_s = 0.4};

static void assert_same(struct arena *a, const struct toy_run *live, const struct probe_table *t)
{
    for (int i = 0; i < 2; i++) {
        const struct toy_run again = toy_replay(a, t, live->capture, NULL);
        assert_int_equal(again.ok, live->ok);
        assert_string_equal(toy_dump(a, again.store), toy_dump(a, live->store));
    }
}

static void test_live_equals_replay(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    const struct collect_options opt = {.timeout_s = 5};
    const struct toy_run r = toy_live(a, &good, &opt, NULL);
    assert_true(r.ok);
    const char *const text = toy_dump(a, r.store);
    static const char *const has[] = {
        "host.a: known = 7",
        "host.b: absent reason 'cannot read '/nv-absent': No such file or directory'",
        "server:/a identity",
        "server.memory.others: known = 1522B", /* 500 and the other server's 1022 */
        "volume:/a:data identity 'id /data' server 'server:/a' roles 63",
        "server.data.bytes: known = 99B",
        "device:sda identity",
        "device.a: known = 3",
        "server.version_string: unreadable reason 'no socket", /* no login */
    };
    for (size_t i = 0; i < ARRAY_LEN(has); i++) {
        if (strstr(text, has[i]) == NULL) {
            fail_msg("no \"%s\" in\n%s", has[i], text);
        }
    }
    assert_null(strstr(text, "device:../x"));
    assert_same(a, &r, &good);
    const char *const *probes = NULL;
    assert_int_equal(capture_probes(r.capture, &probes), 9);
    assert_string_equal(probes[0], "device:sda");
    assert_string_equal(probes[8], "volume:/b:data");
}

/* ---- toys that do not ------------------------------------------------------------------------ */

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
         "no answer within 0.4 s; the last question was read '/proc/uptime'", 1.5},
        {"fork", fork_run, "timed out", "no answer within 0.4 s", 1.5},
        {"stop", stop_run, "timed out", "no answer within 0.4 s", 1.5},
        {"killed", killed_run, "crashed",
         "the probe was ended by signal 9; the last question was read '/proc/uptime'", 0.35},
        {"exit", exit_run, "crashed", "the probe ended before its time", 0.35},
        {"close", close_run, "crashed", "the probe", 0.35},
        {"garbage", garbage_run, "crashed", "the probe sent bytes that mean nothing", 0.35},
        {"liar", liar_run, "crashed", "the probe sent what is no fact of its own", 0.35},
        {"huge", huge_run, "crashed", "the probe sent bytes that mean nothing", 3},
        {"huge frame", huge_frame_run, "crashed", "the probe sent bytes that mean nothing", 3},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct probe bad = device_toy;
        bad.run = rows[i].run;
        struct probe_table t = good;
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
        assert_same(a, &r, &t);
    }
}

/* What a lost child started dies with it. */
static void test_nothing_is_left(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct host *const h = host_live_new(a, NULL);
    struct host_names names;
    struct err err = ERR_INIT;
    usleep(50000);
    assert_true(host_list(h, "/proc", &names, &err));
    for (size_t i = 0; i < names.n; i++) {
        struct span stat;
        const char *const path = arena_printf(a, "/proc/%.*s/stat", SPAN_ARG(names.names[i]));
        if (host_read(h, path, 0, &stat, &err) &&
            strstr(span_dup(a, stat), "(nv-toy-orphan)") != NULL) {
            /* Dead, and init has not yet looked. */
            assert_non_null(strstr(span_dup(a, stat), "(nv-toy-orphan) Z"));
        }
    }
    host_live_close(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_live_equals_replay),
        cmocka_unit_test(test_bad_children),
        cmocka_unit_test(test_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
