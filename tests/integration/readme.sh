#!/bin/sh
# The README shows what the program prints: its sample is the command's output of today.
set -u
cd "$NVADVISE_SOURCE" || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

sed -n '/^<!-- sample:/,/^<!-- end of sample/p' README.md | sed -e '/^<!--/d' -e 's/^    //' >"$work/readme"
"$NVADVISE" check --facts tests/rules/hosts/w6.facts >"$work/now" 2>/dev/null
tap_ok "the README has a sample" test -s "$work/readme"
tap_is "it is what the command prints" "$(cat "$work/readme")" "$(cat "$work/now")"
tap_end
