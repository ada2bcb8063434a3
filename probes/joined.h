/* What follows from facts of several subjects and cannot be said in the language of rules: sets over the
 * devices below a volume, the place of a device beside that of its servers. Runs after the last wave, the
 * same live and in a replay. */
#ifndef NVADVISE_PROBES_JOINED_H
#define NVADVISE_PROBES_JOINED_H

#include "advisor/facts/store.h"

/* Sets the facts of joined_decls, known or unknown. */
void joined_set(struct store *s);

#define JOINED_DECLS 2
extern const struct fact_decl joined_decls[JOINED_DECLS];

#endif
