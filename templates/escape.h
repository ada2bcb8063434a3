/* How a value from outside is written into each kind of text, so that it cannot become structure. */
#ifndef NVADVISE_TEMPLATES_ESCAPE_H
#define NVADVISE_TEMPLATES_ESCAPE_H

#include "templates/template.h"

/* "cnf", "md", "sh", "none"; false for another word. */
bool escape_from_name(struct span name, enum escape *ret);

/* Append `s`, escaped:
 * cnf   every byte that is not printable ASCII as \xNN: a value stays on its line, a comment stays a
 *       comment, and no editor or character set makes another text of it
 * md    control bytes, DEL and broken UTF-8 as \xNN, and a backslash before \ ` * _ { } [ ] < > # | ! ~
 * sh    the same bytes so, in single quotes, a single quote as '\''
 * none  as it is */
void escape_add(struct buf *b, enum escape e, struct span s);

#endif
