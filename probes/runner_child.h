/* A child of a wave, and how it ended. Private to the runner's live files. */
#ifndef NVADVISE_PROBES_RUNNER_CHILD_H
#define NVADVISE_PROBES_RUNNER_CHILD_H

#include <sys/types.h>

#include "probes/receive.h"
#include "probes/runner_live.h"

#define RUNNER_NS_PER_S ((int64_t)1000000000)

enum phase { PHASE_WAITING, PHASE_LISTENING, PHASE_ENDING, PHASE_OVER };

/* A job, in the child that runs it. */
struct part {
    struct job *job;
    struct job_end *end;
    struct job_status *status;
    const struct received *got; /* NULL: it was not started */
};

struct child {
    struct part **parts; /* at first all that share it; then those that were started */
    size_t n_parts;
    enum phase phase;
    struct arena *arena;
    struct receiver receiver;
    pid_t pid;
    int fd;
    int64_t deadline_ns; /* PHASE_LISTENING: of the child; PHASE_ENDING: of the grace */
    bool late, garbage;
    bool reaped;
    int wait_status;
};

/* The job that the child was at. */
const struct part *child_busy_part(const struct child *c);

/* "nvme nvme0" where the child was asking that controller, or NULL. */
const char *child_controller_asked(const struct child *c);

/* Fills the ends of its parts, and bars the controller that it was late on. */
void child_judge(const struct live_run *run, struct child *c);

#endif
