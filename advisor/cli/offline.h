/* A server that nobody asks: option files named on the command line, and the version that would read them.
 * Nothing of this machine is read but those files and what they include. */
#ifndef NVADVISE_ADVISOR_CLI_OFFLINE_H
#define NVADVISE_ADVISOR_CLI_OFFLINE_H

#include "advisor/cli/session.h"
#include "rules/catalogue.h"

struct server_spec {
    enum flavour flavour;
    struct version version; /* "8.0" without a patch: the newest of that series */
};

/* Read FLAVOUR:VERSION, the value of `option`. E_USAGE names what there is. */
ATTR_NODISCARD bool server_spec_read(const char *option, const char *text, struct server_spec *ret,
                                     struct err *reterr);

/* Is one of --options and --server (SESSION_OPTIONS) given? */
bool offline_asked(const struct options *opt);

/* After the facts documents: the server of --server (or of the documents) with the lines of --options, the
 * values in force that follow, and what documents stated as it stood. E_USAGE: no version, or several
 * servers. */
ATTR_NODISCARD bool offline_read(struct session *s, const struct options *opt, struct err *reterr);

#endif
