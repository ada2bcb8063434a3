#!/bin/sh
# Option lines as nvadvise reads them, held against the servers: every variable of the catalogue in every form
# that servers read differently. Lines that a server takes go into it by the hundred, each variable once a
# round, and its own help says what became of them; of those that stop it, some are tried one by one.
#
#   option_readings.sh PROGRAM KIND FLAVOUR:VERSION [all]      all: each line that stops, not some (slow)
set -u
cd "$NVADVISE_SOURCE" || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/roots.sh
. tests/lib/roots.sh
# shellcheck source=tests/lib/servers.sh
. tests/lib/servers.sh

program=$1 kind=$2 version=$3 every=${4:-some}
missing=$(servers_missing)
[ -z "$missing" ] || tap_skip_all "$missing"
servers_begin
work=$SERVERS_TMP
mkdir "$work/d"
chmod 777 "$work/d"
root=$(kind_root "$kind") || exit 1

# What the server works out anew when it starts, from limits of this machine or from others of its values; and
# one whose smallest values end MariaDB 10.11.19 by signal 11.
apart='log_bin back_log max_connections open_files_limit table_open_cache table_open_cache_instances thread_stack
    table_definition_cache thread_cache_size innodb_dedicated_server expire_logs_days
    binlog_expire_logs_seconds max_session_mem_used container_aware'

# server_says FILE: its complaints in $work/err, its values in $work/values, "name<TAB>value".
server_says()
{
    install -m 644 "$1" "$work/d/my.cnf"
    set -- "$(kind_program "$kind")" "--defaults-file=$work/d/my.cnf" "--datadir=$work/d"
    [ "$kind" != mysql ] || set -- "$@" --log-error-verbosity=2
    (kind_run "$root" "$work/d" "$@" --help --verbose) >"$work/out" 2>"$work/err" </dev/null
    says_rc=$?
    if [ "$kind" = mysql ]; then
        (kind_run "$root" "$work/d" "$@" --validate-config) >"$work/err" 2>&1 </dev/null
        says_rc=$?
    fi
    sed -n '/^-----/,$p' "$work/out" | awk 'NR > 1 { n = $1; gsub("-", "_", n); sub("^[^ ]+ *", "")
        print n "\t" $0 }' >"$work/values"
}

"$program" "$version" --forms >"$work/forms"
"$program" "$version" <"$work/forms" >"$work/ours"

# Rounds: the n-th line of each variable that stops nothing.
awk -F'\t' -v dir="$work" -v apart="$apart" '
    BEGIN { n = split(apart, a, " "); for (i = 1; i <= n; i++) out[a[i]] = 1 }
    { name = $3; sub("[ =].*", "", name); gsub("-", "_", name); sub("^(loose|skip)_", "", name) }
    name in out || $1 == "unsure" { next }
    $1 == "stops" { print $3 >(dir "/stops"); next }
    { r = ++seen[name]; if (r == 1) { } ; file = dir "/round." r
      if (!(r in begun)) { print "[mysqld]" >file; begun[r] = 1 }
      print $3 >file; print name "\t" $0 >(dir "/want." r) }' "$work/ours"

rounds=0
for round in "$work"/round.*; do
    n=${round##*.}
    rounds=$((rounds + 1))
    server_says "$round"
    tap_is "round $n: nothing that we take stops the server" \
        "$(grep '\[ERROR\]' "$work/err" | grep -v -e 'Could not allocate memory for conn' -e ' Aborting')" ""
    # TRUE and ON are one; a number may come with decimals.
    tap_is "round $n: values" "$(awk -F'\t' '
        function plain(v) { v = toupper(v); if (v == "ON") v = "TRUE"; if (v == "OFF") v = "FALSE"; return v }
        function same(a, b) { return plain(a) == plain(b) ||
            (a ~ /^[0-9.]+$/ && b ~ /^[0-9.]+$/ && (a - b) ^ 2 < 1e-12) }
        NR == FNR { value[$1] = $2; next }
        $2 == "in_force" && $3 != "?" && ($1 in value) && !same($3, value[$1]) {
            print $4 ": we say " $3 ", the server " value[$1] }' "$work/values" "$work/want.$n")" ""
done
tap_ok "there were rounds" test "$rounds" -gt 5

tried=0
step=$(($(wc -l <"$work/stops") / 40 + 1))
[ "$every" != all ] || step=1
awk -v step="$step" 'NR % step == 0' "$work/stops" >"$work/some"
while IFS= read -r line; do
    printf '[mysqld]\n%s\n' "$line" >"$work/one"
    server_says "$work/one"
    tried=$((tried + 1))
    if [ "$says_rc" = 0 ] && ! grep -q '\[ERROR\]' "$work/err"; then
        tap_fail "'$line' stops the server" "$(cat "$work/err")"
    fi
done <"$work/some"
tap_ok "lines that stop the server were tried" test "$tried" -gt 20
tap_end
