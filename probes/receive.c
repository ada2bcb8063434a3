/* See receive.h. */
#include "probes/receive.h"

#include <string.h>

#include "advisor/base/banned.h"

#define OPS_MAX ((size_t)128 * 1024 * 1024)

void receiver_init(struct receiver *r, struct arena *a, size_t n_jobs, bool with_operations)
{
    *r = (struct receiver){.with_operations = with_operations, .n_jobs = n_jobs};
    buf_init(&r->in, a, (with_operations ? FRAME_MAX : FRAME_SMALL_MAX) + 128 * 1024);
    r->jobs = arena_calloc(a, n_jobs, sizeof(*r->jobs));
    for (size_t i = 0; i < n_jobs; i++) {
        buf_init(&r->jobs[i].facts, a, JOB_FACTS_MAX);
        buf_init(&r->jobs[i].ops, a, OPS_MAX);
    }
}

bool receiver_ended(const struct receiver *r)
{
    for (size_t i = 0; i < r->n_jobs; i++) {
        if (!r->jobs[i].ended) {
            return false;
        }
    }
    return true;
}

static bool switch_job(struct receiver *r, const struct frame *f)
{
    unsigned job = 0;
    if (!frame_read_job(f->payload, &job) || job >= r->n_jobs) {
        return false;
    }
    r->at = job;
    return true;
}

static bool take_frame(struct received *r, const struct frame *f, bool with_operations)
{
    ARENA_AUTO scratch = arena_new();
    if (r->ended || r->failed) {
        return false;
    }
    switch (f->type) {
    case FRAME_SUBJECT:
    case FRAME_FACT:
    case FRAME_OPEN_ERR:
        buf_add_span(&r->facts, f->whole);
        return !r->facts.full;
    case FRAME_BEGUN:
    case FRAME_RESULT:
        buf_add_span(&r->ops, f->whole);
        return with_operations && !r->ops.full;
    case FRAME_FAILED:
        r->failed = frame_read_err(scratch, f->payload, &r->why);
        return r->failed;
    case FRAME_END:
        r->ended = true;
        return f->payload.len == 0;
    case FRAME_JOB:
        return false; /* switch_job */
    }
    return false;
}

static bool take_frames(struct receiver *r, struct span *rest)
{
    struct frame f;
    for (;;) {
        switch (frame_next(rest, &f)) {
        case FRAME_MORE:
            return true;
        case FRAME_BROKEN:
            return false;
        case FRAME_READY:
            if (f.type == FRAME_JOB ? !switch_job(r, &f)
                                    : !take_frame(&r->jobs[r->at], &f, r->with_operations)) {
                return false;
            }
            break;
        }
    }
}

bool receiver_take(struct receiver *r, struct span bytes)
{
    buf_add_span(&r->in, bytes);
    if (r->in.full) {
        return false;
    }
    struct span rest = buf_span(&r->in);
    const bool ok = take_frames(r, &rest);
    if (rest.len < r->in.len) {
        memmove(r->in.ptr, rest.ptr, rest.len);
        r->in.len = rest.len;
    }
    return ok;
}

/* ---- the capture ----------------------------------------------------------------------------- */

enum added { ADDED_ALL, ADDED_BEGUN, ADDED_NOTHING };

static enum added add_begun(struct host_record *rec, const char *probe, const struct job_end *end,
                            struct capture_writer *w)
{
    rec->outcome = OUTCOME_BEGUN;
    rec->err = &end->why;
    capture_add(w, probe, 0, rec);
    return ADDED_BEGUN;
}

/* One operation: its begin, and its result where one came and counts. */
static enum added add_operation(struct span *rest, struct arena *scratch, const char *probe,
                                unsigned expected, const struct job_end *end,
                                struct capture_writer *w)
{
    struct frame f;
    struct host_record rec, result;
    if (frame_next(rest, &f) != FRAME_READY || f.type != FRAME_BEGUN ||
        !frame_read_begun(scratch, f.payload, &rec) || rec.n != expected) {
        return ADDED_NOTHING;
    }
    if (end->lost && rec.n + 1 >= end->begun) {
        return add_begun(&rec, probe, end, w);
    }
    if (frame_next(rest, &f) != FRAME_READY || f.type != FRAME_RESULT ||
        !frame_read_result(scratch, f.payload, &result) || result.n != expected) {
        return add_begun(&rec, probe, end, w);
    }
    result.op = rec.op;
    result.key = rec.key;
    capture_add(w, probe, 0, &result);
    return ADDED_ALL;
}

void receiver_to_capture(const struct received *r, const char *probe, const struct job_end *end,
                         struct capture_writer *w)
{
    struct span rest = buf_span(&r->ops);
    struct arena *scratch = arena_new();
    enum added added = ADDED_NOTHING;
    unsigned n = 0;
    while ((added = add_operation(&rest, scratch, probe, n, end, w)) == ADDED_ALL) {
        n++;
        if (arena_used(scratch) > (1u << 20)) {
            arena_free(scratch);
            scratch = arena_new();
        }
    }
    arena_free(scratch);
    if (end->lost && added != ADDED_BEGUN) {
        /* Nothing was begun, or what was is not known: replay has to end there all the same. */
        struct host_record rec = {.n = n, .op = HOST_OPEN, .key = CAPTURE_NOT_RUN};
        (void)add_begun(&rec, probe, end, w);
    }
}
