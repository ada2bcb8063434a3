/* Shared by the files of the InnoDB status reader only: words and numbers in a piece of the text.
 */
#ifndef NVADVISE_PROBES_INNODB_SCAN_H
#define NVADVISE_PROBES_INNODB_SCAN_H

#include "probes/innodb_status.h"

#define SCAN_NEAR 200u /* a line of rates stands at most this far behind its counters */

struct scan {
    const char *text_end; /* of the whole text: a number that touches it may have lost digits */
    struct innodb_status *ret;
};

/* In all of these a blank of `words` stands for any run of blanks and line ends; words are found
 * whole
 * ("reads/s" not in "preads/s"). */

bool scan_is_digit(char c);
struct span scan_skip(struct span s); /* blanks and line ends off the front */
struct span scan_from(struct span s, const char *at);

/* Does `s` begin with the words? */
bool scan_begins(struct span s, const char *words, struct span *ret_rest);

/* The next place of the words: what stands before and behind it. */
bool scan_find(struct span s, const char *words, struct span *ret_before, struct span *ret_rest);

/* A number at the front of `s`, blanks before it allowed. */
bool scan_number(struct scan *r, struct span s, bool whole, struct num *ret, struct span *ret_rest);

/* The number that ends, but for blanks, where `before` ends. */
bool scan_number_before(struct scan *r, struct span before, bool whole, struct num *ret);

/* The first value found for a key stands. */
void scan_set(struct scan *r, enum innodb_key k, struct num n);

/* "WORDS N": the first place where a whole number follows the words. */
bool scan_after(struct scan *r, struct span s, const char *words, enum innodb_key k,
                struct span *ret_rest);
void scan_only(struct scan *r, struct span s, const char *words, enum innodb_key k);

/* "N WORDS". */
bool scan_ahead(struct scan *r, struct span s, const char *words, bool whole, enum innodb_key k,
                struct span *ret_rest);

/* "N.NN WORDS" near the front of `s`. */
void scan_rate(struct scan *r, struct span s, const char *words, enum innodb_key k);

/* ", WORDS N" directly at *rest, which then moves behind it. */
void scan_next(struct scan *r, struct span *rest, const char *words, enum innodb_key k);

#endif
