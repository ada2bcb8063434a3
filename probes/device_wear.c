/* Device, theme wear: what the drive tells of its flash beyond the health log: bytes that it wrote itself,
 * erase counts, failures, capacitors. Standard pages first, then those of makers. */
#include "probes/device.h"

#include "advisor/base/banned.h"

#define WEAR_ROW(name, kind, fold, meaning, from)                                                  \
    {                                                                                              \
        "device.media." name, kind, NULL, SUBJECT_DEVICE, fold, NEED_ROOT, meaning, from, "root"   \
    }
#define ANY_PAGE "log page 09h, 22h, C0h or one of its maker's"

const struct fact_decl device_wear_decls[DEVICE_WEAR_DECLS] = {
    {"device.media.source", KIND_ENUM, "endgrp,fdp,ocp,intel,micron,wdc,seagate,other",
     SUBJECT_DEVICE, FOLD_SAME, NEED_ROOT, "the page that tells of the flash", ANY_PAGE, "root"},
    WEAR_ROW("bytes_written", KIND_BYTES, FOLD_SUM, "written to the flash since new", ANY_PAGE),
    WEAR_ROW("host_bytes_written", KIND_BYTES, FOLD_SUM,
             "written by the host since new, as the page of bytes_written counts it", ANY_PAGE),
    WEAR_ROW("wear_min", KIND_COUNT, FOLD_MIN, "erasures of the block least erased",
             "log page C0h or CAh"),
    WEAR_ROW("wear_avg", KIND_COUNT, FOLD_MAX, "mean erasures of a block", "log page C0h or CAh"),
    WEAR_ROW("wear_max", KIND_COUNT, FOLD_MAX, "erasures of the block most erased",
             "log page C0h or CAh"),
    WEAR_ROW("program_fail", KIND_COUNT, FOLD_SUM, "writes to the flash that failed",
             "log page CAh"),
    WEAR_ROW("erase_fail", KIND_COUNT, FOLD_SUM, "erasures that failed", "log page CAh"),
    WEAR_ROW("e2e_errors", KIND_COUNT, FOLD_SUM, "errors of end-to-end protection",
             "log page C0h or CAh"),
    WEAR_ROW("crc_errors", KIND_COUNT, FOLD_SUM, "checksum errors on the link", "log page CAh"),
    WEAR_ROW("timed_media_wear_pct", KIND_RATIO, FOLD_MAX,
             "wear during the timed workload, as a share of the rated life", "log page CAh, E2h"),
    WEAR_ROW("timed_host_reads_pct", KIND_RATIO, FOLD_MAX,
             "share of reads in the timed workload", "log page CAh, E3h"),
    WEAR_ROW("timed_minutes", KIND_SECONDS, FOLD_MAX, "length of the timed workload",
             "log page CAh, E4h"),
    WEAR_ROW("throttle_pct", KIND_RATIO, FOLD_MAX, "throttling by temperature now",
             "log page CAh, EAh"),
    WEAR_ROW("throttle_count", KIND_COUNT, FOLD_MAX, "times throttled by temperature since new",
             "log page C0h or CAh"),
    WEAR_ROW("throttled_now", KIND_BOOL, FOLD_ANY, "throttled by temperature now",
             "log page C0h or CAh"),
    WEAR_ROW("free_blocks_pct", KIND_RATIO, FOLD_MIN, "flash blocks that are free",
             "log page C0h"),
    WEAR_ROW("unexpected_power_loss", KIND_COUNT, FOLD_MAX,
             "power losses that its protection had to cover, or failed to", "log page C0h or CAh"),
    WEAR_ROW("capacitor_ok", KIND_BOOL, FOLD_ALL, "the capacitors of the drive are in order",
             "log page C0h"),
    {"device.endurance_group.critical_warning", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_MAX, NEED_ROOT,
     "warning bits of its endurance group", "log page 09h", "root"},
    {"device.endurance_group.percentage_used_pct", KIND_RATIO, NULL, SUBJECT_DEVICE, FOLD_MAX,
     NEED_ROOT, "life used of its endurance group", "log page 09h", "root"},
    {"device.endurance_group.available_spare_pct", KIND_RATIO, NULL, SUBJECT_DEVICE, FOLD_MIN,
     NEED_ROOT, "spare blocks left in its endurance group", "log page 09h", "root"},
};
