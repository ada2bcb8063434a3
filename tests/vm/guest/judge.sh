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

# jq costs half a second under emulation: one call makes lines, all else is grep's kin. For the same
# reason a probe gets a minute; what it takes on a real host is for other tests.
# shellcheck disable=SC2120
facts_read()
{
    /ro/nvadvise facts --all-devices --timeout 60 --format json "$@" >"$GUEST_DIR/facts.json" \
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
    /ro/nvadvise check --timeout 60 --format json "$@" >"$GUEST_DIR/check.json" 2>"$GUEST_DIR/check.err" ||
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

# ---- comparisons with what others print ----
#
#   compare TITLE SUBJECT FILE      standard input: lines "FACT JQ-FILTER", FILE is the other's JSON
#   compare_lines TITLE SUBJECT     standard input: lines "FACT VALUE"

compare()
{
    co_title=$1 co_subject=$2 co_file=$3
    cat >"$GUEST_DIR/table"
    # One call of jq for the whole table; each filter gives one line.
    co_program=$(sed 's/^[^ ]* *//; s/.*/((try (&) catch "no such field") | tostring)/' \
        "$GUEST_DIR/table" | paste -s -d , -)
    jq -r "$co_program" "$co_file" >"$GUEST_DIR/theirs"
    sed 's/ .*//' "$GUEST_DIR/table" | paste -d ' ' - "$GUEST_DIR/theirs" >"$GUEST_DIR/lines"
    compare_lines "$co_title" "$co_subject" <"$GUEST_DIR/lines"
}

# One check for all lines, since each costs a tenth of a second; what differs is named.
compare_lines()
{
    cat >"$GUEST_DIR/compared"
    cl_differs=$(awk -v subject="$2" -v number='^-?[0-9]+([.][0-9]+)?$' '
        NR == FNR {
            if ($1 == subject) {
                name = $2
                sub("^[^ ]* [^ ]* ?", "")
                gsub("\t", ",")
                ours[name] = $0
            }
            next
        }
        {
            name = $1
            sub("^[^ ]* ?", "")
            if (ours[name] == $0 "")
                next
            # Numbers may be written differently; what they round (percents) is near.
            far = ours[name] - $0
            near = $0 ~ /[.]/ ? 0.002 * $0 : 0
            if (ours[name] ~ number && $0 ~ number && far <= near && -far <= near)
                next
            printf "%s is %s, they say %s\n", name, ours[name], $0
        }' "$GUEST_DIR/facts" "$GUEST_DIR/compared")
    tap_is "$1: $2: $(wc -l <"$GUEST_DIR/compared") fields" "$cl_differs" ""
}

# chain_read: what `nvadvise chain` draws of the facts that were read.
chain_read()
{
    /ro/nvadvise chain --facts "$GUEST_DIR/facts.json" >"$GUEST_DIR/chain" 2>&1
}
