/* Which process of the scan listens where, and which of them this run is about. Private to
 * probe_proc. */
#ifndef NVADVISE_PROBES_PROC_VIEW_H
#define NVADVISE_PROBES_PROC_VIEW_H

#include "probes/probe.h"
#include "probes/proc_scan.h"
#include "probes/proc_socket.h"

/* What is known of one server before it gets a name. */
struct proc_view {
    const struct proc_server *s;
    struct proc_command command;
    bool has_unix;
    struct proc_listeners listeners;
    struct span socket;      /* empty = not known */
    const char *socket_from; /* source of `socket` */
    bool chosen;
};

/* A view of each server of the scan, in its order. `chosen` is set on those that become subjects:
 * with args->named the one that was named, else all but our own scratch instances. */
struct proc_view *proc_views(struct probe_ctx *ctx, const struct proc_scan *scan);

/* "/proc/PID/FILE" */
const char *proc_path(struct probe_ctx *ctx, const struct proc_server *s, const char *file);

/* A path that /proc gives from our root, as the server sees it from its own. s->root must be known.
 */
struct span proc_below_root(const struct proc_server *s, struct span path);

#endif
