/* Facts as lines for people, on standard output. */
#ifndef NVADVISE_ADVISOR_CLI_FACTVIEW_H
#define NVADVISE_ADVISOR_CLI_FACTVIEW_H

#include "advisor/facts/store.h"

/* Each subject with its facts, their sources or the reasons why they are not known. Without `verbose` families that
 * fill pages are left out, and what only waits for a measurement or does not exist here. */
void facts_print(struct arena *a, const struct store *s, bool verbose);

#endif
