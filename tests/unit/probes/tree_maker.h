/* Made-up trees of option files, with everything odd that a reader may meet. Knows nothing of readers. */
#ifndef NVADVISE_TESTS_UNIT_PROBES_TREE_MAKER_H
#define NVADVISE_TESTS_UNIT_PROBES_TREE_MAKER_H

#include "advisor/base/arena.h"
#include "advisor/base/str.h"

struct tree {
    struct arena *arena;
    char dir[64]; /* which is there, and empty */
    uint32_t seed;
};

/* A number below n. */
uint32_t tree_pick(struct tree *w, uint32_t n);

/* "DIR/NAME" */
const char *tree_path(const struct tree *w, const char *name);

/* Fill the directory: "main", "extra", "home/.my.cnf", "mysql/my.cnf", and what they include. */
void tree_make(struct tree *w);

#endif
