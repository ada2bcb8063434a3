/* Putting a drop-in in place and taking it back: journaled, so that a crash at any point leaves a state
 * that tune_look explains and tune_undo mends. Knows nothing of servers and of what is in the file, but for
 * the mark in its first line. */
#ifndef NVADVISE_ADVISOR_TUNE_INSTALL_H
#define NVADVISE_ADVISOR_TUNE_INSTALL_H

#include "advisor/tune/journal.h"

#define TUNE_MARK ": made by nvadvise " /* in the first line of each file of ours */
#define TUNE_MODE 0644

/* Is the mark in its first line? An empty file is nobody's, so it counts as ours. */
bool tune_is_marked(struct span bytes);

struct tune_dir {
    struct arena *arena;
    const char *state_dir;
    struct confdir dir;
    int64_t now;   /* seconds since the epoch */
    int lock_host, lock_dir; /* held while it is open for change; else -1 */
    /* Called after each act with its number from 1; tests end the process there. NULL in the program. */
    void (*acted)(void *ctx, unsigned act);
    void *ctx;
    unsigned acts;
};

/* Open `path` with its journal's place in `state_dir` (NULL: none, to look only). for_change: take both locks (E_BUSY names the
 * holder). Error: as confdir_open. */
ATTR_NODISCARD bool tune_open(struct arena *a, const char *state_dir, const char *path, int64_t now,
                              bool for_change, struct tune_dir *ret, struct err *reterr);
void tune_close(struct tune_dir *t);

enum tune_state {
    TUNE_NOTHING,     /* no file of ours, nothing to take back */
    TUNE_FOREIGN,     /* a file of that name that we have not made */
    TUNE_WRITTEN,     /* the file that we put there */
    TUNE_UNKNOWN,     /* a file with our mark of which the journal says nothing: put there by other means */
    TUNE_CHANGED,     /* somebody has changed the file since */
    TUNE_GONE,        /* somebody has removed the file since */
    TUNE_INTERRUPTED, /* a write or an undo has not come to its end */
    TUNE_STATES
};
const char *tune_state_name(enum tune_state s); /* "nothing installed", "written", … */

struct tune_look {
    enum tune_state state;
    struct journal journal;
    struct confdir_file file; /* what stands there now */
    const char *text;         /* what stands there, one sentence without full stop */
    const char *mend;         /* what to do about it, one sentence, or "" */
};

/* What stands there, and why. Changes nothing. */
ATTR_NODISCARD bool tune_look(const struct tune_dir *t, struct tune_look *ret, struct err *reterr);

struct tune_text {
    struct span bytes;
    const char *server, *version, *tool; /* for the journal */
};

/* Put the file in place: mode 0644, root's. *ret_changed false: it was there already, byte for byte, and
 * nothing was touched. A write or undo that was interrupted is cleared up first. Refuses (E_DENIED) to
 * replace a file without our mark, or one that was changed since, unless `force`; the one that is replaced is kept
 * in any case. On failure all is as it was before; where that fails too, the hint says so. */
ATTR_NODISCARD bool tune_write(struct tune_dir *t, const struct tune_text *text, bool force,
                               bool *ret_changed, struct err *reterr);

/* May tune_write replace what stands there, once what was interrupted is cleared up? Error: E_DENIED. */
ATTR_NODISCARD bool tune_may_write(const struct tune_dir *t, const struct tune_look *look,
                                   bool force, struct err *reterr);

/* Take the last write back: the former file as it was, or none; or clear up what was interrupted. *ret_changed
 * false: there was nothing to take back. Refuses (E_DENIED) when the file was changed since, unless `force`. */
ATTR_NODISCARD bool tune_undo(struct tune_dir *t, bool force, bool *ret_changed,
                              struct err *reterr);

#endif
