/* The binary that starts next: after a package upgrade it is another one than the one that runs. And
 * whether it is on this machine at all, in the same root as we are. */
#ifndef NVADVISE_ADVISOR_TUNE_NEXT_H
#define NVADVISE_ADVISOR_TUNE_NEXT_H

#include "advisor/base/err.h"
#include "rules/catalogue.h"
#include "advisor/facts/store.h"

struct next {
    uint64_t pid;
    uint32_t uid, gid;     /* of the running server */
    const char *binary;
    bool has_running, has_next; /* which versions are known */
    enum flavour running_flavour, flavour;
    struct version running_version, version;
    const char *text;      /* what the next one says of itself */
    bool replaced;         /* the running one's file is gone or another: a restart is pending */
    bool differs;          /* and it is another version or flavour */
};

/* From the facts of the server's process. Runs the binary with --version. Error: why nothing can be
 * installed for this server: remote, in a container, its binary gone or unable to run here; what was known by
 * then stands in *ret all the same. */
ATTR_NODISCARD bool next_find(const struct store *s, const struct subject *server, struct arena *a,
                              struct next *ret, struct err *reterr);

/* Is `path` the same directory for the server as for us? (another may be mounted there) */
ATTR_NODISCARD bool next_sees(const struct next *n, const char *path, struct err *reterr);

#endif
