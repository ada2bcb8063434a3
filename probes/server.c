/* The server probe: what the kernel says of one server's process. Asks the server itself nothing.
 */
#include "probes/server.h"

#include "advisor/base/banned.h"

static const struct decl_rows themes[] = {
    {server_process_decls, ARRAY_LEN(server_process_decls)},
    {server_cgroup_decls, ARRAY_LEN(server_cgroup_decls)},
    {server_io_decls, ARRAY_LEN(server_io_decls)},
    {server_memory_decls, ARRAY_LEN(server_memory_decls)},
};

static bool open_server(struct probe_ctx *ctx)
{
    if (ctx->args->pid != 0) {
        server_namespace_open(ctx);
        server_memory_open(ctx);
    }
    return true;
}

/* Without a process here (a server on another host) nothing of it can be read. */
static void set_remote(struct probe_ctx *ctx)
{
    for (size_t t = 0; t < ARRAY_LEN(themes); t++) {
        for (size_t i = 0; i < themes[t].n; i++) {
            store_unknown(ctx->store, ctx->subject, themes[t].rows[i].name, FACT_NOT_SUPPORTED,
                          "/proc", "", "the server has no process on this host");
        }
    }
}

static void run_server(struct probe_ctx *ctx)
{
    if (ctx->args->pid == 0) {
        set_remote(ctx);
        return;
    }
    server_process_run(ctx);
    server_memory_run(ctx);
    server_cgroup_run(ctx);
}

const struct probe probe_server = {
    .name = "server",
    .doc = "one server's process: limits, control groups, memory",
    .identity = IDENTITY_NOBODY,
    .themes = themes,
    .n_themes = ARRAY_LEN(themes),
    .open = open_server,
    .run = run_server,
};
