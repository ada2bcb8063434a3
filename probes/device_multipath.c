/* Device, theme multipath: the paths of an NVMe subsystem to one namespace. */
#include "probes/device.h"
#include "probes/device_queue.h"
#include "probes/setters.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

const struct fact_decl device_multipath_decls[DEVICE_MULTIPATH_DECLS] = {
    {"device.multipath.paths", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_MIN, NEED_NONE,
     "paths to the namespace", "/sys/class/nvme-subsystem", ""},
    {"device.multipath.paths_live", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_MIN, NEED_NONE,
     "paths whose controller is live and which are optimized", "state, ana_state", ""},
    {"device.multipath.paths_usable", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_MIN, NEED_NONE,
     "paths whose controller is live and which take I/O, as the storage's second choice as well",
     "state, ana_state", ""},
    {"device.multipath.iopolicy", KIND_ENUM, "numa,round-robin,queue-depth", SUBJECT_DEVICE,
     FOLD_SAME, NEED_NONE, "how a path is chosen", "/sys/class/nvme-subsystem/NAME/iopolicy", ""},
    {"device.multipath.path_list", KIND_LIST, NULL, SUBJECT_DEVICE, FOLD_SAME, NEED_NONE,
     "paths: controller:state:access:transport:node", "/sys/class/nvme-subsystem", ""},
    {"device.multipath.failover_count", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_SUM, NEED_NONE,
     "I/O commands sent again on another path since boot",
     "/sys/block/PATH/diag/multipath_failover_count", ""},
};

struct path {
    const char *name;          /* of the hidden block device */
    struct span state, access; /* access empty: there is no asymmetric access */
};

/* Without asymmetric access there is no ana_state, and every path is as good as the other. */
static bool read_path(struct device *d, const char *ctrl, struct path *ret, struct err *reterr)
{
    struct path p = {.name = multipath_path_name(d->ctx->arena, d->name, ctrl),
                     .access = {"", 0}};
    if (p.name == NULL) {
        return err_set(reterr, E_ABSENT, "the paths of '%s' have no known name", d->name);
    }
    if (!sysfs_text(d->ctx->host, d->ctx->arena, &p.state, reterr, "/sys/class/nvme/%s/state",
                    ctrl)) {
        return false;
    }
    p.state = span_copy(d->ctx->arena, p.state);
    if (!sysfs_text(d->ctx->host, d->ctx->arena, &p.access, reterr,
                    "/sys/class/block/%s/ana_state", p.name)) {
        p.access = (struct span){"", 0};
        *ret = p;
        return reterr->code == E_ABSENT;
    }
    p.access = span_copy(d->ctx->arena, p.access);
    *ret = p;
    return true;
}

static bool is_optimized(const struct path *p)
{
    return span_eq_text(p->state, "live") &&
           (p->access.len == 0 || span_eq_text(p->access, "optimized"));
}

/* The kernel takes a path that is not optimized where there is no better one. */
static bool is_usable(const struct path *p)
{
    return is_optimized(p) ||
           (span_eq_text(p->state, "live") && span_eq_text(p->access, "non-optimized"));
}

/* "deleting (no IO)" as one word. */
static const char *word_of(struct arena *a, struct span text, const char *none)
{
    struct span rest = text, word;
    return span_word(&rest, &word) ? span_dup(a, text_clean(a, word)) : none;
}

static const char *path_item(struct device *d, const char *ctrl, const struct path *p,
                             struct err *reterr)
{
    struct span transport;
    if (!sysfs_text(d->ctx->host, d->ctx->arena, &transport, reterr, "/sys/class/nvme/%s/transport",
                    ctrl)) {
        return NULL;
    }
    return arena_printf(d->ctx->arena, "%s:%s:%s:%s:%s", ctrl,
                        word_of(d->ctx->arena, p->state, "unknown"),
                        word_of(d->ctx->arena, p->access, "any"),
                        word_of(d->ctx->arena, transport, "unknown"), p->name);
}

/* All paths of the disk. Access is a matter of the whole subsystem: where one path tells it, one that does
 * not is on its way out, and how many are usable is not known. */
static bool read_paths(struct device *d, struct path *ret, struct err *reterr)
{
    size_t n_access = 0;
    for (size_t i = 0; i < d->disk.n_controllers; i++) {
        if (!read_path(d, d->disk.controllers[i], &ret[i], reterr)) {
            return false;
        }
        n_access += ret[i].access.len > 0;
    }
    return n_access == 0 || n_access == d->disk.n_controllers ||
           err_set(reterr, E_ABSENT, "a path of '%s' does not tell its access", d->name);
}

static void set_path_list(struct device *d, const struct path *paths)
{
    static const char list[] = "device.multipath.path_list";
    struct span items[ARRAY_LEN(d->disk.controllers)];
    struct err e = ERR_INIT;
    for (size_t i = 0; i < d->disk.n_controllers; i++) {
        const char *const item = path_item(d, d->disk.controllers[i], &paths[i], &e);
        if (item == NULL) {
            set_err(d->ctx, list, &e, "transport");
            return;
        }
        items[i] = span_of(item);
    }
    set_words(d->ctx, list, KIND_LIST, items, d->disk.n_controllers, "state, ana_state, transport");
}

static void set_paths(struct device *d)
{
    static const char live[] = "device.multipath.paths_live", source[] = "state, ana_state";
    static const char usable[] = "device.multipath.paths_usable";
    struct path paths[ARRAY_LEN(d->disk.controllers)];
    struct err e = ERR_INIT;
    uint64_t n_live = 0, n_usable = 0;
    if (!read_paths(d, paths, &e)) {
        set_err(d->ctx, live, &e, source);
        set_err(d->ctx, usable, &e, source);
        set_err(d->ctx, "device.multipath.path_list", &e, source);
        return;
    }
    for (size_t i = 0; i < d->disk.n_controllers; i++) {
        n_live += is_optimized(&paths[i]);
        n_usable += is_usable(&paths[i]);
    }
    set_u64(d->ctx, live, KIND_COUNT, n_live, source);
    set_u64(d->ctx, usable, KIND_COUNT, n_usable, source);
    set_path_list(d, paths);
}

/* A counter of the newest kernels, on each path. */
static void set_failovers(struct device *d)
{
    static const char name[] = "device.multipath.failover_count";
    static const char source[] = "diag/multipath_failover_count of the paths";
    struct err e = ERR_INIT;
    uint64_t sum = 0, v = 0;
    for (size_t i = 0; i < d->disk.n_controllers; i++) {
        const char *path = multipath_path_name(d->ctx->arena, d->name, d->disk.controllers[i]);
        if (path == NULL || !sysfs_u64(d->ctx->host, d->ctx->arena, &v, &e,
                                       "/sys/class/block/%s/diag/multipath_failover_count", path)) {
            set_unknown(d->ctx, name,
                        e.code == E_ABSENT ? FACT_NOT_SUPPORTED : fact_state_from_err(e.code),
                        source, "", path == NULL ? "the paths have no known name" : e.text);
            return;
        }
        sum = v > UINT64_MAX - sum ? UINT64_MAX : sum + v;
    }
    set_u64(d->ctx, name, KIND_COUNT, sum, source);
}

void device_read_multipath(struct device *d)
{
    const struct decl_rows table = {device_multipath_decls, DEVICE_MULTIPATH_DECLS};
    struct err e = ERR_INIT;
    struct span s;
    if (d->disk.n_controllers == 0) {
        err_set(&e, E_ABSENT, "no controller of '%s' stands in sysfs", d->name);
        device_page_missing(d, &table, &e, "/sys/class/nvme-subsystem");
        return;
    }
    if (!d->disk.multipath_head) {
        err_set(&e, E_NOT_SUPPORTED, "'%s' has one controller only", d->name);
        device_page_missing(d, &table, &e, "sysfs");
        return;
    }
    set_u64(d->ctx, "device.multipath.paths", KIND_COUNT, d->disk.n_controllers,
            "/sys/class/nvme-subsystem");
    set_paths(d);
    if (sysfs_text(d->ctx->host, d->ctx->arena, &s, &e, "/sys/class/block/%s/device/iopolicy",
                   d->name)) {
        set_enum_text(d->ctx, "device.multipath.iopolicy", "numa,round-robin,queue-depth", s,
                      "/sys/class/nvme-subsystem/NAME/iopolicy");
    } else {
        set_err(d->ctx, "device.multipath.iopolicy", &e, "iopolicy");
    }
    set_failovers(d);
}
