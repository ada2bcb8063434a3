#!/bin/sh
# The catalogue and its lists of option names beside what servers printed that cannot be run here:
# tests/cases/servers/FLAVOUR-VERSION.txt, made once, each with its source.
#
#   servers.sh CATALOGUE_CHECK
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

check=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# As catalogue_check reads it: name, default, minimum, maximum, dynamic, step, words, with tabs.
told()
{
    awk 'BEGIN { OFS = "\t" }
        /^#!/ { for (i = 2; i <= NF; i++) print $i; next }
        /^[#!]/ { next }
        { for (i = 2; i <= NF; i++) if ($i == "-") $i = ""; $1 = $1; print }' "$1"
}

# Names that this version takes by the lists, and does not by the record; and that it passes over.
too_many()
{
    "$check" listed "$1" "$2" | awk -v file="$3" '
        BEGIN {
            while ((getline line < file) > 0) {
                n = split(line, part, " ")
                if (part[1] == "#!") for (i = 2; i <= n; i++) has[part[i]] = "taken"
                else if (line ~ /^!/) has[substr(part[1], 2)] = "passed over"
                else if (line !~ /^#/) has[part[1]] = "taken"
            }
        }
        { name = tolower($1) }
        ($2 == "yes" || $2 == "deprecated") && has[name] != "taken" { print $1, $2 }
        $2 == "ignored" && has[name] != "passed over" { print $1, $2 }
        $2 == "refused" && (name in has) && has[name] != "" { print $1, $2 }'
}

for file in tests/cases/servers/*.txt; do
    name=$(basename "$file" .txt)
    flavour=${name%%-*} version=${name#*-}
    told "$file" >"$work/told"
    tap_is "$name: the rows agree" "$("$check" "$flavour" "$version" <"$work/told" 2>&1)" ""
    tap_is "$name: no name is missing in the lists" \
        "$(cut -f1 "$work/told" | "$check" unlisted "$flavour" "$version" | tr '\n' ' ')" ""
    tap_is "$name: no name is too many in the lists" \
        "$(too_many "$flavour" "$version" "$file" | tr '\n' ' ')" ""
done
tap_end
