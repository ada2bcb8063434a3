#!/bin/sh
# Option files of a server that nobody asks: --options and --server.
set -u
cd "$NVADVISE_SOURCE" || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
HOME=$work
export HOME

# fact NAME ARGS...: one fact as the facts document has it: "value; source", or "STATE: reason".
fact()
{
    fact_name=$1
    shift
    "$NVADVISE" facts --no-site --format json "$@" 2>"$work/err" |
        jq -r --arg n "$fact_name" '.facts[] | select(.name == $n) |
            if .state == "known" then "\(.value); \(.source)" else "\(.state): \(.reason)" end'
}

# items RULE ARGS...: "advice setting file:line" of a finding.
items()
{
    items_rule=$1
    shift
    "$NVADVISE" check --no-site --format json "$@" 2>"$work/err" |
        jq -r --arg r "$items_rule" '.findings[] | select(.rule == $r and .verdict == "fail") |
            .items[] | "\(.advice) \(.setting) \(.file | sub(".*/"; "")):\(.line)"'
}

mkdir "$work/conf.d"
cat >"$work/my.cnf" <<CNF
[client]
password = hunter2
[mysqld]
innodb_buffer_pool_size = 3G
query_cache_size = 16M
innodb_io_capacity = 30000
innodb_io_capacity_max = 20000
[mysqld-8.0]
sync_binlog = 7
[mysqld-5.7]
sync_binlog = 5
[mariadb]
sync_binlog = 3
!includedir $work/conf.d
CNF
printf '[mysqld]\ninnodb_buffer_pool_size = 4G\nloose_master_password = hunter3\n' >"$work/conf.d/a.cnf"

tap_is "an included file wins" "$(fact server.var.innodb_buffer_pool_size --options "$work/my.cnf" --server mysql:8.0.36)" \
    "4294967296; option file $work/conf.d/a.cnf:2"
tap_is "a group of this version" "$(fact server.var.sync_binlog --options "$work/my.cnf" --server mysql:8.0.36)" \
    "7; option file $work/my.cnf:9"
tap_is "of another" "$(fact server.var.sync_binlog --options "$work/my.cnf" --server percona:5.7.44)" \
    "5; option file $work/my.cnf:11"
tap_is "of the other flavour" "$(fact server.var.sync_binlog --options "$work/my.cnf" --server mariadb:10.11)" \
    "3; option file $work/my.cnf:13"
tap_is "coupled values" "$(fact server.var.innodb_io_capacity --options "$work/my.cnf" --server mysql:8.0.36)" \
    "20000; option file $work/my.cnf:6"
tap_is "a default" "$(fact server.var.innodb_flush_neighbors --options "$work/my.cnf" --server mysql:8.0.36)" \
    "0; default of MySQL 8.0.36"
tap_is "a default of an older one" "$(fact server.var.innodb_flush_neighbors --server mysql:5.7.15)" \
    "1; default of MySQL 5.7.15"
tap_is "what the server works out" "$(fact server.var.innodb_io_capacity_max --server mysql:5.7.15)" \
    "2000; default of MySQL 5.7.15, worked out from the others"
tap_is "what it has not" "$(fact server.var.innodb_redo_log_capacity --server mysql:5.7.15)" \
    "not supported: MySQL 5.7.15 has no such variable"
tap_is "what we cannot work out" "$(fact server.var.innodb_flush_method --server mysql:8.4.3)" \
    "absent: the server works it out when it starts"
tap_is "what follows" "$(fact server.redo.capacity --server mysql:5.7.15 | cut -d';' -f1)" 100663296

tap_is "a removed name, where it stands" "$(items cfg-unknown --options "$work/my.cnf" --server mysql:8.0.36)" \
    "remove query_cache_size my.cnf:5"
tap_is "not to MariaDB" "$(items cfg-unknown --options "$work/my.cnf" --server mariadb:10.11)" ""
tap_is "a changed value" "$(items cfg-clamped --options "$work/my.cnf" --server mysql:8.0.36)" \
    "set innodb_io_capacity my.cnf:6"
"$NVADVISE" check --no-site --options "$work/my.cnf" --server mysql:8.0.36 >/dev/null 2>&1
tap_is "it is critical" $? 1

# Secrets, whatever their group.
"$NVADVISE" facts --no-site --format json --options "$work/my.cnf" --server mysql:8.0.36 >"$work/doc" 2>&1
tap_not "no secret is shown" grep -q hunter "$work/doc"
tap_ok "but that there is one" grep -q 'master_password=\*\*\*' "$work/doc"

# Documents: what they state stands, whatever the order of the words on the command line.
cat >"$work/facts" <<'FACTS'
server.var.innodb_buffer_pool_size = 5GiB
host.memory.total = 16GiB
FACTS
tap_is "a document's word stands" \
    "$(fact server.var.innodb_buffer_pool_size --options "$work/my.cnf" --facts "$work/facts" --server mysql:8.0.36 | cut -d';' -f1)" \
    5368709120
tap_is "beside the file's" \
    "$(fact server.var.sync_binlog --facts "$work/facts" --options "$work/my.cnf" --server mysql:8.0.36 | cut -d';' -f1)" 7
tap_is "and --set above both" \
    "$(fact server.var.sync_binlog --facts "$work/facts" --options "$work/my.cnf" --server mysql:8.0.36 --set server.var.sync_binlog=0)" \
    "0; --set"
printf 'server.var.innodb_max_dirty_pages_pct = 75\nserver.var.innodb_io_capacity = 300\n' >"$work/plain"
tap_is "a plain percentage" "$(fact server.var.innodb_max_dirty_pages_pct --facts "$work/plain" --server mysql:8.0 | cut -d';' -f1)" 75
tap_is "a plain rate" "$(fact server.var.innodb_io_capacity --facts "$work/plain" --server mysql:8.0 | cut -d';' -f1)" 300
printf 'server.flavour = mariadb\nserver.version = 10.5.9\n' >"$work/version"
tap_is "the version may stand in a document" \
    "$(fact server.var.sync_binlog --facts "$work/version" --options "$work/my.cnf" | cut -d';' -f1)" 3
printf 'data.fs.type = xfs\n' >"$work/volume"
tap_is "a volume of a document is this server's" \
    "$("$NVADVISE" check --no-site --format json --facts "$work/volume" --server mysql:8.0.36 2>/dev/null |
        jq -r '.findings[] | select(.rule == "fs-type-unfit") | .verdict')" pass

# Two files: the later wins.
printf '[mysqld]\nsync_binlog = 1\n' >"$work/first.cnf"
printf '[mysqld]\nsync-binlog = 2\n' >"$work/second.cnf"
tap_is "two files" "$(fact server.var.sync_binlog --options "$work/first.cnf" --options "$work/second.cnf" --server mysql:8.0)" \
    "2; option file $work/second.cnf:2"

# A part of a file, without a group.
printf '# pool\ninnodb_buffer_pool_size = 2G\n' >"$work/bare"
tap_is "options outside of any group" "$(fact server.var.innodb_buffer_pool_size --options "$work/bare" --server mysql:8.0)" \
    "2147483648; option file $work/bare:2"
tap_ok "are said to be wrong" grep -q 'outside of any group' "$work/err"
printf '[mysqld\nsync_binlog = 2\n' >"$work/broken"
"$NVADVISE" check --no-site --options "$work/broken" --server mysql:8.0 -v >"$work/out" 2>"$work/err"
tap_is "a file that no server reads on" "$?" 1
tap_ok "is named with its line" grep -q "$work/broken:1" "$work/out"
printf '!includedir %s/nowhere\n[mysqld]\nsync_binlog=1\n' "$work" >"$work/nodir"
"$NVADVISE" check --no-site --options "$work/nodir" --server mariadb:10.11 >"$work/out" 2>"$work/err"
tap_is "nor one whose directory is missing" "$?" 1

# What is included is read as `options` reads it: no pipe is waited for, nothing is taken from where we stand.
mkfifo "$work/pipe"
mkdir "$work/odd.d"
printf '[mysqld]\nsync_binlog=9\n' >"$work/odd.d/a.cnf"
printf '[mysqld]\nnosuch_one=1\n' >"$work/beside.cnf"
printf '[mysqld]\n!include %s/pipe\n!include /dev/zero\n!include beside.cnf\n!includedir %s/odd.d # why\n' \
    "$work" "$work" >"$work/odd.cnf"
(cd "$work" && timeout 60 "$NVADVISE" check --no-site --options odd.cnf --server mysql:9.7 --format json) \
    >"$work/out" 2>"$work/err"
tap_is "pipes and devices that are included" "$?" 3
tap_is "a comment behind a directive" "$(jq '[.findings[] | select(.rule == "cfg-unknown") | .verdict]' \
    -c "$work/out")" '["pass"]'
timeout 60 "$NVADVISE" check --no-site --options "$work/odd.cnf" --server mariadb:10.11 >"$work/out" 2>"$work/err"
tap_is "which is a directory that is missing to others" "$?" 1

# Nonsense.
for word in foo:1 mysql mysql: mysql:x mysql:10.11 mariadb:8.0 percona:5 mysql:8.0.36x :8.0; do
    "$NVADVISE" check --server "$word" >"$work/out" 2>"$work/err"
    tap_is "'$word' is refused" "$?" 2
    tap_ok "'$word': with what there is" grep -q 'mysql, percona or mariadb' "$work/err"
done
"$NVADVISE" check --options "$work/my.cnf" >"$work/out" 2>"$work/err"
tap_is "options without a version" "$?" 2
"$NVADVISE" check --options "$work/none.cnf" --server mysql:8.0 >"$work/out" 2>"$work/err"
tap_is "a file that is not there" "$?" 2
"$NVADVISE" check --options "$work/my.cnf" --server mysql:8.0 --socket /tmp/x >"$work/out" 2>"$work/err"
tap_is "a server of this machine beside it" "$?" 2

# Nothing else of this machine is looked at.
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null; then
    ASAN_OPTIONS=detect_leaks=0 strace -f -e trace=open,openat,openat2,connect,execve,readlink \
        -o "$work/trace" "$NVADVISE" check --no-site --options "$work/my.cnf" --server mysql:8.0.36 >/dev/null 2>&1
    tap_is "nothing of this machine is read" \
        "$(grep -v -e ENOENT -e "$work" -e '/lib/' -e '/lib64/' -e ld.so -e execve -e /proc/self \
            -e locale -e '+++' -e /dev/null -e O_PATH -e localtime "$work/trace")" ""
else
    tap_skip "nothing of this machine is read" "strace is not here, or may not trace"
fi
tap_end
