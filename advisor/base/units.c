/* Dimensions, and reading literals with units. Knows no facts and no settings; printing for people
 * is in units_print.c. */
#include "advisor/base/units.h"

#include <string.h>

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

#define DIM_EXPONENT_MAX 100

/* Longest digits and longest exponent of a decimal literal; doubles end at 10^308. */
#define MANTISSA_MAX 300
#define EXPONENT_MAX 9999

/* A unit is mul * 10^exp10 of its base unit. */
struct unit {
    const char *name;
    struct dim dim;
    uint64_t mul;
    int exp10;
};

static const struct unit units[] = {
    {"", {0, 0, 0}, 1, 0},
    {"%", {0, 0, 0}, 1, -2},
    {"B", {1, 0, 0}, 1, 0},
    {"KiB", {1, 0, 0}, (uint64_t)1 << 10, 0},
    {"MiB", {1, 0, 0}, (uint64_t)1 << 20, 0},
    {"GiB", {1, 0, 0}, (uint64_t)1 << 30, 0},
    {"TiB", {1, 0, 0}, (uint64_t)1 << 40, 0},
    {"PiB", {1, 0, 0}, (uint64_t)1 << 50, 0},
    {"EiB", {1, 0, 0}, (uint64_t)1 << 60, 0},
    {"kB", {1, 0, 0}, 1, 3},
    {"MB", {1, 0, 0}, 1, 6},
    {"GB", {1, 0, 0}, 1, 9},
    {"TB", {1, 0, 0}, 1, 12},
    {"PB", {1, 0, 0}, 1, 15},
    {"ns", {0, 1, 0}, 1, -9},
    {"us", {0, 1, 0}, 1, -6},
    {"ms", {0, 1, 0}, 1, -3},
    {"s", {0, 1, 0}, 1, 0},
    {"min", {0, 1, 0}, 60, 0},
    {"h", {0, 1, 0}, 3600, 0},
    {"d", {0, 1, 0}, 86400, 0},
    {"degC", {0, 0, 1}, 1, 0},
};

#define AMBIGUOUS(letter, iec, si)                                                                 \
    letter " is 1024-based to the server and 1000-based to a vendor: write " iec " or " si

/* Units that people write and that mean two things. */
static const struct {
    const char *name;
    const char *hint;
} refused[] = {
    {"K", "K is 1024 to the server and 1000 to a vendor: write KiB or kB"},
    {"k", "k is 1024 to the server and 1000 to a vendor: write KiB or kB"},
    {"KB", "KB is 1024 to the server and 1000 to a vendor: write KiB or kB"},
    {"kb", "kb may be bits or bytes: write KiB or kB"},
    {"M", AMBIGUOUS("M", "MiB", "MB")},
    {"m", "m may be minutes, milli or mega: write min, ms, MiB or MB"},
    {"G", AMBIGUOUS("G", "GiB", "GB")},
    {"g", AMBIGUOUS("g", "GiB", "GB")},
    {"T", AMBIGUOUS("T", "TiB", "TB")},
    {"t", AMBIGUOUS("t", "TiB", "TB")},
    {"P", AMBIGUOUS("P", "PiB", "PB")},
    {"E", "E is 1024-based to the server and 1000-based to a vendor: write EiB"},
};

struct literal {
    struct span number; /* digits, maybe '.' digits, maybe 'e' exponent */
    struct span unit;
    char per;   /* 's', 'h', or NUL */
    size_t len; /* of it all */
};

bool dim_eq(struct dim a, struct dim b)
{
    return a.byte == b.byte && a.second == b.second && a.celsius == b.celsius;
}

static bool add_exponents(int8_t a, int b, int8_t *ret)
{
    const int sum = a + b;

    *ret = (int8_t)sum;
    return sum >= -DIM_EXPONENT_MAX && sum <= DIM_EXPONENT_MAX;
}

static bool dim_combine(struct dim a, struct dim b, int sign, struct dim *ret)
{
    struct dim d;

    if (!add_exponents(a.byte, sign * b.byte, &d.byte) ||
        !add_exponents(a.second, sign * b.second, &d.second) ||
        !add_exponents(a.celsius, sign * b.celsius, &d.celsius))
        return false;
    *ret = d;
    return true;
}

bool dim_mul(struct dim a, struct dim b, struct dim *ret)
{
    return dim_combine(a, b, 1, ret);
}

bool dim_div(struct dim a, struct dim b, struct dim *ret)
{
    return dim_combine(a, b, -1, ret);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* May c be part of a name that follows? */
static bool is_word(struct span s, size_t at)
{
    return at < s.len &&
           (is_digit(s.ptr[at]) || is_letter(s.ptr[at]) || s.ptr[at] == '_' || s.ptr[at] == '.');
}

static size_t skip_digits(struct span s, size_t at)
{
    while (at < s.len && is_digit(s.ptr[at]))
        at++;
    return at;
}

/* End of the number at the front of s; 0 when there is none. */
static size_t scan_number(struct span s)
{
    size_t at = skip_digits(s, 0);

    if (at == 0)
        return 0;
    if (at < s.len && s.ptr[at] == '.') {
        const size_t end = skip_digits(s, at + 1);

        if (end == at + 1)
            return 0;
        at = end;
    }
    /* Only a small e is an exponent: 2EiB is not 2 times ten to something. */
    if (at < s.len && s.ptr[at] == 'e') {
        size_t from = at + 1;

        if (from < s.len && (s.ptr[from] == '+' || s.ptr[from] == '-'))
            from++;
        const size_t end = skip_digits(s, from);

        if (end > from)
            at = end;
    }
    return at;
}

/* Split what stands at the front of s; whether its unit exists is not asked here. */
static bool scan_literal(struct span s, struct literal *ret)
{
    const size_t number = scan_number(s);
    size_t at = number;

    if (number == 0)
        return false;
    if (at < s.len && s.ptr[at] == '%') {
        at++;
    } else {
        while (at < s.len && is_letter(s.ptr[at]))
            at++;
    }
    *ret = (struct literal){span_sub(s, 0, number), span_sub(s, number, at - number), '\0', at};
    if (is_word(s, at))
        return false;
    if (at + 1 < s.len && s.ptr[at] == '/' && !is_word(s, at + 2) &&
        (s.ptr[at + 1] == 's' || s.ptr[at + 1] == 'h' || s.ptr[at + 1] == 'd')) {
        ret->per = s.ptr[at + 1];
        ret->len = at + 2;
    }
    return true;
}

static const struct unit *find_unit(struct span name)
{
    for (size_t i = 0; i < ARRAY_LEN(units); i++) {
        if (span_eq_text(name, units[i].name))
            return &units[i];
    }
    return NULL;
}

static const char *find_hint(struct span name)
{
    for (size_t i = 0; i < ARRAY_LEN(refused); i++) {
        if (span_eq_text(name, refused[i].name))
            return refused[i].hint;
    }
    return NULL;
}

static nv_u128 power_of_ten(int exp10)
{
    nv_u128 p = 1;

    while (exp10-- > 0)
        p *= 10;
    return p;
}

/* v times 10^exp10, when that is whole and fits. */
static bool shift_whole(nv_u128 v, int exp10, struct num *ret)
{
    if (exp10 < 0) {
        const nv_u128 p = power_of_ten(-exp10);

        *ret = num_u128(v / p);
        return v % p == 0;
    }
    return num_mul(num_u128(v), num_u128(power_of_ten(exp10)), ret) == NUM_OK;
}

/* A decimal number times 10^exp10, by moving its exponent: 82% is exactly what 0.82 is. */
static bool shift_decimal(struct span number, int exp10, struct num *ret)
{
    char text[MANTISSA_MAX + 16];
    struct span exponent = number;
    struct span mantissa = {"", 0};
    int64_t e = 0;
    double v;

    span_split(&exponent, 'e', &mantissa);
    if (span_starts(exponent, "+"))
        exponent = span_sub(exponent, 1, exponent.len);
    if (mantissa.len > MANTISSA_MAX || (exponent.len > 0 && !parse_i64(exponent, &e)) ||
        e > EXPONENT_MAX || e < -EXPONENT_MAX)
        return false;
    memcpy(text, mantissa.ptr, mantissa.len);

    /* The exponent by hand, digits only: at most EXPONENT_MAX + 15. */
    size_t len = mantissa.len;
    int shifted = (int)e + exp10;

    text[len++] = 'e';
    text[len++] = shifted < 0 ? '-' : '+';
    if (shifted < 0)
        shifted = -shifted;
    for (int digit = 10000; digit > 0; digit /= 10)
        text[len++] = (char)('0' + shifted / digit % 10);
    if (!parse_double((struct span){text, len}, &v))
        return false;
    *ret = num_real(v);
    return true;
}

static bool read_value(const struct literal *l, const struct unit *unit, struct num *ret)
{
    const bool bare = !span_has(l->number, '.') && !span_has(l->number, 'e');
    nv_u128 digits = 0;
    struct num v;

    if (bare && !parse_u128(l->number, &digits))
        return false;
    if (!(bare && shift_whole(digits, unit->exp10, &v))) {
        /* Whole kB that do not fit must not become a rounded real. */
        if (bare && unit->exp10 >= 0)
            return false;
        if (!shift_decimal(l->number, unit->exp10, &v))
            return false;
    }
    if (num_mul(v, num_u64(unit->mul), &v) != NUM_OK)
        return false;
    const uint64_t seconds = l->per == 'h' ? 3600 : l->per == 'd' ? 86400 : 1;

    return num_div(v, num_u64(seconds), ret) == NUM_OK;
}

bool units_parse(struct span s, struct num *ret, struct dim *ret_dim, const char **ret_hint)
{
    const bool neg = span_starts(s, "-");
    const struct span rest = span_sub(s, neg ? 1 : 0, s.len);
    struct literal l;
    struct num v;

    if (ret_hint != NULL)
        *ret_hint = NULL;
    if (!scan_literal(rest, &l) || l.len != rest.len)
        return false;

    const struct unit *const unit = find_unit(l.unit);

    if (unit == NULL) {
        if (ret_hint != NULL)
            *ret_hint = find_hint(l.unit);
        return false;
    }
    struct dim dim = unit->dim;

    if (l.per != '\0') {
        if (dim.second != 0 || dim.celsius != 0 || span_eq_text(l.unit, "%"))
            return false;
        dim.second = -1;
    }
    if (!read_value(&l, unit, &v) || (neg && num_sub(num_u64(0), v, &v) != NUM_OK))
        return false;
    *ret = v;
    *ret_dim = dim;
    return true;
}
