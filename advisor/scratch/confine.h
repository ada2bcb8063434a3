/* Which security module keeps a program from running or from its files, so that it can be said.
 * Nothing here changes a policy. */
#ifndef NVADVISE_ADVISOR_SCRATCH_CONFINE_H
#define NVADVISE_ADVISOR_SCRATCH_CONFINE_H

#include <sys/types.h>

#include "advisor/base/arena.h"

/* The confinement that `program` runs under, as a text ("AppArmor profile '/usr/sbin/mysqld'
 * (enforce)"), or NULL when none is in force. label: what /proc/PID/attr/current said of the
 * process, or NULL. root: "" for this host, else a folder that holds /sys (tests). */
const char *confine_of(struct arena *a, const char *root, const char *program, const char *label);

/* The label of a process that runs now; NULL when there is none to read. */
const char *confine_label(struct arena *a, pid_t pid);

#endif
