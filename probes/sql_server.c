/* SQL probe, theme server: who it is, how it is used, and switches whose spelling differs between
 * versions. */
#include <string.h>

#include "probes/setters.h"
#include "probes/sql.h"

#include "advisor/base/banned.h"

const struct fact_decl sql_server_decls[SQL_SERVER_DECLS] = {
    {"server.flavour", KIND_ENUM, "mysql,percona,mariadb", SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "who built it", "VERSION(), version_comment, variables", ""},
    {"server.version", KIND_VERSION, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "version, compared within its flavour", "VERSION()", ""},
    {"server.version_string", KIND_STRING, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "version as printed", "VERSION()", ""},
    {"server.uptime", KIND_SECONDS, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE, "time since start",
     "status Uptime", ""},
    {"server.read_only", KIND_BOOL, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "ordinary or all accounts may not write", "read_only, super_read_only", ""},
    {"server.session.max_used", KIND_COUNT, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "most sessions at one time since start, our own left out", "status Max_used_connections", ""},
    {"server.session.running", KIND_COUNT, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "sessions at work, our own left out", "status Threads_running", ""},
    {"server.binlog.enabled", KIND_BOOL, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "a binary log is written", "log_bin", ""},
    {"server.binlog.engine", KIND_ENUM, "file,innodb", SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "what keeps the binary log", "binlog_storage_engine", ""},
    {"server.doublewrite.mode", KIND_ENUM, "on,off,detect_only,fast", SUBJECT_SERVER, FOLD_SAME,
     NEED_NONE, "doublewrite as it is in force, all spellings folded", "innodb_doublewrite", ""},
    {"server.redo.enabled", KIND_BOOL, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "redo logging is on", "status Innodb_redo_log_enabled", ""},
    {"server.redo.write_rate_avg", KIND_BYTES_PER_S, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "redo written per second since start; on MySQL an upper bound", "status Innodb_os_log_written",
     ""},
    {"server.memory.pfs", KIND_BYTES, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "memory of the performance schema", "memory_summary_global_by_event_name",
     "SELECT on performance_schema.*"},
};

static bool has_word(struct span s, const char *word)
{
    const size_t n = strlen(word);
    for (size_t i = 0; i + n <= s.len; i++) {
        if (span_eq_nocase(span_sub(s, i, n), span_of(word))) {
            return true;
        }
    }
    return false;
}

/* A suffix such as -28 shows nothing: distributions add one too. */
static enum sql_flavour flavour_of(const struct sql *s)
{
    static const char *const percona_only[] = {
        "innodb_cleaner_lsn_age_factor",
        "innodb_empty_free_list_algorithm",
        "innodb_print_lock_wait_timeout_info",
    };
    if (has_word(s->version_text, "mariadb") || has_word(s->comment, "mariadb")) {
        return SQL_MARIADB;
    }
    bool percona = has_word(s->version_text, "percona") || has_word(s->comment, "percona");
    for (size_t i = 0; i < ARRAY_LEN(percona_only); i++) {
        percona = percona || sql_value(&s->variables, percona_only[i]) != NULL;
    }
    return percona ? SQL_PERCONA : SQL_MYSQL;
}

/* "user@host" as GRANT wants it; NULL when it holds what would need more care than it is worth. */
static const char *quote_account(struct arena *a, struct span text)
{
    const char *const at = text.len == 0 ? NULL : memrchr(text.ptr, '@', text.len);
    for (size_t i = 0; i < text.len; i++) {
        const unsigned char c = (unsigned char)text.ptr[i];
        if (c < 0x20 || c >= 0x7f || c == '\'' || c == '\\' || c == '`' || c == '"') {
            return NULL;
        }
    }
    if (at == NULL || at == text.ptr) {
        return NULL;
    }
    const size_t user = (size_t)(at - text.ptr);
    return arena_printf(a, "'%.*s'@'%.*s'", (int)user, text.ptr, (int)(text.len - user - 1),
                        at + 1);
}

static struct span text_at(const struct host_rows *rows, const char *column)
{
    size_t at = 0;
    if (rows->n_rows == 0 || !sql_column(rows, column, &at) || sql_cell(rows, 0, at)->null) {
        return (struct span){"", 0};
    }
    return sql_cell(rows, 0, at)->text;
}

static void read_version(struct sql *s)
{
    struct probe_ctx *const ctx = s->ctx;
    struct host_rows rows;
    struct err e = ERR_INIT;
    static const char source[] = "SELECT VERSION()";
    if (!sql_ask(s, "version", &rows, &e)) {
        sql_failed(s, "server.version", &e, SQL_GRANT_NONE, source);
        sql_failed(s, "server.version_string", &e, SQL_GRANT_NONE, source);
        sql_failed(s, "server.flavour", &e, SQL_GRANT_NONE, source);
        return;
    }
    s->version_text = text_at(&rows, "version");
    s->comment = text_at(&rows, "version_comment");
    s->account = quote_account(ctx->arena, text_at(&rows, "account"));
    s->has_version = version_parse(s->version_text, &s->version);
    set_text(ctx, "server.version_string", s->version_text, source);
    if (s->has_version) {
        store_known(ctx->store, ctx->subject, "server.version", value_version(s->version), source);
    } else {
        set_unknown(ctx, "server.version", FACT_ABSENT, source, "", "it is no version");
    }
}

static void read_flavour(struct sql *s)
{
    static const char *const words[] = {
        [SQL_MYSQL] = "mysql", [SQL_PERCONA] = "percona", [SQL_MARIADB] = "mariadb"};
    s->flavour = flavour_of(s);
    if (s->version_text.len == 0) {
        return;
    }
    if (s->flavour == SQL_MYSQL && !s->variables.ok) { /* Percona's own ones would have told */
        sql_missing(s, "server.flavour", &s->variables, "version_comment");
    } else {
        set_enum(s->ctx, "server.flavour", words[s->flavour], "VERSION(), version_comment");
    }
}

/* MariaDB's server_uid is made of the network card and the port: two servers without a port share
 * it.
 */
static void read_identity(struct sql *s)
{
    struct probe_ctx *const ctx = s->ctx;
    const struct span *const uuid = sql_value(&s->variables, "server_uuid");
    const struct span *const uid = sql_value(&s->variables, "server_uid");
    const struct span *const datadir = sql_value(&s->variables, "datadir");
    if (uuid != NULL && uuid->len > 0 && uuid->len <= 64) {
        ctx->subject->identity = span_dup(store_arena(ctx->store), *uuid);
    } else if (uid != NULL && datadir != NULL && uid->len > 0 && uid->len <= 64 &&
               datadir->len <= 4096) {
        ctx->subject->identity =
            arena_printf(store_arena(ctx->store), "%.*s %.*s", SPAN_ARG(*uid), SPAN_ARG(*datadir));
    }
}

/* ---- use ------------------------------------------------------------------------------------- */

static struct num less_one(struct num n)
{
    struct num less;
    return num_is_zero(n) || num_sub(n, num_u64(1), &less) != NUM_OK ? num_u64(0) : less;
}

/* The peak is ours when it was never higher than what is connected now, we among them. */
static void read_sessions(struct sql *s)
{
    const struct sql_table *const t = &s->status;
    struct num peak, now, running;
    if (!sql_number(t, "Max_used_connections", &peak)) {
        sql_missing(s, "server.session.max_used", t, "Max_used_connections");
    } else {
        const bool ours = sql_number(t, "Threads_connected", &now) && num_cmp(peak, now) <= 0;
        set_num(s->ctx, "server.session.max_used", KIND_COUNT, ours ? less_one(peak) : peak,
                sql_source(s, t, "Max_used_connections"));
    }
    if (!s->variables.ok) {
        sql_missing(s, "server.session.running", &s->variables, "event_scheduler");
    } else if (sql_number(t, "Threads_running", &running)) {
        const struct span *const events = sql_value(&s->variables, "event_scheduler");
        bool scheduler = false;
        if (events != NULL && sql_switch(*events, &scheduler) && scheduler) {
            running = less_one(running); /* its thread counts as one at work, even when idle */
        }
        set_num(s->ctx, "server.session.running", KIND_COUNT, less_one(running),
                sql_source(s, t, "Threads_running"));
    } else {
        sql_missing(s, "server.session.running", t, "Threads_running");
    }
    if (!sql_set_number(s, "server.uptime", KIND_SECONDS, t, "Uptime")) {
        sql_missing(s, "server.uptime", t, "Uptime");
    }
}

static void read_write_rate(struct sql *s)
{
    static const char fact[] = "server.redo.write_rate_avg";
    const struct sql_table *const t = &s->status;
    struct num bytes, seconds, rate;
    if (!sql_number(t, "Innodb_os_log_written", &bytes) || bytes.neg) {
        sql_missing(s, fact, t, "Innodb_os_log_written");
    } else if (!sql_number(t, "Uptime", &seconds) || seconds.neg ||
               num_div(bytes, seconds, &rate) != NUM_OK) {
        sql_missing(s, fact, t, "Uptime");
    } else {
        set_num(s->ctx, fact, KIND_BYTES_PER_S, rate, "status 'Innodb_os_log_written', 'Uptime'");
    }
}

/* ---- switches -------------------------------------------------------------------------------- */

/* MariaDB 12 has words beyond ON: all of them forbid writing. */
static void read_read_only(struct sql *s)
{
    static const char fact[] = "server.read_only";
    const struct sql_table *const t = &s->variables;
    const struct span *const one = sql_value(t, "read_only");
    const struct span *const all = sql_value(t, "super_read_only");
    bool on = false, all_on = false;
    if (one == NULL) {
        sql_missing(s, fact, t, "read_only");
        return;
    }
    on = !sql_switch(*one, &on) || on;
    set_bool(s->ctx, fact, on || (all != NULL && sql_switch(*all, &all_on) && all_on),
             sql_source(s, t, "read_only"));
}

static void read_binlog(struct sql *s)
{
    const struct sql_table *const t = &s->variables;
    const struct span *const log_bin = sql_value(t, "log_bin");
    const struct span *const engine = sql_value(t, "binlog_storage_engine");
    bool on = false;
    if (log_bin != NULL && sql_switch(*log_bin, &on)) {
        set_bool(s->ctx, "server.binlog.enabled", on, sql_source(s, t, "log_bin"));
    } else {
        sql_missing(s, "server.binlog.enabled", t, "log_bin");
    }
    if (engine != NULL && span_eq_nocase(*engine, SPAN_LIT("innodb"))) {
        set_enum(s->ctx, "server.binlog.engine", "innodb",
                 sql_source(s, t, "binlog_storage_engine"));
    } else if (t->ok && (engine == NULL || engine->len == 0)) {
        set_enum(s->ctx, "server.binlog.engine", "file", sql_source(s, t, "binlog_storage_engine"));
    } else {
        sql_missing(s, "server.binlog.engine", t, "binlog_storage_engine");
    }
}

static void read_doublewrite(struct sql *s)
{
    static const char fact[] = "server.doublewrite.mode";
    static const struct {
        const char *said, *word;
    } words[] = {
        {"DETECT_AND_RECOVER", "on"},
        {"DETECT_ONLY", "detect_only"},
        {"FAST", "fast"},
    };
    const struct sql_table *const t = &s->variables;
    const struct span *const text = sql_value(t, "innodb_doublewrite");
    const char *const source = sql_source(s, t, "innodb_doublewrite");
    bool on = false;
    if (text != NULL && sql_switch(*text, &on)) {
        set_enum(s->ctx, fact, on ? "on" : "off", source);
        return;
    }
    for (size_t i = 0; text != NULL && i < ARRAY_LEN(words); i++) {
        if (span_eq_nocase(*text, span_of(words[i].said))) {
            set_enum(s->ctx, fact, words[i].word, source);
            return;
        }
    }
    sql_missing(s, fact, t, "innodb_doublewrite");
}

/* Only MySQL since 8.0.21 can turn it off. */
static void read_redo_enabled(struct sql *s)
{
    static const char fact[] = "server.redo.enabled", name[] = "Innodb_redo_log_enabled";
    const struct span *const text = sql_value(&s->status, name);
    bool on = false;
    if (text != NULL && sql_switch(*text, &on)) {
        set_bool(s->ctx, fact, on, sql_source(s, &s->status, name));
    } else if (text == NULL && s->has_version && !sql_is_mysql_from(s, 8, 0, 21)) {
        set_bool(s->ctx, fact, true, "this version cannot turn it off");
    } else {
        sql_missing(s, fact, &s->status, name);
    }
}

static void read_pfs(struct sql *s)
{
    static const char fact[] = "server.memory.pfs";
    static const char source[] = "performance_schema.memory_summary_global_by_event_name";
    const struct span *const enabled = sql_value(&s->variables, "performance_schema");
    struct host_rows rows;
    struct err e = ERR_INIT;
    bool on = false;
    struct num bytes;
    if (enabled != NULL && sql_switch(*enabled, &on) && !on) {
        set_u64(s->ctx, fact, KIND_BYTES, 0, sql_source(s, &s->variables, "performance_schema"));
    } else if (enabled == NULL && s->variables.ok) {
        set_u64(s->ctx, fact, KIND_BYTES, 0, "no variable 'performance_schema': not built in");
    } else if (!sql_ask(s, "pfs-memory", &rows, &e)) {
        e.code = e.code == E_NOT_SUPPORTED ? E_IO : e.code; /* it is there, and takes memory */
        sql_failed(s, fact, &e, SQL_GRANT_PERFORMANCE_SCHEMA, source);
    } else if (num_parse(text_at(&rows, "bytes"), &bytes) && bytes.tag == NUM_INT && !bytes.neg) {
        set_num(s->ctx, fact, KIND_BYTES, bytes, source);
    } else {
        set_unknown(s->ctx, fact, FACT_ABSENT, source, "", "the server does not count it");
    }
}

void sql_ask_server(struct sql *s)
{
    read_version(s);
    sql_ask_table(s, "variables", &s->variables);
    sql_ask_table(s, "status", &s->status);
    read_flavour(s);
}

void sql_read_server(struct sql *s)
{
    read_identity(s);
    read_sessions(s);
    read_write_rate(s);
    read_read_only(s);
    read_binlog(s);
    read_doublewrite(s);
    read_redo_enabled(s);
    read_pfs(s);
}
