/* The SQL probe: what one server says of itself. This file logs in before privileges are dropped,
 * orders the questions, and says what to do when nobody can log in; themes are sql_*.c. */
#include "probes/sql.h"

#include <string.h>

#include "probes/setters.h"

#include "advisor/base/banned.h"

static const struct decl_rows tables[] = {
    {sql_server_decls, SQL_SERVER_DECLS},   {sql_variable_decls, SQL_VARIABLE_DECLS},
    {sql_counter_decls, SQL_COUNTER_DECLS}, {sql_position_decls, SQL_POSITION_DECLS},
    {sql_innodb_decls, SQL_INNODB_DECLS},   {sql_origin_decls, SQL_ORIGIN_DECLS},
    {sql_file_decls, SQL_FILE_DECLS},       {sql_replication_decls, SQL_REPLICATION_DECLS},
};

/* From open to run: why nobody is logged in. */
struct sql_login {
    bool ok;
    struct err err;
};

static bool sql_open(struct probe_ctx *ctx)
{
    struct sql_login *const login = arena_alloc(ctx->arena, sizeof(*login));
    struct span greeting;
    login->ok = host_open(ctx->host, "sql", &greeting, &login->err);
    ctx->priv = login;
    return true;
}

/* Every fact of the probe that is not set. Members of families cannot be listed, but for variables,
 * which the catalogue declares. */
static void all_unknown(struct probe_ctx *ctx, enum fact_state state, const char *source,
                        const char *remedy, const char *reason)
{
    for (size_t t = 0; t < ARRAY_LEN(tables); t++) {
        for (size_t i = 0; i < tables[t].n; i++) {
            const struct span name = span_of(tables[t].rows[i].name);
            if (!span_ends(name, ".") && store_get(ctx->store, ctx->subject, name) == NULL) {
                set_unknown(ctx, name.ptr, state, source, remedy, reason);
            }
        }
    }
    sql_variables_rest(ctx, state, source, remedy, reason);
}

/* One text for every fact, so that the report says it once. */
static const char login_remedy[] =
    "run as root where root@localhost logs in through the socket; or put user and password below "
    "[nvadvise] into /etc/nvadvise/client.cnf (mode 0600) or a file named with --defaults-file; "
    "or make an account: CREATE USER nvadvise@localhost IDENTIFIED VIA unix_socket (MySQL: "
    "IDENTIFIED WITH auth_socket); GRANT PROCESS ON *.* TO nvadvise@localhost; "
    "GRANT SELECT ON performance_schema.* TO nvadvise@localhost";

static void not_logged_in(struct probe_ctx *ctx, const struct err *e)
{
    enum fact_state state = fact_state_from_err(e->code);
    const char *remedy = login_remedy;
    if (e->code == E_CONNECT || e->code == E_NOT_SUPPORTED) {
        state = FACT_ABSENT; /* "not supported" would take the rules out of the run */
    }
    if (e->code == E_NOT_SUPPORTED || e->code == E_ABSENT || e->code == E_IO) {
        remedy = e->hint;
    }
    all_unknown(ctx, state, "login", remedy, e->text);
}

static void sql_run(struct probe_ctx *ctx)
{
    const struct sql_login *const login = ctx->priv;
    struct sql s = {
        .ctx = ctx,
        .variables = {.source = "variable", .grant = SQL_GRANT_NONE},
        .status = {.source = "status", .grant = SQL_GRANT_NONE},
        .metrics = {.source = "metric", .grant = SQL_GRANT_PROCESS},
    };
    struct sql_text text;
    if (login == NULL || !login->ok) {
        struct err none = ERR_INIT;
        err_set(&none, E_CONNECT, "nobody tried to log in");
        not_logged_in(ctx, login == NULL ? &none : &login->err);
        return;
    }
    sql_ask_server(&s);
    sql_read_variables(&s);
    sql_ask_table(&s, "innodb-metrics", &s.metrics);
    sql_ask_text(&s, &text);
    sql_read_server(&s);
    sql_read_counters(&s);
    sql_read_text(&s, &text);
    sql_read_positions(&s, &text);
    sql_read_origins(&s);
    sql_read_files(&s);
    sql_read_replication(&s); /* last: it may wait */
    all_unknown(ctx, FACT_ABSENT, "SQL probe", "", "this server does not tell it");
}

static void sql_lost(struct probe_ctx *ctx, enum fact_state state, const char *reason,
                     const char *remedy)
{
    all_unknown(ctx, state, "SQL probe", remedy, reason);
}

const struct probe probe_sql = {
    .name = "sql",
    .doc = "what a server says of itself: variables, counters, metrics, status text, origins",
    .identity = IDENTITY_NOBODY,
    .themes = tables,
    .n_themes = ARRAY_LEN(tables),
    .open = sql_open,
    .run = sql_run,
    .lost = sql_lost,
};
