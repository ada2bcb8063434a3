/* Device, theme errors: the error log, self-tests, sanitize and format at work, the kernel's own counters,
 * and the firmware slots. */
#include "probes/device.h"

#include "advisor/base/banned.h"

const struct fact_decl device_errors_decls[DEVICE_ERRORS_DECLS] = {
    {"device.errors.media_io", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_SUM, NEED_ROOT,
     "entries of the error log for I/O commands with a media error", "log page 01h", "root"},
    {"device.errors.entries", KIND_LIST, NULL, SUBJECT_DEVICE, FOLD_SAME, NEED_ROOT,
     "newest entries of the error log: number:queue:status:block", "log page 01h", "root"},
    {"device.errors.selftest_running", KIND_BOOL, NULL, SUBJECT_DEVICE, FOLD_ANY, NEED_ROOT,
     "a self-test, sanitize or format is at work", "log pages 06h, 81h; FPI", "root"},
    {"device.selftest.last_result", KIND_ENUM, "none,passed,aborted,failed", SUBJECT_DEVICE,
     FOLD_SAME, NEED_ROOT, "how the newest self-test ended", "log page 06h", "root"},
    {"device.selftest.failed_count", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_SUM, NEED_ROOT,
     "self-tests that failed, of the twenty that the drive keeps", "log page 06h", "root"},
    {"device.selftest.last_hours", KIND_SECONDS, NULL, SUBJECT_DEVICE, FOLD_MAX, NEED_ROOT,
     "time powered on when the newest self-test ended", "log page 06h", "root"},
    {"device.sanitize.status", KIND_ENUM, "never,done,running,failed", SUBJECT_DEVICE, FOLD_SAME,
     NEED_ROOT, "the newest sanitize", "log page 81h", "root"},
    {"device.firmware_slots", KIND_LIST, NULL, SUBJECT_DEVICE, FOLD_SAME, NEED_ROOT,
     "firmware slots: slot:revision, with :active and :next", "log page 03h", "root"},
    {"device.firmware_pending", KIND_BOOL, NULL, SUBJECT_DEVICE, FOLD_ANY, NEED_ROOT,
     "other firmware starts at the next reset", "log page 03h", "root"},
    {"device.reset_count", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_SUM, NEED_NONE,
     "resets of the controller since boot", "/sys/class/nvme/CTRL/diag/reset_count", ""},
    {"device.errors.command_error_count", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_SUM, NEED_NONE,
     "I/O commands that failed since boot", "/sys/block/NAME/diag/command_error_count", ""},
    {"device.errors.command_retries_count", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_SUM, NEED_NONE,
     "I/O commands that were tried again since boot", "/sys/block/NAME/diag/command_retries_count",
     ""},
};
