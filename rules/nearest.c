/* Nearest words for hints, and the caret line under an expression. Knows nothing of the language. */
#include "rules/expr_int.h"

#include "advisor/base/near.h"

#include "advisor/base/banned.h"

#define CARET_BEFORE 60 /* bytes shown in front of the mistake */
#define CARET_WINDOW 96 /* bytes shown in all */

struct span expr_nearest(const char *list, struct span word)
{
    struct span rest = span_of(list), piece = {0}, best = {0};
    unsigned best_distance = 2 + (unsigned)(word.len / 4);
    while (span_split(&rest, ',', &piece)) {
        piece = span_trim(piece);
        const unsigned d = near_distance(piece, word);
        if (d < best_distance) {
            best_distance = d;
            best = piece;
        }
    }
    return best;
}

bool expr_list_has(const char *list, struct span word)
{
    struct span rest = span_of(list), piece = {0};
    while (span_split(&rest, ',', &piece)) {
        if (span_eq(span_trim(piece), word)) {
            return true;
        }
    }
    return false;
}

/* Columns that buf_add_escaped makes of `s`: code points, once its bytes are harmless. */
static size_t add_line(struct buf *b, struct span s)
{
    size_t columns = 0;
    const size_t from = b->len;
    for (size_t i = 0; i < s.len; i++) { /* line ends would tear the caret off its text */
        const char c = s.ptr[i];
        const bool blank = c == '\t' || c == '\r' || c == '\n';
        size_t n = 1;
        while (!blank && i + n < s.len && ((unsigned char)s.ptr[i + n] & 0xc0) == 0x80) {
            n++;
        }
        if (blank) {
            buf_add_char(b, ' ');
        } else {
            buf_add_escaped(b, span_sub(s, i, n));
        }
        i += n - 1;
    }
    for (size_t i = from; i < b->len; i++) {
        columns += ((unsigned char)b->ptr[i] & 0xc0) != 0x80;
    }
    return columns;
}

static bool is_continuation(struct span text, size_t i)
{
    return i < text.len && ((unsigned char)text.ptr[i] & 0xc0) == 0x80;
}

void expr_caret(struct buf *b, struct span text, unsigned column)
{
    const size_t at = column < text.len ? column : text.len;
    const struct token t = lex_next(text, at);
    size_t end = t.begin == at && t.end > at ? t.end : at;
    size_t from = at > CARET_BEFORE ? at - CARET_BEFORE : 0;
    size_t to = from + CARET_WINDOW < text.len ? from + CARET_WINDOW : text.len;
    while (from > 0 && is_continuation(text, from)) {
        from--;
    }
    while (is_continuation(text, to)) {
        to++;
    }
    end = end < to ? end : to;
    buf_add_text(b, from > 0 ? "..." : "");
    size_t before = from > 0 ? 3 : 0;
    before += add_line(b, span_sub(text, from, at - from));
    const size_t width = add_line(b, span_sub(text, at, end - at));
    add_line(b, span_sub(text, end, to - end));
    buf_add_text(b, to < text.len ? "...\n" : "\n");
    for (size_t i = 0; i < before; i++) {
        buf_add_char(b, ' ');
    }
    buf_add_char(b, '^');
    for (size_t i = 1; i < width; i++) {
        buf_add_char(b, '~');
    }
}
