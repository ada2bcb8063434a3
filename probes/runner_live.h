/* Runs the jobs of one wave: in children side by side, or in this process from a capture. Private
 * to the runner's files. */
#ifndef NVADVISE_PROBES_RUNNER_LIVE_H
#define NVADVISE_PROBES_RUNNER_LIVE_H

#include "probes/host/capture.h"
#include "probes/job.h"
#include "probes/stuck.h"

/* Children side by side at any time; ours. */
#define WAVE_SIDE_BY_SIDE 32u

struct live_run {
    struct capture_writer *capture; /* NULL = no operations are kept */
    struct stuck *stuck;
    int64_t child_ns;    /* each child's time */
    int64_t deadline_ns; /* of the whole run, on the monotonic clock */
};

int64_t live_now_ns(void); /* monotonic */

/* Every job in a child. ends: one a job, filled. Facts are merged in the order of the jobs, so that
 * the store does not depend on which child was first. */
void wave_live(const struct live_run *run, struct job *jobs, size_t n, struct store *s,
               bool with_servers, struct job_end *ends);

struct fault {
    const char *probe; /* NULL = none */
    unsigned n;
    enum err_code code;
    int sys_errno;
};

/* The same jobs from a capture, one after the other. */
void wave_replay(const struct capture *c, const struct fault *fault, struct job *jobs, size_t n,
                 struct store *s, bool with_servers, struct job_end *ends);

#endif
