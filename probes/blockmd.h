/* Linux software RAID in sysfs: what the array says of itself and of its members. No facts. */
#ifndef NVADVISE_PROBES_BLOCKMD_H
#define NVADVISE_PROBES_BLOCKMD_H

#include "probes/blockwalk.h"

/* Read /sys/class/block/NAME/md. */
ATTR_NODISCARD bool blockmd_read(struct host *h, struct arena *a, const char *name,
                                 struct walk_md *ret, struct err *reterr);

/* Does an array of this level go round its members in pieces ("raid0", "raid10", "raid5", …)? */
bool blockmd_stripes(struct span level);

struct md_member {
    bool active;      /* carries data of the array: neither spare nor failed */
    bool journal;     /* the log of a raid4, raid5 or raid6 */
    bool has_offset;
    uint64_t offset;  /* bytes from the start of the member to the array's data */
};

/* Fails when the member's state cannot be read: whether it carries data is then not known. */
ATTR_NODISCARD bool blockmd_member(struct host *h, struct arena *a, const char *array,
                                   struct span member, struct md_member *ret, struct err *reterr);

#endif
