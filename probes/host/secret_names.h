/* Which option of a command line or an option file may hold a secret, by its name alone. Knows nothing of
 * values.
 *
 * A value that is blanked for nothing costs little; one that is shown costs trust. So every name that
 * speaks of passwords, tokens or keys is taken for a secret, but for the servers' own switches and numbers
 * that only sound like one. */
#ifndef NVADVISE_PROBES_HOST_SECRET_NAMES_H
#define NVADVISE_PROBES_HOST_SECRET_NAMES_H

#include "advisor/base/str.h"

#define SECRET_BLANKED "***"

/* Does the name speak of a secret, wherever in it? '-' is '_', case does not count. */
bool secret_name_sounds(struct span name);

/* May the value of this option be a secret, or SQL text (init_connect and its kin)? `name` without leading
 * dashes; loose_ and its kin, and names cut short, as the servers take them. */
bool secret_option(struct span name);

#endif
