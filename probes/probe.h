/* What a probe is: a decoder from the seam's bytes to facts. No thresholds, no advice, no text for
 * users beyond a fact's reason and remedy.
 *
 * A probe instance (a "job") is one probe run on one thing: "proc", "server:LABEL", "sql:LABEL",
 * "options:LABEL", "volume:LABEL:ROLE", "pool:NAME", "device:NAME". Each runs in a child of its own (runner.h). */
#ifndef NVADVISE_PROBES_PROBE_H
#define NVADVISE_PROBES_PROBE_H

#include "advisor/facts/store.h"
#include "probes/host/host.h"

/* What the child becomes after `open` and before `run`. */
enum identity {
    IDENTITY_NOBODY,       /* sysfs, /proc */
    IDENTITY_SERVER,       /* the server's uid and gid, below its root directory */
    IDENTITY_NVME,         /* nobody with CAP_SYS_ADMIN only */
};

/* A volume that lies on a pool of ZFS, as its own job left it. */
struct pool_member {
    const char *label;   /* of the volume */
    const char *dataset;
    struct span layer;   /* its filesystem, a word of volume.layers */
};

/* Arguments of a job; plain data, made from facts of earlier waves. */
struct probe_args {
    const char *label;     /* of the main subject: "server:…", "volume:…", "device:…", "host" */
    const char *path;      /* a volume's path, below the server's root */
    const char *server;    /* label of the server this belongs to, or NULL */
    uint64_t others_rss;   /* server: resident bytes of all other processes, other servers counted */
    bool others_rss_known; /* false: /proc is hidden, others_rss says nothing */
    const char *device;    /* kernel name of a block device, e.g. "nvme0n1" */
    uint64_t pid;          /* of the server; 0 = none (remote) */
    uint32_t uid, gid;     /* of the server's process */
    unsigned roles;        /* enum role bits of a volume */
    /* pool only: its name, and the volumes on it, which all get what is found */
    const char *pool;
    const struct pool_member *members;
    size_t n_members;
    bool elsewhere;        /* volume: files of the data directory that lie on another filesystem */
    bool all_devices;
    /* volume: does the kernel initialise some ext4 in the background (a fact of the host)? */
    enum { LAZY_INIT_UNKNOWN, LAZY_INIT_NO, LAZY_INIT_YES } lazy_init;
    /* options only: what is known of the server's program; NULL, n 0 when not */
    const char *flavour, *exe, *cwd;
    struct version version;
    const struct host_sql_login *login; /* sql only, and only live: NULL in replay */
    /* proc only: where the login of this run leads (login.h); NULL, 0 when it says nothing. With
     * `named` the command line or --defaults-file chose it: only that server becomes a subject. Else
     * it is a hint for a server whose socket cannot be seen. */
    bool named;
    const char *named_socket, *named_host;
    unsigned named_port;
};

/* Declarations of one source file of a probe that has several. */
struct decl_rows {
    const struct fact_decl *rows;
    size_t n;
};

struct probe_ctx {
    struct host *host;
    struct store *store;           /* facts go here; in a child, a store of its own that is sent back */
    const struct probe_args *args;
    struct subject *subject;       /* args->label */
    struct arena *arena;           /* scratch of this job */
    void *priv;                    /* the probe's own, from open to ask; starts as NULL */
};

struct probe {
    const char *name;              /* "proc", "server", "sql", "volume", "pool", "device" */
    const char *doc;
    enum identity identity;
    /* A row whose name ends in '.' declares a family ("server.var."). */
    const struct fact_decl *decls;
    size_t n_decls;
    const struct decl_rows *themes; /* more declarations, a table for each source file; may be NULL */
    size_t n_themes;
    /* Before privileges are dropped: host_open calls, what in sysfs says which node to open, and
     * what /proc hides from nobody (other users' processes under hidepid, links and descriptors of a
     * server); no more. May be NULL. A failure is a fact of the probe (it sets unknowns itself); returning false
     * skips run. */
    bool (*open)(struct probe_ctx *ctx);
    /* Sets every declared fact it can, each known or unknown with reason and remedy. */
    void (*run)(struct probe_ctx *ctx);
    /* What may keep the child in the kernel for ever: after `run`, and of jobs that share a child after that
     * of them all. Leaves no declared fact unset, as run does of a probe without it. May be NULL. */
    void (*ask)(struct probe_ctx *ctx);
    /* When the child did not end (deadline) or died: set what that means. Facts sent before the
     * operation that it was in stand. Runs in the parent: no host calls. May be NULL. Afterwards every
     * fact of `decls` that the subject (or, for rows of servers, args->server) still lacks is set to
     * unknown with the same state and reason. */
    void (*lost)(struct probe_ctx *ctx, enum fact_state state, const char *reason, const char *remedy);
};

extern const struct probe probe_proc;   /* host facts, and the servers found in /proc */
extern const struct probe probe_server; /* one server's process: limits, cgroup, status, option files */
extern const struct probe probe_sql;    /* variables, status, metrics, InnoDB status, origins */
extern const struct probe probe_options; /* option files, command line, SET PERSIST of one server */
extern const struct probe probe_volume; /* one path: mount, filesystem, chain to the leaves */
extern const struct probe probe_pool;   /* one pool of ZFS and its datasets: facts of the volumes on it */
extern const struct probe probe_device; /* one leaf: queue, NVMe pages, udev */

/* Facts that no probe of this version fills: bench.*, history. Declared so that rules may name them. */
extern const struct fact_decl bench_decls[];
extern const size_t bench_n_decls;

/* Every probe's declarations and families in one set. */
ATTR_NODISCARD bool probes_declare(struct decl_set *set, struct err *reterr);

/* Convenience: store a known fact read from `source`, or the unknown that goes with `err`. */
void probe_known(struct probe_ctx *ctx, const char *name, struct value v, const char *source);
void probe_unknown(struct probe_ctx *ctx, const char *name, const struct err *err,
                   const char *source, const char *remedy);

#endif
