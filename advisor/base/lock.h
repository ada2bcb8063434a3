/* Locks between runs of this program: a file in the state directory, held by flock(2), so that the
 * kernel lets go of it however the holder ends. The second does not wait. */
#ifndef NVADVISE_ADVISOR_BASE_LOCK_H
#define NVADVISE_ADVISOR_BASE_LOCK_H

#include "advisor/base/err.h"

/* Take `name` in directory `dir` (0700, the caller's own). *ret_fd: close it to let go; the file stays.
 * Error: E_BUSY with the holder's process id, when somebody else has it; as open(2) otherwise. */
ATTR_NODISCARD bool lock_take(const char *dir, const char *name, int *ret_fd, struct err *reterr);

#endif
