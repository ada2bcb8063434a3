/* Device, theme cloud: counters that Amazon's volumes and instance disks keep in log page D0h, as raw
 * totals; rates need two readings. */
#include "probes/device.h"
#include "probes/nvme_vendor.h"
#include "probes/setters.h"

#include "advisor/base/banned.h"

#define CLOUD_ROW(name, kind, fold, meaning)                                                       \
    {                                                                                              \
        "device.cloud." name, kind, NULL, SUBJECT_DEVICE, fold, NEED_ROOT, meaning,                \
            "log page D0h of Amazon's devices", "root"                                             \
    }

const struct fact_decl device_cloud_decls[DEVICE_CLOUD_DECLS] = {
    CLOUD_ROW("volume_exceeded_iops_time", KIND_SECONDS, FOLD_MAX,
              "time that requests wanted more I/O operations than the volume has"),
    CLOUD_ROW("volume_exceeded_throughput_time", KIND_SECONDS, FOLD_MAX,
              "time that requests wanted more bytes than the volume has"),
    CLOUD_ROW("instance_exceeded_iops_time", KIND_SECONDS, FOLD_MAX,
              "time that requests wanted more I/O operations than the instance has"),
    CLOUD_ROW("instance_exceeded_throughput_time", KIND_SECONDS, FOLD_MAX,
              "time that requests wanted more bytes than the instance has"),
    CLOUD_ROW("queue_length", KIND_COUNT, FOLD_MAX, "requests that wait at the volume"),
};

#define LOG_STATISTICS 0xd0u

/* Volumes have documented counters; of instance disks the newer ones, which list the page. */
static bool is_asked(struct device *d, struct err *reterr)
{
    if (!d->has_id) {
        *reterr = d->id_err;
        return false;
    }
    if (!span_starts(d->id.model, "Amazon E")) {
        return err_set(reterr, E_NOT_SUPPORTED, "only Amazon's devices have it");
    }
    const enum tri listed = device_log_listed(d, LOG_STATISTICS);
    if (span_starts(d->id.model, "Amazon Elastic Block Store") || listed == TRI_YES) {
        return true;
    }
    if (listed == TRI_UNKNOWN && d->logs_err.code != E_NONE) {
        *reterr = d->logs_err;
        return false;
    }
    return err_set(reterr, E_NOT_SUPPORTED, "the disk does not list log page D0h");
}

static void set_time(struct device *d, const char *name, uint64_t us, const char *source)
{
    set_ratio(d->ctx, name, KIND_SECONDS, us, 1000000, source);
}

void device_read_cloud(struct device *d)
{
    const struct decl_rows table = {device_cloud_decls, DEVICE_CLOUD_DECLS};
    const char *source = device_page_source(d, "log D0h");
    struct nvme_amazon a;
    struct span page;
    struct err e = ERR_INIT;
    if (d->disk.nvme && is_asked(d, &e) &&
        device_log(d, LOG_STATISTICS, NVME_AMAZON_LOG, &page, &e) &&
        nvme_amazon_decode(page, &a, &e)) {
        set_time(d, "device.cloud.instance_exceeded_iops_time", a.instance_iops_us, source);
        set_time(d, "device.cloud.instance_exceeded_throughput_time", a.instance_throughput_us,
                 source);
        set_u64(d->ctx, "device.cloud.queue_length", KIND_COUNT, a.queue_length, source);
        if (a.volume) {
            set_time(d, "device.cloud.volume_exceeded_iops_time", a.volume_iops_us, source);
            set_time(d, "device.cloud.volume_exceeded_throughput_time", a.volume_throughput_us,
                     source);
        } else {
            err_set(&e, E_NOT_SUPPORTED, "a disk of the instance is no volume");
        }
    }
    device_page_missing(d, &table, &e, source);
}
