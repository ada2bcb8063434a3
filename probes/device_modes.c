/* Device, theme features, second part: power states, interrupt coalescing, host memory, temperatures and
 * data placement. Each feature is asked for only where the specification makes a drive have it or Identify
 * Controller announces it. */
#include <string.h>

#include "probes/device.h"
#include "probes/nvme_bytes.h"
#include "probes/setters.h"

#include "advisor/base/banned.h"

#define FEATURE_POWER 0x02u
#define FEATURE_COALESCING 0x08u
#define FEATURE_ATOMICITY 0x0au
#define FEATURE_APST 0x0cu
#define FEATURE_HOST_MEMORY 0x0du
#define FEATURE_HOST_THERMAL 0x10u
#define FEATURE_DATA_PLACEMENT 0x1du
#define CTRATT_DATA_PLACEMENT (1u << 19)
#define APST_BYTES 256u
#define HOST_MEMORY_BYTES 4096u
#define HOST_MEMORY "device.feature.hmb_enabled"
#define DATA_PLACEMENT "device.feature.fdp_enabled"
#define TMT1 "device.feature.tmt1_c"
#define TMT2 "device.feature.tmt2_c"

static bool ask(struct device *d, uint32_t id, uint32_t *ret, struct err *reterr)
{
    struct span s;
    return host_nvme(d->ctx->host, d->node.ctrl, NVME_FEATURE, 0, id, sizeof(*ret), &s, reterr) &&
           nvme_feature_decode(s, ret, reterr);
}

static void set_no_apst(struct device *d, const char *source, const char *reason)
{
    set_bool(d->ctx, "device.feature.apst_enabled", false, source);
    set_unknown(d->ctx, "device.feature.apst_exit_latency_max", FACT_NOT_SUPPORTED, source, "",
                reason);
}

void device_modes_from_id(struct device *d)
{
    static const char fixed[] = "the host cannot set temperatures of this drive";
    const char *source = device_page_source(d, "identify-ctrl");
    if (!d->has_id) {
        return;
    }
    if (!d->id.apst_supported) {
        set_no_apst(d, source, "the controller enters no power state by itself");
    }
    if (d->id.hmb_preferred_4k == 0) {
        set_bool(d->ctx, HOST_MEMORY, false, source);
    }
    if (!d->id.host_thermal) {
        set_unknown(d->ctx, TMT1, FACT_NOT_SUPPORTED, source, "", fixed);
        set_unknown(d->ctx, TMT2, FACT_NOT_SUPPORTED, source, "", fixed);
    }
    if ((d->id.ctratt & CTRATT_DATA_PLACEMENT) == 0) {
        d->fdp = TRI_NO;
        set_bool(d->ctx, DATA_PLACEMENT, false, source);
    }
}

/* Those that every drive must have. */
static void read_mandatory(struct device *d)
{
    static const struct {
        const char *fact;
        uint32_t id;
        const char *source;
    } rows[] = {
        {"device.feature.power_state", FEATURE_POWER, "feature 02h"},
        {"device.feature.irq_coalesce_time", FEATURE_COALESCING, "feature 08h"},
        {"device.feature.atomic_normal_disabled", FEATURE_ATOMICITY, "feature 0Ah"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct err e = d->id_err;
        uint32_t v = 0;
        const char *source = device_page_source(d, rows[i].source);
        if (d->has_id && !device_is_a_drive(d) && d->disk.storage_class != NULL &&
            (span_in_words(d->disk.transport, "tcp,rdma,fc,loop") ||
             strcmp(d->disk.storage_class, "cloud-network") == 0)) {
            set_unknown(d->ctx, rows[i].fact, FACT_NOT_SUPPORTED, source, "",
                        "no drive of this machine: such controllers refuse to tell");
        } else if (d->has_id && !device_is_a_drive(d)) {
            set_unknown(d->ctx, rows[i].fact, FACT_ABSENT, source, "", d->disk.why);
        } else if (!d->has_id || !ask(d, rows[i].id, &v, &e)) {
            device_fact_missing(d, rows[i].fact, &e, source);
        } else if (rows[i].id == FEATURE_POWER) {
            set_u64(d->ctx, rows[i].fact, KIND_COUNT, v & 0x1f, source);
        } else if (rows[i].id == FEATURE_COALESCING) {
            set_ratio(d->ctx, rows[i].fact, KIND_SECONDS, v >> 8 & 0xff, 10000, source); /* 100 us */
        } else {
            set_bool(d->ctx, rows[i].fact, (v & 1) != 0, source);
        }
    }
}

/* The longest way back from a state that some state goes on to by itself. The table has an entry for each
 * state: the one to go to, and after how many idle milliseconds, 0 = never. */
static uint32_t exit_latency(const struct device *d, struct span table)
{
    uint32_t most = 0;
    for (unsigned i = 0; i <= d->id.npss && i < NVME_POWER_STATES_MAX; i++) {
        const uint32_t entry = nvme_le32(table, 8u * i);
        const unsigned target = entry >> 3 & 0x1f;
        if (entry >> 8 != 0 && target <= d->id.npss && d->id.power[target].exit_us > most) {
            most = d->id.power[target].exit_us;
        }
    }
    return most;
}

static void read_apst(struct device *d)
{
    const char *source = device_page_source(d, "feature 0Ch");
    struct err e = d->id_err;
    struct span s;
    if (d->has_id && !d->id.apst_supported) {
        return;
    }
    if (!d->has_id || !host_nvme(d->ctx->host, d->node.ctrl, NVME_FEATURE_DATA, 0,
                                        FEATURE_APST, APST_BYTES, &s, &e)) {
        device_fact_missing(d, "device.feature.apst_enabled", &e, source);
        device_fact_missing(d, "device.feature.apst_exit_latency_max", &e, source);
    } else if ((nvme_u8(s, 0) & 1) == 0) {
        set_no_apst(d, source, "entering power states by itself is switched off");
    } else {
        set_bool(d->ctx, "device.feature.apst_enabled", true, source);
        set_ratio(d->ctx, "device.feature.apst_exit_latency_max", KIND_SECONDS,
                  exit_latency(d, span_sub(s, 4, APST_BYTES)), 1000000, source);
    }
}

static void read_host_memory(struct device *d)
{
    static const char name[] = HOST_MEMORY;
    const char *source = device_page_source(d, "feature 0Dh");
    struct err e = d->id_err;
    struct span s;
    if (d->has_id && d->id.hmb_preferred_4k == 0) {
        return;
    }
    if (!d->has_id || !host_nvme(d->ctx->host, d->node.ctrl, NVME_FEATURE_DATA, 0,
                                        FEATURE_HOST_MEMORY, HOST_MEMORY_BYTES, &s, &e)) {
        device_fact_missing(d, name, &e, source);
    } else {
        set_bool(d->ctx, name, (nvme_u8(s, 0) & 1) != 0, source);
    }
}

static void set_threshold(struct device *d, const char *name, uint32_t kelvin, const char *source)
{
    if (kelvin == 0) {
        set_unknown(d->ctx, name, FACT_ABSENT, source, "", "the host has set none");
    } else {
        set_num(d->ctx, name, KIND_CELSIUS, num_i64((int64_t)kelvin - 273), source);
    }
}

static void read_host_thermal(struct device *d)
{
    static const char *const names[] = {TMT2, TMT1};
    const char *source = device_page_source(d, "feature 10h");
    struct err e = d->id_err;
    uint32_t v = 0;
    if (d->has_id && !d->id.host_thermal) {
        return;
    }
    const bool read = d->has_id && ask(d, FEATURE_HOST_THERMAL, &v, &e);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (read) {
            set_threshold(d, names[i], v >> (16 * i) & 0xffff, source);
        } else {
            device_fact_missing(d, names[i], &e, source);
        }
    }
}

/* Of the endurance group that the namespace lies in. */
static bool ask_data_placement(struct device *d, uint32_t *ret, struct err *reterr)
{
    struct span s;
    if (!d->has_ns) {
        *reterr = d->ns_err;
        return false;
    }
    return host_nvme_group(d->ctx->host, d->node.ctrl, NVME_FEATURE, FEATURE_DATA_PLACEMENT,
                           d->ns.endgid, 0, &s, reterr) &&
           nvme_feature_decode(s, ret, reterr);
}

static void read_data_placement(struct device *d)
{
    static const char name[] = DATA_PLACEMENT;
    const char *source = device_page_source(d, "feature 1Dh");
    struct err e = d->id_err;
    uint32_t v = 0;
    if (d->fdp == TRI_NO) {
        return;
    }
    if (!d->has_id || !ask_data_placement(d, &v, &e)) {
        device_fact_missing(d, name, &e, source);
    } else {
        d->fdp = (v & 1) != 0 ? TRI_YES : TRI_NO;
        set_bool(d->ctx, name, d->fdp == TRI_YES, source);
    }
}

void device_read_modes(struct device *d)
{
    const struct decl_rows table = {device_feature_decls, DEVICE_FEATURE_DECLS};
    if (d->disk.nvme) {
        read_mandatory(d);
        read_apst(d);
        read_host_memory(d);
        read_host_thermal(d);
        read_data_placement(d);
    }
    device_page_missing(d, &table, &d->id_err, device_page_source(d, "features"));
}
