/* What came from one child so far: bytes into frames, operations into the capture, facts kept for
 * the merge. Bounded, whatever the child sends. Knows nothing of processes. */
#ifndef NVADVISE_PROBES_RECEIVE_H
#define NVADVISE_PROBES_RECEIVE_H

#include "probes/frames.h"
#include "probes/host/capture.h"
#include "probes/job.h"

struct receiver {
    struct arena *arena;
    struct buf in;    /* bytes of a frame that is not all there */
    struct buf facts; /* frames of subjects and facts, whole, as they came */
    struct buf ops;   /* frames of operations, for the capture */
    bool with_operations;
    bool ended;  /* FRAME_END came */
    bool failed; /* FRAME_FAILED came: why */
    struct err why;
};

void receiver_init(struct receiver *r, struct arena *a, bool with_operations);

/* Take bytes. false: they are no frames, or more than a child may send; the child is to be ended.
 */
bool receiver_take(struct receiver *r, struct span bytes);

/* Put the operations into the capture. A lost job's last operation (the `begun`-th) stands as
 * begun, with the reason, whether its reply came or not: what followed it was not kept either. */
void receiver_to_capture(const struct receiver *r, const char *probe, const struct job_end *end,
                         struct capture_writer *w);

#endif
