/* Spans and bounded buffers. Knows bytes, ASCII and UTF-8; nothing of what the text means. */
#include "advisor/base/str.h"

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "advisor/base/banned.h"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

struct span span_of(const char *text)
{
    return text == NULL ? (struct span){"", 0} : (struct span){text, strlen(text)};
}

bool span_eq(struct span a, struct span b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

bool span_eq_text(struct span a, const char *text)
{
    return span_eq(a, span_of(text));
}

bool span_eq_nocase(struct span a, struct span b)
{
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++) {
        if (lower(a.ptr[i]) != lower(b.ptr[i]))
            return false;
    }
    return true;
}

int span_cmp(struct span a, struct span b)
{
    const size_t common = a.len < b.len ? a.len : b.len;
    const int order = common == 0 ? 0 : memcmp(a.ptr, b.ptr, common);

    if (order != 0)
        return order < 0 ? -1 : 1;
    return (a.len > b.len) - (a.len < b.len);
}

bool span_starts(struct span s, const char *prefix)
{
    const size_t len = strlen(prefix);

    return len <= s.len && span_eq_text(span_sub(s, 0, len), prefix);
}

bool span_ends(struct span s, const char *suffix)
{
    const size_t len = strlen(suffix);

    return len <= s.len && span_eq_text(span_sub(s, s.len - len, len), suffix);
}

bool span_has(struct span s, char c)
{
    return s.len > 0 && memchr(s.ptr, c, s.len) != NULL;
}

struct span span_sub(struct span s, size_t from, size_t len)
{
    if (from >= s.len)
        return (struct span){s.len > 0 ? s.ptr + s.len : s.ptr, 0};

    const size_t left = s.len - from;

    return (struct span){s.ptr + from, len < left ? len : left};
}

struct span span_trim(struct span s)
{
    while (s.len > 0 && is_blank(s.ptr[0]))
        s = span_sub(s, 1, s.len);
    while (s.len > 0 && is_blank(s.ptr[s.len - 1]))
        s.len--;
    return s;
}

bool span_split(struct span *rest, char sep, struct span *ret_piece)
{
    if (rest->len == 0)
        return false;

    const char *const found = memchr(rest->ptr, sep, rest->len);

    if (found == NULL) {
        *ret_piece = *rest;
        *rest = span_sub(*rest, rest->len, 0);
        return true;
    }
    const size_t len = (size_t)(found - rest->ptr);

    *ret_piece = span_sub(*rest, 0, len);
    *rest = span_sub(*rest, len + 1, rest->len);
    return true;
}

bool span_word(struct span *rest, struct span *ret_word)
{
    size_t from = 0;

    while (from < rest->len && is_blank(rest->ptr[from]))
        from++;
    if (from == rest->len) {
        *rest = span_sub(*rest, from, 0);
        return false;
    }
    size_t to = from;

    while (to < rest->len && !is_blank(rest->ptr[to]))
        to++;
    *ret_word = span_sub(*rest, from, to - from);
    *rest = span_sub(*rest, to, rest->len);
    return true;
}

bool span_line(struct span *rest, struct span *ret_line)
{
    if (!span_split(rest, '\n', ret_line))
        return false;
    if (ret_line->len > 0 && ret_line->ptr[ret_line->len - 1] == '\r')
        ret_line->len--;
    return true;
}

char *span_dup(struct arena *a, struct span s)
{
    return arena_strndup(a, s.ptr, s.len);
}

struct span span_copy(struct arena *a, struct span s)
{
    return (struct span){span_dup(a, s), s.len};
}

void buf_init(struct buf *b, struct arena *a, size_t max)
{
    *b = (struct buf){.arena = a, .ptr = arena_alloc(a, 1), .cap = 1, .max = max};
}

/* Room for up to n more bytes and the NUL; returns how many of them the maximum allows. */
static size_t make_room(struct buf *b, size_t n)
{
    if (b->full)
        return 0;
    if (n > b->max - b->len) {
        b->full = true;
        n = b->max - b->len;
    }
    const size_t need = b->len + n + 1;

    if (need > b->cap) {
        size_t cap = b->cap < 64 ? 64 : b->cap * 2;

        if (cap < need)
            cap = need;
        b->ptr = arena_grow(b->arena, b->ptr, b->cap, cap);
        b->cap = cap;
    }
    return n;
}

void buf_add(struct buf *b, const char *bytes, size_t n)
{
    const size_t fits = make_room(b, n);

    if (fits == 0)
        return;
    memcpy(b->ptr + b->len, bytes, fits);
    b->len += fits;
    b->ptr[b->len] = '\0';
}

void buf_add_text(struct buf *b, const char *text)
{
    buf_add(b, text, strlen(text));
}

void buf_add_span(struct buf *b, struct span s)
{
    buf_add(b, s.ptr, s.len);
}

void buf_add_char(struct buf *b, char c)
{
    buf_add(b, &c, 1);
}

static ATTR_PRINTF(2, 0) void print_args(struct buf *b, const char *fmt, va_list args)
{
    va_list again;

    va_copy(again, args);
    const int len = vsnprintf(NULL, 0, fmt, args);

    if (len < 0)
        b->full = true;

    /* With less room than `len` the text is cut, as buf_add would. */
    const size_t fits = make_room(b, len < 0 ? 0 : (size_t)len);

    if (fits > 0) {
        vsnprintf(b->ptr + b->len, fits + 1, fmt, again);
        b->len += fits;
    }
    va_end(again);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
    /* A library may have set the process's locale, and a decimal comma is no number to anybody who
     * reads our text. The C locale is static in the C library: this allocates nothing. */
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const locale_t before = uselocale(c_locale);
    va_list args;

    va_start(args, fmt);
    print_args(b, fmt, args);
    va_end(args);
    uselocale(before);
    if (c_locale != (locale_t)0)
        freelocale(c_locale);
}

struct span buf_span(const struct buf *b)
{
    return (struct span){b->ptr, b->len};
}

/* Length of the well-formed UTF-8 sequence at the front of s, 0 when there is none. */
static size_t utf8_length(struct span s)
{
    /* Lead bytes, and the range of the second byte that excludes overlong forms, surrogates and
     * code points above U+10FFFF (table 3-7 of the Unicode standard). */
    static const struct {
        unsigned char lead_from, lead_to, second_from, second_to, len;
    } forms[] = {
        {0x00, 0x7f, 0x00, 0x00, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    const unsigned char *const p = (const unsigned char *)s.ptr;

    for (size_t i = 0; s.len > 0 && i < ARRAY_LEN(forms); i++) {
        if (p[0] < forms[i].lead_from || p[0] > forms[i].lead_to)
            continue;
        if (forms[i].len == 1)
            return 1;
        if (s.len < forms[i].len || p[1] < forms[i].second_from || p[1] > forms[i].second_to)
            return 0;
        for (size_t k = 2; k < forms[i].len; k++) {
            if ((p[k] & 0xc0) != 0x80)
                return 0;
        }
        return forms[i].len;
    }
    return 0;
}

bool span_is_utf8(struct span s)
{
    while (s.len > 0) {
        /* nearly all of nearly every text */
        const size_t len = (unsigned char)s.ptr[0] < 0x80 ? 1 : utf8_length(s);

        if (len == 0)
            return false;
        s = span_sub(s, len, s.len);
    }
    return true;
}

static bool is_control(struct span s)
{
    const unsigned char c = (unsigned char)s.ptr[0];

    if (s.len == 1)
        return c < 0x20 || c == 0x7f;
    return s.len == 2 && c == 0xc2 && (unsigned char)s.ptr[1] < 0xa0;
}

/* All of it or nothing, so that no sequence is cut in the middle. */
static void add_whole(struct buf *b, struct span s)
{
    if (s.len > b->max - b->len)
        b->full = true;
    buf_add_span(b, s);
}

void buf_add_escaped(struct buf *b, struct span s)
{
    static const char hex[] = "0123456789abcdef";

    while (s.len > 0 && !b->full) {
        const size_t good = utf8_length(s);
        const struct span piece = span_sub(s, 0, good > 0 ? good : 1);

        s = span_sub(s, piece.len, s.len);
        if (good > 0 && !is_control(piece)) {
            add_whole(b, piece);
            continue;
        }
        for (size_t i = 0; i < piece.len; i++) {
            const unsigned char c = (unsigned char)piece.ptr[i];
            const char text[] = {'\\', 'x', hex[c >> 4], hex[c & 15]};

            add_whole(b, (struct span){text, sizeof(text)});
        }
    }
}

/* ---- words of a shell ------------------------------------------------------------------------ */

static bool is_plain_word(struct span s)
{
    static const char extra[] = "_-./:@%+=,";

    for (size_t i = 0; i < s.len; i++) {
        const char c = s.ptr[i];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const bool digit = c >= '0' && c <= '9';

        if (!letter && !digit && memchr(extra, c, sizeof(extra) - 1) == NULL) {
            return false;
        }
    }
    return s.len > 0;
}

/* Bytes that a line cannot hold: controls; of a text that is no UTF-8, or has C1 controls, all above ASCII. */
static bool is_odd(char byte, bool ascii)
{
    const unsigned char c = (unsigned char)byte;

    return c < 0x20 || c == 0x7f || (ascii && c > 0x7f);
}

static bool has_c1(struct span s)
{
    for (size_t i = 1; i < s.len; i++) {
        if ((unsigned char)s.ptr[i - 1] == 0xc2 && (unsigned char)s.ptr[i] < 0xa0) {
            return true;
        }
    }
    return false;
}

void buf_add_shell(struct buf *b, struct span s)
{
    const bool ascii = !span_is_utf8(s) || has_c1(s);
    bool odd = false;

    for (size_t i = 0; i < s.len; i++) {
        odd = odd || is_odd(s.ptr[i], ascii);
    }
    if (is_plain_word(s)) {
        buf_add_span(b, s);
        return;
    }
    buf_add_text(b, odd ? "$'" : "'");
    for (size_t i = 0; i < s.len; i++) {
        const char c = s.ptr[i];

        if (odd && (is_odd(c, ascii) || c == '\'' || c == '\\')) {
            /* Also in a shell that does not know $'…' no quote may close what is open. */
            buf_printf(b, "\\x%02x", (unsigned)(unsigned char)c);
        } else if (c == '\'') {
            buf_add_text(b, "'\\''");
        } else {
            buf_add_char(b, c);
        }
    }
    buf_add_char(b, '\'');
}
