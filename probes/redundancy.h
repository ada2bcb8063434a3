/* Whether the data of a volume survive the loss of any one disk, by the layers from the filesystem down to the
 * disks. Computed when all facts are there; the same live and in a replay. */
#ifndef NVADVISE_PROBES_REDUNDANCY_H
#define NVADVISE_PROBES_REDUNDANCY_H

#include "advisor/facts/store.h"

#define REDUNDANCY_DECLS 1
extern const struct fact_decl redundancy_decls[REDUNDANCY_DECLS];

#endif
