/* The folder of one scratch instance:
 *
 *   PARENT/nvadvise-scratch.XXXXXX/   root's (0711), locked as long as its nvadvise lives
 *       marker.json                   who runs here (marker.h); out of the server's reach
 *       s/                            the server's own (0700): data/ tmp/ out/ and its files
 *
 * Knows folders, not processes. */
#ifndef NVADVISE_ADVISOR_SCRATCH_TREE_H
#define NVADVISE_ADVISOR_SCRATCH_TREE_H

#include <sys/types.h>

#include "advisor/base/arena.h"
#include "advisor/base/err.h"
#include "advisor/base/str.h"

#define TREE_PREFIX "nvadvise-scratch."
#define TREE_DEFAULT_PARENT "/var/tmp"

struct tree {
    const char *parent;
    const char *path; /* of the folder as a whole */
    const char *own;  /* PATH/s */
    int fd;           /* holds the lock; -1 = closed */
};

/* Make one below parent (NULL: TREE_DEFAULT_PARENT), with s/ for uid and gid. The parent is refused
 * when somebody else than root and the caller may exchange what stands in it. */
ATTR_NODISCARD bool tree_make(struct arena *a, const char *parent, uint32_t uid, uint32_t gid,
                              struct tree *ret, struct err *reterr);

/* Make a folder, or write a file (a new one, in place of any that is there), in s/ for the server's
 * user. `name` has no slash. */
ATTR_NODISCARD bool tree_folder(const struct tree *t, const char *name, uint32_t uid, uint32_t gid,
                                struct err *reterr);
ATTR_NODISCARD bool tree_file(const struct tree *t, const char *name, uint32_t uid, uint32_t gid,
                              struct span text, struct err *reterr);

/* Read at most max bytes from the end of a regular file in s/, or s/FOLDER/ (NULL: s/ itself); an
 * absent one gives no bytes. Links are not followed. */
ATTR_NODISCARD bool tree_tail(struct arena *a, const struct tree *t, const char *folder,
                              const char *name, size_t max, struct span *ret, struct err *reterr);

/* Remove a file of s/FOLDER/, if it is there. */
void tree_forget(const struct tree *t, const char *folder, const char *name);

/* Open a file of s/ for appending, made if need be; -1 and errno. */
int tree_append_fd(const struct tree *t, const char *name, uint32_t uid, uint32_t gid);

/* Take over one that its maker has left: E_BUSY when it lives, E_DENIED when it is not of our
 * making. */
ATTR_NODISCARD bool tree_adopt(struct arena *a, const char *parent, const char *name,
                               struct tree *ret, struct err *reterr);

/* Remove it with all that is in it, and unlock. Follows no link, leaves no filesystem. */
ATTR_NODISCARD bool tree_remove(struct tree *t, struct err *reterr);

/* Unlock and leave it. */
void tree_leave(struct tree *t);

#endif
