/* SQL probe, theme origins: where each variable's value came from, and the range that this server
 * takes. MySQL tells of both from 8.0 on, MariaDB also of steps and of what needs a restart. */
#include "probes/setters.h"
#include "probes/sql.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

const struct fact_decl sql_origin_decls[SQL_ORIGIN_DECLS] = {
    {"server.source.", KIND_ENUM, "compiled,auto,file,persisted,command_line,dynamic",
     SUBJECT_SERVER, FOLD_SAME, NEED_NONE, "where the value in force of a variable came from",
     "variables_info, SYSTEM_VARIABLES", ""},
    {"server.var_min.", KIND_COUNT, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "smallest whole number that this server takes for a variable, as in an option file",
     "variables_metadata, SYSTEM_VARIABLES", ""},
    {"server.var_max.", KIND_COUNT, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "largest whole number that this server takes for a variable, as in an option file",
     "variables_metadata, SYSTEM_VARIABLES", ""},
    {"server.var_step.", KIND_COUNT, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "numbers of a variable are rounded down to a multiple of this", "SYSTEM_VARIABLES", ""},
    {"server.var_dynamic.", KIND_BOOL, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "SET GLOBAL changes the variable", "SYSTEM_VARIABLES", ""},
};

/* MySQL's words (variables_info), then MariaDB's (SYSTEM_VARIABLES). ENVIRONMENT is what the server
 * found out by itself at its start (basedir). */
static const struct {
    const char *said, *word;
} origins[] = {
    {"COMPILED", "compiled"},
    {"GLOBAL", "file"},
    {"SERVER", "file"},
    {"EXPLICIT", "file"},
    {"EXTRA", "file"},
    {"USER", "file"},
    {"LOGIN", "file"},
    {"COMMAND_LINE", "command_line"},
    {"PERSISTED", "persisted"},
    {"DYNAMIC", "dynamic"},
    {"COMPILE-TIME", "compiled"},
    {"CONFIG", "file"},
    {"COMMAND-LINE", "command_line"},
    {"AUTO", "auto"},
    {"ENVIRONMENT", "auto"},
    {"SQL", "dynamic"},
};

/* Where each column of the reply stands; n_columns: it has none such. */
struct columns {
    size_t name, origin, path, min, max, step, read_only;
};

static size_t column(const struct host_rows *rows, const char *name)
{
    size_t at = rows->n_columns;
    return sql_column(rows, name, &at) ? at : rows->n_columns;
}

/* The text of a cell; NULL when there is none. */
static const struct span *cell(const struct host_rows *rows, size_t row, size_t at)
{
    if (at >= rows->n_columns) {
        return NULL;
    }
    const struct host_cell *const c = sql_cell(rows, row, at);
    return c->null ? NULL : &c->text;
}

static void set_origin(struct sql *s, struct span name, const struct span *said,
                       const struct span *path, const char *source)
{
    struct probe_ctx *const ctx = s->ctx;
    char room[SQL_FACT_ROOM];
    for (size_t i = 0; said != NULL && i < ARRAY_LEN(origins); i++) {
        if (!span_eq_nocase(*said, span_of(origins[i].said))) {
            continue;
        }
        if (path != NULL && path->len > 0) {
            const struct span clean = text_clean(ctx->arena, *path);
            source = arena_printf(ctx->arena, "%s: %.*s", source, SPAN_ARG(clean));
        }
        set_enum(ctx, sql_fact_name(room, "server.source.", name, true), origins[i].word, source);
        return;
    }
}

static void set_bound(struct sql *s, const char *family, struct span name, struct num n,
                      const char *source)
{
    char room[SQL_FACT_ROOM];
    set_num(s->ctx, sql_fact_name(room, family, name, true), KIND_COUNT, n, source);
}

/* 0 to 0 is how MySQL 8 says that a variable has no range. */
static void set_range(struct sql *s, struct span name, const struct span *min,
                      const struct span *max, const char *source)
{
    struct num low, high;
    if (min == NULL || max == NULL || !num_parse(*min, &low) || !num_parse(*max, &high) ||
        num_ceil(low, &low) != NUM_OK || num_floor(high, &high) != NUM_OK ||
        num_cmp(low, high) >= 0 || high.tag == NUM_UNLIMITED) {
        return;
    }
    set_bound(s, "server.var_min.", name, low, source);
    set_bound(s, "server.var_max.", name, high, source);
}

static void set_row(struct sql *s, const struct host_rows *rows, const struct columns *at,
                    size_t row, const char *source)
{
    const struct span *const name = cell(rows, row, at->name);
    char room[SQL_FACT_ROOM];
    if (name == NULL || !sql_is_name(*name)) {
        return;
    }
    set_origin(s, *name, cell(rows, row, at->origin), cell(rows, row, at->path), source);
    const char *const variable = sql_fact_name(room, "server.var.", *name, true);
    if (decl_find(store_decls(s->ctx->store), span_of(variable), false) == NULL) {
        return; /* nobody plans a value for it */
    }
    set_range(s, *name, cell(rows, row, at->min), cell(rows, row, at->max), source);
    const struct span *const step = cell(rows, row, at->step);
    const struct span *const read_only = cell(rows, row, at->read_only);
    struct num n;
    bool fixed = false;
    if (step != NULL && num_parse(*step, &n) && n.tag == NUM_INT && num_cmp(n, num_u64(1)) > 0) {
        set_bound(s, "server.var_step.", *name, n, source);
    }
    if (read_only != NULL && sql_switch(*read_only, &fixed)) {
        set_bool(s->ctx, sql_fact_name(room, "server.var_dynamic.", *name, true), !fixed, source);
    }
}

void sql_read_origins(struct sql *s)
{
    struct host_rows rows;
    struct err e = ERR_INIT;
    const char *const source = s->flavour == SQL_MARIADB ? "information_schema.SYSTEM_VARIABLES"
                                                         : "performance_schema.variables_info";
    if (!sql_ask(s, "variable-origins", &rows, &e)) {
        return; /* families have no member then; the catalogue's ranges stand */
    }
    const struct columns at = {
        .name = column(&rows, "name"),
        .origin = column(&rows, "origin"),
        .path = column(&rows, "path"),
        .min = column(&rows, "low"),
        .max = column(&rows, "high"),
        .step = column(&rows, "step"),
        .read_only = column(&rows, "read_only"),
    };
    for (size_t i = 0; i < rows.n_rows; i++) {
        set_row(s, &rows, &at, i, source);
    }
}
