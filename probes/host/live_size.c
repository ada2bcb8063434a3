/* The bounded size of a directory: one operation however many files there are, so that a capture
 * holds no table names. Knows nothing of databases. */
#include "probes/host/live.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advisor/base/file.h"
#include "probes/host/reply.h"

#include "advisor/base/banned.h"

#define FILES_MAX 20000u    /* as design: beyond, the sum is a lower bound */
#define ENTRIES_MAX 200000u /* names looked at, of whatever kind */
#define DEPTH_MAX 8u        /* a data directory has two levels, sub-partitions and undo three */

struct level {
    DIR *dir;
};

struct tally {
    struct span suffixes;
    uint32_t dev_major, dev_minor;
    struct host_size sum;
    size_t entries;
    bool full;  /* there are more files than are counted */
    int failed; /* errno of a directory that could not be looked into */
    struct level levels[DEPTH_MAX];
    unsigned depth;
};

static bool name_counts(const struct tally *t, const char *name)
{
    const struct span s = span_of(name);
    struct span rest = t->suffixes, suffix;
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

static bool stat_entry(const struct tally *t, int dir, const char *name, struct statx *ret)
{
    return statx(dir, name, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT,
                 STATX_TYPE | STATX_SIZE | STATX_BLOCKS, ret) == 0 &&
           ret->stx_dev_major == t->dev_major && ret->stx_dev_minor == t->dev_minor;
}

static void push_dir(struct tally *t, int parent, const char *name)
{
    if (t->depth == DEPTH_MAX) {
        t->sum.complete = false;
        return;
    }
    const int fd =
        openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    DIR *const dir = fd < 0 ? NULL : fdopendir(fd);
    const int e = errno;
    if (dir == NULL) {
        if (fd >= 0) {
            close(fd);
        }
        /* Dropped while we look: nothing is missing. Out of reach: no sum of the rest is an answer.
         */
        t->failed = e == ENOENT ? t->failed : e;
        return;
    }
    t->levels[t->depth++].dir = dir;
}

/* One name of the deepest open directory. */
static void take_entry(struct tally *t, const struct dirent *e, int dir)
{
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) {
        return;
    }
    const bool counts = name_counts(t, e->d_name);
    const bool may_be_dir = e->d_type == DT_DIR || e->d_type == DT_UNKNOWN;
    const bool may_be_file = e->d_type == DT_REG || e->d_type == DT_UNKNOWN;
    if (!may_be_dir && !(may_be_file && counts)) {
        return;
    }
    struct statx sx;
    if (!stat_entry(t, dir, e->d_name, &sx)) {
        return;
    }
    if (S_ISDIR(sx.stx_mode)) {
        push_dir(t, dir, e->d_name);
    } else if (S_ISREG(sx.stx_mode) && counts) {
        if (t->sum.files == FILES_MAX) {
            t->full = true;
            return;
        }
        t->sum.files++;
        t->sum.bytes_allocated += sx.stx_blocks * 512;
        t->sum.bytes_apparent += sx.stx_size;
        if (sx.stx_size > t->sum.largest_bytes) {
            t->sum.largest_bytes = sx.stx_size;
            t->sum.largest_block = sx.stx_blksize;
        }
    }
}

static void walk(struct tally *t)
{
    while (t->depth > 0) {
        DIR *const dir = t->levels[t->depth - 1].dir;
        errno = 0;
        const struct dirent *const e = readdir(dir);
        if (e == NULL) {
            t->failed = errno == 0 ? t->failed : errno;
            closedir(dir);
            t->depth--;
            continue;
        }
        take_entry(t, e, dirfd(dir));
        if (++t->entries > ENTRIES_MAX || t->full) {
            t->sum.complete = false;
            break;
        }
    }
    while (t->depth > 0) {
        closedir(t->levels[--t->depth].dir);
    }
}

bool live_size(struct live *l, const char *key, struct span *ret, struct err *reterr)
{
    const char *const blank = strchr(key, ' ');
    if (blank == NULL) {
        return err_set(reterr, E_USAGE, "no path in '%s'", key);
    }
    const char *const path = blank + 1;
    struct tally t = {.suffixes = {key, (size_t)(blank - key)}, .sum = {.complete = true}};
    FD_AUTO fd = live_open_at(l, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK, "sum up", reterr);
    if (fd < 0) {
        return false;
    }
    struct statx sx;
    if (statx(fd, "", AT_EMPTY_PATH, STATX_TYPE, &sx) != 0) {
        return live_fail(reterr, errno, "sum up", path);
    }
    t.dev_major = sx.stx_dev_major;
    t.dev_minor = sx.stx_dev_minor;
    t.levels[0].dir = fdopendir(fd);
    if (t.levels[0].dir == NULL) {
        return live_fail(reterr, errno, "sum up", path);
    }
    fd = -1;
    t.depth = 1;
    walk(&t);
    if (t.failed != 0) {
        return live_fail(reterr, t.failed, "sum up all of", path);
    }
    *ret = reply_size(l->arena, &t.sum);
    return true;
}
