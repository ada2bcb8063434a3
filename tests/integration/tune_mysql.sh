#!/bin/sh
# tune on a real MySQL in a root of its own: from outside nothing is installed and the text is printed; from
# inside, written, in force, overridden by SET PERSIST and taken back.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/roots.sh
. tests/lib/roots.sh
# shellcheck source=tests/lib/servers.sh
. tests/lib/servers.sh
# shellcheck source=tests/lib/nvadvise.sh
. tests/lib/nvadvise.sh
# shellcheck source=tests/lib/tune.sh
. tests/lib/tune.sh

reason=$(nv_missing)
[ -z "$reason" ] || tap_skip_all "$reason"
servers_begin
nv_begin
outside=$NV
tune_rules "$NV_DIR/rules"
tune_server mysql one
tap_ok "a server with root's option files starts" server_sql one "DO 1"
echo "# MySQL $(server_version one)"
ours=$CONF/zz-nvadvise.cnf
printf '[mysqld]\nskip-name-resolve\n' >"$CONF/50-server.cnf"
before=$(tune_snapshot)

# ---- from outside ----

inside=$NV
NV=$outside
nt --write
tune_stopped "a server in a root of its own" 2 "a root of its own"
tap_ok "the text is printed" grep -q '^net_retry_count = 30$' "$NV_OUT"
tap_has "and where it belongs" "$(nt_said)" "not installed: $ours"
NV=$inside

# ---- from inside ----

tune_bad_rules
nt --write --format json
nv_ended "written" 0
tap_is "it says so" "$(nv_get .effect)" written
tap_is "the binary was asked" "$(nv_get .validation.good)" true
stat -c '%i %y %s' "$ours" >"$NV_DIR/stat"
nt --write
nv_ended "the same again" 0
tap_is "not even the inode or the time has changed" "$(stat -c '%i %y %s' "$ours")" \
    "$(cat "$NV_DIR/stat")"
tap_ok "the server restarts with it" tune_restart one
variables=$(sed -n 's/^\([a-z_]*\) = .*/\1/p' "$ours")
tap_ok "there are settings" test -n "$variables"
for variable in $variables; do
    tap_is "the server has $variable from our file" "$(server_sql one "SELECT VARIABLE_PATH FROM
        performance_schema.variables_info WHERE VARIABLE_NAME = '$variable'")" "$ours"
done
nt --status
nv_ended "in force" 0
tap_has "and says so" "$(nt_said)" "written, in force"
nt --write
nv_ended "after the restart, again" 0
tap_is "not a byte has changed" "$(stat -c '%i %y %s' "$ours")" "$(cat "$NV_DIR/stat")"

# ---- SET PERSIST ----

server_sql one 'SET PERSIST net_retry_count = 5'
nt --status
nv_ended "a persisted value" 1
tap_has "the statement that mends it" "$(nt_said)" "RESET PERSIST net_retry_count;"
nt --write --format json
nv_ended "written, though a persisted value wins" 0
tap_is "the statement comes first" "$(nv_get '.statements[0]')" "RESET PERSIST net_retry_count;"
tap_ok "restart" tune_restart one
nt --status
nv_ended "it still wins" 1
tap_is "as the server says" "$(server_sql one 'SELECT @@global.net_retry_count')" 5
server_sql one 'RESET PERSIST net_retry_count'
tap_ok "restart" tune_restart one
nt --status
nv_ended "in force again" 0
nt --undo
tune_stopped "undo" 0 "taken away"
nv_sound "no sanitizer spoke"
server_stop one
tap_end
