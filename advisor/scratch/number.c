/* See number.h. */
#include "advisor/scratch/number.h"

#include <ctype.h>
#include <math.h>

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

#define NEAR 1e-9 /* relative: a double printed with six decimals, or as the server rounds it */

bool number_suffixed(struct span s, uint64_t *ret)
{
    static const char letters[] = "KMGTPE";
    unsigned shift = 0;
    uint64_t n = 0;
    if (s.len > 1) {
        const char last = (char)toupper((unsigned char)s.ptr[s.len - 1]);
        for (unsigned i = 0; i < sizeof(letters) - 1; i++) {
            shift = last == letters[i] ? (i + 1) * 10 : shift;
        }
        s.len -= shift != 0 ? 1 : 0;
    }
    if (!parse_u64(s, &n) || n > UINT64_MAX >> shift) {
        return false;
    }
    *ret = n << shift;
    return true;
}

bool number_read(struct span s, double *ret)
{
    uint64_t whole = 0;
    if (number_suffixed(s, &whole)) {
        *ret = (double)whole;
        return true;
    }
    return parse_double(s, ret);
}

static bool as_switch(struct span s, bool *ret)
{
    static const char *const on[] = {"1", "on", "true", "yes"};
    static const char *const off[] = {"0", "off", "false", "no"};
    for (size_t i = 0; i < ARRAY_LEN(on); i++) {
        if (span_eq_nocase(s, span_of(on[i])) || span_eq_nocase(s, span_of(off[i]))) {
            *ret = span_eq_nocase(s, span_of(on[i]));
            return true;
        }
    }
    return false;
}

bool number_same(struct span asked, struct span shown, bool *ret_same)
{
    uint64_t n = 0, m = 0;
    double x = 0, y = 0;
    bool b = false, c = false;
    if (number_suffixed(asked, &n) && number_suffixed(shown, &m)) {
        *ret_same = n == m;
    } else if (number_read(asked, &x) && number_read(shown, &y)) {
        *ret_same = fabs(x - y) <= NEAR * fmax(fabs(x), fabs(y));
    } else if (as_switch(asked, &b) && as_switch(shown, &c)) {
        *ret_same = b == c;
    } else {
        return false;
    }
    return true;
}
