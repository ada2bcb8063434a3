/* The seam's own replies as text: made by the live backend (and by tests), read by the wrappers.
 *
 * Knows nothing of where the values come from. Readers take hostile bytes: E_CORRUPT, never a
 * crash. */
#ifndef NVADVISE_PROBES_HOST_REPLY_H
#define NVADVISE_PROBES_HOST_REPLY_H

#include "probes/host/host.h"

/* Words "name=value" in one line. */
struct span reply_stat(struct arena *a, const struct host_stat *st);
struct span reply_statfs(struct arena *a, const struct host_statfs *st);
struct span reply_size(struct arena *a, const struct host_size *sz);
struct span reply_xfs(struct arena *a, const struct host_xfs *x);
struct span reply_extents(struct arena *a, const struct host_extents *e);
struct span reply_who(struct arena *a, const struct host_who *who);

/* A line of words, with the number of bytes that follow it; then the text. */
struct span reply_optfile(struct arena *a, const struct host_optfile *file);

/* One name a line, escaped as below. */
struct span reply_names(struct arena *a, const struct span *names, size_t n);
struct span reply_uname(struct arena *a, const struct host_uname *u); /* five lines */

/* A line of column names, then a line a row; cells separated by a tab; \N = NULL; in cells and
 * names backslash, tab, newline, CR and NUL are \\ \t \n \r \0. */
void reply_rows_cell(struct buf *b, bool first, bool null, struct span text);
void reply_rows_end_line(struct buf *b);

ATTR_NODISCARD bool reply_read_stat(struct span s, struct host_stat *ret, struct err *reterr);
ATTR_NODISCARD bool reply_read_statfs(struct span s, struct host_statfs *ret, struct err *reterr);
ATTR_NODISCARD bool reply_read_size(struct span s, struct host_size *ret, struct err *reterr);
ATTR_NODISCARD bool reply_read_xfs(struct span s, struct host_xfs *ret, struct err *reterr);
ATTR_NODISCARD bool reply_read_extents(struct span s, struct host_extents *ret, struct err *reterr);
ATTR_NODISCARD bool reply_read_who(struct span s, struct host_who *ret, struct err *reterr);
/* `ret->text` points into `s`. E_CUT: there are fewer or more bytes than it says. */
ATTR_NODISCARD bool reply_read_optfile(struct span s, struct host_optfile *ret, struct err *reterr);
ATTR_NODISCARD bool reply_read_names(struct arena *a, struct span s, struct host_names *ret,
                                     struct err *reterr);
ATTR_NODISCARD bool reply_read_uname(struct arena *a, struct span s, struct host_uname *ret,
                                     struct err *reterr);
ATTR_NODISCARD bool reply_read_rows(struct arena *a, struct span s, struct host_rows *ret,
                                    struct err *reterr);

#endif
