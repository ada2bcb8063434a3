#!/bin/sh
# What a check costs, and that the cost does not grow with the number of tables.
#
#   cost.sh mariadb|mysql MEASURE
#
# MEASURE is the program of tests/bench/measure.c. NVADVISE_COST_TABLES: 5000.
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
kind=$1 measure=$2
tables=${NVADVISE_COST_TABLES:-5000}
servers_room
servers_begin
mkdir -m 700 "$SERVERS_TMP/state"
export STATE_DIRECTORY="$SERVERS_TMP/state"

# The release binary: sanitizers cost more than the program.
one_check()
{
    "$measure" "$SERVERS_TMP/cost" "$NVADVISE_RELEASE" check --socket "$socket" \
        >"$SERVERS_TMP/report" 2>&1
    oc_rc=$?
    [ "$oc_rc" -ne 2 ]
}

# user_tables: how many tables of ours the server holds open.
user_tables()
{
    server_sql one "SHOW OPEN TABLES FROM many" | wc -l
}

# cost FIELD
cost()
{
    sed -n "s/.*$1 \([0-9]*\).*/\1/p" "$SERVERS_TMP/cost"
}

# Durability is not what is looked at here, and thousands of tables are made.
fast='--innodb-flush-method=nosync --innodb-flush-log-at-trx-commit=0 --sync-binlog=0'
# shellcheck disable=SC2086
tap_ok "$kind starts" server_start "$kind" one $fast
socket=$(server_socket one)
one_check
none=$(server_statements one one_check)
tap_ok "statements without tables: $none, guards included, at most 12" \
    sh -c "[ $none -gt 0 ] && [ $none -le 12 ]"
tap_ok "$tables tables with rows" server_many_tables one "$tables"
# shellcheck disable=SC2086
tap_ok "$kind restarts, so that no table is open" server_restart one $fast
one_check
tap_is "no user table is opened" "$(user_tables)" 0
tap_is "the same number of statements with $tables tables" "$(server_statements one one_check)" \
    "$none"
# The least of three: the first one after a start reads pages that nobody has read yet.
best_cpu=1000000 best_rss=1000000
for _ in 1 2 3; do
    one_check
    [ "$(cost cpu_ms)" -ge "$best_cpu" ] || best_cpu=$(cost cpu_ms)
    [ "$(cost rss_kib)" -ge "$best_rss" ] || best_rss=$(cost rss_kib)
done
echo "# $tables tables: $best_cpu ms of CPU, $best_rss KiB in the largest process"
tap_ok "at most 0.1 s of CPU over all processes" test "$best_cpu" -le 100
tap_ok "at most 16 MiB in the largest" test "$best_rss" -le 16384
tap_is "still no user table open" "$(user_tables)" 0
tap_ok "$kind stops" server_stop one
tap_end
