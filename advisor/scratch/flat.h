/* The options of a start as one option file with one group: what a binary is asked to read when it
 * may not read the real files. */
#ifndef NVADVISE_ADVISOR_SCRATCH_FLAT_H
#define NVADVISE_ADVISOR_SCRATCH_FLAT_H

#include "advisor/facts/optline.h"

enum flat_fate {
    FLAT_WRITTEN,
    FLAT_ACTION, /* makes the server do something else than start: initialize, daemonize, user */
    FLAT_SECRET, /* its value is not known to us */
    FLAT_UNWRITABLE, /* no line of an option file can say it, or it is longer than a reader takes */
};

/* What becomes of a line. */
enum flat_fate flat_fate(const struct optline *l);

/* "[mysqld]" and the lines, in order; `skip` (may be NULL) says of each line whether it is left
 * out. Values are quoted and escaped for the servers' reader, so that any text without NUL
 * survives. */
void flat_print(const struct optline *lines, size_t n, const bool *skip, struct buf *b);

#endif
