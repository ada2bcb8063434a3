/* Parts of the server probe, each a theme with its declarations. Private to probe_server. */
#ifndef NVADVISE_PROBES_SERVER_H
#define NVADVISE_PROBES_SERVER_H

#include "probes/probe.h"

/* The sizes let the tables stand in a constant; a wrong one does not compile. */
extern const struct fact_decl server_process_decls[9]; /* limits, status, namespace */
extern const struct fact_decl server_cgroup_decls[6];  /* control groups, who shares the limit */

/* "/proc/PID/FILE" of the server. */
const char *server_path(struct probe_ctx *ctx, const char *file);

/* Before the drop: is its mount namespace ours? */
void server_namespace_open(struct probe_ctx *ctx);

void server_process_run(struct probe_ctx *ctx);
void server_cgroup_run(struct probe_ctx *ctx);

/* /proc/PID/limits: the soft limit of a row ("Max open files"), "unlimited" kept. false: no such
 * row. */
bool server_read_limit(struct span text, const char *row, struct num *ret);

#endif
