#!/bin/sh
# check --capture and check --from: the same bytes, every time. And captures that are not whole, not
# ours, or of another version: a clear error, exit code 2.
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

same()
{
    if cmp -s "$2" "$3"; then
        tap_pass "$1"
    else
        tap_fail "$1" "$(diff "$2" "$3" | head -n 20)"
    fi
}

there_and_back()
{
    kind=$1 file=$NV_DIR/$1.cap
    tap_ok "$kind starts" server_start "$kind" "$kind"
    for format in text json; do
        nv check --socket "$(server_socket "$kind")" --format $format --no-redact --capture "$file" \
            --out "$NV_DIR/live-$kind"
        live_rc=$nv_rc
        cp "$NV_OUT" "$NV_DIR/live"
        tap_is "$kind, $format: the capture is its owner's alone" "$(stat -c %a "$file")" 600
        for turn in first second; do
            nv check --from "$file" --format $format --out "$NV_DIR/again-$kind"
            [ $format = json ] || sed -i "s|again-$kind:|live-$kind:|" "$NV_OUT"
            tap_is "$kind, $format, $turn time: same exit code" "$nv_rc" "$live_rc"
            same "$kind, $format, $turn time: same bytes" "$NV_DIR/live" "$NV_OUT"
            for made in "$NV_DIR/live-$kind"/*; do
                same "$kind, $format, $turn time: same $(basename "$made")" "$made" \
                    "$NV_DIR/again-$kind/$(basename "$made")"
            done
        done
    done
    nv check --socket "$(server_socket "$kind")" -v --no-redact --capture "$file"
    cp "$NV_OUT" "$NV_DIR/live"
    nv check --from "$file" -v
    same "$kind: same bytes with -v" "$NV_DIR/live" "$NV_OUT"
    nv_as_nobody check --from "$file"
    nv_ended "$kind: another user may not read the capture" 2
    chmod 644 "$file"
    server_stop "$kind"
    nv_as_nobody check --from "$file" -v
    same "$kind: same bytes for another user, without the server" "$NV_DIR/live" "$NV_OUT"
    tap_is "$kind: no statement text, no password in it" \
        "$(gzip -dc "$file" | jq -r 'select(.op == "sql" or .op == "read").key' |
            grep -i -e select -e password -e authentication_string)" ""
    tap_is "$kind: replay writes no state" "$(ls "$NV_DIR/state")" ""
    nv_sound "$kind: no sanitizer spoke"
}

for one in mariadb mysql; do
    there_and_back "$one"
done

# ---- what is not a whole capture ----

good=$NV_DIR/mariadb.cap
bytes=$(stat -c %s "$good")
gzip -dc "$good" >"$NV_DIR/lines"

# refused NAME FILE WORD: exit code 2, FILE and WORD on stderr, no output.
refused()
{
    nv check --from "$2"
    nv_ended "$1: exit code 2" 2
    tap_is "$1: nothing on stdout" "$(cat "$NV_OUT")" ""
    tap_has "$1: the file is named" "$(cat "$NV_ERR")" "$2"
    tap_has "$1: and what is wrong" "$(cat "$NV_ERR")" "$3"
}

bad=$NV_DIR/bad.cap
for part in 0 1 5 17 $((bytes / 3)) $((bytes - 8)) $((bytes - 1)); do
    head -c "$part" "$good" >"$bad"
    refused "cut after $part of $bytes bytes" "$bad" ""
done
sed '$d' "$NV_DIR/lines" | gzip -nc >"$bad"
refused "without its last line" "$bad" "cut"
sed '5d' "$NV_DIR/lines" | gzip -nc >"$bad"
refused "a line is missing" "$bad" ""
{ cat "$NV_DIR/lines"; head -n 2 "$NV_DIR/lines" | tail -n 1; } | gzip -nc >"$bad"
refused "lines after the last one" "$bad" ""
sed '1s|nvadvise.capture/1|nvadvise.capture/2|' "$NV_DIR/lines" | gzip -nc >"$bad"
refused "of another schema" "$bad" "nvadvise.capture/2"
sed '1d' "$NV_DIR/lines" | gzip -nc >"$bad"
refused "without its first line" "$bad" ""
sed '3s/"probe"/"prbe"/' "$NV_DIR/lines" | gzip -nc >"$bad"
refused "an operation without its probe" "$bad" ""
sed '3s/$/}/' "$NV_DIR/lines" | gzip -nc >"$bad"
refused "a line that is no JSON" "$bad" ""
gzip -dc "$good" >"$bad"
nv check --from "$bad"
tap_ok "unpacked by hand: judged or refused, by name ($nv_rc)" test "$nv_rc" -lt 4
echo "no capture at all" >"$bad"
refused "another kind of file" "$bad" ""
: >"$bad"
refused "empty" "$bad" ""
refused "absent" "$NV_DIR/absent.cap" "No such file"
refused "a directory" "$NV_DIR/state" ""

# flip OFFSET: the capture with one bit of one byte turned over.
flip()
{
    cp "$good" "$bad"
    was=$(od -An -tu1 -j "$1" -N 1 "$good" | tr -d ' ')
    # shellcheck disable=SC2059
    printf "$(printf '\\%03o' $((was ^ $2)))" |
        dd of="$bad" bs=1 seek="$1" conv=notrunc status=none
}

flips=0 wrong=''
offset=0
while [ $offset -lt "$bytes" ]; do
    flip $offset $((1 << (offset % 8)))
    nv check --from "$bad" --format json
    # The gzip header holds a time, an origin and flags of no meaning: their bits may be anything.
    if [ "$nv_rc" != 2 ] && [ $offset -ge 10 ]; then
        wrong="$wrong $offset:$nv_rc"
    fi
    flips=$((flips + 1))
    if [ $offset -lt 24 ]; then
        offset=$((offset + 1))
    else
        offset=$((offset + bytes / 40 + 1))
    fi
done
tap_is "one bit turned over, $flips times: always exit code 2" "$wrong" ""

# A capture of another version of the program: it asked other questions. Judged as far as it goes.
sed 's|"key":"/proc/meminfo"|"key":"/proc/meminfo-of-old"|' "$NV_DIR/lines" | gzip -nc >"$bad"
nv check --from "$bad" --format json
tap_ok "of another version: a verdict ($nv_rc)" test "$nv_rc" -ne 2 -a "$nv_rc" -lt 4
tap_ok "of another version: what it lacks is unknown" test "$(nv_get '.counts.unknown')" -gt 0
nv check --from "$good" --capture "$NV_DIR/two.cap"
nv_ended "--from with --capture is a mistake" 2
nv check --from "$good" --facts "$NV_DIR/lines"
nv_ended "--from with --facts is a mistake" 2
nv_sound "no sanitizer spoke"
tap_end
