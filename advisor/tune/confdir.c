/* Opening the directory, one part of its path after the other. Each part is looked at through the
 * descriptor of the one before, which only root can change: what was checked is what is used. */
#include "advisor/tune/confdir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advisor/base/file.h"

#include "advisor/base/banned.h"

struct walk {
    struct arena *arena;
    int fd;               /* of the directory that we stand in */
    struct buf path;      /* its path, "" for the root */
    struct span rest;     /* still to go */
    unsigned links;
    const char *asked;    /* for messages */
};

static bool refuse(const struct walk *w, const char *dir, const char *why, struct err *reterr)
{
    err_set(reterr, E_DENIED, "will not write into '%s': directory '%s' %s", w->asked, dir, why);
    return err_hint(reterr, "Give '%s' to root alone: chown root, chmod go-w.", dir);
}

static bool check(const struct walk *w, struct err *reterr)
{
    const char *dir = w->path.len > 0 ? w->path.ptr : "/";
    const bool last = span_trim(w->rest).len == 0;
    struct stat st;
    if (fstat(w->fd, &st) != 0) {
        return err_set_errno(reterr, errno, "cannot look at directory '%s'", dir);
    }
    if (st.st_uid != 0) {
        return refuse(w, dir, "does not belong to root", reterr);
    }
    const bool shared = (st.st_mode & (S_IWGRP | S_IWOTH)) != 0;
    if (shared && (last || (st.st_mode & S_ISVTX) == 0)) {
        return refuse(w, dir, "can be written by others than root", reterr);
    }
    return true;
}

/* Stand in the root again, with `rest` to go. */
static bool restart(struct walk *w, struct span rest, struct err *reterr)
{
    const int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return err_set_errno(reterr, errno, "cannot open '/'");
    }
    if (w->fd >= 0) {
        (void)close(w->fd);
    }
    w->fd = fd;
    buf_init(&w->path, w->arena, PATH_MAX);
    w->rest = rest;
    return true;
}

static bool follow(struct walk *w, int link_fd, struct err *reterr)
{
    char target[PATH_MAX];
    const ssize_t n = readlinkat(link_fd, "", target, sizeof(target));
    if (n < 0) {
        return err_set_errno(reterr, errno, "cannot read a symbolic link in '%s'", w->asked);
    }
    if (++w->links > CONFDIR_LINKS_MAX || n == (ssize_t)sizeof(target)) {
        return err_set(reterr, E_DENIED, "too many symbolic links in '%s'", w->asked);
    }
    const struct span to = {target, (size_t)n};
    struct buf rest;
    buf_init(&rest, w->arena, PATH_MAX);
    buf_add_span(&rest, to);
    buf_add_char(&rest, '/');
    buf_add_span(&rest, w->rest);
    if (rest.full) {
        return err_set(reterr, E_USAGE, "'%s': path too long", w->asked);
    }
    if (span_starts(to, "/")) {
        return restart(w, buf_span(&rest), reterr);
    }
    w->rest = buf_span(&rest);
    return true;
}

/* ".." by the path that we came: nobody can have moved it, all above is root's. */
static bool go_up(struct walk *w, struct err *reterr)
{
    struct buf all;
    buf_init(&all, w->arena, PATH_MAX);
    const char *slash = w->path.len > 0 ? strrchr(w->path.ptr, '/') : NULL;
    if (slash != NULL) {
        buf_add(&all, w->path.ptr, (size_t)(slash - w->path.ptr));
    }
    buf_add_char(&all, '/');
    buf_add_span(&all, w->rest);
    return restart(w, buf_span(&all), reterr);
}

static bool step(struct walk *w, struct span part, struct err *reterr)
{
    if (part.len == 0 || span_eq_text(part, ".")) {
        return true;
    }
    if (span_eq_text(part, "..")) {
        return go_up(w, reterr);
    }
    FD_AUTO fd = openat(w->fd, span_dup(w->arena, part), O_PATH | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        return err_set_errno(reterr, errno, "cannot open directory '%s'", w->asked);
    }
    if (S_ISLNK(st.st_mode)) {
        return follow(w, fd, reterr);
    }
    if (!S_ISDIR(st.st_mode)) {
        return err_set_errno(reterr, ENOTDIR, "cannot open directory '%s'", w->asked);
    }
    (void)close(w->fd);
    w->fd = fd;
    fd = -1;
    buf_add_char(&w->path, '/');
    buf_add_span(&w->path, part);
    if (w->path.full) {
        return err_set(reterr, E_USAGE, "'%s': path too long", w->asked);
    }
    return true;
}

static bool walk_all(struct walk *w, struct err *reterr)
{
    struct span part;
    bool ok = check(w, reterr);
    while (ok && w->rest.len > 0) {
        while (w->rest.len > 0 && w->rest.ptr[0] == '/') {
            w->rest = span_sub(w->rest, 1, w->rest.len);
        }
        ok = !span_split(&w->rest, '/', &part) || (step(w, part, reterr) && check(w, reterr));
    }
    return ok;
}

bool confdir_open(struct arena *a, const char *path, struct confdir *ret, struct err *reterr)
{
    if (path[0] != '/') {
        return err_set(reterr, E_USAGE, "directory '%s' is no absolute path", path);
    }
    struct walk w = {.arena = a, .fd = -1, .asked = path};
    bool ok = restart(&w, span_of(path), reterr) && walk_all(&w, reterr);
    int fd = -1;
    if (ok) {
        fd = openat(w.fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        ok = fd >= 0 || err_set_errno(reterr, errno, "cannot open directory '%s'", path);
    }
    if (w.fd >= 0) {
        (void)close(w.fd);
    }
    if (ok) {
        *ret = (struct confdir){.path = w.path.len > 0 ? w.path.ptr : "/", .fd = fd};
    }
    return ok;
}

void confdir_close(struct confdir *d)
{
    if (d->fd >= 0) {
        (void)close(d->fd);
        d->fd = -1;
    }
}
