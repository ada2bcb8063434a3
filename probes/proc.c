/* The proc probe: one pass over /proc before privileges go, everything else after. */
#include "probes/proc.h"

#include "advisor/base/banned.h"

static const struct fact_decl rows[] = {
    {"host.root", KIND_BOOL, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "the run holds CAP_SYS_ADMIN, which NVMe pages need", "capabilities of the run", ""},
    {"host.fs.ext4_lazyinit", KIND_BOOL, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "the kernel initialises inode tables of some ext4 in the background", "/proc/*/comm", ""},
};

static const struct decl_rows themes[] = {
    {proc_server_decls, ARRAY_LEN(proc_server_decls)},
    {proc_kernel_decls, ARRAY_LEN(proc_kernel_decls)},
    {proc_memory_decls, ARRAY_LEN(proc_memory_decls)},
    {proc_sysctl_decls, ARRAY_LEN(proc_sysctl_decls)},
    {proc_platform_decls, ARRAY_LEN(proc_platform_decls)},
    {proc_cpu_decls, ARRAY_LEN(proc_cpu_decls)},
    {proc_driver_decls, ARRAY_LEN(proc_driver_decls)},
    {proc_trim_decls, ARRAY_LEN(proc_trim_decls)},
    {proc_swap_decls, ARRAY_LEN(proc_swap_decls)},
    {proc_zfs_decls, ARRAY_LEN(proc_zfs_decls)},
};

struct state {
    struct proc_scan scan;
    bool has_who;
    struct host_who who;
    struct err who_err;
};

static bool open_proc(struct probe_ctx *ctx)
{
    struct state *st = arena_alloc(ctx->arena, sizeof(*st));
    st->who_err = ERR_INIT;
    st->has_who = host_who(ctx->host, &st->who, &st->who_err);
    proc_scan_run(ctx->host, ctx->arena, &st->scan);
    ctx->priv = st;
    return true;
}

static void set_lazy_init(struct probe_ctx *ctx, const struct proc_scan *scan)
{
    static const char fact[] = "host.fs.ext4_lazyinit", source[] = "/proc/*/comm";
    if (scan->no_ext4) {
        probe_known(ctx, fact, value_bool(false), "/proc/fs/ext4");
    } else if (scan->threads_known) {
        probe_known(ctx, fact, value_bool(scan->lazy_init), source);
    } else if (scan->err.code != E_NONE) {
        probe_unknown(ctx, fact, &scan->err, source, "");
    } else {
        store_unknown(ctx->store, ctx->subject, fact, FACT_UNREADABLE, source, "",
                      "not all threads of the kernel could be looked at");
    }
}

/* The servers last: a command line is read from the process's memory, where a reader can hang, and
 * what was stated before stands. */
static void run_proc(struct probe_ctx *ctx)
{
    const struct state *st = ctx->priv;
    if (st->has_who) {
        probe_known(ctx, "host.root", value_bool(st->who.sys_admin), "capabilities of the run");
    } else {
        probe_unknown(ctx, "host.root", &st->who_err, "capabilities of the run", "");
    }
    set_lazy_init(ctx, &st->scan);
    proc_kernel_run(ctx);
    proc_memory_run(ctx);
    proc_platform_run(ctx);
    proc_cpu_run(ctx);
    proc_driver_run(ctx);
    proc_trim_run(ctx);
    proc_swap_run(ctx);
    proc_zfs_run(ctx);
    proc_servers_run(ctx, &st->scan);
}

const struct probe probe_proc = {
    .name = "proc",
    .doc = "the host, and the servers that run on it",
    .identity = IDENTITY_NOBODY,
    .decls = rows,
    .n_decls = ARRAY_LEN(rows),
    .themes = themes,
    .n_themes = ARRAY_LEN(themes),
    .open = open_proc,
    .run = run_proc,
};
