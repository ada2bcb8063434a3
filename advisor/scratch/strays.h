/* What a program started and left behind: processes that left its group. This process becomes the
 * one to which orphans come, so that they can be found, and told from the children that were there
 * before. */
#ifndef NVADVISE_ADVISOR_SCRATCH_STRAYS_H
#define NVADVISE_ADVISOR_SCRATCH_STRAYS_H

#include <sys/types.h>

#include "advisor/base/arena.h"

struct strays {
    pid_t *before; /* children that this process had already */
    size_t n_before;
    bool watched; /* the kernel tells */
};

/* Before the fork. */
void strays_before(struct strays *s, struct arena *a);

/* After the program was waited for: kill and wait for every child that is not from before and has
 * the environment word `mark` ("TMPDIR=…") that the program was given: programs that run beside it
 * have others. Returns when there are none, or when it has tried often enough. */
void strays_end(struct strays *s, const char *mark);

#endif
