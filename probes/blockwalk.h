/* The walk from a filesystem's devices down through partitions, device mapper, md, bcache, loop and NVMe
 * subsystems to the disks at the bottom: sysfs, and where it was read the device mapper's table. No tool, no
 * guess, no facts.
 *
 * What cannot be followed makes the leaves unknown with a reason; it never makes a shorter chain. What was
 * seen before stays in the table of nodes. */
#ifndef NVADVISE_PROBES_BLOCKWALK_H
#define NVADVISE_PROBES_BLOCKWALK_H

#include "probes/dmtable.h"
#include "probes/host/host.h"

#define WALK_NODES_MAX 256u /* way-points, a disk reached on two legs counted twice */
#define WALK_DEPTH_MAX 48u
#define WALK_KEYS_MAX 12u
#define WALK_TOP SIZE_MAX /* as parent: the node is at the top */

/* A Linux software RAID, as its md/ directory tells. */
struct walk_md {
    const char *name;
    struct span level, sync_action; /* as md says: "raid10", "idle"; empty: not told */
    bool has_degraded, has_chunk, has_bitmap, bitmap_none, has_disks, has_layout, has_done;
    uint64_t degraded, chunk_bytes, bitmap_chunk_bytes, disks, layout;
    uint64_t done, total; /* with has_done: sectors of the running job */
    struct span metadata; /* "1.2", "external:/md127/0"; empty: not told */
};

/* One more word for volume.layers (advisor/facts/layer.h) by whoever put the node there. */
struct walk_key {
    const char *key;
    struct span value;
};

struct walk_node {
    const char *name;     /* kernel name; of a pool or vdev its own */
    const char *kind;     /* a word of volume.stack.kinds, "disk" for a leaf, "dm" for a layer that
                             nothing names, or what blockwalk_put said */
    const char *dm_name, *dm_uuid; /* device mapper, else NULL */
    bool has_uuid;        /* false: dm_uuid is empty because it could not be read */
    const char *role;     /* NULL: it carries data; else "metadata", "cache", "log", "snapshot", "spare" … */
    bool aside;           /* below a log, cache or spare of a pool: no leaf of the volume */
    const char *end_why;  /* the walk ended here, and why; else NULL */
    size_t parent;        /* index of the node above; own index at the top */
    unsigned level;       /* 0 at the top */
    bool device;          /* false: a pool or vdev, which is no block device */
    bool leaf;
    const char *unplaced; /* a leaf that lies on another disk: why its places say nothing; else NULL */
    size_t n_below;       /* nodes directly below */

    /* Where the filesystem lies on it. `phase` is its first byte as if all before it were there too: what
     * alignment goes by. With several segments or pieces all their places are at phase plus multiples of
     * `steps` (segments, thin blocks) and `pieces` (stripe pieces, chunks); 0: there is but one. */
    bool offset_known;
    uint64_t offset;      /* bytes from the start of this device to the first byte of the filesystem on it */
    const char *offset_why; /* with offset_known false: what hides it; never NULL then */
    bool phase_known;
    int64_t phase;
    uint64_t steps, pieces;

    bool no_stripe;       /* md: a mirror or a concatenation, whatever its limits say */
    bool stripe_told;     /* stripes and chunk are what a table or md says; 0, 0: no stripe */
    uint64_t stripes, chunk;
    const struct dm_table *table; /* device mapper: the table that fits it; NULL: not known */
    const struct walk_md *md;     /* md, else NULL */
    const char *path;     /* loop: backing file, else NULL */
    struct span mode;     /* bcache: of the cache; else empty */
    bool has_size, has_suspended, suspended;
    uint64_t size;        /* bytes */
    bool has_queue;       /* all queue limits were read */
    uint64_t min_io, opt_io, max_io; /* bytes; with has_queue */
    bool has_discard, discards;      /* has_discard: the file was there */
    bool has_atomic, no_atomic;      /* no_atomic: the kernel has no such file */
    uint64_t atomic_max;
    struct walk_key keys[WALK_KEYS_MAX];
    size_t n_keys;
};

struct walk {
    struct walk_node *nodes;
    size_t n;
    bool complete;        /* every leg that is not aside ended on a disk */
    struct err err;       /* complete false: what was in the way, with its remedy */
};

/* What the device mapper says of all its mappings. */
struct walk_dm {
    bool read;            /* false: err says why not; sysfs alone is used then */
    struct dm_tables tables;
    struct span status;   /* text of `dmsetup status`; empty where it was not read */
    struct err err;
};

/* ---- a walk with one root ---- */

/* Walk down from device major:minor; without tables. Never fails: see walk.complete. */
void blockwalk_run(struct host *h, struct arena *a, uint32_t major, uint32_t minor,
                   struct walk *ret);

/* ---- a walk with a top of its own: pools, vdevs, filesystems of several devices ---- */

struct blockwalk;

/* `dm` is borrowed; NULL: no tables. */
struct blockwalk *blockwalk_new(struct host *h, struct arena *a, const struct walk_dm *dm);

/* A node that is no block device. `parent`: a node put before, or WALK_TOP for the first. Texts are borrowed.
 * Returns its index; WALK_TOP when there is no room (the walk is incomplete then). */
size_t blockwalk_put(struct blockwalk *k, size_t parent, const char *name, const char *kind,
                     const char *role);

/* A block device, by number or by its kernel name; what lies below it is found by blockwalk_end. A role, if
 * any, goes down with it. */
size_t blockwalk_put_number(struct blockwalk *k, size_t parent, uint32_t major, uint32_t minor,
                            const char *role);
size_t blockwalk_put_name(struct blockwalk *k, size_t parent, struct span name, const char *role);

/* A word for volume.layers on node i (WALK_TOP: none is added). */
void blockwalk_key(struct blockwalk *k, size_t i, const char *key, struct span value);

/* Something below node i (WALK_TOP: of the whole) cannot be followed: the walk is incomplete, but for a node that is
 * aside. */
void blockwalk_stop(struct blockwalk *k, size_t i, const struct err *e);

/* Node i is as it should be with nothing below: a device that a pool misses, or keeps in reserve. */
void blockwalk_gone(struct blockwalk *k, size_t i, const char *why);

/* Go down from all devices that were put. */
void blockwalk_end(struct blockwalk *k, struct walk *ret);

/* ---- of a walk that ended ---- */

/* The distinct leaves, sorted, but those below what was put with the role "log", "cache" or "spare". At most
 * WALK_NODES_MAX. */
size_t blockwalk_leaves(struct arena *a, const struct walk *w, struct span **ret);

/* The array nearest to the top, or NULL. */
const struct walk_md *blockwalk_md(const struct walk *w);

/* Name the kind of every device-mapper node from its table, its uuid, its name, its limits and what lies
 * below (called by blockwalk_end). */
void blockwalk_name_dm(struct walk *w);

/* Legs over which consecutive pieces of the volume go round: 1 where nothing stripes. *ret_chunk gets
 * the smallest piece in bytes, 0 without a stripe. false: some layer does not tell. */
bool blockwalk_stripe(const struct walk *w, uint64_t *ret_legs, uint64_t *ret_chunk);

#endif
