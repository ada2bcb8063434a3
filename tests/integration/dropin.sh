#!/bin/sh
# The drop-in is worth its name only when the server takes it: each server starts with the one that
# was made for it, every setting reads back as planned, and then nothing is left to plan. The other
# flavour's is refused by the real server, and our own catalogue names the line.
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

# check_server NAME OUT: judge it alone; options into $alone, for a second look at the same host.
check_server()
{
    # shellcheck disable=SC2046
    nv check --socket "$(server_socket "$1")" --out "$2" $(nv_alone "$(server_pid "$1")")
}

# settings_of FILE: "variable value" lines of an option file.
settings_of()
{
    sed -n 's/^\([a-z_]*\) = \(.*\)$/\1 \2/p' "$1"
}

# in_force NAME VARIABLE: the server's own word, as an option file has it.
in_force()
{
    server_sql "$1" "SHOW GLOBAL VARIABLES LIKE '$2'" | cut -f2
}

# differences NAME FILE: settings that do not read back.
differences()
{
    settings_of "$2" | while read -r variable value; do
        now=$(in_force "$1" "$variable")
        [ "$now" = "$value" ] || echo "$variable: planned $value, in force ${now:-nothing}"
    done
}

# As many files as this machine lets a process open must be enough: MariaDB asks for 32,184 by itself.
files=--table-open-cache=400

with_own_dropin()
{
    kind=$1
    out=$NV_DIR/out-$kind
    tap_ok "$kind starts" server_start "$kind" "$kind" $files
    check_server "$kind" "$out"
    dropin=$out/zz-nvadvise.cnf
    echo "# $kind $(server_version "$kind"): $(settings_of "$dropin" | tr '\n' ',')"
    tap_ok "$kind: the drop-in raises the buffer pool" grep -q '^innodb_buffer_pool_size = ' "$dropin"
    tap_ok "$kind: the drop-in sets the redo log" \
        grep -q -e '^innodb_log_file_size = ' -e '^innodb_redo_log_capacity = ' "$dropin"
    tap_is "$kind: the plan says the same" \
        "$(jq -r '.plan[] | select(.where == "option_file" and .line != "comment")
            | .variable + " " + .new' "$out/report.json" | LC_ALL=C sort)" \
        "$(settings_of "$dropin" | LC_ALL=C sort)"
    tap_ok "$kind itself accepts it" server_accepts "$kind" "$dropin"
    statements_work "$kind" "$dropin"
    server_dropin_install "$kind" "$dropin"
    tap_ok "$kind starts with it" server_restart "$kind" $files
    tap_is "$kind: every setting reads back as planned" "$(differences "$kind" "$dropin")" ""
    check_server "$kind" "$NV_DIR/second-$kind"
    tap_is "$kind: then nothing is planned for it" \
        "$(jq -r '.plan[] | select(.where == "option_file") | .variable + " " + .line' \
            "$NV_DIR/second-$kind/report.json")" ""
    tap_not "$kind: and no drop-in is written" test -e "$NV_DIR/second-$kind/zz-nvadvise.cnf"
    rightly_set_up "$kind"
    nv_sound "$kind: no sanitizer spoke"
    server_stop "$kind"
}

# The statements at the end of a drop-in do at run time what its dynamic lines do at start.
statements_work()
{
    sed -n 's/^# \(SET GLOBAL .*;\)$/\1/p' "$2" >"$NV_DIR/statements.sql"
    tap_ok "$1: there are statements for run time" test -s "$NV_DIR/statements.sql"
    tap_ok "$1: it takes them" server_sql "$1" "$(cat "$NV_DIR/statements.sql")"
    sed -n 's/^SET GLOBAL \([a-z_]*\) = \(.*\);$/\1 \2/p' "$NV_DIR/statements.sql" |
        while read -r variable value; do
            # A pool is resized in the background.
            tries=50
            while [ "$(in_force "$1" "$variable")" != "$value" ] && [ $tries -gt 0 ]; do
                tries=$((tries - 1))
                sleep 0.2
            done
            [ $tries -gt 0 ] || echo "$variable is not $value but $(in_force "$1" "$variable")"
        done >"$NV_DIR/statements.off"
    tap_is "$1: and they read back" "$(cat "$NV_DIR/statements.off")" ""
}

# A server that is set up as it should be, seen by root, without any benchmark. What this machine's
# own kernel settings are is not the server's fault, and no failure of theirs is at or above high.
rightly_set_up()
{
    # shellcheck disable=SC2046
    nv check --socket "$(server_socket "$1")" --format json $(nv_alone "$(server_pid "$1")")
    nv_ended "$1, rightly set up: exit code 0" 0
    tap_is "$1, rightly set up: nothing unknown at or above high" \
        "$(nv_get '.counts.unknown_by_severity | .high + .critical')" 0
    tap_is "$1, rightly set up: nothing fails at or above high" \
        "$(nv_get '.counts.failed_by_severity | .high + .critical')" 0
    nv check --socket "$(server_socket "$1")"
    unmeasured=$(awk '/^[a-z]/ { on = /^not measured:/ } on' "$NV_OUT" | wc -l)
    tap_ok "$1, rightly set up: not measured takes at most five lines ($unmeasured)" \
        test "$unmeasured" -le 5
}

for one in mariadb mysql; do
    with_own_dropin "$one"
done

tap_ok "mariadb-next accepts the drop-in of mariadb" server_accepts mariadb-next \
    "$NV_DIR/out-mariadb/zz-nvadvise.cnf"
server_start mariadb-next next && server_stop next
server_dropin_install next "$NV_DIR/out-mariadb/zz-nvadvise.cnf"
tap_ok "mariadb-next starts with the drop-in of mariadb" server_start mariadb-next next
tap_is "and has its settings" "$(differences next "$NV_DIR/out-mariadb/zz-nvadvise.cnf")" ""
server_stop next

# refused KIND FOREIGN VARIABLE: the drop-in of FOREIGN stops KIND; the catalogue knows which line does.
refused()
{
    file=$NV_DIR/out-$2/zz-nvadvise.cnf
    tap_not "$1 does not accept the drop-in of $2" server_accepts "$1" "$file"
    server_dropin_install "$1" "$file"
    tap_not "$1 does not start with the drop-in of $2" server_start "$1" "$1"
    server_dropin_remove "$1"
    flavour=$(jq -r '.subjects.servers[0].flavour' "$NV_DIR/out-$1/report.json")
    version=$(jq -r '.subjects.servers[0].version' "$NV_DIR/out-$1/report.json")
    judged=$("$NV_TOOLS/catalogue_check" "$flavour" "$version" "$file")
    tap_is "our catalogue refuses it too ($flavour $version)" "$?" 1
    tap_has "and names the line" "$judged" "$(grep -n "^$3 = " "$file" | cut -d: -f1): $3"
    tap_is "and has nothing against its own" "$("$NV_TOOLS/catalogue_check" "$flavour" "$version" \
        "$NV_DIR/out-$1/zz-nvadvise.cnf")" ""
}

refused mariadb mysql innodb_redo_log_capacity
refused mysql mariadb innodb_log_file_size
tap_end
