/* The journal of one option directory: what was there before, what was put there, and how far a write or
 * an undo has come. In the state directory, written whole at each step, before the step is taken:
 *
 *   tune-KEY.json     the journal           KEY: of the directory's path
 *   tune-KEY-N.former a former file, whole
 *   tune-KEY.lock     held while one is at work; host.lock: one on this host
 *
 * Knows nothing of what is in the files. docs/tune.md tells the steps. */
#ifndef NVADVISE_ADVISOR_TUNE_JOURNAL_H
#define NVADVISE_ADVISOR_TUNE_JOURNAL_H

#include "advisor/tune/confdir.h"

#define TUNE_FILE "zz-nvadvise.cnf"
#define JOURNAL_WRITES_MAX 8u /* that can be undone, one after the other */

enum journal_step {
    STEP_NONE,    /* nothing is going on */
    STEP_BEGUN,   /* write: what is intended is noted, nothing is done */
    STEP_KEPT,    /* write: the former file is kept */
    STEP_WRITTEN, /* write: the new file lies beside, under a temporary name */
    STEP_PLACED,  /* write: it has the name of the old one */
    STEP_UNDO,    /* undo: begun */
    STEP_UNDONE,  /* undo: the former state is there again */
    JOURNAL_STEPS
};
const char *journal_step_name(enum journal_step s); /* "begun", … as in the journal */

/* One write: `former` without its bytes, which lie in `former_name`. */
struct journal_write {
    struct confdir_file former;
    const char *former_name; /* in the state directory; "" when there was no file */
    char sha256[65];         /* of what was written */
    int64_t time;            /* when, seconds since the epoch */
    const char *server, *version, *tool;
};

struct journal {
    const char *directory; /* without symbolic links */
    enum journal_step step;
    const char *temp;      /* name of the temporary file, while something is going on; else "" */
    int64_t time;          /* of the last step */
    struct journal_write writes[JOURNAL_WRITES_MAX + 1]; /* the last one is the one in place, or under way */
    size_t n;
};

/* Where they lie. */
const char *journal_key(struct arena *a, const char *directory);
const char *journal_path(struct arena *a, const char *state_dir, const char *directory);

/* *ret_there false: no journal (or no state_dir), and *ret is empty. Error: E_CORRUPT with the file named. */
ATTR_NODISCARD bool journal_load(struct arena *a, const char *state_dir, const char *directory,
                                 struct journal *ret, bool *ret_there, struct err *reterr);

/* Write it whole; without writes it is removed. Former files that no write names any more are removed. */
ATTR_NODISCARD bool journal_save(struct arena *a, const char *state_dir, const struct journal *j,
                                 struct err *reterr);

/* Keep a former file's bytes; names it in w. And read them back into w->former.bytes (E_CORRUPT when they
 * are not those that were kept). */
ATTR_NODISCARD bool journal_keep(struct arena *a, const char *state_dir,
                                 const struct journal_write *w, struct err *reterr);
ATTR_NODISCARD bool journal_former(struct arena *a, const char *state_dir, struct journal_write *w,
                                   struct err *reterr);

/* A journal that lies in the state directory. */
struct journal_found {
    const char *path;      /* of the journal; of the state directory when that cannot be listed */
    const char *directory; /* NULL: it cannot be read, `why` */
    struct err why;
};

/* All of them, those that cannot be read too, in byte order of their paths. */
size_t journal_find(struct arena *a, const char *state_dir, struct journal_found **ret);

#endif
