/* The facts that come out of a complete walk. Needs no host but to look at the leaves. */
#ifndef NVADVISE_PROBES_VOLUME_CHAIN_H
#define NVADVISE_PROBES_VOLUME_CHAIN_H

#include "probes/blockwalk.h"
#include "probes/volume.h"

/* ZFS: the pool at the top, its groups, and what is below each of their devices. Logs and caches are aside. false:
 * not all disks of the data are known; *ret holds what was seen. */
ATTR_NODISCARD bool volume_walk_pool(struct volume *v, struct walk *ret, struct err *reterr);

/* ZFS: the facts of logs and caches, from that walk, whole or not. */
void volume_set_pool(struct volume *v, const struct walk *w);

/* btrfs: the devices of the filesystem, below a node of its profile where there are several. false: as above. */
ATTR_NODISCARD bool volume_walk_btrfs(struct volume *v, struct walk *ret, struct err *reterr);

/* btrfs of several devices: its own stripe. */
void volume_set_btrfs(struct volume *v);

/* Every layer that data pass hands discards on. */
void volume_set_discard(struct volume *v, const struct walk *w);

/* Overlay: *ret is `v` at its upper directory, as the walk down needs it. false: it cannot be followed. */
ATTR_NODISCARD bool volume_below_overlay(struct volume *v, struct volume *ret, struct err *reterr);

/* Chain, leaves, class, offsets. */
void volume_set_chain(struct volume *v, const struct walk *w);

/* The kinds of layers alone. */
void volume_set_kinds(struct volume *v, const struct walk *w);

/* Layers, stripe, array, limits. */
void volume_set_stack(struct volume *v, const struct walk *w);

/* md and LVM raid: level, missing legs, the job that runs. */
void volume_set_arrays(struct volume *v, const struct walk *w);

/* Thin pools, snapshots, encryption, suspended layers: what the device mapper's table and status say. */
void volume_set_tables(struct volume *v, const struct walk *w);

/* The fact hides in a table that was not read, or does not fit. */
void volume_table_missing(struct volume *v, const char *name);

/* Disks of one size in the volume group. */
void volume_set_group(struct volume *v, const struct walk *w);

/* volume.layers: all that was seen; `why`: the walk did not begin. Either may be NULL. */
void volume_set_layers(struct volume *v, const struct walk *w, const struct err *why);

/* In a pool's job: the filesystem as the volume's own job put it, with the record that its dataset has. */
struct span volume_top_layer(struct volume *v);

#endif
