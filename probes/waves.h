/* Which jobs a run consists of: each wave is made from the facts of those before it, and from
 * nothing else, so that a replay asks the same. Knows nothing of how jobs are run. */
#ifndef NVADVISE_PROBES_WAVES_H
#define NVADVISE_PROBES_WAVES_H

#include "probes/job.h"

struct collect_options;
struct collect_path;

/* Accounts below this are the system's own: no person can start a process as one of them (the default
 * of Debian's and Red Hat's login.defs, UID_MIN). */
#define WAVES_FIRST_PERSON_UID 1000u

/* The probes of a run; the tests put toys here. */
struct probe_table {
    const struct probe *proc, *server, *sql, *options, *volume, *pool, *device, *disks;
};

/* Which server the command line, or a login file, speaks of; without the login itself. */
struct target {
    bool named; /* that one only; else a hint */
    const char *socket, *host;
    unsigned port;
};

struct waves {
    struct arena *arena; /* of jobs and labels: the whole run */
    struct store *store;
    const struct probe_table *probes;
    struct target target;
    bool host_only, all_devices;
    const struct collect_path *paths; /* asked for by name, of no server */
    size_t n_paths;
};

/* Each returns how many jobs there are. */
size_t waves_first(struct waves *w, struct job **ret);   /* the host */
size_t waves_servers(struct waves *w, struct job **ret); /* each server: process, then SQL */
size_t waves_volumes(struct waves *w, struct job **ret); /* and what each server reads */
size_t waves_elsewhere(struct waves *w, struct job **ret); /* what data directories lead to */
size_t waves_pools(struct waves *w, struct job **ret); /* ZFS: each pool that some volume lies on */
size_t waves_devices(struct waves *w, struct job **ret);

/* What the disks of one controller have in common: the kernel numbers a disk "nvmeXnY" after its controller, or,
 * where a subsystem may have several, after the subsystem, whose controllers then belong together. NULL: no
 * such disk. It says only who waits for whom; which controllers a disk has sysfs says. */
const char *waves_group_of(struct arena *a, const char *device);

/* The devices of a wave that was run that hung on a controller, or waited behind one that did: once more, since
 * another path, or the kernel, may tell the rest. */
size_t waves_again(struct waves *w, const struct job *jobs, const struct job_end *ends, size_t n,
                   struct job **ret);

/* All servers, those of the system's accounts first: anybody may start a hundred servers that answer
 * nothing, and the time of a run has an end; and the first drop-in of a report is the first server's. */
size_t waves_servers_in_order(struct arena *a, const struct store *s,
                              const struct subject *const **ret);

/* A path of a server and what it is for. */
struct volume_path {
    const char *path;  /* NULL: the server has not told it */
    const char *wants; /* then: the variable that would tell */
    unsigned roles;
    const char *label_role; /* last part of the subject's label: the first role, or "tmp-2" … */
};

#define VOLUME_PATHS_MAX 16u

/* The distinct paths of a server from its variables, the data directory first; without them its
 * working directory. A role without a path of its own belongs to the data directory; temporary
 * files stand apart. Roles whose places the server has not told (no login, a broken connection)
 * are taken to lie in the data directory, where they lie by default, and are besides one volume without
 * a path, and temporary files another: what is judged there stays unknown. Returns how many. */
size_t volume_paths(const struct store *s, const struct subject *server, struct arena *a,
                    struct volume_path ret[VOLUME_PATHS_MAX]);

/* A place that the server has not told: a volume all of whose facts are unknown, for the reason
 * that the variable is. */
void waves_untold(struct waves *w, const struct subject *server, const char *label,
                  const struct volume_path *path);

/* What `p` declares for subjects of this kind and is not set is unknown. Texts are copied. */
void waves_rest_unknown(struct waves *w, const struct subject *sub, const struct probe *p,
                        const struct fact *why);

/* The known value of a fact as text, or NULL; as number, or false. */
const char *waves_text(const struct store *s, const struct subject *sub, const char *name,
                       struct arena *a);
bool waves_number(const struct store *s, const struct subject *sub, const char *name,
                  uint64_t *ret);

/* ---- the parts (waves_*.c) ------------------------------------------------------------------- */

/* Process, user and group of a server, as its jobs are given them. */
void waves_set_process(const struct waves *w, const struct subject *server, struct probe_args *args);

#endif
