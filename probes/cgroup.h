/* Control groups of a process, v1, v2 and both at once: where they are seen here, and the smallest
 * limit on the way up. Knows no facts; what cannot be seen is an error, never "no limit". */
#ifndef NVADVISE_PROBES_CGROUP_H
#define NVADVISE_PROBES_CGROUP_H

#include "advisor/base/num.h"
#include "probes/host/host.h"
#include "probes/mountinfo.h"

#define CGROUP_LEVELS_MAX 64u

/* The path of a controller's group in /proc/PID/cgroup. A controller that no v1 line names belongs
 * to the unified hierarchy; *ret_v2 says so. false: neither is there. */
bool cgroup_find_path(struct span text, const char *controller, struct span *ret, bool *ret_v2);

/* A group's directory as it is seen from here. */
struct cgroup {
    bool none; /* this kernel has no control groups, or not this controller */
    bool v2;
    struct span path;  /* as /proc/PID/cgroup says */
    const char *mount; /* where its hierarchy is mounted, e.g. "/sys/fs/cgroup/memory" */
    const char *below; /* path of the group below that, "" for the mount point itself */
    bool cut_off;      /* ancestors of the mount point are out of sight */
};

/* Find the group of `controller` ("memory", "cpu", "pids"). `text` is /proc/PID/cgroup, `mounts`
 * this process's own mountinfo; where that has no such hierarchy (a plain chroot) the usual places
 * are tried. The directory is asked for, so a group that is found can be read. E_ABSENT: not seen
 * from here. */
ATTR_NODISCARD bool cgroup_open(struct host *h, struct arena *a, struct span text,
                                const struct mountinfo *mounts, const char *controller,
                                struct cgroup *ret, struct err *reterr);

/* How one file of a group is read. false: malformed. */
typedef bool (*cgroup_reader)(struct span text, struct num *ret);

/* "max" or a number. */
bool cgroup_read_max(struct span text, struct num *ret);
/* v1 bytes: what lies within a MiB of 2^63 is no limit. */
bool cgroup_read_v1_bytes(struct span text, struct num *ret);
/* cpu.max: "max PERIOD" or "QUOTA PERIOD", in cores. */
bool cgroup_read_cpu_max(struct span text, struct num *ret);

/* The smallest value of `file` in the group and its ancestors up to the mount point; unlimited when
 * no level has one. A level without the file has no limit there. *ret_file (may be NULL): where it
 * stands. */
ATTR_NODISCARD bool cgroup_smallest(struct host *h, struct arena *a, const struct cgroup *g,
                                    const char *file, cgroup_reader reader, struct num *ret,
                                    const char **ret_file, struct err *reterr);

/* The same for the v1 pair cpu.cfs_quota_us (-1 = none) and cpu.cfs_period_us, in cores. */
ATTR_NODISCARD bool cgroup_smallest_v1_quota(struct host *h, struct arena *a,
                                             const struct cgroup *g, struct num *ret,
                                             const char **ret_file, struct err *reterr);

/* Make of `dir`, a group's directory, the one above; false, and as it was, at the mount point. */
bool cgroup_up(char *dir, const struct cgroup *g);

/* Path of a file in the group itself. */
const char *cgroup_file(struct arena *a, const struct cgroup *g, const char *file);

#endif
