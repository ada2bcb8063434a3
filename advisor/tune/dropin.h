/* A drop-in of ours as text: its settings with the comments that belong to each, so that those that are
 * right can stay as they are. Reads what templates/my.cnf.tmpl writes; every other line is passed over. */
#ifndef NVADVISE_ADVISOR_TUNE_DROPIN_H
#define NVADVISE_ADVISOR_TUNE_DROPIN_H

#include "advisor/base/arena.h"
#include "advisor/base/str.h"

#define DROPIN_LINES_MAX 1000u

struct dropin_line {
    const char *group, *variable, *value; /* as written */
    bool dynamic;                         /* stands among those that can be set at run time */
    const char *rule, *settles, *mark;    /* mark: "estimated first step", or "" */
    const char *was, *origin, *facts, *formula, *risk; /* "" when the comment is not there */
    unsigned line;                        /* from 1 */
};

/* The settings in the order of the text; what is past DROPIN_LINES_MAX is passed over. A setting without its
 * comment has an empty `rule`: somebody else has written it. */
size_t dropin_read(struct arena *a, struct span text, struct dropin_line **ret);

/* The line of a variable in a group, or NULL. */
const struct dropin_line *dropin_find(const struct dropin_line *lines, size_t n, const char *group,
                                      const char *variable);

/* Do both texts set the same values in the same groups, comments apart? */
bool dropin_same_settings(const struct dropin_line *a, size_t n_a, const struct dropin_line *b,
                          size_t n_b);

#endif
