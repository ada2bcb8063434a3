# A host that gives the controller no vector of its own: one legacy interrupt, one I/O queue.
# shellcheck source=tests/lib/tap.sh
. /ro/guest/tap.sh
# shellcheck source=tests/vm/guest/lib.sh
. /ro/guest/lib.sh
# shellcheck source=tests/vm/guest/judge.sh
. /ro/guest/judge.sh
# shellcheck source=tests/vm/guest/compare.sh
. /ro/guest/compare.sh

GUEST_DIR=/tmp/nomsi
mkdir $GUEST_DIR
whole=$(controller_of WHOLE)
disk=${whole}n1
tap_is "the kernel gave one queue" "$(cat "/sys/class/nvme/$whole/queue_count")" 2
tap_has "on a legacy line" "$(grep "${whole}q0" /proc/interrupts)" IO-APIC
tap_ok "facts are read" facts_read
compare_lines "one line" "device:$disk" <<'TABLE'
device.queue.interrupt_mode intx
device.queue.io_queues 1
device.queue.hw_queues 1
device.queue.cpus_per_queue_max 4
device.queue.scheduler mq-deadline
TABLE
tap_ok "ext4 on it" sh -c "mke2fs -q -t ext4 /dev/$disk && mkdir -p /s/one && mount /dev/$disk /s/one"
compare_path /s/one <<'TABLE'
volume:/s/one|one legacy interrupt
TABLE
tap_is "the drive would give more" "$(fact "device:$disk" device.feature.io_queues_granted)" 64
check_read --all-devices
expect "legacy interrupt" nvme-legacy-interrupt "device:$disk" fail
expect "legacy interrupt" nvme-single-io-queue "device:$disk" fail
tap_is "the kernel reset no controller and saw no timeout" "$(kernel_said)" ""
tap_end
