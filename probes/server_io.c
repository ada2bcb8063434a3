/* A server's control groups and the disks: which limits stand on which. Whether one is a disk of the server's
 * is decided when its volumes are known (leaf_limits.c). */
#include "probes/server.h"

#include "probes/cgroup_io.h"
#include "probes/ktext.h"
#include "probes/setters.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

#define FACT "server.cgroup.io_limits"

const struct fact_decl server_io_decls[] = {
    {FACT, KIND_LIST, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "limits of its control groups on single disks, a second: DISK read=BYTES write=BYTES writes=COUNT",
     "io.max, blkio.throttle.*", ""},
};

static void add_limit(struct buf *b, const char *key, struct num n)
{
    uint64_t value;
    if (n.tag == NUM_UNLIMITED || !num_to_u64(n, &value)) {
        buf_printf(b, " %s=max", key);
    } else {
        buf_printf(b, " %s=%llu", key, (unsigned long long)value);
    }
}

/* By its kernel name; a device that is gone keeps its number. */
static struct span word_of(struct probe_ctx *ctx, const struct cgroup_io *io)
{
    struct buf b;
    struct span target;
    struct err ignored = ERR_INIT;
    const char *number = arena_printf(ctx->arena, "%u:%u", io->major, io->minor);
    const char *link = arena_printf(ctx->arena, "/sys/dev/block/%s", number);
    buf_init(&b, ctx->arena, 512);
    if (host_link(ctx->host, link, &target, &ignored) && sysfs_name_ok(path_base(target))) {
        buf_add_span(&b, path_base(target));
    } else {
        buf_add_text(&b, number);
    }
    add_limit(&b, "read", io->read_bytes);
    add_limit(&b, "write", io->write_bytes);
    add_limit(&b, "writes", io->writes);
    return buf_span(&b);
}

/* v2 has one hierarchy; v1 calls this controller blkio. */
static bool open_group(struct probe_ctx *ctx, const struct server_groups *src,
                       const struct cgroup *tasks, struct cgroup *ret, struct err *reterr)
{
    struct span path;
    bool v2 = false;
    if (tasks != NULL && tasks->v2 && cgroup_find_path(src->text, "blkio", &path, &v2) && v2) {
        *ret = *tasks;
        return true;
    }
    return cgroup_open(ctx->host, ctx->arena, src->text, &src->mounts, "blkio", ret, reterr);
}

void server_io_run(struct probe_ctx *ctx, const struct server_groups *src, const struct cgroup *tasks)
{
    struct cgroup g;
    struct cgroup_io_list io;
    struct err e = ERR_INIT;
    if (!open_group(ctx, src, tasks, &g, &e) ||
        !cgroup_io_read(ctx->host, ctx->arena, &g, &io, &e)) {
        set_err(ctx, FACT, &e, src->path);
        return;
    }
    const char *source = g.none ? src->path
                         : g.v2 ? cgroup_file(ctx->arena, &g, "io.max")
                                : cgroup_file(ctx->arena, &g, "blkio.throttle.*");
    if (io.n == 0 && g.cut_off && g.v2) {
        set_unknown(ctx, FACT, FACT_ABSENT, source, "Run on the host itself.",
                    "the control groups above are out of sight");
        return;
    }
    struct span *words = arena_calloc(ctx->arena, io.n + 1, sizeof(*words));
    for (size_t i = 0; i < io.n; i++) {
        words[i] = word_of(ctx, &io.list[i]);
    }
    set_words(ctx, FACT, KIND_LIST, words, io.n, source);
}
