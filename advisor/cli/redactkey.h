/* The key of pseudonyms: kept in the state directory, so that a host's captures agree with each
 * other. */
#ifndef NVADVISE_ADVISOR_CLI_REDACTKEY_H
#define NVADVISE_ADVISOR_CLI_REDACTKEY_H

#include "probes/host/redact.h"

#define REDACT_KEY_FILE "redaction.key"

/* The key in `state_dir`, made (0600) where there is none; NULL: a new key for this run alone. A
 * file that is not the caller's own, that others may read or that is no key is refused (E_DENIED,
 * E_CORRUPT): its pseudonyms could be undone, or would not be those of before. It is in no capture.
 */
ATTR_NODISCARD bool redact_key_load(struct arena *a, const char *state_dir, struct redact_key *ret,
                                    struct err *reterr);

#endif
