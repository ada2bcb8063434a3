/* What the files of the live backend share. Private to probes/host. */
#ifndef NVADVISE_PROBES_HOST_LIVE_H
#define NVADVISE_PROBES_HOST_LIVE_H

#include "probes/host/host.h"

struct live_nvme;
struct live_sql;

struct live {
    struct arena *arena;
    int own_root;    /* O_PATH of "/" */
    int server_root; /* after "root PID"; -1 before */
    const struct host_sql_login *login;
    struct live_nvme *nvme; /* NULL until "nvme NAME" */
    struct live_sql *sql;   /* NULL until "sql" */
    int super_fd; /* after "super PATH"; -1 before */
    bool closed;
};

/* One function an operation; `key` is what stands behind the operation's own words. */
ATTR_NODISCARD bool live_read(struct live *l, const char *path, size_t max, struct span *ret,
                              struct err *reterr);
ATTR_NODISCARD bool live_pci(struct live *l, const char *key, struct span *ret,
                             struct err *reterr);
ATTR_NODISCARD bool live_list(struct live *l, const char *path, struct span *ret,
                              struct err *reterr);
ATTR_NODISCARD bool live_link(struct live *l, const char *key, struct span *ret,
                              struct err *reterr);
ATTR_NODISCARD bool live_stat(struct live *l, const char *path, struct span *ret,
                              struct err *reterr);
ATTR_NODISCARD bool live_statfs(struct live *l, const char *path, struct span *ret,
                                struct err *reterr);
ATTR_NODISCARD bool live_size(struct live *l, const char *key, struct span *ret,
                              struct err *reterr);
ATTR_NODISCARD bool live_fs(struct live *l, const char *key, struct span *ret, struct err *reterr);
ATTR_NODISCARD bool live_extents(struct live *l, const char *key, struct span *ret,
                                 struct err *reterr);
ATTR_NODISCARD bool live_super_open(struct live *l, const char *path, struct span *ret,
                                    struct err *reterr);
ATTR_NODISCARD bool live_exec(struct live *l, const char *key, size_t max, struct span *ret,
                              struct err *reterr);
ATTR_NODISCARD bool live_optfile(struct live *l, const char *key, struct span *ret,
                                 struct err *reterr);
ATTR_NODISCARD bool live_udev(struct live *l, const char *sysname, struct span *ret,
                              struct err *reterr);

ATTR_NODISCARD bool live_nvme_open(struct live *l, const char *name, struct span *ret,
                                   struct err *reterr);
ATTR_NODISCARD bool live_nvme(struct live *l, const char *key, struct span *ret,
                              struct err *reterr);
void live_nvme_close(struct live *l);

ATTR_NODISCARD bool live_sql_open(struct live *l, struct span *ret, struct err *reterr);
ATTR_NODISCARD bool live_sql(struct live *l, const char *id, struct span *ret, struct err *reterr);
void live_sql_close(struct live *l);

/* Open `path` below the root it belongs to, with openat2; symlinks stay inside, magic links are
 * refused. -1 with *reterr set ("cannot VERB 'PATH': …"). */
int live_open_at(struct live *l, const char *path, int flags, const char *verb, struct err *reterr);

/* A descriptor for reading, of a regular file only; else -1 with *reterr set. */
int live_open_regular(struct live *l, const char *path, struct err *reterr);

/* All that is left of `fd`, at most `max` bytes. */
ATTR_NODISCARD bool live_read_all(struct arena *a, int fd, size_t max, const char *path,
                                  struct span *ret, struct err *reterr);

/* What an O_PATH descriptor stands for, open for reading; -1 with errno. */
int live_open_again(int place);

/* Reading through `fd` leaves the access time alone from now on, where we may: as the owner of what it
 * stands for, or as root. */
void live_keep_times(int fd);

/* As live_open_at below a given directory descriptor. */
int live_open_below(int root, const char *path, int flags);

/* The root that `path` belongs to; *ret_rest: the path below it. */
int live_root_of(const struct live *l, const char *path, const char **ret_rest);

/* As err_set_errno with "cannot VERB 'PATH'", and codes that fit /proc and sysfs: a process or
 * device that has gone is absent, a refused link is denied, an attribute that gives EINVAL not
 * supported. */
bool live_fail(struct err *reterr, int e, const char *verb, const char *path);

#endif
