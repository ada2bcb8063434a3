#!/bin/sh
# The Debian package in clean roots of Debian 12 and 13: it installs with what it asks for and nothing else, works
# there, completes and has its manual, and goes without a trace when purged.
set -u
cd "$NVADVISE_SOURCE" || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/roots.sh
. tests/lib/roots.sh

[ "$(id -u)" = 0 ] || tap_skip_all "needs root"
for tool in mmdebstrap dpkg-shlibdeps cpack unshare; do
    command -v "$tool" >/dev/null || tap_skip_all "$tool is not installed"
done
[ -f build/package/CPackConfig.cmake ] || tap_skip_all "no build/package: run ./quickstart deb"
work=$(mktemp -d /var/tmp/nvadvise-package.XXXXXX)
# shellcheck disable=SC2317
finish()
{
    for pid_file in "$work"/*/root/run/mysqld/mysqld.pid; do
        [ ! -f "$pid_file" ] || kill "$(cat "$pid_file")" 2>/dev/null
    done
    umount "$work"/*/root 2>/dev/null
    rm -rf "$work"
}
trap finish EXIT
trap 'exit 1' INT TERM HUP

(cd build/package && cpack -G DEB -B "$work/deb") >"$work/log" 2>&1
deb=$(ls "$work"/deb/*.deb 2>/dev/null)
tap_ok "the package is made: $(tail -n 2 "$work/log" | tr '\n' ' ')" test -f "$deb"
depends=$(dpkg-deb -f "$deb" Depends | sed 's/ *([^)]*)//g; s/ //g')
dpkg-deb -c "$deb" >"$work/list"
for file in usr/bin/nvadvise usr/share/man/man8/nvadvise.8.gz usr/share/man/man5/nvadvise.conf.5.gz \
    usr/share/bash-completion/completions/nvadvise usr/share/doc/nvadvise/copyright; do
    tap_ok "it holds $file" grep -q " ./$file$" "$work/list"
done
tap_not "it holds no configuration that would have to be kept" grep -q ' ./etc/' "$work/list"
if command -v lintian >/dev/null; then
    tap_is "lintian has nothing to say" "$(lintian --allow-root "$deb" 2>/dev/null)" ""
else
    tap_skip "lintian has nothing to say" "lintian is not installed"
fi

# in_root DIR COMMAND...: with its own /proc, without network. Its processes are those of this host: nvadvise
# wants to see who else holds memory.
in_root()
{
    ir_root=$1
    shift
    # shellcheck disable=SC2016
    unshare --mount --net sh -c 'mount -t proc proc "$1/proc" && mount --rbind /sys "$1/sys" &&
        mount --rbind /dev "$1/dev" && root=$1 && shift && exec chroot "$root" "$@"' sh "$ir_root" "$@"
}

# snapshot ROOT: names, types, sizes, owners, modes and links of all files but logs and caches that any dpkg
# run touches.
snapshot()
{
    (cd "$1" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./sys -o -path ./var/log -o -path ./tmp -o \
        -path ./var/lib/dpkg -o -path ./var/cache/debconf -o -path ./run \) -prune -o \
        -printf '%p %y %s %U:%G %m %l\n' | sed '/ d /s/ [0-9]* \([0-9]*:\)/ \1/' | LC_ALL=C sort)
}

# A server of that release in its own root, as its own user would run it.
try_server()
{
    # shellcheck disable=SC2016
    in_root "$1" sh -c '
        install -d -o mysql -g mysql /run/mysqld /data
        mariadb-install-db --no-defaults --user=mysql --datadir=/data --skip-test-db \
            --force >/dev/null 2>&1
        mariadbd --no-defaults --user=mysql --datadir=/data --socket=/run/mysqld/mysqld.sock \
            --pid-file=/run/mysqld/mysqld.pid --skip-networking --innodb-buffer-pool-size=32M \
            >/tmp/server.log 2>&1 &
        for i in $(seq 120); do [ -S /run/mysqld/mysqld.sock ] && break; sleep 1; done
        HOME=/root nvadvise check --socket /run/mysqld/mysqld.sock >/tmp/report 2>&1
        echo $? >/tmp/rc
        kill "$(cat /run/mysqld/mysqld.pid)"
        wait' >"$work/server" 2>&1
    tap_ok "$2: check on a server there: exit code $(cat "$1/tmp/rc" 2>&1)" \
        grep -qx '[013]' "$1/tmp/rc"
    tap_has "$2: it judged that server" "$(cat "$1/tmp/report")" "MariaDB"
    tap_has "$2: with a finding" "$(cat "$1/tmp/report")" "fs-type-unfit on volume:/run/mysqld/mysqld.sock:data"
    rm -rf "$1/data" "$1/run/mysqld"
}

try_suite()
{
    base=$(roots_installed "package-$1" "$1" \
        "$depends,mariadb-server-core,mariadb-client-core,bash-completion") || {
        tap_fail "$1: a root with $depends" "mmdebstrap failed"
        return
    }
    mkdir -p "$work/$1/upper" "$work/$1/work" "$work/$1/root"
    mount -t overlay overlay -o "lowerdir=$base,upperdir=$work/$1/upper,workdir=$work/$1/work" \
        "$work/$1/root" || {
        tap_fail "$1: overlay" "cannot be mounted"
        return
    }
    root=$work/$1/root
    snapshot "$root" >"$work/$1/before"
    cp "$deb" "$root/tmp/nvadvise.deb"
    tap_ok "$1: dpkg installs it, no dependency is missing" in_root "$root" \
        dpkg -i /tmp/nvadvise.deb
    tap_is "$1: its version" "$(in_root "$root" nvadvise --version | head -n 1 | cut -d' ' -f1)" nvadvise
    # shellcheck disable=SC2016
    tap_is "$1: every command has help" "$(in_root "$root" sh -c 'for c in $(nvadvise --help |
        sed -n "/^commands:/,/^\$/s/^  \([a-z-]*\)  .*/\1/p"); do nvadvise $c --help >/dev/null ||
        echo $c; done' 2>&1)" ""
    # shellcheck disable=SC2016
    tap_is "$1: completion is loaded by bash-completion" "$(in_root "$root" bash -c '
        . /usr/share/bash-completion/bash_completion; _completion_loader nvadvise
        COMP_WORDS=(nvadvise exp) COMP_CWORD=1; _nvadvise; echo "${COMPREPLY[@]}"' 2>&1)" explain
    in_root "$root" sh -c 'mkdir -p /var/lib/nvadvise && touch /var/lib/nvadvise/x; nvadvise check \
        >/dev/null 2>&1; mkdir -p /etc/nvadvise/rules.d'
    try_server "$root" "$1"
    tap_ok "$1: purge" in_root "$root" dpkg --purge nvadvise
    rm -f "$root/tmp/nvadvise.deb"
    snapshot "$root" >"$work/$1/after"
    tap_is "$1: nothing is left" "$(diff "$work/$1/before" "$work/$1/after")" ""
    umount "$root"
}

try_suite bookworm
try_suite trixie
tap_end
