#!/bin/sh
# Places that a host may start a program in: without /proc, /dev or rights, with hidden processes, no
# room for files or processes, closed or broken standard files. What cannot be seen there is unknown,
# never a pass; nothing is left behind.
set -u
cd "$NVADVISE_SOURCE" || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

[ "$(id -u)" = 0 ] || tap_skip_all "needs root"
unshare --mount true 2>/dev/null || tap_skip_all "cannot make a mount namespace"
work=$(mktemp -d /var/tmp/nvc.XXXXXX)
trap 'rm -rf "$work"' EXIT
chmod 711 "$work"
cp "$NVADVISE" "$work/nvadvise"
NV=$work/nvadvise
facts=tests/rules/hosts/w6.facts
# The leak checker needs more processes than some of these places allow.
ASAN_OPTIONS=detect_leaks=0
export ASAN_OPTIONS

# ends NAME CODE COMMAND...: exit code, and whatever is said, it is not "pass" unless CODE is 0.
ends()
{
    en_name=$1 en_want=$2 en_rc=0
    shift 2
    # The test runner's own descriptors would count against a limit.
    "$@" >"$work/out" 2>"$work/err" </dev/null 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- || en_rc=$?
    tap_is "$en_name: exit code" "$en_rc" "$en_want"
    [ "$en_want" = 0 ] || tap_not "$en_name: no pass" grep -q '^PASS' "$work/out"
}

# without PLACE COMMAND...: an empty filesystem lies over PLACE.
without()
{
    wo_place=$1
    shift
    # shellcheck disable=SC2016
    unshare --mount -- sh -c 'mount -t tmpfs tmpfs "$1" && shift && exec "$@"' sh "$wo_place" "$@"
}

nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
check="$NV check --no-state"

# ---- servers that cannot be looked for ----

# shellcheck disable=SC2086
{
    # Without /proc the leak checker cannot read that it is switched off, and spoils the exit code.
    without /proc $check --format json >"$work/out" 2>"$work/err" </dev/null
    tap_is "no /proc: verdict" "$(jq -r .verdict "$work/out")" unknown
    ends "hidden processes" 3 unshare --mount -- sh -c \
        'mount -t proc -o hidepid=2 proc /proc && exec "$@"' sh $nobody $check
    tap_has "hidden processes: says so" "$(tr '\n' ' ' <"$work/out")" "whether a server runs here"
    ends "a process namespace of its own" 3 unshare --pid --fork --mount-proc $check
    ends "no capability to give root up" 3 setpriv --bounding-set=-all --inh-caps=-all $check
    ends "a user namespace" 3 $nobody unshare --user --map-root-user $check
    ends "no processes" 3 $nobody prlimit --nproc=0 $check
    ends "no descriptors" 3 prlimit --nofile=4 $check
    ends "they may be unknown" 0 prlimit --nofile=4 $check --allow-unknown
    ends "a server is required" 2 prlimit --nofile=4 $check --require-server
}
rc=0
without /dev "$NV" facts --no-state --format json >"$work/out" 2>&1 || rc=$?
tap_is "no /dev: facts" "$rc" 0
tap_not "no /dev: no probe died" grep -q '"crashed"' "$work/out"

# ---- standard files ----

rc=0
"$NV" check --facts $facts --out "$work/closed" <&- >&- 2>&- || rc=$?
tap_is "closed standard files: exit code" "$rc" 2
tap_not "closed standard files: no message went into a file" \
    grep -r -l -e 'nvadvise: ' -e '^written to ' "$work/closed"
tap_ok "closed standard files: the report is whole" jq -e .exit "$work/closed/report.json"
rc=0
"$NV" check --facts $facts >/dev/full 2>"$work/err" || rc=$?
tap_is "a full standard output: exit code" "$rc" 2
tap_has "a full standard output: is named" "$(cat "$work/err")" "standard output"
"$NV" check -v --facts $facts --out "$work/gone" 2>/dev/null | :
tap_ok "a reader that is gone: the files are there" test -s "$work/gone/report.json"

# ---- files ----

mkdir "$work/small"
rc=0
prlimit --fsize=300 "$NV" check --facts $facts --out "$work/small" >/dev/null 2>&1 || rc=$?
tap_is "a limit on file sizes: exit code" "$rc" 2
tap_is "a limit on file sizes: nothing half-written" "$(ls -A "$work/small")" ""

# ---- what nobody can have meant ----

ends "a word too many" 2 "$NV" check --facts $facts "$facts"
tap_has "a word too many: is named" "$(cat "$work/err")" "$facts"
ends "capture and report in one stream" 2 "$NV" check --no-state --capture -
ends "a relative socket" 2 "$NV" check --no-state --socket server.sock
tap_has "a relative socket: says what is wanted" "$(cat "$work/err")" "absolute"

tap_end
