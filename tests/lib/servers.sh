# Private database servers for tests, each on a unix socket in a temporary folder, no network.
# Sourced by POSIX sh after tap.sh and roots.sh. Needs root; knows nothing of nvadvise.
#
#   servers_begin                  make the temporary folder; everything goes at exit, also on a signal
#   server_start KIND NAME [OPT..] start a server and wait until it answers; NAME is the test's own
#   server_restart NAME [OPT..]    stop it, start it with these options instead
#   server_stop NAME               clean stop          server_kill NAME   SIGKILL
#   server_sql NAME SQL            run statements as root, tab-separated without headings
#   server_socket, server_pid, server_dir, server_version NAME     print one thing
#   server_dropin_install NAME FILE    as conf.d/zz-nvadvise.cnf of that server
#   servers_room                   before servers_begin: keep files in memory where there is room
#   server_many_tables NAME N      a database "many" with N tables that hold rows
#   server_statements NAME CMD..   runs CMD; prints how many statements the server was sent meanwhile
#   server_accepts KIND FILE       what the binary itself says of an option file; exit 0 = accepts
#   server_beside KIND DIR PROG..  run a program of this host as root where the servers of that kind are
#                                  installed: it finds their binary at its usual path, and DIR where it is
#
# KIND: mariadb (the host's own mariadb-server-core), mariadb-next (trixie's), mysql (sid's). The
# last two run from an unpacked root in a mount namespace of their own; comm, cwd and mountinfo are
# then those of a server in a container, and all its paths are what they are outside.
#
# Layout of server_dir: data/ conf.d/ my.cnf error.log server.sock pid.

# Thousands of tables are thousands of synced files: seconds in memory, minutes on a busy disk.
servers_room()
{
    if [ "$(df -k --output=avail /dev/shm 2>/dev/null | tail -n 1)" -gt 4194304 ]; then
        NVADVISE_TEST_TMP=/dev/shm
    fi
}

servers_begin()
{
    # Not /tmp: some suites mount it as tmpfs, and a datadir there would be another test.
    SERVERS_TMP=$(mktemp -d "${NVADVISE_TEST_TMP:-/var/tmp}/nvt.XXXXXX")
    chmod 711 "$SERVERS_TMP"
    trap servers_end EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
}

servers_end()
{
    servers_rc=$?
    trap - EXIT
    for servers_one in "$SERVERS_TMP"/*/pid; do
        if [ -s "$servers_one" ]; then
            kill -9 "$(cat "$servers_one")" 2>/dev/null
        fi
    done
    rm -rf "$SERVERS_TMP"
    exit "$servers_rc"
}

server_dir()
{
    printf '%s/%s\n' "$SERVERS_TMP" "$1"
}

server_socket()
{
    printf '%s/%s/server.sock\n' "$SERVERS_TMP" "$1"
}

server_pid()
{
    cat "$SERVERS_TMP/$1/pid"
}

# server_kind NAME
server_kind()
{
    cat "$SERVERS_TMP/$1/kind"
}

# kind_root KIND: the unpacked root, nothing for the host's own.
kind_root()
{
    case $1 in
    mariadb) ;;
    mariadb-next)
        roots_get mariadb-trixie trixie "mariadb-server-core,mariadb-client-core,base-files,\
dash,coreutils,sed,grep,mawk,hostname"
        ;;
    mysql) roots_get mysql-sid sid mysql-server-core,base-files ;;
    *)
        echo "servers: unknown kind '$1'" >&2
        return 1
        ;;
    esac
}

kind_program()
{
    case $1 in
    mysql) echo /usr/sbin/mysqld ;;
    *) echo /usr/sbin/mariadbd ;;
    esac
}

# kind_run ROOT DIR COMMAND...: replaces this process by the command, as the servers' user; where
# there is a root, in it, and DIR at the same path.
kind_run()
{
    kr_root=$1 kr_dir=$2
    shift 2
    if [ -z "$kr_root" ]; then
        exec setpriv --reuid="$ROOTS_UID" --regid="$ROOTS_UID" --clear-groups -- "$@"
    fi
    # The mounts are seen by this server alone and end with it.
    # shellcheck disable=SC2016
    exec unshare -m -- sh -eu -c '
        root=$1 dir=$2 uid=$3
        shift 3
        mount --bind "$root" "$root"
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        for empty in tmp var/tmp var/cache; do
            mount -t tmpfs -o mode=1777 tmpfs "$root/$empty"
        done
        mkdir -p "$root$dir"
        mount --bind "$dir" "$root$dir"
        exec chroot --userspec="$uid:$uid" "$root" "$@"' \
        sh "$kr_root" "$kr_dir" "$ROOTS_UID" "$@"
}

# server_beside KIND DIR PROGRAM ARGUMENT...: a program of this host keeps its own loader and libraries,
# below /host; everything else is the root's. The mounts are seen by it alone and end with it.
server_beside()
{
    sb_root=$(kind_root "$1") || return 1
    sb_dir=$2
    shift 2
    if [ -z "$sb_root" ]; then
        "$@"
        return
    fi
    # shellcheck disable=SC2016
    unshare -m -- sh -eu -c '
        root=$1 dir=$2 loader=$3
        shift 3
        mount --bind "$root" "$root"
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev"
        mkdir -p "$root/sys" "$root/host"
        mount --rbind /sys "$root/sys"
        mount --rbind / "$root/host"
        for empty in tmp var/tmp var/cache; do
            mount -t tmpfs -o mode=1777 tmpfs "$root/$empty"
        done
        mkdir -p "$root$dir"
        mount --bind "$dir" "$root$dir"
        program=$(realpath "$1")
        shift
        libs=$(ldd "$program" | sed -n "s|.*=> \(/[^ ]*\)/[^/]* .*|/host\1|p" | sort -u | paste -sd:)
        exec chroot "$root" "/host$loader" --library-path "$libs" "/host$program" "$@"' \
        sh "$sb_root" "$sb_dir" "$(server_loader)" "$@"
}

# The loader of this host's programs; its link may be absolute.
server_loader()
{
    realpath "$(ldd /bin/sh | sed -n 's|^[[:space:]]*\(/[^ ]*ld[^ ]*\) .*|\1|p')"
}

# kind_version KIND: package version, which is also the key of the initialised data directory.
kind_version()
{
    case $1 in
    mariadb) dpkg-query -W -f '${Version}' mariadb-server-core ;;
    mariadb-next) roots_version "$(kind_root "$1")" mariadb-server-core ;;
    mysql) roots_version "$(kind_root "$1")" mysql-server-core ;;
    esac
}

# kind_datadir KIND: a data directory fresh from the server's own initialisation, made once per
# version and copied by each test. root logs in through the socket (MariaDB) or without a password
# (MySQL).
kind_datadir()
{
    kd_root=$(kind_root "$1") || return 1
    kd_version=$(kind_version "$1") || return 1
    kd_key=$(printf '%s\n' "recipe 1 $kd_version" | sha256sum | cut -c1-16)
    kd_path=$(roots_dir)/data-$1-$kd_key
    mkdir -p "$(roots_dir)"
    (
        flock 9
        [ ! -d "$kd_path" ] || exit 0
        kd_new=$kd_path.new.$$
        mkdir -p "$kd_new/data"
        chown -R "$ROOTS_UID:$ROOTS_UID" "$kd_new"
        case $1 in
        mysql)
            set -- /usr/sbin/mysqld --no-defaults --initialize-insecure --datadir="$kd_new/data"
            ;;
        *)
            set -- mariadb-install-db --no-defaults --datadir="$kd_new/data" --skip-test-db \
                \
                --auth-root-authentication-method=socket --auth-root-socket-user=root
            ;;
        esac
        if ! (kind_run "$kd_root" "$kd_new" "$@") >"$kd_new/log" 2>&1; then
            echo "servers: initialising failed: $(tail -n 5 "$kd_new/log")" >&2
            rm -rf "$kd_new"
            exit 1
        fi
        mv "$kd_new" "$kd_path"
    ) 9>"$(roots_dir)/.data-$1.lock" || return 1
    printf '%s\n' "$kd_path/data"
}

# What a test needs when servers cannot run: the reason, else nothing.
servers_missing()
{
    if [ "$(id -u)" != 0 ]; then
        echo "needs root"
    elif ! command -v mariadb >/dev/null || [ ! -x /usr/sbin/mariadbd ]; then
        echo "mariadb-server-core or mariadb-client-core is not installed"
    elif ! command -v mmdebstrap >/dev/null; then
        echo "mmdebstrap is not installed"
    fi
}

# The option file of a test server: only what it cannot run without, so that everything else keeps
# the server's own default. The drop-in folder is read last.
server_write_cnf()
{
    cat >"$1/my.cnf" <<CNF
[client]
socket=$1/server.sock
[mysqld]
datadir=$1/data
socket=$1/server.sock
pid-file=$1/server.pid
log-error=$1/error.log
skip-networking
!includedir $1/conf.d/
CNF
}

server_start()
{
    ss_kind=$1 ss_name=$2
    shift 2
    ss_dir=$SERVERS_TMP/$ss_name
    ss_root=$(kind_root "$ss_kind") || return 1
    if [ ! -d "$ss_dir" ]; then
        ss_data=$(kind_datadir "$ss_kind") || return 1
        mkdir "$ss_dir" "$ss_dir/conf.d"
        cp -a --reflink=auto --sparse=auto "$ss_data" "$ss_dir/data"
        server_write_cnf "$ss_dir"
        printf '%s\n' "$ss_kind" >"$ss_dir/kind"
        : >"$ss_dir/error.log"
        chown "$ROOTS_UID:$ROOTS_UID" "$ss_dir" "$ss_dir/error.log"
    fi
    server_launch "$@"
}

# Starts the server of ss_dir and waits for its first answer.
server_launch()
{
    [ "$ss_kind" != mysql ] || set -- --mysqlx=OFF "$@"
    (kind_run "$ss_root" "$ss_dir" "$(kind_program "$ss_kind")" \
        --defaults-file="$ss_dir/my.cnf" "$@") >>"$ss_dir/console.log" 2>&1 </dev/null &
    echo $! >"$ss_dir/pid"
    ss_tries=0
    until mariadb --no-defaults --socket="$ss_dir/server.sock" --user=root \
        --execute='DO 1' >/dev/null 2>&1; do
        ss_tries=$((ss_tries + 1))
        if ! kill -0 "$(cat "$ss_dir/pid")" 2>/dev/null; then
            echo "server '$ss_name' ended: $(tail -n 5 "$ss_dir/error.log" "$ss_dir/console.log")" >&2
            rm -f "$ss_dir/pid"
            return 1
        fi
        if [ $ss_tries -gt 600 ]; then
            echo "server '$ss_name' does not answer after 120 s" >&2
            return 1
        fi
        sleep 0.2
    done
}

# server_wait_end NAME SECONDS
server_wait_end()
{
    sw_pid=$(server_pid "$1")
    sw_tries=$(($2 * 5))
    while kill -0 "$sw_pid" 2>/dev/null; do
        # A child of ours that ended stays a zombie until waited for.
        case $(sed -n 's/^State:[[:space:]]*//p' "/proc/$sw_pid/status" 2>/dev/null) in
        Z*) break ;;
        esac
        sw_tries=$((sw_tries - 1))
        if [ $sw_tries -le 0 ]; then
            echo "server '$1' (pid $sw_pid) does not end" >&2
            return 1
        fi
        sleep 0.2
    done
    wait "$sw_pid" 2>/dev/null || true
    rm -f "$SERVERS_TMP/$1/pid"
}

server_stop()
{
    kill "$(server_pid "$1")" && server_wait_end "$1" 120
}

server_kill()
{
    kill -9 "$(server_pid "$1")" && server_wait_end "$1" 30
}

server_restart()
{
    sr_name=$1
    shift
    server_stop "$sr_name" && server_start "$(server_kind "$sr_name")" "$sr_name" "$@"
}

server_sql()
{
    mariadb --no-defaults --socket="$(server_socket "$1")" --user=root --batch \
        --skip-column-names --execute="$2"
}

server_many_tables()
{
    {
        echo "CREATE DATABASE many; USE many;"
        seq "$2" | sed 's/.*/CREATE TABLE t& (id INT PRIMARY KEY, v INT) ENGINE=InnoDB;\
INSERT INTO t& VALUES (1, 1), (2, 2);/'
    } | mariadb --no-defaults --socket="$(server_socket "$1")" --user=root
}

server_questions()
{
    server_sql "$1" "SHOW GLOBAL STATUS LIKE 'Questions'" | cut -f2
}

# Asking counts too, and the client sends statements of its own: two questions tell how many.
server_statements()
{
    sq_name=$1
    shift
    sq_first=$(server_questions "$sq_name")
    sq_second=$(server_questions "$sq_name")
    "$@" >/dev/null 2>&1 </dev/null || true
    echo $(($(server_questions "$sq_name") - sq_second - (sq_second - sq_first)))
}

server_version()
{
    server_sql "$1" 'SELECT VERSION()'
}

server_dropin_install()
{
    install -m 644 "$2" "$SERVERS_TMP/$1/conf.d/zz-nvadvise.cnf"
}

server_dropin_remove()
{
    rm -f "$SERVERS_TMP/$1/conf.d/zz-nvadvise.cnf"
}

# server_accepts KIND FILE: prints what the binary complains of. An out-of-range number alone makes
# neither server fail, so the text is searched as well as the exit code.
server_accepts()
{
    sa_root=$(kind_root "$1") || return 1
    sa_dir=$(mktemp -d "$SERVERS_TMP/accepts.XXXXXX")
    install -m 644 "$2" "$sa_dir/my.cnf" || return 2
    chown "$ROOTS_UID:$ROOTS_UID" "$sa_dir"
    case $1 in
    mysql) set -- "$1" --validate-config --log-error-verbosity=2 ;;
    *) set -- "$1" --help --verbose ;;
    esac
    sa_kind=$1
    shift
    sa_rc=0
    (kind_run "$sa_root" "$sa_dir" "$(kind_program "$sa_kind")" \
        --defaults-file="$sa_dir/my.cnf" "$@") >"$sa_dir/out" 2>"$sa_dir/err" </dev/null || sa_rc=$?
    if grep -e '\[ERROR\]' -e 'adjusted' -e 'unknown' -e 'MY-00008[01]' "$sa_dir/err"; then
        sa_rc=1
    fi
    rm -rf "$sa_dir"
    return "$sa_rc"
}
