/* What comes out of options that no row of the catalogue describes (port, datadir, slow_query_log): their values
 * as the server would print them, as far as the text alone tells. No rule asks for them. */
#include <string.h>

#include "rules/option_facts.h"
#include "rules/ruleset.h"

#include "advisor/base/banned.h"

/* Switches: TRUE or FALSE in the servers' own --help. */
static const char *const switches[] = {
    "activate_all_roles_on_login", "activate_mandatory_roles", "allow_suspicious_udfs",
    "aria_encrypt_tables", "aria_page_checksum", "auto_generate_certs", "autocommit",
    "automatic_sp_privileges", "big_tables", "binlog_alter_two_phase",
    "binlog_annotate_row_events", "binlog_direct_non_transactional_updates", "binlog_encryption",
    "binlog_expire_logs_auto_purge", "binlog_gtid_simple_recovery", "binlog_legacy_event_pos",
    "binlog_optimize_thread_scheduling", "binlog_rotate_encryption_master_key_at_startup",
    "binlog_rows_query_log_events", "caching_sha2_password_auto_generate_rsa_keys",
    "caching_sha2_password_enforce_storage_format", "caching_sha2_password_proxy_users",
    "character_set_client_handshake", "check_proxy_users", "column_compression_zlib_wrap",
    "create_admin_listener_thread", "default_table_encryption", "disconnect_on_expired_password",
    "enable_cascade_triggers", "enable_secondary_engine_statistics", "encrypt_binlog",
    "encrypt_tmp_disk_tables", "encrypt_tmp_files", "end_markers_in_json",
    "explicit_defaults_for_timestamp", "external_locking", "general_log",
    "gtid_ignore_duplicates", "gtid_strict_mode", "ignore_builtin_innodb",
    "innodb_cmp_per_index_enabled", "innodb_defragment", "innodb_disable_sort_file_cache",
    "innodb_encrypt_log", "innodb_encrypt_temporary_tables", "innodb_force_primary_key",
    "innodb_ft_enable_diag_print", "innodb_ft_enable_stopword",
    "innodb_immediate_scrub_data_uncompressed", "innodb_native_foreign_keys",
    "innodb_optimize_fulltext_only", "innodb_prefix_index_cluster_optimization",
    "innodb_print_all_deadlocks", "innodb_print_ddl_logs", "innodb_read_only",
    "innodb_redo_log_encrypt", "innodb_rollback_on_timeout", "innodb_stats_auto_recalc",
    "innodb_stats_include_delete_marked", "innodb_stats_on_metadata", "innodb_stats_persistent",
    "innodb_stats_traditional", "innodb_status_file", "innodb_status_output",
    "innodb_status_output_locks", "innodb_strict_mode", "innodb_table_locks",
    "innodb_undo_log_encrypt", "innodb_validate_tablespace_paths", "keep_files_on_create",
    "local_infile", "log_bin_trust_function_creators", "log_queries_not_using_indexes", "log_raw",
    "log_short_format", "log_slow_admin_statements", "log_slow_extra", "log_slow_query",
    "log_slow_replica_statements", "log_slow_slave_statements",
    "log_statements_unsafe_for_binlog", "low_priority_updates", "master_verify_checksum",
    "memlock", "myisam_use_mmap", "mysql56_temporal_format", "offline_mode", "old_alter_table",
    "old_passwords", "old_style_user_limits", "partial_revokes", "password_require_current",
    "performance_schema_consumer_events_stages_current",
    "performance_schema_consumer_events_stages_history",
    "performance_schema_consumer_events_stages_history_long",
    "performance_schema_consumer_events_statements_cpu",
    "performance_schema_consumer_events_statements_current",
    "performance_schema_consumer_events_statements_history",
    "performance_schema_consumer_events_statements_history_long",
    "performance_schema_consumer_events_transactions_current",
    "performance_schema_consumer_events_transactions_history",
    "performance_schema_consumer_events_transactions_history_long",
    "performance_schema_consumer_events_waits_current",
    "performance_schema_consumer_events_waits_history",
    "performance_schema_consumer_events_waits_history_long",
    "performance_schema_consumer_global_instrumentation",
    "performance_schema_consumer_statements_digest",
    "performance_schema_consumer_thread_instrumentation", "performance_schema_show_processlist",
    "persist_sensitive_variables_in_plaintext", "persisted_globals_load",
    "print_identified_with_as_hex", "query_cache_strip_comments", "query_cache_wlock_invalidate",
    "read_only", "relay_log_purge", "replica_allow_batching",
    "replica_allow_higher_version_source", "replica_compressed_protocol",
    "replica_sql_verify_checksum", "replicate_annotate_row_events", "replicate_same_server_id",
    "replication_optimize_for_static_plugin_config", "replication_sender_observe_commit_only",
    "require_secure_transport", "restrict_fk_on_non_standard_key", "rpl_semi_sync_master_enabled",
    "rpl_semi_sync_master_wait_no_slave", "rpl_semi_sync_slave_delay_master",
    "rpl_semi_sync_slave_enabled", "safe_user_create", "secure_auth", "select_into_disk_sync",
    "session_track_schema", "session_track_state_change",
    "sha256_password_auto_generate_rsa_keys", "sha256_password_proxy_users",
    "show_create_table_verbosity", "show_gipk_in_create_table_and_information_schema",
    "show_replica_auth_info", "show_slave_auth_info", "silent_startup", "skip_grant_tables",
    "skip_name_resolve", "skip_networking", "skip_replica_start", "skip_show_database",
    "skip_slave_start", "slave_allow_batching", "slave_compressed_protocol",
    "slave_sql_verify_checksum", "slow_query_log", "source_verify_checksum",
    "sql_generate_invisible_primary_key", "sql_require_primary_key", "sql_safe_updates", "ssl",
    "ssl_session_cache_mode", "stack_trace", "standard_compliant_cte",
    "strict_password_validation", "super_large_pages", "super_read_only", "symbolic_links",
    "sync_frm", "sysdate_is_now", "system_versioning_insert_history",
    "table_encryption_privilege_check", "tcp_nodelay", "temp_pool",
    "thread_pool_dedicated_listener", "thread_pool_exact_stats",
    "tls_certificates_enforced_validation", "transaction_read_only", "userstat",
    "validate_user_plugins", "windowing_use_high_precision", "wsrep_on", "xa_detach_on_prepare",
};

/* Printed with a slash behind them. */
static const char *const directories[] = {"datadir", "plugin_dir", "character_sets_dir"};

static bool in_list(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(name, list[i]) == 0)
            return true;
    }
    return false;
}

static bool is_word(struct span v, const char *a, const char *b, const char *c)
{
    return span_eq_nocase(v, span_of(a)) || span_eq_nocase(v, span_of(b)) ||
           span_eq_nocase(v, span_of(c));
}

/* "skip-slow_query_log" turns "slow_query_log" off; skip_name_resolve is a name of its own. */
static bool is_turned_off(const struct option_reading *r)
{
    static const char *const words[] = {"skip_", "disable_"};
    char room[128];
    struct span name = {room, r->line->name.len < sizeof(room) ? r->line->name.len : 0};
    for (size_t i = 0; i < name.len; i++) {
        const char c = r->line->name.ptr[i];
        room[i] = c == '-' ? '_' : c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    if (span_starts(name, "loose_"))
        name = span_sub(name, strlen("loose_"), name.len);
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (span_starts(name, words[i]) && strncmp(r->name, words[i], strlen(words[i])) != 0)
            return true;
    }
    return false;
}

/* Whole numbers with the suffixes that all servers take. */
static bool read_number(struct span v, struct num *ret)
{
    static const char suffixes[] = "kmgtpe";
    struct num n = num_u64(0), factor = num_u64(1), ten = num_u64(10);
    size_t digits = 0;
    while (digits < v.len && v.ptr[digits] >= '0' && v.ptr[digits] <= '9') {
        if (num_mul(n, ten, &n) != NUM_OK ||
            num_add(n, num_u64((uint64_t)(v.ptr[digits] - '0')), &n) != NUM_OK)
            return false;
        digits++;
    }
    const char *at = v.len == digits + 1 ? strchr(suffixes, v.ptr[digits] | 0x20) : NULL;
    if (digits == 0 || (v.len != digits && at == NULL))
        return false;
    for (const char *s = suffixes; at != NULL && s <= at; s++) {
        if (num_mul(factor, num_u64(1024), &factor) != NUM_OK)
            return false;
    }
    return num_mul(n, factor, ret) == NUM_OK;
}

static struct value value_of(const struct option_reading *r, struct arena *a)
{
    const struct optline *l = r->line;
    struct num n;
    const bool off = is_turned_off(r);
    if (off || in_list(r->name, switches, ARRAY_LEN(switches))) {
        const bool on = !l->has_value || is_word(l->value, "1", "on", "true");
        return value_bool(off ? l->has_value && is_word(l->value, "0", "off", "false") : on);
    }
    if (read_number(l->value, &n))
        return value_num(KIND_COUNT, n);
    if (in_list(r->name, directories, ARRAY_LEN(directories)) && !span_ends(l->value, "/"))
        return value_text(KIND_STRING, span_of(arena_printf(a, "%.*s/", SPAN_ARG(l->value))));
    return value_text(KIND_STRING, l->value);
}

void options_rest(const struct ruleset *rs, struct store *s, const struct subject *server)
{
    struct option_judged j;
    const struct fact *why;
    ARENA_AUTO a = arena_new();
    if (!option_judged_read(rs, s, server, a, &j, &why))
        return;
    for (size_t i = 0; i < j.n; i++) {
        const struct option_reading *r = &j.readings[i];
        const char *name = arena_printf(a, "server.var.%s", r->name);
        if (r->variable != NULL || r->effect != OPTION_IN_FORCE || (r->marks & OPTION_MAXIMUM) != 0 ||
            store_get(s, server, span_of(name)) != NULL)
            continue;
        struct buf place;
        buf_init(&place, a, 8192);
        optline_place(&place, r->line);
        store_known(s, server, name, value_of(r, a), place.ptr);
    }
}
