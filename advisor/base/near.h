/* How near two words are, for "did you mean": one measure for facts, options and rule words. */
#ifndef NVADVISE_ADVISOR_BASE_NEAR_H
#define NVADVISE_ADVISOR_BASE_NEAR_H

#include "advisor/base/str.h"

#define NEAR_WORD_MAX 96 /* bytes; longer words are not compared */

/* Letters changed, added, left out, or swapped with their neighbour, ASCII case aside (optimal string
 * alignment). NEAR_WORD_MAX when either word is longer than that: near to nothing. */
unsigned near_distance(struct span a, struct span b);

#endif
