/* SQL probe, theme positions: redo log, buffer pool and purge, each from the first source that this
 * version and account give: status, metric, status text. */
#include "probes/setters.h"
#include "probes/sql.h"

#include "advisor/base/banned.h"

#define COUNT(name, meaning, read_from)                                                            \
    {                                                                                              \
        name, KIND_COUNT, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE, meaning, read_from, ""       \
    }

const struct fact_decl sql_position_decls[SQL_POSITION_DECLS] = {
    COUNT("server.bp.bp_pages_total", "pages of the buffer pool",
          "status Innodb_buffer_pool_pages_total"),
    COUNT("server.bp.bp_pages_free", "free pages of the buffer pool",
          "status Innodb_buffer_pool_pages_free"),
    COUNT("server.bp.bp_pages_data", "pages of the buffer pool that hold data",
          "status Innodb_buffer_pool_pages_data"),
    COUNT("server.bp.bp_pages_dirty", "pages of the buffer pool that wait to be written",
          "status Innodb_buffer_pool_pages_dirty"),
    COUNT("server.redo.lsn", "position of the redo log's end, in bytes",
          "status, metric log_lsn_current, status text"),
    COUNT("server.redo.lsn_flushed", "position up to which the redo log is on disk",
          "status, status text"),
    COUNT("server.redo.lsn_checkpoint", "position of the last checkpoint",
          "status, metric log_lsn_last_checkpoint, status text"),
    COUNT("server.redo.lsn_pages_flushed", "position up to which pages are written", "status text"),
    {"server.redo.checkpoint_age", KIND_BYTES, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "redo that a crash would have to replay", "status, metric, status text", ""},
    COUNT("server.redo.log_pending_flushes", "flushes of the redo log under way", "status text"),
    COUNT("server.purge.history_list_length", "old row versions that wait to be purged",
          "status, metric trx_rseg_history_len, status text"),
};

enum source_kind { FROM_STATUS, FROM_METRIC, FROM_TEXT };

struct source {
    enum source_kind kind;
    const char *name;    /* FROM_STATUS, FROM_METRIC */
    enum innodb_key key; /* FROM_TEXT */
};

#define SOURCES_MAX 5

/* The first source that has the number counts. MySQL's names, then those of MariaDB and Percona. */
static const struct {
    const char *fact;
    enum kind kind;
    size_t n;
    struct source sources[SOURCES_MAX];
} positions[] = {
    {"server.bp.bp_pages_total",
     KIND_COUNT,
     2,
     {{FROM_STATUS, "Innodb_buffer_pool_pages_total", 0},
      {FROM_TEXT, NULL, INNODB_BP_PAGES_TOTAL}}},
    {"server.bp.bp_pages_free",
     KIND_COUNT,
     2,
     {{FROM_STATUS, "Innodb_buffer_pool_pages_free", 0}, {FROM_TEXT, NULL, INNODB_BP_PAGES_FREE}}},
    {"server.bp.bp_pages_data",
     KIND_COUNT,
     2,
     {{FROM_STATUS, "Innodb_buffer_pool_pages_data", 0}, {FROM_TEXT, NULL, INNODB_BP_PAGES_DATA}}},
    {"server.bp.bp_pages_dirty",
     KIND_COUNT,
     2,
     {{FROM_STATUS, "Innodb_buffer_pool_pages_dirty", 0},
      {FROM_TEXT, NULL, INNODB_BP_PAGES_DIRTY}}},
    {"server.redo.lsn",
     KIND_COUNT,
     4,
     {{FROM_STATUS, "Innodb_redo_log_current_lsn", 0},
      {FROM_STATUS, "Innodb_lsn_current", 0},
      {FROM_METRIC, "log_lsn_current", 0},
      {FROM_TEXT, NULL, INNODB_LSN}}},
    {"server.redo.lsn_flushed",
     KIND_COUNT,
     3,
     {{FROM_STATUS, "Innodb_redo_log_flushed_to_disk_lsn", 0},
      {FROM_STATUS, "Innodb_lsn_flushed", 0},
      {FROM_TEXT, NULL, INNODB_LSN_FLUSHED}}},
    {"server.redo.lsn_checkpoint",
     KIND_COUNT,
     4,
     {{FROM_STATUS, "Innodb_redo_log_checkpoint_lsn", 0},
      {FROM_STATUS, "Innodb_lsn_last_checkpoint", 0},
      {FROM_METRIC, "log_lsn_last_checkpoint", 0},
      {FROM_TEXT, NULL, INNODB_LSN_CHECKPOINT}}},
    {"server.redo.lsn_pages_flushed", KIND_COUNT, 1, {{FROM_TEXT, NULL, INNODB_LSN_PAGES_FLUSHED}}},
    {"server.redo.log_pending_flushes",
     KIND_COUNT,
     1,
     {{FROM_TEXT, NULL, INNODB_LOG_PENDING_FLUSHES}}},
    {"server.purge.history_list_length",
     KIND_COUNT,
     3,
     {{FROM_STATUS, "Innodb_history_list_length", 0},
      {FROM_METRIC, "trx_rseg_history_len", 0},
      {FROM_TEXT, NULL, INNODB_HISTORY_LIST_LENGTH}}},
    {"server.redo.checkpoint_age",
     KIND_BYTES,
     3,
     {{FROM_STATUS, "Innodb_checkpoint_age", 0},
      {FROM_METRIC, "log_lsn_checkpoint_age", 0},
      {FROM_TEXT, NULL, INNODB_CHECKPOINT_AGE}}},
};

/* Is the number there, and as what source? */
static bool from_source(struct sql *s, const struct sql_text *text, const struct source *from,
                        struct num *ret, const char **ret_source)
{
    const struct sql_table *const t = from->kind == FROM_STATUS ? &s->status : &s->metrics;
    if (from->kind == FROM_TEXT) {
        *ret_source = SQL_TEXT_SOURCE;
        *ret = text->status.value[from->key];
        return text->ok && text->status.known[from->key];
    }
    if (!sql_number(t, from->name, ret) || ret->neg) {
        return false;
    }
    *ret_source = sql_source(s, t, from->name);
    return true;
}

/* MySQL since 8.0.30 tells both positions, and not what lies between. */
static bool age_by_difference(struct sql *s)
{
    static const char name[] = "Innodb_redo_log_checkpoint_lsn";
    struct num end, checkpoint, age;
    if (!sql_number(&s->status, "Innodb_redo_log_current_lsn", &end) ||
        !sql_number(&s->status, name, &checkpoint) || num_cmp(end, checkpoint) < 0 ||
        num_sub(end, checkpoint, &age) != NUM_OK) {
        return false;
    }
    set_num(s->ctx, "server.redo.checkpoint_age", KIND_BYTES, age,
            "status 'Innodb_redo_log_current_lsn' - 'Innodb_redo_log_checkpoint_lsn'");
    return true;
}

static void read_position(struct sql *s, const struct sql_text *text, size_t i)
{
    const char *const fact = positions[i].fact;
    struct num n;
    const char *source = NULL;
    for (size_t k = 0; k < positions[i].n; k++) {
        if (from_source(s, text, &positions[i].sources[k], &n, &source)) {
            set_num(s->ctx, fact, positions[i].kind, n, source);
            return;
        }
    }
    const struct source *const last = &positions[i].sources[positions[i].n - 1];
    if (!text->ok) {
        sql_failed(s, fact, &text->err, SQL_GRANT_PROCESS, SQL_TEXT_SOURCE);
    } else {
        store_unknown(s->ctx->store, s->ctx->subject, fact, FACT_ABSENT, SQL_TEXT_SOURCE, "",
                      "this server does not show its %s", innodb_key_name(last->key));
    }
}

/* Only where a server says it: elsewhere it is computed from the size of the log. */
static void read_max_age(struct sql *s, const struct sql_text *text)
{
    static const struct source sources[] = {
        {FROM_STATUS, "Innodb_checkpoint_max_age", 0},
        {FROM_TEXT, NULL, INNODB_MAX_CHECKPOINT_AGE},
    };
    struct num n;
    const char *source = NULL;
    for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
        if (from_source(s, text, &sources[i], &n, &source)) {
            set_num(s->ctx, "server.redo.max_checkpoint_age", KIND_BYTES, n, source);
            return;
        }
    }
}

void sql_read_positions(struct sql *s, const struct sql_text *text)
{
    for (size_t i = 0; i < ARRAY_LEN(positions); i++) {
        const bool age = positions[i].kind == KIND_BYTES;
        if (!age || !age_by_difference(s)) {
            read_position(s, text, i);
        }
    }
    read_max_age(s, text);
}
