/* Takes secrets out of option files and of mysqld-auto.cnf, inside the seam: nothing of them is ever handed
 * out or recorded. Knows nothing of descriptors, and not what an option means. */
#ifndef NVADVISE_PROBES_HOST_OPTFILE_FILTER_H
#define NVADVISE_PROBES_HOST_OPTFILE_FILTER_H

#include "advisor/base/err.h"
#include "advisor/base/str.h"

/* `text` of an option file, appended to `out`, so that a reader of option files finds the same lines,
 * groups and options in it, but:
 * - the value of an option that may hold a secret or SQL text is "***", in whatever group;
 * - inside other values what follows a name that speaks of a secret, and what stands before the '@' of a
 *   URL, is "***";
 * - comments, what stands behind a group's ']' or a NUL, and unknown directives are gone;
 * - what follows a secret without being an option by its form (a value that somebody broke over lines) is
 *   'x' for each byte, and so is the tail of a line that is too long for the servers.
 * A line that the servers read as several stays so; with `whole` none is (optfile_whole_line). At most
 * 2 * text.len + 8 bytes. */
void optfile_blank_secrets(struct buf *out, struct span text, bool whole);

/* mysqld-auto.cnf: a document of the same sections, in which each variable has its value alone ("***" where
 * it may be a secret): no users, hosts and times, nothing encrypted. E_SYNTAX: it is no such document (the
 * text quotes nothing of it). */
ATTR_NODISCARD bool optfile_blank_persisted(struct arena *a, struct span text, struct span *ret,
                                            struct err *reterr);

#endif
