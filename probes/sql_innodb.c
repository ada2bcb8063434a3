/* SQL probe, theme InnoDB status: every value of the status text as a fact, raw. */
#include "probes/setters.h"
#include "probes/sql.h"

#include "advisor/base/banned.h"

#define INNODB(leaf, kind, meaning)                                                                \
    {                                                                                              \
        "server.innodb." leaf, kind, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE, meaning,          \
            SQL_TEXT_SOURCE, "PROCESS"                                                             \
    }

enum { CAPTURED_AT = INNODB_KEYS, HAS_DEADLOCK, HAS_FOREIGN_KEY };

const struct fact_decl sql_innodb_decls[SQL_INNODB_DECLS] = {
    [INNODB_LSN] = INNODB("lsn", KIND_COUNT, "position of the redo log's end"),
    [INNODB_LSN_FLUSHED] =
        INNODB("lsn_flushed", KIND_COUNT, "position up to which the redo log is on disk"),
    [INNODB_LSN_PAGES_FLUSHED] =
        INNODB("lsn_pages_flushed", KIND_COUNT, "position up to which pages are written"),
    [INNODB_LSN_CHECKPOINT] =
        INNODB("lsn_checkpoint", KIND_COUNT, "position of the last checkpoint"),
    [INNODB_CHECKPOINT_AGE] =
        INNODB("checkpoint_age", KIND_BYTES, "redo between the last checkpoint and the end"),
    [INNODB_MAX_CHECKPOINT_AGE] = INNODB("max_checkpoint_age", KIND_BYTES,
                                         "checkpoint age at which writers wait (Percona Server)"),
    [INNODB_LOG_PENDING_FLUSHES] =
        INNODB("log_pending_flushes", KIND_COUNT, "flushes of the redo log under way"),
    [INNODB_LOG_IOS_PER_SEC] =
        INNODB("log_ios_per_sec", KIND_RATE, "log writes and flushes per second"),
    [INNODB_HISTORY_LIST_LENGTH] =
        INNODB("history_list_length", KIND_COUNT, "old row versions that wait to be purged"),
    [INNODB_BP_PAGES_TOTAL] =
        INNODB("bp_pages_total", KIND_COUNT, "pages of the buffer pool, all instances"),
    [INNODB_BP_PAGES_FREE] = INNODB("bp_pages_free", KIND_COUNT, "free pages, all instances"),
    [INNODB_BP_PAGES_DATA] = INNODB("bp_pages_data", KIND_COUNT, "pages with data, all instances"),
    [INNODB_BP_PAGES_DIRTY] =
        INNODB("bp_pages_dirty", KIND_COUNT, "pages that wait to be written, all instances"),
    [INNODB_BP_INSTANCES_LISTED] =
        INNODB("bp_instances_listed", KIND_COUNT, "instances with a block of their own"),
    [INNODB_BP_PENDING_READS] = INNODB("bp_pending_reads", KIND_COUNT, "page reads under way"),
    [INNODB_BP_PENDING_WRITES_LRU] =
        INNODB("bp_pending_writes_lru", KIND_COUNT, "page writes under way from the LRU list"),
    [INNODB_BP_PENDING_WRITES_FLUSH_LIST] = INNODB("bp_pending_writes_flush_list", KIND_COUNT,
                                                   "page writes under way from the flush list"),
    [INNODB_BP_PAGES_READ] = INNODB("bp_pages_read", KIND_COUNT, "pages read since start"),
    [INNODB_BP_PAGES_CREATED] = INNODB("bp_pages_created", KIND_COUNT, "pages created since start"),
    [INNODB_BP_PAGES_WRITTEN] = INNODB("bp_pages_written", KIND_COUNT, "pages written since start"),
    [INNODB_BP_READS_PER_SEC] = INNODB("bp_reads_per_sec", KIND_RATE, "pages read per second"),
    [INNODB_BP_CREATES_PER_SEC] =
        INNODB("bp_creates_per_sec", KIND_RATE, "pages created per second"),
    [INNODB_BP_WRITES_PER_SEC] = INNODB("bp_writes_per_sec", KIND_RATE, "pages written per second"),
    [INNODB_HIT_RATE_PER_MILLE] =
        INNODB("hit_rate_per_mille", KIND_RATIO, "share of page requests that found the page"),
    [INNODB_IO_PENDING_AIO_READS] =
        INNODB("io_pending_aio_reads", KIND_COUNT, "asynchronous reads under way, all threads"),
    [INNODB_IO_PENDING_AIO_WRITES] =
        INNODB("io_pending_aio_writes", KIND_COUNT, "asynchronous writes under way, all threads"),
    [INNODB_IO_PENDING_FLUSH_LOG] =
        INNODB("io_pending_flush_log", KIND_COUNT, "flushes of log files under way"),
    [INNODB_IO_PENDING_FLUSH_BP] = INNODB("io_pending_flush_bp", KIND_COUNT,
                                          "flushes of data files, or of all files, under way"),
    [INNODB_OS_FILE_READS] = INNODB("os_file_reads", KIND_COUNT, "file reads since start"),
    [INNODB_OS_FILE_WRITES] = INNODB("os_file_writes", KIND_COUNT, "file writes since start"),
    [INNODB_OS_FSYNCS] = INNODB("os_fsyncs", KIND_COUNT, "file flushes since start"),
    [INNODB_OS_AVG_BYTES_PER_READ] =
        INNODB("os_avg_bytes_per_read", KIND_BYTES, "mean size of a file read"),
    [INNODB_OS_READS_PER_SEC] = INNODB("os_reads_per_sec", KIND_RATE, "file reads per second"),
    [INNODB_OS_WRITES_PER_SEC] = INNODB("os_writes_per_sec", KIND_RATE, "file writes per second"),
    [INNODB_OS_FSYNCS_PER_SEC] = INNODB("os_fsyncs_per_sec", KIND_RATE, "file flushes per second"),
    [INNODB_ROWS_INSERTED] = INNODB("rows_inserted", KIND_COUNT, "user rows inserted since start"),
    [INNODB_ROWS_UPDATED] = INNODB("rows_updated", KIND_COUNT, "user rows updated since start"),
    [INNODB_ROWS_DELETED] = INNODB("rows_deleted", KIND_COUNT, "user rows deleted since start"),
    [INNODB_ROWS_READ] = INNODB("rows_read", KIND_COUNT, "user rows read since start"),
    [INNODB_ROW_INSERTS_PER_SEC] =
        INNODB("row_inserts_per_sec", KIND_RATE, "user rows inserted per second"),
    [INNODB_ROW_UPDATES_PER_SEC] =
        INNODB("row_updates_per_sec", KIND_RATE, "user rows updated per second"),
    [INNODB_ROW_DELETES_PER_SEC] =
        INNODB("row_deletes_per_sec", KIND_RATE, "user rows deleted per second"),
    [INNODB_ROW_READS_PER_SEC] =
        INNODB("row_reads_per_sec", KIND_RATE, "user rows read per second"),
    [INNODB_SEMAPHORE_WAITS] =
        INNODB("semaphore_waits", KIND_COUNT, "threads that wait for a semaphore"),
    [INNODB_SEMAPHORE_LONGEST_WAIT_SEC] =
        INNODB("semaphore_longest_wait_sec", KIND_SECONDS, "longest of those waits"),
    [INNODB_AVG_SECONDS] = INNODB("avg_seconds", KIND_SECONDS,
                                  "window of the per-second values; at 0 they say nothing"),
    [CAPTURED_AT] = INNODB("captured_at", KIND_STRING, "time in the heading, as printed"),
    [HAS_DEADLOCK] =
        INNODB("has_deadlock_section", KIND_BOOL, "a deadlock was detected since start"),
    [HAS_FOREIGN_KEY] =
        INNODB("has_foreign_key_section", KIND_BOOL, "a foreign key error was met since start"),
};

void sql_ask_text(struct sql *s, struct sql_text *ret)
{
    struct host_rows rows;
    size_t at = 0;
    *ret = (struct sql_text){.ok = false};
    ret->ok = sql_ask(s, "innodb-status", &rows, &ret->err);
    if (!ret->ok) {
        return;
    }
    if (rows.n_rows == 0 || !sql_column(&rows, "Status", &at) || sql_cell(&rows, 0, at)->null) {
        ret->ok = err_set(&ret->err, E_ABSENT, "InnoDB gives no status text");
        return;
    }
    innodb_status_read(s->ctx->arena, sql_cell(&rows, 0, at)->text, &ret->status);
    if (ret->status.n_known == 0) {
        ret->ok = err_set(&ret->err, E_SYNTAX, "nothing in the status text of InnoDB is known");
    }
}

static void set_value(struct sql *s, const struct innodb_status *st, enum innodb_key k)
{
    const struct fact_decl *const d = &sql_innodb_decls[k];
    struct num n = st->value[k];
    if (!st->known[k]) {
        set_unknown(s->ctx, d->name, FACT_ABSENT, SQL_TEXT_SOURCE, "",
                    "this server's text does not show it");
        return;
    }
    if (k == INNODB_HIT_RATE_PER_MILLE && num_div(n, num_u64(1000), &n) != NUM_OK) {
        return;
    }
    set_num(s->ctx, d->name, d->kind, n, SQL_TEXT_SOURCE);
}

void sql_read_text(struct sql *s, const struct sql_text *text)
{
    const struct innodb_status *const st = &text->status;
    if (!text->ok) {
        for (size_t i = 0; i < SQL_INNODB_DECLS; i++) {
            sql_failed(s, sql_innodb_decls[i].name, &text->err, SQL_GRANT_PROCESS, SQL_TEXT_SOURCE);
        }
        return;
    }
    for (enum innodb_key k = 0; k < INNODB_KEYS; k++) {
        set_value(s, st, k);
    }
    set_text(s->ctx, sql_innodb_decls[CAPTURED_AT].name, st->captured_at, SQL_TEXT_SOURCE);
    set_bool(s->ctx, sql_innodb_decls[HAS_DEADLOCK].name, st->has_deadlock_section,
             SQL_TEXT_SOURCE);
    set_bool(s->ctx, sql_innodb_decls[HAS_FOREIGN_KEY].name, st->has_foreign_key_section,
             SQL_TEXT_SOURCE);
}
