#!/bin/sh
# What goes wrong on real hosts: a clear error that names object, cause and remedy, the right exit
# code, nothing half-written, and nobody left waiting.
set -u
cd "$(dirname "$0")/../.." || exit 1
# Small and read-only filesystems are mounted where only this test sees them.
if [ -z "${NV_UNSHARED:-}" ] && [ "$(id -u)" = 0 ]; then
    exec env NV_UNSHARED=1 unshare --mount --propagation private -- sh tests/integration/trouble.sh
fi
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/roots.sh
. tests/lib/roots.sh
# shellcheck source=tests/lib/servers.sh
. tests/lib/servers.sh
# shellcheck source=tests/lib/nvadvise.sh
. tests/lib/nvadvise.sh

reason=$(nv_missing)
[ -z "$reason" ] || tap_skip_all "$reason"
servers_begin
nv_begin

# ours: processes of the program that still run, by its copy's path.
ours()
{
    for or_exe in /proc/[0-9]*/exe; do
        [ "$(readlink "$or_exe" 2>/dev/null)" = "$NV" ] || continue
        or_pid=${or_exe#/proc/}
        echo "${or_pid%/exe}"
    done
}

# Children die with the run; the kernel may take a moment.
nobody_left()
{
    nl_tries=25
    while [ -n "$(ours)" ] && [ $nl_tries -gt 0 ]; do
        nl_tries=$((nl_tries - 1))
        sleep 0.1
    done
    tap_is "$1: no process of it is left" "$(ours)" ""
}

# Storage findings do not need the server's word: those of volumes are decided.
storage_is_there()
{
    tap_ok "$1: storage is judged all the same" test \
        "$(nv_get '[.findings[] | select(.subject | startswith("volume:"))
            | select(.verdict == "pass" or .verdict == "fail")] | length')" -gt 0
}

tap_ok "a server starts" server_start mariadb one
socket=$(server_socket one)

# ---- cannot log in ----

printf '[client]\nsocket=%s\nuser=root\npassword=Sesam77\n' "$socket" >"$NV_DIR/login.cnf"
server_sql one "CREATE USER locked@localhost IDENTIFIED BY 'right'; GRANT ALL ON *.* TO locked@localhost"
sed -i 's/user=root/user=locked/' "$NV_DIR/login.cnf"
chmod 600 "$NV_DIR/login.cnf"
nv check --defaults-file "$NV_DIR/login.cnf" --format json
nv_ended "wrong password: exit code 3" 3
storage_is_there "wrong password"
nv_schema "wrong password: the report is whole" report-1 "$NV_OUT"
tap_is "wrong password: one remedy for all that the server would have told" \
    "$(nv_get '[.remedies[] | select(.reason | test("locked"))] | length')" 1
tap_not "wrong password: it is nowhere in the output" grep -q -e Sesam77 "$NV_OUT"
nv check --defaults-file "$NV_DIR/login.cnf"
for way in root --defaults-file client.cnf; do
    tap_has "wrong password: a way to log in is named: $way" "$(cat "$NV_OUT")" "$way"
done
nv check --defaults-file "$NV_DIR/login.cnf" --no-redact --capture "$NV_DIR/login.cap"
tap_is "wrong password: nor in the capture" "$(gzip -dc "$NV_DIR/login.cap" |
    jq -r '., (.bytes // "" | @base64d)' | grep -c Sesam77)" 0
sed -i 's/=Sesam77/=right/' "$NV_DIR/login.cnf"
nv check --defaults-file "$NV_DIR/login.cnf" --format json
tap_is "right password: the server is judged" \
    "$(nv_get '.subjects.servers[0].flavour')" mariadb
chmod 644 "$NV_DIR/login.cnf"
nv_as_nobody check --defaults-file "$NV_DIR/absent.cnf"
nv_ended "an option file that is not there: exit code 2" 2
tap_has "and it is named" "$(cat "$NV_ERR")" "$NV_DIR/absent.cnf"

# ---- a server that was named and is not there ----

# not_there NAME WORD OPTIONS...: exit code 2, WORD in the message, nothing on stdout.
not_there()
{
    nt_name=$1 nt_word=$2
    shift 2
    nv check "$@"
    nv_ended "$nt_name: exit code 2" 2
    tap_is "$nt_name: nothing on stdout" "$(cat "$NV_OUT")" ""
    tap_has "$nt_name: says what" "$(cat "$NV_ERR")" "$nt_word"
    tap_has "$nt_name: says what to do" "$(cat "$NV_ERR")" "hint: "
}

not_there "no such socket" "$NV_DIR/none.sock" --socket "$NV_DIR/none.sock"
: >"$NV_DIR/plain"
not_there "a file that is no socket" "$NV_DIR/plain" --socket "$NV_DIR/plain"
not_there "nobody listens on the port" "127.0.0.1" --host 127.0.0.1 --port 1
not_there "a host that does not exist" "nowhere.invalid" --host nowhere.invalid
server_start mariadb stale && server_kill stale
not_there "a socket that its server left behind" "$(server_socket stale)" \
    --socket "$(server_socket stale)"
rm -rf "$(server_dir stale)"

nv check --sockets x
nv_ended "an option that does not exist: exit code 2" 2
tap_has "and it is named" "$(cat "$NV_ERR")" "--sockets"

# ---- no root ----

nv_as_nobody check --socket "$socket" --format json
nv_ended "no root: exit code 3" 3
nv_schema "no root: the report is whole" report-1 "$NV_OUT"
nv_as_nobody check --socket "$socket"
tap_has "no root: says how to log in" "$(cat "$NV_OUT")" "--defaults-file"
nv_as_nobody check --format json --out "$NV_DIR"
nv_ended "no root: a directory of others is not written to" 2
tap_has "no root: which is said" "$(cat "$NV_ERR")" "$NV_DIR"

# ---- output that cannot be written ----

nv check --socket "$socket" --out "$NV_DIR/old"
cp -r "$NV_DIR/old" "$NV_DIR/kept"
# unharmed NAME DIR: the files of the earlier run and nothing else.
unharmed()
{
    tap_is "$1: the old files stand, and nothing beside them" "$(diff -r "$NV_DIR/kept" "$2" 2>&1)" ""
}

mkdir "$NV_DIR/mount"
mount -t tmpfs tmpfs "$NV_DIR/mount"
cp "$NV_DIR/old"/* "$NV_DIR/mount"
mount -o remount,ro "$NV_DIR/mount"
nv check --socket "$socket" --set host.vm.swappiness=77 --out "$NV_DIR/mount"
nv_ended "read-only output directory: exit code 2" 2
tap_has "read-only: the file is named" "$(cat "$NV_ERR")" "$NV_DIR/mount/"
tap_has "read-only: with the cause" "$(cat "$NV_ERR")" "Read-only file system"
tap_has "read-only: the report itself was printed" "$(cat "$NV_OUT")" "server $socket"
unharmed "read-only" "$NV_DIR/mount"
umount "$NV_DIR/mount"

mount -t tmpfs -o size=256k tmpfs "$NV_DIR/mount"
cp "$NV_DIR/old"/* "$NV_DIR/mount"
dd if=/dev/zero of="$NV_DIR/mount/filler" bs=4k status=none 2>/dev/null
cp "$NV_DIR/mount/filler" "$NV_DIR/kept/filler"
nv check --socket "$socket" --set host.vm.swappiness=77 --out "$NV_DIR/mount"
nv_ended "full disk: exit code 2" 2
tap_has "full disk: with the cause" "$(cat "$NV_ERR")" "No space left"
unharmed "full disk" "$NV_DIR/mount"
nv check --socket "$socket" --capture "$NV_DIR/mount/x.cap"
nv_ended "full disk for the capture: exit code 2" 2
unharmed "full disk for the capture" "$NV_DIR/mount"
umount "$NV_DIR/mount"

nv_rc=0
"$NV" check --socket "$socket" >/dev/full 2>"$NV_ERR" || nv_rc=$?
: >"$NV_OUT"
nv_ended "stdout on a full disk: exit code 2" 2
nv check --socket "$socket" --out "$NV_DIR/plain"
nv_ended "a file in place of the output directory: exit code 2" 2
nv check --socket "$socket" --out "$NV_DIR/absent/deeper"
tap_ok "an output directory whose parent is not there either is made" test -s \
    "$NV_DIR/absent/deeper/report.json"
mkdir "$NV_DIR/anyone"
chmod 777 "$NV_DIR/anyone"
nv check --socket "$socket" --out "$NV_DIR/anyone"
nv_ended "a directory that anyone can write: exit code 2" 2
tap_is "and nothing is put there" "$(ls -A "$NV_DIR/anyone")" ""

# ---- readers that go away ----

tap_is "a reader that wants one line gets it" \
    "$(timeout 30 "$NV" check --socket "$socket" 2>/dev/null | head -n 1 | wc -l)" 1
nobody_left "a reader that goes away"

# ---- a server that hangs ----

kill -STOP "$(server_pid one)"
start=$(date +%s)
# The pipe ends only when every process that holds it has: a stuck child must not.
timeout 30 "$NV" check --socket "$socket" --timeout 1 --format json 2>"$NV_ERR" | cat >"$NV_OUT"
took=$(($(date +%s) - start))
tap_ok "a hung server: the pipe ends in time ($took s)" test "$took" -le 8
nobody_left "a hung server"
nv check --socket "$socket" --timeout 1 --format json
nv_ended "a hung server: exit code 3" 3
storage_is_there "a hung server"
tap_has "a hung server: says that it does not answer" "$(nv_get '[.remedies[].reason] | join(" ")')" \
    "no answer within"
"$NV" check --socket "$socket" >/dev/null 2>&1 &
pid=$!
sleep 0.7
kill -KILL $pid
wait $pid 2>/dev/null
nobody_left "killed itself"
# The server dies while it is being asked.
"$NV" check --socket "$socket" --format json >"$NV_OUT" 2>"$NV_ERR" &
pid=$!
sleep 0.7
server_kill one
nv_rc=0
wait $pid || nv_rc=$?
nv_ended "the server dies before it greets: exit code 2" 2
tap_has "and is named" "$(cat "$NV_ERR")" "$socket"
nobody_left "the server dies"

# ---- no server ----

# A process namespace of its own hides those of this machine, and what is hidden is not absent.
nv_rc=0
unshare --pid --fork --mount-proc "$NV" check --format json >"$NV_OUT" 2>"$NV_ERR" || nv_rc=$?
nv_ended "no server to be seen: exit code 3" 3
nv_schema "no server to be seen: the report is whole" report-1 "$NV_OUT"
tap_has "no server to be seen: said" "$(nv_get '.notes[]')" "whether a server runs here is not known"
nv_rc=0
unshare --pid --fork --mount-proc "$NV" check --require-server >"$NV_OUT" 2>"$NV_ERR" || nv_rc=$?
nv_ended "no server with --require-server: exit code 2" 2
nv_sound "no sanitizer spoke"
tap_end
