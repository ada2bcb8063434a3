/* What a server reads, as facts. For the probe, and for option files that are named on a command line. */
#ifndef NVADVISE_PROBES_SERVER_OPTION_FACTS_H
#define NVADVISE_PROBES_SERVER_OPTION_FACTS_H

#include "advisor/facts/store.h"
#include "probes/server_options.h"

#define SERVER_OPTION_DROPIN "zz-nvadvise.cnf"

/* server.process.arguments and .environment come first: the probe alone sets these. */
extern const struct fact_decl server_option_decls[12];

/* Set server.option.* of `server`: what could not be looked at is unknown, never less than it is. */
void server_option_facts(struct store *s, const struct subject *server, struct arena *a,
                         const struct server_options *o);

#endif
