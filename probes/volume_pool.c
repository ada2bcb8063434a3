/* Volume, theme ZFS: the devices below a pool, as a walk that begins at the pool, and what follows from who lies
 * where. Only vdevs that hold the pool's data have leaves: logs and caches belong to the picture, but what a
 * volume's disks are is asked about the data. */
#include <string.h>

#include "probes/setters.h"
#include "probes/sysfs.h"
#include "probes/volume_chain.h"

#include "advisor/base/banned.h"

static bool has_role(const struct zpool_vdev *d, const char *role)
{
    return strcmp(d->role, role) == 0;
}

/* Data, and the tables that data cannot be found without. */
static bool holds_data(const struct zpool_vdev *d)
{
    return has_role(d, "data") || has_role(d, "special") || has_role(d, "dedup");
}

/* "/dev/nvme0n1p1" as the kernel calls it; false: no device can be called so. */
static bool kernel_name(struct volume *v, struct span path, struct span *ret)
{
    if (!span_starts(path, "/dev/")) {
        return false;
    }
    char *const name = span_dup(v->ctx->arena, span_sub(path, strlen("/dev/"), path.len));
    for (char *c = name; *c != '\0'; c++) {
        *c = *c == '/' ? '!' : *c;
    }
    *ret = span_of(name);
    return sysfs_name_ok(*ret);
}

/* ---- the walk -------------------------------------------------------------------------------- */

struct pool_walk {
    struct volume *v;
    struct blockwalk *walk;
    size_t *node_of; /* by line of the table */
    bool any;        /* a device holds data */
};

/* What the pool says of it, for the picture. */
static void add_keys(struct pool_walk *p, size_t node, const struct zpool_vdev *d)
{
    struct arena *const a = p->v->ctx->arena;
    if (!d->leaf && d->type != NULL && d->depth > 0) {
        blockwalk_key(p->walk, node, "type", span_of(d->type));
    }
    if (d->state.len > 0) {
        blockwalk_key(p->walk, node, "state", d->state);
    }
    if (d->has_counts) {
        const uint64_t two = d->write > UINT64_MAX - d->read ? UINT64_MAX : d->read + d->write;
        const uint64_t all = d->cksum > UINT64_MAX - two ? UINT64_MAX : two + d->cksum;
        blockwalk_key(p->walk, node, "errors",
                      span_of(arena_printf(a, "%llu", (unsigned long long)all)));
    }
}

static size_t above(const struct pool_walk *p, const struct zpool_vdev *d)
{
    return d->depth == 0 ? WALK_TOP : p->node_of[d->parent];
}

static const char *role_of(const struct zpool_vdev *d)
{
    return has_role(d, "data") ? NULL : d->role;
}

/* A line of the table itself: the pool, a group, a device that is not looked below. */
static size_t put_line(struct pool_walk *p, const struct zpool_vdev *d)
{
    const struct span name = span_starts(d->name, "/dev/") ? path_base(d->name) : d->name;
    return blockwalk_put(p->walk, above(p, d), span_dup(p->v->ctx->arena, name),
                         d->depth == 0 ? "pool" : "vdev", role_of(d));
}

/* What stands in the pool's table but gives no way down: told in the picture, and missed only with data. */
static size_t put_end(struct pool_walk *p, const struct zpool_vdev *d, const char *why)
{
    const size_t node = put_line(p, d);
    struct err e = ERR_INIT;
    err_set(&e, E_ABSENT, "%s", why);
    if (holds_data(d) && zpool_in_use(d)) {
        blockwalk_stop(p->walk, node, &e);
    } else {
        blockwalk_gone(p->walk, node, e.text);
    }
    return node;
}

static size_t put_device(struct pool_walk *p, const struct zpool_vdev *d)
{
    struct span name;
    if (!zpool_in_use(d)) {
        return put_end(p, d, "not in use");
    }
    if (strcmp(d->type, "file") == 0) {
        return put_end(p, d, "the pool lies on files, whose devices are not followed");
    }
    if (!kernel_name(p->v, d->name, &name)) {
        return put_end(p, d, "the pool names a device that cannot be");
    }
    p->any = p->any || holds_data(d);
    return blockwalk_put_name(p->walk, above(p, d), name, role_of(d));
}

static void put_all(struct pool_walk *p)
{
    const struct zpool_status *const pool = p->v->pool;
    for (size_t i = 0; i < pool->n; i++) {
        const struct zpool_vdev *const d = &pool->vdevs[i];
        if (i > 0 && above(p, d) == WALK_TOP) {
            p->node_of[i] = WALK_TOP; /* there was no room for what is above */
            continue;
        }
        if (d->leaf && strcmp(d->type, "indirect") == 0) {
            continue; /* what is left of a vdev that was removed */
        }
        p->node_of[i] = d->leaf ? put_device(p, d) : put_line(p, d);
        add_keys(p, p->node_of[i], d);
    }
}

bool volume_walk_pool(struct volume *v, struct walk *ret, struct err *reterr)
{
    const struct zpool_status *const pool = v->pool;
    *ret = (struct walk){.complete = false};
    if (pool == NULL) {
        *reterr = v->pool_err;
        return false;
    }
    struct pool_walk p = {.v = v, .walk = blockwalk_new(v->ctx->host, v->ctx->arena, v->dm)};
    p.node_of = arena_calloc(v->ctx->arena, pool->n, sizeof(*p.node_of));
    put_all(&p);
    if (!p.any) {
        struct err e = ERR_INIT;
        err_set(&e, E_ABSENT, "the pool names no device that it uses");
        blockwalk_stop(p.walk, 0, &e);
    }
    blockwalk_end(p.walk, ret);
    *reterr = ret->err;
    return ret->complete;
}

/* ---- logs and caches ------------------------------------------------------------------------- */

static bool is_of(const struct walk_node *n, const char *role)
{
    return n->aside && n->role != NULL && strcmp(n->role, role) == 0;
}

/* The disks of the log; false: not all of them are known. */
static bool log_disks(struct volume *v, const struct walk *w, struct span **ret, size_t *ret_n)
{
    struct span *const names = arena_calloc(v->ctx->arena, w->n + 1, sizeof(*names));
    bool all = w->n > 0;
    size_t n = 0;
    for (size_t i = 0; i < w->n; i++) {
        const struct walk_node *const node = &w->nodes[i];
        if (is_of(node, "log") && node->leaf) {
            names[n++] = span_of(node->name);
        }
        all = all && !(is_of(node, "log") && node->end_why != NULL);
    }
    *ret = names;
    *ret_n = n;
    return all;
}

static bool is_among(struct span name, const struct span *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (span_eq(name, names[i])) {
            return true;
        }
    }
    return false;
}

static void set_log_devices(struct volume *v, const struct walk *w, const char *source)
{
    static const char shares[] = "volume.zfs.slog_shares_leaf", devices[] = "volume.zfs.slog_devices";
    struct span *log = NULL, *leaves = NULL;
    size_t n_log = 0;
    const bool all = log_disks(v, w, &log, &n_log);
    const size_t n = blockwalk_leaves(v->ctx->arena, w, &leaves);
    bool shared = false;
    for (size_t i = 0; i < n_log; i++) {
        shared = shared || is_among(log[i], leaves, n);
    }
    if (all) {
        set_words(v->ctx, devices, KIND_SET, log, n_log, source);
    } else {
        set_unknown(v->ctx, devices, FACT_ABSENT, source, "", "not every log device can be followed");
    }
    if (shared || (all && w->complete)) {
        set_bool(v->ctx, shares, shared, source);
    } else {
        set_unknown(v->ctx, shares, FACT_ABSENT, source, "",
                    "the disks of the data or of the log are not all known");
    }
}

/* The devices that the pool names, not what lies below them. */
static void set_cache_bytes(struct volume *v, const struct walk *w, const char *source)
{
    static const char name[] = "volume.zfs.cache_bytes";
    uint64_t sum = 0;
    bool known = w->n > 0;
    for (size_t i = 0; i < w->n && known; i++) {
        const struct walk_node *const node = &w->nodes[i];
        if (!is_of(node, "cache") || w->nodes[node->parent].device) {
            continue;
        }
        known = node->device && node->has_size && node->size <= UINT64_MAX - sum;
        sum += known ? node->size : 0;
    }
    if (known) {
        set_u64(v->ctx, name, KIND_BYTES, sum, source);
    } else {
        set_unknown(v->ctx, name, FACT_ABSENT, source, "zpool list -v",
                    "the size of a cache vdev is not known");
    }
}

void volume_set_pool(struct volume *v, const struct walk *w)
{
    static const char source[] = "zpool status, sysfs";
    if (v->pool == NULL) {
        return; /* volume_read_zpool said why */
    }
    if (zpool_has_role(v->pool, "log")) {
        set_log_devices(v, w, source);
    }
    set_cache_bytes(v, w, source);
}
