# The project's own files, for the lint tests. Sourced by POSIX sh in the top folder.

# Every file that is ours and text: tracked ones in a checkout, else all but build output.
# Recorded inputs (corpora, captures, facts of cases) are bytes and not style.
project_files()
{
    if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
        git ls-files --cached --others --exclude-standard
    else
        find . -type f ! -path './build/*' ! -path './nvadvise-out/*' | sed 's|^\./||'
    fi | grep -v -e '^tests/fuzz/corpus/' -e '^tests/cases/.*/' -e '^tests/captures/' \
        -e '^LICENSE$' | LC_ALL=C sort
}

# C files: all, or those of the program alone.
project_c()
{
    project_files | grep '\.[ch]$'
}

program_c()
{
    project_c | grep -e '^advisor/' -e '^probes/' -e '^rules/' -e '^templates/'
}

# Shell programs and libraries: by name, or by their first line.
project_sh()
{
    project_files | while read -r ps_file; do
        case $ps_file in
        *.sh) printf '%s\n' "$ps_file" ;;
        *.*/*.*) ;;
        *)
            case $(head -c 11 "$ps_file" 2>/dev/null | head -n 1 | tr -d '\0') in
            '#!/bin/sh'*) printf '%s\n' "$ps_file" ;;
            esac
            ;;
        esac
    done
}
