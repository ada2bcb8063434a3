/* In how many pieces the largest files below a directory lie, and their flags: sums over the files, so
 * that a capture holds no table names. Bounded in time: a file may have millions of pieces. */
#include "probes/host/live_walk.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "probes/host/reply.h"

#include "advisor/base/banned.h"

#define LARGEST 3u
#define BATCH 256u                 /* extents of one question */
#define TIME_MAX (300L * 1000000L) /* ns for all files; what was seen by then is the sample. Ours */

/* The largest files so far, the largest first; O_PATH descriptors. */
struct largest {
    int fd[LARGEST];
    uint64_t size[LARGEST];
    size_t n;
};

static bool take_file(void *ctx, int dir, const char *name, const struct statx *sx)
{
    struct largest *const l = ctx;
    size_t at = l->n;
    while (at > 0 && l->size[at - 1] < sx->stx_size) {
        at--;
    }
    if (at == LARGEST || sx->stx_size == 0) {
        return true;
    }
    const int fd = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        return true; /* dropped while we look */
    }
    if (l->n == LARGEST) {
        close(l->fd[--l->n]);
    }
    for (size_t i = l->n; i > at; i--) {
        l->fd[i] = l->fd[i - 1];
        l->size[i] = l->size[i - 1];
    }
    l->fd[at] = fd;
    l->size[at] = sx->stx_size;
    l->n++;
    return true;
}

static long since(const struct timespec *start)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (now.tv_sec - start->tv_sec) * 1000000000L + (now.tv_nsec - start->tv_nsec);
}

union batch {
    struct fiemap map;
    uint8_t room[sizeof(struct fiemap) + BATCH * sizeof(struct fiemap_extent)];
};

/* Ask for the extents from `from` on; returns how many there are, -1 with errno. */
static int ask(int fd, uint64_t from, union batch *b)
{
    memset(&b->map, 0, sizeof(b->map));
    b->map.fm_start = from;
    b->map.fm_length = FIEMAP_MAX_OFFSET - from;
    b->map.fm_extent_count = BATCH;
    if (ioctl(fd, FS_IOC_FIEMAP, &b->map) != 0) {
        return -1;
    }
    return (int)(b->map.fm_mapped_extents < BATCH ? b->map.fm_mapped_extents : BATCH);
}

/* Pieces that follow each other on the device count as one, whatever the filesystem's own limit is;
 * what is not on the device yet does not count. */
static bool count_file(int fd, uint64_t size, const struct timespec *start,
                       struct host_extents *sum, struct err *reterr)
{
    union batch b;
    uint64_t from = 0, expected = 0;
    for (bool last = false, first = true; !last && from < size;) {
        const int n = ask(fd, from, &b);
        if (n < 0) {
            const bool none = errno == EOPNOTSUPP || errno == ENOTTY || errno == EINVAL;
            err_set_errno(reterr, errno, "cannot ask for the extents of a data file");
            reterr->code = none ? E_NOT_SUPPORTED : reterr->code;
            return false;
        }
        last = n == 0;
        for (int i = 0; i < n; i++) {
            const struct fiemap_extent *const e = &b.map.fm_extents[i];
            const bool nowhere = (e->fe_flags & (FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC)) != 0;
            sum->extents += !nowhere && (first || e->fe_physical != expected);
            first = first && nowhere;
            expected = nowhere ? expected : e->fe_physical + e->fe_length;
            last = last || (e->fe_flags & FIEMAP_EXTENT_LAST) != 0 || e->fe_length == 0;
            from = e->fe_logical + e->fe_length;
        }
        if (!last && since(start) > TIME_MAX) {
            sum->complete = false;
            break;
        }
    }
    const bool whole = sum->complete || from >= size;
    sum->bytes += whole ? size : from;
    return true;
}

static void add_flags(int fd, struct host_extents *sum)
{
    int flags = 0;
    if (ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0) {
        sum->flagged++;
        sum->nocow += (flags & FS_NOCOW_FL) != 0;
        sum->compressed += (flags & FS_COMPR_FL) != 0;
    }
}

static bool look_at(const struct largest *files, struct host_extents *sum, struct err *reterr)
{
    struct timespec start;
    clock_gettime(CLOCK_MONOTONIC, &start);
    sum->mapped = files->n > 0;
    for (size_t i = 0; i < files->n; i++) {
        const int fd = live_open_again(files->fd[i]);
        if (fd < 0) {
            return err_set_errno(reterr, errno, "cannot open a data file");
        }
        sum->files++;
        add_flags(fd, sum);
        struct err e = ERR_INIT;
        /* Without extents the flags still count. */
        if (sum->mapped && sum->complete && !count_file(fd, files->size[i], &start, sum, &e)) {
            sum->mapped = false;
            if (e.code != E_NOT_SUPPORTED) {
                close(fd);
                *reterr = e;
                return false;
            }
        }
        close(fd);
    }
    return true;
}

bool live_extents(struct live *l, const char *key, struct span *ret, struct err *reterr)
{
    struct largest files = {.n = 0};
    struct host_extents sum = {.complete = true};
    bool all = true;
    bool ok = live_walk(l, key, "look through", take_file, &files, &all, reterr) &&
              look_at(&files, &sum, reterr);
    for (size_t i = 0; i < files.n; i++) {
        close(files.fd[i]);
    }
    if (!ok) {
        return false;
    }
    sum.complete = sum.complete && all;
    *ret = reply_extents(l->arena, &sum);
    return true;
}
