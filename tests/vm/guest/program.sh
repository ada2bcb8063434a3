# nvadvise in the guest: facts against sysfs and nvme-cli, a rightly set server, a capture and its
# replay, a device that turns sick, one with a single queue, a device that hangs in the kernel.
# shellcheck source=tests/lib/tap.sh
. /ro/guest/tap.sh
# shellcheck source=tests/vm/guest/lib.sh
. /ro/guest/lib.sh
# shellcheck source=tests/vm/guest/server.sh
. /ro/guest/server.sh
# shellcheck source=tests/lib/report.sh
. /ro/guest/report.sh
# shellcheck source=tests/vm/guest/judge.sh
. /ro/guest/judge.sh
# shellcheck source=tests/vm/guest/compare.sh
. /ro/guest/compare.sh

work=/tmp/program
GUEST_DIR=/tmp/program/compared
mkdir $work $GUEST_DIR
REPORT_PROGRAM=/ro/nvadvise
REPORT_DIR=$work
export STATE_DIRECTORY=$work/state
mkdir -m 700 "$STATE_DIRECTORY"
whole=$(controller_of WHOLE)
limited=$(controller_of LIMITED)

nv()
{
    /ro/nvadvise "$@"
}

# fact DISK NAME: its value in the last facts document, or state and reason.
fact()
{
    jq -r --arg s "device:$1" --arg n "$2" '.facts[] | select(.subject == $s and .name == $n) |
        if .state == "known" then .value else "\(.state) \(.reason)" end' $work/facts.json
}

# ---- facts ----
tap_ok "version" nv --version
nv facts --all-devices --format json >$work/facts.json 2>$work/facts.err
tap_is "facts: exit code" $? 0
for disk in "${whole}n1" "${limited}n1"; do
    ctrl=${disk%n1}
    tap_is "$disk: I/O queues" "$(fact "$disk" device.queue.io_queues)" \
        "$(($(cat "/sys/class/nvme/$ctrl/queue_count") - 1))"
    tap_is "$disk: hardware queues" "$(fact "$disk" device.queue.hw_queues)" \
        "$(find "/sys/block/$disk/mq" -mindepth 1 -maxdepth 1 | wc -l)"
    tap_is "$disk: scheduler" "$(fact "$disk" device.queue.scheduler)" \
        "$(sed 's/.*\[\(.*\)\].*/\1/' "/sys/block/$disk/queue/scheduler")"
    nvme id-ctrl "/dev/$ctrl" -o json >$work/id.json
    nvme smart-log "/dev/$ctrl" -o json >$work/smart.json
    nvme id-ns "/dev/$disk" -o json >$work/ns.json
    tap_is "$disk: model" "$(fact "$disk" device.model)" \
        "$(jq -r '.mn | sub(" +$"; "")' $work/id.json)"
    tap_is "$disk: serial" "$(fact "$disk" device.serial)" \
        "$(jq -r '.sn | sub(" +$"; "")' $work/id.json)"
    tap_is "$disk: firmware" "$(fact "$disk" device.firmware)" \
        "$(jq -r '.fr | sub(" +$"; "")' $work/id.json)"
    tap_is "$disk: largest transfer" "$(fact "$disk" device.mdts)" "$(jq .mdts $work/id.json)"
    tap_is "$disk: critical warning" "$(fact "$disk" device.smart.critical_warning)" \
        "$(jq .critical_warning $work/smart.json)"
    tap_is "$disk: size" "$(fact "$disk" device.ns.size_bytes)" \
        "$(($(cat "/sys/block/$disk/size") * 512))"
    tap_is "$disk: write cache" "$(fact "$disk" device.volatile_write_cache)" \
        "$(jq '.vwc % 2 == 1' $work/id.json)"
done

# ---- a server that nvadvise itself sets right ----
tap_ok "xfs on the whole controller" guest_mount "/dev/${whole}n1"
compare_path /m/data <<'TABLE'
volume:/m/data|a whole controller
TABLE
tap_ok "server starts on its defaults" guest_server_start
report_run defaults --out $work/out >/dev/null
tap_ok "defaults lead to a plan" test "$(report_get defaults '.plan | length')" -gt 0
tap_is "its device passes" "$(report_verdicts defaults nvme-single-io-queue)" pass
dropin=$(find $work/out -name '*.cnf' | head -n 1)
tap_ok "a drop-in was written" test -s "$dropin"
sed 's/^/# /' "$dropin"
install -m 644 "$dropin" /m/conf.d/zz-nvadvise.cnf
sysctl -q vm.swappiness=1 2>/dev/null || echo 1 >/proc/sys/vm/swappiness
tap_ok "server stops" guest_server_stop
tap_ok "server starts with the drop-in" guest_server_start
tap_is "then nothing fails and nothing important is unknown" "$(report_run right)" 0
report_problems right
tap_is "and nothing is planned" "$(jq '.plan | length' $work/right.json)" 0
nv check >$work/right.txt 2>&1
tap_ok "at most five lines of not measured" sh -c \
    "[ \$(jq '.not_measured | map(.command) | unique | length' $work/right.json) -le 5 ]"
sed 's/^/# /' $work/right.txt

# ---- capture and replay ----
report_run live --no-redact --capture $work/one.capture >/dev/null
report_run replay --from $work/one.capture >/dev/null
report_run again --from $work/one.capture >/dev/null
tap_ok "a capture gives bytes" test -s $work/replay.json
tap_ok "those of the live run" cmp $work/live.json $work/replay.json
tap_ok "and the same twice" cmp $work/replay.json $work/again.json

# ---- the device turns sick ----
# Called through tap_ok.
# shellcheck disable=SC2317
warn()
{
    qmp qom-set '{"path": "/machine/peripheral/whole", "property": "smart_critical_warning",
        "value": '"$1"'}' >/dev/null
}
tap_ok "inject a critical warning (reliability, read-only)" warn 12
# An emulated drive's health log is made up, and nvadvise knows it: no verdict rests on it unless the
# test says that this one is real.
# Who keeps copies of an emulated drive nobody tells, and on a drive that warns that would count.
tap_is "no verdict on a made-up health log" "$(report_run virtual --set device.copies_behind=true)" 0
tap_is "nvme-critical-warning does not apply" \
    "$(report_verdicts virtual nvme-critical-warning)" not_applicable
tap_is "check fails on a real one" "$(report_run sick --set device.smart.synthetic=false)" 1
tap_is "nvme-critical-warning fails" "$(report_verdicts sick nvme-critical-warning)" fail
tap_ok "take it back" warn 0
tap_is "check passes again" "$(report_run well --set device.smart.synthetic=false \
    --set device.smart.available_spare_pct=100%)" 0
tap_is "nvme-critical-warning passes" "$(report_verdicts well nvme-critical-warning)" pass
tap_ok "server stops" guest_server_stop
umount /m

# ---- one I/O queue for four CPUs ----
tap_ok "xfs on the limited controller" guest_mount "/dev/${limited}n1"
tap_ok "server starts there" guest_server_start
report_run limited >/dev/null
tap_is "nvme-single-io-queue fails" "$(report_verdicts limited nvme-single-io-queue)" fail
tap_ok "server stops" guest_server_stop
umount /m

# ---- a device that hangs in the kernel ----
sectors=$(cat "/sys/block/${whole}n2/size")
tap_ok "device mapper on the whole controller" \
    sh -c "modprobe dm-mod && echo '0 $sectors linear /dev/${whole}n2 0' | dmsetup create hang"
tap_ok "xfs on it" guest_mount /dev/mapper/hang
tap_ok "server starts on it" guest_server_start
report_run dm >/dev/null
# shellcheck disable=SC2119
tap_ok "facts are read" facts_read
compare_chain <<'TABLE'
volume:data|linear mapping of dmsetup
volume:tmp|the root disk
TABLE
tap_has "check follows it to the controller" "$(report_verdicts dm nvme-single-io-queue)" pass
sync
dmsetup suspend --nolockfs --noflush hang
echo 3 >/proc/sys/vm/drop_caches
begin=$(cut -d. -f1 /proc/uptime)
rc=$(report_run hung)
took=$(($(cut -d. -f1 /proc/uptime) - begin))
echo "# check ended $rc after $took s; $(stuck) children left"
tap_ok "check returns within its deadline" test "$took" -le 20
tap_ok "with an honest code" sh -c "[ $rc = 1 ] || [ $rc = 3 ]"
tap_has "what needs the filesystem is unknown" "$(report_verdicts hung fs-full)" unknown
tap_is "what the host tells is there" "$(report_verdicts hung os-thp-always)" fail
first=$(stuck)
tap_ok "at most one child a thing is stuck" test "$first" -le 2
# Through a pipe: it closes with the program, whatever child is left in the kernel.
tap_ok "nobody holds its output open" timeout 30 sh -c '/ro/nvadvise check | cat'
tap_is "a second check adds no child" "$(stuck)" "$first"
dmsetup resume hang
tap_ok "the stuck child ends with the hang" wait_for 30 sh -c '! pidof nvadvise'

# ---- a device whose every request fails ----
sync
server_pid=$(cat /m/run/server.pid)
tap_ok "all requests fail" sh -c "dmsetup suspend --nolockfs --noflush hang && dmsetup load hang --table '0 $sectors error' &&
    dmsetup resume hang"
echo 3 >/proc/sys/vm/drop_caches
tap_not "a read fails" dd if=/dev/mapper/hang of=/dev/null bs=4k count=1 iflag=direct
begin=$(cut -d. -f1 /proc/uptime)
rc=$(report_run failing)
took=$(($(cut -d. -f1 /proc/uptime) - begin))
tap_ok "check returns within its deadline ($took s)" test "$took" -le 20
tap_ok "with an honest code" sh -c "[ $rc = 1 ] || [ $rc = 3 ]"
tap_has "what would need the drive below is unknown" "$(report_verdicts failing data-single-drive)" unknown
# shellcheck disable=SC2119
tap_ok "facts are read" facts_read
echo "# $(sed -n 's/^volume:data volume.leaf_devices //p' $GUEST_DIR/facts)"
tap_has "no drive is made up" "$(sed -n 's/^volume:data volume.leaf_devices //p' $GUEST_DIR/facts)" '('
kill -9 "$server_pid"
wait_for 30 umount /m
dmsetup remove hang

tap_is "the kernel reset no controller and saw no timeout" \
    "$(kernel_said)" ""
tap_end
