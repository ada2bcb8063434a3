/* Children that a signal could not end: the kernel holds them. They are named in the state
 * directory, and what they hang on, an NVMe controller or else the probe instance, is not tried again while they
 * live.
 *
 * Every failure here is silent: without a state directory there is just no memory of them. */
#ifndef NVADVISE_PROBES_STUCK_H
#define NVADVISE_PROBES_STUCK_H

#include <sys/types.h>

#include "advisor/base/arena.h"
#include "advisor/base/err.h"

struct stuck;

/* Read STATE_DIR/stuck.json (NULL = no directory). Entries whose process has gone are dropped. */
struct stuck *stuck_load(struct arena *a, const char *state_dir);

/* Is a child of ours still stuck on this probe instance? *ret_why then says since when and which.
 */
bool stuck_find(const struct stuck *s, const char *probe, struct err *ret_why);

/* Note a child that did not end, on a probe instance or on what "nvme NAME" opens. `now`: seconds since the epoch. */
void stuck_add(struct stuck *s, const char *probe, pid_t pid, int64_t now);

/* A question that opens what a child hung on: in this run it is not put again, nor in later ones while that child
 * is stuck. */
struct barred {
    const char *key; /* of HOST_OPEN: "nvme nvme0" */
    const struct err *why;
};

/* For this run; a child that is stuck is added by stuck_add under the key. */
void stuck_bar(struct stuck *s, const char *key, const struct err *why);

/* All of them, those of earlier runs too. */
size_t stuck_barred(const struct stuck *s, const struct barred **ret);

/* Write the file when something changed. */
void stuck_save(struct stuck *s);

#endif
