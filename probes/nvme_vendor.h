/* Log pages that are no part of the NVMe specification, each behind a signature that says whose it is.
 * Pure: bytes in, plain struct out; a page of another length or without its signature is refused.
 *
 *   C0h  SMART / Health Information Extended of the Open Compute Project (Datacenter NVMe SSD Specification
 *        2.0 and later): GUID in the last 16 bytes
 *   CAh  additional SMART attributes of Intel, now Solidigm (SSD DC P3600 and later product specifications):
 *        items of 12 bytes that begin with a known key
 *   D0h  statistics of Amazon EBS volumes and EC2 instance disks (EC2 user guide, "NVMe detailed performance
 *        statistics"): a magic number in the first four bytes */
#ifndef NVADVISE_PROBES_NVME_VENDOR_H
#define NVADVISE_PROBES_NVME_VENDOR_H

#include "advisor/base/err.h"
#include "advisor/base/str.h"

#define NVME_VENDOR_LOG 512u   /* C0h and CAh: all that is decoded stands in it */
#define NVME_AMAZON_LOG 4096u /* D0h: the only length that is documented */

struct nvme_ocp {
    nv_u128 media_bytes_written;
    uint32_t e2e_detected;
    uint32_t erase_min, erase_max;
    uint64_t erase_avg;       /* with has_erase_avg: from version 5 of the page on */
    bool has_erase_avg;
    uint8_t throttle_events;  /* saturates at 255 */
    uint8_t throttle_now;     /* 0 = not throttled */
    uint32_t incomplete_shutdowns;
    uint8_t free_blocks_pct;
    uint16_t capacitor_pct;   /* margin, 100 = as required when new, 0 = failed; 65535 = none */
    nv_u128 plp_starts;
};
ATTR_NODISCARD bool nvme_ocp_decode(struct span page, struct nvme_ocp *ret, struct err *reterr);
#define NVME_OCP_NO_CAPACITOR 0xffffu

/* Raw values of the items; each is there when its `has` bit is set. */
enum nvme_intel_item {
    INTEL_PROGRAM_FAIL,
    INTEL_ERASE_FAIL,
    INTEL_WEAR,             /* three counts: nvme_intel_wear */
    INTEL_E2E,
    INTEL_CRC,
    INTEL_TIMED_WEAR,       /* 1/1024 of a percent */
    INTEL_TIMED_READS,      /* percent */
    INTEL_TIMED_MINUTES,
    INTEL_THROTTLE,         /* percent in bits 7:0, events in bits 39:8 */
    INTEL_NAND_WRITTEN,     /* units of 32 MiB */
    INTEL_HOST_WRITTEN,     /* units of 32 MiB */
    INTEL_POWER_LOSS,
    INTEL_ITEMS
};
#define NVME_INTEL_UNIT (32u * 1024 * 1024)
#define NVME_INTEL_NOT_STARTED 0xffffu /* in the timed items: the timer was never started */
struct nvme_intel {
    unsigned has;                 /* bits 1 << enum nvme_intel_item */
    uint64_t raw[INTEL_ITEMS];    /* 48 bits */
};
ATTR_NODISCARD bool nvme_intel_decode(struct span page, struct nvme_intel *ret,
                                      struct err *reterr);
/* Which: 0 = least, 1 = greatest, 2 = mean number of erasures. */
uint16_t nvme_intel_wear(const struct nvme_intel *i, unsigned which);

struct nvme_amazon {
    bool volume;                  /* an EBS volume; else a disk of the instance */
    uint64_t volume_iops_us, volume_throughput_us;     /* time over the limit; with volume */
    uint64_t instance_iops_us, instance_throughput_us;
    uint64_t queue_length;
};
ATTR_NODISCARD bool nvme_amazon_decode(struct span page, struct nvme_amazon *ret,
                                       struct err *reterr);

#endif
