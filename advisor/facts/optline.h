/* One option that a server reads, as a word of the list facts server.option.lines and
 * server.option.other_lines: who reads option files writes it, who judges them takes it apart.
 *
 *   FILE:LINE:[GROUP]NAME=VALUE        FILE:LINE:[GROUP]NAME        (no value was given)
 *
 * Written %XX: '%' and bytes below 0x20 and 0x7f everywhere, ':' in FILE, ']' in GROUP, '=' in NAME, and
 * all bytes above 0x7f of a part that is no UTF-8. So every byte survives, and every word is text. FILE "(command line)": LINE counts arguments from 1. FILE "(environment)": LINE 0.
 * GROUP "(persisted)": from mysqld-auto.cnf (SET PERSIST), which is read last; LINE 0. GROUP "" with a
 * file: an option that stands outside the groups, only possible in the file of `check --options`. */
#ifndef NVADVISE_ADVISOR_FACTS_OPTLINE_H
#define NVADVISE_ADVISOR_FACTS_OPTLINE_H

#include "advisor/base/arena.h"
#include "advisor/base/str.h"

#define OPTLINE_COMMAND_LINE "(command line)"
#define OPTLINE_ENVIRONMENT "(environment)"
#define OPTLINE_PERSISTED "(persisted)" /* a group */

struct optline {
    struct span file, group, name, value; /* name as written; value unescaped, secrets "***" */
    bool has_value;                       /* "name=" has one, an empty one; "name" has none */
    unsigned line;
};

/* Append the word. A FILE may not be empty. */
void optline_print(struct buf *b, const struct optline *l);

/* Take a word apart; texts live in the arena or point into `word`. false: it is none. */
bool optline_read(struct arena *a, struct span word, struct optline *ret);

/* "FILE:LINE" for people ("command line", "mysqld-auto.cnf"), appended; not escaped. */
void optline_place(struct buf *b, const struct optline *l);

#endif
