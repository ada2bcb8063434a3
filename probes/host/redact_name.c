/* Pseudonyms: keyed hashes in the form of what they stand for. Knows nothing of where a name stood.
 */
#include "probes/host/redact_parts.h"

#include <string.h>

#include "probes/host/redact_chars.h"

#include "advisor/base/banned.h"

#define SHORT_NAME 11u /* "x" and 40 bits: among 10,000 names two agree once in 20,000 captures */
#define LONG_NAME 24u
#define LONG_HEX 12u

static const char digits[] = "0123456789abcdef";

static struct span lower(struct arena *a, struct span s)
{
    char *const text = span_dup(a, s);
    for (size_t i = 0; i < s.len; i++) {
        text[i] = (char)(s.ptr[i] >= 'A' && s.ptr[i] <= 'Z' ? s.ptr[i] - 'A' + 'a' : s.ptr[i]);
    }
    return (struct span){text, s.len};
}

/* `n` hexadecimal digits; past those of one hash those of the next, with a number in front of the
 * name. */
static void add_digits(struct redactor *r, struct buf *out, const char *class, struct span name,
                       size_t n)
{
    uint8_t hash[HASH_KEYED_BYTES];
    struct span of = name;
    for (size_t i = 0; i < n; i++) {
        const size_t at = i % (2 * sizeof(hash));
        if (at == 0) {
            if (i > 0) {
                of = span_of(arena_printf(r->arena, "%zu %.*s", i, SPAN_ARG(name)));
            }
            hash_keyed_of(r->hash, class, of, hash);
        }
        buf_add_char(out, digits[at % 2 == 0 ? hash[at / 2] >> 4 : hash[at / 2] & 15]);
    }
}

static void add_hex(struct redactor *r, struct buf *out, struct span name, size_t n)
{
    ARENA_AUTO scratch = arena_new();
    add_digits(r, out, "hex", lower(scratch, name), n);
}

static bool is_all_hex(struct span s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (!is_hex(s.ptr[i])) {
            return false;
        }
    }
    return true;
}

static bool has_letter(struct span s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] < '0' || s.ptr[i] > '9') {
            return true;
        }
    }
    return false;
}

/* Labels and facts show bytes that are no UTF-8 as U+FFFD; a name is the same before and after. */
static struct span as_shown(struct arena *a, struct span name)
{
    if (span_is_utf8(name)) {
        return name;
    }
    struct buf b;
    buf_init(&b, a, name.len * 3);
    for (size_t i = 0; i < name.len;) {
        size_t n = 1;
        while (n <= 4 && !(n <= name.len - i && span_is_utf8(span_sub(name, i, n)))) {
            n++;
        }
        buf_add_span(&b, n <= 4 ? span_sub(name, i, n) : SPAN_LIT("\xef\xbf\xbd"));
        i += n <= 4 ? n : 1;
    }
    return buf_span(&b);
}

void redact_add_name(struct redactor *r, struct buf *out, struct span name)
{
    if (name.len >= LONG_HEX && name.len <= 2 * HASH_KEYED_BYTES && is_all_hex(name) &&
        has_letter(name)) {
        add_hex(r, out, name, name.len);
        return;
    }
    ARENA_AUTO scratch = arena_new();
    name = as_shown(scratch, name);
    buf_add_char(out, 'x');
    add_digits(r, out, "name", name, name.len >= LONG_NAME ? name.len - 1 : SHORT_NAME - 1);
}

void redact_add_bytes(struct redactor *r, struct buf *out, struct span bytes)
{
    uint8_t hash[HASH_KEYED_BYTES];
    bool empty = true;
    for (size_t i = 0; i < bytes.len; i++) {
        empty = empty && bytes.ptr[i] == '\0';
    }
    if (empty) {
        buf_add_span(out, bytes);
        return;
    }
    hash_keyed_of(r->hash, "bytes", bytes, hash);
    for (size_t i = 0; i < bytes.len; i++) {
        buf_add_char(out, (char)hash[i % sizeof(hash)]);
    }
}

/* One byte, repeated. */
static bool is_same(struct span s)
{
    bool same = true;
    for (size_t i = 0; i < s.len; i++) {
        same = same && s.ptr[i] == s.ptr[0];
    }
    return same;
}

void redact_add_whole(struct redactor *r, struct buf *out, struct span id)
{
    id = span_trim(id);
    if (is_same(id)) {
        buf_add_span(out, id);
    } else {
        redact_add_name(r, out, id);
    }
}

const char *redactor_serial(struct redactor *r, struct span serial)
{
    struct buf b;
    buf_init(&b, r->arena, serial.len + 64);
    redact_add_whole(r, &b, serial);
    return b.ptr;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static bool ends_at(struct span s, size_t n)
{
    return n >= s.len || !is_wordy(s.ptr[n]);
}

/* Groups of hexadecimal digits of these lengths with one of `separators`, the same one, between
 * them. */
static size_t groups(struct span s, const size_t *lengths, size_t n, const char *separators)
{
    size_t at = 0;
    char separator = '\0';
    for (size_t g = 0; g < n; g++) {
        if (g > 0) {
            if (at >= s.len || s.ptr[at] == '\0' || strchr(separators, s.ptr[at]) == NULL ||
                (g > 1 && s.ptr[at] != separator)) {
                return 0;
            }
            separator = s.ptr[at++];
        }
        for (size_t i = 0; i < lengths[g]; i++, at++) {
            if (at >= s.len || !is_hex(s.ptr[at])) {
                return 0;
            }
        }
    }
    return ends_at(s, at) ? at : 0;
}

/* As in a UUID without its separators, so that both spellings agree. */
static size_t add_uuid(struct redactor *r, struct buf *out, struct span s)
{
    static const size_t lengths[] = {8, 4, 4, 4, 12};
    const size_t n = groups(s, lengths, ARRAY_LEN(lengths), "-_");
    if (n == 0) {
        return 0;
    }
    ARENA_AUTO scratch = arena_new();
    struct buf plain, made;
    buf_init(&plain, scratch, n);
    buf_init(&made, scratch, n);
    for (size_t i = 0; i < n; i++) {
        if (is_hex(s.ptr[i])) {
            buf_add_char(&plain, s.ptr[i]);
        }
    }
    if (is_same(buf_span(&plain))) {
        buf_add_span(out, span_sub(s, 0, n)); /* all zero: nobody's */
        return n;
    }
    add_hex(r, &made, buf_span(&plain), plain.len);
    for (size_t i = 0, k = 0; i < n; i++) {
        buf_add_char(out, is_hex(s.ptr[i]) ? made.ptr[k++] : s.ptr[i]);
    }
    return n;
}

static size_t add_mac(struct redactor *r, struct buf *out, struct span s)
{
    static const size_t lengths[] = {2, 2, 2, 2, 2, 2};
    const size_t n = groups(s, lengths, ARRAY_LEN(lengths), ":-");
    uint8_t hash[HASH_KEYED_BYTES];
    if (n == 0 || (n < s.len && s.ptr[n] == s.ptr[2])) {
        return 0;
    }
    ARENA_AUTO scratch = arena_new();
    hash_keyed_of(r->hash, "mac", lower(scratch, span_sub(s, 0, n)), hash);
    buf_printf(out, "02"); /* administered locally: no maker's */
    for (size_t i = 1; i < ARRAY_LEN(lengths); i++) {
        buf_printf(out, "%c%02x", s.ptr[2], hash[i]);
    }
    return n;
}

/* "0000:3a:1f.2", "pci10000:e1": a place in this machine. */
static size_t add_pci(struct buf *out, struct span s)
{
    const bool bridge = span_starts(s, "pci");
    const size_t from = bridge ? 3 : 0, domain = hex_run(s, from);
    size_t at = from + domain;
    if (domain < 4 || domain > 6 || at >= s.len || s.ptr[at] != ':' || hex_run(s, at + 1) != 2) {
        return 0;
    }
    at += 3;
    if (!bridge) {
        if (at >= s.len || s.ptr[at] != ':' || hex_run(s, at + 1) != 2 || at + 4 >= s.len ||
            s.ptr[at + 3] != '.' || hex_run(s, at + 4) != 1) {
            return 0;
        }
        at += 5;
    }
    if (!ends_at(s, at)) {
        return 0;
    }
    buf_add_span(out, span_sub(s, 0, at));
    return at;
}

/* Four numbers up to 255 with dots, and no fifth; in accounts the last may be a '%'. */
static size_t ipv4_length(struct span s, unsigned ret[4])
{
    size_t at = 0;
    for (unsigned k = 0; k < 4; k++) {
        size_t n = 0;
        ret[k] = 0;
        if (k > 0 && (at >= s.len || s.ptr[at++] != '.')) {
            return 0;
        }
        for (; n < 3 && at + n < s.len && is_digit(s.ptr[at + n]); n++) {
            ret[k] = ret[k] * 10 + (unsigned)(s.ptr[at + n] - '0');
        }
        if (n == 0 && k == 3 && at < s.len && s.ptr[at] == '%') {
            return at;
        }
        if (n == 0 || ret[k] > 255) {
            return 0;
        }
        at += n;
    }
    const bool fifth = at + 1 < s.len && s.ptr[at] == '.' && is_digit(s.ptr[at + 1]);
    return ends_at(s, at) && !fifth ? at : 0;
}

/* This host and masks stay; the others move to 240.0.0.0/4, which nobody has. */
static size_t add_ipv4(struct redactor *r, struct buf *out, struct span s)
{
    unsigned v[4];
    uint8_t hash[HASH_KEYED_BYTES];
    const size_t n = ipv4_length(s, v);
    if (n == 0) {
        return 0;
    }
    if (v[0] == 127 || v[0] == 255 || (v[0] | v[1] | v[2] | v[3]) == 0) {
        buf_add_span(out, span_sub(s, 0, n));
        return n;
    }
    hash_keyed_of(r->hash, "ipv4", span_sub(s, 0, n), hash);
    buf_printf(out, "%u.%u.%u.", 240u | (hash[0] & 7u), hash[1], hash[2]);
    if (s.ptr[n - 1] != '.') {
        buf_printf(out, "%u", hash[3]);
    }
    return n;
}

/* Eight groups, or fewer with one "::"; *ret_local for :: and ::1. */
static size_t ipv6_length(struct span s, bool *ret_local)
{
    size_t at = 0, n_groups = 0, length = 0;
    bool gap = false, nonzero = false;
    while (at < s.len && (is_hex(s.ptr[at]) || s.ptr[at] == ':')) {
        if (s.ptr[at] != ':') {
            n_groups += length == 0;
            nonzero = nonzero || s.ptr[at] != '0';
            if (++length > 4) {
                return 0;
            }
            at++;
            continue;
        }
        const bool pair = at + 1 < s.len && s.ptr[at + 1] == ':';
        if ((pair && gap) || (!pair && length == 0)) {
            return 0;
        }
        if (!pair && (at + 1 >= s.len || !is_hex(s.ptr[at + 1]))) {
            break; /* what follows is not the address's */
        }
        gap = gap || pair;
        at += pair ? 2 : 1;
        length = 0;
    }
    const bool whole = gap ? n_groups < 8 : n_groups == 8;
    *ret_local = gap && n_groups <= 1 &&
                 (!nonzero || (at > 2 && s.ptr[0] == ':' && s.ptr[at - 1] == '1' && length == 1));
    return whole && ends_at(s, at) ? at : 0;
}

static size_t add_ipv6(struct redactor *r, struct buf *out, struct span s)
{
    uint8_t h[HASH_KEYED_BYTES];
    bool local = false;
    const size_t n = ipv6_length(s, &local);
    if (n == 0 || local) {
        buf_add_span(out, span_sub(s, 0, n));
        return n;
    }
    ARENA_AUTO scratch = arena_new();
    hash_keyed_of(r->hash, "ipv6", lower(scratch, span_sub(s, 0, n)), h);
    buf_printf(out, "2001:db8:%x:%x::%x", h[0] * 256u + h[1], h[2] * 256u + h[3],
               h[4] * 256u + h[5] + 2);
    return n;
}

size_t redact_add_shape(struct redactor *r, struct buf *out, struct span s, bool versions)
{
    size_t n = add_uuid(r, out, s);
    n = n > 0 ? n : add_pci(out, s);
    n = n > 0 ? n : add_mac(r, out, s);
    if (n == 0 && !versions) {
        n = add_ipv4(r, out, s);
    }
    return n > 0 || versions ? n : add_ipv6(r, out, s);
}
