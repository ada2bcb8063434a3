/* Every SQL statement that this program can send, each a row of one table. `facts --queries` prints
 * the table, the live seam sends rows of it by id and nothing else.
 *
 * Knows nothing of what the answers mean. */
#ifndef NVADVISE_PROBES_HOST_QUERIES_H
#define NVADVISE_PROBES_HOST_QUERIES_H

#include "advisor/base/err.h"
#include "advisor/base/str.h"

/* Families by the server's greeting; Percona Server counts as MySQL here. Bits. */
enum query_flavour {
    QUERY_MYSQL = 1 << 0,
    QUERY_MARIADB = 1 << 1,
    QUERY_ANY = QUERY_MYSQL | QUERY_MARIADB,
};

/* What the seam takes out of a reply before anyone sees it (sql_filter.h). */
enum query_filter {
    FILTER_NONE,        /* holds no SQL text, no row data, no secrets */
    FILTER_STATUS_TEXT, /* the columns of `values` hold the text of SHOW ENGINE INNODB STATUS */
    FILTER_ROWS,        /* how many rows there are is all that comes out: a column "row" of NULL */
    FILTER_VARIABLES,   /* column 0: a variable's name; the columns of `values` are blanked by it */
};

enum query_use {
    QUERY_ASKED, /* by host_sql */
    QUERY_GUARD, /* sent by the seam itself before the first of the others, in the order of the
                    table */
};

struct query {
    const char *id; /* lower case, digits, dashes; rows with one id differ in flavour or versions */
    enum query_use use;
    unsigned flavours; /* enum query_flavour bits */
    uint32_t since,
        until; /* 10000 * major + 100 * minor + patch; from `since`, before `until`; 0: open */
    const char *text; /* one statement */
    const char
        *privilege;    /* "" = any account, else "PROCESS", "SELECT on performance_schema.*", … */
    const char *cost;  /* one line: what it costs the server */
    uint32_t max_rows; /* a larger reply is E_TOO_BIG and ends the connection */
    uint32_t max_bytes;
    enum query_filter filter;
    uint32_t values; /* with a filter: bit i = it looks at column i; never 0 then */
};

extern const struct query query_rows[];
extern const size_t query_n_rows;

/* At most this many statements on one connection, guards included. */
#define QUERY_STATEMENTS_MAX 20

/* The first row with this id for a server of `flavour` (one bit) and `version`; NULL when none. */
const struct query *query_find(const char *id, enum query_flavour flavour, uint32_t version);

/* Flavour and version of a server by its greeting's version text ("5.5.5-10.11.19-MariaDB-…");
 * false when it begins with no version. */
bool query_server(struct span greeting, enum query_flavour *ret_flavour, uint32_t *ret_version);

#endif
