/* Device, theme cloud: counters that Amazon's volumes and instance disks keep in log page D0h, as raw
 * totals; rates need two readings. */
#include "probes/device.h"

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
