/* SQL probe, theme files: could the server not open as many files as it asked for at its start? It says so in
 * its error log alone; what it made of its settings then tells as much, and only where that does not, the
 * log is asked. */
#include "probes/setters.h"
#include "probes/sql.h"

#include "advisor/base/banned.h"

#define FACT "server.process.log_open_files_warning"

const struct fact_decl sql_file_decls[SQL_FILE_DECLS] = {
    {FACT, KIND_BOOL, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "at its start the server could not open as many files as it asked for",
     "open_files_limit, table_open_cache and where they came from; performance_schema.error_log",
     "SELECT on performance_schema.*"},
};

enum answer { ANSWER_NO, ANSWER_YES, ANSWER_OPEN };

/* The word of server.source.NAME; empty: not told. */
static struct span source_of(struct sql *s, const char *name)
{
    char room[SQL_FACT_ROOM];
    const char *const fact = sql_fact_name(room, "server.source.", span_of(name), true);
    const struct fact *const f = store_get(s->ctx->store, s->ctx->subject, span_of(fact));
    return f != NULL && f->state == FACT_KNOWN ? f->value.text : (struct span){"", 0};
}

static bool came_from(struct sql *s, const char *name, const char *word)
{
    return span_eq_text(source_of(s, name), word);
}

static bool number_of(struct sql *s, const char *name, uint64_t *ret)
{
    struct num n;
    return sql_number(&s->variables, name, &n) && num_to_u64(n, ret) && *ret < UINT32_MAX;
}

/* Files that MariaDB asks for its thread pool; none where one is in use. */
static bool pool_groups(struct sql *s, uint64_t *ret)
{
    const struct span *const handling = sql_value(&s->variables, "thread_handling");
    *ret = 0;
    return handling != NULL &&
           (span_eq_text(*handling, "pool-of-threads") || number_of(s, "thread_pool_size", ret));
}

/* MariaDB, tried with 10.11.19 and 11.8.9: it asks for 30, for one a group of the thread pool (also where no
 * pool is used: as many as processors), for one a connection, and for two a cached table in each instance of
 * the cache. Where it gets fewer, it lowers instances, then the cache, then the connections, and calls what it
 * lowered AUTO. Where it gets fewer than were set and enough all the same, open_files_limit alone is AUTO and
 * above what it asked for. */
static enum answer ask_mariadb(struct sql *s)
{
    static const char *const lowered[] = {"table_open_cache_instances", "table_open_cache",
                                          "max_connections"};
    uint64_t limit = 0, connections = 0, extra = 0, cache = 0, instances = 0, groups = 0;
    bool changed = false;
    for (size_t i = 0; i < ARRAY_LEN(lowered); i++) {
        if (came_from(s, lowered[i], "auto")) {
            return ANSWER_YES;
        }
        if (source_of(s, lowered[i]).len == 0) {
            return ANSWER_OPEN;
        }
        changed = changed || came_from(s, lowered[i], "dynamic");
    }
    if (!number_of(s, "open_files_limit", &limit) || !number_of(s, "max_connections", &connections) ||
        !number_of(s, "extra_max_connections", &extra) ||
        !number_of(s, "table_open_cache", &cache) ||
        !number_of(s, "table_open_cache_instances", &instances) || !pool_groups(s, &groups)) {
        return ANSWER_OPEN;
    }
    changed = changed || came_from(s, "thread_pool_size", "dynamic");
    if (changed) { /* with several instances those would have been lowered first */
        return instances > 1 ? ANSWER_NO : ANSWER_OPEN;
    }
    const uint64_t wanted = 30 + groups + connections + extra + 2 * cache * instances;
    const uint64_t least = 5 * (connections + extra);
    const uint64_t most = wanted > least ? wanted : least;
    return came_from(s, "open_files_limit", "auto") && limit > most ? ANSWER_YES : ANSWER_NO;
}

/* MySQL, tried with 9.7.4: it asks for 10 and for each connection one, and two for each cached table; at least
 * five a connection and 5000, unless another number was set. Where it gets fewer, it warns, and lowers the
 * cache to what is left of them. */
static enum answer ask_mysql(struct sql *s)
{
    const uint64_t shipped = sql_is_mysql_from(s, 8, 0, 4) ? 4000 : 2000;
    uint64_t limit = 0, connections = 0, cache = 0;
    if (!number_of(s, "open_files_limit", &limit) || !number_of(s, "max_connections", &connections) ||
        !number_of(s, "table_open_cache", &cache)) {
        return ANSWER_OPEN;
    }
    const bool own_cache = came_from(s, "table_open_cache", "compiled");
    if (own_cache && cache < shipped) {
        return ANSWER_YES;
    }
    if (!came_from(s, "open_files_limit", "compiled") || source_of(s, "max_connections").len == 0 ||
        came_from(s, "max_connections", "dynamic") || source_of(s, "table_open_cache").len == 0 ||
        came_from(s, "table_open_cache", "dynamic")) {
        return ANSWER_OPEN;
    }
    if (limit < 5000 || limit < 5 * connections) {
        return ANSWER_YES;
    }
    /* A cache that was lowered leaves at most one file over. */
    return own_cache || limit > 10 + connections + 2 * cache + 1 ? ANSWER_NO : ANSWER_OPEN;
}

/* Lines of this start that the server still holds; none proves nothing where some were dropped. */
static void ask_log(struct sql *s)
{
    static const char source[] = "performance_schema.error_log";
    struct host_rows rows;
    struct err e = ERR_INIT;
    struct num dropped, hits;
    size_t at = 0;
    if (!sql_ask(s, "open-files-log", &rows, &e)) {
        if (e.code == E_NOT_SUPPORTED) {
            set_unknown(s->ctx, FACT, FACT_ABSENT, source,
                        "look for 'max_open_files' in the server's error log",
                        "this version tells it in its error log alone");
        } else {
            sql_failed(s, FACT, &e, SQL_GRANT_PERFORMANCE_SCHEMA, source);
        }
        return;
    }
    const bool counted = rows.n_rows == 1 && sql_column(&rows, "hits", &at) &&
                         num_parse(sql_cell(&rows, 0, at)->text, &hits);
    const bool whole =
        sql_number(&s->status, "Error_log_expired_events", &dropped) && num_is_zero(dropped);
    if (counted && (!num_is_zero(hits) || whole)) {
        set_bool(s->ctx, FACT, !num_is_zero(hits), source);
    } else {
        set_unknown(s->ctx, FACT, FACT_ABSENT, source,
                    "look for 'max_open_files' in the server's error log",
                    "the server holds no more of its log from its start");
    }
}

void sql_read_files(struct sql *s)
{
    const char *const source = "open_files_limit, table_open_cache, and where they came from";
    if (!s->variables.ok || !s->has_version) {
        sql_missing(s, FACT, &s->variables, "open_files_limit");
        return;
    }
    const enum answer a = s->flavour == SQL_MARIADB ? ask_mariadb(s) : ask_mysql(s);
    if (a != ANSWER_OPEN) {
        set_bool(s->ctx, FACT, a == ANSWER_YES, source);
    } else if (s->flavour == SQL_MARIADB) {
        set_unknown(s->ctx, FACT, FACT_ABSENT, source,
                    "look for 'max_open_files' in the server's error log",
                    "this server tells it in its error log alone");
    } else {
        ask_log(s);
    }
}
