#!/bin/sh
# The variable catalogue against the servers themselves: which names they have, their defaults, ranges,
# and whether SET GLOBAL works. Knows the catalogue only through catalogue_check.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/roots.sh
. tests/lib/roots.sh
# shellcheck source=tests/lib/servers.sh
. tests/lib/servers.sh

reason=$(servers_missing)
[ -z "$reason" ] || tap_skip_all "$reason"
check=$1
servers_begin

# A session variable has no global value of its own; those are none of ours. What MariaDB calls the
# largest number stands for a default that it works out, and what it reports as default of a variable
# that an option file set is still the compiled one.
told_by_mariadb()
{
    server_sql "$1" "SELECT LOWER(variable_name), IFNULL(default_value, ''),
        IFNULL(numeric_min_value, ''), IFNULL(numeric_max_value, ''),
        IF(read_only = 'YES', 'no', 'yes')
        FROM information_schema.SYSTEM_VARIABLES WHERE variable_scope <> 'SESSION ONLY'"
}

# MySQL tells no default, but nothing was set: the value in force is one. Whether a variable can be set
# is tried with the value that it has.
told_by_mysql()
{
    "$check" names | while read -r name; do
        value=$(server_sql "$1" "SELECT @@GLOBAL.$name" 2>/dev/null) || continue
        dynamic=yes
        case $(server_sql "$1" "SET GLOBAL $name = @@GLOBAL.$name" 2>&1) in
        *'ERROR 1238'*) dynamic=no ;;
        esac
        printf '%s\t%s\t%s\n' "$name" "$value" "$dynamic"
    done >"$SERVERS_TMP/tried"
    server_sql "$1" "SELECT variable_name, data_type, min_value, max_value
        FROM performance_schema.variables_metadata" |
        awk -F '\t' -v tried="$SERVERS_TMP/tried" '
            BEGIN {
                while ((getline line < tried) > 0) {
                    split(line, part, "\t")
                    value[part[1]] = part[2]; dynamic[part[1]] = part[3]
                }
            }
            {
                shown = value[$1]
                if ($2 == "Boolean" && shown != "") shown = shown == "1" ? "ON" : "OFF"
                if ($2 != "Integer") { $3 = ""; $4 = "" }
                printf "%s\t%s\t%s\t%s\t%s\n", $1, shown, $3, $4, dynamic[$1]
            }'
}

# The same option in the wrong server's file: the catalogue names its line, the server does not start.
printf '# a drop-in\n\n[mysqld]\ninnodb_flush_neighbors = 0\ninnodb_log_file_size = 1G\n' \
    >"$SERVERS_TMP/for-mariadb.cnf"
printf '# a drop-in\n[mysqld]\ninnodb-redo-log-capacity = 1G\n' >"$SERVERS_TMP/for-mysql.cnf"

for kind in mariadb mariadb-next mysql; do
    tap_ok "$kind starts" server_start "$kind" "$kind"
    version=$(server_version "$kind")
    if [ "$kind" = mysql ]; then
        flavour=mysql
        told_by_mysql "$kind" >"$SERVERS_TMP/told"
    else
        flavour=mariadb
        told_by_mariadb "$kind" >"$SERVERS_TMP/told"
    fi
    differs=$("$check" "$flavour" "$version" <"$SERVERS_TMP/told" 2>&1)
    tap_is "$kind $version and the catalogue agree" "$differs" ""
    tap_ok "$kind ends cleanly" server_stop "$kind"
    wrong=$SERVERS_TMP/for-mysql.cnf line=3
    [ "$kind" != mysql ] || wrong=$SERVERS_TMP/for-mariadb.cnf line=5
    named=$("$check" "$flavour" "$version" "$wrong")
    tap_has "$kind: the catalogue names the line" "$named" "$wrong:$line: innodb"
    server_dropin_install "$kind" "$wrong"
    tap_not "$kind does not start with it" server_start "$kind" "$kind"
    right=$SERVERS_TMP/for-mariadb.cnf
    [ "$kind" != mysql ] || right=$SERVERS_TMP/for-mysql.cnf
    tap_is "$kind: nothing is wrong with its own" "$("$check" "$flavour" "$version" "$right")" ""
done
tap_end
