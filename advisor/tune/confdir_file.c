/* Files of such a directory: looked at whole, made whole. */
#include "advisor/tune/confdir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "advisor/base/file.h"
#include "advisor/base/hash.h"

#include "advisor/base/banned.h"

#define MODE_BITS 07777u
#define XATTR_LIST_MAX 4096

void confdir_hash(struct arena *a, struct span bytes, char ret[65])
{
    struct hash *h = hash_new(a);
    hash_add(h, bytes);
    hash_end(h, ret);
}

/* ---- looking --------------------------------------------------------------------------------- */

/* Measurements of the kernel's, made anew for each file; not ours to carry over. */
static bool is_kernels(const char *name)
{
    return strcmp(name, "security.ima") == 0 || strcmp(name, "security.evm") == 0;
}

static int by_name(const void *a, const void *b)
{
    const struct confdir_xattr *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static bool add_xattr(int fd, const char *path, const char *name, struct arena *a,
                      struct confdir_file *f, struct err *reterr)
{
    char *value = arena_alloc(a, CONFDIR_XATTR_BYTES_MAX);
    const ssize_t n = fgetxattr(fd, name, value, CONFDIR_XATTR_BYTES_MAX);
    if (n < 0 && errno == ENODATA) {
        return true;
    }
    if (n < 0) {
        return err_set_errno(reterr, errno, "cannot read attribute '%s' of '%s'", name, path);
    }
    if (f->n_xattrs == CONFDIR_XATTRS_MAX) {
        return err_set(reterr, E_TOO_BIG, "'%s' has more than %u attributes", path,
                       CONFDIR_XATTRS_MAX);
    }
    f->xattrs = arena_list_room(a, f->xattrs, f->n_xattrs, sizeof(*f->xattrs));
    f->xattrs[f->n_xattrs++] =
        (struct confdir_xattr){arena_strdup(a, name), {value, (size_t)n}};
    return true;
}

static bool read_xattrs(int fd, const char *path, struct arena *a, struct confdir_file *f,
                        struct err *reterr)
{
    char names[XATTR_LIST_MAX];
    const ssize_t n = flistxattr(fd, names, sizeof(names));
    if (n < 0) {
        return errno == EOPNOTSUPP ||
               err_set_errno(reterr, errno, "cannot list the attributes of '%s'", path);
    }
    for (const char *p = names; p < names + n; p += strlen(p) + 1) {
        if (!is_kernels(p) && !add_xattr(fd, path, p, a, f, reterr)) {
            return false;
        }
    }
    if (f->n_xattrs > 1) {
        qsort(f->xattrs, f->n_xattrs, sizeof(*f->xattrs), by_name);
    }
    return true;
}

static bool read_bytes(int fd, const char *path, struct arena *a, struct span *ret,
                       struct err *reterr)
{
    size_t len = 0, cap = 8192;
    char *bytes = arena_alloc(a, cap);
    for (;;) {
        if (len == cap) {
            bytes = arena_grow(a, bytes, cap, cap * 2);
            cap *= 2;
        }
        const ssize_t n = read(fd, bytes + len, cap - len);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return err_set_errno(reterr, errno, "cannot read '%s'", path);
        }
        if (n == 0) {
            *ret = (struct span){bytes, len};
            return true;
        }
        len += (size_t)n;
        if (len > CONFDIR_FILE_MAX) {
            return err_set(reterr, E_TOO_BIG, "'%s' is larger than %u bytes", path,
                           CONFDIR_FILE_MAX);
        }
    }
}

static bool not_regular(const char *path, mode_t mode, struct err *reterr)
{
    err_set(reterr, E_DENIED, "will not touch '%s': it is %s, not a regular file", path,
            S_ISLNK(mode)   ? "a symbolic link"
            : S_ISDIR(mode) ? "a directory"
                            : "a device, pipe or socket");
    return err_hint(reterr, "Move it away.");
}

bool confdir_look(const struct confdir *d, const char *name, struct arena *a,
                  struct confdir_file *ret, struct err *reterr)
{
    const char *path = arena_printf(a, "%s/%s", d->path, name);
    struct stat st;
    if (fstatat(d->fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno != ENOENT) {
            return err_set_errno(reterr, errno, "cannot look at '%s'", path);
        }
        *ret = (struct confdir_file){.there = false};
        return true;
    }
    if (!S_ISREG(st.st_mode)) {
        return not_regular(path, st.st_mode, reterr);
    }
    FD_AUTO fd = openat(d->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0) {
        return err_set_errno(reterr, errno, "cannot open '%s'", path);
    }
    if (!S_ISREG(st.st_mode)) {
        return not_regular(path, st.st_mode, reterr);
    }
    struct confdir_file f = {
        .there = true,
        .mode = st.st_mode & MODE_BITS,
        .uid = st.st_uid,
        .gid = st.st_gid,
        .mtime_s = st.st_mtim.tv_sec,
        .mtime_ns = st.st_mtim.tv_nsec,
    };
    if (!read_bytes(fd, path, a, &f.bytes, reterr) || !read_xattrs(fd, path, a, &f, reterr)) {
        return false;
    }
    confdir_hash(a, f.bytes, f.sha256);
    *ret = f;
    return true;
}

bool confdir_same_bytes(const struct confdir_file *f, const char *sha256)
{
    return f->there && strcmp(f->sha256, sha256) == 0;
}

static bool same_xattrs(const struct confdir_file *a, const struct confdir_file *b)
{
    for (size_t i = 0; i < a->n_xattrs && a->n_xattrs == b->n_xattrs; i++) {
        if (strcmp(a->xattrs[i].name, b->xattrs[i].name) != 0 ||
            !span_eq(a->xattrs[i].value, b->xattrs[i].value)) {
            return false;
        }
    }
    return a->n_xattrs == b->n_xattrs;
}

bool confdir_same(const struct confdir_file *a, const struct confdir_file *b)
{
    if (!a->there || !b->there) {
        return a->there == b->there;
    }
    return strcmp(a->sha256, b->sha256) == 0 && a->mode == b->mode && a->uid == b->uid &&
           a->gid == b->gid && a->mtime_s == b->mtime_s && a->mtime_ns == b->mtime_ns &&
           same_xattrs(a, b);
}

/* ---- making ---------------------------------------------------------------------------------- */

/* The label that the directory gives may be the one that is to be set, and setting it be forbidden. */
static bool has_xattr(int fd, const struct confdir_xattr *x, struct arena *a)
{
    char *value = arena_alloc(a, CONFDIR_XATTR_BYTES_MAX);
    const ssize_t n = fgetxattr(fd, x->name, value, CONFDIR_XATTR_BYTES_MAX);
    return n >= 0 && span_eq((struct span){value, (size_t)n}, x->value);
}

static bool set_xattrs(int fd, const struct confdir_file *f, struct err *reterr)
{
    ARENA_AUTO a = arena_new();
    for (size_t i = 0; i < f->n_xattrs; i++) {
        const struct confdir_xattr *x = &f->xattrs[i];
        if (!has_xattr(fd, x, a) && fsetxattr(fd, x->name, x->value.ptr, x->value.len, 0) != 0) {
            return err_set_errno(reterr, errno, "cannot set attribute '%s'", x->name);
        }
    }
    return true;
}

static bool fill(int fd, const struct confdir_file *f, bool keep_time, struct err *reterr)
{
    if (!file_write_all(fd, f->bytes, reterr)) {
        return false;
    }
    if (fchown(fd, f->uid, f->gid) != 0) {
        return err_set_errno(reterr, errno, "cannot set the owner");
    }
    /* What the directory hands down to new files is not part of this one. */
    (void)fremovexattr(fd, "system.posix_acl_access");
    if (fchmod(fd, f->mode) != 0) {
        return err_set_errno(reterr, errno, "cannot set the mode");
    }
    if (!set_xattrs(fd, f, reterr)) {
        return false;
    }
    const struct timespec times[] = {{.tv_nsec = UTIME_OMIT},
                                     {.tv_sec = f->mtime_s, .tv_nsec = f->mtime_ns}};
    if (keep_time && futimens(fd, times) != 0) {
        return err_set_errno(reterr, errno, "cannot set the time");
    }
    return fsync(fd) == 0 || err_set_errno(reterr, errno, "cannot flush to disk");
}

bool confdir_create(const struct confdir *d, const char *name, const struct confdir_file *f,
                    bool keep_time, struct err *reterr)
{
    FD_AUTO fd = openat(d->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                        S_IRUSR | S_IWUSR);
    if (fd < 0) {
        return err_set_errno(reterr, errno, "cannot write into directory '%s'", d->path);
    }
    if (!fill(fd, f, keep_time, reterr)) {
        (void)unlinkat(d->fd, name, 0);
        return err_wrap(reterr, "writing '%s/%s'", d->path, name);
    }
    return true;
}

/* Some filesystems know no fsync of a directory; there a rename is as durable as it gets. */
static bool sync_directory(const struct confdir *d, struct err *reterr)
{
    if (fsync(d->fd) == 0 || errno == EINVAL || errno == EOPNOTSUPP) {
        return true;
    }
    return err_set_errno(reterr, errno, "cannot flush directory '%s' to disk", d->path);
}

bool confdir_rename(const struct confdir *d, const char *from, const char *to, struct err *reterr)
{
    if (renameat(d->fd, from, d->fd, to) != 0) {
        return err_set_errno(reterr, errno, "cannot put '%s/%s' in its place", d->path, to);
    }
    return sync_directory(d, reterr);
}

bool confdir_unlink(const struct confdir *d, const char *name, struct err *reterr)
{
    struct stat st;
    /* Asked first: a filesystem that is read-only refuses to remove even what is not there. */
    const bool gone = fstatat(d->fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT;
    if (!gone && unlinkat(d->fd, name, 0) != 0 && errno != ENOENT) {
        return err_set_errno(reterr, errno, "cannot remove '%s/%s'", d->path, name);
    }
    return sync_directory(d, reterr);
}
