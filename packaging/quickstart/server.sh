# A private MariaDB for a host where no server runs: temporary folder, unix socket, defaults, a
# small InnoDB load, and nothing left behind. Sourced by ../../quickstart; expects $sudo and die.
#
# Its pid-file's name marks it as a scratch server: nvadvise judges it when it is named, and never
# takes it for a server of this host.

# server_runs: does a database server run here that is not such a private one?
server_runs()
{
    for sr in /proc/[0-9]*; do
        case $(cat "$sr/comm" 2>/dev/null) in
        mysqld | mariadbd) ;;
        *) continue ;;
        esac
        # A zombie has no command line.
        sr_line=$(tr '\0' ' ' <"$sr/cmdline" 2>/dev/null) || continue
        case $sr_line in
        '' | */nvadvise-scratch.pid\ *) continue ;;
        esac
        return 0
    done
    return 1
}

# private_end: runs at every exit; the server first, its folder after it.
private_end()
{
    pe_rc=$?
    trap - EXIT
    if [ -n "$private_pid" ]; then
        kill "$private_pid" 2>/dev/null
        wait "$private_pid" 2>/dev/null
    fi
    [ -z "$private_dir" ] || rm -rf "$private_dir"
    exit "$pe_rc"
}

# as_server COMMAND...: not as root: mysql where there is such a user, else nobody. The server ends
# with this shell, however that ends.
as_server()
{
    if [ "$(id -u)" = 0 ]; then
        as_user=nobody
        ! id mysql >/dev/null 2>&1 || as_user=mysql
        exec setpriv --reuid="$as_user" --regid="$(id -g "$as_user")" --clear-groups \
            --pdeathsig TERM -- "$@"
    fi
    exec setpriv --pdeathsig TERM -- "$@"
}

# private_sql: reads statements.
private_sql()
{
    $sudo mariadb --no-defaults --socket="$private_dir/server.sock" --batch "$@"
}

# A table of some megabytes, written, changed and partly deleted, so that the redo log, the buffer
# pool and purge have something to tell.
private_load()
{
    private_sql <<'SQL'
CREATE DATABASE quickstart;
USE quickstart;
CREATE TABLE orders (id INT PRIMARY KEY, customer INT NOT NULL, note VARCHAR(200) NOT NULL,
  KEY (customer)) ENGINE=InnoDB;
INSERT INTO orders SELECT seq, seq * 7919 % 5000, REPEAT(CHAR(97 + seq % 26), 120)
  FROM seq_1_to_40000;
UPDATE orders SET customer = (customer + 1) % 5000 WHERE id % 3 = 0;
DELETE FROM orders WHERE id % 10 = 0;
SELECT COUNT(*), SUM(LENGTH(note)) FROM orders WHERE customer < 2500;
SQL
}

# private_begin: sets $private_dir and $private_pid.
private_begin()
{
    private_dir='' private_pid=''
    trap private_end EXIT
    trap 'exit 129' HUP
    trap 'exit 130' INT
    trap 'exit 143' TERM
    # /tmp may lie in memory; /var/tmp is a disk.
    private_dir=$(mktemp -d "${TMPDIR:-/var/tmp}/nvadvise.XXXXXX") || die "no temporary folder"
    chmod 711 "$private_dir"
    mkdir -m 700 "$private_dir/data"
    private_root=root
    if [ "$(id -u)" = 0 ]; then
        as_owner=nobody
        ! id mysql >/dev/null 2>&1 || as_owner=mysql
        chown "$as_owner:$(id -g "$as_owner")" "$private_dir" "$private_dir/data"
    elif [ -z "$sudo" ]; then
        private_root=$(id -un)
    fi
    (as_server mariadb-install-db --no-defaults --datadir="$private_dir/data" --skip-test-db \
        --auth-root-authentication-method=socket --auth-root-socket-user="$private_root") \
        >"$private_dir/install.log" 2>&1 </dev/null ||
        die "mariadb-install-db failed: $(tail -n 20 "$private_dir/install.log")"
    (as_server /usr/sbin/mariadbd --no-defaults --datadir="$private_dir/data" \
        --socket="$private_dir/server.sock" --pid-file="$private_dir/nvadvise-scratch.pid" \
        --log-error="$private_dir/error.log" --skip-networking) >/dev/null 2>&1 </dev/null &
    private_pid=$!
    private_tries=0
    until private_sql --execute='DO 1' >/dev/null 2>&1; do
        private_tries=$((private_tries + 1))
        if [ $private_tries -gt 600 ] || ! kill -0 "$private_pid" 2>/dev/null; then
            die "the private server did not start: $(tail -n 20 "$private_dir/error.log")"
        fi
        sleep 0.2
    done
    private_load >/dev/null || die "the private server refused the load"
}
