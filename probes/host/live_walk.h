/* Files below a directory, bounded, one after the other. Private to probes/host. */
#ifndef NVADVISE_PROBES_HOST_LIVE_WALK_H
#define NVADVISE_PROBES_HOST_LIVE_WALK_H

#include <sys/stat.h>

#include "probes/host/live.h"

/* Called for a regular file: `dir` and `name` lead to it, `sx` has its type, size, blocks and block
 * size. false ends the walk: there are more files than the caller takes. */
typedef bool (*live_walk_file)(void *ctx, int dir, const char *name, const struct statx *sx);

/* Regular files below the PATH of `key` ("SUFFIXES PATH") whose names end in one of the suffixes
 * (comma separated; "" = all): of the same filesystem, symbolic links not followed, at most eight
 * levels deep and 200,000 names of whatever kind. *ret_complete false: a limit was hit, or `file`
 * ended the walk. A directory that cannot be read fails the whole ("cannot VERB …"). */
ATTR_NODISCARD bool live_walk(struct live *l, const char *key, const char *verb, live_walk_file file,
                              void *ctx, bool *ret_complete, struct err *reterr);

#endif
