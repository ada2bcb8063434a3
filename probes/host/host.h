/* The host seam: the only code that touches the machine. One primitive, host_call, and typed
 * wrappers that encode the question and decode the reply; every backend (live, record, replay,
 * fault) implements only the primitive, so a capture holds exactly what a probe was told, errors
 * included.
 *
 * Never logs. Knows nothing of facts, rules or output. */
#ifndef NVADVISE_PROBES_HOST_HOST_H
#define NVADVISE_PROBES_HOST_HOST_H

#include "advisor/base/arena.h"
#include "advisor/base/err.h"
#include "advisor/base/str.h"

/* Each with the form of its key and of its reply; replies of our own are text (reply.h makes and
 * reads them), so that a capture can be read by people. */
enum host_op {
    HOST_READ,   /* PATH: a file's bytes; "at OFFSET BYTES PATH": some of a PCI configuration's */
    HOST_LIST,   /* PATH: names in a directory, sorted in byte order, '.' and '..' left out */
    HOST_LINK,   /* PATH: readlink; "real PATH": the path with every symlink resolved */
    HOST_STAT,   /* PATH: statx: type, mode, ids, size, blocks, inode, dev, mnt_id, mtime, dio */
    HOST_STATFS, /* PATH: statfs */
    HOST_NVME,   /* "nvme0 id-ctrl", "nvme0 id-ns NSID", "nvme0 log LID NSID BYTES",
                    "nvme0 log LID NSID BYTES GROUP", "nvme0 feature FID NSID", "nvme0 feature FID NSID
                    DWORD11", "nvme0 feature-data FID NSID BYTES", numbers in decimal: the page */
    HOST_UDEV,   /* SYSNAME: properties of a block device, sorted */
    HOST_SQL,    /* ID: a named read-only statement (queries.h) */
    HOST_EXEC,   /* "COMMAND" or "COMMAND ARG": zpool, zfs, dmsetup with fixed arguments */
    HOST_CLOCK,  /* "": wall clock, UTC */
    HOST_UNAME,  /* "": sysname, nodename, release, version, machine */
    HOST_SIZE,   /* "SUFFIXES PATH": bytes and number of files below a directory, bounded */
    HOST_OPTFILE, /* PATH, "whole PATH": an option file of the server whose root is open, where it splits
                     long lines, and where it does not; "persisted PATH": its
                     mysqld-auto.cnf: mode, ids and text, secrets blanked (optfile_filter.h) */
    HOST_FS,     /* "xfs PATH": geometry; "direct PATH": does the file open for direct I/O; "extents SUFFIXES
                    PATH": pieces and flags of the largest files below; "super": numbers of ext4's superblock */
    HOST_WHO,    /* "": effective uid, gid and whether CAP_SYS_ADMIN is held */
    HOST_OPEN,   /* "root PID", "nvme NAME", "sql", "super PATH": opened before privileges are
                    dropped */
    HOST_OPS
};

const char *host_op_name(enum host_op op);
bool host_op_from_name(struct span s, enum host_op *ret);

struct host_request {
    enum host_op op;
    const char *key;  /* as above; the capture's address text */
    size_t max_bytes; /* larger replies are E_TOO_BIG */
};

/* On failure of the *operation* (file absent, query refused) host_call returns false with the
 * error; that is recorded and replayed like a success. */
struct host {
    const struct host_backend *backend;
    void *state;
    struct arena *arena; /* replies live here */
};

struct host_backend {
    bool (*call)(struct host *h, const struct host_request *rq, struct span *ret,
                 struct err *reterr);
};

ATTR_NODISCARD bool host_call(struct host *h, const struct host_request *rq, struct span *ret,
                              struct err *reterr);

/* ---- typed wrappers -------------------------------------------------------------------------- */

/* Small text file, one trailing newline removed; absolute path as the host sees it. max 64 KiB
 * unless given (0 = HOST_SMALL). Symlinks never lead out of the root, regular files only. A path
 * that begins with "/proc/self/root/" is below our own root even after host_open "root PID" (the
 * backing file of a loop device, say). */
ATTR_NODISCARD bool host_read(struct host *h, const char *path, size_t max, struct span *ret,
                              struct err *reterr);
#define HOST_SMALL (64u * 1024)
#define HOST_PROC_MAX (4u * 1024 * 1024)

/* At most 65536 entries. */
struct host_names {
    struct span *names;
    size_t n;
};
ATTR_NODISCARD bool host_list(struct host *h, const char *path, struct host_names *ret,
                              struct err *reterr);

ATTR_NODISCARD bool host_link(struct host *h, const char *path, struct span *ret,
                              struct err *reterr);

/* All symbolic links resolved within the root of the reply (the server's or ours). The last part
 * must exist. Magic links (/proc/PID/cwd and such) are E_DENIED: read them with host_link. */
ATTR_NODISCARD bool host_real_path(struct host *h, const char *path, const char **ret,
                                   struct err *reterr);

struct host_stat {
    uint32_t mode; /* type and permission bits */
    uint32_t uid, gid;
    uint64_t size, blocks512, inode, mnt_id;
    uint32_t dev_major, dev_minor;   /* of the filesystem */
    uint32_t rdev_major, rdev_minor; /* of a device node */
    bool has_mnt_id, has_dio, has_atomic;
    uint32_t dio_mem_align, dio_offset_align; /* with has_dio; 0 = no direct I/O here */
    int64_t mtime_sec;
    uint32_t atomic_max; /* with has_atomic: largest untorn write, bytes; 0 = none */
};
/* Follows symlinks, inside the root. */
ATTR_NODISCARD bool host_stat(struct host *h, const char *path, struct host_stat *ret,
                              struct err *reterr);

struct host_statfs {
    uint64_t type, block_size, blocks, free_blocks, available_blocks, files, free_files;
};
ATTR_NODISCARD bool host_statfs(struct host *h, const char *path, struct host_statfs *ret,
                                struct err *reterr);

/* One NVMe admin page of a controller ("nvme0") that host_open "nvme NAME" opened. Only these
 * exist. `bytes` counts for NVME_LOG (a multiple of 4, 4 to 4096) and NVME_FEATURE_DATA; identify
 * pages have 4096, a feature gives 4 bytes of result, little-endian, in ret; a feature with data the
 * same 4 bytes and then the data. A reply of any other length is E_CUT.
 * `nsid` is left out of NVME_ID_CTRL. Log pages and features that change state by being read are
 * E_USAGE, as is a feature with data under any other length than its own. */
enum host_nvme_page { NVME_ID_CTRL, NVME_ID_NS, NVME_LOG, NVME_FEATURE, NVME_FEATURE_DATA };
ATTR_NODISCARD bool host_nvme(struct host *h, const char *ctrl, enum host_nvme_page page,
                              uint32_t nsid, uint32_t lid_or_fid, uint32_t bytes, struct span *ret,
                              struct err *reterr);

/* The same of one endurance group: a log page of it, or a feature whose dword 11 names it. */
ATTR_NODISCARD bool host_nvme_group(struct host *h, const char *ctrl, enum host_nvme_page page,
                                    uint32_t lid_or_fid, uint16_t group, uint32_t bytes,
                                    struct span *ret, struct err *reterr);

/* `bytes` bytes (a multiple of 4, at most 64) at `offset` (the same) of a PCI function's configuration,
 * `path` = /sys/…/config, within its first 256 bytes: header and capabilities. Never the whole file:
 * some devices do not bear being read where nothing is. E_CUT without root, which sees 64 bytes. */
ATTR_NODISCARD bool host_pci_config(struct host *h, const char *path, unsigned offset,
                                    unsigned bytes, struct span *ret, struct err *reterr);

/* An option file below the root that host_open "root PID" opened: a regular file of at most
 * HOST_OPTFILE_MAX bytes, not one of the kernel's (E_NOT_SUPPORTED, E_TOO_BIG); a directory is E_ABSENT. */
#define HOST_OPTFILE_MAX (1024u * 1024)
struct host_optfile {
    uint32_t mode; /* type and permission bits */
    uint32_t uid, gid;
    struct span text;
};
ATTR_NODISCARD bool host_optfile(struct host *h, const char *path, struct host_optfile *ret,
                                 struct err *reterr);
/* The same for a server that takes a line whole, however long (optfile_whole_line). */
ATTR_NODISCARD bool host_optfile_whole(struct host *h, const char *path, struct host_optfile *ret,
                                       struct err *reterr);
/* mysqld-auto.cnf there; E_SYNTAX: it is no JSON object. */
ATTR_NODISCARD bool host_persisted(struct host *h, const char *path, struct host_optfile *ret,
                                   struct err *reterr);

/* udev properties "KEY=value" of a block device by kernel name ("nvme0n1"), sorted. */
ATTR_NODISCARD bool host_udev(struct host *h, const char *sysname, struct host_names *ret,
                              struct err *reterr);

/* A result set: cells with length and NULL. */
struct host_cell {
    bool null;
    struct span text;
};
struct host_rows {
    struct span *columns;
    size_t n_columns;
    struct host_cell *cells; /* n_rows x n_columns */
    size_t n_rows;
};
/* `id` names a row of probes/host/queries.h; no other SQL can be sent. `server` is the instance
 * label that a HOST_OPEN before it connected. A statement refused by the server is E_DENIED (1044,
 * 1142, 1227, 1370), unknown table or column E_NOT_SUPPORTED, a limit hit E_TIMEOUT, a lost
 * connection E_CONNECT; the text keeps the server's number and message. */
ATTR_NODISCARD bool host_sql(struct host *h, const char *id, struct host_rows *ret,
                             struct err *reterr);

/* `tool` is one of a fixed list (zpool, zfs, dmsetup); args are checked against a fixed list too.
 */
ATTR_NODISCARD bool host_exec(struct host *h, const char *command_id, const char *arg,
                              struct span *ret, struct err *reterr);

/* Seconds since the epoch, UTC. */
ATTR_NODISCARD bool host_clock(struct host *h, int64_t *ret, struct err *reterr);

struct host_uname {
    struct span sysname, nodename, release, version, machine;
};
ATTR_NODISCARD bool host_uname(struct host *h, struct host_uname *ret, struct err *reterr);

/* Regular files below `path` (at most 20,000, same filesystem, symlinks not followed) whose name
 * ends in one of `suffixes` (comma separated; "" = all). complete false: the limit was hit.
 * A directory below that cannot be read fails the whole (E_DENIED, E_IO). */
struct host_size {
    uint64_t bytes_allocated, bytes_apparent, files;
    bool complete;
    uint64_t largest_bytes, largest_block; /* of the largest file: apparent size, st_blksize; 0: not told */
};
ATTR_NODISCARD bool host_size(struct host *h, const char *path, const char *suffixes,
                              struct host_size *ret, struct err *reterr);

/* XFS as it was made, by a directory on it; sizes in bytes or blocks as said. */
struct host_xfs {
    uint64_t block_size, sector_size; /* bytes */
    uint64_t ag_count, log_blocks;
    uint64_t sunit, swidth; /* blocks; 0 = none */
    uint64_t flags;         /* HOST_XFS_… of the kernel's */
};
#define HOST_XFS_REFLINK (1u << 20)
ATTR_NODISCARD bool host_xfs(struct host *h, const char *path, struct host_xfs *ret,
                             struct err *reterr);

/* Does a regular file open for direct I/O? Nothing is read or changed. */
ATTR_NODISCARD bool host_direct(struct host *h, const char *path, bool *ret, struct err *reterr);

/* The three largest regular files below `path` whose names end in one of `suffixes`: found as by
 * host_size. Pieces that follow each other on the device count as one. */
struct host_extents {
    uint64_t files;
    bool mapped;    /* the filesystem tells where files lie; else bytes and extents mean nothing */
    bool complete;  /* false: not all of them was looked at, for want of time or for their number */
    uint64_t bytes; /* that were looked at */
    uint64_t extents;
    uint64_t flagged, nocow, compressed; /* files whose flags were told; those with the flag */
};
ATTR_NODISCARD bool host_extents(struct host *h, const char *path, const char *suffixes,
                                 struct host_extents *ret, struct err *reterr);

/* The superblock of the ext2, ext3 or ext4 that host_open "super PATH" opened: HOST_SUPER_BYTES as they
 * are on the device, zeroes where a name could stand. A reply of another length is E_CUT. */
#define HOST_SUPER_BYTES 1024u
ATTR_NODISCARD bool host_super(struct host *h, struct span *ret, struct err *reterr);

struct host_who {
    uint32_t uid, gid;
    bool sys_admin;
};
ATTR_NODISCARD bool host_who(struct host *h, struct host_who *ret, struct err *reterr);

/* Before the drop of privileges. what: "root PID" (the server's root directory; later paths are
 * below it, but for those below /proc and /sys, which are always this host's own), "nvme NAME" (the
 * controller node), "super PATH" (the device of the filesystem that the path is on), "sql" (connect with the parameters in host_sql_login).
 * Success gives a short text for evidence (e.g. the server's handshake version). */
ATTR_NODISCARD bool host_open(struct host *h, const char *what, struct span *ret,
                              struct err *reterr);

/* ---- backends -------------------------------------------------------------------------------- */

/* How to connect; passed to the live backend, never recorded. */
struct host_sql_login {
    const char *socket; /* NULL: TCP */
    const char *host;
    unsigned port;
    const char *user;     /* NULL: the caller's name, then root */
    const char *password; /* NULL: none */
    int socket_dir_fd;    /* -1, or the server's root, to which `socket` is relative */
    uint64_t socket_below_pid; /* 0, or the process whose root that is: the child opens it */
    const struct err *refused; /* NULL, or why there is no login: what host_open "sql" says */
    unsigned timeout_s;
    const char *ssl_ca, *ssl_cert, *ssl_key;
    bool ssl_require;
    bool ssl_verify; /* the certificate must be the named host's (and signed by ssl_ca) */
};

struct host *host_live_new(struct arena *a, const struct host_sql_login *login /* may be NULL */);

/* Close descriptors and take leave of the server, so that it counts no aborted client. `h` is a
 * live host; every later call fails. */
void host_live_close(struct host *h);

/* Wraps any host; calls `sink` before (outcome "begun") and after each operation. The sink gets the
 * frame that a capture line is made of. */
enum host_outcome { OUTCOME_BEGUN, OUTCOME_OK, OUTCOME_ERR };
struct host_record {
    unsigned n; /* number of the operation within its probe instance, from 0 */
    enum host_op op;
    const char *key;
    enum host_outcome outcome;
    struct span bytes;     /* OUTCOME_OK */
    const struct err *err; /* OUTCOME_ERR */
};
typedef void (*host_record_sink)(void *ctx, const struct host_record *rec);
struct host *host_record_new(struct arena *a, struct host *inner, host_record_sink sink, void *ctx);

/* Asks `inner` each question once; whoever asks it again gets the answer of the first time, errors too. */
struct host *host_memo_new(struct arena *a, struct host *inner);
/* Of a host that host_memo_new made: the question, whatever its max_bytes, is answered with `err` and never
 * put. */
void host_memo_refuse(struct host *h, enum host_op op, const char *key, const struct err *err);

/* Fail operation `n` (from 0) with `code`; every other goes to `inner`. code E_NONE = the reply is
 * returned with half of its bytes (a short read). */
struct host *host_fault_new(struct arena *a, struct host *inner, unsigned n, enum err_code code,
                            int sys_errno);

#endif
