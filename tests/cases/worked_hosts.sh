#!/bin/sh
# The worked hosts of tests/rules/hosts/ through the whole program: exit code, drop-in, and what the field
# report F1 (w5) must be told and must not. tests/rules/hosts/NAME.cnf holds the active lines of a drop-in.
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

# check HOST DIR [OPTIONS...]: the exit code; text, drop-in and report in DIR.
check()
{
    c_host=$1 c_dir=$2
    shift 2
    c_rc=0
    "$program" check --facts "tests/rules/hosts/$c_host.facts" --no-state --out "$c_dir" "$@" \
        >"$c_dir.txt" 2>"$c_dir.err" || c_rc=$?
    echo "$c_rc"
}

# active DIR: what the server would read.
active()
{
    if [ -e "$1/zz-nvadvise.cnf" ]; then
        grep -v -e '^#' -e '^$' "$1/zz-nvadvise.cnf"
    fi
}

for host in w1 w2 w3 w4 w5 w6 w7 w8 w9 x1 x2 x3 x4 x5; do
    tap_is "$host: exit code" "$(check "$host" "$work/$host" -v)" 1
    if [ -e "tests/rules/hosts/$host.cnf" ]; then
        tap_is "$host: the drop-in" "$(active "$work/$host")" "$(cat "tests/rules/hosts/$host.cnf")"
    fi
done

# Estimated values stay comments; a first run that may only use what was measured leaves them out.
tap_has "w6: the estimate of an hour" "$(cat "$work/w6/zz-nvadvise.cnf")" \
    "# redo-too-small-hour: innodb_log_file_size = 15032385536"
tap_has "w7: the estimate of an hour" "$(cat "$work/w7/zz-nvadvise.cnf")" \
    "# redo-too-small-hour: innodb_redo_log_capacity = 7516192768"
tap_has "w6: a first step is marked" "$(cat "$work/w6/zz-nvadvise.cnf")" \
    "# io-capacity-default-200: estimated first step"
check w6 "$work/measured6" --measured-only >/dev/null
tap_is "w6: measured only" "$(active "$work/measured6")" "[mysqld]
innodb_buffer_pool_size = 20401094656
innodb_flush_neighbors = 0"
check w8 "$work/measured8" --measured-only >/dev/null
tap_is "w8: measured only leaves no line" "$(active "$work/measured8")" ""

# ---- F1 ----

# One line: the report is wrapped where it pleases.
text=$(tr -s ' \n' '  ' <"$work/w5.txt")
json=$(jq -r '[.findings[] | select(.verdict != "not_applicable") | .why] | join(" ")' \
    "$work/w5/report.json")
while IFS='|' read -r what part; do
    tap_has "F1, text: $what" "$text" "$part"
    tap_has "F1, JSON: $what" "$json" "$part"
done <<'EOF'
power cuts of all cycles|8 power cuts in 16 power cycles (50 %)
the drive protects|Protection in the drive: true
what a cut lost|about a second of
protection does not help|Power-loss protection of the drive does not help
written|6.469 TB of writes
read|1.881 TB of reads
mean write|44.3 kB each
mean read|36.1 kB
drive writes a day|0.25/d of the whole drive
redo log|The redo log holds 96 MiB
flush rate of a disk|innodb_io_capacity is 200/s
neighbours|innodb_flush_neighbors is 1
flush method|Data files go through the kernel's page cache on xfs
instances|64 instances are 640 MiB each
temporary tables on paper|151 connections x 512 MiB are 75.50 GiB
the pool's memory|41.97 GiB
its overhead|40 GiB x 1.0494
pool and data|42.95 GB holds 43 % of 100 GB
miss ratio|57 % of the requests would read the drive (estimated)
EOF
for part in innodb_redo_log_capacity innodb_dedicated_server innodb_doublewrite query_cache; do
    tap_not "F1: no line for $part" grep -q "$part" "$work/w5/zz-nvadvise.cnf"
done
tap_is "F1: protected drives are not told to be without protection" \
    "$(jq -r '.findings[] | select(.rule == "nvme-no-plp") | .verdict' "$work/w5/report.json")" pass
tap_is "F1: an estimate says so" \
    "$(printf '%s' "$json" | grep -c ' 57 % of the requests would read the drive (estimated)')" 1

# The same out of the text that Intel's tool printed: the model is what the reader knows beside it.
"$program" import --no-state tests/cases/nvme/o14_isdct_health.txt >"$work/isdct.json" 2>"$work/isdct.err"
text=$("$program" check --facts "$work/isdct.json" --set 'device.model=INTEL SSDPEDME012T4' --no-state -v \
    2>>"$work/isdct.err" | tr -s ' \n' '  ')
while IFS='|' read -r what part; do
    tap_has "F1, isdct: $what" "$text" "$part"
done <<'EOF'
power cuts|counts 8 power cuts in 16 power cycles (50 %)
written, and how|took 6.469 TB of writes, 44.3 kB each
read, and how|gave 1.881 TB of reads, 36.1 kB each
drive writes a day|(0.25/d of the whole drive)
the drive protects|Protection in the drive: true
EOF

# ---- F3 ----

tap_is "F3: exit code" "$(check f3 "$work/f3" -v)" 1
text=$(tr -s ' \n' '  ' <"$work/f3.txt")
json=$(jq -r '[.findings[] | select(.verdict == "fail") | .why] | join(" ")' "$work/f3/report.json")
while IFS='|' read -r what part; do
    tap_has "F3, text: $what" "$text" "$part"
    tap_has "F3, JSON: $what" "$json" "$part"
done <<'EOF'
queues against processors|All 8 processors share one submission queue and one interrupt of nvme0n1
queues that the drive grants|the drive grants 31
interrupt vectors|interrupts: intx, 1 vectors
affinity|queue:processors that it interrupts: nvme0q0:0, nvme0q1:0
legacy interrupts|nvme1n1 (INTEL SSDPEDME400G4) has 1 interrupt of the old kind (INTx)
vectors that the drive offers|it offers 32
link speed|nvme0n1 (INTEL SSDPEDME400G4) runs on 4 of 4 lanes at 5 GT/s, where the drive could do 8 GT/s
link width|nvme2n1 (INTEL SSDPEDME400G4) runs on 2 of 4 lanes
what the link carries|That is 1 GB/s at most
error log|entries of all kinds since new: 215
failed commands|counted 36 failed commands
AER, not corrected|that could not be corrected, since boot: 3
AER, corrected|that could: 480
compressible data|compression gzip, ratio 31.6
void|zeros on a compressing dataset
burst and sustained|written before the rate fell for good: 953.67 MiB
not a figure of the drives|Nothing may be sized by these figures
EOF
tap_end
