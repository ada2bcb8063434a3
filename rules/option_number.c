/* Whole numbers as the servers read them: blanks, sign, digits, one suffix letter, and whatever stands
 * behind that letter is passed over (tried: "500KB" is 512000 to MySQL 9.7 and MariaDB 10.11). So "1e6" is
 * 1 with the suffix of an exabyte. */
#include "rules/options_int.h"

#include "advisor/base/banned.h"

/* 'T', 'P', 'E' came to MySQL with 8.0.14; MariaDB of the versions that we speak of has them. */
static unsigned shift_of(const struct option_target *t, char c)
{
    const bool large = option_is_mariadb(t) || option_from(t, 8, 0, 14);
    switch (c) {
    case 'k':
        return 10;
    case 'm':
        return 20;
    case 'g':
        return 30;
    case 't':
        return large ? 40 : 0;
    case 'p':
        return large ? 50 : 0;
    case 'e':
        return large ? 60 : 0;
    default:
        return 0;
    }
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Digits behind a point or an exponent: somebody meant a real number. */
static bool looks_real(struct span rest)
{
    if (rest.len > 0 && rest.ptr[0] == '.')
        return true;
    size_t at = 1;
    if (rest.len < 2 || (rest.ptr[0] != 'e' && rest.ptr[0] != 'E'))
        return false;
    if (rest.ptr[1] == '+' || rest.ptr[1] == '-')
        at = 2;
    return at < rest.len && is_digit(rest.ptr[at]);
}

enum option_number_end option_number_read(const struct option_target *t, struct span text,
                                          struct option_number *ret)
{
    *ret = (struct option_number){.value = num_u64(0)};
    size_t at = 0;
    while (at < text.len && is_blank(text.ptr[at]))
        at++;
    const bool negative = at < text.len && text.ptr[at] == '-';
    if (at < text.len && (text.ptr[at] == '-' || text.ptr[at] == '+'))
        at++;
    nv_u128 n = 0;
    const size_t first = at;
    for (; at < text.len && is_digit(text.ptr[at]); at++) {
        n = n * 10 + (unsigned)(text.ptr[at] - '0');
        if (n > UINT64_MAX)
            return NUMBER_TOO_BIG;
    }
    /* Without digits the servers' strtol takes nothing, and the whole text is the suffix. */
    const struct span rest = span_sub(text, at == first ? 0 : at, text.len);
    ret->is_real = at > first && looks_real(rest);
    if (rest.len > 0) {
        const char c = rest.ptr[0];
        ret->suffix = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
        const unsigned shift = at > first ? shift_of(t, ret->suffix) : 0;
        if (shift == 0) {
            ret->strange = c;
            return NUMBER_SUFFIX;
        }
        n <<= shift;
        if (n > UINT64_MAX) {
            /* MariaDB multiplies and keeps 64 bits: "16E" is 0, "20E" is 4E (tried on 10.11 and 11.8). */
            if (!option_is_mariadb(t))
                return NUMBER_TOO_BIG;
            n &= UINT64_MAX;
        }
    } else if (at == first) {
        return NUMBER_EMPTY;
    }
    ret->value = num_u128(n);
    return negative ? NUMBER_NEGATIVE : NUMBER_READ;
}
