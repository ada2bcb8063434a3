/* Tables that tools print: which text of a line stands under which heading. Pure.
 *
 * A column is aligned left or right, may be empty, and its texts may be wider than the heading; so a text belongs
 * to the heading that begins or ends where it does, else to the one it lies under, else to the nearest. */
#ifndef NVADVISE_PROBES_IMPORT_COLUMNS_H
#define NVADVISE_PROBES_IMPORT_COLUMNS_H

#include "advisor/base/arena.h"
#include "advisor/base/str.h"

#define COLUMNS_MAX 96u

struct columns {
    struct span names[COLUMNS_MAX]; /* "Mounted on" is one */
    size_t from[COLUMNS_MAX], to[COLUMNS_MAX]; /* in characters */
    size_t n;
    bool squeezed; /* one blank between all headings: places may tell nothing */
};

/* Read a line of headings. Returns how many. */
size_t columns_read(struct columns *c, struct span line);

/* The index of a heading (letters of either case), or -1. */
int columns_find(const struct columns *c, const char *name);

/* Put the texts of a line under the headings; parts that have none are empty. A text may hold blanks only in the
 * last column. Of a squeezed table texts are taken in turn. `first` (may be NULL) gets the number of characters before the first text: the depth of a tree's
 * drawing. The drawing itself is no text. */
void columns_split(const struct columns *c, struct span line, struct span ret[COLUMNS_MAX],
                   size_t *first);

#endif
