/* One NVMe admin command through libnvme, whichever of its generations is installed: the only file that
 * includes it is nvme_lib.c. Private to probes/host.
 *
 * No command here is ever given a timeout: when an admin command times out the kernel resets the
 * controller. A device that does not answer costs the child that asks, which the parent leaves behind. */
#ifndef NVADVISE_PROBES_HOST_NVME_LIB_H
#define NVADVISE_PROBES_HOST_NVME_LIB_H

#include <stdbool.h>
#include <stdint.h>

/* An open controller. */
struct nvme_lib;

/* Is a library built in? Without it nvme_lib_open fails with ENOSYS. */
bool nvme_lib_is_there(void);

/* Open "nvme0" below /dev; NULL with errno. Allocated on the heap: closing frees it. */
struct nvme_lib *nvme_lib_open(const char *name);
void nvme_lib_close(struct nvme_lib *n);

/* What is asked: opcode, namespace, command dwords, and where the data go. */
struct nvme_lib_command {
    uint8_t opcode;
    uint32_t nsid;
    uint32_t cdw10, cdw11;
    void *data; /* NULL: this command moves no data */
    uint32_t data_len;
};

/* Send it and wait. 0: *ret_dword0 is the completion's first dword; above 0: the controller's status (type
 * and code in bits 10:0); -1 with errno: the kernel refused. */
int nvme_lib_send(struct nvme_lib *n, const struct nvme_lib_command *c, uint32_t *ret_dword0);

#endif
