/* Scratch instances: every server that nvadvise itself starts, whatever for. In a folder of its
 * own, as the server's user, without network, replication, option files and plugins, last in every
 * queue; it dies with this process, and what a SIGKILL leaves the next run finds and removes.
 *
 *   scratch_open        room is checked, leftovers go, the folder is made, signals wait
 *   scratch_initialise  a data directory from the server's own hands
 *   scratch_start       the server itself, until it is ready
 *   scratch_close       always: ends it, removes the folder, lets signals in
 *
 * Several may be open at a time; the first to be opened is the last to be closed. */
#ifndef NVADVISE_ADVISOR_SCRATCH_SCRATCH_H
#define NVADVISE_ADVISOR_SCRATCH_SCRATCH_H

#include "advisor/scratch/run.h"
#include "advisor/scratch/settings.h"

struct scratch_plan {
    const char *binary; /* of the server, absolute */
    enum flavour flavour;
    struct version version;
    uint32_t uid, gid;  /* who it runs as */
    const char *parent; /* where the folder is made; NULL: below /var/tmp */
    uint64_t memory;    /* bytes that it may use at most: room is asked for, and it is held to it */
    uint64_t disk;      /* bytes that it may write at most: room is asked for */
    uint64_t
        disk_rate; /* bytes per second that it may read, and write, on its disk; 0: not limited */
    unsigned timeout_s; /* of each step; 0 = 120 */
    bool full_speed;    /* not nice: it is measured */
};

struct scratch_server;

/* Error: E_FULL no room; E_DENIED not this user's to do, or the parent is unsafe; what tree_make
 * says. */
ATTR_NODISCARD bool scratch_open(const struct scratch_plan *p, struct arena *a,
                                 struct scratch_server **ret, struct err *reterr);

/* End what runs and remove all. Allowed on NULL. A signal that came meanwhile ends this process
 * here. false: something could not be ended or removed (all else is done). */
ATTR_NODISCARD bool scratch_close(struct scratch_server *s, struct err *reterr);

/* Its folder (".../s"), and the socket of a running one, shorter than a socket's name may be. */
const char *scratch_folder(const struct scratch_server *s);
const char *scratch_socket(const struct scratch_server *s);

/* A file in its folder, for options that name one: folder/name. */
ATTR_NODISCARD bool scratch_file(struct scratch_server *s, const char *name, struct span text,
                                 struct err *reterr);

/* The program with these arguments, to its end, in the same folder and under the same limits. */
ATTR_NODISCARD bool scratch_ask(struct scratch_server *s, const char *const *args,
                                struct run_result *ret, struct err *reterr);

/* Make the data directory: MySQL --initialize-insecure with the settings; MariaDB needs none to
 * start (grants off), so it is left empty. E_IO, E_CRASHED when the server refuses: scratch_log
 * tells why; E_LIMIT when it was killed for its memory; E_TIMEOUT; E_DENIED as below. */
ATTR_NODISCARD bool scratch_initialise(struct scratch_server *s, const struct scratch_setting *set,
                                       size_t n, struct err *reterr);

/* Start it and wait until it has run `init_sql` (statements, one a line, may be NULL) and takes
 * connections. Errors as above; E_DENIED when a security module forbids it: the text names the
 * profile. */
ATTR_NODISCARD bool scratch_start(struct scratch_server *s, const struct scratch_setting *set,
                                  size_t n, const char *init_sql, struct err *reterr);

/* Clean end of the server; the folder stays. */
ATTR_NODISCARD bool scratch_stop(struct scratch_server *s, struct err *reterr);

/* What it has written to its error log and its console, the last 256 KiB of each. */
struct span scratch_log(struct scratch_server *s);

/* A file that the server wrote in its folder out/; an absent one is empty. */
ATTR_NODISCARD bool scratch_output(struct scratch_server *s, const char *name, size_t max,
                                   struct span *ret, struct err *reterr);

/* What could not be had ("no cgroup: …"), for a report; "" when all could. */
const char *scratch_notes(const struct scratch_server *s);

/* End and remove what killed runs left below parent (NULL: /var/tmp). *ret_text: what was done,
 * lines, "" when nothing. What lives, and what cannot be told from others' processes, is left
 * alone. */
ATTR_NODISCARD bool scratch_sweep(const char *parent, struct arena *a, const char **ret_text,
                                  struct err *reterr);

#endif
