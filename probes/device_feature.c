/* Device, theme features: what the controller has switched on, by Get Features (current values). */
#include "probes/device.h"
#include "probes/setters.h"

#include "advisor/base/banned.h"

#define FEATURE_WRITE_CACHE 0x06u
#define FEATURE_QUEUES 0x07u

const struct fact_decl device_feature_decls[DEVICE_FEATURE_DECLS] = {
    {"device.feature.vwc_enabled", KIND_BOOL, NULL, SUBJECT_DEVICE, FOLD_ANY, NEED_ROOT,
     "the volatile write cache is switched on", "NVMe feature 06h", "root"},
    {"device.feature.io_queues_granted", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_MIN, NEED_ROOT,
     "I/O queues that the controller grants at most", "NVMe feature 07h", "root"},
    {"device.feature.power_state", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_MAX, NEED_ROOT,
     "power state in force, 0 = full power", "NVMe feature 02h", "root"},
    {"device.feature.irq_coalesce_time", KIND_SECONDS, NULL, SUBJECT_DEVICE, FOLD_MAX, NEED_ROOT,
     "time that interrupts are held back to be gathered", "NVMe feature 08h", "root"},
    {"device.feature.atomic_normal_disabled", KIND_BOOL, NULL, SUBJECT_DEVICE, FOLD_ANY, NEED_ROOT,
     "atomic units in normal operation are switched off", "NVMe feature 0Ah", "root"},
    {"device.feature.apst_enabled", KIND_BOOL, NULL, SUBJECT_DEVICE, FOLD_ANY, NEED_ROOT,
     "enters power states by itself: supported and switched on", "NVMe feature 0Ch", "root"},
    {"device.feature.apst_exit_latency_max", KIND_SECONDS, NULL, SUBJECT_DEVICE, FOLD_MAX, NEED_ROOT,
     "longest exit latency of the states that it enters by itself",
     "NVMe feature 0Ch, Identify Controller PSD", "root"},
    {"device.feature.hmb_enabled", KIND_BOOL, NULL, SUBJECT_DEVICE, FOLD_ANY, NEED_ROOT,
     "works with memory of the host in place of its own", "Identify Controller HMPRE, NVMe feature 0Dh",
     "root"},
    {"device.feature.tmt1_c", KIND_CELSIUS, NULL, SUBJECT_DEVICE, FOLD_MIN, NEED_ROOT,
     "temperature from which it throttles lightly, as the host set it", "NVMe feature 10h", "root"},
    {"device.feature.tmt2_c", KIND_CELSIUS, NULL, SUBJECT_DEVICE, FOLD_MIN, NEED_ROOT,
     "temperature from which it throttles heavily, as the host set it", "NVMe feature 10h", "root"},
    {"device.feature.fdp_enabled", KIND_BOOL, NULL, SUBJECT_DEVICE, FOLD_ANY, NEED_ROOT,
     "flexible data placement is on", "NVMe feature 1Dh", "root"},
};

static bool get_feature(struct device *d, uint32_t id, uint32_t *ret, struct err *reterr)
{
    struct span s;
    if (d->node.ctrl == NULL) {
        *reterr = d->node.err;
        return false;
    }
    return host_nvme(d->ctx->host, d->node.ctrl, NVME_FEATURE, 0, id, sizeof(*ret), &s, reterr) &&
           nvme_feature_decode(s, ret, reterr);
}

static void read_cache(struct device *d)
{
    static const char name[] = "device.feature.vwc_enabled";
    struct err e = ERR_INIT;
    uint32_t v = 0;
    const char *source = device_page_source(d, "feature 06h");
    if (d->disk.nvme && !d->has_id) {
        device_fact_missing(d, name, &d->id_err, source);
    } else if (d->has_id && (d->id.vwc & 1) == 0) {
        set_unknown(d->ctx, name, FACT_NOT_SUPPORTED, source, "",
                    "the controller has no volatile write cache");
    } else if (get_feature(d, FEATURE_WRITE_CACHE, &v, &e)) {
        set_bool(d->ctx, name, (v & 1) != 0, source);
    } else {
        device_fact_missing(d, name, &e, source);
    }
}

void device_read_feature(struct device *d)
{
    static const char name[] = "device.feature.io_queues_granted";
    struct err e = ERR_INIT;
    uint32_t v = 0;
    const char *source = device_page_source(d, "feature 07h");
    read_cache(d);
    if (get_feature(d, FEATURE_QUEUES, &v, &e)) {
        set_u64(d->ctx, name, KIND_COUNT, nvme_queues_granted(v), source);
    } else {
        device_fact_missing(d, name, &e, source);
    }
}
