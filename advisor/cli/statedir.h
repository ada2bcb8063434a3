/* Where nvadvise keeps its own state. */
#ifndef NVADVISE_ADVISOR_CLI_STATEDIR_H
#define NVADVISE_ADVISOR_CLI_STATEDIR_H

#include "advisor/base/arena.h"

/* $STATE_DIRECTORY, else /var/lib/nvadvise when the caller may write there (root makes it, 0700), else the
 * user's XDG state directory (made), else NULL: a run without state. */
const char *state_dir(struct arena *a);

#endif
