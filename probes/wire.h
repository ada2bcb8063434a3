/* Bounded reading and writing of the scalars that frames are made of. Private to frames.c and
 * frames_read.c. Little-endian; texts are a length and bytes. */
#ifndef NVADVISE_PROBES_WIRE_H
#define NVADVISE_PROBES_WIRE_H

#include "advisor/base/str.h"

void wire_put_u8(struct buf *b, unsigned v);
void wire_put_u32(struct buf *b, uint32_t v);
void wire_put_u64(struct buf *b, uint64_t v);
void wire_put_span(struct buf *b, struct span s);
void wire_put_text(struct buf *b, const char *text); /* NULL as "" */

/* What is left to read; after the first failure everything fails and gives zeros. */
struct wire {
    struct span rest;
    bool bad;
};

unsigned wire_get_u8(struct wire *w, unsigned max); /* above max is a failure */
uint32_t wire_get_u32(struct wire *w);
uint64_t wire_get_u64(struct wire *w);
struct span wire_get_span(struct wire *w); /* borrows */
/* A text without NUL, at most max bytes, as C string in the arena. */
const char *wire_get_text(struct wire *w, struct arena *a, size_t max);
/* All read, nothing wrong. */
bool wire_is_done(const struct wire *w);

#endif
