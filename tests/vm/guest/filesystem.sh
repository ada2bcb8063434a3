# Filesystems and mount options, good and bad, each below a role; and what of the operating system can
# be set wrong in a guest. On partitions 9 to 11, which stack.sh leaves alone.
# shellcheck source=tests/lib/tap.sh
. /ro/guest/tap.sh
# shellcheck source=tests/vm/guest/lib.sh
. /ro/guest/lib.sh
# shellcheck source=tests/vm/guest/server.sh
. /ro/guest/server.sh
# shellcheck source=tests/vm/guest/stacks.sh
. /ro/guest/stacks.sh
# shellcheck source=tests/vm/guest/judge.sh
. /ro/guest/judge.sh
# shellcheck source=tests/vm/guest/compare.sh
. /ro/guest/compare.sh

GUEST_DIR=/tmp/filesystem
mkdir $GUEST_DIR
stacks_disks
[ -b "$(part a 9)" ] || stacks_begin 13
t()
{
    echo "# $(cut -d' ' -f1 /proc/uptime) s: $*"
}

modprobe btrfs
for name in cow:a:b nocow:c:d; do
    devices="$(part "$(echo "$name" | cut -d: -f2)" 9) $(part "$(echo "$name" | cut -d: -f3)" 9)"
    profile=raid1
    [ "${name%%:*}" = cow ] || profile=single
    name=${name%%:*}
    mkdir -p "/s/$name"
    # shellcheck disable=SC2086
    tap_ok "btrfs on two devices: $name" sh -c "mkfs.btrfs -q -f -d $profile -m raid1 $devices &&
        mount -o noatime,device=${devices#* } ${devices% *} /s/$name"
done
chattr +C /s/nocow
tap_ok "ext4 that writes all data to its journal" stack_mount journal "$(part a 10)" \
    noatime,data=journal mke2fs -q -t ext4
tap_ok "ext4 without barriers" stack_mount nobarrier "$(part b 10)" noatime,nobarrier \
    mke2fs -q -t ext4
tap_ok "ext4 in blocks of 1 KiB" stack_mount small "$(part c 10)" noatime mke2fs -q -t ext4 -b 1024
tap_ok "xfs that keeps every access time" stack_mount strict "$(part d 10)" strictatime
tap_ok "xfs as it should be" stack_mount good "$(part a 11)" noatime
mkdir -p /s/memory
tap_ok "memory" mount -t tmpfs -o size=200m tmpfs /s/memory
echo "$(part d 10) /s/strict xfs nobarrier 0 0" >>/etc/fstab
echo "$(part a 11) /s/good xfs noatime 0 0" >>/etc/fstab
tap_ok "xfs with a small log buffer and very many tables" stack_mount many "$(part c 11)" \
    noatime,logbsize=32k
t filesystems
tap_ok "a server with its roles on them" roles_start cow journal nobarrier strict memory small
# 96 % of what is there.
fallocate -l "$(df --output=avail -B1 /s/small | awk 'NR == 2 { printf "%.0f", $1 * 0.96 }')" \
    /s/small/ballast
echo always >/sys/kernel/mm/transparent_hugepage/enabled
swap=$(part b 11)
tap_ok "swap" sh -c "busybox mkswap $swap && busybox swapon $swap"
echo 60 >/proc/sys/vm/swappiness
clock=/sys/devices/system/clocksource/clocksource0
echo hpet >$clock/current_clocksource
bind_attr $clock/available_clocksource "tsc hpet acpi_pm"
cgroup=/sys/fs/cgroup/db
mkdir $cgroup
echo "+memory +io" >/sys/fs/cgroup/cgroup.subtree_control
echo 600M >$cgroup/memory.max
echo "$(cat "/sys/class/block/${disk_a:?}/dev") wiops=100" >$cgroup/io.max
cat /m/run/server.pid >$cgroup/cgroup.procs
tap_not "a process of its group takes too much" sh -c "echo \$\$ >$cgroup/cgroup.procs
    echo 1000 >/proc/self/oom_score_adj
    exec tail /dev/zero"
tap_ok "facts are read" facts_read
t facts
compare_chain <<'TABLE'
volume:data|btrfs, mirror of two devices
volume:redo|ext4, data in the journal
volume:undo|ext4 without barriers
volume:binlog|xfs, every access time
volume:relaylog|tmpfs
volume:tmp|ext4, blocks of 1 KiB
TABLE
tap_is "lsattr: copied on write" "$(fact volume:data volume.btrfs.nocow)" false
xfs_info /s/strict | tr ',' ' ' >$GUEST_DIR/xfs
# xfs SECTION KEY: a figure of xfs_info.
xfs()
{
    sed -n "/^$1 *=/,/^[a-z]/p" $GUEST_DIR/xfs | grep -o " $2=[0-9]*" | head -n 1 |
        sed 's/.*=//'
}
compare_lines xfs_info volume:binlog <<TABLE
volume.xfs.agcount $(xfs meta-data agcount)
volume.xfs.sector_size $(xfs meta-data sectsz)
volume.xfs.log_bytes $(($(xfs log bsize) * $(xfs log blocks)))
volume.xfs.reflink $([ "$(grep -o 'reflink=[01]' $GUEST_DIR/xfs)" = reflink=1 ] && echo true || echo false)
TABLE
dumpe2fs -h "$(part b 10)" 2>/dev/null >$GUEST_DIR/ext4
compare_lines dumpe2fs volume:undo <<TABLE
volume.fs.block_size $(sed -n 's/^Block size: *//p' $GUEST_DIR/ext4)
volume.ext4.data_mode ordered
volume.fs.barrier false
TABLE
tap_is "ext4: data mode in force" "$(fact volume:redo volume.ext4.data_mode)" journal
compare_lines "kernel" host <<TABLE
host.memory.thp $(sed 's/.*\[\(.*\)\].*/\1/' /sys/kernel/mm/transparent_hugepage/enabled)
host.swap.total $(awk 'NR > 1 { sum += $3 } END { printf "%.0f", sum * 1024 }' /proc/swaps)
host.vm.swappiness $(cat /proc/sys/vm/swappiness)
host.clocksource $(cat $clock/current_clocksource)
host.kernel.release $(uname -r)
host.cpu.online $(nproc)
TABLE
# What the drives can do is another part's to measure.
check_read --facts $GUEST_DIR/facts.json --set device.power_loss_protection=false \
    --set bench.write16k.rate=50000/s --set bench.seq.write_bw=1GiB/s --set bench.seq.read_bw=1GiB/s
t judged
expect "btrfs that copies on write" btrfs-cow-datadir volume:data fail
expect "data in the journal" fs-ext4-data-journal volume:redo fail
expect "data in order" fs-ext4-data-journal volume:undo pass
expect "no barriers" fs-nobarrier-ext4 volume:undo fail
expect "barriers" fs-nobarrier-ext4 volume:redo pass
expect "nobarrier in fstab" fs-nobarrier-xfs-fstab volume:binlog fail
expect "every access time" fs-atime volume:binlog fail
expect "no access times" fs-atime volume:undo pass
expect "full" fs-full volume:tmp fail
expect "not full" fs-full volume:undo pass
expect "in memory" fs-type-unfit volume:relaylog fail
expect "on xfs" fs-type-unfit volume:binlog pass
expect "huge pages always" os-thp-always host fail
expect "swap at once" os-swappiness host fail
expect "slow clock" os-clocksource host fail
expect "killed for memory" os-cgroup-memory server fail
expect "limit of its group below the drives" os-cgroup-io-max server fail
expect "two devices, a mirror" data-single-drive volume:data pass
tap_ok "server stops" guest_server_stop

# ---- the healthy twins ----
echo madvise >/sys/kernel/mm/transparent_hugepage/enabled
echo 1 >/proc/sys/vm/swappiness
umount $clock/available_clocksource
tap_ok "a server with its roles on the twins" roles_start nocow good nobarrier good good good
tap_ok "facts are read" facts_read
check_read --facts $GUEST_DIR/facts.json --set device.copies_behind=false
tap_is "lsattr: not copied" "$(fact volume:data volume.btrfs.nocow)" true
expect "btrfs that does not copy" btrfs-cow-datadir volume:data pass
expect "two devices, no mirror of data" data-single-drive volume:data fail
expect "fstab as it should be" fs-nobarrier-xfs-fstab volume:redo pass
expect "huge pages on demand" os-thp-always host pass
expect "swap when needed" os-swappiness host pass
tap_not "no better clock" test "$(verdict os-clocksource host)" = fail
tap_ok "server stops" guest_server_stop
tap_ok "a server with very many tables" roles_start many good good good good good
mkdir /s/many/data/shop
# Names alone count; what the server does not know it leaves alone.
(cd /s/many/data/shop && seq 10001 | sed 's/.*/t&.ibd/' | xargs touch)
tap_ok "facts are read" facts_read
check_read --facts $GUEST_DIR/facts.json
expect "small log buffer" fs-xfs-logbsize volume:data fail
expect "data on xfs" fs-odirect-unavailable volume:data pass
tap_ok "server stops" guest_server_stop
tap_ok "a server with its data in a journal" roles_start journal good good good good good
tap_ok "facts are read" facts_read
check_read --facts $GUEST_DIR/facts.json
expect "data in the journal" fs-odirect-unavailable volume:data fail
tap_ok "server stops" guest_server_stop
tap_is "the kernel reset no controller and saw no timeout" "$(kernel_said)" ""
tap_end
