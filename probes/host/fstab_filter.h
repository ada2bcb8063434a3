/* The table of filesystems without its secrets, inside the seam: network filesystems keep passwords among
 * their options, and comments hold anything. Pure. */
#ifndef NVADVISE_PROBES_HOST_FSTAB_FILTER_H
#define NVADVISE_PROBES_HOST_FSTAB_FILTER_H

#include "advisor/base/str.h"

/* Is `path` the table, below the server's root or our own? */
bool fstab_is_table(const char *path);

/* Append each row of `text` as "source path type options" and a newline, its fields as they are, one blank
 * between them; options that may be secrets become "name=***", a source with an account in it "***". The
 * two numbers behind them (dump, pass of fsck) follow where they are one digit each.
 * Comments, and rows of fewer than three fields, are left out; without options "defaults" stands. */
void fstab_filter(struct buf *out, struct span text);

#endif
