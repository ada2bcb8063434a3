/* Device, theme vendor: what is known of the pages that each maker writes as he likes. None of them is read
 * here; whether the controller offers one that tells of capacitors is. */
#include "probes/device.h"
#include "probes/setters.h"

#include "advisor/base/banned.h"

#define LPA_SUPPORTED_LOGS 0x20u
#define LOG_SUPPORTED_LOGS 0x00u
#define LOG_OPEN_COMPUTE 0xc0u

const struct fact_decl device_vendor_decls[DEVICE_VENDOR_DECLS] = {
    {"device.media.capacitor_page", KIND_BOOL, NULL, SUBJECT_DEVICE, FOLD_ANY, NEED_ROOT,
     "announces a log page that tells of its capacitors", "Identify Controller LPA, log page 00h",
     "root"},
    {"device.plp_data_sheet", KIND_BOOL, NULL, SUBJECT_DEVICE, FOLD_ALL, NEED_NONE,
     "what the data sheet says of power-loss protection, where somebody stated it", "data sheet", ""},
};

static bool read_logs(struct device *d, bool *ret, struct err *reterr)
{
    struct span page;
    return host_nvme(d->ctx->host, d->node.ctrl, NVME_LOG, 0, LOG_SUPPORTED_LOGS, NVME_LOGS_BYTES,
                     &page, reterr) &&
           nvme_logs_decode(page, LOG_OPEN_COMPUTE, ret, reterr);
}

/* A page that is not announced is not there; one that is announced may be another maker's own. */
static void set_page(struct device *d)
{
    static const char name[] = "device.media.capacitor_page";
    const char *source = device_page_source(d, "log 00h");
    struct err e = ERR_INIT;
    bool offered = false;
    if (!d->disk.nvme) {
        set_bool(d->ctx, name, false, "not an NVMe device");
    } else if (!d->has_id) {
        device_fact_missing(d, name, &d->id_err, source);
    } else if ((d->id.lpa & LPA_SUPPORTED_LOGS) == 0) {
        set_bool(d->ctx, name, false, device_page_source(d, "identify-ctrl"));
    } else if (!read_logs(d, &offered, &e)) {
        device_fact_missing(d, name, &e, source);
    } else if (!offered) {
        set_bool(d->ctx, name, false, source);
    } else {
        set_unknown(d->ctx, name, FACT_ABSENT, source, "",
                    "it offers log page C0h, which this version does not read");
    }
}

static void set_host_memory(struct device *d)
{
    static const char name[] = "device.feature.hmb_enabled";
    const char *source = device_page_source(d, "identify-ctrl");
    if (!d->disk.nvme || !d->has_id) {
        device_fact_missing(d, name, &d->id_err, source);
    } else if (d->id.hmb_preferred_4k == 0) {
        set_bool(d->ctx, name, false, source);
    } else {
        set_unknown(d->ctx, name, FACT_ABSENT, source, "",
                    "it wants memory of the host; whether it was given any is not read");
    }
}

void device_read_vendor(struct device *d)
{
    set_page(d);
    if (d->disk.nvme) {
        set_unknown(d->ctx, "device.media.capacitor_ok", FACT_ABSENT, "log page C0h", "",
                    "this version reads no page of a maker's own");
    } else {
        set_unknown(d->ctx, "device.media.capacitor_ok", FACT_NOT_SUPPORTED, "log page C0h", "",
                    "not an NVMe device");
    }
    set_host_memory(d);
    set_unknown(d->ctx, "device.plp_data_sheet", FACT_ABSENT, "data sheet",
                "look up power-loss protection in the drive's data sheet and say "
                "--set device.power_loss_protection=true or =false",
                "nothing on this host tells what the data sheet says");
}
