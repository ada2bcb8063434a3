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

/* ---- enums ---- */

#define BOTH (1u << FLAVOUR_MYSQL | 1u << FLAVOUR_PERCONA | 1u << FLAVOUR_MARIADB)
#define ORACLE (1u << FLAVOUR_MYSQL | 1u << FLAVOUR_PERCONA)
#define PERCONA (1u << FLAVOUR_PERCONA)
#define MARIADB (1u << FLAVOUR_MARIADB)

/* The last row that holds counts. */
static const struct {
    const char *name;
    unsigned flavours;
    uint32_t from[3];
    const char *words; /* "" : a boolean */
} enums[] = {
    {"binlog_format", BOTH, {0, 0, 0}, "MIXED, STATEMENT, ROW"},
    {"binlog_row_image", BOTH, {0, 0, 0}, "MINIMAL, NOBLOB, FULL"},
    {"binlog_row_image", MARIADB, {11, 4, 0}, "MINIMAL, NOBLOB, FULL, FULL_NODUP"},
    {"innodb_change_buffering", BOTH, {0, 0, 0}, "none, inserts, deletes, changes, purges, all"},
    {"innodb_checksum_algorithm", BOTH, {0, 0, 0},
     "crc32, strict_crc32, innodb, strict_innodb, none, strict_none"},
    {"innodb_checksum_algorithm", MARIADB, {10, 4, 0},
     "crc32, strict_crc32, innodb, strict_innodb, none, strict_none, full_crc32, "
     "strict_full_crc32"},
    {"innodb_checksum_algorithm", MARIADB, {10, 6, 0},
     "crc32, strict_crc32, full_crc32, strict_full_crc32"},
    {"innodb_default_row_format", BOTH, {0, 0, 0}, "redundant, compact, dynamic"},
    {"innodb_doublewrite", BOTH, {0, 0, 0}, ""},
    {"innodb_doublewrite", ORACLE, {8, 0, 30},
     "OFF, ON, DETECT_ONLY, DETECT_AND_RECOVER, FALSE, TRUE"},
    {"innodb_doublewrite", MARIADB, {11, 0, 6}, "OFF, ON, fast"},
    {"innodb_flush_method", BOTH, {0, 0, 0},
     "fsync, O_DSYNC, littlesync, nosync, O_DIRECT, O_DIRECT_NO_FSYNC"},
    {"innodb_flush_method", PERCONA | MARIADB, {0, 0, 0},
     "fsync, O_DSYNC, littlesync, nosync, O_DIRECT, O_DIRECT_NO_FSYNC, ALL_O_DIRECT"},
    {"innodb_flush_method", ORACLE, {8, 0, 0},
     "fsync, O_DSYNC, littlesync, nosync, O_DIRECT, O_DIRECT_NO_FSYNC"},
    {"innodb_flush_method", MARIADB, {10, 3, 7},
     "fsync, O_DSYNC, littlesync, nosync, O_DIRECT, O_DIRECT_NO_FSYNC"},
    {"innodb_linux_aio", MARIADB, {0, 0, 0}, "auto, io_uring, aio"},
    {"query_cache_type", BOTH, {0, 0, 0}, "OFF, ON, DEMAND"},
    {"transaction_isolation", BOTH, {0, 0, 0},
     "READ-UNCOMMITTED, READ-COMMITTED, REPEATABLE-READ, SERIALIZABLE"},
    {"internal_tmp_mem_storage_engine", ORACLE, {0, 0, 0}, "MEMORY, TempTable"},
};

const char *option_words(const struct option_target *t, const char *name, bool *ret_is_bool)
{
    const char *found = NULL;
    for (size_t i = 0; i < ARRAY_LEN(enums); i++) {
        const uint32_t *from = enums[i].from;
        if ((enums[i].flavours & (1u << t->flavour)) != 0 && strcmp(enums[i].name, name) == 0 &&
            option_from(t, from[0], from[1], from[2]))
            found = enums[i].words;
    }
    *ret_is_bool = found != NULL && found[0] == '\0';
    return *ret_is_bool ? NULL : found;
}
