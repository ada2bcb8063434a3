/* Whether the data of a volume survive the loss of any one disk, by the layers from the filesystem down to the
 * disks. Computed when all facts are there; the same live and in a replay. */
#ifndef NVADVISE_PROBES_REDUNDANCY_H
#define NVADVISE_PROBES_REDUNDANCY_H

#include "advisor/facts/layer.h"
#include "advisor/facts/store.h"
#include "probes/disk.h"

/* Does what lies on a disk outlive it: TRI_YES where the storage behind it keeps copies, TRI_NO for a drive. */
typedef enum tri (*redundancy_disk)(void *ctx, struct span name);

/* Over the layers of one volume, as volume.layers lists them. Each disk is taken away by itself, and every layer
 * asked what it does without it; a layer that does not tell how it keeps data answers only where all or none of what
 * is below it is lost. `metadata`: how a btrfs of several devices keeps its metadata, a word of
 * volume.btrfs.metadata_profile; empty: not known. TRI_UNKNOWN also where there is no disk. */
enum tri redundancy_of(const struct layer *layers, size_t n, struct span metadata,
                       redundancy_disk disk, void *ctx);

/* Sets volume.mirrored on every volume that belongs to a server. */
void redundancy_set(struct store *s);

#define REDUNDANCY_DECLS 1
extern const struct fact_decl redundancy_decls[REDUNDANCY_DECLS];

#endif
