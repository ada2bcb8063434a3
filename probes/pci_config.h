/* Capabilities of a PCI function from its configuration space, register by register over the seam (PCI
 * Express Base Specification, "configuration space"; linux/pci_regs.h has the numbers). Everything read is
 * hostile: a list that goes round or leaves the first 256 bytes ends in an error. Needs root: others see 64
 * bytes, and get E_CUT. */
#ifndef NVADVISE_PROBES_PCI_CONFIG_H
#define NVADVISE_PROBES_PCI_CONFIG_H

#include "probes/host/host.h"

/* Vectors that the function offers by MSI-X: 1 … 2048; 0: it has no MSI-X. `path` = /sys/…/config. */
ATTR_NODISCARD bool pci_msix_vectors(struct host *h, const char *path, unsigned *ret,
                                     struct err *reterr);

/* Is the port's slot one that can be unplugged while running? E_ABSENT: the function is no port with a
 * slot. */
ATTR_NODISCARD bool pci_slot_hotplug(struct host *h, const char *path, bool *ret,
                                     struct err *reterr);

/* "0000:01:00.0": domain, bus, device, function. */
bool pci_is_address(struct span name);

#endif
