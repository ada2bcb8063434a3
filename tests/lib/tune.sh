# Servers whose option files are root's, as on a host, for tests of `tune`. Sourced by POSIX sh after
# nvadvise.sh, and after nv_begin.
#
#   tune_server KIND NAME      a server with $ETC/my.cnf and $ETC/conf.d/, started
#   tune_start NAME [OPT..]    start it again       tune_restart NAME [OPT..]
#   tune_rules DIR             rules that ask for two settings and nothing else: one needs a restart
#   tune_snapshot              names, types, modes, owners, times and contents in $CONF
#   tune_stopped NAME CODE TEXT    the last run ended so, said why, and $CONF is as in $before
#   tune_bad_rules             three kinds of bad rule: nothing is installed
#   nt_said                    what the last run said, as one line
#   nt ARGS...                 nvadvise tune with $RULES on the server of the last tune_server
#
# A server of another root is run in a mount namespace of its own, and so is the program then: by its copy and
# the libraries that it was linked with here.

tune_tree()
{
    ETC=$SERVERS_TMP/etc-$1 CONF=$SERVERS_TMP/etc-$1/conf.d
    mkdir -p "$CONF"
    sed "s|^!includedir .*|!includedir $CONF/|" "$SERVERS_TMP/$1/my.cnf" >"$ETC/my.cnf"
}

# tune_run ROOT DIR COMMAND...: as kind_run, and $ETC and the program's folder are seen too.
tune_run()
{
    if [ -z "$1" ]; then
        kind_run "$@"
    fi
    tr_root=$1 tr_dir=$2
    shift 2
    # shellcheck disable=SC2016
    exec unshare -m -- sh -eu -c '
        root=$1 dir=$2 etc=$3 nv=$4 uid=$5
        shift 5
        mount --bind "$root" "$root"
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        for empty in tmp var/tmp var/cache; do
            mount -t tmpfs -o mode=1777 tmpfs "$root/$empty"
        done
        for seen in "$dir" "$etc" "$nv"; do
            mkdir -p "$root$seen"
            mount --bind "$seen" "$root$seen"
        done
        exec chroot --userspec="$uid:$uid" "$root" "$@"' \
        sh "$tr_root" "$tr_dir" "$ETC" "$NV_DIR" "$ROOTS_UID" "$@"
}

tune_start()
{
    ts_name=$1
    shift
    ts_dir=$(server_dir "$ts_name") ts_kind=$(server_kind "$ts_name")
    ts_root=$(kind_root "$ts_kind") || return 1
    [ "$ts_kind" != mysql ] || set -- --mysqlx=OFF "$@"
    (tune_run "$ts_root" "$ts_dir" "${TUNE_BINARY:-$(kind_program "$ts_kind")}" \
        --defaults-file="$ETC/my.cnf" "$@") >>"$ts_dir/console.log" 2>&1 </dev/null &
    echo $! >"$ts_dir/pid"
    ts_tries=0
    until server_sql "$ts_name" 'DO 1' >/dev/null 2>&1; do
        ts_tries=$((ts_tries + 1))
        if ! kill -0 "$(server_pid "$ts_name")" 2>/dev/null || [ $ts_tries -gt 600 ]; then
            tail -n 5 "$ts_dir/error.log" "$ts_dir/console.log" >&2
            return 1
        fi
        sleep 0.2
    done
}

tune_restart()
{
    server_stop "$1" && tune_start "$@"
}

# The program and its libraries, for a root that has none of them.
tune_wrap()
{
    mkdir -p "$NV_DIR/lib"
    ldd "$NVADVISE" | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' | while read -r tw_lib; do
        case $tw_lib in
        */libc.so.* | */libm.so.* | */ld-linux*) ;;
        *) cp -L "$tw_lib" "$NV_DIR/lib/" ;;
        esac
    done
    mkdir -p "$NV_DIR/lib/plugin"
    cp -L /usr/lib/*/libmariadb3/plugin/*.so "$NV_DIR/lib/plugin/" 2>/dev/null || true
    cat >"$NV_DIR/in-root" <<WRAP
#!/bin/sh
pid=\$(cat '$SERVERS_TMP/$1/pid')
export LD_LIBRARY_PATH='$NV_DIR/lib' MARIADB_PLUGIN_DIR='$NV_DIR/lib/plugin'
exec nsenter --mount="/proc/\$pid/ns/mnt" --root="/proc/\$pid/root" --wd="/proc/\$pid/root" \
    '$NV_DIR/nvadvise' "\$@"
WRAP
    chmod 755 "$NV_DIR/in-root"
    # shellcheck disable=SC2034
    NV=$NV_DIR/in-root
}

tune_server()
{
    tv_name=$2
    server_start "$1" "$2" && server_stop "$2" || return 1
    tune_tree "$2"
    [ -z "$(kind_root "$1")" ] || tune_wrap "$2"
    tune_start "$2"
}

nt()
{
    nv tune --socket "$(server_socket "$tv_name")" --rules "$RULES" "$@"
}

# tune_setting NAME BELOW TARGET DYNAMIC: a rule that fails below BELOW, its setting, its variable.
tune_setting()
{
    tg_id=own-$(echo "$1" | tr '_' '-')
    cat >>"$RULES/rules/own.ini" <<RULE

[$tg_id]
title    = $1 is low
scope    = server
fails    = server.var.$1 < $2
severity = low
why      = A test asks for it.
sets     = $1
advice   = raise
risk     = none
undo     = remove the line
source   = a test
RULE
    cat >>"$RULES/settings.ini" <<SETTING

[$1]
kind     = count
meaning  = a setting of the test
owners   = $tg_id
target   = $3
SETTING
    if grep -q "^\[$1\]$" "$RULES"/catalogue/*.ini; then
        return 0
    fi
    cat >>"$RULES/catalogue/own.ini" <<VARIABLE

[$1]
kind            = count
mysql.default   = 1
mysql.range     = 0 4294967295
mysql.dynamic   = $4
mysql.source    = my97, mysrc
mariadb.default = 1
mariadb.range   = 0 4294967295
mariadb.dynamic = $4
mariadb.source  = ma1011, ma118
scratch         = copy
VARIABLE
}

# What the last run said, as one line.
nt_said()
{
    cat "$NV_OUT" "$NV_ERR" | tr -s '\n ' ' '
}

tune_rules()
{
    RULES=$1
    mkdir -p "$RULES"
    cp -r rules/rules rules/catalogue rules/*.ini "$RULES/"
    # What the others ask of a server depends on this machine and on what else runs on it.
    for tr_file in "$RULES"/rules/*.ini; do
        awk '/^\[/ { server = 0; seen = 0 }
            /^[^ ]/ && open { print "           )"; open = 0 }
            /^$/ && open { print "           )"; open = 0 }
            /^scope *= server$/ { server = 1 }
            server && /^applies *=/ {
                sub(/^applies *= */, "applies  = server.var.net_retry_count < 0 \\&\\& (")
                open = 1
                seen = 1
            }
            server && !seen && /^fails/ { print "applies  = server.var.net_retry_count < 0" }
            { print }' "$tr_file" >"$RULES/new"
        mv "$RULES/new" "$tr_file"
    done
    echo "# Rules of a test." >"$RULES/rules/own.ini"
    echo "# Variables of a test." >"$RULES/catalogue/own.ini"
    tune_setting net_retry_count 20 30 yes
    tune_setting ft_query_expansion_limit 50 60 no
}

tune_snapshot()
{
    (
        cd "$CONF" && find . -mindepth 1 -printf '%P %y %m %U:%G %T@\n' | LC_ALL=C sort
        find . -type f -exec sha256sum {} + | LC_ALL=C sort
    )
}

tune_stopped()
{
    nv_ended "$1: exit code" "$2"
    tap_has "$1: says why" "$(nt_said)" "$3"
    # shellcheck disable=SC2154
    tap_is "$1: the directory is untouched" "$(tune_snapshot)" "$before"
}

# A copy of the rules, to be spoilt.
tune_worse()
{
    cp -r "$NV_DIR/rules" "$NV_DIR/bad"
    RULES=$NV_DIR/bad
}

tune_bad()
{
    nt --write
    tune_stopped "$1" 1 "$2"
    tap_is "$1: no journal is left" "$(find "$NV_DIR/state" -name '*.json' -o -name '*.former')" ""
    rm -rf "$RULES"
    RULES=$NV_DIR/rules
}

# tune_enum NAME VALUE WORDS DEFAULT: a setting of the wrong word, which the catalogue of the test allows.
tune_enum()
{
    tune_setting "$1" 1 "$2" no
    sed -i "/^\[$1\]/,\$ {
        s/^kind .*/kind = enum\nvalues = $3/
        s/^\([a-z]*\).default .*/\1.default = $4/
        /^[a-z]*.range /d
    }" "$RULES/catalogue/own.ini"
    sed -i "/^\[$1\]/,\$ s/^kind .*/kind = enum/" "$RULES/settings.ini"
    sed -i "s/server.var.$1 < 1/server.var.net_retry_count < 20/" "$RULES/rules/own.ini"
}

tune_bad_rules()
{
    tune_worse
    sed -i 's/^target   = 60/target   = 5000/' "$RULES/settings.ini"
    tune_bad "out of range" "ft_query_expansion_limit"
    tune_worse
    tune_setting no_such_variable_at_all 1 2 no
    sed -i 's/server.var.no_such_variable_at_all < 1/server.var.net_retry_count < 20/' \
        "$RULES/rules/own.ini"
    tune_bad "unknown variable" "no_such_variable_at_all"
    tune_worse
    tune_enum concurrent_insert SOMETIMES NEVER,AUTO,ALWAYS,SOMETIMES AUTO
    tune_bad "wrong enum" "concurrent_insert"
}
