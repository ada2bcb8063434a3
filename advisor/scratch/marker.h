/* What a scratch folder says of the process that runs in it, so that a later run can find and end
 * what a SIGKILL of ours left. Root's file: the server's account cannot change whom it names. */
#ifndef NVADVISE_ADVISOR_SCRATCH_MARKER_H
#define NVADVISE_ADVISOR_SCRATCH_MARKER_H

#include <sys/types.h>

#include "advisor/scratch/tree.h"

/* Each process of a scratch instance has an argument that ends so; probes leave those out. */
#define MARKER_PID_FILE "/nvadvise-scratch.pid"

struct marker {
    pid_t pid;          /* 0: none was started yet */
    uint64_t start;     /* of the process, clock ticks since boot */
    const char *boot;   /* the kernel's boot id */
    const char *exe;    /* what /proc/PID/exe points to */
    const char *cgroup; /* of its own, or "" */
};

/* What is to be said of a process that runs now; pid 0: of none, yet. E_ABSENT: there is none. */
ATTR_NODISCARD bool marker_of(struct arena *a, pid_t pid, const char *cgroup, struct marker *ret,
                              struct err *reterr);

/* Write and read PATH/marker.json, schema nvadvise.scratch/1. */
ATTR_NODISCARD bool marker_write(struct arena *a, const struct tree *t, const struct marker *m,
                                 struct err *reterr);
ATTR_NODISCARD bool marker_read(struct arena *a, const struct tree *t, struct marker *ret,
                                struct err *reterr);

enum marker_state {
    MARKER_GONE,  /* no such process any more: number free, another start time or another boot */
    MARKER_LIVES, /* the very process: number, start time, boot, program and argument agree */
    MARKER_DOUBT, /* number and start time agree, program or argument do not: not to be touched */
};
enum marker_state marker_state(struct arena *a, const struct tree *t, const struct marker *m);

bool marker_is_of_this_boot(struct arena *a, const struct marker *m);

/* End the process of the marker, if it is still that; ret: what it was. E_TIMEOUT: it does not. */
ATTR_NODISCARD bool marker_end(struct arena *a, const struct tree *t, const struct marker *m,
                               enum marker_state *ret, struct err *reterr);

#endif
