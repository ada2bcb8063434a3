# A controller reached over TCP that stops answering in the middle of things: its link goes down, and
# the kernel waits ten minutes before it gives up, so that whatever is asked hangs in the kernel.
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

GUEST_DIR=/tmp/fabric
export STATE_DIRECTORY=$GUEST_DIR/state
mkdir $GUEST_DIR
mkdir -m 700 "$STATE_DIRECTORY"
whole=$(controller_of WHOLE)
nqn=nqn.2026-01.test.guest:fabric

# target: a namespace of the local controller, offered on the loopback.
# Called through tap_ok.
# shellcheck disable=SC2317
target()
{
    modprobe -a nvmet nvmet-tcp nvme-tcp || return 1
    # Neither keep-alive nor a timeout, also of what the filesystem writes, ends the hang while the
    # test looks.
    echo 600 >/sys/module/nvme_core/parameters/admin_timeout
    echo 600 >/sys/module/nvme_core/parameters/io_timeout
    mount -t configfs configfs /sys/kernel/config 2>/dev/null
    cd /sys/kernel/config/nvmet || return 1
    mkdir "subsystems/$nqn" ports/1 || return 1
    echo 1 >"subsystems/$nqn/attr_allow_any_host"
    # Offered as a drive that writes in units of 64 KiB, as the stripe below it does.
    modprobe dm-mod
    sectors=$(($(cat "/sys/block/${whole}n3/size") / 2 / 128 * 128))
    echo "0 $((2 * sectors)) striped 2 128 /dev/${whole}n3 0 /dev/${whole}n3 $sectors" |
        dmsetup create units || return 1
    n=0
    for device in "/dev/${whole}n2" /dev/mapper/units "/dev/${whole}n4"; do
        n=$((n + 1))
        mkdir "subsystems/$nqn/namespaces/$n" || return 1
        echo "$device" >"subsystems/$nqn/namespaces/$n/device_path"
        echo 1 >"subsystems/$nqn/namespaces/$n/enable"
    done
    echo tcp >ports/1/addr_trtype
    echo ipv4 >ports/1/addr_adrfam
    echo 127.0.0.1 >ports/1/addr_traddr
    echo 4420 >ports/1/addr_trsvcid
    ln -s "/sys/kernel/config/nvmet/subsystems/$nqn" "ports/1/subsystems/$nqn"
    nvme connect --transport=tcp --traddr=127.0.0.1 --trsvcid=4420 --nqn="$nqn" \
        --keep-alive-tmo=600 --nr-io-queues=2
}

remote_of()
{
    for re_path in /sys/class/nvme/nvme*; do
        if [ "$(cat "$re_path/transport")" = tcp ]; then
            basename "$re_path"
        fi
    done
}

# disk_of NQN: the first disk of a subsystem.
disk_of()
{
    basename "$(find /sys/class/nvme-subsystem/*/ -maxdepth 1 -name 'nvme*n1' |
        while read -r path; do
            [ "$(cat "$(dirname "$path")/subsysnqn")" != "$1" ] || echo "$path"
        done)"
}

tap_ok "a controller over TCP" target
remote=$(remote_of)
disk=$(disk_of "$nqn")
tap_ok "its disk" wait_for 20 test -b "/dev/$disk"
tap_ok "data on the local one" stack_mount local "/dev/${whole}n1"
tap_ok "temporary files on the other" stack_mount remote "/dev/$disk" noatime mke2fs -q -t ext4
tap_ok "server starts" roles_start local local local local local remote
tap_ok "facts are read" facts_read
nvme id-ctrl "/dev/$remote" -o json >$GUEST_DIR/ctrl.json
compare "nvme id-ctrl" "device:$disk" $GUEST_DIR/ctrl.json <<'TABLE'
device.model .mn | sub(" +$"; "")
device.serial .sn | sub(" +$"; "")
device.cntlid .cntlid
TABLE
compare_lines "sysfs" "device:$disk" <<TABLE
device.transport tcp
device.state live
device.network_storage true
device.queue.io_queues $(($(cat "/sys/class/nvme/$remote/queue_count") - 1))
TABLE
compare_chain <<'TABLE'
volume:data|a local controller
volume:redo|a local controller
volume:undo|a local controller
volume:binlog|a local controller
volume:relaylog|a local controller
volume:tmp|a controller over TCP
TABLE
tap_is "its volume is reached over a network" "$(fact volume:tmp volume.network)" true
tap_is "the data's is not" "$(fact volume:data volume.network)" false
# ---- a drive that writes in larger units, and a sector that cannot be read ----
bulk=${disk%n1}n2
bad=${disk%n1}n3
tap_ok "units of 64 KiB" test "$(cat "/sys/block/$bulk/queue/minimum_io_size")" = 65536
udevadm control --exit
addpart "/dev/$bulk" 1 63 409600
udevd_start
tap_ok "temporary files on an odd sector of it" stack_mount bulk "/dev/${bulk}p1" noatime \
    mke2fs -q -t ext4
tap_not "a read fails" dd "if=/dev/$bad" of=/dev/null bs=4k skip=2048 count=1 iflag=direct
tap_ok "server stops" guest_server_stop
tap_ok "server starts with its data there" roles_start bulk local local local local remote
tap_ok "facts are read" facts_read
nvme id-ns "/dev/$bulk" -o json >$GUEST_DIR/ns.json
compare "nvme id-ns" "device:$bulk" $GUEST_DIR/ns.json <<'TABLE'
device.ns.npwg_bytes (.npwg + 1) * 512
TABLE
check_read --facts $GUEST_DIR/facts.json --set device.smart.synthetic=false
expect "a drive that writes in units of 64 KiB" nvme-iu-larger-than-page "device:$bulk" fail
expect "a drive that writes blocks" nvme-iu-larger-than-page "device:${whole}n1" pass
expect "on an odd sector of larger units" nvme-iu-not-aligned volume:data fail
# What fails there is the other host's to tell.
case $(fact "device:$bad" device.errors.media_io) in
'('*) tap_pass "another host's drive has no error log here" ;;
*) tap_fail "another host's drive has no error log here" "it has" ;;
esac
tap_ok "no child is left" wait_for 20 sh -c '! pidof nvadvise'

# ---- a path stops answering, the other does not ----
tap_ok "server stops" guest_server_stop
# offer PORT ADDRESS: the second subsystem there, connected to. Called through tap_ok.
# shellcheck disable=SC2317
offer()
{
    mkdir "/sys/kernel/config/nvmet/ports/$1" && cd "/sys/kernel/config/nvmet/ports/$1" || return 1
    echo tcp >addr_trtype
    echo ipv4 >addr_adrfam
    echo "$2" >addr_traddr
    echo 4420 >addr_trsvcid
    ln -s "/sys/kernel/config/nvmet/subsystems/$nqn:paths" "subsystems/$nqn:paths" &&
        nvme connect --transport=tcp "--traddr=$2" --trsvcid=4420 "--nqn=$nqn:paths" \
            --keep-alive-tmo=600 --nr-io-queues=1
}
# Called through tap_ok.
# shellcheck disable=SC2317
two_paths()
{
    cd /sys/kernel/config/nvmet || return 1
    mkdir "subsystems/$nqn:paths" || return 1
    echo 1 >"subsystems/$nqn:paths/attr_allow_any_host"
    for n in 1 2; do
        truncate -s 64M "$GUEST_DIR/paths-$n" && mkdir "subsystems/$nqn:paths/namespaces/$n" ||
            return 1
        echo "$GUEST_DIR/paths-$n" >"subsystems/$nqn:paths/namespaces/$n/device_path"
        echo 1 >"subsystems/$nqn:paths/namespaces/$n/buffered_io" # its filesystem has no direct I/O
        echo 1 >"subsystems/$nqn:paths/namespaces/$n/enable" || return 1
    done
    offer 2 127.0.0.2 && offer 3 127.0.0.3
}
# path_at ADDRESS: the controller that is reached there.
path_at()
{
    grep -l "traddr=$1," /sys/class/nvme/nvme*/address | cut -d/ -f5
}
tap_ok "a subsystem with two paths" two_paths
dying=$(path_at 127.0.0.2)
living=$(path_at 127.0.0.3)
# Called through tap_ok.
# shellcheck disable=SC2317
has_head()
{
    hh_disk=$(disk_of "$nqn:paths")
    [ -n "$hh_disk" ] && [ -b "/dev/$hh_disk" ] && [ -b "/dev/${hh_disk%1}2" ]
}
tap_ok "its disks" wait_for 20 has_head
head=$(disk_of "$nqn:paths")
tap_ok "facts are read" facts_read
cp $GUEST_DIR/facts.json $GUEST_DIR/both.json
tap_is "two paths are live" "$(fact "device:$head" device.multipath.paths_live)" 2
tap_is "the first is asked" "$(fact "device:$head" device.controller)" "$dying"
tap_ok "no child is left" wait_for 20 sh -c '! pidof nvadvise'
tap_ok "nothing gets there any more" busybox ip route add blackhole 127.0.0.2 table local
for n in 1 2; do
    begin=$(cut -d. -f1 /proc/uptime)
    /ro/nvadvise facts --all-devices --timeout 15 --format json \
        >$GUEST_DIR/one.json 2>/dev/null
    took=$(($(cut -d. -f1 /proc/uptime) - begin))
    tap_ok "facts are read in time ($took s)" test $took -le 40
    tap_is "one child is stuck for the path, run $n" "$(stuck)" 1
    for path_disk in "$head" "${head%1}2"; do
        tap_is "the pages of $path_disk come over the other path" "$(jq -r --arg s "device:$path_disk" \
            '.facts[] | select(.subject == $s and (.name == "device.smart.critical_warning" or
                .name == "device.ns.capacity_bytes")) | "\(.value) \(.source)"' $GUEST_DIR/one.json |
            sort | paste -sd,)" "0 smart-log of $living,67108864 identify-ns of $living"
    done
    # What the controllers count, and their numbers, may differ.
    jq -r --arg s "device:$head" '.facts[] | select(.subject == $s) | .name + " " + .state' \
        $GUEST_DIR/both.json >$GUEST_DIR/both
    jq -r --arg s "device:$head" '.facts[] | select(.subject == $s) | .name + " " + .state' \
        $GUEST_DIR/one.json >$GUEST_DIR/one
    tap_is "no fact is lost, run $n" "$(diff $GUEST_DIR/both $GUEST_DIR/one)" ""
done
busybox ip route del blackhole 127.0.0.2 table local
tap_ok "the child ends with its answer" wait_for 150 sh -c '! pidof nvadvise'
tap_ok "both paths go" nvme disconnect "--nqn=$nqn:paths"

# ---- it stops answering ----
tap_ok "server starts with its data on the local one" roles_start local local local local local \
    remote
umount /s/bulk
tap_ok "it has three disks" test -b "/dev/$disk" -a -b "/dev/$bulk" -a -b "/dev/$bad"
tap_ok "no child is left" wait_for 20 sh -c '! pidof nvadvise'
busybox ip link set lo down
# hung NAME [OPTIONS]: a check as ssh runs it, its input, output and errors pipes; how long it took.
hung()
{
    hu_name=$1
    shift
    hu_begin=$(cut -d. -f1 /proc/uptime)
    echo | {
        /ro/nvadvise check --all-devices --format json --timeout 20 "$@" 2>&1
        echo $? >$GUEST_DIR/rc
    } | cat >"$GUEST_DIR/$hu_name"
    echo $(($(cut -d. -f1 /proc/uptime) - hu_begin))
}
took=$(hung check.json --set device.smart.synthetic=false)
echo "# ended $(cat $GUEST_DIR/rc) after $took s; $(stuck) children left"
tap_ok "check returns within its deadline and little more" test "$took" -le 60
tap_ok "with an honest code" grep -q -e '^1$' -e '^3$' $GUEST_DIR/rc
jq -r "$judge_short"' .findings[] | .rule + " " + (.subject | short) + " " + .verdict' \
    $GUEST_DIR/check.json >$GUEST_DIR/verdicts
for dead in "$disk" "$bulk" "$bad"; do
    tap_is "what needs the dead controller is unknown: $dead" \
        "$(verdict nvme-critical-warning "device:$dead")" unknown
done
tap_is "the other one is judged" "$(verdict nvme-critical-warning "device:${whole}n1")" pass
tap_is "its controller is still called live" "$(cat "/sys/class/nvme/$remote/state")" live
first=$(stuck)
tap_ok "one child for the three disks is stuck in the kernel ($first)" test "$first" -eq 1
stuck_pid=$(pidof nvadvise)
kill -9 "$stuck_pid"
sleep 1
tap_ok "and nothing ends it" kill -0 "$stuck_pid"
n=0
longest=0
while [ $n -lt 10 ]; do
    took=$(hung again)
    [ "$took" -le "$longest" ] || longest=$took
    n=$((n + 1))
done
tap_is "ten more checks leave none beside it" "$(stuck)" "$first"
tap_ok "and are not held up (at most $longest s)" test "$longest" -le 40

# ---- as a unit of systemd ----
# A manager of root's own: systemd is not the guest's process 1.
export XDG_RUNTIME_DIR=/run/user/0
mkdir -p /run/systemd/system $XDG_RUNTIME_DIR/systemd/user /sys/fs/cgroup/manager
printf '[Unit]\nDescription=nothing but what is asked for\n' \
    >$XDG_RUNTIME_DIR/systemd/user/empty.target
sh -c 'echo $$ >/sys/fs/cgroup/manager/cgroup.procs
    exec /lib/systemd/systemd --user --unit=empty.target' >$GUEST_DIR/manager 2>&1 </dev/null &
tap_ok "systemd runs" wait_for 60 systemctl --user show --property=Version
unit()
{
    systemctl --user show "--property=$1" --value check.service
}
tap_ok "a unit starts" systemd-run --user --unit=check --property=StandardOutput=null \
    --setenv=STATE_DIRECTORY="$STATE_DIRECTORY" --property=TimeoutStopSec=5 \
    /ro/nvadvise check --all-devices --timeout 20
left=90
until [ "$(unit ExecMainExitTimestampMonotonic)" -gt 0 ] 2>/dev/null || [ $left = 0 ]; do
    sleep 1
    left=$((left - 1))
done
tap_ok "its main process ends" test $left -gt 0
tap_ok "with an honest code" sh -c "case $(unit ExecMainStatus) in 1 | 3) ;; *) exit 1 ;; esac"
took=$((($(unit ExecMainExitTimestampMonotonic) - $(unit ExecMainStartTimestampMonotonic)) / 1000000))
tap_ok "within its deadline and little more ($took s)" test "$took" -le 60
tap_is "and leaves none beside the first" "$(stuck)" "$first"
tap_ok "facts are read all the same" facts_read
tap_is "the other controller's are all there" "$(fact "device:${whole}n1" device.serial)" WHOLE
tap_is "with its pages" "$(fact "device:${whole}n1" device.smart.critical_warning)" 0
for dead in "$disk" "$bulk" "$bad"; do
    case $(fact "device:$dead" device.smart.critical_warning) in
    *"process $stuck_pid is stuck on it"*) tap_pass "the dead one's pages are unknown: $dead" ;;
    *)
        tap_fail "the dead one's pages are unknown: $dead" \
            "$(fact "device:$dead" device.smart.critical_warning)"
        ;;
    esac
    compare_lines "sysfs" "device:$dead" <<TABLE
device.transport tcp
device.state live
device.ns.size_bytes $(($(cat "/sys/block/$dead/size") * 512))
device.ns.lba_bytes $(cat "/sys/block/$dead/queue/logical_block_size")
device.queue.io_queues $(($(cat "/sys/class/nvme/$remote/queue_count") - 1))
TABLE
done
tap_is "the kernel reset no controller and saw no timeout" "$(kernel_said)" ""
kill -9 "$(cat /m/run/server.pid)"
busybox ip link set lo up
tap_end
