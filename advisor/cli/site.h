/* The site's configuration: nvadvise.conf and waivers.conf in the system's configuration folder, or files that
 * the command line names. Wires; decides nothing. */
#ifndef NVADVISE_ADVISOR_CLI_SITE_H
#define NVADVISE_ADVISOR_CLI_SITE_H

#include "advisor/cli/session.h"
#include "probes/host/redact.h"

/* Set s->profile, the parameters of s->rules, and s->waivers. Reads nothing of the machine under test,
 * and is done before anything of it is read. Files that nobody named are passed over when absent, and
 * refused (E_DENIED) when they, or their folder, are not root's alone. */
ATTR_NODISCARD bool site_read(struct arena *a, const struct options *opt,
                              const struct rule_text *profiles, struct session *s,
                              struct err *reterr);

/* For --redact: waivers mean the hosts and subjects of `named`, the store with names, under what they
 * are called in the redacted run; texts that the site wrote (reasons, owners, tickets, files, profiles
 * of its own) go through redaction. `are_pseudonyms`: the store's labels are redacted already. */
void site_redact(struct session *s, const struct store *named, const struct redact_key *key,
                 bool are_pseudonyms);

#endif
