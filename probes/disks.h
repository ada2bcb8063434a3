/* The list of NVMe disks, for --all-devices only: otherwise only those that a volume ends on are
 * asked. */
#ifndef NVADVISE_PROBES_DISKS_H
#define NVADVISE_PROBES_DISKS_H

#include "probes/probe.h"

extern const struct probe probe_disks;

#endif
