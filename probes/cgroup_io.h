/* Limits of control groups on single disks: io.max of v2, blkio.throttle of v1. Knows no facts. */
#ifndef NVADVISE_PROBES_CGROUP_IO_H
#define NVADVISE_PROBES_CGROUP_IO_H

#include "probes/cgroup.h"

#define CGROUP_IO_MAX 256u /* devices */

/* Of one device, by its number; unlimited where there is no limit. */
struct cgroup_io {
    uint32_t major, minor;
    struct num read_bytes, write_bytes, writes; /* a second */
};

struct cgroup_io_list {
    struct cgroup_io *list; /* each device once, only those with a limit */
    size_t n;
};

/* Add the lines of one io.max to `to`, the smaller of two limits kept. false: malformed, or too many. */
bool cgroup_io_add_max(struct arena *a, struct span text, struct cgroup_io_list *to);

/* The same of one blkio.throttle file of v1 ("8:16 1048576"). `what` says which. */
enum cgroup_io_what { CGROUP_IO_READ_BYTES, CGROUP_IO_WRITE_BYTES, CGROUP_IO_WRITES };
bool cgroup_io_add_throttle(struct arena *a, struct span text, enum cgroup_io_what what,
                            struct cgroup_io_list *to);

/* All limits on a group: of v2 its own and those of all groups above up to the mount point, of v1 its own
 * alone (there they do not reach down). A level without the file has none. */
ATTR_NODISCARD bool cgroup_io_read(struct host *h, struct arena *a, const struct cgroup *g,
                                   struct cgroup_io_list *ret, struct err *reterr);

#endif
