#!/bin/sh
# What check costs a server: at most 12 statements, the same ones with 5,000 tables as with none, no
# table of a user opened, and nothing sent that facts --queries does not list for that server.
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

tables=5000
reason=$(nv_missing)
[ -z "$reason" ] || tap_skip_all "$reason"
servers_room
servers_begin
nv_begin

# log_on NAME, log_off NAME: the server's general log into a file that is empty at first. An absolute
# path of the server's own is not ours where it lives in a root, so it stays in the data directory.
log_on()
{
    : >"$(server_dir "$1")/data/general.log"
    chown "$ROOTS_UID:$ROOTS_UID" "$(server_dir "$1")/data/general.log"
    server_sql "$1" "SET GLOBAL log_output = 'FILE', general_log_file = 'general.log', general_log = 1"
}

log_off()
{
    server_sql "$1" 'SET GLOBAL general_log = 0'
}

# sent NAME: what the program's own connections sent, "COMMAND TEXT" a line. The log's lines are
# [time] [id] command [tab] text; a statement goes on over lines without a command. The connections
# that switch the log on and off are ours.
sent()
{
    awk -v marks='Connect|Query|Quit|Execute|Prepare|Close stmt|Init DB|Reset stmt|Change user|Statistics|Ping|Field List' '
        function flush()
        {
            if (!have) return
            n++; ids[n] = id; rows[n] = command "\t" text
            if (text ~ /general_log/) ours[id] = 1
            if (command == "Connect") whole[id] = 1
        }
        { gsub(/\r/, "") }
        match($0, "[ \t][0-9]+ (" marks ")([\t]|$)") {
            flush()
            line = substr($0, RSTART + 1)
            id = line; sub(/ .*/, "", id)
            command = line; sub(/^[0-9]+ /, "", command); sub(/\t.*/, "", command)
            text = index(line, "\t") ? substr(line, index(line, "\t") + 1) : ""
            have = 1
            next
        }
        have && /[^ \t]/ { sub(/^[ \t]+/, ""); text = text " " $0 }
        END {
            flush()
            for (i = 1; i <= n; i++) if (whole[ids[i]] && !ours[ids[i]]) print rows[i]
        }' "$(server_dir "$1")/data/general.log" | sed 's/[ ]\{1,\}/ /g'
}

# listed FLAVOUR VERSION: the statements that --queries lists for such a server.
listed()
{
    nv facts --queries
    awk -v flavour="$1" -v version="$2" '
        function number(v,  p) { split(v, p, "."); return p[1] * 10000 + p[2] * 100 + p[3] }
        /^[a-z0-9-]+ \(.*\)$/ {
            what = $0; sub(/^[^(]*\(/, "", what); sub(/\)$/, "", what)
            fits = what ~ /^all/ || (flavour == "mariadb" ? what ~ /^MariaDB/ : what ~ /^MySQL/)
            if (match(what, / from [0-9.]+/) && number(version) < number(substr(what, RSTART + 6, RLENGTH - 6))) fits = 0
            if (match(what, / before [0-9.]+/) && number(version) >= number(substr(what, RSTART + 8, RLENGTH - 8))) fits = 0
            next
        }
        /^  privilege: / { fits = 0 }
        fits { sub(/^ +/, ""); print }' "$NV_OUT" | sed 's/[ ]\{1,\}/ /g'
}

counter()
{
    server_sql "$1" "SHOW GLOBAL STATUS LIKE '$2'" | cut -f2
}

check()
{
    nv check --socket "$(server_socket "$1")" --format json
}

# rises NAME COMMAND...: by how much Questions and Opened_tables rise with the command, more than they do
# by looking at them.
rises()
{
    rs_name=$1
    shift
    for rs_turn in without with; do
        rs_questions=$(counter "$rs_name" Questions) rs_opened=$(counter "$rs_name" Opened_tables)
        [ $rs_turn = without ] || "$@"
        rs_opened=$(($(counter "$rs_name" Opened_tables) - rs_opened))
        rs_questions=$(($(counter "$rs_name" Questions) - rs_questions))
        [ $rs_turn = with ] || rs_own="$rs_questions $rs_opened"
    done
    echo "$((rs_questions - ${rs_own% *})) $((rs_opened - ${rs_own#* }))"
}

# one_check NAME WORD: run check three times; what was sent goes to sent.WORD, the rise of counters to
# rises.WORD, tables of users that are open then to open.WORD.
one_check()
{
    # The first one after a start finds the caches of the server's own tables empty.
    check "$1"
    rises "$1" check "$1" >"$NV_DIR/rises.$2"
    server_sql "$1" 'SHOW OPEN TABLES' | grep '^many' >"$NV_DIR/open.$2"
    log_on "$1"
    check "$1"
    log_off "$1"
    sent "$1" >"$NV_DIR/sent.$2"
}

costs()
{
    kind=$1
    tap_ok "$kind starts" server_start "$kind" "$kind"
    one_check "$kind" none
    tap_ok "$kind: check ends with a verdict ($nv_rc)" test "$nv_rc" -ne 2 -a "$nv_rc" -lt 4
    flavour=$(nv_get '.subjects.servers[0].flavour')
    version=$(server_version "$kind" | sed 's/[^0-9.].*//')
    n=$(grep -c -v -e '^Connect' -e '^Quit' "$NV_DIR/sent.none")
    tap_ok "$kind: at most 12 statements ($n)" test "$n" -le 12 -a "$n" -ge 5
    tap_is "$kind: one connection" "$(grep -c '^Connect' "$NV_DIR/sent.none")" 1
    tap_is "$kind: it takes its leave" "$(grep -c '^Quit' "$NV_DIR/sent.none")" 1
    # It counts the leave as well.
    tap_is "$kind: the server counts as many" "$(cut -d' ' -f1 "$NV_DIR/rises.none")" $((n + 1))
    tap_is "$kind: no client is counted as aborted" "$(counter "$kind" Aborted_clients)" 0
    listed "$flavour" "$version" >"$NV_DIR/listed"
    tap_ok "$kind: --queries lists statements" test -s "$NV_DIR/listed"
    tap_is "$kind: every statement is listed" \
        "$(grep '^Query' "$NV_DIR/sent.none" | cut -f2- | grep -vxF -f "$NV_DIR/listed")" ""

    tap_ok "$kind restarts without syncs" server_restart "$kind" --innodb-flush-method=nosync \
        --innodb-flush-log-at-trx-commit=0 --sync-binlog=0
    tap_ok "$kind: $tables tables are made" server_many_tables "$kind" "$tables"
    tap_ok "$kind restarts" server_restart "$kind"
    tap_is "$kind: the tables are there" "$(server_sql "$kind" 'SELECT MAX(id) FROM many.t77')" 2
    server_sql "$kind" 'FLUSH TABLES'
    one_check "$kind" many
    tap_is "$kind: with $tables tables the same statements" \
        "$(cut -f1,2 "$NV_DIR/sent.many")" "$(cut -f1,2 "$NV_DIR/sent.none")"
    tap_is "$kind: the server counts the same" "$(cut -d' ' -f1 "$NV_DIR/rises.many")" $((n + 1))
    tap_is "$kind: no table of a user is open" "$(cat "$NV_DIR/open.many")" ""
    rise=$(cut -d' ' -f2 "$NV_DIR/rises.many")
    # MySQL opens tables of performance_schema and mysql for what it is asked; tables of users, never.
    if [ "$flavour" = mariadb ]; then
        tap_is "$kind: no table was opened" "$rise" 0
    else
        tap_ok "$kind: few tables of its own were opened ($rise)" test "$rise" -le 8
    fi
    nv facts --socket "$(server_socket "$kind")" --format json
    tap_is "$kind: the tables are counted from their files" \
        "$(nv_get "[.facts[] | select(.name == \"server.data.table_count\").value][0] >= $tables")" true
    nv_sound "$kind: no sanitizer spoke"
    server_stop "$kind"
}

for one in mariadb mysql; do
    costs "$one"
done
tap_end
