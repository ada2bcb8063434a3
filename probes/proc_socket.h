/* Decoders for what says where a server listens: its command line, /proc/PID/net/unix,
 * /proc/PID/net/tcp. Pure: text in, rows out; hostile text gives fewer rows. */
#ifndef NVADVISE_PROBES_PROC_SOCKET_H
#define NVADVISE_PROBES_PROC_SOCKET_H

#include "advisor/base/str.h"

/* ---- command line ---------------------------------------------------------------------------- */

#define PROC_SCRATCH_PID_FILE "/nvadvise-scratch.pid" /* end of an argument that marks our own */

struct proc_command {
    struct span socket; /* as written, may be relative; empty = not given */
    unsigned port;      /* 0 = not given */
    bool scratch;
};

/* The arguments of /proc/PID/cmdline, NUL behind each. The last one of a name counts, as in the
 * server. */
struct proc_command proc_read_command(struct span text);

/* ---- listening unix sockets ------------------------------------------------------------------ */

struct proc_listener {
    uint64_t inode;
    struct span path; /* absolute, as bound: below the root of the process that bound it */
};

struct proc_listeners {
    struct proc_listener *rows;
    size_t n;
};

/* Stream sockets that listen on a path. An inode that stands twice is left out: a path may hold a
 * newline, and with it a forged row. */
void proc_read_unix(struct arena *a, struct span text, struct proc_listeners *ret);

/* The listener whose inode is one of `inodes`. Of several: the one at `wanted`, else one not named
 * as the X protocol's (mysqlx…), else the oldest. Empty when there is none. */
struct span proc_pick_listener(const struct proc_listeners *l, const uint64_t *inodes, size_t n,
                               struct span wanted);

/* Does somebody listen there? */
bool proc_has_listener(const struct proc_listeners *l, struct span path);

/* The same path; /var/run is /run. */
bool proc_same_path(struct span a, struct span b);

/* ---- listening TCP sockets ------------------------------------------------------------------- */

/* Does /proc/PID/net/tcp or tcp6 show that one of `inodes` listens on `port`? */
bool proc_tcp_listens(struct span text, unsigned port, const uint64_t *inodes, size_t n);

#endif
