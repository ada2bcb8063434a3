#!/bin/sh
# tests/cases/config: option files of real people with what has to be said of them. The context becomes facts,
# the option file goes through --options; what must be found is found, and nothing that must not be said.
set -u
cd "$NVADVISE_SOURCE" || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

command -v jq >/dev/null || tap_skip_all "jq is not installed"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
HOME=$work
export HOME

# Findings for which no rule stands yet; one that is met all the same fails the test: take it off.
cat >"$work/open" <<'OPEN'
c02_seed_zfs_lz4_5000qps zfs-recordsize the record size is not given, and its default is not guessed
c02_seed_zfs_lz4_5000qps zfs-loss comparing filesystems takes two measurements
c02_seed_zfs_lz4_5000qps doublewrite-on-zfs no rule for what may be switched off
c02_seed_zfs_lz4_5000qps zfs-arc needs the memory of the host
c03_seed_raidz2_100qps separate-log no rule for log devices
c21_max_connections_capped connections no rule for max_connections
c23_session_buffers_oom memory-limit no rule for past kills
c23_session_buffers_oom connections no rule for max_connections
c28_doublewrite_off_on_zfs doublewrite-zfs-ok no rule for what may stay
OPEN

# Senses that are one: who sets a value raises or lowers it, who renames also removes.
# met CASE ID: is the expected finding in $work/advice?
# shellcheck disable=SC2317 # tap_ok and tap_not call it
met()
{
    jq -e --slurpfile said "$work/advice" --arg id "$2" '
        def folded: ascii_downcase | gsub("-"; "_");
        def sense($want; $is): $want == $is or $want == "check" or
            ($want == "set" and ($is | IN("raise", "lower", "change", "enable"))) or
            ($want == "raise" and $is == "set") or ($want == "lower" and $is == "set") or
            ($want == "remove" and $is == "rename") or ($want == "rename" and $is == "remove") or
            ($want == "change" and $is == "set");
        def within($t; $v): $t == null or $v == null or ($v | tonumber? // null) as $n |
            if ($t | type) == "object" then
                (if $t.min then $n >= $t.min else true end) and (if $t.max then $n <= $t.max else true end) and
                (if $t.min_bytes then $n >= $t.min_bytes else true end) and
                (if $t.max_bytes then $n <= $t.max_bytes else true end)
            else ($t | tostring | ascii_downcase) == ($v | ascii_downcase) end;
        .findings | map(select(.id == $id)) | all(. as $want | any($said[0][];
            (.setting | folded) == ($want.setting | folded) and sense($want.advice; .advice) and
            within($want.target; .value) and
            (if $want.level == "error" then .level != "note" else true end)))' \
        "tests/cases/config/$1.expect.json" >/dev/null
}

for expect in tests/cases/config/*.expect.json; do
    case=$(basename "$expect" .expect.json)
    context=tests/cases/config/$case.context.json
    jq -r -f tests/lib/context.jq "$context" >"$work/facts"
    "$NVADVISE" check --no-site --facts "$work/facts" --options "tests/cases/config/$case.cnf" \
        --server "$(jq -r '"\(.server.flavour):\(.server.version)"' "$context")" --format json \
        >"$work/report" 2>"$work/err"
    rc=$?
    tap_ok "$case: judged" test "$rc" = 0 -o "$rc" = 1 -o "$rc" = 3
    jq -c -f tests/lib/advice.jq "$work/report" | jq -s . >"$work/advice"
    for id in $(jq -r '[.findings[].id] | unique[]' "$expect"); do
        if grep -q "^$case $id " "$work/open"; then
            tap_not "$case: $id is not said yet" met "$case" "$id"
        else
            tap_ok "$case: $id" met "$case" "$id"
        fi
    done
    tap_is "$case: nothing that must not be said" "$(jq -r --slurpfile said "$work/advice" '
        .forbidden[] as $no | $said[0][] | select((.setting | ascii_downcase | gsub("-"; "_")) ==
            ($no.setting | ascii_downcase | gsub("-"; "_")) and
            .advice == ($no.advice | split(" ")[0]) and ($no.target == null or .value == "\($no.target)"))
        | "\(.advice) \(.setting) (\(.rule))"' "$expect")" ""
    tap_is "$case: no false alarm" "$(jq -r --slurpfile said "$work/advice" '
        [.findings[].setting | ascii_downcase] as $listed
        | $said[0][] | select(.level == "error" and (.setting | ascii_downcase | IN($listed[]) | not))
        | "\(.advice) \(.setting) (\(.rule))"' "$expect")" ""
done
tap_end
