#!/bin/sh
# Golden cases: a capture of a whole host, and what must come out of it, byte by byte.
#
#   golden.sh [--update] [CASE...]
#
# tests/cases/CASE/ holds capture (gzipped), options (check's, a line each; may be absent) and what came
# out: expect.txt, expect.verbose.txt (-v), expect.json, expect.rc, and expect.cnf and expect.md where
# such files were written.
# --update writes these anew; look at the difference before you keep it.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

program=${NVADVISE:-build/dev/advisor/cli/nvadvise}
[ -x "$program" ] || tap_skip_all "no program in \$NVADVISE: build it first"
command -v jq >/dev/null || tap_skip_all "jq is not installed"
update=
if [ "${1:-}" = --update ]; then
    update=1
    shift
fi
if [ $# -eq 0 ]; then
    for file in tests/cases/*/capture; do
        [ ! -e "$file" ] || set -- "$@" "$(basename "$(dirname "$file")")"
    done
fi
[ $# -gt 0 ] || tap_skip_all "there is no case"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# What is installed on this host must not matter, nor its terminal.
HOME=$work
export HOME
unset COLUMNS TERM

# run CASE: what comes out, as files of the names in the case.
run()
{
    rm -rf "$work/out" "$work/got"
    mkdir "$work/got"
    options=
    [ ! -e "tests/cases/$1/options" ] || options=$(cat "tests/cases/$1/options")
    rc=0
    # shellcheck disable=SC2086
    "$program" check --no-state --no-site --from "tests/cases/$1/capture" $options >"$work/got/expect.txt" \
        2>"$work/err" </dev/null || rc=$?
    echo "$rc" >"$work/got/expect.rc"
    # shellcheck disable=SC2086
    "$program" check --no-state --no-site --from "tests/cases/$1/capture" -v $options \
        >"$work/got/expect.verbose.txt" 2>>"$work/err" </dev/null
    # shellcheck disable=SC2086
    "$program" check --no-state --no-site --from "tests/cases/$1/capture" --format json --out "$work/out" \
        $options >"$work/got/expect.json" 2>>"$work/err" </dev/null
    for pair in zz-nvadvise.cnf:expect.cnf storage.md:expect.md; do
        [ ! -e "$work/out/${pair%:*}" ] || cp "$work/out/${pair%:*}" "$work/got/${pair#*:}"
    done
    faults=$(jq -r --slurpfile s docs/schema/report-1.json -f tests/lib/schema.jq \
        "$work/got/expect.json" 2>&1)
    # The hash over all texts changes with every word of any rule: no case is about that.
    sed -i -e 's/"hash": "[0-9a-f]\{64\}"/"hash": "HASH"/' "$work/got/expect.json"
    sed -i -e 's/rules [0-9a-f]\{12\}/rules HASH/' "$work"/got/expect.*
}

compare()
{
    tap_is "$1: nothing on stderr" "$(cat "$work/err")" ""
    tap_is "$1: the report is as its schema says" "$faults" ""
    difference=$(diff -r -N -x capture -x options -x README "tests/cases/$1" "$work/got" | head -n 60)
    tap_is "$1: the same as ever" "$difference" ""
}

for case in "$@"; do
    run "$case"
    if [ -n "$update" ]; then
        rm -f "tests/cases/$case"/expect.*
        cp "$work"/got/expect.* "tests/cases/$case/"
        tap_pass "$case: written anew"
    else
        compare "$case"
    fi
done
tap_end
