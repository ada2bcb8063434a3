/* Strict readers for numbers and lists in text from outside. Knows no units and no file formats. */
#include "advisor/base/parse.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/banned.h"

/* The longest decimal text of a real that is read: no writer we know comes near it, and a bound
 * keeps the copy that strtod wants on the stack. */
#define DOUBLE_TEXT_MAX 400

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

bool parse_u128(struct span s, nv_u128 *ret)
{
    nv_u128 v = 0;

    if (s.len == 0)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        if (!is_digit(s.ptr[i]))
            return false;
        if (__builtin_mul_overflow(v, (nv_u128)10, &v) ||
            __builtin_add_overflow(v, (nv_u128)(s.ptr[i] - '0'), &v))
            return false;
    }
    *ret = v;
    return true;
}

bool parse_u64(struct span s, uint64_t *ret)
{
    nv_u128 v;

    if (!parse_u128(s, &v) || v > UINT64_MAX)
        return false;
    *ret = (uint64_t)v;
    return true;
}

bool parse_i64(struct span s, int64_t *ret)
{
    const bool neg = span_starts(s, "-");
    uint64_t mag;

    if (!parse_u64(span_sub(s, neg ? 1 : 0, s.len), &mag))
        return false;
    if (mag <= INT64_MAX) {
        *ret = neg ? -(int64_t)mag : (int64_t)mag;
        return true;
    }
    if (!neg || mag != (uint64_t)INT64_MAX + 1)
        return false;
    *ret = INT64_MIN;
    return true;
}

static int hex_digit(char c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool parse_hex_u64(struct span s, uint64_t *ret)
{
    uint64_t v = 0;

    if (span_starts(s, "0x") || span_starts(s, "0X"))
        s = span_sub(s, 2, s.len);
    if (s.len == 0)
        return false;
    for (size_t i = 0; i < s.len; i++) {
        const int d = hex_digit(s.ptr[i]);

        if (d < 0 || v >> 60 != 0)
            return false;
        v = v << 4 | (uint64_t)d;
    }
    *ret = v;
    return true;
}

/* Take the digits at the front off *s; false when there is none. */
static bool take_digits(struct span *s)
{
    size_t n = 0;

    while (n < s->len && is_digit(s->ptr[n]))
        n++;
    *s = span_sub(*s, n, s->len);
    return n > 0;
}

static bool is_decimal(struct span s)
{
    if (span_starts(s, "-"))
        s = span_sub(s, 1, s.len);
    if (!take_digits(&s))
        return false;
    if (span_starts(s, ".")) {
        s = span_sub(s, 1, s.len);
        if (!take_digits(&s))
            return false;
    }
    if (span_starts(s, "e") || span_starts(s, "E")) {
        s = span_sub(s, 1, s.len);
        if (span_starts(s, "+") || span_starts(s, "-"))
            s = span_sub(s, 1, s.len);
        if (!take_digits(&s))
            return false;
    }
    return s.len == 0;
}

bool parse_double(struct span s, double *ret)
{
    char text[DOUBLE_TEXT_MAX + 1];

    if (s.len > DOUBLE_TEXT_MAX || !is_decimal(s))
        return false;
    memcpy(text, s.ptr, s.len);
    text[s.len] = '\0';

    /* A library may have set the process's locale; the C locale is static and costs nothing. */
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);

    if (c_locale == (locale_t)0)
        return false;
    const double v = strtod_l(text, NULL, c_locale);

    freelocale(c_locale);
    if (!isfinite(v))
        return false;
    *ret = v;
    return true;
}

bool parse_cpulist_count(struct span s, uint64_t *ret)
{
    uint64_t count = 0;
    uint64_t next = 0; /* the kernel lists in ascending order: the lowest number still allowed */
    struct span piece;

    if (span_ends(s, ","))
        return false;
    while (span_split(&s, ',', &piece)) {
        struct span end = piece;
        struct span begin;
        uint64_t from, to;

        if (!span_split(&end, '-', &begin) || !parse_u64(begin, &from))
            return false;
        if (begin.len == piece.len)
            to = from;
        else if (!parse_u64(end, &to))
            return false;
        if (from < next || to < from || to == UINT64_MAX)
            return false;
        count += to - from + 1;
        next = to + 1;
    }
    *ret = count;
    return true;
}
