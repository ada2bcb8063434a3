/* A path that the user names, looked at without being caught by it: below a dead mount the kernel answers never. */
#ifndef NVADVISE_ADVISOR_CLI_PATHLOOK_H
#define NVADVISE_ADVISOR_CLI_PATHLOOK_H

#include <sys/types.h>

#include "advisor/base/arena.h"
#include "advisor/base/err.h"

struct pathlook {
    const char *path; /* whole, without links */
    uid_t uid;        /* owner */
    gid_t gid;
};

/* Look at `path` in a child of its own, with this process's rights, for at most `seconds` (above 0). E_TIMEOUT: it did
 * not answer; the child is ended, or ends when the kernel lets it go. Else the error of realpath or stat. */
ATTR_NODISCARD bool pathlook(struct arena *a, const char *path, double seconds, struct pathlook *ret,
                             struct err *reterr);

#endif
