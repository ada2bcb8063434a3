#!/bin/sh
# What the field reports on ZFS against XFS (F1), on logs and data split over the same drives (F2) and on one
# stripe over two drives (F4) must be told about their storage: tests/rules/hosts/f*.facts.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

program=${NVADVISE:-build/dev/advisor/cli/nvadvise}
[ -x "$program" ] || tap_skip_all "no program in \$NVADVISE: build it first"
command -v jq >/dev/null || tap_skip_all "jq is not installed"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
HOME=$work
export HOME
unset COLUMNS TERM

# told HOST: all that its report says, on one line.
told()
{
    "$program" check --facts "tests/rules/hosts/$1.facts" --no-state --no-site --format json \
        --out "$work/$1" >"$work/$1.json" 2>"$work/$1.err"
    jq -r '[.findings[] | select(.verdict == "fail") | .why] | join(" ")' "$work/$1.json" | tr -s ' \n' '  '
    tr -s ' \n' '  ' <"$work/$1/storage.md"
}

# says HOST: lines "WHAT|PART" on standard input, each PART in the report.
says()
{
    s_text=$(told "$1")
    while IFS='|' read -r s_what s_part; do
        tap_has "$1: $s_what" "$s_text" "$s_part"
    done
}

says f1_zfs <<'PARTS'
recordsize against the page|written in records of 128 KiB
what it costs|costs 8 times its bytes
twice in memory|Both would hold the same pages
the sizes of both|(31 GiB and 40 GiB: pages are in memory twice)
doublewrite|doublewrite (on: each page is written twice
compression|compression (none: processor time for fewer bytes
ZFS against XFS, measured|reach 29 % of what a plain filesystem gives on the same drive
the command|zfs set recordsize=16384 tank/mysql
the cache's ceiling|> /sys/module/zfs/parameters/zfs_arc_max
PARTS
says f2_split <<'PARTS'
the split buys nothing|The split buys no speed
which roles|binlog, redo
the shared drives|Both end on nvme0n1, nvme1n1
allocation unit against the page|allocates in 4 KiB under pages of 16 KiB
how busy they are|busy: 88 %
PARTS
# Measured so, it is the processors before the drives, whatever the layout.
why=$("$program" check --facts tests/rules/hosts/f2_split.facts --set data.bench.cpu_bound=true --no-state --no-site \
    --format json 2>"$work/f2.err" | jq -r '[.findings[] | select(.verdict == "fail") | .why] | join(" ")' |
    tr -s ' \n' '  ')
tap_has "f2_split: processors before drives" "$why" "the processors were the limit"
says f4_stripe <<'PARTS'
what ends the ladder|the processors were the limit
not the drives|the drives still answered as fast as before
a stripe without a mirror|ends on nvme0n1, nvme1n1 without a mirror on the way
PARTS

# A sound stripe is no finding: its figures stand in the chain, and in what the rules judged.
chain=$("$program" chain --facts tests/rules/hosts/f4_stripe.facts --no-site 2>/dev/null)
tap_has "f4_stripe: stripe count and size" "$chain" "2 legs, pieces of 256 KiB"
tap_has "f4_stripe: extent size" "$chain" "extents of 16 MiB"
tap_has "f4_stripe: where it begins" "$chain" "begins at 1 MiB"
for fact in volume.stack.stripe_count volume.stack.chunk_bytes volume.aligned_page; do
    tap_is "f4_stripe: $fact was judged" "$(jq -r --arg fact "$fact" '[.findings[] |
        select(.rule == "stack-stripe-small" and .verdict == "pass") | .evidence[] |
        select(.name == $fact)] | length' "$work/f4_stripe.json")" 1
done
tap_end
