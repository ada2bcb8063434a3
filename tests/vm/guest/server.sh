# A MariaDB in the guest, on a filesystem of its own. Sourced by POSIX sh after lib.sh.
#
#   guest_mount DEVICE         xfs on DEVICE, mounted at /m, with a fresh data directory
#   guest_server_start [OPT..] its option file reads /m/conf.d last
#   guest_server_stop
#   guest_sql SQL

guest_user=$(id -u mysql)

guest_mount()
{
    mkdir -p /m
    mkfs.xfs -q -f "$1" && mount -o noatime "$1" /m || return 1
    mkdir /m/conf.d
    cp -a /srv/mariadb /m/data
    mkdir -p /m/run
    chown "$guest_user:$guest_user" /m/run
    guest_config /m/data
}

# guest_config DATADIR: the option file of a server whose own files lie at /m.
guest_config()
{
    cat >/m/my.cnf <<CNF
[client]
socket=/m/run/server.sock
[mysqld]
datadir=$1
socket=/m/run/server.sock
pid-file=/m/run/server.pid
log-error=/m/run/error.log
skip-networking
!includedir /m/conf.d/
CNF
}

guest_sql()
{
    mariadb --no-defaults --socket=/m/run/server.sock --user=root --batch --skip-column-names \
        --execute="$1"
}

guest_server_start()
{
    # As a unit would let it: by itself the guest allows 4,096 files.
    # shellcheck disable=SC3045
    ulimit -n 65535
    setpriv --reuid="$guest_user" --regid="$guest_user" --clear-groups -- \
        /usr/sbin/mariadbd --defaults-file=/m/my.cnf "$@" >/dev/null 2>&1 </dev/null &
    wait_for 180 guest_sql 'DO 1' || {
        tail -n 5 /m/run/error.log
        return 1
    }
}

# ended PID: gone, or a zombie that process 1 has not fetched.
ended()
{
    case $(sed -n 's/^State:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null) in
    Z* | '') return 0 ;;
    esac
    return 1
}

guest_server_stop()
{
    guest_pid=$(cat /m/run/server.pid)
    kill "$guest_pid" && wait_for 120 ended "$guest_pid"
}
