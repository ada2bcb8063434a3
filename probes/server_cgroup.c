/* A server's control groups: memory, CPU, tasks; and with whom it shares the memory it may use. */
#include "probes/server.h"

#include "probes/cgroup.h"
#include "probes/ktext.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

#define MEMINFO "/proc/meminfo"
#define MOUNTS "/proc/self/mountinfo"
#define KIB 1024u

const struct fact_decl server_cgroup_decls[] = {
    {"server.cgroup.path", KIND_STRING, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "its own control group (of memory, where there are several)", "/proc/PID/cgroup", ""},
    {"server.cgroup.memory_max", KIND_BYTES, NULL, SUBJECT_SERVER, FOLD_MIN, NEED_NONE,
     "smallest memory limit of its control group and all above",
     "memory.max, memory.limit_in_bytes", ""},
    {"server.cgroup.memory_high", KIND_BYTES, NULL, SUBJECT_SERVER, FOLD_MIN, NEED_NONE,
     "memory from which the kernel slows its control group, or one above", "memory.high", ""},
    {"server.cgroup.oom_kills", KIND_COUNT, NULL, SUBJECT_SERVER, FOLD_SUM, NEED_NONE,
     "processes of its control group that were ended for want of memory",
     "memory.events, memory.oom_control", ""},
    {"server.cgroup.cpu_quota", KIND_RATIO, NULL, SUBJECT_SERVER, FOLD_MIN, NEED_NONE,
     "CPUs' time that its control group, or one above, may use", "cpu.max, cpu.cfs_quota_us", ""},
    {"server.process.max_processes", KIND_COUNT, NULL, SUBJECT_SERVER, FOLD_MIN, NEED_NONE,
     "threads that it may have: its user's limit or its control groups', the smaller",
     "/proc/PID/limits, pids.max", ""},
};

static bool read_sources(struct probe_ctx *ctx, struct server_groups *src, struct err *reterr)
{
    struct span mounts;
    src->path = server_path(ctx, "cgroup");
    if (!ktext_read(ctx->host, src->path, 0, &src->text, reterr) &&
        !ktext_read(ctx->host, src->path, 0, &src->text, reterr)) {
        struct host_stat st;
        if (reterr->code != E_ABSENT || !host_stat(ctx->host, server_path(ctx, ""), &st, reterr)) {
            return false;
        }
        src->text = (struct span){"", 0}; /* a kernel without control groups */
    }
    if (!ktext_read(ctx->host, MOUNTS, HOST_PROC_MAX, &mounts, reterr)) {
        return false;
    }
    mountinfo_parse(ctx->arena, mounts, &src->mounts);
    return true;
}

/* ---- memory ---------------------------------------------------------------------------------- */

static void set_oom_kills(struct probe_ctx *ctx, const struct cgroup *g)
{
    static const char fact[] = "server.cgroup.oom_kills";
    const char *path = cgroup_file(ctx->arena, g, g->v2 ? "memory.events" : "memory.oom_control");
    struct span text;
    struct err err = ERR_INIT;
    uint64_t n;
    if (ktext_read(ctx->host, path, 0, &text, &err) &&
        (ktext_field_u64(text, "oom_kill", &n) || ktext_bad(&err, path, "line oom_kill"))) {
        probe_known(ctx, fact, value_u64(KIND_COUNT, n), path);
    } else {
        probe_unknown(ctx, fact, &err, path, "");
    }
}

/* Above a mount that shows only a part of the hierarchy v1 still tells the smallest limit. */
static bool add_hidden_limit(struct probe_ctx *ctx, const struct cgroup *g, struct num *max,
                             const char **source, struct err *reterr)
{
    struct span text, value;
    struct num n;
    const char *path = cgroup_file(ctx->arena, g, "memory.stat");
    if (!ktext_read(ctx->host, path, 0, &text, reterr)) {
        return false;
    }
    if (!ktext_field(text, "hierarchical_memory_limit", &value) ||
        !cgroup_read_v1_bytes(value, &n)) {
        return ktext_bad(reterr, path, "hierarchical_memory_limit");
    }
    if (num_cmp(n, *max) < 0) {
        *max = n;
        *source = path;
    }
    return true;
}

/* The two limits; unlimited where there is none. */
static bool read_memory(struct probe_ctx *ctx, const struct cgroup *g, struct num *ret_max,
                        struct num *ret_high, const char *sources[2], struct err *reterr)
{
    struct host *h = ctx->host;
    *ret_high = *ret_max = num_unlimited();
    if (g->none) {
        return true;
    }
    if (g->v2) {
        return cgroup_smallest(h, ctx->arena, g, "memory.max", cgroup_read_max, ret_max,
                               &sources[0], reterr) &&
               cgroup_smallest(h, ctx->arena, g, "memory.high", cgroup_read_max, ret_high,
                               &sources[1], reterr);
    }
    return cgroup_smallest(h, ctx->arena, g, "memory.limit_in_bytes", cgroup_read_v1_bytes, ret_max,
                           &sources[0], reterr) &&
           (!g->cut_off || add_hidden_limit(ctx, g, ret_max, &sources[0], reterr));
}

/* Does a limit of its own keep the server below the host's memory? */
static bool is_limited(struct num max, struct num high, struct num total)
{
    struct num high90 = high;
    if (num_mul(high, num_real(0.9), &high90) != NUM_OK) {
        return num_cmp(max, total) < 0;
    }
    return num_cmp(max, total) < 0 || num_cmp(high90, total) < 0;
}

static void set_others(struct probe_ctx *ctx, struct num max, struct num high)
{
    static const char fact[] = "server.memory.others";
    struct span text;
    struct err err = ERR_INIT;
    uint64_t kib;
    struct num total;
    if (!ktext_read(ctx->host, MEMINFO, 0, &text, &err) ||
        ((!ktext_field_u64(text, "MemTotal", &kib) ||
          num_mul(num_u64(kib), num_u64(KIB), &total) != NUM_OK) &&
         !ktext_bad(&err, MEMINFO, "MemTotal"))) {
        probe_unknown(ctx, fact, &err, MEMINFO, "");
    } else if (is_limited(max, high, total)) {
        probe_known(ctx, fact, value_u64(KIND_BYTES, 0), "control group below the host's memory");
    } else if (ctx->args->others_rss_known) {
        probe_known(ctx, fact, value_u64(KIND_BYTES, ctx->args->others_rss), "/proc/*/statm");
    } else {
        store_unknown(ctx->store, ctx->subject, fact, FACT_NOT_PERMITTED, "/proc/*/statm",
                      "Run as root on the host itself.",
                      "the memory of other processes is not known: /proc hides some");
    }
}

static void set_memory_unknown(struct probe_ctx *ctx, const struct err *err, const char *source)
{
    static const char *const facts[] = {"server.cgroup.memory_max", "server.cgroup.memory_high",
                                        "server.memory.others"};
    for (size_t i = 0; i < ARRAY_LEN(facts); i++) {
        probe_unknown(ctx, facts[i], err, source, "");
    }
}

static void set_memory(struct probe_ctx *ctx, const struct server_groups *src)
{
    struct cgroup g;
    struct num max, high;
    struct err err = ERR_INIT;
    const char *sources[2] = {src->path, src->path};
    if (!cgroup_open(ctx->host, ctx->arena, src->text, &src->mounts, "memory", &g, &err)) {
        set_memory_unknown(ctx, &err, src->path);
        probe_unknown(ctx, "server.cgroup.path", &err, src->path, "");
        probe_unknown(ctx, "server.cgroup.oom_kills", &err, src->path, "");
        return;
    }
    if (g.none) {
        static const char *const facts[] = {"server.cgroup.path", "server.cgroup.oom_kills"};
        for (size_t i = 0; i < ARRAY_LEN(facts); i++) {
            store_unknown(ctx->store, ctx->subject, facts[i], FACT_ABSENT, src->path, "",
                          "the process is in no control group");
        }
    } else {
        struct value path = value_text(KIND_STRING, text_clean(ctx->arena, g.path));
        probe_known(ctx, "server.cgroup.path", path, src->path);
        set_oom_kills(ctx, &g);
    }
    if (!read_memory(ctx, &g, &max, &high, sources, &err)) {
        set_memory_unknown(ctx, &err, src->path);
        return;
    }
    probe_known(ctx, "server.cgroup.memory_max", value_num(KIND_BYTES, max), sources[0]);
    probe_known(ctx, "server.cgroup.memory_high", value_num(KIND_BYTES, high), sources[1]);
    set_others(ctx, max, high);
}

/* ---- CPU and tasks --------------------------------------------------------------------------- */

static void set_cpu(struct probe_ctx *ctx, const struct server_groups *src)
{
    struct cgroup g;
    struct num cores = num_unlimited();
    struct err err = ERR_INIT;
    const char *source = src->path;
    bool ok = cgroup_open(ctx->host, ctx->arena, src->text, &src->mounts, "cpu", &g, &err);
    if (ok && !g.none) {
        ok = g.v2 ? cgroup_smallest(ctx->host, ctx->arena, &g, "cpu.max", cgroup_read_cpu_max,
                                    &cores, &source, &err)
                  : cgroup_smallest_v1_quota(ctx->host, ctx->arena, &g, &cores, &source, &err);
    }
    if (ok) {
        probe_known(ctx, "server.cgroup.cpu_quota", value_num(KIND_RATIO, cores), source);
    } else {
        probe_unknown(ctx, "server.cgroup.cpu_quota", &err, source, "");
    }
}

static bool read_nproc(struct probe_ctx *ctx, struct num *ret, struct err *reterr)
{
    const char *path = server_path(ctx, "limits");
    struct span text;
    return ktext_read(ctx->host, path, 0, &text, reterr) &&
           (server_read_limit(text, "Max processes", ret) ||
            ktext_bad(reterr, path, "Max processes"));
}

/* And, over the same group where one hierarchy serves both, the limits on disks: no level is looked for
 * twice. */
static void set_tasks(struct probe_ctx *ctx, const struct server_groups *src)
{
    struct cgroup g;
    struct num limit, max = num_unlimited();
    struct err err = ERR_INIT;
    const char *source = server_path(ctx, "limits"), *file = source;
    const bool read = read_nproc(ctx, &limit, &err);
    struct err open_err = err;
    const bool opened =
        cgroup_open(ctx->host, ctx->arena, src->text, &src->mounts, "pids", &g, &open_err);
    server_io_run(ctx, src, opened ? &g : NULL);
    if (!read || !opened ||
        (!g.none && !cgroup_smallest(ctx->host, ctx->arena, &g, "pids.max", cgroup_read_max, &max,
                                     &file, &err))) {
        probe_unknown(ctx, "server.process.max_processes", read && !opened ? &open_err : &err, source,
                      "");
        return;
    }
    bool group = num_cmp(max, limit) < 0;
    probe_known(ctx, "server.process.max_processes", value_num(KIND_COUNT, group ? max : limit),
                group ? file : source);
}

void server_cgroup_run(struct probe_ctx *ctx)
{
    struct server_groups src;
    struct err err = ERR_INIT;
    if (read_sources(ctx, &src, &err)) {
        set_memory(ctx, &src);
        set_cpu(ctx, &src);
        set_tasks(ctx, &src);
        return;
    }
    set_memory_unknown(ctx, &err, src.path);
    static const char *const facts[] = {"server.cgroup.path", "server.cgroup.oom_kills",
                                        "server.cgroup.cpu_quota", "server.process.max_processes",
                                        "server.cgroup.io_limits"};
    for (size_t i = 0; i < ARRAY_LEN(facts); i++) {
        probe_unknown(ctx, facts[i], &err, src.path, "");
    }
}
