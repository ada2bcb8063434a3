/* The difference of two texts, as people and patch(1) read it. Pure. */
#ifndef NVADVISE_ADVISOR_TUNE_DIFF_H
#define NVADVISE_ADVISOR_TUNE_DIFF_H

#include "advisor/base/str.h"

#define DIFF_LINES_MAX 5000u /* of each text; what is longer is shown as replaced as a whole */

/* Append a unified diff with three lines of context; nothing when the texts are the same. The names stand
 * in its head; NULL for a file that is not there. Lines are as they are: a terminal wants them escaped. */
void diff_unified(struct buf *b, const char *old_name, struct span old_text, const char *new_name,
                  struct span new_text);

#endif
