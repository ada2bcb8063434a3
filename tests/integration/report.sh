#!/bin/sh
# check as root by socket, on servers with their own defaults: it ends with a verdict, writes drop-in,
# storage.md and report.json, and the documents are as their schemas say.
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

# The checker itself: what the schema forbids must be seen.
echo '{"schema": "nvadvise.facts/1", "subjects": [], "facts": [{"name": "a", "subject": "nowhere",
    "state": "known", "source": ""}]}' >"$NV_DIR/wrong.json"
tap_is "the schema checker finds faults" "$(jq -r --slurpfile s docs/schema/facts-1.json \
    -f tests/lib/schema.jq "$NV_DIR/wrong.json" | wc -l)" 3

one_server()
{
    kind=$1
    tap_ok "$kind starts" server_start "$kind" "$kind"
    socket=$(server_socket "$kind")
    out=$NV_DIR/out-$kind
    # shellcheck disable=SC2046
    nv check --socket "$socket" --out "$out" $(nv_alone "$(server_pid "$kind")")
    case $nv_rc in
    0 | 1 | 3) tap_pass "$kind: check ends with a verdict" ;;
    *) tap_fail "$kind: check ends with a verdict" "$(nv_said)" ;;
    esac
    tap_is "$kind: nothing on stderr" "$(cat "$NV_ERR")" ""
    tap_is "$kind: report.json holds the same exit code" "$(jq .exit "$out/report.json")" "$nv_rc"
    tap_has "$kind: the first line says the verdict" "$(head -n 1 "$NV_OUT")" \
        "$(jq -r .verdict "$out/report.json" | tr '[:lower:]' '[:upper:]')"
    tap_is "$kind: no line of more than 80 columns" "$(grep -E '^.{81}' "$NV_OUT" |
        grep -v -e '^    fix   ' -e '^    look  ')" "" # a command stands whole, to be copied
    # What the test's own --set adds does not count.
    lines=$(awk '/^[^ ]/ { own = /^what-if:/ } !own && !/^ +\(what-if\)$/ { n++ } END { print n }' "$NV_OUT")
    if [ "$lines" -le 40 ]; then
        tap_pass "$kind: at most 40 lines ($lines)"
    else
        tap_fail "$kind: at most 40 lines ($lines)" "$(cat "$NV_OUT")"
    fi
    for file in zz-nvadvise.cnf storage.md storage.sh report.json; do
        tap_ok "$kind: $file is written" test -s "$out/$file"
    done
    tap_is "$kind: and nothing else" "$(cd "$out" && echo *)" "report.json storage.md storage.sh zz-nvadvise.cnf"
    nv_schema "$kind: report.json is as the schema says" report-1 "$out/report.json"
    tap_is "$kind: one server is judged" "$(jq -r '.subjects.servers[].subject' "$out/report.json")" \
        "server:$socket"
    tap_is "$kind: no rule ended in an error" "$(jq .counts.error "$out/report.json")" 0
    nv check --socket "$socket" --format json
    nv_schema "$kind: the JSON on stdout too" report-1 "$NV_OUT"
    nv facts --socket "$socket" --format json
    nv_ended "$kind: facts ends well" 0
    nv_schema "$kind: facts are as their schema says" facts-1 "$NV_OUT"
    tap_is "$kind: no probe crashed" "$(nv_get '[.facts[] | select(.state == "crashed").name] | tostring')" "[]"
    tap_is "$kind: the version is the server's own" \
        "$(nv_get '.facts[] | select(.name == "server.version_string").value')" \
        "$(server_version "$kind")"
    nv_sound "$kind: no sanitizer spoke"
    server_stop "$kind"
}

for one in mariadb mysql mariadb-next; do
    one_server "$one"
done

# Without --socket: found in /proc. Other servers of this machine may be there as well.
server_start mariadb found || tap_fail "a server starts" "see above"
nv check --format json
tap_has "a running server is found without being named" "$(nv_get '.subjects.servers[].subject')" \
    "server:$(server_socket found)"
server_stop found
tap_end
