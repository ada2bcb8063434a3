/* A finished capture redacted by a child of its own, which has no rights: hostile bytes are parsed
 * there. */
#ifndef NVADVISE_PROBES_REDACT_RUN_H
#define NVADVISE_PROBES_REDACT_RUN_H

#include "probes/host/redact.h"

/* The compressed bytes of the redacted capture; `w` stays as it is. Without a key only compressed,
 * here. E_CRASHED, E_TIMEOUT or E_TOO_BIG: nothing was made of it. */
ATTR_NODISCARD bool redact_run(struct capture_writer *w, const struct redact_key *key,
                               struct arena *a, struct span *ret, struct err *reterr);

#endif
