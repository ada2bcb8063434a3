/* Where a path lies, whoever names it: so that a socket that two processes see by different names, from
 * other roots and mount namespaces, is known to be one. Private to probe_proc. */
#ifndef NVADVISE_PROBES_PROC_PLACE_H
#define NVADVISE_PROBES_PROC_PLACE_H

#include "probes/probe.h"

struct proc_place {
    bool known;
    uint32_t major, minor; /* of the filesystem */
    struct span path;      /* within it, from its own root */
};

/* `path` is as the process sees it whose mount table is the file `mountinfo`, free of symbolic links but
 * for /var/run. Not known: the table cannot be read or is empty, or the path is not absolute. */
struct proc_place proc_place_of(struct probe_ctx *ctx, const char *mountinfo, struct span path);

/* The same for a path of our own; symbolic links are followed where that is possible. */
struct proc_place proc_place_of_ours(struct probe_ctx *ctx, const char *path);

/* Both known, and the same. */
bool proc_place_same(const struct proc_place *a, const struct proc_place *b);

#endif
