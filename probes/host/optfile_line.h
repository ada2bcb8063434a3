/* One line of an option file (my.cnf), byte by byte as the servers' own reader takes it. Knows nothing of
 * files, and not what an option means. */
#ifndef NVADVISE_PROBES_HOST_OPTFILE_LINE_H
#define NVADVISE_PROBES_HOST_OPTFILE_LINE_H

#include "advisor/base/arena.h"
#include "advisor/base/str.h"

#define OPTFILE_LINE_MAX 4094u /* the servers' line buffer: what is longer is split there */

enum optfile_line_kind {
    OPTFILE_EMPTY,       /* blank or comment */
    OPTFILE_GROUP,       /* [name] */
    OPTFILE_OPTION,      /* name, name=value */
    OPTFILE_INCLUDE,     /* !include value */
    OPTFILE_INCLUDEDIR,  /* !includedir value */
    OPTFILE_DIRECTIVE,   /* any other line that begins with '!': the servers pass over it */
    OPTFILE_BAD_GROUP,   /* '[' without ']' : fatal */
    OPTFILE_BAD_INCLUDE, /* a directive without its argument: fatal */
};

struct optfile_line {
    enum optfile_line_kind kind;
    struct span name;  /* group or option name, or the directive's word */
    struct span value; /* unescaped, quotes taken off; argument of a directive */
    bool has_value;    /* "name=" has one, an empty one; "name" has none */
};

/* Lex one line with its '\n', if it has one; a NUL ends it. Results point into `line` or live in
 * the arena. Cannot fail. */
struct optfile_line optfile_lex(struct arena *a, struct span line);

/* Take the next line off *rest as the servers do: through '\n', at most OPTFILE_LINE_MAX bytes.
 * *ret_split: the line goes on, and its tail will be read as a line of its own. false at the end.
 */
bool optfile_next_line(struct span *rest, struct span *ret, bool *ret_split);

/* The next line as MySQL reads them since 8.0.24 or so: whole, however long. A NUL and what stands behind it up
 * to the newline (or to the end of a buffer of 4095 bytes) is left out, and the line goes on in what follows;
 * one at the start of a line is the end of the file. *ret_from: bytes taken off *rest. */
bool optfile_whole_line(struct arena *a, struct span *rest, struct span *ret, size_t *ret_from);

/* What counts as a blank there: 0xA0 too, since the reader's character set is latin1. */
bool optfile_is_blank(char c);

/* An option's line up to the first '#' outside quotes. */
struct span optfile_drop_comment(struct span line);

#endif
