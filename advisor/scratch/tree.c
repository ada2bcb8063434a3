/* See tree.h. Everything goes through descriptors: the server's account owns what lies in s/, and
 * may exchange it under our hands. */
#include "advisor/scratch/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advisor/base/file.h"

#include "advisor/base/banned.h"

#define TRIES 32
#define DEPTH_MAX 64
#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* ---- making ---------------------------------------------------------------------------------- */

/* Nobody but root and us may rename or remove what is made in the parent. */
static bool check_parent(int fd, const char *parent, struct err *reterr)
{
    struct stat st;
    if (fstat(fd, &st) != 0) {
        return err_set_errno(reterr, errno, "cannot look at '%s'", parent);
    }
    const bool others = (st.st_mode & (S_IWGRP | S_IWOTH)) != 0 && (st.st_mode & S_ISVTX) == 0;
    if ((st.st_uid != 0 && st.st_uid != geteuid()) || others) {
        err_set(reterr, E_DENIED, "will make no scratch folder in '%s': others may exchange it",
                parent);
        return err_hint(reterr, "Name a folder that belongs to root and that only root may write.");
    }
    return true;
}

static bool random_name(struct arena *a, const char **ret, struct err *reterr)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
    unsigned char bytes[6];
    char text[sizeof(bytes) + 1];
    if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes)) {
        return err_set_errno(reterr, errno, "cannot get random bytes");
    }
    for (size_t i = 0; i < sizeof(bytes); i++) {
        text[i] = letters[bytes[i] % 32];
    }
    text[sizeof(bytes)] = '\0';
    *ret = arena_printf(a, "%s%s", TREE_PREFIX, text);
    return true;
}

/* Between mkdir and flock a run that cleans up may take it for one that was left. */
static bool lock_new(int parent_fd, const char *name, int *ret)
{
    struct stat here, there;
    FD_AUTO fd = openat(parent_fd, name, DIR_FLAGS);
    if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0 || fstat(fd, &here) != 0 ||
        fstatat(parent_fd, name, &there, AT_SYMLINK_NOFOLLOW) != 0 || here.st_ino != there.st_ino) {
        return false;
    }
    *ret = fd;
    fd = -1;
    return true;
}

static bool make_top(struct arena *a, int parent_fd, struct tree *t, struct err *reterr)
{
    for (unsigned i = 0; i < TRIES; i++) {
        const char *name = NULL;
        if (!random_name(a, &name, reterr)) {
            return false;
        }
        t->path = arena_printf(a, "%s/%s", t->parent, name);
        t->own = arena_printf(a, "%s/s", t->path);
        if (mkdirat(parent_fd, name, 0711) != 0 && errno != EEXIST) {
            return err_set_errno(reterr, errno, "cannot make a folder in '%s'", t->parent);
        }
        if (lock_new(parent_fd, name, &t->fd)) {
            return true;
        }
    }
    return err_set(reterr, E_BUSY, "cannot make a folder of our own in '%s'", t->parent);
}

static bool own_folder(int dir_fd, const char *name, uint32_t uid, uint32_t gid, const char *path,
                       struct err *reterr)
{
    if (mkdirat(dir_fd, name, 0700) != 0) {
        return err_set_errno(reterr, errno, "cannot make '%s/%s'", path, name);
    }
    FD_AUTO fd = openat(dir_fd, name, DIR_FLAGS);
    if (fd < 0 || fchown(fd, uid, gid) != 0 || fchmod(fd, 0700) != 0) {
        return err_set_errno(reterr, errno, "cannot give '%s/%s' to user %u", path, name, uid);
    }
    return true;
}

bool tree_make(struct arena *a, const char *parent, uint32_t uid, uint32_t gid, struct tree *ret,
               struct err *reterr)
{
    struct tree t = {.parent = arena_strdup(a, parent != NULL ? parent : TREE_DEFAULT_PARENT),
                     .fd = -1};
    FD_AUTO parent_fd = open(t.parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (parent_fd < 0) {
        return err_set_errno(reterr, errno, "cannot open '%s'", t.parent);
    }
    if (!check_parent(parent_fd, t.parent, reterr) || !make_top(a, parent_fd, &t, reterr)) {
        return false;
    }
    /* The mode of mkdir was cut by our umask; the server has to pass through. */
    const bool ok = fchmod(t.fd, 0711) == 0
                        ? own_folder(t.fd, "s", uid, gid, t.path, reterr)
                        : err_set_errno(reterr, errno, "cannot set the mode of '%s'", t.path);
    if (!ok) {
        struct err ignored = ERR_INIT;
        (void)!tree_remove(&t, &ignored);
        return false;
    }
    *ret = t;
    return true;
}

static int own_fd(const struct tree *t, const char *folder)
{
    const int own = openat(t->fd, "s", DIR_FLAGS);
    if (own < 0 || folder == NULL) {
        return own;
    }
    const int fd = openat(own, folder, DIR_FLAGS);
    const int e = errno;
    (void)close(own);
    errno = e;
    return fd;
}

bool tree_folder(const struct tree *t, const char *name, uint32_t uid, uint32_t gid,
                 struct err *reterr)
{
    FD_AUTO fd = own_fd(t, NULL);
    if (fd < 0) {
        return err_set_errno(reterr, errno, "cannot open '%s'", t->own);
    }
    return own_folder(fd, name, uid, gid, t->own, reterr);
}

bool tree_file(const struct tree *t, const char *name, uint32_t uid, uint32_t gid, struct span text,
               struct err *reterr)
{
    FD_AUTO dir = own_fd(t, NULL);
    if (dir >= 0) {
        (void)unlinkat(dir, name, 0);
    }
    FD_AUTO fd =
        dir < 0 ? -1
                : openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 || fchown(fd, uid, gid) != 0) {
        return err_set_errno(reterr, errno, "cannot make '%s/%s'", t->own, name);
    }
    return file_write_all(fd, text, reterr) || err_wrap(reterr, "writing '%s/%s'", t->own, name);
}

void tree_forget(const struct tree *t, const char *folder, const char *name)
{
    FD_AUTO dir = own_fd(t, folder);
    if (dir >= 0) {
        (void)unlinkat(dir, name, 0);
    }
}

int tree_append_fd(const struct tree *t, const char *name, uint32_t uid, uint32_t gid)
{
    struct stat st;
    FD_AUTO dir = own_fd(t, NULL);
    FD_AUTO fd =
        dir < 0 ? -1
                : openat(dir, name,
                         O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd < 0 || fstat(fd, &st) != 0 || fchown(fd, uid, gid) != 0) {
        return -1;
    }
    if (!S_ISREG(st.st_mode)) {
        errno = EEXIST;
        return -1;
    }
    const int opened = fd;
    fd = -1;
    return opened;
}

bool tree_tail(struct arena *a, const struct tree *t, const char *folder, const char *name,
               size_t max, struct span *ret, struct err *reterr)
{
    FD_AUTO dir = own_fd(t, folder);
    FD_AUTO fd = dir < 0 ? -1 : openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat st;
    if (fd < 0 && errno == ENOENT) {
        *ret = (struct span){"", 0};
        return true;
    }
    if (fd < 0 || fstat(fd, &st) != 0) {
        return err_set_errno(reterr, errno, "cannot read '%s/%s'", t->own, name);
    }
    if (!S_ISREG(st.st_mode)) {
        return err_set(reterr, E_CORRUPT, "'%s/%s' is no file", t->own, name);
    }
    const off_t from = st.st_size > (off_t)max ? st.st_size - (off_t)max : 0;
    char *const text = arena_alloc(a, max + 1);
    size_t len = 0;
    while (len < max) {
        const ssize_t n = pread(fd, text + len, max - len, from + (off_t)len);
        if (n < 0 && errno != EINTR) {
            return err_set_errno(reterr, errno, "cannot read '%s/%s'", t->own, name);
        }
        if (n == 0) {
            break;
        }
        len += n > 0 ? (size_t)n : 0;
    }
    *ret = (struct span){text, len};
    return true;
}

/* ---- what others left ------------------------------------------------------------------------ */

bool tree_adopt(struct arena *a, const char *parent, const char *name, struct tree *ret,
                struct err *reterr)
{
    struct tree t = {.parent = arena_strdup(a, parent), .fd = -1};
    struct stat st;
    t.path = arena_printf(a, "%s/%s", parent, name);
    t.own = arena_printf(a, "%s/s", t.path);
    FD_AUTO fd = open(t.path, DIR_FLAGS);
    if (fd < 0 || fstat(fd, &st) != 0) {
        return err_set_errno(reterr, errno, "cannot look at '%s'", t.path);
    }
    if (strncmp(name, TREE_PREFIX, strlen(TREE_PREFIX)) != 0 || st.st_uid != geteuid() ||
        (st.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        return err_set(reterr, E_DENIED, "'%s' is not of our making", t.path);
    }
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        return err_set(reterr, E_BUSY, "'%s' is in use by another nvadvise", t.path);
    }
    t.fd = fd;
    fd = -1;
    *ret = t;
    return true;
}

/* ---- removing -------------------------------------------------------------------------------- */

static bool empty_folder(int fd, dev_t device, unsigned depth);

static bool remove_entry(int dir_fd, const char *name, dev_t device, unsigned depth)
{
    struct stat st;
    if (unlinkat(dir_fd, name, 0) == 0 || errno == ENOENT) {
        return true;
    }
    FD_AUTO fd = openat(dir_fd, name, DIR_FLAGS);
    /* Another filesystem that somebody mounted here is not ours to empty. */
    if (fd < 0 || fstat(fd, &st) != 0 || st.st_dev != device || depth == 0 ||
        !empty_folder(fd, device, depth - 1)) {
        return false;
    }
    return unlinkat(dir_fd, name, AT_REMOVEDIR) == 0 || errno == ENOENT;
}

static bool empty_folder(int fd, dev_t device, unsigned depth)
{
    bool ok = true;
    const int own = openat(fd, ".", DIR_FLAGS);
    DIR *const d = own < 0 ? NULL : fdopendir(own);
    if (d == NULL) {
        if (own >= 0) {
            (void)close(own);
        }
        return false;
    }
    for (struct dirent *e = readdir(d); e != NULL; e = readdir(d)) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
            ok = remove_entry(fd, e->d_name, device, depth) && ok;
        }
    }
    (void)closedir(d);
    return ok;
}

bool tree_remove(struct tree *t, struct err *reterr)
{
    struct stat st;
    errno = 0;
    bool ok = t->fd >= 0 && fstat(t->fd, &st) == 0;
    /* The marker last: what is left when we are killed here is known as ours. */
    ok = ok && (remove_entry(t->fd, "s", st.st_dev, DEPTH_MAX) || errno == ENOENT);
    ok = ok && empty_folder(t->fd, st.st_dev, DEPTH_MAX);
    if (!ok || rmdir(t->path) != 0) {
        const int e = errno;
        tree_leave(t);
        err_set_errno(reterr, e, "cannot remove '%s' with all that is in it", t->path);
        return err_hint(reterr, "Remove it by hand when no process stands in it.");
    }
    tree_leave(t);
    return true;
}

void tree_leave(struct tree *t)
{
    fd_cleanup(&t->fd);
}
