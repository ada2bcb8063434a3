/* Wrapping, escaping and colours of the terminal view. Knows nothing of reports. */
#include "advisor/report/textbuf.h"

#include <string.h>

#include "advisor/base/banned.h"

void text_paint(struct buf *b, const struct text_options *opt, enum paint paint, const char *s)
{
    static const char *const codes[] = {
        [PAINT_NONE] = "",         [PAINT_BOLD] = "\033[1m",   [PAINT_RED] = "\033[1;31m",
        [PAINT_YELLOW] = "\033[33m", [PAINT_GREEN] = "\033[32m", [PAINT_CYAN] = "\033[36m",
    };
    const bool on = opt->colour && paint != PAINT_NONE;
    if (on) {
        buf_add_text(b, codes[paint]);
    }
    buf_add_escaped(b, span_of(s));
    if (on) {
        buf_add_text(b, "\033[0m");
    }
}

static void add_blanks(struct buf *b, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        buf_add_char(b, ' ');
    }
}

/* Columns that a word takes: bytes, less the continuation bytes of UTF-8. */
static unsigned word_columns(struct span s)
{
    unsigned n = 0;
    for (size_t i = 0; i < s.len; i++) {
        n += ((unsigned char)s.ptr[i] & 0xC0u) != 0x80u;
    }
    return n;
}

void text_wrap(struct buf *b, const struct text_options *opt, unsigned at, unsigned indent,
               const char *text)
{
    struct span rest = span_of(text), word;
    unsigned column = at;
    bool first_in_line = true;
    while (span_word(&rest, &word)) {
        struct buf w;
        buf_init(&w, b->arena, word.len * 4 + 1);
        buf_add_escaped(&w, word);
        const unsigned width = word_columns(buf_span(&w));
        if (!first_in_line && column + 1 + width > opt->columns) {
            buf_add_char(b, '\n');
            add_blanks(b, indent);
            column = indent;
            first_in_line = true;
        }
        if (!first_in_line) {
            buf_add_char(b, ' ');
            column++;
        }
        buf_add_span(b, buf_span(&w));
        column += width;
        first_in_line = false;
    }
    buf_add_char(b, '\n');
}

static unsigned add_label(struct buf *b, unsigned indent, const char *label, unsigned label_width)
{
    add_blanks(b, indent);
    buf_add_text(b, label);
    const unsigned width = (unsigned)strlen(label);
    if (width < label_width) {
        add_blanks(b, label_width - width);
    }
    return indent + (width > label_width ? width : label_width);
}

void text_field(struct buf *b, const struct text_options *opt, unsigned indent, const char *label,
                unsigned label_width, const char *text)
{
    const unsigned at = add_label(b, indent, label, label_width);
    text_wrap(b, opt, at, at, text);
}

void text_command(struct buf *b, const struct text_options *opt, unsigned indent, const char *label,
                  unsigned label_width, const char *text)
{
    (void)add_label(b, indent, label, label_width);
    text_paint(b, opt, PAINT_BOLD, text);
    buf_add_char(b, '\n');
}

enum paint text_severity_paint(const char *severity)
{
    if (strcmp(severity, "critical") == 0 || strcmp(severity, "high") == 0) {
        return PAINT_RED;
    }
    return strcmp(severity, "medium") == 0 ? PAINT_YELLOW : PAINT_CYAN;
}
