/* A made-up host with processes, for the tests of the proc and server probes. */
#ifndef NVADVISE_TESTS_UNIT_PROBES_PROC_FIXTURE_H
#define NVADVISE_TESTS_UNIT_PROBES_PROC_FIXTURE_H

#include "probes/probe.h"
#include "tests/lib/fakehost.h"

struct fixture {
    struct arena *arena;
    struct host *host;
    struct store *store;
    struct buf pids; /* names in /proc so far */
    bool faulty;     /* `host` is no longer the fake one: fixture_run must not add to it */
};

/* 4 CPUs, 8 GiB, kernel 6.1 of Debian, run as root; init, kthreadd, a kernel thread, a daemon. */
struct fixture fixture_new(struct arena *a);

/* A process: statm in pages; comm. A "zombie" has no memory. */
void fixture_process(struct fixture *f, unsigned pid, const char *comm, unsigned size,
                     unsigned resident, unsigned shared);

/* A server of 1000 resident pages, 100 of them shared, uid 101, that listens on `socket` (NULL:
 * none), with inode 9000 + pid. `args` are its arguments, a blank between them. */
void fixture_server(struct fixture *f, unsigned pid, const char *comm, const char *socket,
                    const char *args);

/* What root sees and others do not: links and descriptors. */
void fixture_hide_links(struct fixture *f, unsigned pid);

/* "/proc/PID/FILE" */
const char *fixture_path(struct fixture *f, unsigned pid, const char *file);

/* List /proc as it is now, run the probe. args may be NULL. */
void fixture_run(struct fixture *f, const struct probe *probe, const struct probe_args *args);

#endif
