/* One probe run on one thing, the same in a child and in replay: what it finds goes out as frames.
 *
 * Knows nothing of processes, pipes and waves. */
#ifndef NVADVISE_PROBES_JOB_H
#define NVADVISE_PROBES_JOB_H

#include "probes/probe.h"

struct job {
    const char *id; /* "proc", "server:LABEL", "sql:LABEL", "options:LABEL", "volume:LABEL:ROLE", "pool:NAME", "device:NAME" */
    const struct probe *probe;
    struct probe_args args;
    enum subject_kind kind; /* of args.label */
    /* Jobs of one wave and one probe that ask the same controller share a child, which puts each question once;
     * NULL: a child of its own. */
    const char *group;
    bool again; /* a second try: what is known already stands */
};

/* What the parent may see of a child at any time: memory that both share. */
struct job_status {
    uint32_t busy;  /* the child is at this job, not at another that shares it */
    uint32_t begun; /* operations begun */
    uint32_t op;    /* the last of them */
    char key[512];  /* and its key, cut */
};

/* Where frames go. */
struct job_out {
    struct buf frames;
    bool (*flush)(struct job_out *out); /* NULL: they stay in `frames` */
    void *ctx;                          /* for flush */
    bool with_operations;               /* send FRAME_BEGUN and FRAME_RESULT too */
    const struct host *replay;          /* in replay: facts found after its end are not sent */
    struct job_status *status;          /* may be NULL */
};

#define JOB_FACTS_MAX ((size_t)16 * 1024 * 1024) /* frames of subjects and facts of one job */

/* Run the job: open, then `drop` (may be NULL; false: the job ends with FRAME_FAILED), then run.
 * All memory comes from `a`. Ends with FRAME_END unless dropping failed. */
void job_run(struct job *job, struct host *inner, const struct decl_set *decls, struct arena *a,
             struct job_out *out, bool (*drop)(void *ctx, struct err *reterr), void *drop_ctx);

/* The same of several that share a child, side by side: open of each, one drop, run of each, ask of each;
 * outs: one a job. */
void jobs_run(struct job *const *jobs, size_t n, struct host *inner, const struct decl_set *decls,
              struct arena *a, struct job_out *outs, bool (*drop)(void *ctx, struct err *reterr),
              void *drop_ctx);

/* ---- the parent's side ----------------------------------------------------------------------- */

/* How a job ended. */
struct job_end {
    bool lost;       /* it did not end by itself, or could not run */
    struct err why;  /* lost: for the facts, and for the capture */
    unsigned begun;  /* operations begun; of a lost job, facts found after the last are dropped. One more
                        than were begun where it only waited for another that shares its child */
    bool aside;      /* lost: what its child hung on is left aside from now on, so a second try may do */
    bool open_failed; /* set by job_merge: the connection to the server could not be opened */
    struct err open_err;
};

/* Put what the frames say into the store, then, when the job was lost, what that means. A frame that is
 * broken, or says what this job may not say, makes the job lost (E_CRASHED); what stood before it
 * stands. with_servers false: facts of servers are left out (--no-server). */
void job_merge(const struct job *job, struct span frames, struct job_end *end, struct store *s,
               bool with_servers);

#endif
