/* What the volumes of a server have to do with each other, and with other servers': computed from facts
 * that the volume probe left, when all of them are there. The same live and in a replay. */
#ifndef NVADVISE_PROBES_SHARED_H
#define NVADVISE_PROBES_SHARED_H

#include "advisor/facts/store.h"

/* Sets the facts of shared_decls on every volume that belongs to a server. Two paths lie on one filesystem
 * when the walk down began at the same device (of ZFS: the pool; datasets of one pool share it, and are no
 * split). What is not known of one volume leaves an answer unknown only where it could change it. */
void shared_set(struct store *s);

#define SHARED_DECLS 4
extern const struct fact_decl shared_decls[SHARED_DECLS];

#endif
