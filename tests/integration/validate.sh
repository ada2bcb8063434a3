#!/bin/sh
# validate.sh KIND: what the real binary says of option lines, as validate_options tells it: what stops a
# server, what it takes otherwise, what was wrong before; and no file of the real server is touched for it.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/roots.sh
. tests/lib/roots.sh
# shellcheck source=tests/lib/servers.sh
. tests/lib/servers.sh

kind=$1
tools=$(dirname "$NVADVISE")/../../tests/integration
reason=$(servers_missing)
[ -z "$reason" ] || tap_skip_all "$reason"
servers_begin
dir=$SERVERS_TMP
mkdir "$dir/scratch"
case $kind in
mysql)
    flavour=mysql program=/usr/sbin/mysqld how="mysqld --validate-config, --verbose --help"
    plugin=validate_password.policy=LOW
    ;;
*)
    flavour=mariadb program=/usr/sbin/mariadbd how="mariadbd --verbose --help"
    plugin=server_audit_logging=ON
    ;;
esac

# try LINE...: "before:LINE" stands in the server's own file, others in the new one.
try()
{
    : >"$dir/lines"
    for try_line in "$@"; do
        case $try_line in
        before:*) printf '/etc/my.cnf:2:[mysqld]%s\n' "${try_line#before:}" ;;
        *) printf '/etc/zz.cnf:3:[mysqld]%s\n' "$try_line" ;;
        esac >>"$dir/lines"
    done
    said_rc=0
    said=$(server_beside "$kind" "$dir" "$tools/scratch_try" validate "$program" "$flavour" "$ROOTS_UID" \
        /etc/zz.cnf "$dir/scratch" "$dir/lines" 2>&1 </dev/null) || said_rc=$?
}

# refused NAME OPTION LINE...: stopped or changed by OPTION, a line of ours.
refused()
{
    re_name=$1 re_option=$2 re_kind=$3
    shift 3
    try "$@"
    tap_is "$re_name: is bad" "$said_rc" 1
    tap_has "$re_name: $re_option is named" "$said" "ours $re_kind '$re_option': "
}

accepted()
{
    ac_name=$1
    shift
    try "$@"
    tap_is "$ac_name: is good" "$(printf '%s\n' "$said" | head -n 1) $said_rc" "good 0"
    case $said in
    *"ours refused"* | *"ours changed"*) tap_fail "$ac_name: no complaint" "$said" ;;
    *) tap_pass "$ac_name: no complaint" ;;
    esac
}

accepted "a good drop-in" before:max_connections=200 innodb_io_capacity=1200 innodb_io_capacity_max=2400 \
    innodb_buffer_pool_size=12G innodb_flush_log_at_trx_commit=1
tap_has "it was asked and started" "$said" "how: $how, scratch start"
# As large as a large server has it: only what a scratch server can have is tried at full size.
set -- innodb_buffer_pool_size=64G innodb_log_buffer_size=256M innodb_io_capacity=20000 \
    innodb_io_capacity_max=40000 innodb_flush_method=O_DIRECT innodb_read_io_threads=32 \
    innodb_write_io_threads=16 innodb_purge_threads=8 table_open_cache=20000 table_open_cache_instances=16 \
    table_definition_cache=10000 thread_cache_size=200 max_connections=2000 innodb_flush_neighbors=0 \
    innodb_adaptive_hash_index=OFF sync_binlog=1 tmp_table_size=256M max_heap_table_size=256M \
    innodb_doublewrite=ON binlog_cache_size=1M max_allowed_packet=1G innodb_open_files=20000 \
    innodb_max_dirty_pages_pct=90 innodb_max_dirty_pages_pct_lwm=10 performance_schema=ON
case $kind in
mysql) set -- "$@" innodb_buffer_pool_instances=16 innodb_page_cleaners=16 innodb_redo_log_capacity=32G ;;
*) set -- "$@" innodb_log_file_size=32G aria_pagecache_buffer_size=1G ;;
esac
accepted "a drop-in of a large server" "$@"
accepted "a value that quoting has to survive" 'before:init_connect=SET @a = "#1"; SET @b = 2' \
    innodb_io_capacity=500
refused "a value out of range" innodb_io_capacity changed innodb_io_capacity=1
refused "a share out of range" innodb_max_dirty_pages_pct changed innodb_max_dirty_pages_pct=120
refused "a word that is none" innodb_flush_method refused innodb_flush_method=ALL_O_DIRECT
refused "a word that is none, of the server itself" binlog_format refused binlog_format=NONE
refused "an unknown name" innodb_io_capacitty refused innodb_io_capacitty=300
refused "an unknown name, loose" innodb_io_capacitty changed loose_innodb_io_capacitty=300
refused "a suffix that is none" innodb_buffer_pool_size refused innodb_buffer_pool_size=12Q
refused "a suffix that is none, of the server itself" max_connections refused max_connections=12Q
refused "an exponent" innodb_buffer_pool_size changed innodb_buffer_pool_size=1e6
refused "a page size that only InnoDB refuses" innodb_page_size refused innodb_page_size=12K
refused "a pair that only InnoDB corrects" innodb_io_capacity changed innodb_io_capacity=30000 \
    innodb_io_capacity_max=20000
refused "an action" initialize refused initialize
tap_has "an action is not tried" "$said" "not tried"
case $kind in
mysql)
    refused "another flavour's name" innodb_log_file_size refused innodb_log_file_size=1G
    refused "a value that is rounded" innodb_redo_log_capacity changed innodb_redo_log_capacity=1000000001
    refused "another flavour's word" innodb_doublewrite refused innodb_doublewrite=fast
    ;;
*) refused "another flavour's name" innodb_redo_log_capacity refused innodb_redo_log_capacity=1G ;;
esac
case $kind in
mariadb) refused "another version's word" innodb_doublewrite changed innodb_doublewrite=fast ;;
mariadb-next) accepted "this version's word" innodb_doublewrite=fast ;;
esac

# What was wrong before is not ours.
accepted "a complaint about another line" before:innodb_io_capacity=3 innodb_io_capacity=500
tap_has "it is told" "$said" "other changed 'innodb_io_capacity'"
accepted "an option of a plugin" "before:$plugin" innodb_io_capacity=500
tap_has "a plugin's option is left out" "$said" "not known without the server's plugins"
try before:innodb_flush_method=bogus innodb_io_capacity=500
tap_is "bad before: is bad" "$said_rc" 1
tap_has "bad before: is said" "$said" "bad before"
tap_has "bad before: by whom" "$said" "other refused 'innodb_flush_method'"
try before:no_such_thing=1 innodb_io_capacity=500
tap_has "unknown before: is said" "$said" "bad before"
accepted "a line of ours that a later one overrides" innodb_io_capacity=500 before:innodb_io_capacity=700

# A server with every role on its own path: nothing there is touched.
roles="datadir tmpdir innodb_data_home_dir innodb_log_group_home_dir innodb_undo_directory innodb_tmpdir"
case $kind in
mysql) roles="$roles innodb_doublewrite_dir innodb_temp_tablespaces_dir" ;;
*) roles="$roles aria_log_dir_path" ;;
esac
set -- before:server_id=1 before:general_log=1 before:slow_query_log=1
for role in $roles; do
    mkdir -p "$dir/roles/$role"
    set -- "$@" "before:$role=$dir/roles/$role"
done
mkdir "$dir/roles/logs" "$dir/roles/binlog"
set -- "$@" before:log_error="$dir/roles/logs/error.log" \
    before:general_log_file="$dir/roles/logs/general.log" \
    before:slow_query_log_file="$dir/roles/logs/slow.log" before:log_bin="$dir/roles/binlog/bin" \
    before:log_bin_index="$dir/roles/binlog/bin.index" before:relay_log="$dir/roles/binlog/relay" \
    before:pid_file="$dir/roles/logs/server.pid" before:socket="$dir/roles/logs/server.sock"
echo x >"$dir/roles/datadir/ibdata1"
echo x >"$dir/roles/logs/error.log"
chown -R "$ROOTS_UID:$ROOTS_UID" "$dir/roles"
"$tools/watch" "$dir/watching" "$dir"/roles/* >"$dir/events" 2>&1 &
watcher=$!
tries=100
until [ -e "$dir/watching" ] || [ $tries -le 0 ]; do
    tries=$((tries - 1))
    sleep 0.05
done
accepted "every role on its own path" "$@" innodb_io_capacity=500
tap_has "it was started all the same" "$said" "scratch start"
echo y >>"$dir/roles/datadir/ibdata1" # the watcher sees
sleep 0.2
kill "$watcher"
wait "$watcher" 2>/dev/null
tap_is "the watcher was awake, and nothing else wrote there" "$(sort -u "$dir/events")" \
    "changed $dir/roles/datadir/ibdata1
written $dir/roles/datadir/ibdata1"

tap_is "nothing is left" "$(ls "$dir/scratch")" ""

# Killed in the middle: while it asks, initialises, starts.
scratch_processes()
{
    for sp_one in /proc/[0-9]*/cmdline; do
        case $(tr '\0' ' ' 2>/dev/null <"$sp_one") in
        *"--pid-file=$dir/scratch/"*) echo "$sp_one" ;;
        esac
    done
}
names=
for step in 0 0.2 0.5 1.5 3 0; do
    "$tools/scratch_try" sweep "$dir/scratch" >/dev/null
    try innodb_io_capacity=500 &
    tries=200
    until owner=$(sed -n 's/.*"owner": \([0-9]*\).*/\1/p' "$dir"/scratch/*/marker.json 2>/dev/null) &&
        [ -n "$owner" ] || [ $tries -le 0 ]; do
        tries=$((tries - 1))
        sleep 0.05
    done
    names="$names $(cd "$dir/scratch" && ls)"
    sleep $step
    kill -9 "$owner" 2>/dev/null # it may be through by now
    wait
    tries=50
    while [ -n "$(scratch_processes)" ] && [ $tries -gt 0 ]; do
        tries=$((tries - 1))
        sleep 0.1
    done
    tap_is "killed $step s after it began: nothing runs on" "$(scratch_processes)" ""
done
accepted "the next run does its work" innodb_io_capacity=500
tap_has "and removes what was left" "$said" "removed: '$dir/scratch/nvadvise-scratch."
tap_is "nothing is left by the killed runs" "$(ls "$dir/scratch")" ""
for name in $names; do
    find /sys/fs/cgroup -name "$name" 2>/dev/null
done >"$dir/cgroups"
tap_is "and no cgroup" "$(cat "$dir/cgroups")" ""
tap_end
