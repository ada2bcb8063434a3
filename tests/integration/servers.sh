#!/bin/sh
# Proves that the servers which other tests start are what those tests take them for: found in /proc
# like installed ones, on their own defaults, reading a drop-in last, refusing what they do not know.
# Knows nothing of nvadvise.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/roots.sh
. tests/lib/roots.sh
# shellcheck source=tests/lib/servers.sh
. tests/lib/servers.sh

reason=$(servers_missing)
[ -z "$reason" ] || tap_skip_all "$reason"
servers_begin
printf '[mysqld]\ninnodb_io_capacity = 777\n' >"$SERVERS_TMP/good.cnf"
printf '[mysqld]\ninnodb_io_capacity = 1\n' >"$SERVERS_TMP/range.cnf"
printf '[mysqld]\ninnodb_redo_log_capacity = 1G\n' >"$SERVERS_TMP/mysql-only.cnf"
printf '[mysqld]\ninnodb_log_file_size = 1G\n' >"$SERVERS_TMP/mariadb-only.cnf"

for kind in mariadb mariadb-next mysql; do
    if [ "$kind" = mysql ]; then
        comm=mysqld foreign=mariadb-only
    else
        comm=mariadbd foreign=mysql-only
    fi
    tap_ok "$kind starts" server_start "$kind" "$kind"
    echo "# $kind is $(server_version "$kind")"
    pid=$(server_pid "$kind")
    tap_is "$kind: name in /proc" "$(cat "/proc/$pid/comm")" "$comm"
    tap_is "$kind: user" "$(sed -n 's/^Uid:[[:space:]]*\([0-9]*\).*/\1/p' "/proc/$pid/status")" \
        "$ROOTS_UID"
    tap_is "$kind: working directory ends in data" "$(basename "$(readlink "/proc/$pid/cwd")")" data
    tap_ok "$kind: its mountinfo is not empty" grep -q / "/proc/$pid/mountinfo"
    tap_is "$kind: no network" "$(server_sql "$kind" 'SELECT @@skip_networking')" 1
    server_dropin_install "$kind" "$SERVERS_TMP/good.cnf"
    tap_ok "$kind restarts" server_restart "$kind"
    tap_is "$kind: the drop-in is in force" \
        "$(server_sql "$kind" 'SELECT @@innodb_io_capacity')" 777
    tap_ok "$kind accepts a good drop-in" server_accepts "$kind" "$SERVERS_TMP/good.cnf"
    tap_not "$kind reports a value out of range" server_accepts "$kind" "$SERVERS_TMP/range.cnf"
    tap_ok "$kind ends cleanly" server_stop "$kind"
    server_dropin_install "$kind" "$SERVERS_TMP/$foreign.cnf"
    tap_not "$kind refuses $foreign" server_accepts "$kind" "$SERVERS_TMP/$foreign.cnf"
    tap_not "$kind does not start with it" server_start "$kind" "$kind"
done
tap_end
