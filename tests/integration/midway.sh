#!/bin/sh
# The connection breaks at every statement in turn: it ends, hangs, is cut, or gives garbage. The run
# ends in time, says so, and no verdict is better than with a whole connection.
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

reason=$(nv_missing)
[ -z "$reason" ] || tap_skip_all "$reason"
servers_begin
nv_begin

# through ACTION N: check with the breaker in the server's place. The server keeps its socket under
# another name, so that to /proc it is the same server.
through()
{
    rm -f "$socket"
    "$NV_TOOLS/midway" "$socket" "$real" "$1" "$2" >"$NV_DIR/midway" 2>&1 &
    th_pid=$!
    th_tries=100
    while [ ! -S "$socket" ] && [ $th_tries -gt 0 ]; do
        th_tries=$((th_tries - 1))
        sleep 0.05
    done
    # What other processes of this machine do between two runs must not show.
    nv check --socket "$socket" --timeout 1 --format json --set host.server_processes=1 \
        --set host.memory.other_rss=512MiB --set server.memory.others=512MiB
    # The first answer may have been too late for it to see a client at all.
    kill $th_pid 2>/dev/null
    wait $th_pid 2>/dev/null
}

# verdicts FILE: "RULE SUBJECT VERDICT" lines; without what a thread of the kernel decides that comes
# and goes with every ext4 filesystem that is made on this machine.
verdicts()
{
    jq -r '(.findings[] | [.rule, .subject, .verdict]),
        (.not_measured[] | [.rule, .subject, "not_measured"]) | join(" ")' "$1" |
        grep -v '^fs-lazyinit ' | LC_ALL=C sort
}

# better: verdicts of $NV_OUT that are decided otherwise than those of the whole run: an undecided one
# may not become decided, and a decided one may only become undecided. A subject that only the broken
# run has (places that the server could not tell) passes and fails nowhere.
better()
{
    verdicts "$NV_OUT" >"$NV_DIR/now"
    awk 'FNR == NR { was[$1 " " $2] = $3; next }
        { key = $1 " " $2; seen[key] = 1
          undecided = $3 == "unknown" || $3 == "not_measured"
          if (!(key in was) && $3 == "not_applicable") next
          if (!undecided && was[key] != $3) print key ": was " was[key] ", is " $3 }
        END { for (key in was) if (was[key] == "fail" && !(key in seen)) print key ": gone" }' \
        "$NV_DIR/whole" "$NV_DIR/now"
}

for kind in mariadb mysql; do
    # With faults to be found: none of them may get lost.
    tap_ok "$kind starts" server_start "$kind" "$kind" --innodb-doublewrite=OFF \
        --innodb-flush-log-at-trx-commit=0
    socket=$(server_socket "$kind")
    real=$(server_dir "$kind")/real.sock
    mv "$socket" "$real"
    through count 0
    n=$(cat "$NV_DIR/midway")
    tap_ok "$kind: through the breaker it is judged as ever ($nv_rc, $n commands)" \
        test "$nv_rc" -ne 2 -a "$n" -gt 5
    verdicts "$NV_OUT" >"$NV_DIR/whole"
    whole_rc=$nv_rc
    for action in close cut garbage hang; do
        wrong='' n_steps=0 step=0
        while [ $step -lt "$n" ]; do
            through $action $step
            n_steps=$((n_steps + 1))
            case $nv_rc in
            2) # A server that cannot be spoken to at all.
                [ $step -le 2 ] && [ -s "$NV_ERR" ] || wrong="$wrong $step: exit code 2;"
                ;;
            1 | 3)
                found=$(better)
                [ -z "$found" ] || wrong="$wrong $step: $found;"
                ;;
            0) [ "$whole_rc" = 0 ] || wrong="$wrong $step: exit code 0;" ;;
            *) wrong="$wrong $step: exit code $nv_rc;" ;;
            esac
            # A hang costs its deadline each time: a few places will do.
            [ $action != hang ] || step=$((step + 3))
            step=$((step + 1))
        done
        tap_is "$kind: $action at each of $n_steps places" "$wrong" ""
    done
    rm -f "$socket"
    mv "$real" "$socket"
    nv_sound "$kind: no sanitizer spoke"
    server_stop "$kind"
done
tap_end
