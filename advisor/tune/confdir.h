/* A directory of option files, opened so that nobody but root can have led us there, and the files in it
 * looked at and put in place through its descriptor alone. Knows nothing of what is in the files. */
#ifndef NVADVISE_ADVISOR_TUNE_CONFDIR_H
#define NVADVISE_ADVISOR_TUNE_CONFDIR_H

#include <sys/types.h>

#include "advisor/base/arena.h"
#include "advisor/base/err.h"
#include "advisor/base/str.h"

#define CONFDIR_FILE_MAX (1024u * 1024)
#define CONFDIR_LINKS_MAX 40u
#define CONFDIR_XATTRS_MAX 32u
#define CONFDIR_XATTR_BYTES_MAX (16u * 1024)

struct confdir {
    const char *path; /* without symbolic links */
    int fd;           /* for openat and its like; -1 when closed */
};

/* Open the directory `path` (absolute). Every directory on the way, those of symbolic links included,
 * must belong to root and be writable by nobody else; on the way a sticky one will do, since nobody can
 * move root's entries there. Error: E_DENIED with the directory and the remedy named; E_ABSENT. */
ATTR_NODISCARD bool confdir_open(struct arena *a, const char *path, struct confdir *ret,
                                 struct err *reterr);
void confdir_close(struct confdir *d);

struct confdir_xattr {
    const char *name;
    struct span value;
};

/* All that makes a file what it is, but for its inode. */
struct confdir_file {
    bool there;
    struct span bytes;
    char sha256[65]; /* of the bytes */
    mode_t mode;     /* permission bits */
    uid_t uid;
    gid_t gid;
    int64_t mtime_s;
    long mtime_ns;
    struct confdir_xattr *xattrs; /* labels and access lists included, in byte order of their names */
    size_t n_xattrs;
};

/* Look at `name` in the directory. No such file: `there` is false. Error: E_DENIED when it is anything but
 * a regular file (a link is not followed), E_TOO_BIG. */
ATTR_NODISCARD bool confdir_look(const struct confdir *d, const char *name, struct arena *a,
                                 struct confdir_file *ret, struct err *reterr);

/* The same bytes? The same in all? */
bool confdir_same_bytes(const struct confdir_file *f, const char *sha256);
bool confdir_same(const struct confdir_file *a, const struct confdir_file *b);

/* Make `name`, which must not exist, with the bytes, mode, owner and attributes of `f`, and its time when
 * `keep_time`; on disk when this returns. On failure it is gone again. */
ATTR_NODISCARD bool confdir_create(const struct confdir *d, const char *name,
                                   const struct confdir_file *f, bool keep_time,
                                   struct err *reterr);

/* rename and unlink, with the directory on disk when they return. Unlinking what is not there is fine. */
ATTR_NODISCARD bool confdir_rename(const struct confdir *d, const char *from, const char *to,
                                   struct err *reterr);
ATTR_NODISCARD bool confdir_unlink(const struct confdir *d, const char *name, struct err *reterr);

/* SHA-256 of bytes as `sha256` above. */
void confdir_hash(struct arena *a, struct span bytes, char ret[65]);

#endif
