/* Dimensions and units: reading literals with units, and printing figures for people.
 *
 * SI and IEC are never mixed: bytes print in IEC (KiB, MiB), rates and counts with thousands
 * separators, times in us, ms, s, min, h, d. */
#ifndef NVADVISE_ADVISOR_BASE_UNITS_H
#define NVADVISE_ADVISOR_BASE_UNITS_H

#include "advisor/base/num.h"
#include "advisor/base/str.h"

/* Exponents of the base dimensions. {0,0,0} is a plain number (count or ratio). */
struct dim {
    int8_t byte;
    int8_t second;
    int8_t celsius;
};

#define DIM_NONE ((struct dim){0, 0, 0})
#define DIM_BYTES ((struct dim){1, 0, 0})
#define DIM_SECONDS ((struct dim){0, 1, 0})
#define DIM_RATE ((struct dim){0, -1, 0})
#define DIM_BYTES_PER_S ((struct dim){1, -1, 0})
#define DIM_CELSIUS ((struct dim){0, 0, 1})

bool dim_eq(struct dim a, struct dim b);
bool dim_mul(struct dim a, struct dim b, struct dim *ret); /* false past +-100 */
bool dim_div(struct dim a, struct dim b, struct dim *ret);
void dim_print(struct buf *b, struct dim d); /* "bytes", "seconds", "bytes/s", "1/s", "a plain number" */

/* Read one literal: digits (with . and e) directly followed by an optional unit.
 * Units: B KiB MiB GiB TiB PiB EiB, kB MB GB TB PB (powers of 1000); ns us ms s min h d; %; degC;
 * any of the byte units or nothing before "/s", "/h" or "/d"; nothing = a plain number.
 * Bare K, M, G, T are refused: *ret_hint (may be NULL) then says why ("K is 1024 to the server and
 * 1000 to a vendor: write KiB or kB"), else is set to NULL. false when `s` is no such literal. */
bool units_parse(struct span s, struct num *ret, struct dim *ret_dim, const char **ret_hint);

/* Print for people, at most two decimals, trailing zeros kept only as worked-hosts shows ("1.10 GiB",
 * "28 GiB", "3.20 GiB", "11,625", "31,000/s", "250 us", "43 %" for is_ratio). */
void units_print(struct buf *b, struct num n, struct dim d, bool is_ratio);

/* Print bytes as makers of drives count them, in powers of 1000 ("6.469 TB", "42.95 GB", "44.3 kB"), and a plain
 * number or a ratio with up to four decimals ("1.0494"); all else as units_print does. */
void units_print_decimal(struct buf *b, struct num n, struct dim d);

/* Print as a literal that units_parse reads back to exactly n ("128MiB", "0.00025s", "3%"). */
void units_print_literal(struct buf *b, struct num n, struct dim d, bool is_ratio);

#endif
