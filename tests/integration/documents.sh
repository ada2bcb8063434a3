#!/bin/sh
# The program over facts documents of whole hosts: it plans what was worked by hand, says the same of what it
# prints itself, and reads nothing of this machine.
set -u
cd "$NVADVISE_SOURCE" || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# active FILE: the settings of a drop-in, "name = value".
active()
{
    sed -n '/^[a-z]/p' "$1"
}

# worked PLAN: the same of a plan that was worked by hand, before its line "after:".
worked()
{
    sed -n -e '/^after:/q' -e 's/^\(setting\|first_step\) \[m[^]]*\] \([a-z_]* = [^ ]*\) .*/\2/p' "$1" | sort
}

for host in w4 w6 w7 w8 w9; do
    facts=tests/rules/hosts/$host.facts
    "$NVADVISE" check --facts "$facts" --out "$work/$host" >"$work/$host.txt" 2>/dev/null
    tap_is "$host: exit code" "$?" 1
    tap_is "$host: drop-in" "$(active "$work/$host/zz-nvadvise.cnf" | sort)" \
        "$(worked "tests/rules/hosts/$host.plan")"
    tap_not "$host: no note that a variable is missing" grep -q 'has no variable' "$work/$host.txt"
    "$NVADVISE" facts --facts "$facts" --format json >"$work/$host.json" 2>/dev/null
    "$NVADVISE" check --facts "$work/$host.json" --out "$work/$host.again" >/dev/null 2>&1
    tap_is "$host: the same from its own facts document" \
        "$(active "$work/$host.again/zz-nvadvise.cnf")" "$(active "$work/$host/zz-nvadvise.cnf")"
done

# A variable that a document says is not there gets no line.
printf 'server.var.innodb_buffer_pool_size = unknown(absent)\n' >"$work/absent.facts"
"$NVADVISE" check --facts tests/rules/hosts/w7.facts --facts "$work/absent.facts" \
    --out "$work/absent" >/dev/null 2>&1
tap_not "no line for a variable that is not there" \
    grep -q '^innodb_buffer_pool_size' "$work/absent/zz-nvadvise.cnf"
tap_ok "the others stay" grep -q '^innodb_redo_log_capacity' "$work/absent/zz-nvadvise.cnf"

# The first drop-in is for a server of the system's, whatever anybody else has started; a file of that
# name which nvadvise has not made stays.
jq '(.subjects + (.subjects | map(select(.subject | startswith("server:")) | .subject = "server:/a")))
        as $s | .subjects = $s | .facts += ([.facts[] | select(.subject == "server:default")
        | .subject = "server:/a"] + [{"name": "server.process.uid", "subject": "server:/a",
        "kind": "count", "state": "known", "value": 1000, "source": "test"}])' \
    "$work/w6.json" >"$work/two.json"
"$NVADVISE" check --facts "$work/two.json" --out "$work/two" >"$work/two.txt" 2>&1
tap_ok "two servers: one is named /a" grep -q '^server /a:' "$work/two.txt"
tap_ok "two servers: the first drop-in is not an ordinary account's" \
    grep -q '^# For server:default,' "$work/two/zz-nvadvise.cnf"
mkdir "$work/own"
echo '[mysqld]' >"$work/own/zz-nvadvise.cnf"
rc=0
"$NVADVISE" check --facts "$work/w6.json" --out "$work/own" >/dev/null 2>"$work/own.err" || rc=$?
tap_is "a file that is not ours: exit code" "$rc" 2
tap_has "a file that is not ours: is named" "$(cat "$work/own.err")" "$work/own/zz-nvadvise.cnf"
tap_is "a file that is not ours: stays" "$(cat "$work/own/zz-nvadvise.cnf")" "[mysqld]"

tap_end
