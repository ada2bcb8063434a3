/* Option lines: a word that is taken prints as a word that reads back the same, and any bytes make
 * a word that holds them. */
#include <stdlib.h>

#include "advisor/facts/optline.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void round_trip(struct arena *a, const struct optline *l)
{
    struct optline back;
    struct buf b;
    buf_init(&b, a, 1 << 20);
    optline_print(&b, l);
    if (b.full || !span_is_utf8(buf_span(&b)) || !optline_read(a, buf_span(&b), &back) ||
        !span_eq(back.file, l->file) || !span_eq(back.group, l->group) ||
        !span_eq(back.name, l->name) || !span_eq(back.value, l->value) || back.line != l->line ||
        back.has_value != l->has_value) {
        abort();
    }
    optline_place(&b, l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 65536) {
        return 0;
    }
    ARENA_AUTO a = arena_new();
    const struct span s = {(const char *)data, size};
    struct optline l;
    if (optline_read(a, s, &l)) {
        round_trip(a, &l);
    }
    if (size > 0) {
        const size_t at = data[0] % size;
        l = (struct optline){s, span_sub(s, at, size), span_sub(s, 0, at), s, true, (unsigned)at};
        round_trip(a, &l);
    }
    return 0;
}
