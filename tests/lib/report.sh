# Runs nvadvise and reads its JSON report. Sourced by POSIX sh; usable in the guest too. Needs jq.
# The caller sets REPORT_PROGRAM (the binary) and REPORT_DIR (a folder of its own).

# report_run NAME OPTIONS: a check as JSON in REPORT_DIR/NAME.json; prints the exit code.
report_run()
{
    rr_name=$1
    shift
    rr_rc=0
    "$REPORT_PROGRAM" check --format json "$@" >"$REPORT_DIR/$rr_name.json" \
        2>"$REPORT_DIR/$rr_name.err" || rr_rc=$?
    echo "$rr_rc"
}

# report_alone NAME OPTIONS: the same with what a check sees of its neighbours fixed: other servers
# and processes of this machine must not decide a test.
report_alone()
{
    report_run "$@" --set host.server_processes=1 --set host.memory.other_rss=400MiB
}

# report_get NAME FILTER
report_get()
{
    jq -r "$2" "$REPORT_DIR/$1.json"
}

# report_verdicts NAME RULE: its verdicts over all subjects, each once.
report_verdicts()
{
    jq -r --arg r "$2" '[.findings[] | select(.rule == $r) | .verdict] | unique | join(" ")' \
        "$REPORT_DIR/$1.json"
}

# report_problems NAME: what failed or could not be seen at high or above, as diagnostics.
report_problems()
{
    jq -r '.findings[] | select((.severity == "high" or .severity == "critical") and
        (.verdict == "fail" or .verdict == "unknown" or .verdict == "error")) |
        "# \(.rule) \(.subject): \(.verdict)"' "$REPORT_DIR/$1.json"
    sed 's/^/# /' "$REPORT_DIR/$1.err"
}

# dropin_settings FILE: "name value" lines; sizes as bytes, ON and OFF as 1 and 0.
dropin_settings()
{
    sed -n 's/^\([a-z_]*\) *= *\([^ ]*\) *$/\1 \2/p' "$1" | while read -r ds_name ds_value; do
        case $ds_value in
        *[0-9]K) ds_value=$((${ds_value%K} * 1024)) ;;
        *[0-9]M) ds_value=$((${ds_value%M} * 1048576)) ;;
        *[0-9]G) ds_value=$((${ds_value%G} * 1073741824)) ;;
        *[0-9]T) ds_value=$((${ds_value%T} * 1099511627776)) ;;
        ON) ds_value=1 ;;
        OFF) ds_value=0 ;;
        esac
        echo "$ds_name $ds_value"
    done
}
