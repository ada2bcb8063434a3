/* See wire.h. Knows nothing of what the scalars mean. */
#include "probes/wire.h"

#include <string.h>

#include "advisor/base/banned.h"

static void put_bytes(struct buf *b, uint64_t v, unsigned n)
{
    char bytes[8];
    for (unsigned i = 0; i < n; i++) {
        bytes[i] = (char)(unsigned char)(v >> (8 * i));
    }
    buf_add(b, bytes, n);
}

void wire_put_u8(struct buf *b, unsigned v)
{
    put_bytes(b, v, 1);
}

void wire_put_u32(struct buf *b, uint32_t v)
{
    put_bytes(b, v, 4);
}

void wire_put_u64(struct buf *b, uint64_t v)
{
    put_bytes(b, v, 8);
}

void wire_put_span(struct buf *b, struct span s)
{
    wire_put_u32(b, (uint32_t)s.len);
    buf_add_span(b, s);
}

void wire_put_text(struct buf *b, const char *text)
{
    wire_put_span(b, span_of(text));
}

static uint64_t get_bytes(struct wire *w, unsigned n)
{
    if (w->bad || w->rest.len < n) {
        w->bad = true;
        return 0;
    }
    uint64_t v = 0;
    for (unsigned i = 0; i < n; i++) {
        v |= (uint64_t)(unsigned char)w->rest.ptr[i] << (8 * i);
    }
    w->rest = (struct span){w->rest.ptr + n, w->rest.len - n};
    return v;
}

unsigned wire_get_u8(struct wire *w, unsigned max)
{
    const unsigned v = (unsigned)get_bytes(w, 1);
    if (v > max) {
        w->bad = true;
        return 0;
    }
    return v;
}

uint32_t wire_get_u32(struct wire *w)
{
    return (uint32_t)get_bytes(w, 4);
}

uint64_t wire_get_u64(struct wire *w)
{
    return get_bytes(w, 8);
}

struct span wire_get_span(struct wire *w)
{
    const uint32_t n = wire_get_u32(w);
    if (w->bad || n > w->rest.len) {
        w->bad = true;
        return (struct span){"", 0};
    }
    const struct span s = {w->rest.ptr, n};
    w->rest = (struct span){w->rest.ptr + n, w->rest.len - n};
    return s;
}

const char *wire_get_text(struct wire *w, struct arena *a, size_t max)
{
    const struct span s = wire_get_span(w);
    if (w->bad || s.len > max || span_has(s, '\0')) {
        w->bad = true;
        return "";
    }
    return span_dup(a, s);
}

bool wire_is_done(const struct wire *w)
{
    return !w->bad && w->rest.len == 0;
}
