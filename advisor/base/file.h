/* Files of our own: capped reads, whole-or-nothing writes. Not for the machine under test, which is
 * only touched through probes/host. */
#ifndef NVADVISE_ADVISOR_BASE_FILE_H
#define NVADVISE_ADVISOR_BASE_FILE_H

#include <sys/types.h>

#include "advisor/base/arena.h"
#include "advisor/base/err.h"
#include "advisor/base/str.h"

/* Read a regular file or a pipe ("-" = standard input) of at most max bytes. */
ATTR_NODISCARD bool file_read(struct arena *a, const char *path, size_t max, struct span *ret,
                              struct err *reterr);

/* The rest of an open file; `path` is for messages. */
ATTR_NODISCARD bool file_read_fd(struct arena *a, int fd, const char *path, size_t max,
                                 struct span *ret, struct err *reterr);

/* Is the open file or folder owned by root, and writable by nobody else? E_DENIED with the remedy. */
ATTR_NODISCARD bool file_is_roots(int fd, const char *path, struct err *reterr);

/* Read a regular file that, with its folder, is root's alone; no symbolic link. E_ABSENT, E_DENIED, E_TOO_BIG. */
ATTR_NODISCARD bool file_read_roots(struct arena *a, const char *path, size_t max, struct span *ret,
                                    struct err *reterr);

/* Write `bytes` to path: temporary file in the same directory (its name does not end in the target's
 * suffix), fsync, rename, fsync the directory. On failure, and when a signal ends the program, the
 * target is as it was and the temporary file is gone. Refuses a directory that somebody other than root or the caller may write, unless
 * sticky rules protect it: E_DENIED with the directory named. */
ATTR_NODISCARD bool file_replace(const char *path, struct span bytes, mode_t mode,
                                 struct err *reterr);

/* mkdir -p with mode for the last part; an existing directory is fine. */
ATTR_NODISCARD bool file_make_dir(const char *path, mode_t mode, struct err *reterr);

/* write(2) until done; EINTR is retried. */
ATTR_NODISCARD bool file_write_all(int fd, struct span bytes, struct err *reterr);

void fd_cleanup(int *fd);
#define FD_AUTO ATTR_CLEANUP(fd_cleanup) int

#endif
