#!/bin/sh
# storage.md and storage.sh of check --out: the script runs, says one sentence and changes nothing, whatever
# the host's names are; both hold the same steps, in an order in which they can be carried out.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

program=${NVADVISE:-build/dev/advisor/cli/nvadvise}
[ -x "$program" ] || tap_skip_all "no program in \$NVADVISE: build it first"
command -v jq >/dev/null || tap_skip_all "jq is not installed"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
HOME=$work
export HOME
unset COLUMNS TERM

# A host with a fault of every effect.
cat >"$work/host.facts" <<'FACTS'
host.swap.total = 4GiB
host.vm.swappiness = 60
host.numa.nodes = 2
host.numa.zone_reclaim_mode = 1
host.clocksource = hpet
host.clocksource_tsc_available = true
server.cgroup.path = /system.slice/mariadb.service
server.write_share = 40%
server.data.table_count = 20000
data.role = data
data.path = /srv/db/data
data.mountpoint = /srv/db
data.source = /dev/mapper/vg-db
data.fs.type = xfs
data.fs.atime = relatime
data.xfs.logbsize = 32KiB
data.fstab_options = defaults,nobarrier,relatime
data.fs.fstab_nobarrier = true
data.redundant = false
server.is_replica = false
data.healthy = true
FACTS

# check_host DIR FACTS...: what --out writes for the documents.
check_host()
{
    ch_dir=$1
    shift
    for ch_file; do
        shift
        set -- "$@" --facts "$ch_file"
    done
    "$program" check "$@" --no-state --no-site --out "$ch_dir" >"$ch_dir.txt" 2>"$ch_dir.err"
    case $? in 0 | 1 | 3) return 0 ;; esac
    tap_fail "check --out $ch_dir" "$(cat "$ch_dir.err")"
}

# commands DIR: the commands of the document, in their order.
commands()
{
    sed -n 's/^       //p' "$1/storage.md"
}

check_host "$work/plain" "$work/host.facts"
md=$work/plain/storage.md
sh=$work/plain/storage.sh

tap_is "parts of the document" "$(sed -n 's/^## //p' "$md" | grep -v '^Could')" "1. Look first
2. Lines in files
3. Online
4. With a remount
5. With the server stopped or restarted
6. With a reboot
7. What destroys data
Why"
tap_is "the script has the same parts" "$(sed -n 's/^# ==== \(.*\) ====$/\1/p' "$sh")" \
    "$(sed -n 's/^## \([0-9].*\)/\1/p' "$md")"
tap_is "steps are numbered through" "$(sed -n 's/^\*\*Step \([0-9]*\)\*\*.*/\1/p' "$md")" \
    "$(seq "$(grep -c '^\*\*Step' "$md")")"
tap_is "the script has the same steps" "$(sed -n 's/^# -- step \([0-9]*\) .*/\1/p' "$sh")" \
    "$(sed -n 's/^\*\*Step \([0-9]*\)\*\*.*/\1/p' "$md")"
tap_is "one line of /etc/fstab for three findings" "$(grep -c '^       /dev/mapper/vg-db ' "$md")" 1
tap_has "it holds all their options" "$(cat "$md")" \
    "       /dev/mapper/vg-db /srv/db xfs logbsize=256k,noatime 0 0"
# A server in a folder of a filesystem that is bound elsewhere: the line that changes is the filesystem's.
printf '%s\n' 'data.fstab_source = "UUID=0a-1b"' 'data.fstab_mountpoint = "/srv/all"' \
    'data.fstab_numbers = "0 2"' >"$work/row.facts"
check_host "$work/row" "$work/host.facts" "$work/row.facts"
tap_has "the line of a bind mount's filesystem" "$(cat "$work/row/storage.md")" \
    "       UUID=0a-1b /srv/all xfs logbsize=256k,noatime 0 2"
tap_has "its place is named" "$(cat "$work/row/storage.sh")" "# the line of /srv/all becomes:"
tap_has "lines of one file stand together" "$(cat "$sh")" \
    "# printf '%s\\n' vm.zone_reclaim_mode=0 vm.swappiness=1 >> /etc/sysctl.d/90-nvadvise.conf"
tap_has "the unit is the server's own" "$(commands "$work/plain")" "systemctl stop mariadb.service"
tap_is "the server is stopped before its filesystem is unmounted or its files are copied, and started last" \
    "$(commands "$work/plain" | grep -e '^systemctl' -e '^umount' -e '^rsync')" \
    "systemctl stop mariadb.service
umount /srv/db && mount /srv/db
systemctl start mariadb.service
systemctl stop mariadb.service
rsync -aHAX --numeric-ids /srv/db/data/ /NEW/PATH/
systemctl start mariadb.service"
tap_has "what destroys data says so" "$(cat "$sh")" "(online; DESTROYS DATA: everything on the two disks"

# running DIR: commands of the document that copy or unmount under a server that runs.
running()
{
    commands "$1" | awk '/^systemctl stop / { stopped = 1 } /^systemctl start / { stopped = 0 }
        /^(rsync|umount|cp -a|mv) / && !stopped'
}

# with FACT...: the host with these lines, in $work/with.
with()
{
    printf '%s\n' "$@" >"$work/with.facts"
    rm -rf "$work/with"
    check_host "$work/with" "$work/host.facts" "$work/with.facts"
}

with 'data.fs.type = overlay' 'data.ephemeral = true' 'data.leaf_devices = {sda}'
tap_has "an unfit filesystem: its files are copied" "$(commands "$work/with")" "rsync -aHAX"
tap_is "an unfit filesystem: with the server stopped" "$(running "$work/with")" ""
with 'data.fs.type = zfs' 'data.bench.raw_ratio = 20%' 'data.stack.discard = true' 'data.zfs.autotrim = false' \
    'data.zfs.trim_age = 90d' 'data.zfs.pool = tank' 'data.zfs.slog = true' 'data.zfs.slog_mirrored = false' \
    'data.zfs.slog_plp = true' 'data.zfs.slog_shares_leaf = false'
tap_is "ZFS: copied with the server stopped" "$(running "$work/with")" ""
tap_has "ZFS: trims its pool" "$(commands "$work/with")" "zpool trim tank"
tap_not "ZFS: nothing for other filesystems" grep -q '^       .*fstrim' "$work/with/storage.md"
tap_has "ZFS: a good log gets a mirror" "$(commands "$work/with")" "zpool attach tank LOG_DEVICE NEW_DEVICE"
tap_not "ZFS: and is not removed before" grep -q 'zpool remove tank LOG' "$work/with/storage.md"
with 'data.zfs.slog = true' 'data.fs.type = zfs' 'data.zfs.slog_shares_leaf = true' 'data.zfs.pool = tank'
tap_has "ZFS: a useless log is removed" "$(commands "$work/with")" "zpool remove tank LOG_DEVICE"
tap_not "ZFS: and not mirrored" grep -q 'zpool attach' "$work/with/storage.md"
with 'data.mountpoint = /' 'data.source = /dev/sda2'
tap_is "the root filesystem is not unmounted, but there is a reboot" \
    "$(commands "$work/with" | grep -e '^umount' -e reboot)" "systemctl reboot"
with 'data.stack.kinds = {crypt}' 'data.stack.crypt_no_workqueue = false' 'host.kernel.version = 6.1' \
    'data.stack.discard = true' 'data.layers = {0 xfs fs at=/srv/db, 1 cdata crypt dm=dm-0, 2 sda disk}'
tap_is "dm-crypt: what it passes on goes on" "$(commands "$work/with" | grep '^cryptsetup')" \
    "cryptsetup refresh --allow-discards --perf-no_read_workqueue --perf-no_write_workqueue --persistent cdata"
with 'data.stack.kinds = {lvm-thin}'
tap_not "a thin pool: no snapshot to remove" grep -q '^       lvremove' "$work/with/storage.md"
tap_is "the script is not made to be run as it is" "$(find "$sh" -perm /111)" ""

# quiet DIR: run its script; what it says and does.
quiet()
{
    q_before=$(cd "$work" && find . ! -name 'said*' | sort)
    (cd "$work" && env -i PATH="$PATH" sh "$1/storage.sh") >"$work/said" 2>"$work/said.err" </dev/null
    tap_is "$2: the script exits with 0" "$?" 0
    tap_is "$2: it says one sentence" "$(wc -l <"$work/said")" 1
    tap_has "$2: that nothing was done" "$(cat "$work/said")" "nothing is done"
    tap_is "$2: nothing on stderr" "$(cat "$work/said.err")" ""
    tap_is "$2: it changed nothing" "$(cd "$work" && find . ! -name 'said*' | sort)" "$q_before"
    tap_is "$2: every line but two is a comment" "$(grep -vc -e '^#' -e '^$' "$1/storage.sh")" 2
}

quiet "$work/plain" "a host"

# Names that nobody would choose: each tries to end a line, a comment, a quote, and to be a command.
nl='
'
cr=$(printf '\r')
evil="/srv/it's \"$nl touch $work/hit$nl\$(touch $work/hit)\`touch $work/hit\`;touch $work/hit #$cr touch $work/hit"
"$program" facts --facts "$work/host.facts" --facts "$work/row.facts" --format json --no-site \
    >"$work/host.json"
jq --arg evil "$evil" '.facts |= map(if (.name | IN("volume.path", "volume.mountpoint", "volume.source",
    "volume.fstab_options", "volume.fstab_source", "volume.fstab_mountpoint",
    "volume.fstab_numbers", "server.cgroup.path")) and .state == "known" then .value = $evil else . end)' \
    "$work/host.json" >"$work/evil.json"
tap_ok "the names were put in" test "$(grep -c 'touch' "$work/evil.json")" -ge 4
check_host "$work/evil" "$work/evil.json"
tap_has "the commands hold them" "$(cat "$work/evil/storage.sh")" "umount"
quiet "$work/evil" "hostile names"

# Commands that are taken into use still take such a name for a name, in shells with $'…' and without.
for shell in sh bash; do
    command -v "$shell" >/dev/null || continue
    commands "$work/evil" | sed -n 's/^findmnt -T /printf "%s" /p; s/^umount \(.*\) && mount .*/printf "%s" \1/p' \
        >"$work/words"
    tap_ok "$shell: there are commands with names" test -s "$work/words"
    (cd "$work" && env -i PATH="$PATH" "$shell" "$work/words") >/dev/null 2>&1 </dev/null
    tap_ok "$shell: a name is no command" test ! -e "$work/hit"
done
tap_end
