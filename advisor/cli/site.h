/* The site's configuration: nvadvise.conf and waivers.conf in the system's configuration folder, or files that
 * the command line names. Wires; decides nothing. */
#ifndef NVADVISE_ADVISOR_CLI_SITE_H
#define NVADVISE_ADVISOR_CLI_SITE_H

#include "advisor/cli/session.h"

/* Set s->profile, the parameters of s->rules, and s->waivers. Reads nothing of the machine under test,
 * and is done before anything of it is read. Files that nobody named are passed over when absent, and
 * refused (E_DENIED) when they, or their folder, are not root's alone. */
ATTR_NODISCARD bool site_read(struct arena *a, const struct options *opt,
                              const struct rule_text *profiles, struct session *s,
                              struct err *reterr);

#endif
