/* Whether there is room for a scratch instance: it may not bring the host into need. */
#ifndef NVADVISE_ADVISOR_SCRATCH_ROOM_H
#define NVADVISE_ADVISOR_SCRATCH_ROOM_H

#include "advisor/base/arena.h"
#include "advisor/base/err.h"

/* Shares of the whole that have to be left when the instance has all it may take; design of the
 * project. */
#define ROOM_MEMORY_LEFT 5 /* one part in 5: 20 % */
#define ROOM_DISK_LEFT 10  /* one part in 10: 10 % */

struct room {
    uint64_t total, available; /* bytes */
};

/* Memory that this process and its children may use: the host's, or a smaller limit of a cgroup
 * above us. root: "" for this host, else a folder that holds /proc and /sys (tests). */
ATTR_NODISCARD bool room_memory(struct arena *a, const char *root, struct room *ret,
                                struct err *reterr);

/* The filesystem of a folder; available: without what is reserved for root. */
ATTR_NODISCARD bool room_disk(const char *path, struct room *ret, struct err *reterr);

/* E_FULL when `wanted` bytes of it would leave less than one part in `left` of the whole. `what`
 * names it. */
ATTR_NODISCARD bool room_check(const struct room *r, uint64_t wanted, unsigned left,
                               const char *what, struct err *reterr);

#endif
