/* The tables behind disk.h: what a model, a name or a place in sysfs says of a disk. Pure. */
#ifndef NVADVISE_PROBES_DISK_CLASS_H
#define NVADVISE_PROBES_DISK_CLASS_H

#include "probes/disk.h"

/* Fill kind, storage_class, why and the three-valued members from name, link, model, transport and
 * the kernel's rotational flag (TRI_UNKNOWN when not readable). `vendor` is the SCSI vendor or empty. */
void disk_classify(struct disk *d, struct span vendor, enum tri rotational_flag);

#endif
