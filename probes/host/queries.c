/* The table of statements. Each row says what it needs and what it costs; a statement whose cost
 * grows with the number of tables has no place here. */
#include "probes/host/queries.h"

#include <string.h>

#include "advisor/base/banned.h"

#define KIB(n) ((n)*1024u)

const struct query query_rows[] = {
    {.id = "guard-limits",
     .use = QUERY_GUARD,
     .flavours = QUERY_MARIADB,
     .text = "SET SESSION max_statement_time = 2, lock_wait_timeout = 1",
     .privilege = "",
     .cost = "none: this session only",
     .max_rows = 0,
     .max_bytes = KIB(1)},
    {.id = "guard-limits",
     .use = QUERY_GUARD,
     .flavours = QUERY_MYSQL,
     .since = 50708,
     .text = "SET SESSION max_execution_time = 2000, lock_wait_timeout = 1",
     .privilege = "",
     .cost = "none: this session only",
     .max_rows = 0,
     .max_bytes = KIB(1)},
    {.id = "guard-limits",
     .use = QUERY_GUARD,
     .flavours = QUERY_MYSQL,
     .until = 50708,
     .text = "SET SESSION lock_wait_timeout = 1",
     .privilege = "",
     .cost = "none: this session only",
     .max_rows = 0,
     .max_bytes = KIB(1)},
    {.id = "guard-read-only",
     .use = QUERY_GUARD,
     .flavours = QUERY_ANY,
     .text = "SET SESSION TRANSACTION READ ONLY",
     .privilege = "",
     .cost = "none: this session only",
     .max_rows = 0,
     .max_bytes = KIB(1)},
};

const size_t query_n_rows = ARRAY_LEN(query_rows);

const struct query *query_find(const char *id, enum query_flavour flavour, uint32_t version)
{
    for (size_t i = 0; i < query_n_rows; i++) {
        const struct query *q = &query_rows[i];
        if (strcmp(q->id, id) == 0 && (q->flavours & flavour) != 0 && version >= q->since &&
            (q->until == 0 || version < q->until)) {
            return q;
        }
    }
    return NULL;
}
