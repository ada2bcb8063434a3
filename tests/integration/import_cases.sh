#!/bin/sh
# What import reads is judged as it should be: the verdicts on every whole output in tests/cases/nvme, and on those of
# other people where they stand beside the checkout. The figures themselves: tests/unit/import.
set -u
cd "$NVADVISE_SOURCE" || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

command -v jq >/dev/null || tap_skip_all "jq is not installed"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
HOME=$work
STATE_DIRECTORY=$work/state
export HOME STATE_DIRECTORY
mkdir -m 700 "$work/state"

# judged FILE: the report on it.
judged()
{
    "$NVADVISE" import "$1" 2>"$work/import.err" >"$work/facts" &&
        "$NVADVISE" check --no-site --facts - --format json <"$work/facts" >"$work/report" 2>"$work/err"
}

# verdict RULE: of the one device.
verdict()
{
    jq -r --arg r "$1" '[.findings[] | select(.rule == $r and (.subject | startswith("device:"))) | .verdict] |
        unique | join(" ")' "$work/report"
}

health='nvme-critical-warning nvme-endurance-used nvme-media-errors nvme-spare-low nvme-plp-failed'

# failing: which of the rules on a drive's health fail.
failing()
{
    for rule in $health; do
        case $(verdict "$rule") in
        *fail*) printf '%s ' "$rule" ;;
        esac
    done
}

for folder in tests/cases/nvme ../shared/cases/nvme; do
    [ -d "$folder" ] || continue
    for expect in "$folder"/*.expect.json; do
        name=$(basename "$expect" .expect.json)
        word=$(jq -r '(.judgement // "") | split(" ")[0] // "" | gsub("[:,]"; "")' "$expect")
        judged "$folder/$(jq -r .input "$expect")"
        case $word in
        healthy) tap_is "$name: healthy" "$(failing)" "" ;;
        worn) tap_has "$name: worn" "$(failing)" nvme-endurance-used ;;
        failing) tap_ok "$name: failing" test -n "$(failing)" ;;
        not) tap_is "$name: not judged by a log that says nothing" "$(failing)$(verdict nvme-critical-warning)" \
            not_applicable ;;
        power-loss) tap_is "$name: power losses" "$(verdict nvme-unsafe-shutdowns)" fail ;;
        *) tap_ok "$name: is a facts document" test -s "$work/report" ;;
        esac
    done
done
[ -d ../shared/cases/nvme ] || tap_skip "outputs of other people" "they are not part of this project"

# ---- the worked drive of a file index, in the form of Intel's tool ----

judged tests/cases/nvme/o14_isdct_health.txt
tap_is "8 unsafe shutdowns of 16 cycles" "$(verdict nvme-unsafe-shutdowns)" fail
tap_has "… with both figures" "$(jq -r '.findings[] | select(.rule == "nvme-unsafe-shutdowns") | .why' "$work/report")" \
    "counts 8 power cuts in 16 power cycles (50 %)"
tap_has "… and the mean write" "$(jq -r '.findings[] | select(.rule == "nvme-unsafe-shutdowns") | .why' "$work/report")" \
    "44.3 kB each"
tap_is "… and it is healthy" "$(failing)" ""
judged tests/cases/nvme/o15_isdct_health_bare_hex.txt
tap_is "without 0x: the same" "$(verdict nvme-unsafe-shutdowns)" fail
tap_is "what is absent stays unknown" "$(verdict pcie-link-degraded)" unknown

# ---- pipes, several files, redaction, trouble ----

tap_is "standard input" "$("$NVADVISE" import - <tests/cases/nvme/n17_smartlog_1x_json_four_sensors.json |
    jq -r '.facts[] | select(.name == "device.smart.power_cycles").source')" \
    "import: nvme smart-log (JSON), standard input"
tap_is "several files are one drive" "$("$NVADVISE" import tests/cases/nvme/n20_smartctl_warning04_used100.txt \
    tests/cases/nvme/o03_id_ns_human.txt | jq -r '[.facts[].subject] | unique | join(" ")')" device:default
serial=$("$NVADVISE" import tests/cases/nvme/o01_id_ctrl_text.txt |
    jq -r '.facts[] | select(.name == "device.serial").value')
tap_not "the serial number is hidden" test "$serial" = S64HNE0R123456
tap_is "… by one pseudonym" "$("$NVADVISE" import tests/cases/nvme/o31_list_verbose_tables.txt |
    jq -r '.facts[] | select(.name == "device.serial").value')" "$serial"
tap_is "… unless asked for" "$("$NVADVISE" import --no-redact tests/cases/nvme/o01_id_ctrl_text.txt |
    jq -r '.facts[] | select(.name == "device.serial").value')" S64HNE0R123456
tap_is "… and nowhere else" "$("$NVADVISE" import -v tests/cases/nvme/o01_id_ctrl_text.txt 2>&1 |
    grep -c S64HNE0R)" 0
echo "the drive is slow: what to do?" >"$work/letter"
tap_rc "nothing that is known" 2 "$NVADVISE" import "$work/letter"
tap_has "… is told with the file" "$("$NVADVISE" import "$work/letter" 2>&1)" "letter': nothing in it is of a kind"
tap_rc "… and does not stop others" 0 "$NVADVISE" import "$work/letter" tests/cases/nvme/n20_smartctl_warning04_used100.txt
tap_rc "no such file" 2 "$NVADVISE" import "$work/none"
tap_rc "no file" 2 "$NVADVISE" import
tap_rc "a format that there is not" 2 "$NVADVISE" import --format yaml "$work/letter"
tap_has "formats" "$("$NVADVISE" import --formats)" "smartctl --json"
tap_has "for people" "$("$NVADVISE" import --format text tests/cases/nvme/n20_smartctl_warning04_used100.txt)" \
    "device.smart.percentage_used_pct       100 %"
"$NVADVISE" import tests/cases/nvme/o27_smartctl_two_drives_forum.txt >"$work/doc" 2>/dev/null
tap_is "the document is as its schema says" "$(jq -r --slurpfile s docs/schema/facts-1.json -f tests/lib/schema.jq \
    "$work/doc" 2>&1)" ""
tap_end
