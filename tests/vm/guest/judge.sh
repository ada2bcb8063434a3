# What nvadvise says in the guest, compared with what others say. Sourced by POSIX sh after tap.sh and
# lib.sh. The script sets GUEST_DIR, a folder of its own. Subjects are written without the server:
# "host", "server", "device:nvme0n1", "volume:data".
#
#   facts_read [OPTIONS]            reads all facts once, for the words below
#   fact SUBJECT NAME               a value, lists with commas; "(state: reason)" where it is not known
#   layers SUBJECT                  the layers of a volume, one a line
#   layer SUBJECT NAME KIND KEY     one key of one layer
#   same NAME GOT WANT              as tap_is; numbers may be written differently (4 and 4.0)
#   check_read [OPTIONS]            judges once; prints the exit code
#   verdict RULE SUBJECT            one verdict; "none" where the rule did not judge that subject
#   expect SETUP RULE SUBJECT WANT  a check of one verdict; a real "fail" counts as fired

# jq costs half a second under emulation: one call makes lines, all else is grep's kin.
facts_read()
{
    /ro/nvadvise facts --all-devices --format json "$@" >"$GUEST_DIR/facts.json" \
        2>"$GUEST_DIR/facts.err" || {
        cat "$GUEST_DIR/facts.err"
        return 1
    }
    jq -r "$judge_short"' .facts[] | (.subject | short) + " " + .name + " " +
        (if .state != "known" then "(\(.state): \(.reason // ""))"
        elif (.value | type) == "array" then .value | map(tostring) | join("\t")
        else .value | tostring end)' "$GUEST_DIR/facts.json" >"$GUEST_DIR/facts"
}
judge_short='def short: sub("^volume:.*:"; "volume:") | sub("^server:.*"; "server");'

fact()
{
    sed -n "s/^$1 $2 //p" "$GUEST_DIR/facts" | head -n 1 | tr '\t' ,
}

layers()
{
    sed -n "s/^$1 volume.layers //p" "$GUEST_DIR/facts" | head -n 1 | tr '\t' '\n'
}

layer()
{
    layers "$1" | awk -v n="$2" -v k="$3" -v key="$4" '$2 == n && $3 == k {
        for (i = 4; i <= NF; i++)
            if (index($i, key "=") == 1) { print substr($i, length(key) + 2); exit }
    }'
}

same()
{
    if [ "$2" != "$3" ] && awk -v a="$2" -v b="$3" 'BEGIN {
        n = "^-?[0-9]+(\\.[0-9]+)?$"; exit !(a ~ n && b ~ n && a + 0 == b + 0) }'; then
        tap_pass "$1"
    else
        tap_is "$@"
    fi
}

check_read()
{
    cr_rc=0
    /ro/nvadvise check --format json "$@" >"$GUEST_DIR/check.json" 2>"$GUEST_DIR/check.err" ||
        cr_rc=$?
    jq -r "$judge_short"' .findings[] | .rule + " " + (.subject | short) + " " + .verdict' \
        "$GUEST_DIR/check.json" >"$GUEST_DIR/verdicts" || : >"$GUEST_DIR/verdicts"
    echo "$cr_rc"
}

verdict()
{
    ve_said=$(sed -n "s/^$1 $2 //p" "$GUEST_DIR/verdicts" | head -n 1)
    echo "${ve_said:-none}"
}

expect()
{
    ex_said=$(verdict "$2" "$3")
    if [ "$ex_said" = fail ] && [ "$4" = fail ]; then
        echo "$2 $(cat /ro/boot) $1" >>/out/fired
    fi
    tap_is "$1: $2 ($3)" "$ex_said" "$4"
}
