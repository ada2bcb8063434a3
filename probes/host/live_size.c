/* The bounded size of a directory: one operation however many files there are, so that a capture
 * holds no table names. Knows nothing of databases. */
#include "probes/host/live_walk.h"

#include "probes/host/reply.h"

#include "advisor/base/banned.h"

#define FILES_MAX 20000u /* as design: beyond, the sum is a lower bound */

static bool add_file(void *ctx, int dir, const char *name, const struct statx *sx)
{
    struct host_size *const sum = ctx;
    (void)dir;
    (void)name;
    if (sum->files == FILES_MAX) {
        return false;
    }
    sum->files++;
    sum->bytes_allocated += sx->stx_blocks * 512;
    sum->bytes_apparent += sx->stx_size;
    if (sx->stx_size > sum->largest_bytes) {
        sum->largest_bytes = sx->stx_size;
        sum->largest_block = sx->stx_blksize;
    }
    return true;
}

bool live_size(struct live *l, const char *key, struct span *ret, struct err *reterr)
{
    struct host_size sum = {0};
    if (!live_walk(l, key, "sum up", add_file, &sum, &sum.complete, reterr)) {
        return false;
    }
    *ret = reply_size(l->arena, &sum);
    return true;
}
