#!/bin/sh
# Each header compiles alone; banned.h comes last in every source file of the program.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/files.sh
. tests/lib/files.sh

# Called through tap_ok.
# shellcheck disable=SC2317
alone()
{
    # -include and not the header as the main file: a pragma once or an own guard is then no case
    # apart, and every warning is the header's.
    echo 'extern int nv_not_empty;' | "${CC:-cc}" -std=c17 -D_GNU_SOURCE -Wall -Wextra -Wpedantic \
        -Werror -fsyntax-only -I. -include "$1" -x c -
}

banned_errors()
{
    for be_file in $1; do
        be_last=$(sed -n 's/^#include //p' "$be_file" | tail -n 1)
        if [ "$be_last" != '"advisor/base/banned.h"' ]; then
            echo "$be_file: the last include is ${be_last:-missing}, not advisor/base/banned.h"
        fi
    done
}

for header in $(program_c | grep '\.h$'); do
    tap_ok "$header compiles alone" alone "$header"
done

# The check itself: a header that needs another one first must be seen.
wrong=$(mktemp)
trap 'rm -f "$wrong"' EXIT
echo 'struct x { size_t n; };' >"$wrong"
tap_not "a header that lacks an include is found" alone "$wrong"
tap_is "banned.h is included last" "$(banned_errors "$(program_c | grep '\.c$')")" ""
tap_end
