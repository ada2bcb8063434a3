/* Device, theme wear: what its two files share. */
#ifndef NVADVISE_PROBES_DEVICE_WEAR_H
#define NVADVISE_PROBES_DEVICE_WEAR_H

#include "probes/device.h"
#include "probes/nvme_logs.h"
#include "probes/nvme_vendor.h"

/* What the pages said; the first that is offered tells what was written. */
struct wear {
    bool has_ocp, has_intel, has_endurance, has_fdp;
    struct nvme_ocp ocp;
    struct nvme_intel intel;
    struct nvme_endurance endurance;
    struct nvme_fdp fdp;
    /* an offered page that could not be had, or of which it is not known whether it is offered */
    struct err ocp_err, intel_err, endurance_err, fdp_err;
};

/* A page that is not there and that the drive may have all the same: it could not be had. */
bool wear_is_open(bool has, const struct err *e);

/* All facts but those of bytes written. */
void wear_set_items(struct device *d, const struct wear *w);

#endif
