/* Device, theme errors: the error log, self-tests, sanitize and format at work, the kernel's own counters,
 * and the firmware slots. */
#include "probes/device.h"
#include "probes/nvme_logs.h"
#include "probes/setters.h"
#include "probes/sysfs.h"

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

#define LOG_ERRORS 0x01u
#define LOG_FIRMWARE 0x03u
#define LOG_SELFTEST 0x06u
#define LOG_SANITIZE 0x81u
#define OACS_SELFTEST 0x10u
#define ENTRIES_SHOWN 8u

/* ---- the error log ---- */

static void set_entries(struct device *d, const struct nvme_error *list, size_t n,
                        const char *source)
{
    struct span items[ENTRIES_SHOWN];
    size_t shown = 0;
    uint64_t media = 0;
    for (size_t i = 0; i < n; i++) {
        media += nvme_error_is_media(&list[i]);
        if (list[i].number != 0 && shown < ENTRIES_SHOWN) {
            items[shown++] = span_of(arena_printf(
                d->ctx->arena, "%llu:q%u:0x%x:lba%llu", (unsigned long long)list[i].number,
                list[i].queue, list[i].status, (unsigned long long)list[i].lba));
        }
    }
    set_u64(d->ctx, "device.errors.media_io", KIND_COUNT, media, source);
    set_words(d->ctx, "device.errors.entries", KIND_LIST, items, shown, source);
}

/* Every drive keeps one; Identify Controller says how long. A cloud's volumes have none that says
 * anything. */
static void read_errors(struct device *d)
{
    static const char *const names[] = {"device.errors.media_io", "device.errors.entries"};
    const char *source = device_page_source(d, "error-log");
    struct nvme_error list[NVME_ERROR_ENTRIES_MAX];
    struct span page;
    struct err e = d->id_err;
    size_t n = 0;
    const bool asked = d->has_id && device_is_a_drive(d);
    if (asked) {
        n = d->id.error_entries;
        n = n > NVME_ERROR_ENTRIES_MAX ? NVME_ERROR_ENTRIES_MAX : n;
    }
    if (asked && device_log(d, LOG_ERRORS, (uint32_t)n * NVME_ERROR_ENTRY, &page, &e) &&
        nvme_errors_decode(page, list, &n, &e)) {
        set_entries(d, list, n, source);
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (!d->has_id || asked) {
            device_fact_missing(d, names[i], &e, source);
        } else if (d->disk.transport.len == 0 || d->disk.storage_class == NULL) {
            set_unknown(d->ctx, names[i], FACT_ABSENT, source, "", d->disk.why);
        } else {
            set_unknown(d->ctx, names[i], FACT_NOT_SUPPORTED, source, "",
                        "no drive of this machine: its error log is another host's");
        }
    }
}

/* ---- what keeps the drive from its work ---- */

/* Reads the self-test log, where there is one. TRI_UNKNOWN: *reterr says why. */
static enum tri read_selftest(struct device *d, struct err *reterr)
{
    static const char *const words[] = {"none", "passed", "aborted", "failed"};
    static const char last[] = "device.selftest.last_result";
    static const char failed[] = "device.selftest.failed_count";
    static const char hours[] = "device.selftest.last_hours";
    static const char no_test[] = "the drive has no self-test";
    const char *source = device_page_source(d, "self-test-log");
    struct nvme_selftest s;
    struct span page;
    struct num n;
    if (d->has_id && (d->id.oacs & OACS_SELFTEST) == 0) {
        set_unknown(d->ctx, last, FACT_NOT_SUPPORTED, source, "", no_test);
        set_unknown(d->ctx, failed, FACT_NOT_SUPPORTED, source, "", no_test);
        set_unknown(d->ctx, hours, FACT_NOT_SUPPORTED, source, "", no_test);
        return TRI_NO;
    }
    *reterr = d->id_err;
    if (!d->has_id || !device_log(d, LOG_SELFTEST, NVME_SELFTEST_LOG, &page, reterr) ||
        !nvme_selftest_decode(page, &s, reterr)) {
        device_fact_missing(d, last, reterr, source);
        device_fact_missing(d, failed, reterr, source);
        device_fact_missing(d, hours, reterr, source);
        return TRI_UNKNOWN;
    }
    set_enum(d->ctx, last, words[s.last], source);
    set_u64(d->ctx, failed, KIND_COUNT, s.failed, source);
    if (s.last == SELFTEST_NONE) {
        set_unknown(d->ctx, hours, FACT_ABSENT, source, "", "no self-test was made");
    } else if (num_mul(num_u64(s.last_hours), num_u64(3600), &n) == NUM_OK) {
        set_num(d->ctx, hours, KIND_SECONDS, n, source);
    }
    return s.running != 0 ? TRI_YES : TRI_NO;
}

static enum tri read_sanitize(struct device *d, struct err *reterr)
{
    static const char *const words[] = {"never", "done", "running", "failed"};
    static const char name[] = "device.sanitize.status";
    const char *source = device_page_source(d, "sanitize-log");
    enum nvme_sanitize_state s = SANITIZE_OTHER;
    struct span page;
    if (d->has_id && d->id.sanitize == 0) {
        set_unknown(d->ctx, name, FACT_NOT_SUPPORTED, source, "", "the drive knows no sanitize");
        return TRI_NO;
    }
    *reterr = d->id_err;
    if (!d->has_id || !device_log(d, LOG_SANITIZE, NVME_SANITIZE_LOG, &page, reterr) ||
        !nvme_sanitize_decode(page, &s, reterr)) {
        device_fact_missing(d, name, reterr, source);
        return TRI_UNKNOWN;
    }
    if (s == SANITIZE_OTHER) {
        err_set(reterr, E_SYNTAX, "the sanitize log names a state that this version does not know");
        set_err(d->ctx, name, reterr, source);
        return TRI_UNKNOWN;
    }
    set_enum(d->ctx, name, words[s], source);
    return s == SANITIZE_RUNNING ? TRI_YES : TRI_NO;
}

static enum tri read_format(const struct device *d, struct err *reterr)
{
    if (!d->has_ns) {
        *reterr = d->ns_err;
        return TRI_UNKNOWN;
    }
    return d->ns.format_progress_valid && d->ns.format_remaining_pct > 0 ? TRI_YES : TRI_NO;
}

/* Any of the three is enough; none only where all are known. */
static void read_work(struct device *d)
{
    static const char name[] = "device.errors.selftest_running";
    const char *source = device_page_source(d, "self-test-log, sanitize-log, identify-ns");
    struct err errors[3] = {ERR_INIT, ERR_INIT, ERR_INIT};
    const enum tri at_work[3] = {read_selftest(d, &errors[0]), read_sanitize(d, &errors[1]),
                                 read_format(d, &errors[2])};
    const struct err *unknown = NULL;
    bool any = false;
    for (size_t i = 0; i < ARRAY_LEN(at_work); i++) {
        any = any || at_work[i] == TRI_YES;
        unknown = at_work[i] == TRI_UNKNOWN ? &errors[i] : unknown;
    }
    if (any || unknown == NULL) {
        set_bool(d->ctx, name, any, source);
    } else {
        device_fact_missing(d, name, unknown, source);
    }
}

/* ---- firmware ---- */

/* Revisions are the maker's words; in a list they must stay one word. */
static const char *one_word(struct arena *a, struct span raw)
{
    char *const s = span_dup(a, text_clean(a, raw));
    for (char *p = s; *p != '\0'; p++) {
        const bool plain = (*p >= '0' && *p <= '9') || (*p >= 'A' && *p <= 'Z') ||
                           (*p >= 'a' && *p <= 'z') || *p == '.' || *p == '-' || *p == '_';
        *p = plain ? *p : '_';
    }
    return s;
}

static void set_firmware(struct device *d, const struct nvme_firmware *f, const char *source)
{
    struct span items[NVME_FIRMWARE_SLOTS_MAX];
    size_t n = 0;
    for (unsigned i = 0; i < NVME_FIRMWARE_SLOTS_MAX; i++) {
        const char *const revision = one_word(d->ctx->arena, f->revision[i]);
        if (revision[0] != '\0') {
            items[n++] = span_of(arena_printf(
                d->ctx->arena, "slot%u:%s%s%s", i + 1, revision,
                i + 1 == f->active ? ":active" : "", i + 1 == f->next ? ":next" : ""));
        }
    }
    set_words(d->ctx, "device.firmware_slots", KIND_LIST, items, n, source);
    set_bool(d->ctx, "device.firmware_pending", f->next != 0 && f->next != f->active, source);
}

static void read_firmware(struct device *d)
{
    static const char *const names[] = {"device.firmware_slots", "device.firmware_pending"};
    const char *source = device_page_source(d, "fw-log");
    struct nvme_firmware f;
    struct span page;
    struct err e = d->id_err;
    const bool asked = d->has_id && device_is_a_drive(d);
    if (asked && device_log(d, LOG_FIRMWARE, NVME_FIRMWARE_LOG, &page, &e) &&
        nvme_firmware_decode(page, &f, &e)) {
        set_firmware(d, &f, source);
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (!d->has_id || asked) {
            device_fact_missing(d, names[i], &e, source);
        } else if (d->disk.transport.len == 0 || d->disk.storage_class == NULL) {
            set_unknown(d->ctx, names[i], FACT_ABSENT, source, "", d->disk.why);
        } else {
            set_unknown(d->ctx, names[i], FACT_NOT_SUPPORTED, source, "",
                        "no drive of this machine: its firmware is not the user's");
        }
    }
}

/* ---- the kernel's own counters, of the newest kernels ---- */

static void set_counter(struct device *d, const char *name, bool read, uint64_t v,
                        const struct err *e, const char *source)
{
    if (read) {
        set_u64(d->ctx, name, KIND_COUNT, v, source);
    } else if (e->code == E_ABSENT && d->disk.n_controllers > 0) {
        set_unknown(d->ctx, name, FACT_NOT_SUPPORTED, source, "",
                    "this kernel does not count it");
    } else {
        device_fact_missing(d, name, e, source);
    }
}

void device_read_kernel_counters(struct device *d)
{
    struct err e = ERR_INIT;
    uint64_t v = 0;
    if (!d->disk.nvme) {
        return;
    }
    bool read = device_controllers_sum(d, "diag/reset_count", &v, &e);
    set_counter(d, "device.reset_count", read, v, &e, "diag/reset_count");
    read = sysfs_u64(d->ctx->host, d->ctx->arena, &v, &e,
                     "/sys/class/block/%s/diag/command_error_count", d->name);
    set_counter(d, "device.errors.command_error_count", read, v, &e, "diag/command_error_count");
    read = sysfs_u64(d->ctx->host, d->ctx->arena, &v, &e,
                     "/sys/class/block/%s/diag/command_retries_count", d->name);
    set_counter(d, "device.errors.command_retries_count", read, v, &e,
                "diag/command_retries_count");
}

void device_read_errors(struct device *d)
{
    const struct decl_rows table = {device_errors_decls, DEVICE_ERRORS_DECLS};
    if (d->disk.nvme) {
        read_errors(d);
        read_firmware(d);
        read_work(d);
    }
    device_page_missing(d, &table, &d->id_err, device_page_source(d, "log pages"));
}
