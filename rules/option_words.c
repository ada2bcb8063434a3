/* What the servers' help texts tell of single options and the catalogue of variables does not hold: which
 * numbers may have decimals, which booleans pass over a word that is none, which options need no value,
 * and the numbers behind the words of enums. Read off MySQL 9.7.4, MariaDB 10.11.19 and 11.8.9; older ones
 * from their published help texts. */
#include <string.h>

#include "rules/options_int.h"

#include "advisor/base/banned.h"

static bool among(const char *const *list, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(list[i], name) == 0)
            return true;
    }
    return false;
}

bool option_is_real(const struct option_target *t, const char *name)
{
    static const char *const both[] = {
        "innodb_max_dirty_pages_pct", "innodb_max_dirty_pages_pct_lwm",
        "innodb_segment_reserve_factor", "long_query_time", "secondary_engine_cost_threshold",
    };
    static const char *const mariadb[] = {
        "analyze_sample_percentage", "expire_logs_days", "innodb_adaptive_flushing_lwm",
        "innodb_defragment_fill_factor", "log_slow_always_query_time", "log_slow_query_time",
        "max_statement_time", "slave_abort_blocking_timeout", "slave_max_statement_time",
    };
    return among(both, ARRAY_LEN(both), name) ||
           (option_is_mariadb(t) &&
            (among(mariadb, ARRAY_LEN(mariadb), name) ||
             (strncmp(name, "optimizer_", 10) == 0 &&
              (span_ends(span_of(name), "_cost") || span_ends(span_of(name), "_ratio")))));
}

bool option_is_strict_bool(const char *name)
{
    static const char *const names[] = {
        "allow_suspicious_udfs", "character_set_client_handshake", "external_locking",
        "innodb_adaptive_flushing", "innodb_alter_copy_bulk", "innodb_api_disable_rowlock",
        "innodb_api_enable_binlog", "innodb_api_enable_mdl", "innodb_buffer_pool_in_core_file",
        "innodb_checksums", "innodb_deadlock_detect", "innodb_doublewrite",
        "innodb_extend_and_initialize", "innodb_file_per_table", "innodb_flush_sync",
        "innodb_force_load_corrupted", "innodb_large_prefix", "innodb_numa_interleave",
        "innodb_optimize_fulltext_only", "innodb_random_read_ahead", "innodb_use_atomic_writes",
        "innodb_use_fdatasync", "innodb_use_native_aio", "innodb_use_sys_malloc",
        "innodb_validate_tablespace_paths", "log_short_format", "memlock", "myisam_use_mmap",
        "old_style_user_limits", "replicate_same_server_id", "safe_user_create",
        "show_replica_auth_info", "show_slave_auth_info", "skip_slave_start",
        "sporadic_binlog_dump_fail", "stack_trace", "symbolic_links", "sysdate_is_now",
        "temp_pool",
    };
    return among(names, ARRAY_LEN(names), name);
}

bool option_needs_no_value(const char *name)
{
    static const char *const names[] = {
        "alter_algorithm", "aria_recover_options", "auto_increment_increment",
        "auto_increment_offset", "concurrent_insert", "debug", "delay_key_write",
        "enforce_gtid_consistency", "event_scheduler", "gtid_executed_compression_period",
        "innodb_adaptive_hash_index_parts", "innodb_api_bk_commit_interval",
        "innodb_api_trx_level", "innodb_compression_algorithm",
        "innodb_compression_failure_threshold_pct", "innodb_compression_pad_pct_max",
        "innodb_doublewrite", "innodb_encrypt_tables", "innodb_fast_shutdown",
        "innodb_flush_log_at_timeout", "innodb_flush_log_at_trx_commit", "innodb_flush_neighbors",
        "innodb_ft_num_word_optimize", "innodb_ft_server_stopword_table",
        "innodb_ft_user_stopword_table", "innodb_log_spin_wait_delay", "innodb_max_undo_log_size",
        "innodb_page_cleaners", "innodb_page_size", "innodb_purge_batch_size",
        "innodb_purge_rseg_truncate_frequency", "innodb_purge_threads",
        "innodb_rollback_segments", "innodb_segment_reserve_factor", "innodb_spin_wait_delay",
        "innodb_sync_array_size", "innodb_tmpdir", "log_bin", "log_bin_compress_min_len",
        "log_error", "log_isam", "log_warnings", "lower_case_table_names",
        "max_points_in_geometry", "max_recursive_iterations", "max_sp_recursion_depth",
        "myisam_recover_options", "old_alter_table", "performance_schema_instrument",
        "select_into_buffer_size", "select_into_disk_sync_delay", "wsrep_reject_queries",
        "wsrep_sync_wait",
    };
    return among(names, ARRAY_LEN(names), name);
}

/* Tried on MySQL 9.7.4 and MariaDB 10.11.19: "Maximum value of '…' cannot be set". */
bool option_has_no_maximum(const char *name)
{
    static const char *const names[] = {
        "back_log", "binlog_cache_size", "binlog_commit_wait_count", "binlog_commit_wait_usec",
        "binlog_expire_logs_seconds", "binlog_file_cache_size",
        "binlog_group_commit_sync_delay", "binlog_group_commit_sync_no_delay_count",
        "binlog_row_metadata", "binlog_stmt_cache_size",
        "binlog_transaction_dependency_history_size", "expire_logs_days", "extra_max_connections",
        "extra_port", "flush_time", "global_connection_memory_limit", "gtid_mode",
        "internal_tmp_mem_storage_engine", "key_buffer_size", "log_bin_compress_min_len",
        "long_query_time", "max_binlog_size", "max_connections", "open_files_limit", "port",
        "query_cache_size", "relay_log_space_limit", "replica_parallel_workers",
        "replica_pending_jobs_size_max", "server_memory", "slave_parallel_max_queued",
        "slave_parallel_threads", "slave_parallel_workers", "slave_pending_jobs_size_max",
        "sync_binlog", "sync_master_info", "sync_relay_log", "sync_relay_log_info",
        "sync_source_info", "table_definition_cache", "table_open_cache",
        "table_open_cache_instances", "table_open_cache_triggers", "temptable_max_mmap",
        "temptable_max_ram", "thread_cache_size", "thread_handling", "thread_pool_idle_timeout",
        "thread_pool_max_threads", "thread_pool_oversubscribe", "thread_pool_size",
        "thread_pool_stall_limit", "thread_stack", "tmpdir",
    };
    return among(names, ARRAY_LEN(names), name);
}

/* Tried: setting either shows in both. The replica_ names came with MySQL 8.0.22 to 8.0.26; before, they are no
 * names there at all. */
const char *option_storage(const struct option_target *t, const char *name)
{
    static const struct {
        const char *name, *same;
        bool mariadb;
    } rows[] = {
        {"tmp_memory_table_size", "tmp_table_size", true},
        {"max_binlog_total_size", "binlog_space_limit", true},
        {"log_slave_updates", "log_replica_updates", false},
        {"slave_parallel_type", "replica_parallel_type", false},
        {"slave_parallel_workers", "replica_parallel_workers", false},
        {"slave_pending_jobs_size_max", "replica_pending_jobs_size_max", false},
        {"slave_preserve_commit_order", "replica_preserve_commit_order", false},
        {"sync_master_info", "sync_source_info", false},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (rows[i].mariadb == option_is_mariadb(t) && strcmp(rows[i].name, name) == 0)
            return rows[i].same;
    }
    return name;
}

bool option_accumulates(const char *name)
{
    static const char *const names[] = {
        "binlog_do_db", "binlog_ignore_db", "early_plugin_load", "optimizer_switch",
        "performance_schema_instrument", "plugin_load_add", "replicate_do_db",
        "replicate_do_table", "replicate_ignore_db", "replicate_ignore_table",
        "replicate_rewrite_db", "replicate_wild_do_table", "replicate_wild_ignore_table",
        "debug", "feedback", "init_rpl_role", "mysqlx_plugin",
    };
    return among(names, ARRAY_LEN(names), name);
}

bool option_bool_wants_value(const char *name)
{
    static const char *const names[] = {
        "aria_page_checksum", "binlog_optimize_thread_scheduling",
        "innodb_buffer_pool_dump_at_shutdown", "innodb_buffer_pool_dump_now",
        "innodb_buffer_pool_load_abort", "innodb_buffer_pool_load_at_startup",
        "innodb_buffer_pool_load_now", "innodb_dedicated_server", "innodb_defragment",
        "innodb_log_checksums", "innodb_immediate_scrub_data_uncompressed",
        "innodb_stats_traditional",
    };
    return among(names, ARRAY_LEN(names), name);
}

/* ---- enums ---- */

/* A variable that is an enum in some versions and a plain boolean in others has just these words there. */
static bool is_plain_bool(const char *words)
{
    return strcmp(words, "OFF, ON") == 0;
}

const char *option_words(const struct option_target *t, const struct variable *v, bool *ret_is_bool)
{
    const char *words = variable_values_at(v, t->flavour, &t->version);
    *ret_is_bool = words != NULL && is_plain_bool(words);
    if (words == NULL || *ret_is_bool)
        return NULL;
    /* Behind the words that it shows, MySQL's list has the booleans (tried on 9.7.4). */
    if (!option_is_mariadb(t) && strcmp(variable_name(v), "innodb_doublewrite") == 0)
        return "OFF, ON, DETECT_ONLY, DETECT_AND_RECOVER, FALSE, TRUE";
    return words;
}

size_t option_words_count(const char *words)
{
    size_t n = 0;
    struct span rest = span_of(words), w;
    while (span_split(&rest, ',', &w))
        n++;
    return n;
}

struct span option_word_at(const char *words, size_t index)
{
    struct span rest = span_of(words), w = {0};
    for (size_t i = 0; i <= index && span_split(&rest, ',', &w); i++)
        w = span_trim(w);
    return w;
}

/* The whole word, else the one that begins so. */
bool option_word_find(const char *words, struct span text, struct span *ret)
{
    size_t found = 0;
    struct span rest = span_of(words), w;
    while (span_split(&rest, ',', &w)) {
        w = span_trim(w);
        if (span_eq_nocase(w, text)) {
            *ret = w;
            return true;
        }
        if (text.len > 0 && w.len > text.len &&
            span_eq_nocase(span_sub(w, 0, text.len), text)) {
            *ret = w;
            found++;
        }
    }
    return found == 1;
}

/* All digits: the number of a word. */
bool option_word_number(struct span text, size_t *ret)
{
    size_t n = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9' || n > 1000)
            return false;
        n = n * 10 + (size_t)(text.ptr[i] - '0');
    }
    *ret = n;
    return text.len > 0;
}

/* ---- words that were taken out of lists which the catalogue does not hold ---- */

/* MySQL's: the manual of 8.0 (modes removed in 8.0.11), and 9.7.4, tried. MariaDB still has them all. */
static const struct {
    const char *name;
    uint32_t from[3];
    const char *words;
} gone[] = {
    {"sql_mode", {8, 0, 11},
     "NO_AUTO_CREATE_USER, DB2, MAXDB, MSSQL, MYSQL323, MYSQL40, ORACLE, POSTGRESQL, "
     "NO_FIELD_OPTIONS, NO_KEY_OPTIONS, NO_TABLE_OPTIONS"},
    {"character_set_server", {9, 7, 0}, "utf8"},
    {"tls_version", {9, 7, 0}, "TLSv1, TLSv1.1"},
    {"admin_tls_version", {9, 7, 0}, "TLSv1, TLSv1.1"},
};

bool option_word_is_gone(const struct option_target *t, const char *name, struct span value,
                         struct span *ret)
{
    struct span word, found;
    for (size_t i = 0; i < ARRAY_LEN(gone) && !option_is_mariadb(t); i++) {
        const uint32_t *from = gone[i].from;
        struct span rest = value;
        if (strcmp(gone[i].name, name) != 0 || !option_from(t, from[0], from[1], from[2]))
            continue;
        while (span_split(&rest, ',', &word)) {
            word = span_trim(word);
            if (option_word_find(gone[i].words, word, &found) && found.len == word.len) {
                *ret = word;
                return true;
            }
        }
    }
    return false;
}
