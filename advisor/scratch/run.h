/* Running a foreign program in safety: as another user, with a clean environment, bounded in time
 * and output, unable to write outside one directory where the kernel lets us see to that, and ended
 * with all that it started. Knows nothing of servers. */
#ifndef NVADVISE_ADVISOR_SCRATCH_RUN_H
#define NVADVISE_ADVISOR_SCRATCH_RUN_H

#include <sys/types.h>

#include "advisor/base/arena.h"
#include "advisor/base/err.h"
#include "advisor/base/str.h"

struct run_spec {
    const char *program;     /* absolute path */
    const char *const *args; /* behind the program's name; NULL at the end */
    uint32_t uid, gid;       /* who it becomes; no other groups, no capabilities, none to gain */
    const char *dir; /* an existing directory: it stands there, and may write there alone; NULL: in
                        /, and nowhere */
    uint64_t file_max; /* bytes of the largest file that it may write */
    unsigned start_s;  /* time to come up to exec; 0 = 10 s */
    /* A file that it shall see as cover_with, or NULL. Where that cannot be, it does not start. */
    const char *cover;
    const char *cover_with;
    bool full_speed; /* not nice, no idle I/O class: something is measured */
    /* Called with the process before it becomes the program, or NULL; false: it shall not. */
    bool (*before)(void *ctx, pid_t pid, struct err *reterr);
    void *ctx;
};

struct run_result {
    bool exited; /* by itself, with `status`; else by `signal` */
    int status, signal;
    bool timed_out;       /* it was ended because its time was over */
    bool flooded;         /* it was ended because it printed too much */
    struct span out, err; /* what it printed, the first out_max bytes of each */
};

struct run; /* a program that was started */

/* Run it to its end, or to the end of its time, or until it has printed more than out_max bytes on
 * one of its two streams. Error: it could not be started at all; a signal came for us
 * (run_interrupted). */
ATTR_NODISCARD bool run_program(const struct run_spec *spec, unsigned timeout_ms, size_t out_max,
                                struct arena *a, struct run_result *ret, struct err *reterr);

/* The same in steps. run_prepare: a process that waits, not yet the program; out_fd and err_fd
 * become its 1 and 2. run_go: it becomes the program; an error of that is told here, and run_end is
 * still due. */
ATTR_NODISCARD bool run_prepare(const struct run_spec *spec, int out_fd, int err_fd,
                                struct arena *a, struct run **ret, struct err *reterr);
ATTR_NODISCARD bool run_go(struct run *r, struct err *reterr);
pid_t run_pid(const struct run *r);
bool run_is_fenced(const struct run *r); /* it can write nowhere but in its directory */

/* Has it ended? Then ret (may be NULL) holds how. Does not block. */
bool run_ended(struct run *r, struct run_result *ret);

/* Is there a signal for us (Ctrl-C, a termination) that waits until we have cleaned up? */
bool run_interrupted(void);

/* End it, with all of its descendants: first asked (SIGTERM) and given grace_ms, then killed.
 * Nothing happens when it has ended. E_TIMEOUT: it is stuck in the kernel, and left behind. */
ATTR_NODISCARD bool run_end(struct run *r, unsigned grace_ms, struct err *reterr);

/* Hold back the signals that would end this process, until run_release: they are not lost. */
struct run_hold {
    sigset_t before;
    bool held;
};
void run_hold_signals(struct run_hold *h);
void run_release_signals(struct run_hold *h);

/* Milliseconds of a clock that only goes forward, and a short sleep. */
uint64_t run_now_ms(void);
void run_sleep_ms(unsigned ms);

#endif
