#!/bin/sh
# Sizes and bytes: file and function length, tabs, trailing space, paths of one machine.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/files.sh
. tests/lib/files.sh

# allowed WHAT: is WHAT ("file" or "file:function") in the list? Each line there has its reason.
allowed()
{
    grep -v '^#' tests/lint/allow.txt | grep -q "^$1  *[^ ]"
}

long_files()
{
    project_c | tr '\n' '\0' | xargs -0 wc -l | grep -v ' total$' | while read -r lf_lines lf_file; do
        if [ "$lf_lines" -gt 400 ] && ! allowed "$lf_file"; then
            echo "$lf_file has $lf_lines lines, at most 400"
        fi
    done
}

# A function of kernel style: its braces stand alone in the first column. The name is the last word
# before a parenthesis on the lines since the last blank line, '}' or ';'. The rows of a constant
# table inside a function are data and not counted.
functions()
{
    awk '
        FNR == 1 { head = ""; open = 0; table = 0; rows = 0 }
        /^\{$/ { open = FNR; name = head; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name); rows = 0; next }
        /^\}/ { if (open) print FILENAME ":" name, FNR - open - 1 - rows; open = 0; head = ""; next }
        open && /^    .*\[\] = \{$/ { table = FNR }
        table && /^    \};$/ { rows += FNR - table; table = 0 }
        !open && (/^$/ || /;$/ || /^#/) { head = ""; next }
        !open { head = head " " $0 }' "$@"
}

long_functions()
{
    # shellcheck disable=SC2046
    functions $(project_c) | while read -r name lines; do
        if [ "$lines" -gt 60 ] && ! allowed "$name"; then
            echo "$name has $lines lines, at most 60"
        fi
    done
}

# Lines with a tab or a blank at the end, where a format does not ask for it.
bad_space()
{
    project_files | tr '\n' '\0' | xargs -0 grep -HnI -e "$(printf '\t')" -e ' $' | cut -c1-120
}

# Folders of a developer's machine. Written in parts, so that this file is not found.
machine_paths()
{
    project_files | tr '\n' '\0' |
        xargs -0 grep -HnI -e "/wor""k/" -e "/tmp/""wt" -e "/hom""e/[a-z]*/" | cut -c1-120
}

unused_permissions()
{
    grep -v -e '^#' -e '^$' tests/lint/allow.txt | while read -r what reason; do
        [ -f "${what%%:*}" ] || echo "$what ($reason): no such file"
    done
}

tap_is "no file of more than 400 lines" "$(long_files)" ""
tap_is "no function of more than 60 lines" "$(long_functions)" ""
tap_is "no tab, no trailing blank" "$(bad_space)" ""
tap_is "no mark of a merge that was left open" "$(git grep -nE '^(<<<<<<<|>>>>>>>)( |$)' 2>/dev/null)" ""
tap_is "no path of one machine" "$(machine_paths)" ""
tap_is "no permission without its file" "$(unused_permissions)" ""

# The measure itself.
long=$(mktemp)
trap 'rm -f "$long"' EXIT
{
    printf 'static int\nlong_one(int a,\n         int b)\n{\n'
    seq 70 | sed 's/.*/    x();/'
    printf '}\n\nint short_one(void)\n{\n    return 1;\n}\n'
    printf 'static void table_one(void)\n{\n    static const int rows[] = {\n'
    seq 70 | sed 's/.*/        1,/'
    printf '    };\n    use(rows);\n}\n'
} >"$long"
tap_is "a function's length is measured" "$(functions "$long" | sed "s|$long:||")" "long_one 70
short_one 1
table_one 2"
tap_end
