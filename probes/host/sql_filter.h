/* Takes SQL text, row data and secrets out of a server's replies, inside the seam: nothing of them
 * is ever handed out or recorded. Knows nothing of connections. */
#ifndef NVADVISE_PROBES_HOST_SQL_FILTER_H
#define NVADVISE_PROBES_HOST_SQL_FILTER_H

#include "advisor/base/str.h"

/* Stands for a value that was not empty and may not be shown. A probe makes "not permitted: the
 * seam never reads it" of it. */
#define SQL_BLANKED "(not read: may hold SQL text or a secret)"

/* May this value of the server variable (or status counter) `name` not leave the seam? init_connect
 * and its like, and names that speak of passwords, tokens, keys: there numbers and switches may
 * pass, unless the name is that of the secret itself. An empty value never holds a secret. */
bool sql_is_secret(struct span name, struct span value);

/* The text of SHOW ENGINE INNODB STATUS without SQL text and row data: sections that hold none are
 * kept; of TRANSACTIONS the heading and the counters before the list; of the deadlock and foreign
 * key sections heading and time; of any section not known here only the heading. A statement's text
 * that imitates headings cannot bring a section in: what stands between the first unsafe heading
 * and the last "FILE I/O" is taken as unsafe, and when it shows more than one set of transaction
 * counters none is kept. Reads at most 4 MiB. */
struct span sql_filter_status(struct arena *a, struct span text);

#endif
