/* See live_walk.h. Knows nothing of databases. */
#include "probes/host/live_walk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "advisor/base/file.h"

#include "advisor/base/banned.h"

#define ENTRIES_MAX 200000u /* names looked at, of whatever kind */
#define DEPTH_MAX 8u        /* a data directory has two levels, sub-partitions and undo three */

struct walk {
    struct span suffixes;
    uint32_t dev_major, dev_minor;
    live_walk_file file;
    void *ctx;
    size_t entries;
    bool complete;
    bool ended; /* by the caller */
    int failed; /* errno of a directory that could not be looked into */
    DIR *levels[DEPTH_MAX];
    unsigned depth;
};

static bool name_counts(const struct walk *w, const char *name)
{
    const struct span s = span_of(name);
    struct span rest = w->suffixes, suffix;
    if (rest.len == 0) {
        return true;
    }
    while (span_split(&rest, ',', &suffix)) {
        if (suffix.len > 0 && s.len >= suffix.len &&
            memcmp(s.ptr + s.len - suffix.len, suffix.ptr, suffix.len) == 0) {
            return true;
        }
    }
    return false;
}

static bool stat_entry(const struct walk *w, int dir, const char *name, struct statx *ret)
{
    return statx(dir, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
                 STATX_TYPE | STATX_SIZE | STATX_BLOCKS, ret) == 0 &&
           ret->stx_dev_major == w->dev_major && ret->stx_dev_minor == w->dev_minor;
}

static void push_dir(struct walk *w, int parent, const char *name)
{
    if (w->depth == DEPTH_MAX) {
        w->complete = false;
        return;
    }
    const int fd =
        openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0) {
        live_keep_times(fd);
    }
    DIR *const dir = fd < 0 ? NULL : fdopendir(fd);
    const int e = errno;
    if (dir == NULL) {
        if (fd >= 0) {
            close(fd);
        }
        /* Dropped while we look: nothing is missing. Out of reach: no sum of the rest is an answer.
         */
        w->failed = e == ENOENT ? w->failed : e;
        return;
    }
    w->levels[w->depth++] = dir;
}

/* One name of the deepest open directory. */
static void take_entry(struct walk *w, const struct dirent *e, int dir)
{
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) {
        return;
    }
    const bool counts = name_counts(w, e->d_name);
    const bool may_be_dir = e->d_type == DT_DIR || e->d_type == DT_UNKNOWN;
    const bool may_be_file = e->d_type == DT_REG || e->d_type == DT_UNKNOWN;
    if (!may_be_dir && !(may_be_file && counts)) {
        return;
    }
    struct statx sx;
    if (!stat_entry(w, dir, e->d_name, &sx)) {
        return;
    }
    if (S_ISDIR(sx.stx_mode)) {
        push_dir(w, dir, e->d_name);
    } else if (S_ISREG(sx.stx_mode) && counts) {
        w->ended = !w->file(w->ctx, dir, e->d_name, &sx);
    }
}

static void run(struct walk *w)
{
    while (w->depth > 0) {
        DIR *const dir = w->levels[w->depth - 1];
        errno = 0;
        const struct dirent *const e = readdir(dir);
        if (e == NULL) {
            w->failed = errno == 0 ? w->failed : errno;
            closedir(dir);
            w->depth--;
            continue;
        }
        take_entry(w, e, dirfd(dir));
        if (++w->entries > ENTRIES_MAX || w->ended) {
            w->complete = false;
            break;
        }
    }
    while (w->depth > 0) {
        closedir(w->levels[--w->depth]);
    }
}

bool live_walk(struct live *l, const char *key, const char *verb, live_walk_file file, void *ctx,
               bool *ret_complete, struct err *reterr)
{
    const char *const blank = strchr(key, ' ');
    if (blank == NULL) {
        return err_set(reterr, E_USAGE, "no path in '%s'", key);
    }
    const char *const path = blank + 1;
    struct walk w = {
        .suffixes = {key, (size_t)(blank - key)}, .file = file, .ctx = ctx, .complete = true};
    FD_AUTO fd = live_open_at(l, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK, verb, reterr);
    if (fd < 0) {
        return false;
    }
    struct statx sx;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_TYPE, &sx) != 0) {
        return live_fail(reterr, errno, verb, path);
    }
    live_keep_times(fd);
    w.dev_major = sx.stx_dev_major;
    w.dev_minor = sx.stx_dev_minor;
    w.levels[0] = fdopendir(fd);
    if (w.levels[0] == NULL) {
        return live_fail(reterr, errno, verb, path);
    }
    fd = -1;
    w.depth = 1;
    run(&w);
    if (w.failed != 0) {
        return live_fail(reterr, w.failed, arena_printf(l->arena, "%s all of", verb), path);
    }
    *ret_complete = w.complete;
    return true;
}
