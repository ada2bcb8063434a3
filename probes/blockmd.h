/* Linux software RAID in sysfs: what the array says of itself and of its members. No facts. */
#ifndef NVADVISE_PROBES_BLOCKMD_H
#define NVADVISE_PROBES_BLOCKMD_H

#include "probes/blockwalk.h"

/* Read /sys/class/block/NAME/md; false: it is no array. */
bool blockmd_read(struct host *h, struct arena *a, const char *name, struct walk_md *ret);

/* Does an array of this level go round its members in pieces ("raid0", "raid10", "raid5", …)? */
bool blockmd_stripes(struct span level);

/* Does the member carry data of the array? A spare or failed one does not; one whose state cannot be
 * read is taken as active. *ret_known: the offset of the array on the member, bytes, was read. */
bool blockmd_member(struct host *h, struct arena *a, const char *array, struct span member,
                    bool *ret_known, uint64_t *ret_offset);

#endif
