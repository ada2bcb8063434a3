/* Toy probes that behave; see toy.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/probes/toy.h"

#include "advisor/base/banned.h"

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
const struct probe toy_device = {.name = "device",
                                 .run = device_run,
                                 .decls = device_rows,
                                 .n_decls = ARRAY_LEN(device_rows),
                                 .identity = IDENTITY_NVME};
const struct probe_table toy_table = {.proc = &proc_toy,
                                      .server = &server_toy,
                                      .sql = &sql_toy,
                                      .volume = &volume_toy,
                                      .device = &toy_device};

void toy_assert_same(struct arena *a, const struct toy_run *live, const struct probe_table *t)
{
    for (int i = 0; i < 2; i++) {
        const struct toy_run again = toy_replay(a, t, live->capture, NULL);
        assert_int_equal(again.ok, live->ok);
        assert_string_equal(toy_dump(a, again.store), toy_dump(a, live->store));
    }
}
