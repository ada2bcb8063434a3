/* Device, theme way up: where the controller sits in the PCI tree, the slowest hop up to the root, and
 * the errors that both ends of its link have counted. */
#include "probes/device.h"

#include "advisor/base/banned.h"

#define UP_ROW(name, kind, fold, meaning, from)                                                    \
    {                                                                                              \
        "device.pci." name, kind, NULL, SUBJECT_DEVICE, fold, NEED_NONE, meaning, from, ""         \
    }

const struct fact_decl device_upstream_decls[DEVICE_UPSTREAM_DECLS] = {
    UP_ROW("address", KIND_STRING, FOLD_SAME, "PCI address of the controller",
           "/sys/class/nvme/CTRL/device"),
    UP_ROW("slot", KIND_STRING, FOLD_SAME, "slot that it sits in, as the platform numbers them",
           "/sys/bus/pci/slots"),
    UP_ROW("hotplug", KIND_BOOL, FOLD_ALL, "its slot can be unplugged while running",
           "/sys/bus/pci/slots, PCI configuration of the port above"),
    UP_ROW("upstream_bytes_per_sec", KIND_BYTES_PER_S, FOLD_SUM,
           "what its share of the slowest link above carries at most",
           "current_link_speed and _width of each port above"),
    UP_ROW("upstream_port", KIND_STRING, FOLD_SAME, "the port above with that link",
           "the same"),
    UP_ROW("aer_counters", KIND_LIST, FOLD_SAME,
           "errors since boot that are not 0: device or port, severity, name, count",
           "aer_dev_correctable, aer_dev_nonfatal, aer_dev_fatal"),
    UP_ROW("aer_correctable", KIND_COUNT, FOLD_SUM,
           "correctable errors since boot, device and port above", "aer_dev_correctable"),
    UP_ROW("aspm", KIND_LIST, FOLD_SAME, "power states of the link that are on", "link/*_aspm"),
};
