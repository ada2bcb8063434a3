/* A cgroup of its own for a scratch server: a limit for its memory, its processes and its disk
 * traffic. With cgroup v2 or v1, where this process may make one; where not, the server runs
 * without and it is said. */
#ifndef NVADVISE_ADVISOR_SCRATCH_CAGE_H
#define NVADVISE_ADVISOR_SCRATCH_CAGE_H

#include <sys/types.h>

#include "advisor/base/arena.h"
#include "advisor/base/err.h"

struct cage_limits {
    const char *name;   /* of the cgroup: one that nobody else has; begins "nvadvise-scratch." */
    uint64_t memory;    /* bytes */
    uint64_t disk_rate; /* bytes per second, each way; 0: not limited */
    dev_t disk;         /* of the folder, for disk_rate */
    bool full_speed;    /* no lower share of a disk in demand */
};

struct cage {
    const char *paths; /* its cgroup folders, one a line; "" = none */
    const char *note;  /* what could not be had, or "" */
};

/* Where cage_make may make folders of this name, one a line: for the marker, before any is made. */
const char *cage_places(struct arena *a, const char *root, const char *name);

/* root: "" for this host, else a folder that holds /proc/self/cgroup and /sys/fs/cgroup (tests). */
void cage_make(struct arena *a, const char *root, const struct cage_limits *limits,
               struct cage *ret);

/* Put a process in. E_IO and others when the kernel refuses: the process is then in none, or in
 * some. */
ATTR_NODISCARD bool cage_enter(const struct cage *c, pid_t pid, struct err *reterr);

/* Kill what is in it, and remove it; `paths` as cage_make has set it. Folders that bear another
 * name than ours are left alone. */
void cage_remove(struct arena *a, const char *paths);

#endif
