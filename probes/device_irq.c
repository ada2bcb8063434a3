/* Device, theme interrupts: how many vectors the device offers, and which CPUs each of its queues
 * interrupts. */
#include "probes/device.h"

#include "advisor/base/banned.h"

const struct fact_decl device_irq_decls[DEVICE_IRQ_DECLS] = {
    {"device.queue.msix_table_size", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_MIN, NEED_ROOT,
     "interrupt vectors that the device offers", "/sys/class/nvme/CTRL/device/config", "root"},
    {"device.queue.affinity", KIND_LIST, NULL, SUBJECT_DEVICE, FOLD_SAME, NEED_NONE,
     "CPUs that each queue interrupts: queue:CPUs, q0 is the admin queue",
     "/proc/interrupts, /proc/irq/N/effective_affinity_list", ""},
};
