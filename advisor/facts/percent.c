/* See percent.h. */
#include "advisor/facts/percent.h"

#include <string.h>

#include "advisor/base/banned.h"

void percent_put(struct buf *b, struct span s, const char *stops)
{
    const bool text = span_is_utf8(s);
    for (size_t i = 0; i < s.len; i++) {
        const unsigned char c = (unsigned char)s.ptr[i];
        const bool plain = c >= 0x20 && c != 0x7f && c != '%' && (c < 0x80 || text);
        if (plain && strchr(stops, s.ptr[i]) == NULL) {
            buf_add_char(b, s.ptr[i]);
        } else {
            buf_printf(b, "%%%02X", c);
        }
    }
}

static int hex(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool percent_take(struct arena *a, struct span s, struct span *ret)
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
