/* Device, theme health: the SMART / Health log as raw facts, zeros included. What the zeros of a virtual
 * drive mean is for the rules (device.smart.synthetic); only 0 K is no temperature. */
#include "probes/device.h"
#include "probes/setters.h"

#include "advisor/base/banned.h"

#define LOG_SMART 0x02u

#define SMART_ROW(name, kind, fold, meaning)                                                       \
    {                                                                                              \
        "device.smart." name, kind, NULL, SUBJECT_DEVICE, fold, NEED_ROOT, meaning,                \
            "NVMe log page 02h", "root"                                                            \
    }
#define COUNT_ROW(name, meaning) SMART_ROW(name, KIND_COUNT, FOLD_MAX, meaning)
#define BIT_ROW(name, meaning) SMART_ROW("critical_warning_bits." name, KIND_BOOL, FOLD_ANY, meaning)

const struct fact_decl device_smart_decls[DEVICE_SMART_DECLS] = {
    COUNT_ROW("critical_warning", "warning bits as a number"),
    BIT_ROW("spare_low", "spare blocks below the threshold"),
    BIT_ROW("temperature", "temperature out of its range"),
    BIT_ROW("reliability_degraded", "reliability degraded by media or internal errors"),
    BIT_ROW("read_only", "media is read-only"),
    BIT_ROW("volatile_backup_failed", "backup of the volatile memory failed"),
    BIT_ROW("pmr_unreliable", "persistent memory region unreliable"),
    SMART_ROW("temperature_c", KIND_CELSIUS, FOLD_MAX, "composite temperature"),
    SMART_ROW("sensors_c", KIND_LIST, FOLD_SAME, "temperature sensors, degrees C"),
    SMART_ROW("available_spare_pct", KIND_RATIO, FOLD_MIN, "spare blocks left"),
    SMART_ROW("spare_threshold_pct", KIND_RATIO, FOLD_MAX, "threshold for spare blocks"),
    SMART_ROW("percentage_used_pct", KIND_RATIO, FOLD_MAX, "vendor's estimate of the life used"),
    COUNT_ROW("data_units_read", "read since new, units of 512,000 bytes"),
    COUNT_ROW("data_units_written", "written since new, units of 512,000 bytes"),
    COUNT_ROW("host_reads", "read commands since new"),
    COUNT_ROW("host_writes", "write commands since new"),
    SMART_ROW("busy_minutes", KIND_SECONDS, FOLD_MAX, "time with commands outstanding"),
    COUNT_ROW("power_cycles", "power cycles since new"),
    SMART_ROW("power_on_hours", KIND_SECONDS, FOLD_MAX, "time powered on since new"),
    COUNT_ROW("unsafe_shutdowns", "power losses without notice since new"),
    COUNT_ROW("media_errors", "unrecovered data errors since new"),
    COUNT_ROW("error_log_entries", "entries ever made in the error log"),
    SMART_ROW("warning_temp_minutes", KIND_SECONDS, FOLD_MAX,
              "time at or above the warning temperature"),
    SMART_ROW("critical_temp_minutes", KIND_SECONDS, FOLD_MAX,
              "time at or above the critical temperature"),
    COUNT_ROW("tmt1_transitions", "times throttled lightly"),
    COUNT_ROW("tmt2_transitions", "times throttled heavily"),
};

static void set_time(struct device *d, const char *name, nv_u128 v, uint64_t scale,
                     const char *source)
{
    struct num n;
    if (num_mul(num_u128(v), num_u64(scale), &n) != NUM_OK) {
        set_unknown(d->ctx, name, FACT_UNREADABLE, source, "", "the counter is beyond 128 bits");
        return;
    }
    set_num(d->ctx, name, KIND_SECONDS, n, source);
}

static void set_count(struct device *d, const char *name, nv_u128 v, const char *source)
{
    set_num(d->ctx, name, KIND_COUNT, num_u128(v), source);
}

static void set_warnings(struct device *d, uint8_t bits, const char *source)
{
    static const char *const names[] = {
        "device.smart.critical_warning_bits.spare_low",
        "device.smart.critical_warning_bits.temperature",
        "device.smart.critical_warning_bits.reliability_degraded",
        "device.smart.critical_warning_bits.read_only",
        "device.smart.critical_warning_bits.volatile_backup_failed",
        "device.smart.critical_warning_bits.pmr_unreliable",
    };
    set_u64(d->ctx, "device.smart.critical_warning", KIND_COUNT, bits, source);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        set_bool(d->ctx, names[i], (bits >> i & 1) != 0, source);
    }
}

static void set_temperatures(struct device *d, const struct nvme_smart *s, const char *source)
{
    struct span items[NVME_SENSORS_MAX];
    size_t n = 0;
    if (s->temperature_k == 0) {
        set_unknown(d->ctx, "device.smart.temperature_c", FACT_ABSENT, source, "",
                    "the drive reports 0 K: no value");
    } else {
        set_num(d->ctx, "device.smart.temperature_c", KIND_CELSIUS,
                num_i64((int64_t)s->temperature_k - 273), source);
    }
    for (size_t i = 0; i < NVME_SENSORS_MAX; i++) {
        if (s->sensors_k[i] != 0) {
            items[n++] = span_of(arena_printf(d->ctx->arena, "%d", (int)s->sensors_k[i] - 273));
        }
    }
    set_words(d->ctx, "device.smart.sensors_c", KIND_LIST, items, n, source);
}

static void set_counters(struct device *d, const struct nvme_smart *s, const char *source)
{
    set_count(d, "device.smart.data_units_read", s->data_units_read, source);
    set_count(d, "device.smart.data_units_written", s->data_units_written, source);
    set_count(d, "device.smart.host_reads", s->host_reads, source);
    set_count(d, "device.smart.host_writes", s->host_writes, source);
    set_time(d, "device.smart.busy_minutes", s->busy_minutes, 60, source);
    set_count(d, "device.smart.power_cycles", s->power_cycles, source);
    set_time(d, "device.smart.power_on_hours", s->power_on_hours, 3600, source);
    set_count(d, "device.smart.unsafe_shutdowns", s->unsafe_shutdowns, source);
    set_count(d, "device.smart.media_errors", s->media_errors, source);
    set_count(d, "device.smart.error_log_entries", s->error_log_entries, source);
    set_time(d, "device.smart.warning_temp_minutes", s->warning_temp_minutes, 60, source);
    set_time(d, "device.smart.critical_temp_minutes", s->critical_temp_minutes, 60, source);
    set_count(d, "device.smart.tmt1_transitions", s->tmt1_transitions, source);
    set_count(d, "device.smart.tmt2_transitions", s->tmt2_transitions, source);
}

static void set_page(struct device *d, const struct nvme_smart *s)
{
    const char *source = device_page_source(d, "smart-log");
    set_warnings(d, s->critical_warning, source);
    set_temperatures(d, s, source);
    set_ratio(d->ctx, "device.smart.available_spare_pct", KIND_RATIO, s->available_spare, 100,
              source);
    set_ratio(d->ctx, "device.smart.spare_threshold_pct", KIND_RATIO, s->spare_threshold, 100,
              source);
    set_ratio(d->ctx, "device.smart.percentage_used_pct", KIND_RATIO, s->percentage_used, 100,
              source);
    set_counters(d, s, source);
}

void device_read_smart(struct device *d)
{
    const struct decl_rows table = {device_smart_decls, DEVICE_SMART_DECLS};
    struct span page;
    d->has_smart = device_log(d, LOG_SMART, NVME_PAGE_SMART, &page, &d->smart_err) &&
                   nvme_smart_decode(page, &d->smart, &d->smart_err);
    if (d->has_smart) {
        set_page(d, &d->smart);
    }
    device_page_missing(d, &table, &d->smart_err, device_page_source(d, "smart-log"));
}
