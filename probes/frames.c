/* Writing frames, and telling one from the next. Knows nothing of processes. */
#include "probes/frames.h"

#include <string.h>

#include "probes/wire.h"

#include "advisor/base/banned.h"

#define HEAD 4u

static size_t begin_frame(struct buf *b, enum frame_type type)
{
    const size_t at = b->len;
    wire_put_u32(b, 0);
    wire_put_u8(b, type);
    return at;
}

/* A frame that does not fit is not sent at all. */
static void end_frame(struct buf *b, size_t at)
{
    if (b->full) {
        b->len = at;
        return;
    }
    const size_t n = b->len - at - HEAD;
    for (unsigned i = 0; i < HEAD; i++) {
        b->ptr[at + i] = (char)(unsigned char)(n >> (8 * i));
    }
}

void frame_add_subject(struct buf *b, unsigned begun, const struct subject *s)
{
    const size_t at = begin_frame(b, FRAME_SUBJECT);
    wire_put_u32(b, begun);
    wire_put_text(b, s->label);
    wire_put_text(b, s->identity);
    end_frame(b, at);
}

static void put_real(struct buf *b, double v)
{
    uint64_t bits = 0;
    memcpy(&bits, &v, sizeof(bits));
    wire_put_u64(b, bits);
}

static void put_value(struct buf *b, const struct value *v)
{
    wire_put_u8(b, v->kind);
    wire_put_u8(b, v->boolean);
    wire_put_u8(b, v->num.tag);
    wire_put_u8(b, v->num.neg);
    wire_put_u64(b, (uint64_t)v->num.mag);
    wire_put_u64(b, (uint64_t)(v->num.mag >> 64));
    put_real(b, v->num.real);
    wire_put_u8(b, v->version.n);
    for (unsigned i = 0; i < VERSION_PARTS; i++) {
        wire_put_u32(b, v->version.part[i]);
    }
    wire_put_span(b, v->text);
    wire_put_u32(b, (uint32_t)v->n_items);
    for (size_t i = 0; i < v->n_items; i++) {
        wire_put_span(b, v->items[i]);
    }
}

void frame_add_fact(struct buf *b, unsigned begun, const char *label, const char *name,
                    const struct fact *f)
{
    const size_t at = begin_frame(b, FRAME_FACT);
    wire_put_u32(b, begun);
    wire_put_text(b, label);
    wire_put_text(b, name);
    wire_put_u8(b, f->state);
    if (f->state == FACT_KNOWN) {
        put_value(b, &f->value);
    } else {
        wire_put_u8(b, f->value.kind);
    }
    wire_put_text(b, f->reason);
    wire_put_text(b, f->remedy);
    wire_put_text(b, f->source);
    end_frame(b, at);
}

static void put_err(struct buf *b, const struct err *err)
{
    wire_put_u8(b, err->code);
    wire_put_u32(b, (uint32_t)err->sys_errno);
    wire_put_text(b, err->text);
    wire_put_text(b, err->hint);
    wire_put_u8(b, err->n_frames);
    for (unsigned i = 0; i < err->n_frames; i++) {
        wire_put_text(b, err->frames[i]);
    }
}

void frame_add_record(struct buf *b, const struct host_record *rec)
{
    const bool begun = rec->outcome == OUTCOME_BEGUN;
    const size_t at = begin_frame(b, begun ? FRAME_BEGUN : FRAME_RESULT);
    wire_put_u32(b, rec->n);
    if (begun) {
        wire_put_u8(b, rec->op);
        wire_put_text(b, rec->key);
    } else if (rec->outcome == OUTCOME_OK) {
        wire_put_u8(b, OUTCOME_OK);
        wire_put_span(b, rec->bytes);
    } else {
        wire_put_u8(b, OUTCOME_ERR);
        put_err(b, rec->err);
    }
    end_frame(b, at);
}

void frame_add_err(struct buf *b, enum frame_type type, const struct err *err)
{
    const size_t at = begin_frame(b, type);
    put_err(b, err);
    end_frame(b, at);
}

void frame_add_end(struct buf *b)
{
    end_frame(b, begin_frame(b, FRAME_END));
}

void frame_add_job(struct buf *b, unsigned job)
{
    const size_t at = begin_frame(b, FRAME_JOB);
    wire_put_u32(b, job);
    end_frame(b, at);
}

enum frame_next frame_next(struct span *rest, struct frame *ret)
{
    if (rest->len < HEAD) {
        return FRAME_MORE;
    }
    struct wire w = {.rest = *rest};
    const uint32_t n = wire_get_u32(&w);
    if (n == 0 || n > FRAME_MAX) {
        return FRAME_BROKEN;
    }
    if (w.rest.len == 0) {
        return FRAME_MORE;
    }
    const unsigned type = (unsigned char)w.rest.ptr[0];
    if (type < FRAME_SUBJECT || type > FRAME_JOB || (type != FRAME_RESULT && n > FRAME_SMALL_MAX)) {
        return FRAME_BROKEN;
    }
    if (w.rest.len < n) {
        return FRAME_MORE;
    }
    *ret = (struct frame){.type = (enum frame_type)type,
                          .whole = span_sub(*rest, 0, HEAD + n),
                          .payload = {w.rest.ptr + 1, n - 1}};
    *rest = (struct span){w.rest.ptr + n, w.rest.len - n};
    return FRAME_READY;
}
