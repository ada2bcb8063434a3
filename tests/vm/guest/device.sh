# Controllers and namespaces of many kinds: what nvadvise says of them against what nvme, lsblk and
# sysfs print, field by field; then faults, each with its finding and its healthy twin; at last what
# happens to a check while a drive or a path goes away.
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

GUEST_DIR=/tmp/device
mkdir $GUEST_DIR
t()
{
    echo "# $(cut -d' ' -f1 /proc/uptime) s: $*"
}
whole=$(controller_of WHOLE)
limited=$(controller_of LIMITED)
small=$(controller_of SMALL)
plug=$(controller_of PLUG)
# The head is a subsystem's, not a controller's: its number may be another controller's name.
for link in /sys/class/nvme-subsystem/nvme-subsys*/nvme*n1; do
    case $(tr -d ' ' <"$(dirname "$link")/serial") in
    SHARED) head=$(basename "$link") ;;
    esac
done
paths=$(for link in /sys/block/"${head%n1}"c*n1; do
    basename "$link" | sed 's/^nvme[0-9]*c\([0-9]*\)n1$/nvme\1/'
done)
path_a=$(echo "$paths" | head -n 1)

# ---- a server with its roles on all of them ----
tap_ok "data on the whole controller" stack_mount whole "/dev/${whole}n1" strictatime
tap_ok "redo on small transfers" stack_mount small "/dev/${small}n2" noatime
tap_ok "undo on 4096-byte sectors" stack_mount four "/dev/${whole}n3" noatime,discard
tap_ok "binlog on two paths" stack_mount shared "/dev/$head" noatime mke2fs -q -t ext4
tap_ok "relay log on one queue" stack_mount limited "/dev/${limited}n1" noatime mke2fs -q -t ext4
tap_ok "temporary files on what will be pulled" stack_mount plug "/dev/${plug}n1" noatime \
    mke2fs -q -t ext4
tap_ok "server starts" roles_start whole small four shared limited plug
t "server"

# ---- nothing changes by looking ----
# look: what must be the same before and after. Names are found before, since that changes access
# times itself.
find /s/whole/data >$GUEST_DIR/names
look()
{
    cut -d' ' -f1 /proc/modules
    xargs stat -c '%x %n' <$GUEST_DIR/names
    dmesg | grep -v 'crng init done'
}
entries()
{
    for en_path in /sys/class/nvme/nvme*; do
        nvme smart-log "/dev/$(basename "$en_path")" | grep num_err_log_entries
    done
}
# The kernel tells of events by uevents once the controller is asked for them; until somebody reads the
# health log without "retain", the controller holds further ones back.
nvme set-feature "/dev/$plug" --feature-id=0xb --value=0xff >/dev/null
udevadm monitor --kernel --property >$GUEST_DIR/uevents &
monitor=$!
wait_for 30 grep -q KERNEL $GUEST_DIR/uevents
events()
{
    grep -c NVME_AEN= $GUEST_DIR/uevents
}
entries >$GUEST_DIR/entries
warn plug 1 >/dev/null
tap_ok "the kernel heard of the warning" wait_for 30 grep -q NVME_AEN= $GUEST_DIR/uevents
heard=$(events)
look >$GUEST_DIR/before
tap_ok "facts are read" facts_read
t facts
tap_ok "and judged" test "$(check_read --all-devices)" != 2
t judged
look >$GUEST_DIR/after
tap_ok "modules, access times and the kernel's log are as before" \
    diff $GUEST_DIR/before $GUEST_DIR/after
warn plug 5 >/dev/null
sleep 2
tap_is "the next event is still held back: nobody took the first" "$(events)" "$heard"
nvme get-log "/dev/$plug" --log-id=2 --log-len=512 --raw-binary >/dev/null
tap_ok "until somebody does" wait_for 30 sh -c \
    "[ \$(grep -c NVME_AEN= $GUEST_DIR/uevents) -gt $heard ]"
warn plug 0 >/dev/null
kill $monitor
tap_is "no entry was added to an error log" "$(entries)" "$(cat $GUEST_DIR/entries)"
tap_ok "facts are read once more, without the warning" facts_read
t "looked"

# ---- field by field ----
lsblk -J -b -O >$GUEST_DIR/lsblk.json
for disk in "${whole}n1" "${whole}n3" "${limited}n1" "${small}n2" "$head"; do
    ctrl=${disk%n[0-9]*}
    [ "$disk" != "$head" ] || ctrl=$path_a
    nvme id-ctrl "/dev/$ctrl" -o json >$GUEST_DIR/ctrl.json
    compare "nvme id-ctrl" "device:$disk" $GUEST_DIR/ctrl.json <<'TABLE'
device.model .mn | sub(" +$"; "")
device.serial .sn | sub(" +$"; "")
device.firmware .fr | sub(" +$"; "")
device.vid .vid
device.mdts .mdts
device.max_transfer_bytes_4k_pages if .mdts == 0 then "unlimited" else pow(2; .mdts) * 4096 end
device.oacs .oacs
device.oncs .oncs
device.lpa .lpa
device.ctratt .ctratt
device.fna .fna
device.npss .npss
device.apst_supported .apsta % 2 == 1
device.wctemp_c .wctemp - 273
device.cctemp_c .cctemp - 273
device.hmb_preferred_bytes .hmpre * 4096
device.volatile_write_cache .vwc % 2 == 1
device.awun_blocks .awun + 1
device.awupf_blocks .awupf + 1
TABLE
    nvme id-ns "/dev/$disk" -o json >$GUEST_DIR/ns.json
    compare "nvme id-ns" "device:$disk" $GUEST_DIR/ns.json <<'TABLE'
device.ns.size_bytes .nsze * pow(2; .lbafs[.flbas % 16].ds)
device.ns.capacity_bytes .ncap * pow(2; .lbafs[.flbas % 16].ds)
device.ns.lba_bytes pow(2; .lbafs[.flbas % 16].ds)
device.ns.metadata_bytes .lbafs[.flbas % 16].ms
device.ns.shared .nmic % 2 == 1
TABLE
    nvme smart-log "/dev/$ctrl" -o json >$GUEST_DIR/smart.json
    compare "nvme smart-log" "device:$disk" $GUEST_DIR/smart.json <<'TABLE'
device.smart.critical_warning .critical_warning
device.smart.temperature_c .temperature - 273
device.smart.percentage_used_pct .percent_used / 100
device.smart.power_cycles .power_cycles | tonumber
device.smart.power_on_hours (.power_on_hours | tonumber) * 3600
device.smart.unsafe_shutdowns .unsafe_shutdowns | tonumber
device.smart.media_errors .media_errors | tonumber
device.smart.error_log_entries .num_err_log_entries | tonumber
TABLE
    jq --arg n "$disk" '.blockdevices[] | select(.name == $n)' $GUEST_DIR/lsblk.json \
        >$GUEST_DIR/block.json
    compare "lsblk" "device:$disk" $GUEST_DIR/block.json <<'TABLE'
device.ns.size_bytes .size
device.ns.lba_bytes ."log-sec"
device.queue.physical_block_size ."phy-sec"
device.queue.minimum_io_size ."min-io"
device.queue.optimal_io_size ."opt-io"
device.queue.rotational .rota
device.queue.read_ahead_bytes .ra * 1024
device.queue.discard_max_bytes ."disc-max"
TABLE
done
t "compared with nvme and lsblk"
for disk in "${whole}n1" "${limited}n1" "${small}n2"; do
    ctrl=${disk%n[0-9]*}
    dir=/sys/class/nvme/$ctrl
    pci=$(readlink -f "$dir/device")
    queue=/sys/block/$disk/queue
    compare_lines sysfs "device:$disk" <<TABLE
device.state $(cat "$dir/state")
device.transport $(cat "$dir/transport")
device.cntlid $(cat "$dir/cntlid")
device.queue.io_queues $(($(cat "$dir/queue_count") - 1))
device.queue.depth $(($(cat "$dir/sqsize") + 1))
device.queue.hw_queues $(find "/sys/block/$disk/mq" -mindepth 1 -maxdepth 1 | wc -l)
device.queue.vectors $(find "$pci/msi_irqs" -mindepth 1 -maxdepth 1 | wc -l)
device.queue.interrupt_mode msix
device.queue.scheduler $(sed 's/.*\[\(.*\)\].*/\1/' "$queue/scheduler")
device.queue.nr_requests $(cat "$queue/nr_requests")
device.queue.write_cache $(tr ' ' - <"$queue/write_cache")
device.queue.max_sectors_bytes $(($(cat "$queue/max_sectors_kb") * 1024))
device.queue.max_hw_sectors_bytes $(($(cat "$queue/max_hw_sectors_kb") * 1024))
device.queue.nomerges $(cat "$queue/nomerges")
device.queue.rq_affinity $(cat "$queue/rq_affinity")
device.pci.link_width $(cat "$pci/current_link_width")
device.pci.link_width_max $(cat "$pci/max_link_width")
TABLE
done
tap_is "a cache that is off, whatever Identify says" \
    "$(fact "device:${small}n2" device.feature.vwc_enabled)" \
    "$(nvme get-feature "/dev/$small" --feature-id=6 | grep -q 'value:0x0*1$' && echo true ||
        echo false)"
same "paths of the shared namespace" "$(fact "device:$head" device.multipath.paths)" \
    "$(echo "$paths" | wc -l)"
tap_is "its policy" "$(fact "device:$head" device.multipath.iopolicy)" \
    "$(cat "/sys/block/$head/../../iopolicy" 2>/dev/null ||
        cat /sys/class/nvme-subsystem/nvme-subsys*/iopolicy | head -n 1)"
compare_chain <<'TABLE'
volume:data|a whole controller
volume:redo|small transfers
volume:undo|sectors of 4096 bytes
volume:binlog|two paths to one namespace
volume:relaylog|one I/O queue
volume:tmp|hot-pluggable
TABLE
t "compared with sysfs, and the chain"

# ---- faults and their twins ----
real="--set device.smart.synthetic=false --set device.virtual_device=false"
# Debian's util-linux switches it on; it counts where systemd runs.
timer=/etc/systemd/system/timers.target.wants/fstrim.timer
tap_ok "trimming is switched on" rm $timer
mkdir -p /run/systemd/system
echo mq-deadline >"/sys/block/${whole}n1/queue/scheduler"
echo 1 >"/sys/block/${whole}n3/queue/rotational"
echo "write through" >"/sys/block/${small}n2/queue/write_cache"
warn whole 4 >/dev/null
warn small 16 >/dev/null
warn limited 2 >/dev/null
bind_attr "$(readlink -f "/sys/class/nvme/$plug/device")/max_link_width" 4
bind_attr "/sys/class/nvme/$path_a/state" connecting
bind_attr "/sys/class/nvme/$whole/model" "Amazon EC2 NVMe Instance Storage"
# The guest's processors have no governor: the folder of one that has.
mkdir -p $GUEST_DIR/cpu/cpufreq
cp -r /sys/devices/system/cpu/cpu0/topology $GUEST_DIR/cpu/ 2>/dev/null
echo powersave >$GUEST_DIR/cpu/cpufreq/scaling_governor
mount --bind $GUEST_DIR/cpu /sys/devices/system/cpu/cpu0
# shellcheck disable=SC2086
check_read $real --all-devices
t "checked with faults"
expect "one I/O queue for four CPUs" nvme-single-io-queue "device:${limited}n1" fail
expect "a queue a CPU" nvme-single-io-queue "device:${whole}n1" pass
expect "reliability degraded" nvme-critical-warning "device:${whole}n1" fail
expect "no warning" nvme-critical-warning "device:${plug}n1" pass
expect "backup of the cache failed" nvme-plp-failed "device:${small}n2" fail
expect "backup sound" nvme-plp-failed "device:${plug}n1" pass
expect "warning of temperature" nvme-temp-warning "device:${limited}n1" fail
expect "cool enough" nvme-temp-warning "device:${plug}n1" pass
expect "narrow link" pcie-link-degraded "device:${plug}n1" fail
expect "whole link" pcie-link-degraded "device:${whole}n1" pass
expect "wrong scheduler" blk-scheduler volume:data fail
expect "no scheduler" blk-scheduler volume:undo pass
expect "flash that is called spinning" blk-rotational-wrong "device:${whole}n3" fail
expect "flash that is not" blk-rotational-wrong "device:${whole}n1" pass
expect "512-byte format" nvme-lba-512 "device:${whole}n1" fail
expect "4096-byte format" nvme-lba-512 "device:${whole}n3" pass
expect "transfers of 8 KiB" nvme-mdts-small volume:redo fail
expect "transfers of 512 KiB" nvme-mdts-small volume:data pass
expect "no trim" blk-no-trim volume:data fail
expect "trim by mount option" blk-no-trim volume:undo pass
expect "trim with each delete" blk-online-discard volume:undo fail
expect "no trim with each delete" blk-online-discard volume:data pass
expect "one of two paths connecting" nvme-multipath-degraded "device:$head" fail
expect "data on a drive of the instance" cloud-ephemeral-datadir volume:data fail
expect "data on one drive" data-single-drive volume:data fail
expect "processors that save power" os-governor host fail
umount /sys/devices/system/cpu/cpu0
umount "/sys/class/nvme/$whole/model"
umount "/sys/class/nvme/$path_a/state"
umount "$(readlink -f "/sys/class/nvme/$plug/device")/max_link_width"
echo "write back" >"/sys/block/${small}n2/queue/write_cache"
echo 0 >"/sys/block/${whole}n3/queue/rotational"
echo none >"/sys/block/${whole}n1/queue/scheduler"
for id in whole small limited; do
    warn $id 0 >/dev/null
done

# A controller that is not live is not asked.
bind_attr "/sys/class/nvme/$limited/state" connecting
echo "write through" >"/sys/block/${whole}n1/queue/write_cache"
# shellcheck disable=SC2086
check_read $real --all-devices --set device.power_loss_protection=false
expect "controller connecting" nvme-ctrl-not-live "device:${limited}n1" fail
expect "controller live" nvme-ctrl-not-live "device:${whole}n1" pass
expect "both paths live" nvme-multipath-degraded "device:$head" pass
expect "flushes switched off above a volatile cache" blk-write-cache-override \
    "device:${whole}n1" fail
expect "flushes reach the cache" blk-write-cache-override "device:${plug}n1" pass
expect "volatile cache without protection" nvme-no-plp volume:data fail
expect "cache switched off" nvme-no-plp volume:redo pass
expect "processors without a governor" os-governor host pass
tap_not "data on another drive: no instance store" \
    test "$(verdict cloud-ephemeral-datadir volume:data)" = fail
umount "/sys/class/nvme/$limited/state"
echo "write back" >"/sys/block/${whole}n1/queue/write_cache"
check_read --all-devices
expect "made-up health log" smart-synthetic "device:${whole}n1" fail
t "faults judged"

# ---- a sector that cannot be read ----
tap_not "a read fails" dd "if=/dev/${small}n1" of=/dev/null bs=4k skip=2048 count=1 iflag=direct
begin=$(cut -d. -f1 /proc/uptime)
tap_ok "facts are read all the same" facts_read
tap_is "of that drive as well" "$(fact "device:${small}n1" device.serial)" SMALL
tap_ok "in time" test $(($(cut -d. -f1 /proc/uptime) - begin)) -le 20
t "read error"

# ---- a path and a drive that go away while a check runs ----
check_read --all-devices >$GUEST_DIR/rc &
sleep 1
unplug plug >/dev/null
unplug path-b >/dev/null
wait
t "unplugged"
tap_ok "check ends with an honest code" grep -q -e '^1$' -e '^3$' $GUEST_DIR/rc
tap_ok "the drive is gone" wait_for 30 test ! -e "/dev/$plug"
tap_ok "facts are read without it" facts_read
tap_is "the other drives are all there" "$(fact "device:${whole}n1" device.serial)" WHOLE
same "one path is left" "$(fact "device:$head" device.multipath.paths)" 1
tap_ok "the namespace still works" dd "if=/dev/$head" of=/dev/null bs=4k count=1 iflag=direct
case $(fact volume:tmp volume.leaf_devices) in
'('*) tap_pass "what lay on the drive has no device, and says why" ;;
*) tap_fail "what lay on the drive has no device, and says why" \
    "$(fact volume:tmp volume.leaf_devices)" ;;
esac
tap_ok "no child is left" wait_for 20 sh -c '! pidof nvadvise'
tap_is "the kernel reset no controller and saw no timeout" "$(kernel_said)" ""
kill -9 "$(cat /m/run/server.pid)"
tap_end
