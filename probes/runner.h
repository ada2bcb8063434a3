/* Runs the probes: waves of children, deadlines, facts back over pipes; or, from a capture, the same
 * probes in this process with the same results. */
#ifndef NVADVISE_PROBES_RUNNER_H
#define NVADVISE_PROBES_RUNNER_H

#include "probes/host/capture.h"
#include "probes/probe.h"

#define COLLECT_PATHS_MAX 64u

/* A path of this host that the command line names, and as whom it is read: its owner, so that a data directory
 * opens. A replay has no use for the owner. */
struct collect_path {
    const char *path; /* absolute */
    uint32_t uid, gid;
};

/* Options that decide what is asked; stored in the capture's header, so that replay asks the same. */
struct collect_options {
    const char *socket, *host, *defaults_file, *user; /* NULL when not named */
    unsigned port;
    bool host_only;      /* --no-server */
    bool all_devices;
    const struct collect_path *paths; /* beside those of servers */
    size_t n_paths;
    double timeout_s;    /* per child; 0 = 3 s. The whole run: 8 s, or timeout_s + 5 */
    const char *state_dir; /* for stuck children; NULL = none */
    struct json *warnings; /* NULL, or an array that collect_live adds sentences to (option files) */
};

/* Options as line 1 of a capture keeps them, and back. collect_live puts them and the clock there. */
struct json *collect_options_json(struct arena *a, const struct collect_options *opt);
ATTR_NODISCARD bool collect_options_read(struct arena *a, const struct json *doc,
                                         struct collect_options *ret, struct err *reterr);

/* Probe this machine. Every child gets its deadline; nobody waits for one stuck in the kernel. When
 * `capture` is not NULL every operation goes there too. The store holds the facts afterwards,
 * store_fill_missing done. Fails only on what makes the whole run pointless (a server that was named
 * and cannot be found: E_CONNECT). */
ATTR_NODISCARD bool collect_live(const struct collect_options *opt, struct store *s,
                                 struct capture_writer *capture, struct err *reterr);

/* The same from a capture; options come from its header. Touches nothing of this machine. */
ATTR_NODISCARD bool collect_replay(const struct capture *c, struct store *s, struct err *reterr);

/* Fault sweep: as collect_replay, with operation `n` of instance `probe` failing with `code`. */
ATTR_NODISCARD bool collect_replay_fault(const struct capture *c, const char *probe, unsigned n,
                                         enum err_code code, int sys_errno, struct store *s,
                                         struct err *reterr);

#endif
