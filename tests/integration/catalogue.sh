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
        IF(read_only = 'YES', 'no', 'yes'), IFNULL(numeric_block_size, ''),
        IFNULL(enum_value_list, '')
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

# ---- names: what the binary itself says, without a server ----

# The binary of a kind, as the servers' user.
binary()
{
    bn_kind=$1
    shift
    (kind_run "$(kind_root "$bn_kind")" "$SERVERS_TMP" "$(kind_program "$bn_kind")" "$@")
}

# Every name in the help text: the options, and the table of values after them. What MariaDB shows
# there and no option file may set is what a binary says of itself.
help_names()
{
    binary "$1" --no-defaults --verbose --help 2>/dev/null | awk '
        /^-------/ { table = 1; next }
        table && /^$/ { exit }
        table { print $1; next }
        match($0, /^  (-., )?--[A-Za-z0-9_-]+/) {
            name = substr($0, RSTART, RLENGTH)
            sub(/^.*--/, "", name)
            if (name != "") print name
        }' | tr 'A-Z-' 'a-z_' | grep -vE '^(large_files_support|lower_case_file_system|protocol_version|'\
'server_uid|system_time_zone|wsrep_patch_version|wsrep_$|'\
'version_(comment|compile_machine|compile_os|malloc_library|source_revision|ssl_library)$)' |
        LC_ALL=C sort -u
}

# Which names of a list the binary calls unknown; an unknown name with loose_ is only a warning.
unknown_names()
{
    {
        echo '[mysqld]'
        sed 's/.*/loose_&=1/' "$2"
    } >"$SERVERS_TMP/loose.cnf"
    chmod 644 "$SERVERS_TMP/loose.cnf"
    set -- "$1" --defaults-file="$SERVERS_TMP/loose.cnf"
    case $1 in
    mysql) set -- "$@" --validate-config --log-error-verbosity=3 ;;
    *) set -- "$@" --verbose --help ;;
    esac
    binary "$@" 2>&1 >/dev/null |
        sed -n "s/.*unknown variable 'loose_\([A-Za-z0-9_]*\)=1'.*/\1/p" | LC_ALL=C sort -u
}

# Both ways: nothing in the help is unknown to the lists; and what the help does not show is taken or
# refused by the binary as the lists say. MariaDB takes names that are cut short: those are left out.
names_agree()
{
    na_kind=$1 na_dir=$SERVERS_TMP
    help_names "$na_kind" >"$na_dir/help"
    tap_is "$na_kind: the help shows no name that is not listed" \
        "$("$check" unlisted "$2" "$3" <"$na_dir/help" | tr '\n' ' ')" ""
    "$check" listed "$2" "$3" | awk -v help="$na_dir/help" '
        BEGIN { while ((getline name < help) > 0) shown[name] = 1 }
        function cut_short(name, of) {
            sub(/^skip_/, "", name)
            for (of in shown) if (index(of, name) == 1) return 1
            return 0
        }
        { name = tolower($1) }
        !(name in shown) && $2 != "unknown" && !cut_short(name) { print $1, $2 }
        (name in shown) && $2 == "refused" { print $1, "shown" }' >"$na_dir/hidden"
    cut -d' ' -f1 "$na_dir/hidden" >"$na_dir/ask"
    tap_is "$na_kind: what the binary does not know is what the lists say" \
        "$(unknown_names "$na_kind" "$na_dir/ask" | tr '\n' ' ')" \
        "$(awk '$2 == "refused" { print $1 }' "$na_dir/hidden" | LC_ALL=C sort -u | tr '\n' ' ')"
    tap_is "$na_kind: enough names were asked for" "$([ "$(wc -l <"$na_dir/ask")" -gt 60 ] &&
        [ "$(wc -l <"$na_dir/help")" -gt 600 ] && echo yes)" yes
}

# The words of MySQL's enums in the order of their numbers: set by number, shown by name.
words_by_number()
{
    # loaded-dynamically wants the plugin of the commercial edition
    "$check" words mysql "$1" | grep -v '^thread_handling ' >"$SERVERS_TMP/words"
    for wn_i in 0 1 2 3 4 5 6; do
        awk -v i=$wn_i 'BEGIN { print "[mysqld]" } NF > i + 1 { print $1 "=" i }' \
            "$SERVERS_TMP/words" >"$SERVERS_TMP/number.cnf"
        chmod 644 "$SERVERS_TMP/number.cnf"
        binary mysql --defaults-file="$SERVERS_TMP/number.cnf" --verbose --help 2>/dev/null |
            awk -v i=$wn_i -v words="$SERVERS_TMP/words" '
                BEGIN { while ((getline line < words) > 0) { n = split(line, w, " ")
                    if (n > i + 1) want[w[1]] = w[i + 2] } }
                { name = $1; gsub(/-/, "_", name) }
                (name in want) && NF == 2 && $2 ~ /^[A-Za-z]/ {
                    if (tolower($2) != tolower(want[name])) print name, i, "is", $2
                    delete want[name]
                }
                END { for (name in want) print name, i, "was not shown" }'
    done
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
    # an option that is no variable is there too
    help_names "$kind" >>"$SERVERS_TMP/told"
    differs=$("$check" "$flavour" "$version" <"$SERVERS_TMP/told" 2>&1)
    tap_is "$kind $version and the catalogue agree" "$differs" ""
    tap_ok "$kind ends cleanly" server_stop "$kind"
    names_agree "$kind" "$flavour" "$version"
    [ "$kind" != mysql ] || tap_is "words of enums have their numbers" "$(words_by_number "$version")" ""
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
