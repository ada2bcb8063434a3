/* The facts that come out of a complete walk. Needs no host but to look at the leaves. */
#ifndef NVADVISE_PROBES_VOLUME_CHAIN_H
#define NVADVISE_PROBES_VOLUME_CHAIN_H

#include "probes/blockwalk.h"
#include "probes/volume.h"

/* Chain, leaves, class, offsets. */
void volume_set_chain(struct volume *v, const struct walk *w);

/* Layers, stripe, array, limits. */
void volume_set_stack(struct volume *v, const struct walk *w);

#endif
