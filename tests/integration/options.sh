#!/bin/sh
# What servers read: the example cases, made-up trees against the servers' own --print-defaults, what values come
# out against --help, groups against --help, and running servers with secrets in every place.
set -u
cd "$NVADVISE_SOURCE" || exit 1
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
tool=$1
servers_begin
nv_begin

# version_of KIND: "10.11.19"
version_of()
{
    kind_version "$1" | sed 's/^[0-9]*://; s/[-+~].*//'
}

flavour_of()
{
    case $1 in
    mysql) echo mysql ;;
    *) echo mariadb ;;
    esac
}

# facts NAME: a value of the facts document in $NV_OUT
fact()
{
    nv_get ".facts[] | select(.name == \"$1\") | .value"
}

# ---- the example cases, each in a folder of its own ----

# The words of server.option.lines as options: no file, no group, %XX undone.
words()
{
    nv_get '.facts[] | select(.name == "server.option.lines") | .value[]
        | sub("^[^:]*:[0-9]+:\\[[^\\]]*\\]"; "--") | gsub("%25"; "%")'
}

for expect in tests/cases/optfile/*.expect.json; do
    name=$(basename "$expect" .expect.json)
    cp -r "tests/cases/optfile/$name" "$SERVERS_TMP/$name"
    find "$SERVERS_TMP/$name" -type f -exec sed -i "s|@DIR@|$SERVERS_TMP/$name|g" {} +
    nv options "$SERVERS_TMP/$name/my.cnf" --server mariadb:10.11.19 --no-site
    tap_is "$name: the options in their order" "$(words)" "$(jq -r '.options_in_order[]' "$expect")"
    # log_bin is a switch to us; --help tells the file's name.
    tap_is "$name: the values that come out" "$(jq -r --slurpfile e "$expect" '
        def same: tostring | ascii_downcase | if . == "on" or . == "1" then "true"
            elif . == "off" or . == "0" then "false" else . end;
        (.facts | map({key: .name, value: .value}) | from_entries) as $f
        | $e[0].effective | to_entries[] | select(.value != "HOSTNAME-bin")
        | select((.value | same) != ($f["server.var." + .key] | same))
        | "\(.key): \($f["server.var." + .key]), not \(.value)"' "$NV_OUT")" ""
    tap_is "$name: whether it starts" "$(fact server.option.fatal)" \
        "$(jq -r '.server_starts | not' "$expect")"
done
nv_schema "an option file's facts are a facts document" facts-1 "$NV_OUT"

# ---- fatal files are told, not failed on ----

fatal="$SERVERS_TMP/fatal.cnf"
printf '[mysqld]\nport=1\n[open\n' >"$fatal"
nv options "$fatal" --server mysql:8.0.36 --no-site
nv_ended "a fatal file is told" 0
tap_is "a fatal file is told as such" "$(fact server.option.fatal)" true
tap_has "a fatal file: where" "$(fact server.option.fatal_reason)" "fatal.cnf:3"
printf '\357\273\277[mysqld]\nport=1\n' >"$fatal"
nv options "$fatal" --server mysql:8.0.36 --no-site
tap_has "a byte order mark" "$(fact server.option.fatal_reason)" "byte order mark"
nv options "$SERVERS_TMP/none.cnf" --server mysql:8.0.36 --no-site
tap_has "a file that is not there" "$(fact server.option.fatal_reason)" "none.cnf"
nv options "$fatal" --no-site
tap_is "whose file it is is not said" "$(nv_get '.facts[]
    | select(.name == "server.option.lines") | .state')" absent
nv options "$fatal" --no-site --from x
nv_ended "a file and a capture do not go together" 2
nv options "$fatal" --no-site --server mysql:nine
nv_ended "no such version" 2

# ---- made-up trees: what the servers themselves print ----

# theirs KIND DIR WORD...: on standard output; exit code 1 when the server would not start.
theirs()
{
    th_kind=$1 th_dir=$2
    shift 2
    (kind_run "$(kind_root "$th_kind")" "$th_dir" "$(kind_program "$th_kind")" "$@") \
        2>/dev/null | tail -n +2
}

# The first line of --print-defaults names the program; a server that stops prints none.
trees()
{
    tr_kind=$1 tr_bad=""
    tr_version=$(version_of "$tr_kind")
    for tr_seed in $(seq "$2"); do
        tr_dir=$(mktemp -d "$SERVERS_TMP/tree.XXXXXX")
        chmod 755 "$tr_dir"
        "$tool" make "$tr_dir" "$tr_seed"
        find "$tr_dir" -type f -perm 0600 -exec chmod 644 {} +
        case $((tr_seed % 3)) in
        0) set -- --defaults-file="$tr_dir/main" --defaults-group-suffix=_x ;;
        1) set -- --defaults-file="$tr_dir/main" ;;
        2) set -- --defaults-file="$tr_dir/main" --print-defaults --port=1 --a=b ;;
        esac
        case $* in
        *--print*) ;;
        *) set -- "$@" --print-defaults ;;
        esac
        HOME=$tr_dir/home
        export HOME
        theirs "$tr_kind" "$tr_dir" "$@" >"$SERVERS_TMP/theirs" || true
        "$tool" read "$(flavour_of "$tr_kind")" "$tr_version" "$@" >"$SERVERS_TMP/ours" \
            2>"$SERVERS_TMP/why" || true
        if ! cmp -s "$SERVERS_TMP/theirs" "$SERVERS_TMP/ours"; then
            tr_bad="$tr_bad $tr_seed"
            head -c 600 "$SERVERS_TMP/theirs" "$SERVERS_TMP/ours" "$SERVERS_TMP/why" >&2
        fi
        rm -rf "$tr_dir"
    done
    HOME=$NV_DIR
    tap_is "$tr_kind: made-up trees are read as it reads them" "$tr_bad" ""
}

trees mysql 40
trees mariadb-next 40

# ---- groups, as --help tells them ----

for kind in mariadb mariadb-next mysql; do
    mkdir -p "$SERVERS_TMP/groups"
    MYSQL_GROUP_SUFFIX=_s
    export MYSQL_GROUP_SUFFIX
    got=$( (kind_run "$(kind_root $kind)" "$SERVERS_TMP/groups" "$(kind_program $kind)" \
        --verbose --help) 2>/dev/null | sed -n 's/^The following groups are read: //p')
    unset MYSQL_GROUP_SUFFIX
    : >"$SERVERS_TMP/empty.cnf"
    nv options "$SERVERS_TMP/empty.cnf" --server "$(flavour_of $kind):$(version_of $kind)" --no-site
    want=$(fact server.option.groups | jq -r '. | join(" ")')
    # Builds with NDB read one group more.
    tap_is "$kind: groups" "$(echo "$got" | sed 's/mysql_cluster[^ ]* //g')" \
        "$want $(echo "$want" | sed 's/[^ ]*/&_s/g')"
done

# ---- values: of trees with real options, against what the server itself makes of them ----

# value_tree DIR SEED SERIES UPPER: my.cnf with a folder, several groups, every option often and in several
# spellings, upper case among them where the server takes it (MySQL does not).
value_tree()
{
    mkdir -p "$1/conf.d"
    awk -v seed="$2" -v dir="$1" '
        function pick(n) { return int(rand() * n) }
        function line(file,   v, n, name) {
            split(options[pick(count) + 1], v, " ")
            name = v[1]
            if (pick(3) == 0) gsub(/_/, "-", name)
            if (pick(6) == 0 && upper) name = toupper(substr(name, 1, 1)) substr(name, 2)
            n = pick(length(v) - 1) + 2
            if (v[n] == "NONE") print name >file
            else if (v[n] == "SKIP") print "skip-" name >file
            else printf pick(2) ? "%s=%s\n" : "  %s = %s  # x\r\n", name, v[n] >file
        }
        BEGIN {
            srand(seed)
            count = split("innodb_io_capacity 200 400 1K 300;innodb_buffer_pool_size 256M 1G 268435456;" \
                "max_connections 100 300 1000;innodb_flush_log_at_trx_commit 0 1 2;sync_binlog 0 1 7;" \
                "innodb_flush_neighbors 0 1 2;tmp_table_size 32M 64m 65536k;table_open_cache 100 2000;" \
                "innodb_file_per_table ON off 1 0 NONE SKIP;innodb_log_buffer_size 16M 32M;" \
                "innodb_lru_scan_depth 256 1024;join_buffer_size 128 1M 0;sort_buffer_size 64K 2M;" \
                "innodb_max_dirty_pages_pct 50 90 75.5;innodb_adaptive_flushing NONE 0 SKIP ON", options, ";")
            groups = split("mysqld server mariadb mysqld-" version " client mysqld_safe mysqld-5.1", group, " ")
            files = split("a.cnf 10-b.cnf 9-c.cnf .h.cnf d.conf", file, " ")
            for (f = 0; f <= files; f++) {
                path = f == 0 ? dir "/my.cnf" : dir "/conf.d/" file[f]
                print "[mysqld]" >path
                for (i = 0; i < 12; i++) {
                    if (pick(4) == 0) print "[" group[pick(groups) + 1] "]" >path
                    if (f == 0 && i == 6) print "!includedir " dir "/conf.d\n[mysqld]" >path
                    line(path)
                }
                close(path)
            }
        }' version="$3" upper="$4" </dev/null
}

# values KIND SEEDS
values()
{
    va_kind=$1 va_bad="" va_n=0
    va_version=$(version_of "$va_kind")
    for va_seed in $(seq "$2"); do
        va_dir=$(mktemp -d "$SERVERS_TMP/values.XXXXXX")
        value_tree "$va_dir" "$va_seed" "${va_version%.*}" "$([ "$va_kind" = mysql ]; echo $?)"
        chmod -R a+rX "$va_dir"
        (kind_run "$(kind_root "$va_kind")" "$va_dir" "$(kind_program "$va_kind")" \
            --defaults-file="$va_dir/my.cnf" --verbose --help) 2>/dev/null |
            sed -n '/^-----/,$p' | awk 'NF == 2 { gsub(/-/, "_", $1); print $1, $2 }' >"$SERVERS_TMP/theirs"
        nv options "$va_dir/my.cnf" --server "$(flavour_of "$va_kind"):$va_version" --no-site
        for va_name in innodb_io_capacity innodb_buffer_pool_size max_connections \
            innodb_flush_log_at_trx_commit sync_binlog innodb_flush_neighbors tmp_table_size \
            table_open_cache innodb_file_per_table innodb_log_buffer_size innodb_lru_scan_depth \
            join_buffer_size sort_buffer_size innodb_max_dirty_pages_pct innodb_adaptive_flushing; do
            va_theirs=$(sed -n "s/^$va_name //p" "$SERVERS_TMP/theirs" | tr TRUEFALS truefals)
            va_ours=$(fact "server.var.$va_name")
            [ -n "$va_theirs" ] || continue
            # What no line sets may be worked out at start.
            if [ "$va_ours" = null ] && ! fact server.option.lines |
                grep -qi "\]$(echo "$va_name" | sed 's/_/[-_]/g')[=\"]"; then
                continue
            fi
            va_n=$((va_n + 1))
            awk -v a="$va_theirs" -v b="$va_ours" 'BEGIN { exit !(a == b || (a + 0 == b + 0 && a + 0 != 0)) }' ||
                va_bad="$va_bad $va_seed:$va_name($va_theirs, not $va_ours)"
        done
        rm -rf "$va_dir"
    done
    tap_is "$va_kind: values are what the server makes of them" "$va_bad" ""
    tap_ok "$va_kind: values were compared" test "$va_n" -gt "$2"
}

values mariadb 20
values mysql 5

# ---- running servers: secrets in every place, and what cannot be seen ----

# plant NAME: files behind the server's own.
plant()
{
    pl_dir=$(server_dir "$1")/conf.d
    cat >"$pl_dir/50-a.cnf" <<'CNF'
# the password is hush
[mysqld]
innodb_io_capacity = 300 # hush
loose-wsrep_sst_auth = me:hush
loose-wsrep_provider_options = "gcache.size=1G; socket.ssl_password=hush"
loose_report_pass="hu\
sh and hush"
[client]
password="hush
 and hush"
[mysqldump]
quick # hush
CNF
    printf '[mysqld]\ninnodb_io_capacity=700\nloose_init_connect=SELECT hush\n' >"$pl_dir/60-b.cnf"
    printf '[mysqld]\nx=1\n' >"$pl_dir/70-c.conf"
    printf '[mysqld]\nport=1\n' >"$pl_dir/80-d.cnf"
    chmod 600 "$pl_dir/80-d.cnf"
    mkfifo "$pl_dir/90-e.conf"
}

# Everything that a capture holds, replies decoded.
capture_text()
{
    zcat "$1" | jq -r 'tostring, (.bytes // "" | @base64d)' 2>/dev/null
}

for kind in mariadb mysql; do
    MYSQL_PWD=hush MYSQL_HOME=/nonexistent
    export MYSQL_PWD MYSQL_HOME
    # A client of the tests would take it, too.
    unset MYSQL_PWD
    server_start $kind $kind --report-password=hush --port=7 || exit 1
    unset MYSQL_HOME
    plant $kind
    nv options --socket "$(server_socket $kind)" --no-state --no-site --format json
    nv_ended "$kind: options of a running server" 0
    cp "$NV_OUT" "$NV_DIR/live.json"
    tap_is "$kind: who is read" "$(nv_get '.facts[] | select(.name == "server.option.files")
        | .value[] | sub(" /.*/"; " ")')" "read 0644 0 my.cnf
read 0644 0 50-a.cnf
read 0644 0 60-b.cnf
misnamed - - 70-c.conf
denied - - 80-d.cnf
misnamed - - 90-e.conf"
    tap_is "$kind: lines of io capacity" "$(nv_get '.facts[]
        | select(.name == "server.option.lines") | .value[]
        | select(test("innodb_io")) | sub(".*/"; "")')" "50-a.cnf:3:[mysqld]innodb_io_capacity=300
60-b.cnf:2:[mysqld]innodb_io_capacity=700"
    tap_is "$kind: the command line is last" "$(nv_get '.facts[]
        | select(.name == "server.option.lines") | .value[-2:] | join(" ")')" \
        "(command line):$((kind_args = $([ $kind = mysql ] && echo 3 || echo 2))):[]report-password=*** \
(command line):$((kind_args + 1)):[]port=7"
    tap_is "$kind: its environment" "$(fact server.process.environment | jq -r '.[]' |
        grep MYSQL_HOME)" "MYSQL_HOME=/nonexistent"
    tap_is "$kind: no secret in the facts" "$(grep -c hush "$NV_OUT")" 0
    nv options --socket "$(server_socket $kind)" --no-state --no-site -v
    tap_is "$kind: no secret on the terminal" "$(grep -c hush "$NV_OUT" "$NV_ERR" | tr '\n' ' ')" \
        "$NV_OUT:0 $NV_ERR:0 "
    tap_has "$kind: who loses" "$(tr -s ' \n' '  ' <"$NV_OUT")" "60-b.cnf:2 wins: innodb_io_capacity = 700"
    nv capture --socket "$(server_socket $kind)" --no-state --no-site --no-redact "$NV_DIR/capture"
    tap_is "$kind: no secret in a capture" "$(capture_text "$NV_DIR/capture" | grep -c hush)" 0
    tap_ok "$kind: option files in a capture" sh -c "zcat '$NV_DIR/capture' | grep -q 50-a.cnf"
    nv options --from "$NV_DIR/capture" --no-state --no-site --format json
    tap_ok "$kind: the same from a capture" cmp "$NV_DIR/live.json" "$NV_OUT"
    nv_as_nobody options --socket "$(server_socket $kind)" --no-state --no-site --format json
    # Whether its process can be seen at all is for the machine to say, and the answer must fit to that.
    case $(nv_get '.facts[] | select(.name == "server.process.arguments") | .state') in
    known | "not permitted") told="not permitted" ;;
    *) told=absent ;;
    esac
    tap_has "$kind: another user is told" "$(nv_get '.facts[]
        | select(.name == "server.option.lines") | .state + " " + .remedy')" "$told Run as root"
    nv_sound "$kind: no sanitizer spoke"
done

server_sql mysql "SET PERSIST max_connections = 77; SET PERSIST init_connect = 'SELECT \"hush\"'"
nv options --socket "$(server_socket mysql)" --no-state --no-site --format json
tap_is "SET PERSIST comes last" "$(nv_get '.facts[] | select(.name == "server.option.lines")
    | .value[-2:][] | sub(".*/"; "")' | sort)" 'mysqld-auto.cnf:0:[(persisted)]init_connect=***
mysqld-auto.cnf:0:[(persisted)]max_connections=77'
server_stop mysql
server_stop mariadb

# A server that root started read its files as root.
rm -f "$(server_dir mariadb)"/conf.d/[569]*
chown -R nobody "$(server_dir mariadb)"
chown root "$(server_dir mariadb)/conf.d/80-d.cnf"
(exec /usr/sbin/mariadbd --defaults-file="$(server_dir mariadb)/my.cnf" --user=nobody) \
    >>"$(server_dir mariadb)/console.log" 2>&1 </dev/null &
echo $! >"$(server_dir mariadb)/pid"
tries=0
until server_sql mariadb 'DO 1' >/dev/null 2>&1 || [ $tries -gt 300 ]; do
    tries=$((tries + 1))
    sleep 0.2
done
nv options --socket "$(server_socket mariadb)" --no-state --no-site --format json
tap_has "started as root: what only root may read is unknown" "$(nv_get '.facts[]
    | select(.name == "server.option.lines") | .reason')" "80-d.cnf' is closed to the server's user"
rm -f "$(server_dir mariadb)"/conf.d/8*-d.cnf
nv options --socket "$(server_socket mariadb)" --no-state --no-site --format json
tap_is "started as root: all is seen" "$(nv_get '.facts[]
    | select(.name == "server.option.lines") | .state')" known
server_stop mariadb

tap_end
