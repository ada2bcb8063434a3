/* What outputs of storage tools say of block devices, how they stand on each other, and what is mounted where:
 * one table that every reader adds to, whatever tool it reads. Pure.
 *
 * Tools name one thing differently ("/dev/mapper/vg-lv", "dm-3", "vg/lv"): stack_node gives one node for all
 * names that it was told of. */
#ifndef NVADVISE_PROBES_IMPORT_STACK_H
#define NVADVISE_PROBES_IMPORT_STACK_H

#include "advisor/facts/layer.h"

#define STACK_NODES_MAX 4096u
#define STACK_LINKS_MAX 16384u
#define STACK_MOUNTS_MAX 4096u

struct stack_node {
    struct span name; /* the first that it was given, without "/dev/" and "/dev/mapper/" */
    struct span type; /* as lsblk calls it: disk, part, lvm, crypt, raid1, mpath, loop, rom; "pool", "vdev"; empty:
                         nobody said */
    struct span model, transport;
    struct span vg;   /* LVM: the volume group that it is in or, of a physical volume, belongs to */
    bool is_pv;
    bool one_of;      /* a list named one device below it, and there may be more */
    struct layer keys; /* what is known of it, under the keys of layer.h; level, name and kind unused */
    bool is_pool;
};

struct stack_link {
    size_t above, below;
    bool idle; /* a spare: carries nothing yet */
};

struct stack_mount {
    struct span target, source, fstype, options; /* empty: not told */
    struct span root;                            /* directory of the filesystem that is seen here; empty: "/" */
};

struct stack {
    struct arena *arena;
    struct stack_node *nodes;
    size_t n_nodes, cap_nodes;
    struct stack_link *links;
    size_t n_links, cap_links;
    struct stack_mount *mounts;
    size_t n_mounts, cap_mounts;
    struct span *aliases; /* pairs: another name, the name of the node */
    size_t n_aliases;
    struct span command; /* the command line before the text at hand; empty: none */
    bool full; /* some limit was hit: the rest is not there */
};

struct stack *stack_new(struct arena *a);

/* A device's name in the one form that all have here: no "/dev/", no "/dev/mapper/", "vg/lv" as "vg-lv" with
 * dashes doubled. */
struct span stack_name(struct arena *a, struct span name);

/* Find the node of a name, or NULL; get or make it (NULL when the table is full). */
struct stack_node *stack_find(const struct stack *s, struct span name);
struct stack_node *stack_node(struct stack *s, struct span name);

/* Both names mean one node. */
void stack_alias(struct stack *s, struct span other, struct span name);

/* `above` stands on `below`; said twice, once. idle only when every one who says it says so. */
void stack_stands_on(struct stack *s, const struct stack_node *above, const struct stack_node *below,
                     bool idle);

/* Names of filesystems in fstab ("UUID=…", "LABEL=…") are aliases once blkid or lsblk told whose they are. A mount
 * whose source is such a name is the same as one whose source is the device.
 *
 * A mount; the same target again replaces nothing: later ones lie over earlier ones. Parts that are empty are
 * filled in from others of the same target and source (lsblk gives no type, df no options). */
void stack_add_mount(struct stack *s, const struct stack_mount *m);

/* Set a key (layer.h) that nobody set yet. */
void stack_key(struct stack *s, struct stack_node *n, const char *key, struct span value);
void stack_key_u64(struct stack *s, struct stack_node *n, const char *key, uint64_t value);

/* The mount that a path lies on: the longest target that is it or above it; of equals the last. */
const struct stack_mount *stack_mount_of(const struct stack *s, struct span path);

/* The last word of the command line that is a path ("df -h /srv"); empty: there is none. */
struct span stack_asked(const struct stack *s);

struct stack_leg {
    const struct stack_node *node;
    bool idle;
};

/* The nodes that a node stands on; returns how many (at most max). */
size_t stack_below(const struct stack *s, const struct stack_node *n, struct stack_leg *ret, size_t max);

#endif
