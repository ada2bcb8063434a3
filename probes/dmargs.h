/* The arguments of a device-mapper target, taken one after the other: what the readers of the
 * targets share. Each returns false (or NULL) at the end of the text and where it does not hold
 * what is asked for. */
#ifndef NVADVISE_PROBES_DMARGS_H
#define NVADVISE_PROBES_DMARGS_H

#include "probes/dmtable.h"

#define DM_SECTOR 512u

struct dmargs {
    struct arena *arena;
    struct span rest;
    struct dm_segment *segment; /* legs are added to it */
};

bool dmargs_take(struct dmargs *r, struct span *ret);
bool dmargs_skip(struct dmargs *r, uint64_t n);
bool dmargs_take_number(struct dmargs *r, uint64_t *ret);
bool dmargs_take_size(struct dmargs *r, uint64_t *ret); /* printed in sectors; in bytes */

/* "259:2", or a path, into the leg. */
bool dmargs_device(struct span word, struct dm_leg *leg);

struct dm_leg *dmargs_add_leg(struct dmargs *r, const struct dm_leg *leg);
/* DEVICE; and DEVICE OFFSET, data. */
struct dm_leg *dmargs_take_leg(struct dmargs *r, const char *role, enum dm_place place);
struct dm_leg *dmargs_take_leg_at(struct dmargs *r, enum dm_place place);

/* raid and mirror. */
bool dmargs_raid(struct dmargs *r);
bool dmargs_mirror(struct dmargs *r);

#endif
