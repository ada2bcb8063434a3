# Makes the captures of tests/cases in the guest, whose disks, names and processes are nobody's. Run by
# tests/cases/renew, which gives the folder "add": mysql/ (an unpacked root), data/ (its data directory).
# Functions are called through tap_ok.
# shellcheck disable=SC2317
# shellcheck source=tests/lib/tap.sh
. /ro/guest/tap.sh
# shellcheck source=tests/vm/guest/lib.sh
. /ro/guest/lib.sh
# shellcheck source=tests/vm/guest/server.sh
. /ro/guest/server.sh

whole=$(controller_of WHOLE)
limited=$(controller_of LIMITED)
mkdir /out/captures

# take NAME OPTIONS: under emulation a probe takes its time.
take()
{
    ta_name=$1
    shift
    /ro/nvadvise check --no-state --timeout 60 --no-redact --capture "/out/captures/$ta_name" "$@" || true
}

# Root's own account without the socket: nobody knows its password.
lock_root()
{
    guest_sql "ALTER USER root@localhost IDENTIFIED BY 'nobody knows'"
}

mysql_start()
{
    mkdir -p /add /m/mysql /m/mysql/data
    mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,ro,cache=loose add /add
    cp -a /add/data/. /m/mysql/data
    chown -R "$guest_user:$guest_user" /m/mysql
    mount --bind /m/mysql /add/mysql/data
    mount -t proc proc /add/mysql/proc
    mount --rbind /dev /add/mysql/dev
    mount -t tmpfs -o mode=1777 tmpfs /add/mysql/tmp
    chroot --userspec="$guest_user:$guest_user" /add/mysql /usr/sbin/mysqld --no-defaults \
        --datadir=/data/data --socket=/data/mysqld.sock --pid-file=/data/mysqld.pid \
        --log-error=/data/error.log --skip-networking --mysqlx=OFF </dev/null >/dev/null 2>&1 &
    wait_for 240 mariadb --no-defaults --socket=/m/mysql/mysqld.sock --user=root -e 'DO 1'
}

tap_ok "no server" take no-server
tap_ok "xfs on the whole controller" guest_mount "/dev/${whole}n1"
tap_ok "MariaDB starts on its defaults" guest_server_start
tap_ok "MariaDB on its defaults" take mariadb-default
tap_ok "nobody can log in" lock_root
tap_ok "a server without login" take no-login
tap_ok "MariaDB stops" guest_server_stop
tap_ok "MySQL starts on its defaults" mysql_start
tap_ok "MySQL on its defaults" take mysql-default
mysql_pid=$(cat /m/mysql/mysqld.pid)
tap_ok "MySQL stops" sh -c "kill $mysql_pid"
wait_for 120 ended "$mysql_pid"
# A sick drive with one queue, a server that was set up for speed at any price.
tap_ok "ext4 on the limited controller" sh -c "mke2fs -q -t ext4 /dev/${limited}n1 &&
    mkdir -p /n && mount /dev/${limited}n1 /n && cp -a /m/conf.d /m/my.cnf /m/run /n &&
    cp -a /srv/mariadb /n/data && mount --move /n /m"
tap_ok "reliability degraded" qmp qom-set '{"path": "/machine/peripheral/limited",
    "property": "smart_critical_warning", "value": 4}'
tap_ok "swap" sh -c "busybox mkswap /dev/${whole}n2 && busybox swapon /dev/${whole}n2"
tap_ok "MariaDB starts" guest_server_start --innodb-doublewrite=0 \
    --innodb-flush-log-at-trx-commit=2 --innodb-buffer-pool-size=7800M
tap_ok "a host with many faults" take many-faults
guest_server_stop
tap_end
