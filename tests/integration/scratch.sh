#!/bin/sh
# Scratch servers when things go wrong: killed in the middle, signals, no room, binaries that hang, flood,
# crash and fork. Nothing runs on, nothing is left that the next run does not find.
set -u
cd "$(dirname "$0")/../.." || exit 1
# Small filesystems are mounted where only this test sees them.
if [ -z "${NV_UNSHARED:-}" ] && [ "$(id -u)" = 0 ]; then
    exec env NV_UNSHARED=1 unshare --mount --propagation private -- sh tests/integration/scratch.sh
fi
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/roots.sh
. tests/lib/roots.sh
# shellcheck source=tests/lib/servers.sh
. tests/lib/servers.sh

tools=$(dirname "$NVADVISE")/../../tests/integration
reason=$(servers_missing)
[ -z "$reason" ] || tap_skip_all "$reason"
servers_begin
dir=$SERVERS_TMP
scratch=$dir/scratch
mkdir "$scratch"
printf '/etc/zz.cnf:3:[mysqld]innodb_io_capacity=500\n' >"$dir/lines"

try()
{
    said_rc=0
    said=$("$tools/scratch_try" validate "$1" mariadb "$ROOTS_UID" /etc/zz.cnf "${2:-$scratch}" "$dir/lines" \
        2>&1 </dev/null) || said_rc=$?
}

# serve PARENT: a scratch server; sets serve_pid (of the program) and server (of mariadbd).
serve()
{
    rm -f "$dir/serve" # the shell opens it later than we look
    # A shell's background jobs ignore these two.
    env --default-signal=INT,QUIT "$tools/scratch_try" serve /usr/sbin/mariadbd mariadb "$ROOTS_UID" "$1" >"$dir/serve" 2>&1 &
    serve_pid=$!
    serve_tries=300
    until grep -q '^ready ' "$dir/serve" 2>/dev/null; do
        serve_tries=$((serve_tries - 1))
        if [ $serve_tries -le 0 ] || ! kill -0 $serve_pid 2>/dev/null; then
            cat "$dir/serve"
            return 1
        fi
        sleep 0.1
    done
    server=$(sed -n 's/.*"pid": \([0-9]*\).*/\1/p' "$1"/nvadvise-scratch.*/marker.json)
}

# The process has ended, and is at most waited for by somebody else.
ended()
{
    en_tries=50
    while [ -e "/proc/$1" ] && [ $en_tries -gt 0 ]; do
        case $(sed -n 's/^State:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null) in
        Z* | X* | "") return 0 ;;
        esac
        en_tries=$((en_tries - 1))
        sleep 0.1
    done
    [ ! -e "/proc/$1" ]
}

field()
{
    sed -n "s/^$2:[[:space:]]*\([^[:space:]]*\).*/\1/p" "/proc/$1/status"
}

serve "$scratch" || exit 1
tap_is "it is mariadbd" "$(cat "/proc/$server/comm")" mariadbd
tap_is "as the server's user" "$(field "$server" Uid) $(field "$server" Gid)" "$ROOTS_UID $ROOTS_UID"
tap_is "without capabilities, and none to gain" "$(field "$server" CapEff) $(field "$server" NoNewPrivs)" \
    "0000000000000000 1"
tap_is "the first to go when memory is short" "$(cat "/proc/$server/oom_score_adj")" 1000
tap_has "with the argument that says whose it is" "$(tr '\0' ' ' <"/proc/$server/cmdline")" \
    "/nvadvise-scratch.pid "
tap_is "first argument: no option files" "$(tr '\0' '\n' <"/proc/$server/cmdline" | sed -n 2p)" --no-defaults
tap_is "all but its folder is read-only to it" \
    "$(awk '$6 ~ /^rw/ && $5 !~ /nvadvise-scratch/ { print $5 }' "/proc/$server/mountinfo")" ""
outside=$(find "/proc/$server/fd" -lname '/*' -printf '%l\n' | grep -v -e "^$scratch/" -e '^/dev/null' \
    -e '^/sys/' -e '^/proc/' || true)
tap_is "every file that it has open is in its folder" "$outside" ""
case $(cat "$dir/serve") in
*"no cgroup"*) tap_skip "in a cgroup of its own" "no cgroup can be made here" ;;
*) tap_has "in a cgroup of its own" "$(cat "/proc/$server/cgroup")" /nvadvise-scratch. ;;
esac
tap_is "its folder is closed to others" "$(stat -c %a "$scratch"/nvadvise-scratch.*/s)" 700

cage=$(basename "$scratch"/nvadvise-scratch.*)

# Killed without a chance to clean up.
kill -9 "$serve_pid"
wait "$serve_pid" 2>/dev/null
tap_ok "it dies with the program that started it" ended "$server"
tap_is "its folder is left" "$(find "$scratch" -maxdepth 1 -name 'nvadvise-scratch.*' | wc -l)" 1
try /usr/sbin/mariadbd
tap_is "the next run does its work" "$said_rc" 0
tap_has "and tells what it removed" "$said" "removed: '$scratch/nvadvise-scratch."
tap_is "nothing is left" "$(ls "$scratch")" ""
tap_is "no cgroup is left" "$(find /sys/fs/cgroup -name "$cage" 2>/dev/null)" ""

# A run beside it leaves it alone.
serve "$scratch"
try /usr/sbin/mariadbd
tap_is "a run beside it does its work" "$said_rc" 0
tap_ok "and leaves it alone" test -e "/proc/$server/exe"
for signal in TERM INT HUP QUIT; do
    [ -n "$serve_pid" ] || serve "$scratch"
    kill -s $signal "$serve_pid"
    wait "$serve_pid" 2>/dev/null
    tap_is "SIG$signal: ended by that signal" "$(kill -l $?)" $signal
    tap_ok "SIG$signal: no server" ended "$server"
    tap_is "SIG$signal: no folder" "$(ls "$scratch")" ""
    serve_pid=
done

# Killed at any moment of a validation.
for ms in 02 10 25 40 60 80; do
    "$tools/scratch_try" validate /usr/sbin/mariadbd mariadb "$ROOTS_UID" /etc/zz.cnf "$scratch" \
        "$dir/lines" >/dev/null 2>&1 </dev/null &
    victim=$!
    sleep "0.$ms"
    kill -9 $victim 2>/dev/null
    wait $victim 2>/dev/null
    sleep 0.5
    for cmdline in /proc/[0-9]*/cmdline; do
        if tr '\0' '\n' 2>/dev/null <"$cmdline" | grep -q "^--pid-file=$scratch/" &&
            ! ended "$(echo "$cmdline" | cut -d/ -f3)"; then
            tap_fail "killed after 0.$ms s: a server runs on" "$cmdline"
        fi
    done
    "$tools/scratch_try" sweep "$scratch" >/dev/null
    tap_is "killed after 0.$ms s: the next run removes all" "$(ls "$scratch")" ""
done

# No room.
mkdir "$dir/small"
mount -t tmpfs -o size=64m,mode=755 tmpfs "$dir/small"
try /usr/sbin/mariadbd "$dir/small"
tap_is "a small filesystem: it cannot be asked" "$said_rc" 2
tap_has "and the reason is told" "$said" "no room for a scratch server in the filesystem of '$dir/small'"
tap_is "nothing is left there" "$(ls "$dir/small")" ""
umount "$dir/small"
cage=$(find /sys/fs/cgroup/memory -maxdepth 0 -writable 2>/dev/null)
if [ -n "$cage" ] && mkdir "$cage/nvt.$$" 2>/dev/null; then
    echo 300M >"$cage/nvt.$$/memory.limit_in_bytes"
    said=$(sh -c 'echo $$ >"$1/cgroup.procs"; shift; exec "$@"' sh "$cage/nvt.$$" "$tools/scratch_try" \
        validate /usr/sbin/mariadbd mariadb "$ROOTS_UID" /etc/zz.cnf "$scratch" "$dir/lines" 2>&1)
    tap_has "little memory: it cannot be asked" "$said" "no room for a scratch server in memory"
    rmdir "$cage/nvt.$$"
else
    tap_skip "little memory" "no memory cgroup of version 1 can be made here"
fi
chmod 777 "$scratch"
try /usr/sbin/mariadbd
tap_has "a folder that others may exchange is refused" "$said" "others may exchange it"
chmod 755 "$scratch"

# Binaries that do not behave. $1 is an option file's argument, so the mode is in the name.
fake()
{
    cat >"$dir/$1" <<FAKE
#!/bin/sh
case "\$*" in
*--version*) echo "mariadbd  Ver 10.11.19-MariaDB for debian-linux-gnu on x86_64"; exit 0 ;;
esac
$2
FAKE
    chmod 755 "$dir/$1"
}
export SCRATCH_TIMEOUT=2
fake hangs 'exec sleep 918273'
fake floods 'while :; do echo "2026-11-30 17:48:01 0 [ERROR] flood"; done'
fake floods-err 'while :; do echo "2026-11-30 17:48:01 0 [ERROR] flood" >&2; done'
fake crashes 'kill -SEGV $$'
fake forks 'setsid sleep 918273 & sleep 0.5; sleep 918273'
fake silent 'exit 0'
for mode in hangs floods floods-err crashes forks silent; do
    begun=$(date +%s)
    try "$dir/$mode"
    tap_ok "$mode: in time" test $(($(date +%s) - begun)) -lt 20
    tap_ok "$mode: not good" test "$said_rc" -ne 0
    tap_is "$mode: nothing is left" "$(ls "$scratch")" ""
    # shellcheck disable=SC2009
    tap_is "$mode: nothing runs on" "$(ps -eo stat=,args= | grep '[s]leep 918273' | grep -v '^Z')" ""
done
fake no-server 'exit 0'
sed -i 's/mariadbd  Ver.*MariaDB[^"]*/something else/' "$dir/no-server"
try "$dir/no-server"
tap_has "no server at all: is said" "$said" "does not tell its version"
try /nonexistent/mariadbd
tap_has "no such binary: is said" "$said" "No such file or directory"
try /etc/passwd
tap_has "no program: is said" "$said" "Permission denied"
tap_end
