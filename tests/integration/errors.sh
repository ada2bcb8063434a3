#!/bin/sh
# What goes wrong around a check: each ends soon, with the right code, a message that names the thing,
# nothing half-written and nobody left behind.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/roots.sh
. tests/lib/roots.sh
# shellcheck source=tests/lib/servers.sh
. tests/lib/servers.sh
# shellcheck source=tests/lib/report.sh
. tests/lib/report.sh

reason=$(servers_missing)
[ -z "$reason" ] || tap_skip_all "$reason"
servers_begin
REPORT_PROGRAM=$NVADVISE
REPORT_DIR=$SERVERS_TMP
mkdir -m 700 "$SERVERS_TMP/state"
export STATE_DIRECTORY="$SERVERS_TMP/state"
tap_ok "server starts" server_start mariadb one
socket=$(server_socket one)

# left: processes of ours that are still there.
left()
{
    for lf in /proc/[0-9]*; do
        case $(readlink "$lf/exe" 2>/dev/null) in
        "$NVADVISE"*) echo "$lf" ;;
        esac
    done | wc -l
}

# says NAME PART: the last run's message contains PART.
says()
{
    tap_has "$1: the message names $2" "$(cat "$SERVERS_TMP/$1.err")" "$2"
}

# ---- servers that cannot be reached ----
tap_is "no socket: exit code" "$(report_run absent --socket "$SERVERS_TMP/none.sock")" 2
says absent "$SERVERS_TMP/none.sock"
tap_is "no socket: no report" "$(wc -c <"$SERVERS_TMP/absent.json")" 0
tap_is "an unknown option: exit code" "$(report_run usage --sockets x)" 2
says usage --sockets

server_sql one "CREATE USER app@localhost IDENTIFIED VIA mysql_native_password
    USING PASSWORD('right-one')"
printf '[client]\nuser=app\npassword=zz-secret-zz\nsocket=%s\n' "$socket" >"$SERVERS_TMP/login.cnf"
chmod 600 "$SERVERS_TMP/login.cnf"
rc=$(report_run denied --defaults-file "$SERVERS_TMP/login.cnf")
tap_ok "wrong password: not 0 ($rc)" test "$rc" -ne 0
tap_is "wrong password: it appears nowhere" \
    "$(cat "$SERVERS_TMP/denied.json" "$SERVERS_TMP/denied.err" | grep -c zz-secret)" 0

# ---- without root ----
rc=0
setpriv --reuid=65534 --regid=65534 --clear-groups -- "$NVADVISE" check --no-state --format json \
    --socket "$socket" >"$SERVERS_TMP/nobody.json" 2>"$SERVERS_TMP/nobody.err" || rc=$?
tap_ok "not root: an honest code ($rc)" test "$rc" -ne 0
tap_ok "not root: no crash" test "$rc" -le 3

# ---- output that cannot be written ----
mkdir "$SERVERS_TMP/small" "$SERVERS_TMP/readonly"
# shellcheck disable=SC2016
unshare -m -- sh -c '
    mount -t tmpfs -o size=4k tmpfs "$1/small" && mount -t tmpfs -o ro tmpfs "$1/readonly" || exit 9
    head -c 4096 /dev/zero >"$1/small/filler"
    "$2" check --socket "$3" --out "$1/readonly" >/dev/null 2>"$1/readonly.err"
    echo "$?" >"$1/readonly.rc"
    "$2" check --socket "$3" --out "$1/small" >/dev/null 2>"$1/small.err"
    echo "$?" >"$1/small.rc"
    ls -A "$1/small" >"$1/small.list"' sh "$SERVERS_TMP" "$NVADVISE" "$socket"
tap_is "read-only output: exit code" "$(cat "$SERVERS_TMP/readonly.rc")" 2
says readonly "$SERVERS_TMP/readonly"
tap_is "full disk: exit code" "$(cat "$SERVERS_TMP/small.rc")" 2
says small "$SERVERS_TMP/small"
tap_is "full disk: nothing half-written" \
    "$(grep -v -x filler "$SERVERS_TMP/small.list")" ""

# ---- captures that are damaged ----
capture=$SERVERS_TMP/whole.capture
report_run whole --socket "$socket" --capture "$capture" >/dev/null
size=$(wc -c <"$capture")
tap_ok "a capture was written" test "$size" -gt 1000
head -c $((size / 2)) "$capture" >"$SERVERS_TMP/cut.capture"
tap_is "cut in the middle: exit code" "$(report_run cut --from "$SERVERS_TMP/cut.capture")" 2
says cut cut.capture
head -c $((size - 9)) "$capture" >"$SERVERS_TMP/short.capture"
tap_is "its last bytes gone: exit code" \
    "$(report_run short --from "$SERVERS_TMP/short.capture")" 2
{
    head -c $((size / 2)) "$capture"
    printf '\252\125\252'
    tail -c "+$((size / 2 + 4))" "$capture"
} >"$SERVERS_TMP/flipped.capture"
tap_is "flipped bytes: exit code" "$(report_run flipped --from "$SERVERS_TMP/flipped.capture")" 2
head -c 4096 /dev/urandom >"$SERVERS_TMP/noise.capture"
tap_is "noise: exit code" "$(report_run noise --from "$SERVERS_TMP/noise.capture")" 2

# ---- a server that hangs, and one that dies while it is asked ----
# The pipe proves that nothing keeps it open after the program has ended.
kill -STOP "$(server_pid one)"
begin=$(date +%s)
"$NVADVISE" check --format json --socket "$socket" 2>/dev/null | cat >"$SERVERS_TMP/hung.json"
took=$(($(date +%s) - begin))
tap_ok "a server that does not answer: back after $took s" test "$took" -le 12
"$NVADVISE" check --socket "$socket" >"$SERVERS_TMP/killed.out" 2>"$SERVERS_TMP/killed.err" &
checking=$!
sleep 1
kill -9 "$(server_pid one)"
rc=0
wait "$checking" || rc=$?
tap_ok "a server that dies: an honest code ($rc)" sh -c "[ $rc -ge 1 ] && [ $rc -le 3 ]"
tap_is "nobody is left behind" "$(left)" 0
tap_end
