#!/bin/sh
# Every rule, variable, setting, parameter and fact explains itself, with and without values; a word that is
# none gets the nearest names.
set -u
cd "$NVADVISE_SOURCE" || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
command -v jq >/dev/null || tap_skip_all "jq is not installed"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
host=tests/rules/hosts/w5.facts

page()
{
    "$NVADVISE" explain --no-site "$@" 2>"$work/err"
}

# ---- every name ----

"$NVADVISE" rules list | sed 's/ .*//' >"$work/rules"
cat rules/catalogue/*.ini | sed -n 's/^\[\([a-z0-9_]*\)\]$/\1/p' | grep -vE '^(newest|tried|sources)$' \
    >"$work/variables"
sed -n 's/^\[\(.*\)\]$/\1/p' rules/settings.ini >"$work/settings"
cat rules/*.ini rules/rules/*.ini | sed -n 's/^param\.\([a-z0-9_]*\) *=.*/\1/p' >"$work/params"
sed -n 's/^\[\(.*\)\]$/\1/p' rules/derived.ini >"$work/facts"
"$NVADVISE" facts -v --facts "$host" --format json | jq -r '.facts[].name' |
    grep -vE '^server\.(status|metric|source)\.' | sort -u | awk 'NR % 7 == 0' >>"$work/facts"
for kind in rules variables settings params facts; do
    n=0 bad=
    while read -r word; do
        n=$((n + 1))
        page "$word" --no-values >"$work/page" || bad="$bad $word"
        [ -s "$work/page" ] || bad="$bad $word(empty)"
    done <"$work/$kind"
    tap_is "$kind: each explains itself" "$bad" ""
    tap_ok "$kind: $n of them" test "$n" -ge 13
done

# ---- with values ----

page dur-trx-commit-relaxed --facts "$host" >"$work/page"
tap_has "a rule that fails says why with the value" "$(cat "$work/page")" "innodb_flush_log_at_trx_commit is 2"
tap_has "and what is planned" "$(cat "$work/page")" "innodb_flush_log_at_trx_commit = 1"
page dur-doublewrite-off --facts "$host" >"$work/page"
tap_has "a rule that passes" "$(cat "$work/page")" "pass"
tap_not "tells its why without the value of a good state" grep -q 'buffer is off, and xfs' "$work/page"
page dblwr-zfs-small-record --no-values >"$work/page"
tap_has "an alias leads to its rule" "$(cat "$work/page")" "dur-doublewrite-off (rule)"
page redo_first_max --config /dev/stdin --no-values >"$work/page" <<'CONF'
[parameters]
redo_first_max = 1GiB
CONF
tap_has "a parameter: value and origin" "$(cat "$work/page")" "1 GiB (/dev/stdin; default 2 GiB"
page INNODB-IO-CAPACITY --facts "$host" >"$work/page"
tap_has "a variable in another spelling: today" "$(cat "$work/page")" "200/s"
page innodb_io_capacity --facts "$host" --format json >"$work/json"
tap_is "as its schema says" "$(jq -r --slurpfile s docs/schema/explain-1.json -f tests/lib/schema.jq \
    "$work/json" 2>&1)" ""
for n in 1 2; do
    printf 'server:/s%s/server.version = 8.0.36\nserver:/s%s/server.flavour = mysql\n' $n $n
    printf 'server:/s%s/server.var.innodb_flush_log_at_trx_commit = 2\n' $n
done >"$work/two"
page dur-trx-commit-relaxed --facts "$work/two" --format json >"$work/page"
tap_is "of several servers each is named" "$(jq -r '[.sections[] | select(.title == "what to do")
    | .items[] | select(.label == "today").text] | sort | join(", ")' "$work/page")" \
    "innodb_flush_log_at_trx_commit = 1 on server:/s1, \
innodb_flush_log_at_trx_commit = 1 on server:/s2"
page data.fs.type --facts "$host" >"$work/page"
tap_has "a fact as rules write it: the volumes of a role" "$(cat "$work/page")" "volume.fs.type (fact)"
bad=
"$NVADVISE" check --no-site --facts "$host" --format json |
    jq -r '.findings[].evidence[]?.name' | sort -u >"$work/evidence"
while read -r word; do
    page "$word" --no-values >/dev/null || bad="$bad $word"
done <"$work/evidence"
tap_is "each name that a report gives as evidence explains itself" "$bad" ""
tap_ok "evidence: some" test -s "$work/evidence"
printf 'server.version = 8.0.36\nserver.flavour = mysql\nserver.version_string = "x\\x1b[2Jy"\n' >"$work/odd"
page server.version_string --facts "$work/odd" >"$work/page"
tap_not "control bytes are escaped" grep -q "$(printf '\033')" "$work/page"

# ---- words that are none ----

page innodb_io_capacty >/dev/null
tap_is "a word that is none: exit code" "$?" 2
tap_has "the nearest name" "$(cat "$work/err")" "Did you mean 'innodb_io_capacity'"
page capacity >/dev/null
tap_has "the last part of a fact's name" "$(cat "$work/err")" "Did you mean 'server.redo.capacity'"
page server.var.innodb_io_capcity >/dev/null
tap_has "the nearest variable behind server.var." "$(cat "$work/err")" "Did you mean 'innodb_io_capacity'"
page redo.fs.tpye >/dev/null
tap_has "the nearest fact behind a role" "$(cat "$work/err")" "'volume.fs.type'"
page >/dev/null
tap_is "no word: exit code" "$?" 2
tap_end
