/* Numbers as the whole program uses them: whole numbers exact to 128 bits with a sign, reals as
 * double, and *unlimited*, which compares above all. */
#ifndef NVADVISE_ADVISOR_BASE_NUM_H
#define NVADVISE_ADVISOR_BASE_NUM_H

#include "advisor/base/attr.h"
#include "advisor/base/str.h"

enum num_tag { NUM_INT, NUM_REAL, NUM_UNLIMITED };

struct num {
    enum num_tag tag;
    bool neg;      /* NUM_INT: sign; false for 0 */
    nv_u128 mag;   /* NUM_INT: magnitude */
    double real;   /* NUM_REAL: finite, never -0.0 */
};

enum num_status { NUM_OK, NUM_OVERFLOW, NUM_DIV_ZERO, NUM_UNDEFINED };

struct num num_u64(uint64_t v);
struct num num_i64(int64_t v);
struct num num_u128(nv_u128 v);

/* v must be finite; anything else is a defect of the caller and ends the process (abort). */
struct num num_real(double v); /* a real that is a whole number below 2^53 becomes NUM_INT */
struct num num_unlimited(void);

/* Exact for whole numbers (overflow past 128 bits is NUM_OVERFLOW); a real on either side gives a
 * real; not finite is NUM_OVERFLOW. Division of whole numbers is whole when exact, else real.
 * Unlimited: + and * by a positive stay unlimited, x / unlimited is 0, unlimited - unlimited,
 * unlimited / unlimited and 0 * unlimited are NUM_UNDEFINED, -unlimited is NUM_UNDEFINED. */
enum num_status num_add(struct num a, struct num b, struct num *ret);
enum num_status num_sub(struct num a, struct num b, struct num *ret);
enum num_status num_mul(struct num a, struct num b, struct num *ret);
enum num_status num_div(struct num a, struct num b, struct num *ret);

/* -1, 0, 1; exact between whole numbers, and between a whole number and a real. */
int num_cmp(struct num a, struct num b);

/* Down or up to the next whole number; unlimited stays. */
enum num_status num_floor(struct num a, struct num *ret);
enum num_status num_ceil(struct num a, struct num *ret);

bool num_is_zero(struct num a);
double num_to_double(struct num a);              /* unlimited gives HUGE_VAL */
bool num_to_u64(struct num a, uint64_t *ret);    /* false when negative, fractional, too large */

/* Shortest text that reads back to the same number: "12", "-3", "0.25", "1e+30", "unlimited". */
void num_print(struct buf *b, struct num a);

/* Read what num_print writes, all of `s`; digits, one '.', exponent; "unlimited". No blanks, no
 * separators, no hex. false when it is anything else or does not fit. */
bool num_parse(struct span s, struct num *ret);

#endif
