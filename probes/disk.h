/* What kind of disk a block device is, from sysfs alone: used on the leaves of a volume and by the
 * device probe. Knows the models of clouds and emulators; no facts, no thresholds.
 *
 * Three-valued answers stay unknown where only the hypervisor or an array could tell. */
#ifndef NVADVISE_PROBES_DISK_H
#define NVADVISE_PROBES_DISK_H

#include "probes/host/host.h"

enum tri { TRI_UNKNOWN, TRI_NO, TRI_YES };

struct disk {
    const char *name;          /* kernel name */
    const char *kind;          /* word of device.kind, or NULL: unknown */
    const char *storage_class; /* word of volume.storage_class, or NULL: unknown */
    const char *why;           /* why some of the below are unknown; never NULL */
    enum tri virtual_device;   /* emulated or para-virtual */
    enum tri network;          /* reached over a network */
    enum tri ephemeral;        /* loses its data when the machine stops */
    enum tri spinning;         /* the media, not the kernel's flag alone */
    bool nvme;
    bool multipath_head;       /* NVMe: the namespace of a subsystem, not of one controller */
    struct span link;          /* target of /sys/class/block/NAME; empty when not readable */
    struct span model, serial, firmware; /* clean text; empty when sysfs does not give it */
    struct span transport;     /* NVMe: as sysfs says; empty when it does not */
    const char *controllers[16]; /* NVMe: "nvme0", …: one, or those of the subsystem */
    size_t n_controllers;
};

/* Only the controllers of NVMe disk d->name: fills multipath_head, controllers, n_controllers. */
void disk_find_controllers(struct host *h, struct arena *a, struct disk *d);

/* Look at block device `name`. false: sysfs has no such device, or it may not be read. */
ATTR_NODISCARD bool disk_identify(struct host *h, struct arena *a, const char *name,
                                  struct disk *ret, struct err *reterr);

#endif
