/* The NVMe pages that are read, decoded by our own byte readers. Offsets and units are those of the NVM
 * Express Base and NVM Command Set specifications; all fields are little-endian. Pure: bytes in, plain
 * struct out; a page of another length is refused, any content is accepted.
 *
 * "0's based" fields are decoded (+1) under names ending in _blocks or _count. */
#ifndef NVADVISE_PROBES_NVME_PAGES_H
#define NVADVISE_PROBES_NVME_PAGES_H

#include "advisor/base/err.h"
#include "advisor/base/str.h"

#define NVME_PAGE_IDENTIFY 4096u
#define NVME_PAGE_SMART 512u
#define NVME_POWER_STATES_MAX 32u
#define NVME_FORMATS_MAX 64u
#define NVME_SENSORS_MAX 8u

struct nvme_power_state {
    uint64_t max_power_uw;     /* micro-watts; 0 = not reported */
    bool operational;
    uint32_t enter_us, exit_us;
};

/* Identify Controller (CNS 01h). */
struct nvme_ctrl {
    uint16_t vid;
    struct span serial, model, firmware; /* raw, padded; they point into the page */
    uint8_t mdts;              /* power of two of 4 KiB pages; 0 = no limit */
    uint16_t cntlid;
    uint32_t version;          /* major << 16 | minor << 8 | tertiary; 0 = older than 1.2 */
    uint32_t ctratt;
    uint16_t oacs, oncs;
    uint8_t lpa, npss, fna, vwc;
    uint8_t firmware_slots;    /* 1 … 7; 0 on a broken page */
    uint16_t error_entries;    /* of the error log: 1 … 256 */
    bool host_thermal;         /* the host may set temperatures to throttle at */
    uint32_t sanitize;         /* kinds of sanitize, bits; 0 = none */
    bool apst_supported;
    uint16_t wctemp_k, cctemp_k; /* kelvin; 0 = not reported */
    uint32_t hmb_preferred_4k, hmb_minimum_4k;
    nv_u128 total_bytes, unallocated_bytes;
    uint16_t endgid_max;
    uint32_t awun_blocks, awupf_blocks;
    struct nvme_power_state power[NVME_POWER_STATES_MAX]; /* npss + 1 of them */
};

struct nvme_format {
    uint16_t metadata_bytes;
    uint8_t lba_shift;         /* 0 = not available */
    uint8_t performance;       /* 0 best … 3 degraded */
};

/* Identify Namespace (CNS 00h). */
struct nvme_ns {
    uint64_t size_blocks, capacity_blocks, used_blocks;
    uint8_t nsfeat;
    unsigned n_formats;        /* 1 … 64 */
    unsigned format;           /* index of the one in use; may be >= n_formats on a broken page */
    struct nvme_format formats[NVME_FORMATS_MAX];
    uint8_t pi_type;
    bool shared, write_protected;
    bool format_progress_valid;
    uint8_t format_remaining_pct;
    uint32_t nawupf_blocks;    /* 0 = not valid */
    uint32_t boundary_blocks;  /* NABSPF; 0 = none */
    uint16_t boundary_offset;  /* NABO */
    uint16_t noiob_blocks;     /* 0 = not reported */
    uint32_t npwg_blocks, nows_blocks; /* 0 = not valid */
    uint16_t endgid;
    uint32_t amazon_torn_write_blocks; /* vendor area of Amazon's devices: torn-write unit */
};

/* SMART / Health Information (log 02h). */
struct nvme_smart {
    uint8_t critical_warning;
    uint16_t temperature_k;    /* 0 = not reported */
    uint8_t available_spare, spare_threshold, percentage_used;
    nv_u128 data_units_read, data_units_written; /* 512,000 bytes each */
    nv_u128 host_reads, host_writes, busy_minutes, power_cycles, power_on_hours;
    nv_u128 unsafe_shutdowns, media_errors, error_log_entries;
    uint32_t warning_temp_minutes, critical_temp_minutes;
    uint16_t sensors_k[NVME_SENSORS_MAX]; /* 0 = none */
    uint32_t tmt1_transitions, tmt2_transitions;
};

ATTR_NODISCARD bool nvme_ctrl_decode(struct span page, struct nvme_ctrl *ret, struct err *reterr);
ATTR_NODISCARD bool nvme_ns_decode(struct span page, struct nvme_ns *ret, struct err *reterr);
ATTR_NODISCARD bool nvme_smart_decode(struct span page, struct nvme_smart *ret,
                                      struct err *reterr);

/* Supported Log Pages (log 00h), NVME_LOGS_BYTES: does the controller have log `lid`? */
#define NVME_LOGS_BYTES 1024u
ATTR_NODISCARD bool nvme_logs_decode(struct span page, uint8_t lid, bool *ret, struct err *reterr);

/* Dword 0 of a feature, four bytes. */
ATTR_NODISCARD bool nvme_feature_decode(struct span reply, uint32_t *ret, struct err *reterr);

/* Feature 07h: I/O queues that the controller grants (the smaller of both kinds, 0's based). */
uint32_t nvme_queues_granted(uint32_t dword0);

/* Bytes of a block in the format in use; 0 when the page names none that can be (2^9 … 2^24). */
uint64_t nvme_ns_lba_bytes(const struct nvme_ns *ns);

#endif
