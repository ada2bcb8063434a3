#!/bin/sh
# Who may include whom (docs/architecture.md), and who may include a foreign library.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/files.sh
. tests/lib/files.sh

# FOLDER: the folders whose headers its files may include, beside its own. The first matching line
# counts, so a sub-folder stands before its parent.
layers='
advisor/base:
advisor/facts: advisor/base
probes/host: advisor/base
probes: advisor/base advisor/facts probes/host
rules: advisor/base advisor/facts
templates: advisor/base
advisor/report: advisor/base advisor/facts rules
advisor/cli: advisor/base advisor/facts probes/host probes rules templates advisor/report
'

# HEADER REGEX: the files that may include it, at most these ("none": none yet).
# Libraries stand behind one file each.
libraries='
jansson\.h: advisor/base/json.c
ini\.h: advisor/base/ini.c
nettle/: advisor/base/hash.c
zlib\.h: probes/host/gz.c
libnvme\.h: probes/host/live_nvme.c
libudev\.h: probes/host/live_udev.c
mysql: probes/host/live_sql.c
mariadb: probes/host/live_sql.c
libmount: none
blkid: none
getopt\.h: advisor/cli/options.c
'

# folder_of PATH: the layer that a path belongs to.
folder_of()
{
    printf '%s\n' "$layers" | while IFS=: read -r fo_folder _; do
        case $1 in
        "$fo_folder"/*)
            [ -n "$fo_folder" ] || continue
            printf '%s\n' "$fo_folder"
            break
            ;;
        esac
    done
}

# includes FILE QUOTE: names that it includes in quotes or angle brackets.
includes()
{
    if [ "$2" = own ]; then
        sed -n 's/^#include "\(.*\)".*/\1/p' "$1"
    else
        sed -n 's/^#include <\(.*\)>.*/\1/p' "$1"
    fi
}

# layer_errors FILES: "file includes what it must not".
layer_errors()
{
    for le_file in $1; do
        le_folder=$(folder_of "$le_file")
        le_allowed=$(printf '%s\n' "$layers" | sed -n "s|^$le_folder:||p")
        for le_header in $(includes "$le_file" own); do
            [ "$le_header" != cmake/embedded.h ] || continue
            le_target=$(folder_of "$le_header")
            case " $le_folder $le_allowed " in
            *" $le_target "*) [ -z "$le_target" ] || continue ;;
            esac
            echo "$le_file may not include $le_header"
        done
    done
}

library_errors()
{
    printf '%s\n' "$libraries" | while IFS=: read -r lib_regex lib_may; do
        [ -n "$lib_regex" ] || continue
        for lib_file in $1; do
            case " $lib_may " in
            *" $lib_file "*) continue ;;
            esac
            includes "$lib_file" foreign | grep "^$lib_regex" |
                sed "s|.*|$lib_file may not include <&>|"
        done
    done
}

files=$(program_c)
tap_is "every layer includes only what lies below it" "$(layer_errors "$files")" ""
tap_is "each foreign library has one file that includes it" "$(library_errors "$files")" ""

# The checks themselves: a wrong include must be seen.
wrong=$(mktemp -d)
trap 'rm -rf "$wrong"' EXIT
mkdir -p "$wrong/rules" "$wrong/templates"
echo '#include "probes/probe.h"' >"$wrong/rules/x.c"
echo '#include "rules/engine.h"' >"$wrong/templates/x.c"
echo '#include <jansson.h>' >"$wrong/rules/y.c"
tap_is "a rule file that includes a probe is found" \
    "$(cd "$wrong" && layer_errors rules/x.c)" "rules/x.c may not include probes/probe.h"
tap_is "a template file that includes a rule header is found" \
    "$(cd "$wrong" && layer_errors templates/x.c)" "templates/x.c may not include rules/engine.h"
tap_is "a second file with a foreign library is found" \
    "$(cd "$wrong" && library_errors rules/y.c)" "rules/y.c may not include <jansson.h>"
tap_end
