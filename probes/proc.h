/* Parts of the proc probe, each a theme with its declarations. Private to probe_proc. */
#ifndef NVADVISE_PROBES_PROC_H
#define NVADVISE_PROBES_PROC_H

#include "probes/probe.h"
#include "probes/proc_scan.h"

/* The sizes let the tables stand in a constant; a wrong one does not compile. */
extern const struct fact_decl
    proc_server_decls[13];                          /* servers, and who shares the host with them */
extern const struct fact_decl proc_kernel_decls[8]; /* name, kernel, processors */
extern const struct fact_decl proc_memory_decls[12];  /* meminfo, huge pages, NUMA */
extern const struct fact_decl proc_sysctl_decls[13];  /* /proc/sys, pressure */
extern const struct fact_decl proc_platform_decls[5]; /* hypervisor, container, cloud, clock */
extern const struct fact_decl proc_cpu_decls[4];      /* sockets, governors, idle states */
extern const struct fact_decl proc_driver_decls[6];   /* parameters of NVMe and PCIe */
extern const struct fact_decl proc_trim_decls[1];     /* the timer of fstrim */
extern const struct fact_decl proc_swap_decls[1];     /* the disks of swap */
extern const struct fact_decl proc_zfs_decls[9];      /* the ZFS module and its cache */

/* Each sets every fact of its rows. ctx->subject is the host. */
void proc_servers_run(struct probe_ctx *ctx, const struct proc_scan *scan);
void proc_kernel_run(struct probe_ctx *ctx);
void proc_memory_run(struct probe_ctx *ctx);
void proc_sysctl_run(struct probe_ctx *ctx, bool has_available, uint64_t available);
void proc_platform_run(struct probe_ctx *ctx);
void proc_cpu_run(struct probe_ctx *ctx);
void proc_driver_run(struct probe_ctx *ctx);
void proc_trim_run(struct probe_ctx *ctx); /* after proc_platform_run: asks for its container */
void proc_swap_run(struct probe_ctx *ctx);
void proc_zfs_run(struct probe_ctx *ctx);

#endif
