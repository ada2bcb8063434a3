/* Where nvadvise keeps its own state. */
#ifndef NVADVISE_ADVISOR_CLI_STATEDIR_H
#define NVADVISE_ADVISOR_CLI_STATEDIR_H

#include "advisor/base/arena.h"
#include "advisor/base/err.h"

/* $STATE_DIRECTORY, else /var/lib/nvadvise when the caller may write there (root makes it, 0700), else the
 * user's XDG state directory (made), else NULL: a run without state. */
const char *state_dir(struct arena *a);

struct state_place {
    const char *path;
    bool writable;
    struct err why; /* why it is not writable */
};

/* The same for who can make do with reading, or must say why there is none. Error: none is named, it cannot
 * be made, or it is not the caller's alone to change. */
ATTR_NODISCARD bool state_dir_look(struct arena *a, struct state_place *ret, struct err *reterr);

#endif
