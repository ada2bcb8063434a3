/* Escapes of the template formats. Knows nothing of templates or documents. */
#include "templates/escape.h"

#include <string.h>

#include "advisor/base/banned.h"

bool escape_from_name(struct span name, enum escape *ret)
{
    static const struct {
        const char *name;
        enum escape escape;
    } names[] = {
        {"none", ESCAPE_NONE},
        {"cnf", ESCAPE_CNF},
        {"md", ESCAPE_MD},
        {"sh", ESCAPE_SH},
    };
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (span_eq_text(name, names[i].name)) {
            *ret = names[i].escape;
            return true;
        }
    }
    return false;
}

/* `s` with `before` put in front of every byte of `special`; controls already made harmless. */
static void add_marked(struct buf *b, struct span s, const char *special, const char *before)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] != '\0' && strchr(special, s.ptr[i]) != NULL) {
            buf_add_text(b, before);
        }
        buf_add_char(b, s.ptr[i]);
    }
}

/* Option files are read in whatever character set the server or the next editor takes them for. */
static void add_ascii(struct buf *b, struct span s)
{
    for (size_t i = 0; i < s.len; i++) {
        const unsigned char c = (unsigned char)s.ptr[i];
        if (c < 0x20 || c >= 0x7f) {
            buf_printf(b, "\\x%02x", (unsigned)c);
        } else {
            buf_add_char(b, s.ptr[i]);
        }
    }
}

void escape_add(struct buf *b, enum escape e, struct span s)
{
    if (e == ESCAPE_NONE) {
        buf_add_span(b, s);
        return;
    }
    if (e == ESCAPE_CNF) {
        add_ascii(b, s);
        return;
    }
    struct buf harmless;
    buf_init(&harmless, b->arena, s.len * 4 + 1);
    buf_add_escaped(&harmless, s);
    if (e == ESCAPE_MD) {
        add_marked(b, buf_span(&harmless), "\\`*_{}[]<>#|!~", "\\");
        return;
    }
    buf_add_char(b, '\'');
    const struct span h = buf_span(&harmless);
    for (size_t i = 0; i < h.len; i++) {
        if (h.ptr[i] == '\'') {
            buf_add_text(b, "'\\''");
        } else {
            buf_add_char(b, h.ptr[i]);
        }
    }
    buf_add_char(b, '\'');
}
