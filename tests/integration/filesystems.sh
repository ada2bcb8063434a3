#!/bin/sh
# Roles of a server on filesystems of every kind, made in odd ways: what nvadvise says of each equals what
# the filesystem's own tool prints, field by field; and the table of filesystems as this server sees it.
set -u
cd "$(dirname "$0")/../.." || exit 1
# What is mounted here is seen by this test and its server alone, and goes with them.
if [ -z "${NV_UNSHARED:-}" ] && [ "$(id -u)" = 0 ]; then
    exec env NV_UNSHARED=1 unshare --mount --propagation private -- \
        sh tests/integration/filesystems.sh
fi
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/roots.sh
. tests/lib/roots.sh
# shellcheck source=tests/lib/servers.sh
. tests/lib/servers.sh
# shellcheck source=tests/lib/nvadvise.sh
. tests/lib/nvadvise.sh

reason=$(nv_missing)
[ -z "$reason" ] || tap_skip_all "$reason"
for tool in mkfs.xfs xfs_info mkfs.btrfs mke2fs dumpe2fs filefrag findmnt; do
    command -v $tool >/dev/null || tap_skip_all "$tool is not installed"
done
servers_begin
nv_begin
places=$SERVERS_TMP/places
mkdir -p "$places/xfs" "$places/my place" "$places/btrfs" "$places/memory"
chmod 711 "$places"
truncate -s 600M "$places/xfs.img"
truncate -s 8G "$places/ext4.img"
truncate -s 300M "$places/btrfs.img"
mkfs.xfs -q -d agcount=6,su=64k,sw=2 "$places/xfs.img" 2>/dev/null || tap_skip_all "mkfs.xfs fails"
mke2fs -q -t ext4 -O bigalloc -C 16384 -m 3 -J size=16 -E nodiscard,lazy_itable_init=1 "$places/ext4.img" \
    2>/dev/null
mkfs.btrfs -q "$places/btrfs.img" >/dev/null
mount -o loop,noatime,logbsize=256k "$places/xfs.img" "$places/xfs" ||
    tap_skip_all "no loop device can be mounted"
mount -o loop,data=journal,nobarrier,init_itable=200 "$places/ext4.img" "$places/my place"
mount -o loop "$places/btrfs.img" "$places/btrfs"
mount -t tmpfs -o size=64M tmpfs "$places/memory"
mkdir "$places/my place/redo" "$places/btrfs/logs"
chown "$ROOTS_UID:$ROOTS_UID" "$places/my place/redo" "$places/btrfs/logs" "$places/memory"
disk=$(findmnt -no SOURCE "$places/my place")
other=$(findmnt -no SOURCE "$places/xfs")
cat >"$SERVERS_TMP/fstab" <<END
# comments hold anything: //nas/x /mnt cifs user=a,password=once
$other $places/elsewhere xfs noatime,nobarrier 0 0
$disk  $places/my\\040place/ ext4   data=journal,errors=remount-ro  0 2
//nas/share /mnt/nas cifs username=alice,password=verysecret,ro 0 0
END
mount --bind "$SERVERS_TMP/fstab" /etc/fstab

server_start mariadb one && server_stop one
data=$(server_dir one)/data
mv "$data" "$places/xfs/moved"
mv "$places/xfs/moved/ib_logfile0" "$places/my place/redo"
ln -s "$places/xfs/moved" "$data"
tap_ok "a server with every role elsewhere starts" server_start mariadb one \
    --innodb-log-group-home-dir="$places/my place/redo" --log-bin="$places/btrfs/logs/binlog" \
    --tmpdir="$places/memory"
socket=$(server_socket one)
nv capture --socket "$socket" "$SERVERS_TMP/capture"
# lazy_threads: of the kernel's threads, those that initialise ext4 in the background.
lazy_threads()
{
    cat /proc/[0-9]*/comm 2>/dev/null | grep -c '^ext4lazyinit$'
}

# The thread ends by itself when its work is done: what was read holds where none ended meanwhile.
for _ in 1 2 3 4 5; do
    thread=$(lazy_threads)
    nv facts --socket "$socket" --format json
    [ "$(lazy_threads)" != "$thread" ] || break
done
nv_ended "facts are read" 0

# of ROLE NAME: a fact of its volume; an unknown as its state.
of()
{
    jq -r --arg s "volume:$socket:$1" --arg n "$2" '.facts[] | select(.subject == $s and .name == $n)
        | if .state != "known" then .state else .value end' "$NV_OUT"
}

# xfs_word SECTION KEY: what xfs_info prints for it.
xfs_word()
{
    xfs_info "$places/xfs" | sed -n "/^$1/,/^[a-z]/p" | tr -s ' ,' '\n' |
        sed -n "s/^$2=//p" | head -n 1
}

# super FIELD: what dumpe2fs prints.
super()
{
    dumpe2fs -h "$disk" 2>/dev/null | sed -n "s/^$1: *//p"
}

block=$(xfs_word data bsize)
tap_is "XFS: allocation groups" "$(of data volume.xfs.agcount)" "$(xfs_word meta-data agcount)"
tap_is "XFS: log" "$(of data volume.xfs.log_bytes)" "$(($(xfs_word log blocks) * block))"
tap_is "XFS: stripe unit" "$(of data volume.xfs.sunit)" "$(($(xfs_word data sunit) * block))"
tap_is "XFS: stripe width" "$(of data volume.xfs.swidth)" "$(($(xfs_word data swidth) * block))"
tap_is "XFS: sector" "$(of data volume.xfs.sector_size)" "$(xfs_word meta-data sectsz)"
tap_is "XFS: reflink" "$(of data volume.xfs.reflink)" \
    "$([ "$(xfs_word meta-data reflink)" = 1 ] && echo true || echo false)"
tap_is "XFS: block" "$(of data volume.fs.block_size)" "$block"
tap_is "XFS: log buffers as mounted" "$(of data volume.xfs.logbsize)" 262144
tap_is "XFS: what fstab asks for is found by the device" "$(of data volume.fstab_options)" \
    noatime,nobarrier
tap_is "XFS: and where it would mount it" "$(of data volume.fstab_mountpoint)" "$places/elsewhere"
tap_is "XFS: and would not mount" "$(of data volume.fs.fstab_nobarrier)" true
tap_is "XFS: direct I/O" "$(of data volume.fs.o_direct)" true

set -- # the three largest data files, as filefrag counts them
for file in $(find "$places/xfs/moved" -name '*.ibd' -printf '%s %p\n' | sort -rn | head -n 3 |
    cut -d' ' -f2); do
    set -- "$@" "$file"
done
extents=$(filefrag "$@" | awk '{ n += $(NF - 2) } END { print n }')
tap_is "extents of the largest data files" "$(of data volume.fs.fragments_per_gib)" "$extents"
tap_is "extents of other roles" "$(of redo volume.fs.fragments_per_gib)" "not supported"

tap_is "ext4: cluster" "$(of redo volume.ext4.cluster_bytes)" "$(super 'Cluster size')"
tap_is "ext4: what is allocated at once" "$(of redo volume.fs.block_size)" "$(super 'Cluster size')"
tap_is "ext4: journal" "$(of redo volume.ext4.journal_bytes)" \
    "$(($(super 'Total journal size' | tr -d Mk) * 1048576))"
tap_is "ext4: journal inside" "$(of redo volume.ext4.external_journal)" false
tap_is "ext4: reserved" \
    "$(of redo volume.ext4.reserved_ratio | awk '{ printf "%.6f", $1 }')" \
    "$(awk -v r="$(super 'Reserved block count')" -v b="$(super 'Block count')" \
        'BEGIN { printf "%.6f", r / b }')"
tap_is "ext4: data mode" "$(of redo volume.ext4.data_mode)" journal
tap_is "ext4: barriers" "$(of redo volume.fs.barrier)" false
tap_is "ext4: no direct I/O beside a data journal" "$(of redo volume.fs.o_direct)" false
tap_is "ext4: errors" "$(of redo volume.ext4.errors)" continue
tap_is "ext4: fstab by mount point" "$(of redo volume.fstab_options)" data=journal,errors=remount-ro
tap_is "ext4: the row's last fields" "$(of redo volume.fstab_numbers)" "0 2"
tap_is "ext4: fstab leaves barriers on" "$(of redo volume.fs.fstab_nobarrier)" false
# One thread serves all ext4 that are mounted: which is at work shows only where there is one.
tap_is "ext4: the thread that initialises it" \
    "$(nv_get '.facts[] | select(.name == "host.fs.ext4_lazyinit").value')" \
    "$([ "$thread" -gt 0 ] && echo true || echo false)"
case $thread,$(grep -Lx ro /proc/fs/ext4/*/options | wc -l) in
0,*) want=false ;;
1,1) want=true ;;
*) want=absent ;;
esac
tap_is "ext4: initialised in the background" "$(of redo volume.fs.lazy_init)" "$want"

tap_is "btrfs: what fstab asks for" "$(of binlog volume.fstab_options)" absent
tap_is "btrfs: barriers in fstab" "$(of binlog volume.fs.fstab_nobarrier)" absent
tap_is "btrfs: a file opens for direct I/O" "$(of binlog volume.fs.o_direct)" true
tap_is "btrfs: not XFS" "$(of binlog volume.xfs.agcount)" "not supported"
tap_is "tmpfs: size" "$(of tmp volume.fs.size_bytes)" 67108864
for role in data redo binlog tmp; do
    tap_is "$role: filesystem" "$(of $role volume.fs.type)" \
        "$(findmnt -no FSTYPE -T "$(of $role volume.path)")"
    tap_is "$role: size" "$(of $role volume.fs.size_bytes)" \
        "$(stat -f -c '%b %S' "$(of $role volume.path)" | awk '{ printf "%.0f", $1 * $2 }')"
done

tap_is "no secret of the table is in the facts" "$(grep -c 'verysecret\|once' "$NV_OUT")" 0
tap_is "nor in the capture" "$(gzip -dc "$SERVERS_TMP/capture" |
    jq -r 'select(.bytes != null).bytes' | base64 -d 2>/dev/null | grep -c 'verysecret')" 0
nv facts --from "$SERVERS_TMP/capture" --format json
nv_ended "the redacted capture is read" 0
tap_is "and says the same of XFS" \
    "$(nv_get '[.facts[] | select(.name == "volume.xfs.agcount" and .state == "known").value][0]')" 6
tap_is "and of the table of filesystems" \
    "$(nv_get '[.facts[] | select(.name == "volume.fs.fstab_nobarrier" and .value == true)] | length')" 1
tap_is "a redacted capture has no word of the table that somebody chose" "$(gzip -dc "$SERVERS_TMP/capture" |
    jq -r 'select(.bytes != null).bytes' | base64 -d 2>/dev/null | grep -c 'nas')" 0

# A limit on the loop device below the redo log, by whichever version of control groups this host has.
number=$(findmnt -no MAJ:MIN "$places/my place" | tr -d ' ')
group=
if [ -e /sys/fs/cgroup/blkio/blkio.throttle.write_bps_device ]; then
    group=/sys/fs/cgroup/blkio/nvt.$$
    mkdir "$group" && echo "$number 104857600" >"$group/blkio.throttle.write_bps_device" &&
        echo "$number 5000" >"$group/blkio.throttle.write_iops_device"
elif mkdir "/sys/fs/cgroup/nvt.$$" 2>/dev/null; then
    group=/sys/fs/cgroup/nvt.$$
    echo "$number wbps=104857600 wiops=5000" 2>/dev/null >"$group/io.max"
fi
if [ -n "$group" ] && grep -qs 104857600 "$group/blkio.throttle.write_bps_device" "$group/io.max"; then
    server_pid one >"$group/cgroup.procs"
    nv facts --socket "$socket" --format json
    tap_is "a limit on bytes written" \
        "$(nv_get '.facts[] | select(.name == "server.cgroup.io_write_limit").value')" 104857600
    tap_is "a limit on writes" \
        "$(nv_get '.facts[] | select(.name == "server.cgroup.io_write_iops_limit").value')" 5000
    tap_is "no limit on reads" \
        "$(nv_get '.facts[] | select(.name == "server.cgroup.io_read_limit").value')" unlimited
else
    tap_skip "limits of control groups" "no control group with limits on disks can be made here"
fi
nv_sound "no sanitizer spoke"

server_stop one
[ -z "$group" ] || rmdir "$group"
umount "$places/xfs" "$places/my place" "$places/btrfs" "$places/memory"
tap_end
