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
