/* Numbers as people write them for these servers. */
#ifndef NVADVISE_ADVISOR_SCRATCH_NUMBER_H
#define NVADVISE_ADVISOR_SCRATCH_NUMBER_H

#include "advisor/base/str.h"

/* Digits, then nothing or one of K M G T P E: a whole number. false: another text, or too large. */
bool number_suffixed(struct span s, uint64_t *ret);

/* Such a number, or one with decimals or an exponent. */
bool number_read(struct span s, double *ret);

/* Would the server's `shown` be what `asked` says? Numbers by value ("1G" and "1073741824", "90"
 * and "90.000000"; "1e6" is a million), switches by meaning. *ret_same; false: it cannot be told,
 * since one of them is text of its own kind. */
bool number_same(struct span asked, struct span shown, bool *ret_same);

#endif
