/* Words of option lines, both ways. Must not know what an option means. */
#include "advisor/facts/optline.h"

#include <string.h>

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

static void put(struct buf *b, struct span s, char stop)
{
    const bool text = span_is_utf8(s);
    for (size_t i = 0; i < s.len; i++) {
        const unsigned char c = (unsigned char)s.ptr[i];
        const bool plain = c >= 0x20 && c != 0x7f && c != '%' && (c < 0x80 || text);
        if (plain && s.ptr[i] != stop) {
            buf_add_char(b, s.ptr[i]);
        } else {
            buf_printf(b, "%%%02X", c);
        }
    }
}

void optline_print(struct buf *b, const struct optline *l)
{
    put(b, l->file, ':');
    buf_printf(b, ":%u:[", l->line);
    put(b, l->group, ']');
    buf_add_char(b, ']');
    put(b, l->name, '=');
    if (l->has_value) {
        buf_add_char(b, '=');
        put(b, l->value, '%');
    }
}

static int hex(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* false: a '%' without its two digits. */
static bool take(struct arena *a, struct span s, struct span *ret)
{
    if (!span_has(s, '%')) {
        *ret = s;
        return true;
    }
    char *out = arena_alloc(a, s.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] != '%') {
            out[n++] = s.ptr[i];
            continue;
        }
        const int high = i + 2 < s.len ? hex(s.ptr[i + 1]) : -1;
        const int low = high < 0 ? -1 : hex(s.ptr[i + 2]);
        if (low < 0) {
            return false;
        }
        out[n++] = (char)(high * 16 + low);
        i += 2;
    }
    *ret = (struct span){out, n};
    return true;
}

/* The text up to `stop`, which must be there; it is taken off with it. */
static bool cut(struct span *rest, char stop, struct span *ret)
{
    const char *at = rest->len > 0 ? memchr(rest->ptr, stop, rest->len) : NULL;
    if (at == NULL) {
        return false;
    }
    *ret = (struct span){rest->ptr, (size_t)(at - rest->ptr)};
    *rest = span_sub(*rest, ret->len + 1, rest->len);
    return true;
}

bool optline_read(struct arena *a, struct span word, struct optline *ret)
{
    struct optline l = {.line = 0};
    struct span file, line, group, name, rest = word;
    uint64_t number;
    if (!cut(&rest, ':', &file) || file.len == 0 || !cut(&rest, ':', &line) ||
        !parse_u64(line, &number) || number > UINT32_MAX) {
        return false;
    }
    if (!span_starts(rest, "[")) {
        return false;
    }
    rest = span_sub(rest, 1, rest.len);
    if (!cut(&rest, ']', &group)) {
        return false;
    }
    l.has_value = cut(&rest, '=', &name);
    if (!l.has_value) {
        name = rest;
    } else if (!take(a, rest, &l.value)) {
        return false;
    }
    if (!take(a, file, &l.file) || !take(a, group, &l.group) || !take(a, name, &l.name)) {
        return false;
    }
    l.line = (unsigned)number;
    *ret = l;
    return true;
}

void optline_place(struct buf *b, const struct optline *l)
{
    if (span_eq_text(l->group, OPTLINE_PERSISTED)) {
        buf_add_text(b, "mysqld-auto.cnf");
    } else if (span_eq_text(l->file, OPTLINE_COMMAND_LINE)) {
        buf_add_text(b, "command line");
    } else if (span_eq_text(l->file, OPTLINE_ENVIRONMENT)) {
        buf_add_text(b, "environment");
    } else {
        buf_add_span(b, l->file);
        buf_printf(b, ":%u", l->line);
    }
}
