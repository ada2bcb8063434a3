# Proves that the guest is what the other scripts take it for: two controllers, one of them with a
# single I/O queue, whose faults can be injected from inside. Knows nothing of nvadvise.
# shellcheck source=tests/lib/tap.sh
. /ro/guest/tap.sh
# shellcheck source=tests/vm/guest/lib.sh
. /ro/guest/lib.sh

whole=$(controller_of WHOLE)
limited=$(controller_of LIMITED)
tap_is "four CPUs" "$(nproc)" 4
tap_is "whole controller: one queue a CPU beside the admin queue" \
    "$(cat "/sys/class/nvme/$whole/queue_count")" 5
tap_is "limited controller: one I/O queue" "$(cat "/sys/class/nvme/$limited/queue_count")" 2
tap_is "kernel's scheduler on the whole controller" \
    "$(tr -d ' ' <"/sys/block/${whole}n1/queue/scheduler")" "[none]mq-deadline"
tap_is "kernel's scheduler on the limited controller" \
    "$(tr -d ' ' <"/sys/block/${limited}n1/queue/scheduler")" "[mq-deadline]none"
tap_is "nvme-cli sees the serial" \
    "$(nvme id-ctrl "/dev/$whole" -o json | jq -r '.sn | sub(" +$"; "")')" WHOLE
tap_ok "udev knows the disk" sh -c "udevadm info /dev/${whole}n1 | grep -q ID_SERIAL_SHORT=WHOLE"

warning()
{
    nvme smart-log "/dev/$limited" -o json | jq .critical_warning
}

tap_is "no critical warning at first" "$(warning)" 0
tap_ok "inject a critical warning" qmp qom-set \
    '{"path": "/machine/peripheral/limited", "property": "smart_critical_warning", "value": 12}'
tap_is "the device reports it" "$(warning)" 12
tap_ok "take it back" qmp qom-set \
    '{"path": "/machine/peripheral/limited", "property": "smart_critical_warning", "value": 0}'
tap_is "the device reports that too" "$(warning)" 0
tap_ok "device mapper" modprobe dm-mod
tap_ok "xfs" sh -c "mkfs.xfs -q -f /dev/${whole}n2 && mkdir -p /tmp/m &&
    mount /dev/${whole}n2 /tmp/m && umount /tmp/m"
tap_end
