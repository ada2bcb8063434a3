/* Device, theme wear, second part: single counters, throttling, capacitors and the endurance group. */
#include "probes/device_wear.h"
#include "probes/setters.h"

#include "advisor/base/banned.h"

/* ---- single counters: the Open Compute page first, then Intel's ---- */

struct item {
    const char *fact;
    enum kind kind;
    bool has_ocp;                 /* C0h tells it, */
    uint64_t ocp, ocp_per;        /* so much, divided by that */
    enum nvme_intel_item intel;   /* CAh tells it; INTEL_ITEMS: it does not */
    unsigned shift;               /* in bits from here up */
    uint64_t mask, times, per;
    bool timed;                   /* 65535: the timer was not started */
};

/* v / per; whole where `per` is 1. */
static void set_share(struct device *d, const char *name, enum kind kind, uint64_t v, uint64_t per,
                      const char *source)
{
    if (per == 1) {
        set_u64(d->ctx, name, kind, v, source);
    } else {
        set_ratio(d->ctx, name, kind, v, per, source);
    }
}

static void set_item(struct device *d, const struct wear *w, const struct item *i)
{
    const bool intel_tells = i->intel != INTEL_ITEMS;
    if (w->has_ocp && i->has_ocp) {
        set_share(d, i->fact, i->kind, i->ocp, i->ocp_per, device_page_source(d, "log C0h"));
    } else if (wear_is_open(w->has_ocp, &w->ocp_err)) {
        device_fact_missing(d, i->fact, &w->ocp_err, "log C0h");
    } else if (!intel_tells || !w->has_intel || (w->intel.has >> i->intel & 1) == 0) {
        struct err none = ERR_INIT;
        err_set(&none, E_NOT_SUPPORTED, "no page of this drive tells it");
        const bool open = intel_tells && wear_is_open(w->has_intel, &w->intel_err) && !w->has_ocp;
        device_fact_missing(d, i->fact, open ? &w->intel_err : &none, "log pages");
    } else if (i->timed && w->intel.raw[i->intel] % 65536 == NVME_INTEL_NOT_STARTED) {
        set_unknown(d->ctx, i->fact, FACT_ABSENT, device_page_source(d, "log CAh"), "",
                    "the timer of this counter was never started");
    } else {
        set_share(d, i->fact, i->kind,
                  (w->intel.raw[i->intel] >> i->shift & i->mask) * i->times, i->per,
                  device_page_source(d, "log CAh"));
    }
}

#define RAW 0xffffffffffffull
#define NO_OCP false, 0, 1
#define COUNT_OF(item) (item), 0, RAW, 1, 1, false

static void set_items(struct device *d, const struct wear *w)
{
    const struct nvme_ocp *o = &w->ocp;
    const struct item items[] = {
        {"device.media.wear_min", KIND_COUNT, true, o->erase_min, 1, INTEL_WEAR, 0, 0xffff, 1, 1, false},
        {"device.media.wear_max", KIND_COUNT, true, o->erase_max, 1, INTEL_WEAR, 16, 0xffff, 1, 1, false},
        {"device.media.wear_avg", KIND_COUNT, o->has_erase_avg, o->erase_avg, 1, INTEL_WEAR, 32, 0xffff,
         1, 1, false},
        {"device.media.program_fail", KIND_COUNT, NO_OCP, COUNT_OF(INTEL_PROGRAM_FAIL)},
        {"device.media.erase_fail", KIND_COUNT, NO_OCP, COUNT_OF(INTEL_ERASE_FAIL)},
        {"device.media.e2e_errors", KIND_COUNT, true, o->e2e_detected, 1, COUNT_OF(INTEL_E2E)},
        {"device.media.crc_errors", KIND_COUNT, NO_OCP, COUNT_OF(INTEL_CRC)},
        {"device.media.timed_media_wear_pct", KIND_RATIO, NO_OCP, INTEL_TIMED_WEAR, 0, RAW, 1, 102400,
         true},
        {"device.media.timed_host_reads_pct", KIND_RATIO, NO_OCP, INTEL_TIMED_READS, 0, RAW, 1, 100,
         true},
        {"device.media.timed_minutes", KIND_SECONDS, NO_OCP, INTEL_TIMED_MINUTES, 0, RAW, 60, 1, true},
        {"device.media.throttle_pct", KIND_RATIO, NO_OCP, INTEL_THROTTLE, 0, 0xff, 1, 100, false},
        {"device.media.throttle_count", KIND_COUNT, true, o->throttle_events, 1, INTEL_THROTTLE, 8,
         0xffffffff, 1, 1, false},
        {"device.media.free_blocks_pct", KIND_RATIO, true, o->free_blocks_pct, 100, INTEL_ITEMS, 0, 0, 1,
         1, false},
        {"device.media.unexpected_power_loss", KIND_COUNT, true, o->incomplete_shutdowns, 1,
         COUNT_OF(INTEL_POWER_LOSS)},
    };
    for (size_t i = 0; i < ARRAY_LEN(items); i++) {
        set_item(d, w, &items[i]);
    }
}

/* ---- yes or no ---- */

static void set_throttled(struct device *d, const struct wear *w)
{
    static const char name[] = "device.media.throttled_now";
    if (w->has_ocp) {
        set_bool(d->ctx, name, w->ocp.throttle_now != 0, device_page_source(d, "log C0h"));
    } else if (!wear_is_open(w->has_ocp, &w->ocp_err) && w->has_intel &&
               (w->intel.has >> INTEL_THROTTLE & 1) != 0) {
        set_bool(d->ctx, name, (w->intel.raw[INTEL_THROTTLE] & 0xff) != 0,
                 device_page_source(d, "log CAh"));
    } else {
        const bool ocp = wear_is_open(w->has_ocp, &w->ocp_err) || w->intel_err.code == E_NONE;
        device_fact_missing(d, name, ocp ? &w->ocp_err : &w->intel_err, "log pages");
    }
}

/* A page that is not announced is not there; one that is may be another maker's own. */
static void set_capacitor(struct device *d, const struct wear *w)
{
    static const char page[] = "device.media.capacitor_page", ok[] = "device.media.capacitor_ok";
    const char *source = device_page_source(d, "log C0h");
    const bool tells = w->has_ocp && w->ocp.capacitor_pct != NVME_OCP_NO_CAPACITOR;
    if (!d->disk.nvme || w->has_ocp || w->ocp_err.code == E_NOT_SUPPORTED) {
        set_bool(d->ctx, page, tells, d->disk.nvme ? source : "not an NVMe device");
    } else {
        device_fact_missing(d, page, &w->ocp_err, source);
    }
    if (tells) {
        set_bool(d->ctx, ok, w->ocp.capacitor_pct > 0, source);
    } else if (w->has_ocp) {
        set_unknown(d->ctx, ok, FACT_NOT_SUPPORTED, source, "", "the drive says that it has none");
    } else {
        device_fact_missing(d, ok, &w->ocp_err, source);
    }
}

static void set_endurance(struct device *d, const struct wear *w)
{
    const char *source = device_page_source(d, "log 09h");
    const struct {
        const char *fact;
        enum kind kind;
        uint64_t v, per;
    } rows[] = {
        {"device.endurance_group.critical_warning", KIND_COUNT, w->endurance.critical_warning, 1},
        {"device.endurance_group.percentage_used_pct", KIND_RATIO, w->endurance.percentage_used, 100},
        {"device.endurance_group.available_spare_pct", KIND_RATIO, w->endurance.available_spare, 100},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (w->has_endurance) {
            set_share(d, rows[i].fact, rows[i].kind, rows[i].v, rows[i].per, source);
        } else {
            device_fact_missing(d, rows[i].fact, &w->endurance_err, source);
        }
    }
}

void wear_set_items(struct device *d, const struct wear *w)
{
    set_items(d, w);
    set_throttled(d, w);
    set_capacitor(d, w);
    set_endurance(d, w);
}
