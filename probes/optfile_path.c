/* Paths as the servers clean them before they open one: by the text alone. Touches nothing. */
#include "probes/optfile.h"

#include "advisor/base/banned.h"

/* Off with the last "/name" of an absolute path. */
static void drop_last(struct buf *b)
{
    while (b->len > 0 && b->ptr[b->len - 1] != '/') {
        b->len--;
    }
    b->len -= b->len > 0 ? 1 : 0;
}

/* The directories of an absolute path are cleaned, its last name is not. */
static const char *clean(struct arena *a, struct span path)
{
    struct buf b;
    struct span rest = path, piece = {"", 0};
    buf_init(&b, a, path.len + 1);
    while (span_split(&rest, '/', &piece)) {
        const bool last = rest.len == 0 && !span_ends(path, "/");
        if (!last && (piece.len == 0 || span_eq_text(piece, "."))) {
            continue;
        }
        if (!last && span_eq_text(piece, "..")) {
            drop_last(&b);
            continue;
        }
        buf_add_char(&b, '/');
        buf_add_span(&b, piece);
    }
    if (b.len == 0 || span_ends(path, "/")) {
        buf_add_char(&b, '/');
    }
    return arena_strndup(a, b.ptr, b.len);
}

const char *optfile_path(struct arena *a, struct span written, const char *home)
{
    const char *text = span_dup(a, written);
    if (span_starts(written, "~/") && home != NULL) {
        text = arena_printf(a, "%s%s", home, text + 1);
    }
    return text[0] == '/' ? clean(a, span_of(text)) : text;
}
