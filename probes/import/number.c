/* Numbers as people's locales print them. Must not know facts. */
#include "advisor/base/parse.h"
#include "probes/import/bag.h"

#include "advisor/base/banned.h"

#define KELVIN_LEAST 200 /* colder than any drive in kelvin, hotter than any in degrees C */
#define ZERO_C (-273)    /* how 0 K looks in degrees C */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_high(char c)
{
    return ((unsigned char)c & 0x80) != 0;
}

static size_t digits_at(struct span s, size_t at)
{
    size_t n = 0;
    while (at + n < s.len && is_digit(s.ptr[at + n])) {
        n++;
    }
    return n;
}

/* A separator of groups at `at`: how many bytes; 0: none. Every locale has its own, some of several bytes (U+2019,
 * U+202F, U+00A0), and pastes mangle those: any run of bytes above 0x7f is taken as one. */
static size_t separator_at(struct span s, size_t at)
{
    size_t n = 0;
    while (at + n < s.len && is_high(s.ptr[at + n])) {
        n++;
    }
    if (n > 0) {
        return n <= 16 ? n : 0;
    }
    return at < s.len && (s.ptr[at] == ',' || s.ptr[at] == '.' || s.ptr[at] == '\'' ||
                          s.ptr[at] == ' ' || s.ptr[at] == '_')
               ? 1
               : 0;
}

static bool same_bytes(struct span s, size_t a, size_t b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (s.ptr[a + i] != s.ptr[b + i]) {
            return false;
        }
    }
    return true;
}

static bool add_digits(nv_u128 *v, struct span s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (__builtin_mul_overflow(*v, (nv_u128)10, v) ||
            __builtin_add_overflow(*v, (nv_u128)(s.ptr[i] - '0'), v)) {
            return false;
        }
    }
    return true;
}

/* Decimals behind a whole number: none, or zeros alone. */
static bool ends_whole(struct span s, size_t at)
{
    if (at >= s.len || (s.ptr[at] != '.' && s.ptr[at] != ',') || digits_at(s, at + 1) == 0) {
        return true;
    }
    for (size_t i = at + 1; i < s.len && is_digit(s.ptr[i]); i++) {
        if (s.ptr[i] != '0') {
            return false;
        }
    }
    return true;
}

/* Further groups behind the first; *at is moved behind them. A group of two digits is India's and must be
 * followed by another; a separator that no digit follows ends the number. */
static bool add_groups(struct span s, size_t *at, nv_u128 *v)
{
    const size_t first = *at;
    const size_t width = separator_at(s, first);
    size_t last = 3;
    while (width > 0 && separator_at(s, *at) == width && same_bytes(s, first, *at, width)) {
        const size_t n = digits_at(s, *at + width);
        if (n == 0) {
            break;
        }
        if (n != 3 && (n != 2 || s.ptr[first] != ',')) {
            /* Another figure behind a blank, decimals behind a point; else a number that was cut. */
            return (s.ptr[first] == ' ' || s.ptr[first] == '.') && *at == first;
        }
        if (!add_digits(v, span_sub(s, *at + width, n))) {
            return false;
        }
        *at += width + n;
        last = n;
    }
    return last == 3;
}

static bool hex_count(struct span s, nv_u128 *ret)
{
    nv_u128 v = 0;
    size_t n = 0;
    for (; n < s.len; n++) {
        const char c = s.ptr[n];
        const unsigned d = is_digit(c)              ? (unsigned)(c - '0')
                           : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                           : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                                    : 16;
        if (d > 15) {
            break;
        }
        if (v >> 124 != 0) {
            return false;
        }
        v = v << 4 | d;
    }
    const char after = n < s.len ? s.ptr[n] : ' ';
    if (n == 0 || (after >= 'a' && after <= 'z') || (after >= 'A' && after <= 'Z')) {
        return false;
    }
    *ret = v;
    return true;
}

bool number_count(struct span value, bool json, bool bare_hex, nv_u128 *ret)
{
    struct span s = span_trim(value);
    nv_u128 v = 0;
    if (span_starts(s, "~")) { /* smartctl without 128-bit arithmetic */
        s = span_sub(s, 1, s.len);
    }
    if (span_starts(s, "0x") || span_starts(s, "0X")) {
        return hex_count(span_sub(s, 2, s.len), ret);
    }
    if (bare_hex) {
        return hex_count(s, ret);
    }
    size_t at = digits_at(s, 0);
    if (at == 0 || !add_digits(&v, span_sub(s, 0, at))) {
        return false;
    }
    if (at <= 3 && !json && s.ptr[0] != '0' && !add_groups(s, &at, &v)) {
        return false;
    }
    const char after = at < s.len ? s.ptr[at] : ' ';
    if (!ends_whole(s, at) || (after >= 'a' && after <= 'f') || (after >= 'A' && after <= 'F')) {
        return false; /* decimals, or hexadecimal digits that nobody announced */
    }
    *ret = v;
    return true;
}

bool bag_count(const struct bag_item *item, nv_u128 *ret)
{
    return item != NULL && number_count(item->value, item->json, false, ret);
}

bool bag_u64(const struct bag_item *item, uint64_t max, uint64_t *ret)
{
    nv_u128 v;
    if (!bag_count(item, &v) || v > max) {
        return false;
    }
    *ret = (uint64_t)v;
    return true;
}

bool number_real(struct span value, double *ret)
{
    char text[32];
    size_t n = 0;
    struct span s = span_trim(value);
    for (; n < s.len && n + 1 < sizeof(text); n++) {
        if (!is_digit(s.ptr[n]) && s.ptr[n] != '.' && s.ptr[n] != ',') {
            break;
        }
        text[n] = s.ptr[n] == ',' ? '.' : s.ptr[n];
    }
    return parse_double((struct span){text, n}, ret);
}

/* ---- temperatures ---------------------------------------------------------------------------- */

/* The letter of the unit behind a figure: 'K', 'C', 'F', or 0. Blanks, degree signs and their ruins lie between. */
static char unit_at(struct span s, size_t at)
{
    while (at < s.len && (s.ptr[at] == ' ' || s.ptr[at] == '\t' || s.ptr[at] == '?' ||
                          is_high(s.ptr[at]))) {
        at++;
    }
    if (at >= s.len) {
        return 0;
    }
    switch (s.ptr[at]) {
    case 'K':
    case 'k':
        return 'K';
    case 'C':
    case 'c':
        return 'C';
    case 'F':
    case 'f':
        return 'F';
    case 'd': /* "degrees C", "deg C" */
    case 'D':
        return 'C';
    default:
        return 0;
    }
}

/* The next figure at or behind *at, with its sign and unit; decimals are cut off. */
static bool next_figure(struct span s, size_t *at, int64_t *ret, char *ret_unit)
{
    size_t i = *at;
    while (i < s.len && !is_digit(s.ptr[i])) {
        i++;
    }
    const size_t n = digits_at(s, i);
    if (n == 0 || n > 6) {
        return false;
    }
    uint64_t v = 0;
    if (!parse_u64(span_sub(s, i, n), &v)) {
        return false;
    }
    const bool neg = i > 0 && s.ptr[i - 1] == '-';
    size_t end = i + n;
    if (end + 1 < s.len && (s.ptr[end] == '.' || s.ptr[end] == ',') && is_digit(s.ptr[end + 1])) {
        end += 1 + digits_at(s, end + 1);
    }
    *at = end;
    *ret = neg ? -(int64_t)v : (int64_t)v;
    *ret_unit = unit_at(s, end);
    return true;
}

static int64_t kelvin_of(int64_t v, char unit)
{
    switch (unit) {
    case 'K':
        return v;
    case 'F':
        return (v - 32) * 5 / 9 + 273;
    case 'C':
        return v + 273;
    default:
        return v >= KELVIN_LEAST ? v : v + 273;
    }
}

bool number_kelvin(struct span value, int64_t *ret)
{
    struct span s = span_trim(value);
    int64_t v = 0, best = 0;
    char unit = 0, best_unit = 0;
    bool found = false;
    nv_u128 hex;
    if (span_eq_text(s, "-")) {
        *ret = 0;
        return true;
    }
    if (span_starts(s, "0x") && number_count(s, false, false, &hex) && hex < 100000) {
        *ret = kelvin_of((int64_t)hex, 0);
        return true;
    }
    for (size_t at = 0; at < s.len && next_figure(s, &at, &v, &unit);) {
        if (!found || (unit == 'K' && best_unit != 'K') ||
            (unit == 'C' && best_unit == 'F')) {
            best = v;
            best_unit = unit;
            found = true;
        }
    }
    if (!found) {
        return false;
    }
    best = kelvin_of(best, best_unit);
    *ret = best_unit != 'K' && best <= ZERO_C + 273 ? 0 : best;
    return best >= 0 && best < 10000;
}
