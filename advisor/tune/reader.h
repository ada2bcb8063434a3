/* The option files of a running server as its own user sees them, for place.h: below the server's root,
 * secrets blanked by the seam, permissions those of the server's user and groups. */
#ifndef NVADVISE_ADVISOR_TUNE_READER_H
#define NVADVISE_ADVISOR_TUNE_READER_H

#include "advisor/tune/next.h"
#include "advisor/tune/place.h"

struct reader;

/* Open the root of process n->pid; its words and environment are those of the next start as well. `datadir`:
 * of the running server, or NULL. ret->catalogue is the caller's to set. Everything lives in the arena;
 * reader_close closes what is open. Error: E_ABSENT the process has gone, E_DENIED. */
ATTR_NODISCARD bool reader_open(struct arena *a, const struct next *n, const char *datadir,
                                struct reader **ret_reader, struct place_input *ret,
                                struct err *reterr);
void reader_close(struct reader *r);

/* Can the server's user read that file? false with the reason. */
ATTR_NODISCARD bool reader_can_read(struct reader *r, const char *path, struct err *reterr);

/* A note on the security module that confines the server, when it does: its profile may keep the server
 * from reading `dir`. "" when nothing is in the way that we know of. */
const char *reader_confinement(struct reader *r, const char *dir);

#endif
