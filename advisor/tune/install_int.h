/* What writing and taking back share. Private to install*.c. */
#ifndef NVADVISE_ADVISOR_TUNE_INSTALL_INT_H
#define NVADVISE_ADVISOR_TUNE_INSTALL_INT_H

#include <signal.h>

#include "advisor/tune/install.h"

/* A Ctrl-C waits until the file is in its place, or as it was. */
void tune_hold_signals(sigset_t *ret_before);
void tune_free_signals(const sigset_t *before);

void tune_acted(struct tune_dir *t);
ATTR_NODISCARD bool tune_save(struct tune_dir *t, struct journal *j, enum journal_step step,
                              struct err *reterr);
ATTR_NODISCARD bool tune_temp_name(struct arena *a, const char **ret, struct err *reterr);

/* Bring back what was there before the last write of `j`, wherever that or its undo has come to, and take
 * the write out of the journal. The caller has seen that nobody else has changed the file. */
ATTR_NODISCARD bool tune_restore(struct tune_dir *t, struct journal *j, struct err *reterr);

/* Clear up what was interrupted, so that the next write can begin: what is in place stays and counts as
 * written; what is not is taken back. */
ATTR_NODISCARD bool tune_settle(struct tune_dir *t, bool force, struct err *reterr);

#endif
