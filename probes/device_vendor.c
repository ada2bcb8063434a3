/* Device, theme vendor: the list of log pages that the controller offers, where it has one, and what the
 * data sheet says. Pages of makers are asked for only when they stand on that list, or when the model's own
 * specification documents them (device_wear.c). */
#include "probes/device.h"
#include "probes/setters.h"

#include "advisor/base/banned.h"

#define LPA_SUPPORTED_LOGS 0x20u
#define LOG_SUPPORTED_LOGS 0x00u

const struct fact_decl device_vendor_decls[DEVICE_VENDOR_DECLS] = {
    {"device.plp_data_sheet", KIND_BOOL, NULL, SUBJECT_DEVICE, FOLD_ALL, NEED_NONE,
     "what the data sheet says of power-loss protection, where somebody stated it", "data sheet", ""},
};

/* The list is read without a namespace, as it was first recorded. */
static bool read_list(struct device *d, struct err *reterr)
{
    struct span page;
    bool first = false;
    if (!host_nvme(d->ctx->host, d->node.ctrl, NVME_LOG, 0, LOG_SUPPORTED_LOGS, NVME_LOGS_BYTES,
                   &page, reterr) ||
        !nvme_logs_decode(page, LOG_SUPPORTED_LOGS, &first, reterr)) {
        return false;
    }
    d->logs = span_copy(d->ctx->arena, page);
    return true;
}

void device_read_vendor(struct device *d)
{
    if (d->has_id && (d->id.lpa & LPA_SUPPORTED_LOGS) != 0) {
        d->has_logs = read_list(d, &d->logs_err);
    }
    set_unknown(d->ctx, "device.plp_data_sheet", FACT_ABSENT, "data sheet",
                "look up power-loss protection in the drive's data sheet and say "
                "--set device.power_loss_protection=true or =false",
                "nothing on this host tells what the data sheet says");
}
