#!/bin/sh
# Redaction on real servers: names planted in paths, logs, option files and schemas are in no capture and
# in no redacted report; what is judged stays the same; the key is kept, and nobody else may read it.
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

# Of this host and of this test; nothing of them may be left.
host=$(uname -n)
temporary=$(basename "$SERVERS_TMP")
names="wombat quokka numbat bilby dunnart $temporary ${temporary#*.}"
# A short one may be a part of a word.
[ ${#host} -lt 5 ] || names="$names $host"

# gone WHAT FILE: no planted name in FILE, which may hold replies in base64.
gone()
{
    gzip -dcf "$2" >"$NV_DIR/plain"
    jq -rR 'fromjson? | .bytes // empty | @base64d' "$NV_DIR/plain" >"$NV_DIR/decoded" 2>/dev/null
    for go_name in $names; do
        tap_is "$1: no '$go_name'" \
            "$(cat "$NV_DIR/plain" "$NV_DIR/decoded" | grep -aiFc -e "$go_name")" 0
    done
}

# verdicts FILE: what was judged, without names.
verdicts()
{
    jq -c '[.findings[] | {rule, verdict, severity,
        at: (.subject | sub(":.*"; "")),
        set: [.settings[]? | [.variable, .new]]}] | sort' "$1"
}

on_server()
{
    kind=$1 cap=$NV_DIR/$1 name=wombat-$1
    tap_ok "$kind starts" server_start "$kind" "$name" --log-bin=quokka-bin --server-id=7 \
        --report-host=numbat.example --slow-query-log-file=bilby-slow.log
    server_sql "$name" "CREATE DATABASE dunnart;
        CREATE TABLE dunnart.dunnart (a INT PRIMARY KEY) ENGINE=InnoDB"
    socket=$(server_socket "$name")
    nv check --socket "$socket" --format json --no-redact --capture "$cap.names"
    plain_rc=$nv_rc
    cp "$NV_OUT" "$cap.names.json"
    tap_ok "$kind: --no-redact warns" grep -q 'warning: the capture holds names' "$NV_ERR"
    nv check --socket "$socket" --format json --capture "$cap.live"
    tap_is "$kind: a redacted capture changes no report" "$nv_rc" "$plain_rc"
    tap_is "$kind: mode" "$(stat -c %a "$cap.live")" 600
    gone "$kind, --capture" "$cap.live"
    nv capture --from "$cap.names" "$cap.redacted"
    nv_ended "$kind: a capture with names is redacted" 0
    gone "$kind, capture --from" "$cap.redacted"
    nv check --from "$cap.redacted" --format json
    tap_is "$kind: same exit code" "$nv_rc" "$plain_rc"
    tap_is "$kind: same verdicts and settings" "$(verdicts "$NV_OUT")" "$(verdicts "$cap.names.json")"
    tap_is "$kind: replay asks what was answered" "$(grep -c 'another version' "$NV_OUT")" 0
    cp "$NV_OUT" "$cap.redacted.json"
    tap_ok "$kind: the host has another name" test "$(nv_get .host.name)" != "$host"
    gone "$kind, report" "$NV_OUT"
    nv check --from "$cap.names" --redact --format json
    tap_ok "$kind: --from --redact says the same" cmp -s "$NV_OUT" "$cap.redacted.json"
    nv check --from "$cap.redacted" --redact --format json
    tap_ok "$kind: twice is once" cmp -s "$NV_OUT" "$cap.redacted.json"
    nv check --socket "$socket" --redact -v
    tap_is "$kind: --redact: same exit code" "$nv_rc" "$plain_rc"
    gone "$kind, --redact" "$NV_OUT"
    server_stop "$name"
    nv_sound "$kind: no sanitizer spoke"
}

for one in mariadb mysql; do
    on_server "$one"
done

# ---- waivers: they mean the same findings, and their own words are no names ----
"$NV" check --no-site --from "$NV_DIR/mariadb.names" --format json >"$NV_DIR/bare" 2>/dev/null
rule=$(jq -r '[.findings[] | select(.verdict == "fail" and (.subject | test("^server:")))][0].rule' \
    "$NV_DIR/bare")
waived='[.findings[] | [.rule, .verdict, .waived != null]] | sort'
for glob in "host = ${host%?}*" "host = $host" "host = elsewhere*" "subject = server:*wombat*" \
    "subject = *$temporary*" "subject = server:*"; do
    printf '[%s]\nreason = wombat accepts\nowner = quokka\nticket = bilby-7\n%s\nexpires = %s\n' \
        "$rule" "$glob" "$(date -u -d '+40 days' +%F)" >"$NV_DIR/quokka.waivers"
    set -- check --no-site --waivers "$NV_DIR/quokka.waivers" --format json
    nv "$@" --from "$NV_DIR/mariadb.names"
    plain_rc=$nv_rc states=$(nv_get '[.waivers.items[].state]') findings=$(nv_get "$waived")
    nv "$@" --from "$NV_DIR/mariadb.names" --redact
    tap_is "waiver, $glob: same exit code" "$nv_rc" "$plain_rc"
    tap_is "waiver, $glob: same state" "$(nv_get '[.waivers.items[].state]')" "$states"
    tap_is "waiver, $glob: same findings" "$(nv_get "$waived")" "$findings"
    gone "waiver, $glob" "$NV_OUT"
done
printf '[nvadvise]\nprofile = wombat\n[profile wombat]\nmeaning = as the quokka wants\n' >"$NV_DIR/conf"
nv check --config "$NV_DIR/conf" --from "$NV_DIR/mariadb.names" --redact --format json
gone "a profile of the site" "$NV_OUT"

# ---- the key ----
key=$NV_DIR/state/redaction.key
tap_is "key: mode and size" "$(stat -c '%a %s' "$key")" "600 32"
nv capture --from "$NV_DIR/mariadb.names" "$NV_DIR/again"
tap_ok "key: the same pseudonyms again" cmp -s "$NV_DIR/again" "$NV_DIR/mariadb.redacted"
nv capture --no-state --from "$NV_DIR/mariadb.names" "$NV_DIR/other"
tap_ok "key: others without state" sh -c "! cmp -s $NV_DIR/other $NV_DIR/mariadb.redacted"
base64 -w0 <"$key" >"$NV_DIR/key.text"
tap_is "key: is in no capture" "$(gzip -dc "$NV_DIR/again" | grep -cF -f "$NV_DIR/key.text")" 0

# refused WHAT: with the key as it is now
refused()
{
    rm -f "$NV_DIR/refused"
    nv capture --from "$NV_DIR/mariadb.names" "$NV_DIR/refused"
    nv_ended "key: $1: exit code 2" 2
    tap_ok "key: $1: nothing written" test ! -e "$NV_DIR/refused"
    tap_ok "key: $1: says which file" grep -q 'redaction.key' "$NV_ERR"
}
chmod 640 "$key"
refused "that others may read"
chmod 600 "$key"
mv "$key" "$key.kept"
ln -s redaction.key.kept "$key"
refused "a link"
rm "$key"
echo short >"$key"
chmod 600 "$key"
refused "too short"
rm "$key"
nv capture --from "$NV_DIR/mariadb.names" "$NV_DIR/new"
nv_ended "key: a new one is made" 0
tap_ok "key: which gives other pseudonyms" sh -c "! cmp -s $NV_DIR/new $NV_DIR/mariadb.redacted"

# ---- usage ----
nv check --from "$NV_DIR/mariadb.names" --redact --no-redact
nv_ended "--redact with --no-redact is a mistake" 2
nv capture --from "$NV_DIR/mariadb.names" --no-redact "$NV_DIR/x"
nv_ended "capture --from with --no-redact is a mistake" 2
nv_sound "no sanitizer spoke"
tap_end
