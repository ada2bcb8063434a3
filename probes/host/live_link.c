/* Live links: one link's text, and a path with every link resolved inside its root. Knows nothing
 * of what the paths are. */
#include "probes/host/live.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "advisor/base/file.h"

#include "advisor/base/banned.h"

#define LINKS_MAX 40 /* as the kernel's own limit */
#define PROC_MAGIC 0x9fa0

struct walk {
    struct live *l;
    const char *path; /* as asked, for messages */
    int root;
    char done[PATH_MAX]; /* resolved so far: "" or "/a/b" */
    char rest[PATH_MAX]; /* not yet looked at */
    unsigned links;
};

static bool too_long(const struct walk *w, struct err *reterr)
{
    return live_fail(reterr, ENAMETOOLONG, "resolve", w->path);
}

/* In front of what is left: the link's text. */
static bool push_link(struct walk *w, const char *text, size_t n, struct err *reterr)
{
    const size_t left = strlen(w->rest);
    if (n + 1 + left + 1 > sizeof(w->rest)) {
        return too_long(w, reterr);
    }
    memmove(w->rest + n + 1, w->rest, left + 1);
    memcpy(w->rest, text, n);
    w->rest[n] = '/';
    if (n > 0 && text[0] == '/') {
        w->done[0] = '\0';
    }
    return true;
}

/* A link of /proc that leads to an object and not to a path cannot be resolved by its text. */
static bool is_magic(const struct walk *w, int fd, const char *candidate)
{
    struct statfs fs;
    if (fstatfs(fd, &fs) != 0 || fs.f_type != PROC_MAGIC) {
        return false;
    }
    FD_AUTO target = live_open_below(w->root, candidate, O_PATH);
    return target < 0 && errno == ELOOP;
}

static bool enter(struct walk *w, const char *name, size_t n, struct err *reterr)
{
    const size_t len = strlen(w->done);
    if (len + 1 + n + 1 > sizeof(w->done)) {
        return too_long(w, reterr);
    }
    w->done[len] = '/';
    memcpy(w->done + len + 1, name, n);
    w->done[len + 1 + n] = '\0';
    FD_AUTO fd = live_open_below(w->root, w->done, O_PATH | O_NOFOLLOW);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        return live_fail(reterr, errno, "resolve", w->path);
    }
    if (!S_ISLNK(st.st_mode)) {
        return true;
    }
    char text[PATH_MAX];
    const ssize_t got = readlinkat(fd, "", text, sizeof(text));
    if (got < 0) {
        return live_fail(reterr, errno, "resolve", w->path);
    }
    if (++w->links > LINKS_MAX || is_magic(w, fd, w->done)) {
        return live_fail(reterr, ELOOP, "resolve", w->path);
    }
    w->done[len] = '\0';
    return push_link(w, text, (size_t)got, reterr);
}

static bool step(struct walk *w, struct err *reterr)
{
    const size_t skip = strspn(w->rest, "/");
    const size_t n = strcspn(w->rest + skip, "/");
    char name[PATH_MAX];
    memcpy(name, w->rest + skip, n);
    name[n] = '\0';
    memmove(w->rest, w->rest + skip + n, strlen(w->rest + skip + n) + 1);
    if (n == 0 || strcmp(name, ".") == 0) {
        return true;
    }
    if (strcmp(name, "..") == 0) {
        char *const slash = strrchr(w->done, '/');
        if (slash != NULL) {
            *slash = '\0';
        }
        return true;
    }
    return enter(w, name, n, reterr);
}

static bool resolve(struct live *l, const char *path, struct span *ret, struct err *reterr)
{
    struct walk w = {.l = l, .path = path};
    const char *rest = NULL;
    w.root = live_root_of(l, path, &rest);
    if (strlen(rest) >= sizeof(w.rest)) {
        return too_long(&w, reterr);
    }
    memcpy(w.rest, rest, strlen(rest) + 1);
    while (w.rest[0] != '\0') {
        if (!step(&w, reterr)) {
            return false;
        }
    }
    const char *const text = w.done[0] == '\0' ? "/" : w.done;
    /* What was asked below our own root stays below it. */
    const int prefix = (int)(rest - path);
    *ret = span_of(arena_printf(l->arena, "%.*s%s", prefix, path, text));
    return true;
}

bool live_link(struct live *l, const char *key, struct span *ret, struct err *reterr)
{
    if (strncmp(key, "real ", 5) == 0) {
        if (key[5] != '/') {
            return err_set(reterr, E_USAGE, "not an absolute path: '%s'", key + 5);
        }
        return resolve(l, key + 5, ret, reterr);
    }
    FD_AUTO fd = live_open_at(l, key, O_PATH | O_NOFOLLOW, "read link", reterr);
    if (fd < 0) {
        return false;
    }
    char text[PATH_MAX];
    const ssize_t n = readlinkat(fd, "", text, sizeof(text));
    if (n < 0) {
        /* readlinkat on a descriptor says ENOENT for what is no link. */
        return errno == ENOENT ? err_set(reterr, E_NOT_SUPPORTED, "'%s' is not a link", key)
                               : live_fail(reterr, errno, "read link", key);
    }
    *ret = (struct span){arena_strndup(l->arena, text, (size_t)n), (size_t)n};
    return true;
}
