/* What a child tells its parent, as length-checked frames in bytes; and the same from memory in
 * replay. The reader takes hostile bytes.
 *
 * A frame is a length (4 bytes, little-endian, of what follows), a type byte, a payload. Knows
 * nothing of processes. */
#ifndef NVADVISE_PROBES_FRAMES_H
#define NVADVISE_PROBES_FRAMES_H

#include "advisor/facts/store.h"
#include "probes/host/host.h"

enum frame_type {
    FRAME_SUBJECT = 1, /* label and identity of a subject */
    FRAME_FACT,
    FRAME_BEGUN,    /* an operation begins */
    FRAME_RESULT,   /* and its outcome */
    FRAME_OPEN_ERR, /* the connection to the server could not be opened: why */
    FRAME_FAILED,   /* the child could not run the probe: why */
    FRAME_END,      /* nothing more comes of this job, and all is said */
    FRAME_JOB,      /* of several that share a child: whose frames follow, by number from 0 */
};

/* Longer frames are broken. An operation's result may hold the names of a directory; a fact is small. */
#define FRAME_MAX ((size_t)48 * 1024 * 1024)
#define FRAME_SMALL_MAX ((size_t)1024 * 1024)
#define FRAME_LABEL_MAX 1024u
#define FRAME_NAME_MAX 256u

/* ---- writing --------------------------------------------------------------------------------- */

/* `begun`: operations begun so far; a fact that was found while an operation that never returned
 * was under way is told from those before it. */
void frame_add_subject(struct buf *b, unsigned begun, const struct subject *s);
void frame_add_fact(struct buf *b, unsigned begun, const char *label, const char *name,
                    const struct fact *f);
/* OUTCOME_BEGUN gives FRAME_BEGUN, the others FRAME_RESULT. */
void frame_add_record(struct buf *b, const struct host_record *rec);
void frame_add_err(struct buf *b, enum frame_type type, const struct err *err);
void frame_add_end(struct buf *b);
void frame_add_job(struct buf *b, unsigned job);

/* ---- reading --------------------------------------------------------------------------------- */

enum frame_next { FRAME_READY, FRAME_MORE, FRAME_BROKEN };

struct frame {
    enum frame_type type;
    struct span whole; /* with its length */
    struct span payload;
};

/* Take one frame off the front of *rest. FRAME_MORE: it is not all there yet. */
enum frame_next frame_next(struct span *rest, struct frame *ret);

struct frame_subject {
    unsigned begun;
    const char *label, *identity;
};

struct frame_fact {
    unsigned begun;
    const char *label, *name;
    struct fact fact;
};

/* Each false when the payload is not exactly what it should be. Results live in the arena or borrow
 * from the payload. */
bool frame_read_subject(struct arena *a, struct span payload, struct frame_subject *ret);
bool frame_read_fact(struct arena *a, struct span payload, struct frame_fact *ret);
bool frame_read_begun(struct arena *a, struct span payload, struct host_record *ret);
bool frame_read_result(struct arena *a, struct span payload, struct host_record *ret);
bool frame_read_err(struct arena *a, struct span payload, struct err *ret);
bool frame_read_job(struct span payload, unsigned *ret);

#endif
