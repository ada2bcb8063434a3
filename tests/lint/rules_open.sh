#!/bin/sh
# docs/rules-open.md against the rules: each need lists just the rules that have it, and what is called not built
# is not.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

doc=docs/rules-open.md

# rules_needing NEED: ids, a line each.
rules_needing()
{
    awk -v need="$1" '
        /^\[/ { id = substr($0, 2, length($0) - 2) }
        /^needs *=/ && $0 ~ ("[ ,]" need "([ ,]|$)") { print id }' rules/rules/*.ini | sort
}

# rules_listed NEED: ids of the row that begins so.
rules_listed()
{
    sed -n "s/^| $1: [^|]*| \\(.*\\) |\$/\\1/p" "$doc" | tr ' ' '\n' | sort
}

for need in bench sample history; do
    tap_is "$need: the rules that wait for it" "$(rules_listed "$need")" "$(rules_needing "$need")"
done

open=$(sed -n '/^## Not built/,/^## Built/s/^| \([a-z0-9]*-[a-z0-9-]*\) |.*/\1/p' "$doc")
tap_not "it names what is not built" [ -z "$open" ]
built=
for id in $open; do
    built=$built$(grep -l "^\[$id\]" rules/rules/*.ini)
done
tap_is "what is called not built is not" "$built" ""
tap_end
