#!/bin/sh
# check --target from MariaDB 10.11 to 11.8, held against both servers: what it says stops the newer one does,
# each line alone; the file without these lines starts both; a line that it does not name has the same value
# in both. And what it says of a file for MySQL 9.7, held against --validate-config.
set -u
cd "$NVADVISE_SOURCE" || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/roots.sh
. tests/lib/roots.sh
# shellcheck source=tests/lib/servers.sh
. tests/lib/servers.sh

missing=$(servers_missing)
[ -z "$missing" ] || tap_skip_all "$missing"
command -v jq >/dev/null || tap_skip_all "jq is not installed"
servers_begin
work=$SERVERS_TMP

# A generous file of 10.11: everything starts it.
cat >"$work/maria.cnf" <<'CNF'
[mysqld]
innodb_buffer_pool_size = 160M
innodb_buffer_pool_instances = 2
innodb_change_buffering = none
innodb_change_buffer_max_size = 20
innodb_log_file_size = 64M
innodb_log_files_in_group = 2
innodb_log_buffer_size = 8M
innodb_flush_method = O_DIRECT
innodb_flush_log_at_trx_commit = 2
innodb_doublewrite = 2
innodb_io_capacity = 400
innodb_io_capacity_max = 900
innodb_flush_neighbors = 0
innodb_max_dirty_pages_pct = 70
innodb_page_cleaners = 1
innodb_read_io_threads = 8
innodb_write_io_threads = 8
innodb_purge_threads = 2
innodb_lru_scan_depth = 512
innodb_thread_concurrency = 0
innodb_file_per_table = 1
innodb_open_files = 500
innodb_defragment = 0
innodb_defragment_n_pages = 7
innodb_adaptive_hash_index = 0
innodb_stats_persistent = 1
innodb_autoinc_lock_mode = 2
innodb_print_all_deadlocks = 1
innodb_lock_wait_timeout = 40
innodb_strict_mode = 1
innodb_temp_data_file_path = ibtmp1:12M:autoextend:max:1G
key_buffer_size = 16M
aria_pagecache_buffer_size = 32M
max_connections = 60
max_allowed_packet = 32M
table_open_cache = 300
table_definition_cache = 500
thread_cache_size = 10
thread_stack = 299008
sort_buffer_size = 1M
join_buffer_size = 512K
read_buffer_size = 256K
read_rnd_buffer_size = 512K
tmp_table_size = 32M
max_heap_table_size = 32M
query_cache_type = 0
query_cache_size = 0
character_set_server = utf8mb4
collation_server = utf8mb4_general_ci
skip-name-resolve
skip-external-locking
slow_query_log = 1
long_query_time = 2.5
log_warnings = 2
back_log = 70
wait_timeout = 600
interactive_timeout = 600
net_read_timeout = 40
debug_no_thread_alarm = 1
old_alter_table = DEFAULT
secure_auth = 1
sync_binlog = 1
log_bin = mybin
binlog_format = ROW
expire_logs_days = 5
server_id = 7
slave_compressed_protocol = 0
wsrep_on = OFF
wsrep_causal_reads = 0
CNF

# named CHANGE FILE: names of that change, one a line.
named()
{
    jq -r --arg c "$1" '.target.items[] | select(.change == $c) | .name' "$2" | sort -u
}

# without FILE NAMES: the file without the lines of these names.
without()
{
    awk -v names="$2" 'BEGIN { n = split(names, a, " "); for (i = 1; i <= n; i++) out[a[i]] = 1 }
        { name = $1; gsub("-", "_", name); if (!(name in out)) print }' "$1"
}

"$NVADVISE" check --no-site --options "$work/maria.cnf" --server mariadb:10.11.19 --target mariadb:11.8.9 \
    --format json >"$work/maria.json" 2>"$work/err"
tap_is "the report says that 11.8 would not start" "$?" 1
stops=$(named stops "$work/maria.json" | tr '\n' ' ')
tap_has "innodb_change_buffer_max_size, the trap, is named" " $stops" " innodb_change_buffer_max_size "
tap_is "nothing is unsure" "$(named unsure "$work/maria.json")" ""

# Each line that is named, alone.
for name in $stops; do
    { echo '[mysqld]'; grep "^${name}[ =]" "$work/maria.cnf"; } >"$work/one.cnf"
    tap_ok "10.11 starts with $name" server_accepts mariadb "$work/one.cnf"
    tap_not "11.8 does not" server_accepts mariadb-next "$work/one.cnf"
done

# All others, in servers that run.
without "$work/maria.cnf" "$stops" >"$work/rest.cnf"
tap_is "some lines were left out" "$(($(wc -l <"$work/maria.cnf") - $(wc -l <"$work/rest.cnf")))" \
    "$(echo "$stops" | wc -w)"
for kind in mariadb mariadb-next; do
    server_start "$kind" "$kind" >"$work/$kind.log" 2>&1 || tap_fail "$kind starts" "$(cat "$work/$kind.log")"
    server_dropin_install "$kind" "$work/rest.cnf"
    tap_ok "$kind starts with the rest of the file" server_restart "$kind"
    server_sql "$kind" "SELECT LOWER(VARIABLE_NAME), GLOBAL_VALUE FROM information_schema.SYSTEM_VARIABLES
        WHERE GLOBAL_VALUE IS NOT NULL" | sort >"$work/$kind.vars"
    server_stop "$kind"
done

jq -r '.target.items[].name' "$work/maria.json" | sort -u >"$work/all"
sed -n 's/^\([a-z][a-z_-]*\).*/\1/p' "$work/rest.cnf" | tr - _ | sort -u | while IFS= read -r name; do
    old=$(awk -F'\t' -v n="$name" '$1 == n { print $2 }' "$work/mariadb.vars")
    new=$(awk -F'\t' -v n="$name" '$1 == n { print $2 }' "$work/mariadb-next.vars")
    grep -qx "$name" "$work/all" || echo "$name|$old|$new"
done >"$work/unnamed"
tap_is "a line that is not named means the same in both" \
    "$(awk -F'|' '$2 != $3' "$work/unnamed")" ""
tap_ok "there are many of these" test "$(wc -l <"$work/unnamed")" -gt 40
for name in $(named ignored "$work/maria.json"); do
    tap_is "11.8 has no variable $name" "$(awk -F'\t' -v n="$name" '$1 == n { print $2 }' "$work/mariadb-next.vars")" ""
done
tap_has "innodb_doublewrite is named as changed" " $(named value "$work/maria.json" | tr '\n' ' ')" \
    " innodb_doublewrite "
tap_not "and is another" test "$(grep '^innodb_doublewrite' "$work/mariadb.vars")" = \
    "$(grep '^innodb_doublewrite' "$work/mariadb-next.vars")"

# ---- MySQL ----

cat >"$work/mysql.cnf" <<'CNF'
[mysqld]
innodb_buffer_pool_size = 256M
innodb_buffer_pool_instances = 4
innodb_log_file_size = 256M
innodb_log_files_in_group = 2
innodb_undo_tablespaces = 2
innodb_file_format = Barracuda
innodb_large_prefix = 1
innodb_file_per_table = 1
innodb_flush_method = O_DIRECT
innodb_flush_neighbors = 0
innodb_checksum_algorithm = crc32
innodb_stats_sample_pages = 8
innodb_support_xa = 1
innodb_locks_unsafe_for_binlog = 0
query_cache_type = 0
query_cache_size = 0
query_cache_limit = 1M
sync_frm = 1
secure_auth = 1
expire_logs_days = 7
tx_isolation = READ-COMMITTED
log_warnings = 2
master_info_repository = TABLE
relay_log_info_repository = TABLE
slave_rows_search_algorithms = INDEX_SCAN
binlog_format = ROW
binlog_transaction_dependency_tracking = WRITESET
transaction_write_set_extraction = XXHASH64
log_bin_use_v1_row_events = 0
old_passwords = 0
show_compatibility_56 = 0
temptable_use_mmap = 1
internal_tmp_disk_storage_engine = InnoDB
default_authentication_plugin = mysql_native_password
max_connections = 300
max_allowed_packet = 64M
sort_buffer_size = 1M
join_buffer_size = 512K
key_buffer_size = 16M
thread_cache_size = 20
table_open_cache = 400
open_files_limit = 4000
skip-name-resolve
skip-external-locking
symbolic-links = 0
slow_query_log = 1
long_query_time = 1
log_slave_updates = 1
slave_parallel_workers = 4
sync_master_info = 10000
explicit_defaults_for_timestamp = 1
character-set-server = utf8mb4
collation-server = utf8mb4_unicode_ci
sql_mode = STRICT_TRANS_TABLES
log_error_verbosity = 2
innodb_numa_interleave = 0
innodb_dedicated_server = 0
performance_schema = 1
avoid_temporal_upgrade = 0
CNF
"$NVADVISE" check --no-site --options "$work/mysql.cnf" --server mysql:8.0.28 --target mysql:9.7.4 \
    --format json >"$work/mysql.json" 2>"$work/err"
tap_is "the report says that 9.7 would not start" "$?" 1
stops=$(named stops "$work/mysql.json" | tr '\n' ' ')
for name in innodb_log_file_size expire_logs_days tx_isolation query_cache_size; do
    tap_has "$name is named" " $stops" " $name "
done
for name in $stops; do
    { echo '[mysqld]'; grep "^$(echo "$name" | sed 's/_/[-_]/g')[ =]" "$work/mysql.cnf"; } >"$work/one.cnf"
    tap_not "9.7 does not start with $name" server_accepts mysql "$work/one.cnf"
done
without "$work/mysql.cnf" "$stops" >"$work/rest.cnf"
tap_is "9.7 has no objection to the rest" "$(server_accepts mysql "$work/rest.cnf" | grep -v MY-00008)" ""
tap_end
