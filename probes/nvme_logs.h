/* The NVMe log pages of NVM Express Base Specification 2.1 beyond the health log, decoded by our own byte
 * readers. Pure: bytes in, plain struct out; a page of another length is refused, any content is accepted.
 * Fields are little-endian; offsets are those of the specification. */
#ifndef NVADVISE_PROBES_NVME_LOGS_H
#define NVADVISE_PROBES_NVME_LOGS_H

#include "advisor/base/err.h"
#include "advisor/base/str.h"

#define NVME_ERROR_ENTRY 64u
#define NVME_ERROR_ENTRIES_MAX 64u /* as many as one command of 4096 bytes gives */
#define NVME_FIRMWARE_LOG 512u
#define NVME_FIRMWARE_SLOTS_MAX 7u
#define NVME_SELFTEST_LOG 564u
#define NVME_SELFTEST_RESULTS 20u
#define NVME_SANITIZE_LOG 512u
#define NVME_ENDURANCE_LOG 512u
#define NVME_FDP_LOG 64u

/* One entry of Error Information (log 01h). */
struct nvme_error {
    uint64_t number;     /* counts from 1; 0 = the entry is not used */
    uint16_t queue;      /* 0 = the admin queue; 65535 = of no command */
    uint16_t status;     /* type in bits 10:8, code in bits 7:0; without phase and retry bits */
    uint64_t lba;
    uint32_t nsid;
};
/* A page of whole entries, at most NVME_ERROR_ENTRIES_MAX; `ret` has room for them. */
ATTR_NODISCARD bool nvme_errors_decode(struct span page, struct nvme_error *ret, size_t *ret_n,
                                       struct err *reterr);
/* Of a command to an I/O queue, with a status of type 2h: media and data integrity. */
bool nvme_error_is_media(const struct nvme_error *e);

/* Firmware Slot Information (log 03h). */
struct nvme_firmware {
    uint8_t active; /* slot 1 … 7; 0 on a broken page */
    uint8_t next;   /* slot that the next controller reset starts; 0 = no change */
    struct span revision[NVME_FIRMWARE_SLOTS_MAX]; /* raw, padded, in the page; of slot i + 1 */
};
ATTR_NODISCARD bool nvme_firmware_decode(struct span page, struct nvme_firmware *ret,
                                         struct err *reterr);

/* Device Self-test (log 06h). */
enum nvme_selftest_end { SELFTEST_NONE, SELFTEST_PASSED, SELFTEST_ABORTED, SELFTEST_FAILED };
struct nvme_selftest {
    uint8_t running;     /* 0 = none is; else its kind */
    uint8_t percent_done; /* with running */
    enum nvme_selftest_end last;
    uint64_t last_hours; /* power-on hours when it ended; with last != SELFTEST_NONE */
    unsigned failed;     /* of the results that the page holds */
};
ATTR_NODISCARD bool nvme_selftest_decode(struct span page, struct nvme_selftest *ret,
                                         struct err *reterr);

/* Sanitize Status (log 81h). */
enum nvme_sanitize_state {
    SANITIZE_NEVER,
    SANITIZE_DONE,
    SANITIZE_RUNNING,
    SANITIZE_FAILED,
    SANITIZE_OTHER /* a state that this version does not know */
};
ATTR_NODISCARD bool nvme_sanitize_decode(struct span page, enum nvme_sanitize_state *ret,
                                         struct err *reterr);

/* Endurance Group Information (log 09h). Units are thousands of millions of bytes, rounded up. */
#define NVME_ENDURANCE_UNIT 1000000000u
struct nvme_endurance {
    uint8_t critical_warning; /* bits 0 spare, 2 reliability, 3 read only */
    uint8_t available_spare, spare_threshold, percentage_used; /* percent */
    nv_u128 data_units_written;  /* by the host; 0 = not reported */
    nv_u128 media_units_written; /* to the media, all causes; 0 = not reported */
};
ATTR_NODISCARD bool nvme_endurance_decode(struct span page, struct nvme_endurance *ret,
                                          struct err *reterr);

/* Flexible Data Placement Statistics (log 22h), bytes. */
struct nvme_fdp {
    nv_u128 host_bytes, media_bytes; /* written, metadata counted */
};
ATTR_NODISCARD bool nvme_fdp_decode(struct span page, struct nvme_fdp *ret, struct err *reterr);

#endif
