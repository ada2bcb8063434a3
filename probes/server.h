/* Parts of the server probe, each a theme with its declarations. Private to probe_server. */
#ifndef NVADVISE_PROBES_SERVER_H
#define NVADVISE_PROBES_SERVER_H

#include "probes/cgroup.h"
#include "probes/probe.h"

/* The sizes let the tables stand in a constant; a wrong one does not compile. */
extern const struct fact_decl server_process_decls[10]; /* limits, status, namespace */
extern const struct fact_decl server_cgroup_decls[6];  /* control groups, who shares the limit */

extern const struct fact_decl server_io_decls[1];      /* their limits on disks */

extern const struct fact_decl server_memory_decls[3];  /* allocator, nodes */

/* What the control groups of one process are read from. */
struct server_groups {
    struct span text; /* /proc/PID/cgroup */
    const char *path; /* of that */
    struct mountinfo mounts;
};

/* "/proc/PID/FILE" of the server. */
const char *server_path(struct probe_ctx *ctx, const char *file);

/* Before the drop: is its mount namespace ours? */
void server_namespace_open(struct probe_ctx *ctx);

/* Before the drop: which libraries it runs. */
void server_memory_open(struct probe_ctx *ctx);
void server_memory_run(struct probe_ctx *ctx);

void server_process_run(struct probe_ctx *ctx);
void server_cgroup_run(struct probe_ctx *ctx);
/* `tasks` is its group of the controller of tasks, or NULL. */
void server_io_run(struct probe_ctx *ctx, const struct server_groups *src,
                   const struct cgroup *tasks);

/* /proc/PID/limits: the soft limit of a row ("Max open files"), "unlimited" kept. false: no such
 * row. */
bool server_read_limit(struct span text, const char *row, struct num *ret);

#endif
