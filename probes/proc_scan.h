/* One pass over /proc: which processes there are, what they hold in memory, which are servers.
 *
 * Knows /proc/PID/{statm,comm} and the links of servers; no facts. Runs before privileges are
 * dropped, because hidepid and the kernel's ptrace rule hide these from nobody. */
#ifndef NVADVISE_PROBES_PROC_SCAN_H
#define NVADVISE_PROBES_PROC_SCAN_H

#include "probes/host/host.h"

/* Descriptors of a server that are looked at, lowest first. The sockets that a server listens on
 * are opened while it starts, so they stand near the front; ours. */
#define PROC_FDS_MAX 256u
#define PROC_SOCKETS_MAX 64u

/* Servers that are looked at, in the order of their pids: anybody may start processes of that name. With
 * more the scan is not whole; ours. */
#define PROC_SERVERS_MAX 256u

struct proc_process {
    uint64_t pid;
    struct span comm;
    uint64_t resident, shared; /* pages; shared = of files and shared memory, part of resident */
};

/* A link of a server: its text, or why there is none. */
struct proc_link {
    bool known;
    struct span text;
    struct err err;
};

struct proc_server {
    struct proc_process process;
    struct proc_link exe, cwd, root;
    bool fds_known;
    struct err fds_err;                 /* when they are not */
    uint64_t sockets[PROC_SOCKETS_MAX]; /* inodes */
    size_t n_sockets;
};

struct proc_scan {
    bool all;            /* every process of the host was seen */
    struct err err;      /* not all: what hides them, with the remedy */
    uint64_t page_bytes; /* 0 = not known (page_err) */
    struct err page_err;
    struct proc_server *servers; /* in order of their pids */
    size_t n_servers;
    uint64_t processes;    /* with memory of their own: no kernel threads, no zombies */
    nv_u128 private_pages; /* resident less shared, of all of them */
    bool irqbalance;       /* a process of that name */
    bool threads_known;    /* the names of the kernel's threads were read: only where ext4 is mounted */
    bool lazy_init;        /* with threads_known: one is ext4lazyinit */
    bool no_ext4;          /* none is mounted: there is nothing to initialise */
};

/* Look at everything. Never fails: see `all`. */
void proc_scan_run(struct host *h, struct arena *a, struct proc_scan *ret);

/* Is this the name of a server's process or binary: mysqld, mariadbd, also with a version behind
 * it, -debug or .bin? mysqld_safe, mariadbd-safe, mysqld_exporter and the like are not. */
bool proc_is_server_name(struct span name);

/* Decode /proc/PID/statm: false when it is not seven numbers. */
bool proc_read_statm(struct span text, uint64_t *ret_size, uint64_t *ret_resident,
                     uint64_t *ret_shared);

/* "socket:[123]" */
bool proc_read_socket_link(struct span text, uint64_t *ret_inode);

#define PROC_DELETED                                                                               \
    " (deleted)" /* what the kernel puts behind the name of a file that is gone                    \
                  */

#endif
