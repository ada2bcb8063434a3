/* Text as part of a word, both ways: bytes that would end the part are written %XX, so that every byte
 * survives and every word is text. */
#ifndef NVADVISE_ADVISOR_FACTS_PERCENT_H
#define NVADVISE_ADVISOR_FACTS_PERCENT_H

#include "advisor/base/arena.h"
#include "advisor/base/str.h"

/* Append `s`: '%', bytes below 0x20, 0x7f and those of `stops` as %XX, and where s is no UTF-8 all bytes above
 * 0x7f. */
void percent_put(struct buf *b, struct span s, const char *stops);

/* The bytes again, in the arena or `s` itself. false: a '%' without its two upper-case digits. */
bool percent_take(struct arena *a, struct span s, struct span *ret);

#endif
