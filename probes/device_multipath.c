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
    {"device.multipath.iopolicy", KIND_ENUM, "numa,round-robin,queue-depth", SUBJECT_DEVICE,
     FOLD_SAME, NEED_NONE, "how a path is chosen", "/sys/class/nvme-subsystem/NAME/iopolicy", ""},
    {"device.multipath.path_list", KIND_LIST, NULL, SUBJECT_DEVICE, FOLD_SAME, NEED_NONE,
     "paths: controller:state:access:transport:node", "/sys/class/nvme-subsystem", ""},
    {"device.multipath.failover_count", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_SUM, NEED_NONE,
     "I/O commands sent again on another path since boot",
     "/sys/block/PATH/diag/multipath_failover_count", ""},
};

/* Without asymmetric access there is no ana_state, and every path is as good as the other. */
static bool path_state(struct device *d, const char *ctrl, bool *ret_live, struct err *reterr)
{
    struct span s;
    const char *path = multipath_path_name(d->ctx->arena, d->name, ctrl);
    if (path == NULL) {
        return err_set(reterr, E_ABSENT, "the paths of '%s' have no known name", d->name);
    }
    if (!sysfs_text(d->ctx->host, d->ctx->arena, &s, reterr, "/sys/class/nvme/%s/state", ctrl)) {
        return false;
    }
    *ret_live = span_eq_text(s, "live");
    if (!sysfs_text(d->ctx->host, d->ctx->arena, &s, reterr, "/sys/class/block/%s/ana_state",
                    path)) {
        return reterr->code == E_ABSENT;
    }
    *ret_live = *ret_live && span_eq_text(s, "optimized");
    return true;
}

static void set_live(struct device *d)
{
    struct err e = ERR_INIT;
    uint64_t live = 0;
    for (size_t i = 0; i < d->disk.n_controllers; i++) {
        bool is_live = false;
        if (!path_state(d, d->disk.controllers[i], &is_live, &e)) {
            set_err(d->ctx, "device.multipath.paths_live", &e, "state, ana_state");
            return;
        }
        live += is_live;
    }
    set_u64(d->ctx, "device.multipath.paths_live", KIND_COUNT, live, "state, ana_state");
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
    set_live(d);
    if (sysfs_text(d->ctx->host, d->ctx->arena, &s, &e, "/sys/class/block/%s/device/iopolicy",
                   d->name)) {
        set_enum_text(d->ctx, "device.multipath.iopolicy", "numa,round-robin,queue-depth", s,
                      "/sys/class/nvme-subsystem/NAME/iopolicy");
    } else {
        set_err(d->ctx, "device.multipath.iopolicy", &e, "iopolicy");
    }
}
