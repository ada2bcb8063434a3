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
probes/import: advisor/base advisor/facts probes probes/host
probes: advisor/base advisor/facts probes/host
rules: advisor/base advisor/facts
templates: advisor/base
advisor/report: advisor/base advisor/facts rules
advisor/scratch: advisor/base advisor/facts rules
advisor/tune: advisor/base advisor/facts probes/host probes rules advisor/scratch
advisor/cli: advisor/base advisor/facts probes/host probes/import probes rules templates advisor/report advisor/scratch advisor/tune
'

# HEADER REGEX: the files that may include it, at most these ("none": none yet).
# Libraries stand behind one file each.
libraries='
jansson\.h: advisor/base/json.c
ini\.h: advisor/base/ini.c
nettle/: advisor/base/hash.c
zlib\.h: probes/host/gz.c
libnvme\.h: probes/host/nvme_lib.c
libudev\.h: probes/host/live_udev.c
mysql: probes/host/live_sql.c
mariadb: probes/host/live_sql.c
libmount: none
blkid: none
getopt\.h: advisor/cli/options.c
'

# layer_errors FILES: "file may not include header". A header whose folder is no layer (a generated
# one, cmake/embedded.h) is nobody's.
layer_errors()
{
    printf '%s\n' "$layers" | awk -v files="$1" '
        function layer_of(path, i) {
            for (i = 1; i <= n; i++) {
                if (index(path, folder[i] "/") == 1) return folder[i]
            }
            return ""
        }
        /:/ {
            n++
            folder[n] = substr($0, 1, index($0, ":") - 1)
            may[folder[n]] = " " folder[n] " " substr($0, index($0, ":") + 1) " "
        }
        END {
            count = split(files, file)
            for (f = 1; f <= count; f++) {
                own = layer_of(file[f])
                while ((getline line <file[f]) > 0) {
                    if (line !~ /^#include "/) continue
                    split(line, part, "\"")
                    if (part[2] == "cmake/embedded.h") continue
                    target = layer_of(part[2])
                    if (target == "" || index(may[own], " " target " ") == 0)
                        print file[f] " may not include " part[2]
                }
                close(file[f])
            }
        }'
}

library_errors()
{
    # shellcheck disable=SC2086
    grep -H '^#include <' $1 | sed 's/^\([^:]*\):#include <\(.*\)>.*/\1 \2/' >"$wrong/includes"
    printf '%s\n' "$libraries" | while IFS=: read -r lib_regex lib_may; do
        [ -n "$lib_regex" ] || continue
        grep " $lib_regex" "$wrong/includes" | while read -r lib_file lib_header; do
            case " $lib_may " in
            *" $lib_file "*) ;;
            *) echo "$lib_file may not include <$lib_header>" ;;
            esac
        done
    done
}

wrong=$(mktemp -d)
trap 'rm -rf "$wrong"' EXIT
files=$(program_c)
tap_is "every layer includes only what lies below it" "$(layer_errors "$files")" ""
tap_is "each foreign library has one file that includes it" "$(library_errors "$files")" ""

# The checks themselves: a wrong include must be seen.
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
