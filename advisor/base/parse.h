/* Strict readers for numbers and lists in text from outside: the whole span or nothing. */
#ifndef NVADVISE_ADVISOR_BASE_PARSE_H
#define NVADVISE_ADVISOR_BASE_PARSE_H

#include "advisor/base/attr.h"
#include "advisor/base/str.h"

bool parse_u64(struct span s, uint64_t *ret);           /* decimal digits only, no sign */
bool parse_i64(struct span s, int64_t *ret);            /* optional '-' */
bool parse_u128(struct span s, nv_u128 *ret);
bool parse_hex_u64(struct span s, uint64_t *ret);       /* with or without 0x */
bool parse_double(struct span s, double *ret);          /* decimal, finite, no locale */

/* A kernel CPU or node list such as "0-3,8,10-11": how many it names. false when malformed. */
bool parse_cpulist_count(struct span s, uint64_t *ret);

#endif
