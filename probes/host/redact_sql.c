/* Result sets: the first column is a name, or columns have one; values by it. Knows the seam's own
 * form of rows only. */
#include "probes/host/redact_parts.h"

#include <string.h>

#include "probes/host/reply.h"
#include "probes/host/sql_filter.h"

#include "advisor/base/banned.h"

/* Statements whose first column names what the others hold. */
static bool is_named_by_row(const char *id)
{
    static const char *const ids[] = {"variables", "status", "innodb-metrics"};
    for (size_t i = 0; i < ARRAY_LEN(ids); i++) {
        if (strcmp(id, ids[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void add_cell(struct redactor *r, const char *id, const struct host_rows *rows, size_t row,
                     size_t column, struct buf *out)
{
    const struct host_cell *const cells = rows->cells + row * rows->n_columns;
    const struct span text = cells[column].text, head = rows->columns[column];
    const bool named = is_named_by_row(id);
    const bool origins = strcmp(id, "variable-origins") == 0;
    if (span_eq_text(text, SQL_BLANKED)) {
        buf_add_span(out, text);
    } else if ((named || origins) && column == 0) {
        redact_add_text(r, out, text, &redact_option);
    } else if (named && !cells[0].null) {
        redact_add_value(r, out, cells[0].text, text);
    } else if (strcmp(id, "innodb-status") == 0) {
        redact_add_text(r, out, text, &redact_text);
    } else {
        redact_add_value(r, out, head, text);
    }
}

void redact_sql(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    ARENA_AUTO scratch = arena_new();
    struct host_rows rows;
    struct err ignored = ERR_INIT;
    if (!reply_read_rows(scratch, in, &rows, &ignored)) {
        redact_add_text(r, out, in, &redact_path);
        return;
    }
    struct buf cell;
    buf_init(&cell, scratch, REDACT_BYTES_MAX);
    for (size_t i = 0; i < rows.n_columns; i++) {
        cell.len = 0;
        redact_add_text(r, &cell, rows.columns[i], &redact_option);
        reply_rows_cell(out, i == 0, false, buf_span(&cell));
    }
    reply_rows_end_line(out);
    for (size_t row = 0; row < rows.n_rows; row++) {
        for (size_t i = 0; i < rows.n_columns; i++) {
            const bool null = rows.cells[row * rows.n_columns + i].null;
            cell.len = 0;
            if (!null) {
                add_cell(r, key, &rows, row, i, &cell);
            }
            reply_rows_cell(out, i == 0, null, buf_span(&cell));
        }
        reply_rows_end_line(out);
    }
}
