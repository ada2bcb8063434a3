#!/bin/sh
# Every shell file is POSIX sh and clean under shellcheck.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/files.sh
. tests/lib/files.sh

command -v shellcheck >/dev/null || tap_skip_all "shellcheck is not installed"
for file in $(project_sh); do
    tap_ok "$file" shellcheck -x -s sh "$file"
    tap_ok "$file parses" sh -n "$file"
done
tap_end
