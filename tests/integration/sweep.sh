#!/bin/sh
# The fault sweep on live runs: every operation fails once, in the child that asks, against each server.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/roots.sh
. tests/lib/roots.sh
# shellcheck source=tests/lib/servers.sh
. tests/lib/servers.sh
# shellcheck source=tests/lib/nvadvise.sh
. tests/lib/nvadvise.sh

reason=$(nv_missing)
[ -z "$reason" ] || tap_skip_all "$reason"
servers_begin
nv_begin
for kind in mariadb mysql; do
    # With faults to be found: none of them may get lost.
    tap_ok "$kind starts" server_start "$kind" "$kind" --innodb-doublewrite=OFF \
        --innodb-flush-log-at-trx-commit=0
    "$NV_TOOLS/sweep_live" "$(server_socket "$kind")" >"$NV_DIR/sweep" 2>&1
    rc=$?
    sed 's/^/# /' "$NV_DIR/sweep"
    tap_is "$kind: no verdict gets better, no child crashes" "$rc" 0
    nv_sound "$kind: no sanitizer spoke"
    server_stop "$kind"
done
tap_end
