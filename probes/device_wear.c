/* Device, theme wear: what the drive tells of its flash beyond the health log: bytes that it wrote itself,
 * erase counts, failures, capacitors. Standard pages first, then those of makers. */
#include "probes/device_wear.h"
#include "probes/setters.h"

#include "advisor/base/banned.h"

#define WEAR_ROW(name, kind, fold, meaning, from)                                                  \
    {                                                                                              \
        "device.media." name, kind, NULL, SUBJECT_DEVICE, fold, NEED_ROOT, meaning, from, "root"   \
    }
#define LOG_ENDURANCE 0x09u
#define LOG_DATA_PLACEMENT 0x22u
#define LOG_OPEN_COMPUTE 0xc0u
#define LOG_INTEL 0xcau
#define CTRATT_ENDURANCE_GROUPS (1u << 4)
#define VENDOR_INTEL 0x8086u
#define VENDOR_SOLIDIGM 0x025eu
#define SHARE_ENDURANCE_UNITS 100u /* below, its rounding is more than one percent */
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
    {"device.media.capacitor_page", KIND_BOOL, NULL, SUBJECT_DEVICE, FOLD_ANY, NEED_ROOT,
     "has a log page that tells of its capacitors", "Identify Controller LPA, log pages 00h, C0h",
     "root"},
    {"device.endurance_group.critical_warning", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_MAX, NEED_ROOT,
     "warning bits of its endurance group", "log page 09h", "root"},
    {"device.endurance_group.percentage_used_pct", KIND_RATIO, NULL, SUBJECT_DEVICE, FOLD_MAX,
     NEED_ROOT, "life used of its endurance group", "log page 09h", "root"},
    {"device.endurance_group.available_spare_pct", KIND_RATIO, NULL, SUBJECT_DEVICE, FOLD_MIN,
     NEED_ROOT, "spare blocks left in its endurance group", "log page 09h", "root"},
};

/* Product specifications of Intel's SSD DC P3500, P3600, P3608, P3700, P4500, P4510, P4600 and P4610 list log
 * page CAh; those drives have no list of their pages. */
static bool documents_intel_page(struct span model)
{
    static const char *const models[] = {
        "INTEL SSDPEDME", "INTEL SSDPE2ME", "INTEL SSDPECME", "INTEL SSDPEDMD",
        "INTEL SSDPE2MD", "INTEL SSDPEDMX", "INTEL SSDPE2MX", "INTEL SSDPE2KX",
        "INTEL SSDPEDKX", "INTEL SSDPE2KE", "INTEL SSDPEDKE",
    };
    for (size_t i = 0; i < ARRAY_LEN(models); i++) {
        if (span_starts(model, models[i])) {
            return true;
        }
    }
    return false;
}

/* Why a page of a maker's is not asked for, or E_NONE when it is. */
static void maker_page_error(struct device *d, uint8_t lid, bool documented, struct err *ret)
{
    const enum tri listed = device_log_listed(d, lid);
    if (!d->has_id) {
        *ret = d->id_err;
    } else if (listed == TRI_NO) {
        err_set(ret, E_NOT_SUPPORTED, "the controller does not list log page %02Xh", lid);
    } else if (listed == TRI_UNKNOWN && !documented && d->logs_err.code != E_NONE) {
        *ret = d->logs_err;
    } else if (listed == TRI_UNKNOWN && !documented) {
        err_set(ret, E_NOT_SUPPORTED,
                "the controller has no list of log pages, and its maker's are not asked for blindly");
    }
}

static void read_ocp(struct device *d, struct wear *w)
{
    struct span page;
    maker_page_error(d, LOG_OPEN_COMPUTE, false, &w->ocp_err);
    w->has_ocp = w->ocp_err.code == E_NONE &&
                 device_log(d, LOG_OPEN_COMPUTE, NVME_VENDOR_LOG, &page, &w->ocp_err) &&
                 nvme_ocp_decode(page, &w->ocp, &w->ocp_err);
}

static void read_intel(struct device *d, struct wear *w)
{
    struct span page;
    if (d->has_id && d->id.vid != VENDOR_INTEL && d->id.vid != VENDOR_SOLIDIGM) {
        err_set(&w->intel_err, E_NOT_SUPPORTED, "only Intel's and Solidigm's drives have it");
        return;
    }
    maker_page_error(d, LOG_INTEL, d->has_id && documents_intel_page(d->id.model), &w->intel_err);
    w->has_intel = w->intel_err.code == E_NONE &&
                   device_log(d, LOG_INTEL, NVME_VENDOR_LOG, &page, &w->intel_err) &&
                   nvme_intel_decode(page, &w->intel, &w->intel_err);
}

static void read_endurance(struct device *d, struct wear *w)
{
    struct span page;
    if (!d->has_id) {
        w->endurance_err = d->id_err;
    } else if ((d->id.ctratt & CTRATT_ENDURANCE_GROUPS) == 0 || d->id.endgid_max == 0) {
        err_set(&w->endurance_err, E_NOT_SUPPORTED, "the controller knows no endurance groups");
    } else if (!d->has_ns) {
        w->endurance_err = d->ns_err;
    } else if (d->ns.endgid == 0) {
        err_set(&w->endurance_err, E_NOT_SUPPORTED, "the namespace lies in no endurance group");
    } else {
        w->has_endurance =
            host_nvme_group(d->ctx->host, d->node.ctrl, NVME_LOG, LOG_ENDURANCE, d->ns.endgid,
                            NVME_ENDURANCE_LOG, &page, &w->endurance_err) &&
            nvme_endurance_decode(page, &w->endurance, &w->endurance_err);
    }
}

/* Switched off, the statistics are refused. */
static void read_fdp(struct device *d, struct wear *w)
{
    struct span page;
    if (d->fdp == TRI_NO) {
        err_set(&w->fdp_err, E_NOT_SUPPORTED, "flexible data placement is off");
    } else if (d->fdp == TRI_UNKNOWN) {
        const struct fact *const f = store_get(d->ctx->store, d->ctx->subject,
                                               span_of("device.feature.fdp_enabled"));
        err_set(&w->fdp_err, E_IO, "%s", f != NULL && f->reason != NULL ? f->reason : "not read");
        w->fdp_err = d->has_id ? w->fdp_err : d->id_err;
    } else {
        w->has_fdp = host_nvme_group(d->ctx->host, d->node.ctrl, NVME_LOG, LOG_DATA_PLACEMENT,
                                     d->ns.endgid, NVME_FDP_LOG, &page, &w->fdp_err) &&
                     nvme_fdp_decode(page, &w->fdp, &w->fdp_err);
    }
}

/* ---- what was written ---- */

static void set_written(struct device *d, const char *source_word, nv_u128 media, nv_u128 host,
                        uint64_t unit, const char *source)
{
    struct num n;
    set_enum(d->ctx, "device.media.source", source_word, source);
    if (num_mul(num_u128(media), num_u64(unit), &n) == NUM_OK) {
        set_num(d->ctx, "device.media.bytes_written", KIND_BYTES, n, source);
    }
    if (num_mul(num_u128(host), num_u64(unit), &n) == NUM_OK) {
        set_num(d->ctx, "device.media.host_bytes_written", KIND_BYTES, n, source);
    }
}

static bool endurance_tells(const struct wear *w)
{
    return w->has_endurance && w->endurance.media_units_written > 0 &&
           w->endurance.data_units_written >= SHARE_ENDURANCE_UNITS;
}

/* The host's part of C0h stands in the health log. */
static void set_written_ocp(struct device *d, const struct wear *w)
{
    const char *source = device_page_source(d, "log C0h");
    struct num n;
    set_enum(d->ctx, "device.media.source", "ocp", source);
    set_num(d->ctx, "device.media.bytes_written", KIND_BYTES, num_u128(w->ocp.media_bytes_written),
            source);
    if (!d->has_smart) {
        device_fact_missing(d, "device.media.host_bytes_written", &d->smart_err, source);
    } else if (num_mul(num_u128(d->smart.data_units_written), num_u64(512000), &n) == NUM_OK) {
        set_num(d->ctx, "device.media.host_bytes_written", KIND_BYTES, n,
                device_page_source(d, "smart-log"));
    }
}

bool wear_is_open(bool has, const struct err *e)
{
    return !has && e->code != E_NOT_SUPPORTED;
}

/* One page after the other; one that is offered and cannot be had leaves it open what it would have said. */
static void set_bytes(struct device *d, const struct wear *w)
{
    static const char *const names[] = {"device.media.source", "device.media.bytes_written",
                                        "device.media.host_bytes_written"};
    const unsigned both = 1u << INTEL_NAND_WRITTEN | 1u << INTEL_HOST_WRITTEN;
    const struct err *open = wear_is_open(w->has_fdp, &w->fdp_err) ? &w->fdp_err : NULL;
    if (open == NULL && w->has_fdp) {
        set_written(d, "fdp", w->fdp.media_bytes, w->fdp.host_bytes, 1,
                    device_page_source(d, "log 22h"));
        return;
    }
    open = open == NULL && wear_is_open(w->has_endurance, &w->endurance_err) ? &w->endurance_err : open;
    if (open == NULL && endurance_tells(w)) {
        set_written(d, "endgrp", w->endurance.media_units_written, w->endurance.data_units_written,
                    NVME_ENDURANCE_UNIT, device_page_source(d, "log 09h"));
        return;
    }
    open = open == NULL && wear_is_open(w->has_ocp, &w->ocp_err) ? &w->ocp_err : open;
    if (open == NULL && w->has_ocp) {
        set_written_ocp(d, w);
        return;
    }
    open = open == NULL && wear_is_open(w->has_intel, &w->intel_err) ? &w->intel_err : open;
    if (open == NULL && w->has_intel && (w->intel.has & both) == both) {
        set_written(d, "intel", w->intel.raw[INTEL_NAND_WRITTEN], w->intel.raw[INTEL_HOST_WRITTEN],
                    NVME_INTEL_UNIT, device_page_source(d, "log CAh"));
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        device_fact_missing(d, names[i], open != NULL ? open : &w->ocp_err, "log pages");
    }
}

void device_read_wear(struct device *d)
{
    struct wear w = {.has_ocp = false};
    if (d->disk.nvme) {
        read_endurance(d, &w);
        read_fdp(d, &w);
        read_ocp(d, &w);
        read_intel(d, &w);
    } else {
        err_set(&w.ocp_err, E_NOT_SUPPORTED, "not an NVMe device");
        w.intel_err = w.endurance_err = w.fdp_err = w.ocp_err;
    }
    set_bytes(d, &w);
    wear_set_items(d, &w);
}
