/* Exact whole numbers, reals and unlimited. Knows no units and no meaning of a number. */
#include "advisor/base/num.h"

#include <math.h>
#include <stdlib.h>

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

#define TWO_TO_53 9007199254740992.0
#define TWO_TO_64 18446744073709551616.0
#define TWO_TO_128 340282366920938463463374607431768211456.0

static struct num make_int(bool neg, nv_u128 mag)
{
    return (struct num){.tag = NUM_INT, .neg = neg && mag != 0, .mag = mag};
}

struct num num_u64(uint64_t v)
{
    return make_int(false, v);
}

struct num num_i64(int64_t v)
{
    return v < 0 ? make_int(true, (nv_u128)(-(v + 1)) + 1) : make_int(false, (nv_u128)v);
}

struct num num_u128(nv_u128 v)
{
    return make_int(false, v);
}

struct num num_real(double v)
{
    /* In every build: no verdict is better than one from a comparison with "not a number". */
    if (!isfinite(v))
        abort();
    if (fabs(v) < TWO_TO_53 && trunc(v) >= v && trunc(v) <= v)
        return make_int(v < 0, (nv_u128)fabs(v));
    return (struct num){.tag = NUM_REAL, .real = v};
}

struct num num_unlimited(void)
{
    return (struct num){.tag = NUM_UNLIMITED};
}

bool num_is_zero(struct num a)
{
    /* A real is never zero: num_real makes that a whole number. */
    return a.tag == NUM_INT && a.mag == 0;
}

static bool is_negative(struct num a)
{
    return a.tag == NUM_INT ? a.neg : a.tag == NUM_REAL && a.real < 0;
}

static struct num negated(struct num a)
{
    a.neg = a.tag == NUM_INT && !a.neg && a.mag != 0;
    a.real = -a.real;
    return a;
}

double num_to_double(struct num a)
{
    if (a.tag == NUM_UNLIMITED)
        return HUGE_VAL;
    if (a.tag == NUM_REAL)
        return a.real;
    return a.neg ? -(double)a.mag : (double)a.mag;
}

static enum num_status give_real(double v, struct num *ret)
{
    if (!isfinite(v))
        return NUM_OVERFLOW;
    *ret = num_real(v);
    return NUM_OK;
}

static enum num_status give_unlimited(struct num *ret)
{
    *ret = num_unlimited();
    return NUM_OK;
}

static bool both_int(struct num a, struct num b)
{
    return a.tag == NUM_INT && b.tag == NUM_INT;
}

enum num_status num_add(struct num a, struct num b, struct num *ret)
{
    nv_u128 sum;

    if (a.tag == NUM_UNLIMITED || b.tag == NUM_UNLIMITED)
        return give_unlimited(ret);
    if (!both_int(a, b))
        return give_real(num_to_double(a) + num_to_double(b), ret);
    if (a.neg == b.neg) {
        if (__builtin_add_overflow(a.mag, b.mag, &sum))
            return NUM_OVERFLOW;
        *ret = make_int(a.neg, sum);
    } else if (a.mag >= b.mag) {
        *ret = make_int(a.neg, a.mag - b.mag);
    } else {
        *ret = make_int(b.neg, b.mag - a.mag);
    }
    return NUM_OK;
}

enum num_status num_sub(struct num a, struct num b, struct num *ret)
{
    if (b.tag == NUM_UNLIMITED)
        return NUM_UNDEFINED;
    return num_add(a, negated(b), ret);
}

enum num_status num_mul(struct num a, struct num b, struct num *ret)
{
    nv_u128 product;

    if (a.tag == NUM_UNLIMITED || b.tag == NUM_UNLIMITED) {
        if (num_is_zero(a) || num_is_zero(b) || is_negative(a) || is_negative(b))
            return NUM_UNDEFINED;
        return give_unlimited(ret);
    }
    if (!both_int(a, b))
        return give_real(num_to_double(a) * num_to_double(b), ret);
    if (__builtin_mul_overflow(a.mag, b.mag, &product))
        return NUM_OVERFLOW;
    *ret = make_int(a.neg != b.neg, product);
    return NUM_OK;
}

enum num_status num_div(struct num a, struct num b, struct num *ret)
{
    if (num_is_zero(b))
        return NUM_DIV_ZERO;
    if (a.tag == NUM_UNLIMITED) {
        if (b.tag == NUM_UNLIMITED || is_negative(b))
            return NUM_UNDEFINED;
        return give_unlimited(ret);
    }
    if (b.tag == NUM_UNLIMITED) {
        *ret = make_int(false, 0);
        return NUM_OK;
    }
    if (both_int(a, b) && a.mag % b.mag == 0) {
        *ret = make_int(a.neg != b.neg, a.mag / b.mag);
        return NUM_OK;
    }
    return give_real(num_to_double(a) / num_to_double(b), ret);
}

/* |whole| against |real|, exactly. */
static int cmp_mag(nv_u128 whole, double real)
{
    if (real >= TWO_TO_128)
        return -1;
    const nv_u128 other = (nv_u128)real;

    if (whole != other)
        return whole < other ? -1 : 1;
    return real > trunc(real) ? -1 : 0;
}

static int cmp_int_real(struct num whole, double real)
{
    if (whole.neg != (real < 0))
        return whole.neg ? -1 : 1;

    const int order = cmp_mag(whole.mag, fabs(real));

    return whole.neg ? -order : order;
}

int num_cmp(struct num a, struct num b)
{
    if (a.tag == NUM_UNLIMITED || b.tag == NUM_UNLIMITED)
        return (a.tag == NUM_UNLIMITED) - (b.tag == NUM_UNLIMITED);
    if (a.tag == NUM_REAL && b.tag == NUM_REAL)
        return (a.real > b.real) - (a.real < b.real);
    if (a.tag == NUM_REAL)
        return -cmp_int_real(b, a.real);
    if (b.tag == NUM_REAL)
        return cmp_int_real(a, b.real);
    if (a.neg != b.neg)
        return a.neg ? -1 : 1;
    if (a.mag == b.mag)
        return 0;
    return (a.mag < b.mag) == a.neg ? 1 : -1;
}

/* A real without fraction as an exact whole number where 128 bits hold it, else as it is. */
static struct num whole_of(double v)
{
    if (fabs(v) < TWO_TO_128)
        return make_int(v < 0, (nv_u128)fabs(v));
    return num_real(v);
}

enum num_status num_floor(struct num a, struct num *ret)
{
    *ret = a.tag == NUM_REAL ? whole_of(floor(a.real)) : a;
    return NUM_OK;
}

enum num_status num_ceil(struct num a, struct num *ret)
{
    *ret = a.tag == NUM_REAL ? whole_of(ceil(a.real)) : a;
    return NUM_OK;
}

bool num_to_u64(struct num a, uint64_t *ret)
{
    if (a.tag == NUM_REAL) {
        if (a.real < 0 || a.real >= TWO_TO_64 || a.real > trunc(a.real))
            return false;
        *ret = (uint64_t)a.real;
        return true;
    }
    if (a.tag == NUM_UNLIMITED || a.neg || a.mag > UINT64_MAX)
        return false;
    *ret = (uint64_t)a.mag;
    return true;
}

static void print_int(struct buf *b, struct num a)
{
    char digits[40]; /* 2^128 has 39 */
    size_t at = sizeof(digits);

    do {
        digits[--at] = (char)('0' + (int)(a.mag % 10));
        a.mag /= 10;
    } while (a.mag != 0);
    if (a.neg)
        buf_add_char(b, '-');
    buf_add(b, digits + at, sizeof(digits) - at);
}

static void print_real(struct buf *b, double v)
{
    struct buf text;
    double back = 0;

    for (int digits = 15; digits <= 17; digits++) {
        buf_init(&text, b->arena, 32);
        buf_printf(&text, "%.*g", digits, v);
        if (parse_double(buf_span(&text), &back) && back >= v && back <= v)
            break;
    }
    buf_add_span(b, buf_span(&text));
    /* 2^53 and above may come out as bare digits, which would read back as a whole number. */
    if (!span_has(buf_span(&text), '.') && !span_has(buf_span(&text), 'e'))
        buf_add_text(b, ".0");
}

void num_print(struct buf *b, struct num a)
{
    switch (a.tag) {
    case NUM_INT:
        print_int(b, a);
        break;
    case NUM_REAL:
        print_real(b, a.real);
        break;
    case NUM_UNLIMITED:
        buf_add_text(b, "unlimited");
        break;
    }
}

bool num_parse(struct span s, struct num *ret)
{
    const bool neg = span_starts(s, "-");
    const struct span digits = span_sub(s, neg ? 1 : 0, s.len);
    nv_u128 mag;
    double real;

    if (span_eq_text(s, "unlimited")) {
        *ret = num_unlimited();
        return true;
    }
    if (parse_u128(digits, &mag)) {
        *ret = make_int(neg, mag);
        return true;
    }
    /* Bare digits that do not fit must not become a rounded real. */
    if (!span_has(s, '.') && !span_has(s, 'e') && !span_has(s, 'E'))
        return false;
    if (!parse_double(s, &real))
        return false;
    *ret = num_real(real);
    return true;
}
