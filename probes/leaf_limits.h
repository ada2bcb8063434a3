/* What lies on the same disks as a server's data, from facts of all waves: limits of its control groups, and
 * swap. Runs after the last wave, the same live and in a replay. */
#ifndef NVADVISE_PROBES_LEAF_LIMITS_H
#define NVADVISE_PROBES_LEAF_LIMITS_H

#include "advisor/facts/store.h"

/* Sets the facts of leaf_limit_decls, known or unknown. A limit counts where it stands on any layer of a
 * volume of the server, for requests pass through all of them; no limit there is unlimited. */
void leaf_limits_set(struct store *s);

#define LEAF_LIMIT_DECLS 4
extern const struct fact_decl leaf_limit_decls[LEAF_LIMIT_DECLS];

#endif
