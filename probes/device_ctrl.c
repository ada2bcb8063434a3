/* Device, theme controller: Identify Controller as facts, with what sysfs knows for those without
 * root. The write cache and discards exist on every disk. */
#include "probes/device.h"
#include "probes/setters.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

#define PAGE "identify-ctrl"
#define NVME_ROW(name, kind, meaning, field)                                                       \
    {                                                                                              \
        name, kind, NULL, SUBJECT_DEVICE, FOLD_SAME, NEED_ROOT, meaning,                           \
            "Identify Controller, " field, "root"                                                  \
    }

const struct fact_decl device_ctrl_decls[DEVICE_CTRL_DECLS] = {
    NVME_ROW("device.nvme_version", KIND_VERSION, "NVMe version of the controller", "VER"),
    NVME_ROW("device.mdts", KIND_COUNT, "largest transfer, raw field, 0 = no limit", "MDTS"),
    NVME_ROW("device.max_transfer_bytes_4k_pages", KIND_BYTES, "largest transfer", "MDTS"),
    {"device.cntlid", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_SAME, NEED_NONE,
     "controller number within its subsystem", "/sys/class/nvme/CTRL/cntlid", ""},
    NVME_ROW("device.oacs", KIND_COUNT, "optional admin commands, bits", "OACS"),
    NVME_ROW("device.oncs", KIND_COUNT, "optional NVM commands, bits", "ONCS"),
    NVME_ROW("device.lpa", KIND_COUNT, "log page attributes, bits", "LPA"),
    NVME_ROW("device.ctratt", KIND_COUNT, "controller attributes, bits", "CTRATT"),
    NVME_ROW("device.fna", KIND_COUNT, "how far a format reaches, bits", "FNA"),
    NVME_ROW("device.npss", KIND_COUNT, "power states less one", "NPSS"),
    NVME_ROW("device.power_states", KIND_LIST, "power, entry and exit latency of each state",
             "PSD"),
    NVME_ROW("device.apst_supported", KIND_BOOL, "enters power states by itself", "APSTA"),
    NVME_ROW("device.wctemp_c", KIND_CELSIUS, "warning temperature", "WCTEMP"),
    NVME_ROW("device.cctemp_c", KIND_CELSIUS, "critical temperature", "CCTEMP"),
    NVME_ROW("device.hmb_preferred_bytes", KIND_BYTES, "host memory that it wants: no DRAM inside",
             "HMPRE"),
    NVME_ROW("device.tnvmcap_bytes", KIND_BYTES, "total capacity", "TNVMCAP"),
    NVME_ROW("device.unvmcap_bytes", KIND_BYTES, "unallocated capacity", "UNVMCAP"),
    NVME_ROW("device.endgid_max", KIND_COUNT, "endurance groups", "ENDGIDMAX"),
    NVME_ROW("device.awun_blocks", KIND_COUNT, "atomic write unit in normal operation, blocks",
             "AWUN"),
    NVME_ROW("device.awupf_blocks", KIND_COUNT, "atomic write unit at power failure, blocks",
             "AWUPF"),
    NVME_ROW("device.awupf_bytes", KIND_BYTES, "atomic write unit at power failure, all namespaces",
             "AWUPF"),
    {"device.volatile_write_cache", KIND_BOOL, NULL, SUBJECT_DEVICE, FOLD_ANY, NEED_ROOT,
     "a volatile write cache is present", "Identify Controller VWC, else queue/write_cache",
     "root for NVMe"},
    {"device.discard_supported", KIND_BOOL, NULL, SUBJECT_DEVICE, FOLD_ALL, NEED_NONE,
     "blocks can be discarded", "Identify Controller ONCS, else queue/discard_max_bytes", ""},
};

static void set_kelvin(struct device *d, const char *name, uint16_t kelvin, const char *source)
{
    if (kelvin == 0) {
        set_unknown(d->ctx, name, FACT_ABSENT, source, "", "the controller reports 0 K: no value");
    } else {
        set_num(d->ctx, name, KIND_CELSIUS, num_i64((int64_t)kelvin - 273), source);
    }
}

static void set_version(struct device *d, const char *source)
{
    uint32_t v = d->id.version;
    if (v == 0) {
        set_unknown(d->ctx, "device.nvme_version", FACT_ABSENT, source, "",
                    "not reported, as before NVMe 1.2");
        return;
    }
    struct version version = {.part = {v >> 16, (v >> 8) & 0xff, v & 0xff}, .n = 3};
    store_known(d->ctx->store, d->ctx->subject, "device.nvme_version", value_version(version),
                source);
}

static void set_power_states(struct device *d, const char *source)
{
    struct span items[NVME_POWER_STATES_MAX];
    size_t n = 0;
    for (; n < NVME_POWER_STATES_MAX && n <= d->id.npss; n++) {
        const struct nvme_power_state *p = &d->id.power[n];
        items[n] = span_of(arena_printf(
            d->ctx->arena, "ps%zu:%llu.%02lluW:enter-%uus:exit-%uus%s", n,
            (unsigned long long)(p->max_power_uw / 1000000),
            (unsigned long long)(p->max_power_uw / 10000 % 100), p->enter_us, p->exit_us,
            p->operational ? "" : ":idle"));
    }
    set_words(d->ctx, "device.power_states", KIND_LIST, items, n, source);
}

static void set_transfer(struct device *d, const char *source)
{
    set_u64(d->ctx, "device.mdts", KIND_COUNT, d->id.mdts, source);
    if (d->id.mdts == 0) {
        set_unknown(d->ctx, "device.max_transfer_bytes_4k_pages", FACT_ABSENT, source, "",
                    "the controller sets no limit");
    } else if (d->id.mdts > 51) {
        set_unknown(d->ctx, "device.max_transfer_bytes_4k_pages", FACT_UNREADABLE, source, "",
                    "the field is beyond any size");
    } else {
        set_u64(d->ctx, "device.max_transfer_bytes_4k_pages", KIND_BYTES,
                (uint64_t)4096 << d->id.mdts, source);
    }
}

static void set_capacity(struct device *d, const char *source)
{
    if (d->id.total_bytes == 0) {
        static const char none[] = "the controller reports 0: not supported";
        set_unknown(d->ctx, "device.tnvmcap_bytes", FACT_ABSENT, source, "", none);
        set_unknown(d->ctx, "device.unvmcap_bytes", FACT_ABSENT, source, "", none);
        return;
    }
    set_num(d->ctx, "device.tnvmcap_bytes", KIND_BYTES, num_u128(d->id.total_bytes), source);
    set_num(d->ctx, "device.unvmcap_bytes", KIND_BYTES, num_u128(d->id.unallocated_bytes), source);
}

static void set_atomic(struct device *d, const char *source)
{
    set_u64(d->ctx, "device.awun_blocks", KIND_COUNT, d->id.awun_blocks, source);
    set_u64(d->ctx, "device.awupf_blocks", KIND_COUNT, d->id.awupf_blocks, source);
    if (d->lba_bytes > 0) {
        set_u64(d->ctx, "device.awupf_bytes", KIND_BYTES, d->id.awupf_blocks * d->lba_bytes,
                source);
    } else {
        device_fact_missing(d, "device.awupf_bytes", &d->ns_err, "identify-ns");
    }
}

static void set_page(struct device *d)
{
    const char *source = device_page_source(d, PAGE);
    const struct nvme_ctrl *c = &d->id;
    set_version(d, source);
    set_transfer(d, source);
    set_u64(d->ctx, "device.oacs", KIND_COUNT, c->oacs, source);
    set_u64(d->ctx, "device.oncs", KIND_COUNT, c->oncs, source);
    set_u64(d->ctx, "device.lpa", KIND_COUNT, c->lpa, source);
    set_u64(d->ctx, "device.ctratt", KIND_COUNT, c->ctratt, source);
    set_u64(d->ctx, "device.fna", KIND_COUNT, c->fna, source);
    set_u64(d->ctx, "device.npss", KIND_COUNT, c->npss, source);
    set_power_states(d, source);
    set_bool(d->ctx, "device.apst_supported", c->apst_supported, source);
    set_kelvin(d, "device.wctemp_c", c->wctemp_k, source);
    set_kelvin(d, "device.cctemp_c", c->cctemp_k, source);
    set_u64(d->ctx, "device.hmb_preferred_bytes", KIND_BYTES,
            (uint64_t)c->hmb_preferred_4k * 4096, source);
    set_capacity(d, source);
    set_u64(d->ctx, "device.endgid_max", KIND_COUNT, c->endgid_max, source);
    set_atomic(d, source);
    set_bool(d->ctx, "device.volatile_write_cache", (c->vwc & 1) != 0, source);
    if ((c->oncs & 4) != 0) {
        set_bool(d->ctx, "device.discard_supported", true, source);
    }
}

/* Without the page: "write back" proves a volatile cache on NVMe, "write through" may be an
 * administrator's override. Other disks have no better witness than the kernel. */
static void set_cache_from_queue(struct device *d)
{
    struct err e = ERR_INIT;
    struct span s;
    static const char source[] = "queue/write_cache";
    bool read = sysfs_text(d->ctx->host, d->ctx->arena, &s, &e,
                           "/sys/class/block/%s/queue/write_cache", d->name);
    if (read && span_eq_text(s, "write back")) {
        set_bool(d->ctx, "device.volatile_write_cache", true, source);
    } else if (d->disk.nvme) {
        device_fact_missing(d, "device.volatile_write_cache", &d->id_err, PAGE);
    } else if (read && span_eq_text(s, "write through")) {
        set_bool(d->ctx, "device.volatile_write_cache", false, source);
    } else if (!read) {
        set_err(d->ctx, "device.volatile_write_cache", &e, source);
    }
}

static void set_discard_from_queue(struct device *d)
{
    struct err e = ERR_INIT;
    uint64_t v = 0;
    if (sysfs_u64(d->ctx->host, d->ctx->arena, &v, &e, "/sys/class/block/%s/queue/discard_max_bytes",
                  d->name)) {
        set_bool(d->ctx, "device.discard_supported", v > 0, "queue/discard_max_bytes");
    } else {
        set_err(d->ctx, "device.discard_supported", &e, "queue/discard_max_bytes");
    }
}

static void set_cntlid(struct device *d)
{
    struct err e = ERR_INIT;
    uint64_t v = 0;
    if (d->has_id) {
        set_u64(d->ctx, "device.cntlid", KIND_COUNT, d->id.cntlid, device_page_source(d, PAGE));
    } else if (d->disk.n_controllers != 1) {
        err_set(&e, E_ABSENT, "'%s' hangs on %zu controllers", d->name, d->disk.n_controllers);
        device_fact_missing(d, "device.cntlid", &e, "sysfs");
    } else if (sysfs_u64(d->ctx->host, d->ctx->arena, &v, &e, "/sys/class/nvme/%s/cntlid",
                         d->disk.controllers[0])) {
        set_u64(d->ctx, "device.cntlid", KIND_COUNT, v, "/sys/class/nvme/CTRL/cntlid");
    } else {
        device_fact_missing(d, "device.cntlid", &e, "sysfs");
    }
}

void device_read_ctrl(struct device *d)
{
    const struct decl_rows table = {device_ctrl_decls, DEVICE_CTRL_DECLS};
    if (d->has_id) {
        set_page(d);
    } else {
        set_cache_from_queue(d);
    }
    if (!d->has_id || (d->id.oncs & 4) == 0) {
        set_discard_from_queue(d);
    }
    set_cntlid(d);
    device_page_missing(d, &table, &d->id_err, device_page_source(d, PAGE));
}
