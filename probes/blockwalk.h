/* The walk from a filesystem's device down through partitions, device mapper, md, loop and NVMe
 * subsystems to the disks at the bottom: sysfs only, no tool, no guess. No facts.
 *
 * What cannot be followed makes the leaves unknown with a reason; it never makes a shorter chain. */
#ifndef NVADVISE_PROBES_BLOCKWALK_H
#define NVADVISE_PROBES_BLOCKWALK_H

#include "probes/host/host.h"

#define WALK_NODES_MAX 256u /* way-points, a disk reached on two legs counted twice */
#define WALK_DEPTH_MAX 16u

struct walk_node {
    const char *name;     /* kernel name */
    const char *kind;     /* a word of volume.stack.kinds, "disk" for a leaf, "dm" for a layer that
                             sysfs does not name */
    const char *dm_name, *dm_uuid; /* device mapper, else NULL */
    size_t parent;        /* index of the node above; own index for the first */
    unsigned level;       /* 0 for the filesystem's device */
    bool leaf;
    bool offset_known;
    uint64_t offset;      /* bytes from the start of this device to the start of the filesystem */
    const char *offset_why; /* with offset_known false: what hides it; never NULL then */
    size_t n_below;       /* devices directly below */
    bool no_stripe;       /* md: a mirror or a concatenation, whatever its limits say */
    bool has_queue;       /* all queue limits were read */
    uint64_t min_io, opt_io, max_io; /* bytes; with has_queue */
    bool has_discard, discards;      /* has_discard: the file was there */
    bool has_atomic, no_atomic;      /* no_atomic: the kernel has no such file */
    uint64_t atomic_max;
};

/* The array nearest to the filesystem, when there is one. */
struct walk_md {
    const char *name;
    struct span level, sync_action; /* as md says: "raid10", "idle" */
    bool has_degraded, has_chunk, has_bitmap, bitmap_none;
    uint64_t degraded, chunk_bytes, bitmap_chunk_bytes;
};

struct walk {
    struct walk_node *nodes;
    size_t n;
    bool complete;        /* every leg ended on a disk */
    struct err err;       /* complete false: what was in the way, with its remedy */
    bool has_md;
    struct walk_md md;
};

/* Walk down from device major:minor. Never fails: see walk.complete. */
void blockwalk_run(struct host *h, struct arena *a, uint32_t major, uint32_t minor,
                   struct walk *ret);

/* The distinct leaves, sorted; at most WALK_NODES_MAX. */
size_t blockwalk_leaves(struct arena *a, const struct walk *w, struct span **ret);

/* Name the kind of every device-mapper node from its uuid, its name, its limits and what lies below
 * (called by blockwalk_run). */
void blockwalk_name_dm(struct walk *w);

/* Legs over which consecutive pieces of the volume go round: 1 where nothing stripes. *ret_chunk gets
 * the smallest piece in bytes, 0 without a stripe. false: some layer does not tell. */
bool blockwalk_stripe(const struct walk *w, uint64_t *ret_legs, uint64_t *ret_chunk);

#endif
