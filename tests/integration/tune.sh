#!/bin/sh
# tune on a real MariaDB with option files that are root's: written, in force after a restart, taken back;
# everything that stands in the way is said, and then nothing is installed.
set -u
cd "$(dirname "$0")/../.." || exit 1
# Small and read-only filesystems are mounted where only this test sees them.
if [ -z "${NV_UNSHARED:-}" ] && [ "$(id -u)" = 0 ]; then
    exec env NV_UNSHARED=1 unshare --mount --propagation private -- sh tests/integration/tune.sh
fi
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
tune_rules "$NV_DIR/rules"
tune_server mariadb one
tap_ok "a server with root's option files starts" server_sql one "DO 1"
ours=$CONF/zz-nvadvise.cnf
printf '[mysqld]\nskip-name-resolve\n' >"$CONF/50-server.cnf"
before=$(tune_snapshot)

origin()
{
    server_sql one "SELECT GLOBAL_VALUE_ORIGIN, GLOBAL_VALUE_PATH
        FROM information_schema.SYSTEM_VARIABLES WHERE VARIABLE_NAME = '$1'" | tr '\t' ' '
}

# ---- what changes nothing ----

for mode in "" --dry-run --diff; do
    # shellcheck disable=SC2086
    nt $mode
    tune_stopped "tune $mode" 0 net_retry_count
done
nt --status
tune_stopped "nothing installed" 0 "nothing installed"
nt --undo
tune_stopped "nothing to undo" 0 "nothing to take back"
nt --dry-run --format json
tap_is "dry run: both own settings win" "$(nv_get '[.settings[] | select(.rule | startswith("own-"))
    | select(.wins)] | length')" 2
tap_is "dry run: the binary was asked" "$(nv_get .validation.good)" true
nv_schema "dry run: the document is as its schema says" tune-1 "$NV_OUT"
for what in --set --from --facts --options; do
    nt --write "$what" x=1
    tune_stopped "--write $what" 2 "do not go together"
done
nt --write --undo
tune_stopped "two things at once" 2 "do not go together"

# ---- written, in force, the same again, taken back ----

nt --write --format json
nv_ended "written" 0
tap_is "it says so" "$(nv_get .effect)" written
tap_is "what can be set at once is set by a statement" \
    "$(nv_get '.settings[] | select(.variable == "net_retry_count") | .takes_effect')" statement
tap_is "what cannot waits for a restart" \
    "$(nv_get '.settings[] | select(.variable == "ft_query_expansion_limit") | .takes_effect')" restart
tap_is "the statement is named" "$(nv_get '.statements[] | select(test("net_retry_count"))')" \
    "SET GLOBAL net_retry_count = 30;"
tap_is "root's, readable by all" "$(stat -c '%u:%g %a' "$ours")" "0:0 644"
tap_is "nothing else is there" "$(find "$CONF" -mindepth 1 -printf '%f ' | tr ' ' '\n' | LC_ALL=C sort |
    tr '\n' ' ')" "50-server.cnf zz-nvadvise.cnf "
tap_is "nothing was set in the server" "$(server_sql one 'SELECT @@global.net_retry_count')" 10
nt --status
nv_ended "not in force yet" 1
tap_has "because of the restart" "$(nt_said)" "has not been restarted since"
tap_has "what need not wait for it" "$(nt_said)" "SET GLOBAL net_retry_count = 30;"
stat -c '%i %y %s' "$ours" >"$NV_DIR/stat"
nt --write
nv_ended "the same again" 0
tap_has "the same again changes nothing" "$(nt_said)" "nothing changed"
tap_is "not even the inode or the time" "$(stat -c '%i %y %s' "$ours")" "$(cat "$NV_DIR/stat")"

tap_ok "the server restarts with it" tune_restart one
variables=$(sed -n 's/^\([a-z_]*\) = .*/\1/p' "$ours")
tap_ok "there are settings" test -n "$variables"
for variable in $variables; do
    tap_is "the server has $variable from our file" "$(origin "$variable")" "CONFIG $ours"
done
nt --status
nv_ended "in force" 0
tap_has "and says so" "$(nt_said)" "written, in force"
nt --write
nv_ended "after the restart, again" 0
tap_is "not a byte has changed" "$(stat -c '%i %y %s' "$ours")" "$(cat "$NV_DIR/stat")"

# Its lines are in force, so no rule fails; removed or changed by others, they come back all the same.
cp -p "$ours" "$NV_DIR/whole"
rm "$ours"
nt --status
nv_ended "removed by somebody" 1
tap_has "and told so" "$(nt_said)" "removed since"
nt --write
nv_ended "written again" 0
tap_is "with the lines that are in force" "$(grep -v '^#' "$ours" | grep "=" | sort | tr '\n' ' ')" \
    "ft_query_expansion_limit = 60 net_retry_count = 30 "
nt --undo
cp -p "$NV_DIR/whole" "$ours"
sed -i 's/^net_retry_count = 30/net_retry_count = 3/' "$ours"
nt --status
tap_has "a value that somebody changed" "$(nt_said)" "has changed the file since the server was started"
tap_ok "is not advised" test -z "$(sed -n '/SET GLOBAL net_retry_count = 3;/p' "$NV_OUT")"
nt --write --force
nv_ended "a changed value, by force" 0
tap_ok "it is the judged one again" grep -q '^net_retry_count = 30$' "$ours"
nt --undo
cp -p "$NV_DIR/whole" "$ours"

# A new line comes to those that stay, and they stay as they are.
cp "$ours" "$NV_DIR/first"
cp -r "$RULES" "$NV_DIR/more"
RULES=$NV_DIR/more
tune_setting min_examined_row_limit 1 2 yes
nt --write
nv_ended "one setting more" 0
tap_ok "it is there" grep -q '^min_examined_row_limit = 2$' "$ours"
tap_is "no line of the earlier ones is gone or changed" \
    "$(sed -n '/^\[mysqld\]/,/^# ---- the same at run time/p' "$NV_DIR/first" |
        grep -v '^# ----' | grep -v -x -F -f "$ours")" ""
nt --diff
tap_is "no difference is left" "$(cat "$NV_OUT")" ""
nt --undo
nv_ended "undo" 0
tap_is "the first drop-in is back, byte for byte" "$(stat -c '%y %s' "$ours"; cat "$ours")" \
    "$(cut -d' ' -f2- "$NV_DIR/stat"; cat "$NV_DIR/first")"
RULES=$NV_DIR/rules
nt --undo
tune_stopped "undo of the first write" 0 "taken away"
tap_ok "the server restarts without" tune_restart one

# ---- who else wins ----

printf '[mysqld]\n\nloose-net_retry-count=7\n' >"$CONF/zzz.cnf"
nt --write
nv_ended "written, though one line does not win" 0
tap_has "the line that wins is named" "$(nt_said)" "$CONF/zzz.cnf:3"
tap_ok "restart" tune_restart one
nt --status
nv_ended "one is not in force" 1
tap_has "who wins is named" "$(nt_said)" "delete line 3 of $CONF/zzz.cnf"
rm "$CONF/zzz.cnf"
tap_ok "restart with an argument" tune_restart one --net-retry-count=8
nt --status
nv_ended "an argument wins" 1
tap_has "the argument is named" "$(nt_said)" "take --net-retry-count from"
tap_ok "restart" tune_restart one
server_sql one 'SET GLOBAL net_retry_count = 9'
nt --status
nv_ended "set at run time" 1
tap_has "and told so" "$(nt_said)" "set at run time"
nt --undo
tap_ok "restart" tune_restart one
sed 's/^[a-z_]* = .*/&x/; s/^\([a-z_]*\) = .*/\1 = 1/' "$NV_DIR/first" | grep -v '^#' >"$CONF/zzz.cnf"
before=$(tune_snapshot)
nt --write
tune_stopped "nothing of it would win" 1 "no line would win"
rm "$CONF/zzz.cnf"
before=$(tune_snapshot)

# ---- files of others, changed files, unreadable files ----

printf '[mysqld]\nnet_buffer_length=9000\n' >"$ours"
chmod 604 "$ours"
touch -d '2020-01-02 03:04:05.678' "$ours"
before=$(tune_snapshot)
nt --dry-run
tune_stopped "a file of somebody else, foretold" 1 "has not made it"
nt --write
tune_stopped "a file of somebody else" 1 "has not made it"
nt --write --force
nv_ended "replaced by force" 0
tap_ok "it is ours" grep -q '^net_retry_count = 30$' "$ours"
echo '# mine' >>"$ours"
nt --status
nv_ended "changed since" 1
tap_has "and told so" "$(nt_said)" "changed since"
nt --undo
nv_ended "undo of a changed file is refused" 1
nt --undo --force
tune_stopped "undo by force brings back the first" 0 "the former file is there again"
rm "$ours"
before=$(tune_snapshot)
nt --write
chmod 600 "$ours"
tap_ok "restart" tune_restart one
nt --status
nv_ended "a file that the server cannot read" 1
tap_has "and told so" "$(nt_said)" "cannot read the file"
nt --write
nv_ended "the mode is mended" 0
tap_is "readable again" "$(stat -c %a "$ours")" 644

# ---- without a server ----

server_stop one
nt --status
tap_has "status without a server" "$(nt_said)" "$ours"
nt --undo
tap_has "undo without a server" "$(nt_said)" "former file is there again"
nt --undo
tune_stopped "undo of the write before" 0 "taken away"
tap_ok "start" tune_start one

# ---- bad rules ----

tune_bad_rules

# ---- journals and their place ----

nt --write
nv_ended "written" 0
journal=$(find "$NV_DIR/state" -name 'tune-*.json')
cp "$journal" "$NV_DIR/journal"
for spoilt in '' '{' '{"schema": "nvadvise.journal/2"}'; do
    printf '%s' "$spoilt" >"$journal"
    nv tune --undo
    nv_ended "journal '$spoilt': nothing is undone" 2
    tap_has "journal '$spoilt': named" "$(nt_said)" "$journal"
    nv tune --status --no-site
    nv_ended "journal '$spoilt': status" 1
    tap_has "journal '$spoilt': status names it" "$(nt_said)" "$journal"
done
cp "$NV_DIR/journal" "$journal"
chown "$ROOTS_UID" "$NV_DIR/state"
nv tune --undo
nv_ended "a state directory of another user" 2
tap_has "whose it is" "$(nt_said)" "belongs to user $ROOTS_UID"
nt --status --format json
nv_ended "status without a journal is no pass" 1
tap_has "and says why" "$(nv_get .reason)" "belongs to user $ROOTS_UID"
chown 0 "$NV_DIR/state"
chmod 777 "$NV_DIR/state"
nt --write
nv_ended "a state directory that all may write" 2
chmod 700 "$NV_DIR/state"
mv "$CONF" "$CONF.away"
nv tune --undo
nv_ended "the directory has gone" 2
tap_has "what to do" "$(nt_said)" "rm $journal"
mv "$CONF.away" "$CONF"
nv tune --undo
tune_stopped "taken away" 0 "taken away"
nv tune --undo
tap_has "where it was looked for" "$(nt_said)" "no journal of a write lies in '$NV_DIR/state'"

# ---- places ----

chmod 777 "$CONF"
nt --write
tune_stopped "a directory that all may write" 2 "written by others"
chmod 755 "$CONF"
chown "$ROOTS_UID" "$ETC"
nt --write
tune_stopped "a parent that is another user's" 2 "does not belong to root"
chown 0 "$ETC"
mount -t tmpfs -o size=8k,mode=755 tmpfs "$CONF"
head -c 8192 /dev/zero >"$CONF/filler"
before=$(tune_snapshot)
nt --write
tune_stopped "a full disk" 2 "No space left"
mount -o remount,ro "$CONF"
nt --write
tune_stopped "a disk that is read only" 2 "Read-only"
umount "$CONF"
before=$(tune_snapshot)
(
    flock 9
    echo 4711 >"$NV_DIR/state/host.lock"
    sleep 60
) 9>>"$NV_DIR/state/host.lock" &
holder=$!
sleep 0.5
nt --write
tune_stopped "another one is at work" 2 "process 4711"
kill "$holder"
wait "$holder" 2>/dev/null
nv_as_nobody tune --socket "$(server_socket one)" --rules "$RULES" --no-state --write
nv_ended "not root" 2
tap_has "not root: says so" "$(cat "$NV_ERR")" "only root"
nv_as_nobody tune --socket "$(server_socket one)" --rules "$RULES" --status
tap_has "not root: the remedy is whole" "$(nt_said)" "IDENTIFIED VIA unix_socket"
nv_as_nobody tune --socket "$(server_socket one)" --rules "$RULES" --no-state
nv_ended "no answer" 2
tap_has "no answer is no pass" "$(nt_said)" "could not be asked"
nv_as_nobody tune --socket "$(server_socket one)" --rules "$RULES" --status
nv_ended "status: out of sight is not nothing" 2
tap_has "status: says who can tell" "$(nt_said)" "root alone"
sed -i.keep '/^!includedir/d' "$ETC/my.cnf"
tap_ok "restart without a directory" tune_restart one
nt --write
tune_stopped "no directory" 2 "!includedir $ETC/nvadvise.d"
mv "$ETC/my.cnf.keep" "$ETC/my.cnf"

# ---- killed ----

nt --format json
nv_get .text >"$NV_DIR/text"
act=1
while [ $act -lt 40 ]; do
    rc=0
    "$NV_TOOLS/tune_kill" "$NV_DIR/state" "$CONF" "$NV_DIR/text" $act 2>/dev/null || rc=$?
    [ $rc != 3 ] || break
    nv tune --status --no-site --format json --dir "$CONF"
    tap_ok "killed after act $act: explained" test -n "$(nv_get '.dropins[].text')"
    nv tune --undo
    tune_stopped "killed after act $act: taken back" 0 "taken"
    act=$((act + 1))
done
tap_ok "the write came to its end ($act acts)" test $act -gt 5 -a $act -lt 40
nv tune --undo
tune_stopped "taken back" 0 "taken away"

# ---- the binary of the next start ----

mkdir "$SERVERS_TMP/bin"
cp /usr/sbin/mariadbd "$SERVERS_TMP/bin/mariadbd"
TUNE_BINARY=$SERVERS_TMP/bin/mariadbd
tap_ok "restart from a binary of its own" tune_restart one
cp /usr/sbin/mariadbd "$SERVERS_TMP/bin/new"
mv "$SERVERS_TMP/bin/new" "$SERVERS_TMP/bin/mariadbd"
nt --dry-run
tap_has "the same version, installed anew: a restart is pending" "$(nt_said)" "restart pending"
cat >"$SERVERS_TMP/bin/new" <<'NEXT'
#!/bin/sh
case "$*" in
*--version*) echo "mariadbd  Ver 11.8.2-MariaDB for Linux on x86_64" ;;
*) exec /usr/sbin/mariadbd "$@" ;;
esac
NEXT
chmod 755 "$SERVERS_TMP/bin/new"
mv "$SERVERS_TMP/bin/new" "$SERVERS_TMP/bin/mariadbd"
nt --dry-run --format json
tap_is "another version is noticed" "$(nv_get .next.version)" 11.8.2
tap_has "both are named" "$(nv_get '.notes[]')" "10.11"
rm "$SERVERS_TMP/bin/mariadbd"
nt --write
tune_stopped "no binary to start next" 2 "is gone"
cp /usr/sbin/mariadbd "$SERVERS_TMP/bin/mariadbd"

nv_sound "no sanitizer spoke"
server_stop one
tap_end
