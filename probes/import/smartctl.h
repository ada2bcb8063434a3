/* What both forms of smartctl share. */
#ifndef NVADVISE_PROBES_IMPORT_SMARTCTL_H
#define NVADVISE_PROBES_IMPORT_SMARTCTL_H

#include "probes/import/format.h"

/* The namespace in a disk's name: 2 of "nvme0n2"; 0 where there is none. */
unsigned smartctl_nsid(struct span name);

/* Asked at the controller's node it tells of no namespace: what the drive can hold is then its total capacity,
 * unless some of it is allocated to nobody. */
void smartctl_total(struct import *im, struct import_device *d);

/* LBA formats, power states and the error log in a text. */
void smartctl_tables(struct import *im, struct import_device *d, struct span text);

#endif
