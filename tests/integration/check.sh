#!/bin/sh
# nvadvise against a real server of one kind: from its defaults to a drop-in that the server starts
# with, reads back and is content with; what is asked of the server; a capture and its replay.
#
#   check.sh mariadb|mysql
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
kind=$1 other=mysql
[ "$kind" = mariadb ] || other=mariadb
servers_begin
REPORT_PROGRAM=$NVADVISE
REPORT_DIR=$SERVERS_TMP
mkdir -m 700 "$SERVERS_TMP/state"
export STATE_DIRECTORY="$SERVERS_TMP/state"

tap_ok "$kind starts on its defaults" server_start "$kind" one
echo "# $(server_version one)"
socket=$(server_socket one)
out=$SERVERS_TMP/out
dropin=$out/zz-nvadvise.cnf

# ---- from defaults to a drop-in that works ----
echo "# first check ended $(report_alone first --socket "$socket" --out "$out")"
report_problems first
tap_ok "report.json was written" jq -e .schema "$out/report.json"
tap_ok "a drop-in was written" test -s "$dropin"
sed 's/^/# /' "$dropin"
tap_ok "$kind's own check accepts it" server_accepts "$kind" "$dropin"
tap_rc "$other refuses it" 1 server_accepts "$other" "$dropin"
server_dropin_install one "$dropin"
tap_ok "$kind starts with it" server_restart one
settings=$(dropin_settings "$dropin")
tap_ok "it sets something" test -n "$settings"
while read -r name value; do
    [ -n "$name" ] || continue
    tap_is "$name reads back" "$(server_sql one "SELECT @@GLOBAL.$name + 0 = $value OR
        @@GLOBAL.$name = '$value'")" 1
done <<SETTINGS
$settings
SETTINGS
tap_is "a second check is content" "$(report_alone second --socket "$socket")" 0
report_problems second
tap_is "and plans nothing" "$(report_get second '.plan | length')" 0
tap_ok "not measured: at most five commands" test \
    "$(report_get second '.not_measured | map(.command) | unique | length')" -le 5
if [ "$kind" = mariadb ]; then
    server_start mariadb-next next >/dev/null
    server_dropin_install next "$dropin"
    tap_ok "a newer MariaDB starts with it too" server_restart next
    server_stop next
fi

# ---- what is asked ----
server_sql one "SET GLOBAL log_output = 'FILE'; SET GLOBAL general_log = ON;
    SET GLOBAL general_log_file = 'general.log'" 2>/dev/null
server_sql one "SET GLOBAL general_log_file = 'general.log'; SET GLOBAL general_log = ON"
: >"$(server_dir one)/data/general.log"
report_run logged --socket "$socket" >/dev/null
server_sql one "SET GLOBAL general_log = OFF"
# The statement text follows the word Query; a statement of several lines goes on without one.
asked=$(sed -n 's/.*[[:space:]]Query[[:space:]]//p' "$(server_dir one)/data/general.log" |
    grep -v general_log)
tap_ok "something was asked" test -n "$asked"
"$NVADVISE" facts --queries >"$SERVERS_TMP/queries"
tap_is "each is listed by --queries" "$(printf '%s\n' "$asked" | while read -r line; do
    grep -qF "$line" "$SERVERS_TMP/queries" || echo "$line"
done)" ""

# ---- capture and replay ----
live=$(report_run live --socket "$socket" --capture "$SERVERS_TMP/one.capture")
tap_is "replay has the same exit code" \
    "$(report_run replay --from "$SERVERS_TMP/one.capture")" "$live"
report_run again --from "$SERVERS_TMP/one.capture" >/dev/null
tap_ok "replay gives the bytes of the live run" cmp "$SERVERS_TMP/live.json" \
    "$SERVERS_TMP/replay.json"
tap_ok "replay is the same twice" cmp "$SERVERS_TMP/replay.json" "$SERVERS_TMP/again.json"
tap_ok "the server stops cleanly" server_stop one
tap_end
