/* What the files of the walk share. Not for others: they include blockwalk.h. */
#ifndef NVADVISE_PROBES_BLOCKWALK_PARTS_H
#define NVADVISE_PROBES_BLOCKWALK_PARTS_H

#include "probes/blockwalk.h"

struct blockwalk {
    struct host *host;
    struct arena *arena;
    const struct walk_dm *dm; /* or NULL */
    struct walk walk;
};

/* Where the filesystem lies on a device: those members of a node. */
struct walk_place {
    bool offset_known;
    uint64_t offset;
    const char *why; /* with offset_known false */
    bool phase_known;
    int64_t phase;
    uint64_t steps, pieces;
};

struct walk_place walk_place_of(const struct walk_node *n);

/* Nothing is known of it, because of `why`. */
struct walk_place walk_hidden(const char *why);

/* The place on a device whose byte `skip` is the first of node n; known false: hidden because of `why`. */
struct walk_place walk_shifted(const struct walk_node *n, bool known, uint64_t skip, const char *why);

/* Greatest common divisor; 0 is divided by all. */
uint64_t walk_gcd(uint64_t a, uint64_t b);

/* Append block device `name` below node `parent` (WALK_TOP: at the top). false: the walk is incomplete now. */
bool walk_add(struct blockwalk *k, size_t parent, struct span name, const char *role,
              const struct walk_place *place);

/* One attribute of the node's device, times `scale`. */
bool walk_number(struct blockwalk *k, const char *name, const char *file, uint64_t scale, uint64_t *ret);

/* blockbelow.c: what node i is, and what lies directly below it. */
void walk_expand(struct blockwalk *k, size_t i);

/* blocktable.c: the devices below device-mapper node i by its table; its stripe. false: it has no table, or one
 * that names other devices than sysfs (changed in between); nothing is added then. */
bool walk_expand_table(struct blockwalk *k, size_t i, const struct host_names *slaves);

#endif
