/* Reader for the table of filesystems, as the seam leaves it (host/fstab_filter.h). Pure: text in, rows
 * out; lines that are no row are left out. */
#ifndef NVADVISE_PROBES_FSTAB_H
#define NVADVISE_PROBES_FSTAB_H

#include "advisor/base/str.h"

struct fstab_row {
    struct span source, path, type, options; /* octal escapes undone; the path without slashes behind it */
    struct span numbers;                     /* dump and pass, "0 2"; empty: the seam left none */
};

struct fstab {
    struct fstab_row *rows; /* in their order; at most 1024, later ones are dropped */
    size_t n;
};

void fstab_parse(struct arena *a, struct span text, struct fstab *ret);

/* The row of a mount point that is no bind mount, the last of several (it lies over the others); NULL: there
 * is none. */
const struct fstab_row *fstab_by_path(const struct fstab *t, struct span path);

/* Where the device that a source names is found below /dev: the path itself, or by-uuid/… for "UUID=…" and
 * its kin, quotes taken off, labels written as udev does. Empty: it names no device. */
struct span fstab_device_path(struct arena *a, struct span source);

/* Is it a bind mount: a directory of another row's filesystem? */
bool fstab_is_bind(const struct fstab_row *row);

#endif
