/* One child: a probe in a process of its own, with a pipe and nothing else, and no more rights than
 * it needs. Knows nothing of waves. */
#ifndef NVADVISE_PROBES_CHILD_H
#define NVADVISE_PROBES_CHILD_H

#include <sys/types.h>

#include "probes/job.h"
#include "probes/stuck.h"

/* What a child is for. */
struct child_plan {
    struct job *const *jobs; /* at least one; of several the probe is the same, and each question is put once */
    struct job_status *const *status; /* one a job: memory that both share */
    size_t n;
    const struct decl_set *decls;
    bool with_operations; /* for a capture */
    const struct barred *barred; /* what is not opened */
    size_t n_barred;
};

/* Start the jobs in one child of its own process group. ret_fd: the parent's end of the pipe, not
 * blocking. The child ends by itself, by the death of this process, or by SIGKILL to its group; nothing here
 * waits for it. E_IO when the system gives no process or no pipe. */
ATTR_NODISCARD bool child_start(const struct child_plan *plan, pid_t *ret_pid, int *ret_fd,
                                struct err *reterr);

/* Run `work` in such a child, as nobody: nothing is opened before. It may take `memory` bytes beyond what
 * it starts with, writes its answer to `fd`, and ends when it returns. The parent's end does not block. */
typedef void (*child_work)(void *ctx, int fd);
ATTR_NODISCARD bool child_start_work(child_work work, void *ctx, uint64_t memory, pid_t *ret_pid,
                                     int *ret_fd, struct err *reterr);

/* Become what the identity asks for (uid and gid: of IDENTITY_SERVER), lose every capability that
 * it does not keep, and never gain one again. Without root only the capabilities go. E_DENIED when
 * the system refuses; the caller then must not go on. */
ATTR_NODISCARD bool child_drop(enum identity identity, uid_t uid, gid_t gid, struct err *reterr);

#endif
