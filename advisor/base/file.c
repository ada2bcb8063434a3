/* Capped reads and whole-or-nothing writes of our own files: rules, captures, reports, drop-ins.
 * Must not be used on the machine under test: that goes through the host seam. */
#include "advisor/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advisor/base/banned.h"

#define FIRST_READ (64u * 1024)
#define TEMP_TRIES 16
#define TEMP_NAME_MAX 48

void fd_cleanup(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

/* ---- reading ---------------------------------------------------------------------------- */

/* Opened without blocking, so that a FIFO or a terminal put in place of the file cannot hold us in
 * open(2); a real pipe is then waited for as any reader would. */
static bool open_input(const char *path, int *ret_fd, size_t *ret_hint, struct err *reterr)
{
    FD_AUTO fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) {
        return err_set_errno(reterr, errno, "cannot open '%s'", path);
    }
    struct stat st;
    if (fstat(fd, &st) != 0) {
        return err_set_errno(reterr, errno, "cannot look at '%s'", path);
    }
    if (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode)) {
        err_set(reterr, E_USAGE, "'%s' is %s, not a file", path,
                S_ISDIR(st.st_mode) ? "a directory" : "a device or socket");
        return err_hint(reterr, "Name a regular file, a pipe, or - for standard input.");
    }
    if (S_ISFIFO(st.st_mode)) {
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        while (poll(&wait, 1, -1) < 0 && errno == EINTR) {
        }
    }
    const int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) != 0) {
        return err_set_errno(reterr, errno, "cannot read '%s'", path);
    }
    *ret_hint = S_ISREG(st.st_mode) && st.st_size > 0 ? (size_t)st.st_size : 0;
    *ret_fd = fd;
    fd = -1;
    return true;
}

static bool too_big(const char *path, size_t max, struct err *reterr)
{
    return err_set(reterr, E_TOO_BIG, "'%s' is larger than %zu bytes", path, max);
}

static bool read_all(struct arena *a, const char *path, int fd, size_t hint, size_t max,
                     struct span *ret, struct err *reterr)
{
    if (hint > max) {
        return too_big(path, max, reterr);
    }
    /* One byte more than expected, so that the end is seen without growing; one for the NUL. */
    size_t cap = (hint > 0 ? hint : FIRST_READ) + 2;
    size_t len = 0;
    char *bytes = arena_alloc(a, cap);
    for (;;) {
        if (len + 1 == cap) {
            const size_t more = cap > max ? cap + 1 : cap * 2;
            bytes = arena_grow(a, bytes, cap, more);
            cap = more;
        }
        const ssize_t n = read(fd, bytes + len, cap - len - 1);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return err_set_errno(reterr, errno, "cannot read '%s'", path);
        }
        if (n == 0) {
            break;
        }
        len += (size_t)n;
        if (len > max) {
            return too_big(path, max, reterr);
        }
    }
    bytes[len] = '\0';
    *ret = (struct span){bytes, len};
    return true;
}

bool file_read_fd(struct arena *a, int fd, const char *path, size_t max, struct span *ret,
                  struct err *reterr)
{
    return read_all(a, path, fd, 0, max, ret, reterr);
}

bool file_read(struct arena *a, const char *path, size_t max, struct span *ret, struct err *reterr)
{
    if (strcmp(path, "-") == 0) {
        return read_all(a, "standard input", STDIN_FILENO, 0, max, ret, reterr);
    }
    int opened = -1;
    size_t hint = 0;
    if (!open_input(path, &opened, &hint, reterr)) {
        return false;
    }
    FD_AUTO fd = opened;
    return read_all(a, path, fd, hint, max, ret, reterr);
}

/* ---- writing ---------------------------------------------------------------------------- */

bool file_write_all(int fd, struct span bytes, struct err *reterr)
{
    size_t done = 0;
    while (done < bytes.len) {
        const ssize_t n = write(fd, bytes.ptr + done, bytes.len - done);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return err_set_errno(reterr, errno, "cannot write");
        }
        if (n == 0) {
            return err_set(reterr, E_IO, "cannot write: nothing was taken");
        }
        done += (size_t)n;
    }
    return true;
}

struct target {
    char dir[PATH_MAX];
    const char *base; /* points into the caller's path */
};

static bool split_target(const char *path, struct target *ret, struct err *reterr)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash != NULL ? slash + 1 : path;
    if (base[0] == '\0' || strcmp(base, ".") == 0 || strcmp(base, "..") == 0) {
        return err_set(reterr, E_USAGE, "'%s' names no file to write", path);
    }
    const size_t n = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    if (n >= sizeof(ret->dir)) {
        return err_set(reterr, E_USAGE, "'%s': path too long", path);
    }
    memcpy(ret->dir, n == 0 ? "." : path, n == 0 ? 1 : n);
    ret->dir[n == 0 ? 1 : n] = '\0';
    ret->base = base;
    return true;
}

static bool is_trusted(uid_t uid)
{
    return uid == 0 || uid == geteuid();
}

/* Whoever may write the directory may put another file, or a link, in the place of ours. */
static bool check_directory(int dir_fd, const struct target *t, struct err *reterr)
{
    struct stat st;
    if (fstat(dir_fd, &st) != 0) {
        return err_set_errno(reterr, errno, "cannot look at directory '%s'", t->dir);
    }
    const bool shared = (st.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    const bool sticky = (st.st_mode & S_ISVTX) != 0;
    if (!is_trusted(st.st_uid) || (shared && !sticky)) {
        err_set(reterr, E_DENIED,
                "will not write into directory '%s': others than root and the "
                "caller may write there",
                t->dir);
        return err_hint(reterr, "Name a directory that only root or the caller may write.");
    }
    return true;
}

/* rename(2) would replace a device node or a link such as /dev/stdout without asking. */
static bool check_target(int dir_fd, const struct target *t, const char *path, struct err *reterr)
{
    struct stat st;
    if (fstatat(dir_fd, t->base, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        return errno == ENOENT || err_set_errno(reterr, errno, "cannot look at '%s'", path);
    }
    if (!S_ISREG(st.st_mode)) {
        err_set(reterr, E_USAGE, "will not replace '%s': it is %s, not a regular file", path,
                S_ISLNK(st.st_mode)   ? "a symbolic link"
                : S_ISDIR(st.st_mode) ? "a directory"
                                      : "a device, pipe or socket");
        return err_hint(reterr, "Name the file itself.");
    }
    if (!is_trusted(st.st_uid)) {
        return err_set(reterr, E_DENIED, "will not replace '%s': it belongs to another user", path);
    }
    return true;
}

/* A short name of its own: a long target name plus an ending might not fit, and directories such as
 * conf.d are read by suffix, so the ending must be none that the target has. A file that has no name
 * yet (nameless >= 0) gets it; else a new one is made. */
static bool create_temp(int dir_fd, const struct target *t, int nameless,
                        char ret_name[TEMP_NAME_MAX], int *ret_fd, struct err *reterr)
{
    const char *end = span_ends(span_of(t->base), ".tmp") ? "new" : "tmp";
    char self[32];
    snprintf(self, sizeof(self), "/proc/self/fd/%d", nameless);
    for (unsigned i = 0; i < TEMP_TRIES; i++) {
        uint64_t random = 0;
        if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random)) {
            return err_set_errno(reterr, errno, "cannot get random bytes");
        }
        snprintf(ret_name, TEMP_NAME_MAX, ".nvadvise-%016llx.%s", (unsigned long long)random, end);
        if (nameless >= 0) {
            if (linkat(AT_FDCWD, self, dir_fd, ret_name, AT_SYMLINK_FOLLOW) == 0) {
                return true;
            }
        } else {
            *ret_fd = openat(dir_fd, ret_name,
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                             S_IRUSR | S_IWUSR);
            if (*ret_fd >= 0) {
                return true;
            }
        }
        if (errno != EEXIST) {
            break;
        }
    }
    return err_set_errno(reterr, errno, "cannot write into directory '%s'", t->dir);
}

static bool fill_temp(int fd, struct span bytes, mode_t mode, struct err *reterr)
{
    if (!file_write_all(fd, bytes, reterr)) {
        return false;
    }
    if (fchmod(fd, mode) != 0) {
        return err_set_errno(reterr, errno, "cannot set the mode");
    }
    return fsync(fd) == 0 || err_set_errno(reterr, errno, "cannot flush to disk");
}

/* The bytes on disk, under a name of their own. Without a name until they are: whatever ends us
 * meanwhile, nothing is left behind. Some filesystems cannot do that, and without /proc nobody can. */
static bool write_temp(int dir_fd, const struct target *t, struct span bytes, mode_t mode,
                       char ret_name[TEMP_NAME_MAX], struct err *reterr)
{
    FD_AUTO nameless = openat(dir_fd, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (nameless >= 0) {
        struct err ignored = ERR_INIT;
        if (!fill_temp(nameless, bytes, mode, reterr)) {
            return false;
        }
        if (create_temp(dir_fd, t, nameless, ret_name, NULL, &ignored)) {
            return true;
        }
    }
    int opened = -1;
    if (!create_temp(dir_fd, t, -1, ret_name, &opened, reterr)) {
        return false;
    }
    FD_AUTO fd = opened;
    if (!fill_temp(fd, bytes, mode, reterr)) {
        unlinkat(dir_fd, ret_name, 0);
        return false;
    }
    return true;
}

/* Some filesystems know no fsync of a directory; there the rename is as durable as it gets. */
static bool sync_directory(int dir_fd, struct err *reterr)
{
    if (fsync(dir_fd) == 0 || errno == EINVAL || errno == EOPNOTSUPP) {
        return true;
    }
    return err_set_errno(reterr, errno, "written, but its directory cannot be flushed to disk");
}

static bool replace(const char *path, struct span bytes, mode_t mode, struct err *reterr)
{
    struct target t;
    if (!split_target(path, &t, reterr)) {
        return false;
    }
    FD_AUTO dir_fd = open(t.dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir_fd < 0) {
        return err_set_errno(reterr, errno, "cannot open directory '%s'", t.dir);
    }
    char name[TEMP_NAME_MAX];
    if (!check_directory(dir_fd, &t, reterr) || !check_target(dir_fd, &t, path, reterr) ||
        !write_temp(dir_fd, &t, bytes, mode, name, reterr)) {
        return err_wrap(reterr, "writing '%s'", path);
    }
    if (renameat(dir_fd, name, dir_fd, t.base) != 0) {
        err_set_errno(reterr, errno, "cannot put the new file in its place");
        unlinkat(dir_fd, name, 0);
        return err_wrap(reterr, "writing '%s'", path);
    }
    return sync_directory(dir_fd, reterr) || err_wrap(reterr, "writing '%s'", path);
}

/* A Ctrl-C waits until the file is whole, or gone. */
bool file_replace(const char *path, struct span bytes, mode_t mode, struct err *reterr)
{
    sigset_t all, before;
    sigfillset(&all);
    const bool held = sigprocmask(SIG_BLOCK, &all, &before) == 0;
    const bool ok = replace(path, bytes, mode, reterr);
    if (held) {
        (void)sigprocmask(SIG_SETMASK, &before, NULL);
    }
    return ok;
}

bool file_make_dir(const char *path, mode_t mode, struct err *reterr)
{
    char part[PATH_MAX];
    const size_t len = strlen(path);
    if (len == 0 || len >= sizeof(part)) {
        return err_set(reterr, E_USAGE, "'%s' is no directory name", path);
    }
    memcpy(part, path, len + 1);
    for (size_t i = 1; i < len; i++) {
        if (part[i] != '/' || part[i - 1] == '/') {
            continue;
        }
        part[i] = '\0';
        /* What stands in the way shows when the next part is made. */
        if (mkdir(part, 0755) != 0 && errno != EEXIST && errno != EROFS && errno != EACCES) {
            return err_set_errno(reterr, errno, "cannot make directory '%s'", part);
        }
        part[i] = '/';
    }
    if (mkdir(path, mode) != 0 && errno != EEXIST) {
        return err_set_errno(reterr, errno, "cannot make directory '%s'", path);
    }
    struct stat st;
    if (stat(path, &st) != 0) {
        return err_set_errno(reterr, errno, "cannot look at '%s'", path);
    }
    return S_ISDIR(st.st_mode) ||
           err_set_errno(reterr, ENOTDIR, "cannot make directory '%s'", path);
}
