/* What came from one child so far: bytes into frames, each to its job, operations into the capture, facts
 * kept for the merge. Bounded, whatever the child sends. Knows nothing of processes. */
#ifndef NVADVISE_PROBES_RECEIVE_H
#define NVADVISE_PROBES_RECEIVE_H

#include "probes/frames.h"
#include "probes/host/capture.h"
#include "probes/job.h"

/* Of one job. */
struct received {
    struct buf facts; /* frames of subjects and facts, whole, as they came */
    struct buf ops;   /* frames of operations, for the capture */
    bool ended;  /* FRAME_END came */
    bool failed; /* FRAME_FAILED came: why */
    struct err why;
};

struct receiver {
    struct buf in; /* bytes of a frame that is not all there */
    bool with_operations;
    struct received *jobs; /* in the child's order */
    size_t n_jobs;
    size_t at; /* whose frames come now */
};

void receiver_init(struct receiver *r, struct arena *a, size_t n_jobs, bool with_operations);

/* Take bytes. false: they are no frames, or more than a child may send; the child is to be ended.
 */
bool receiver_take(struct receiver *r, struct span bytes);

/* Did all of its jobs end? */
bool receiver_ended(const struct receiver *r);

/* Put the operations into the capture. A lost job's last operation (the `begun`-th) stands as
 * begun, with the reason, whether its reply came or not: what followed it was not kept either. */
void receiver_to_capture(const struct received *r, const char *probe, const struct job_end *end,
                         struct capture_writer *w);

#endif
