# A pool that loses its device and waits for it, as pools do unless they are told otherwise: what nvadvise says of it
# before, while the pool is suspended, and after. On partitions 5, which zfs.sh leaves alone.
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

GUEST_DIR=/tmp/poolloss
export STATE_DIRECTORY=$GUEST_DIR/state
mkdir $GUEST_DIR
mkdir -m 700 "$STATE_DIRECTORY"
tap_ok "modules" modprobe -a zfs dm-mod
stacks_disks ZFS
[ -b "$(part c 5)" ] || stacks_begin 5 ZFS
leg=$(part d 5)
sectors=$(cat "/sys/class/block/${leg#/dev/}/size")
tap_ok "a device that can be lost" sh -c "echo '0 $sectors linear $leg 0' | dmsetup create lost"
tap_ok "a pool on it, and the roles of a server elsewhere" sh -c "zpool create -f -o ashift=12 -o failmode=wait \
    -O recordsize=16k -O atime=off -m /s/lost lost /dev/mapper/lost && mke2fs -q -t ext4 $(part c 5) &&
    mkdir -p /s/sound && mount -o noatime $(part c 5) /s/sound"
tap_ok "server starts with its data on it" roles_start lost sound sound sound sound sound
sync
zpool sync lost

# timed: check as it is run under emulation; how long it took.
timed()
{
    ti_begin=$(cut -d. -f1 /proc/uptime)
    /ro/nvadvise check --timeout 20 --format json >$GUEST_DIR/check.json 2>$GUEST_DIR/check.err
    echo $? >$GUEST_DIR/rc
    echo $(($(cut -d. -f1 /proc/uptime) - ti_begin))
    jq -r "$judge_short"' .findings[] | .rule + " " + (.subject | short) + " " + .verdict' \
        $GUEST_DIR/check.json >$GUEST_DIR/verdicts
}

took=$(timed)
echo "# check of a sound pool: $took s"
expect "pool as it should be: its records" zfs-recordsize volume:data pass
expect "pool as it should be: how it writes" zfs-sync-disabled volume:data pass
expect "pool as it should be: its sectors" zfs-ashift-low volume:data pass
tap_ok "no child is left" wait_for 20 sh -c '! pidof nvadvise'

# ---- lost ----
tap_ok "the device fails" sh -c "dmsetup suspend --nolockfs --noflush lost &&
    dmsetup load lost --table '0 $sectors error' && dmsetup resume lost"
# What writes hangs from here on.
sh -c 'echo more >/s/lost/file; sync' >/dev/null 2>&1 &
tap_ok "the pool is suspended" wait_for 60 grep -q SUSPENDED /proc/spl/kstat/zfs/lost/state
took=$(timed)
echo "# check of a suspended pool: $took s, ended $(cat $GUEST_DIR/rc); $(stuck) children left"
tap_ok "check returns within its deadline and little more" test "$took" -le 60
tap_ok "with an honest code" grep -q -e '^1$' -e '^3$' $GUEST_DIR/rc
# What the files say the kernel knows without the device; a property or a figure of the pool nobody asks for now.
expect "suspended pool: its files' records" zfs-recordsize volume:data pass
expect "suspended pool: how it writes" zfs-sync-disabled volume:data unknown
expect "suspended pool: its sectors" zfs-ashift-low volume:data unknown
expect "suspended pool" zfs-pool-health volume:data fail
tap_not "the other filesystem is judged" test "$(verdict fs-full volume:redo)" = unknown
first=$(stuck)
tap_ok "at most one child is stuck ($first)" test "$first" -le 1
n=0
while [ $n -lt 3 ]; do
    took=$(timed)
    n=$((n + 1))
done
tap_is "more checks leave none beside it" "$(stuck)" "$first"
tap_ok "facts are read" facts_read
tap_is "state of the pool" "$(fact volume:data volume.zfs.pool_state)" suspended
tap_has "what it was not asked says why" "$(fact volume:data volume.zfs.recordsize)" suspended

# ---- found again ----
tap_ok "the device is back" sh -c "dmsetup suspend --nolockfs --noflush lost &&
    dmsetup load lost --table '0 $sectors linear $leg 0' && dmsetup resume lost"
tap_ok "the pool goes on" timeout 60 zpool clear lost
tap_ok "no child is left" wait_for 60 sh -c '! pidof nvadvise'
took=$(timed)
expect "pool that came back: how it writes" zfs-sync-disabled volume:data pass
tap_ok "server stops" guest_server_stop
tap_is "the kernel reset no controller and saw no timeout" "$(kernel_said)" ""
tap_end
