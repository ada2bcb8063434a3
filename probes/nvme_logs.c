/* See nvme_logs.h. */
#include "probes/nvme_logs.h"

#include "probes/nvme_bytes.h"

#include "advisor/base/banned.h"

bool nvme_errors_decode(struct span page, struct nvme_error *ret, size_t *ret_n,
                        struct err *reterr)
{
    const size_t n = page.len / NVME_ERROR_ENTRY;
    if (n == 0 || n > NVME_ERROR_ENTRIES_MAX || page.len % NVME_ERROR_ENTRY != 0) {
        return err_set(reterr, E_SYNTAX, "error log of %zu bytes", page.len);
    }
    for (size_t i = 0; i < n; i++) {
        const size_t at = i * NVME_ERROR_ENTRY;
        ret[i] = (struct nvme_error){
            .number = nvme_le64(page, at),
            .queue = nvme_le16(page, at + 8),
            .status = (uint16_t)(nvme_le16(page, at + 12) >> 1 & 0x7ff), /* bit 0 is the phase */
            .lba = nvme_le64(page, at + 16),
            .nsid = nvme_le32(page, at + 24),
        };
    }
    *ret_n = n;
    return true;
}

bool nvme_error_is_media(const struct nvme_error *e)
{
    return e->number != 0 && e->queue != 0 && e->queue != UINT16_MAX && e->status >> 8 == 2;
}

bool nvme_firmware_decode(struct span page, struct nvme_firmware *ret, struct err *reterr)
{
    if (!nvme_length_is(page, NVME_FIRMWARE_LOG, "firmware log", reterr)) {
        return false;
    }
    const uint8_t info = nvme_u8(page, 0);
    struct nvme_firmware f = {.active = info & 7, .next = info >> 4 & 7};
    for (size_t i = 0; i < NVME_FIRMWARE_SLOTS_MAX; i++) {
        f.revision[i] = span_sub(page, 8 + 8 * i, 8);
    }
    *ret = f;
    return true;
}

static enum nvme_selftest_end selftest_end(uint8_t code)
{
    switch (code & 0x0f) {
    case 0x0:
        return SELFTEST_PASSED;
    case 0x5: /* a fatal error during it */
    case 0x6: /* a segment failed, it is not known which */
    case 0x7: /* one or more segments failed */
        return SELFTEST_FAILED;
    case 0x1: /* by a command */
    case 0x2: /* by a reset */
    case 0x3: /* its namespace was removed */
    case 0x4: /* by a format */
    case 0x8: /* it is not known why */
    case 0x9: /* by a sanitize */
        return SELFTEST_ABORTED;
    default:
        return SELFTEST_NONE;
    }
}

bool nvme_selftest_decode(struct span page, struct nvme_selftest *ret, struct err *reterr)
{
    if (!nvme_length_is(page, NVME_SELFTEST_LOG, "self-test log", reterr)) {
        return false;
    }
    struct nvme_selftest s = {.running = nvme_u8(page, 0) & 0x0f,
                              .percent_done = nvme_u8(page, 1) & 0x7f};
    for (size_t i = 0; i < NVME_SELFTEST_RESULTS; i++) {
        const size_t at = 4 + 28 * i;
        const enum nvme_selftest_end end = selftest_end(nvme_u8(page, at));
        if (end != SELFTEST_NONE && s.last == SELFTEST_NONE) {
            s.last = end;
            s.last_hours = nvme_le64(page, at + 4);
        }
        s.failed += end == SELFTEST_FAILED;
    }
    *ret = s;
    return true;
}

bool nvme_sanitize_decode(struct span page, enum nvme_sanitize_state *ret, struct err *reterr)
{
    static const enum nvme_sanitize_state states[8] = {
        SANITIZE_NEVER,   SANITIZE_DONE, /* and deallocated */
        SANITIZE_RUNNING, SANITIZE_FAILED,
        SANITIZE_DONE, /* and not deallocated */
        SANITIZE_RUNNING, /* its result is being verified */
        SANITIZE_OTHER,   SANITIZE_OTHER,
    };
    if (!nvme_length_is(page, NVME_SANITIZE_LOG, "sanitize log", reterr)) {
        return false;
    }
    *ret = states[nvme_le16(page, 2) & 7];
    return true;
}

bool nvme_endurance_decode(struct span page, struct nvme_endurance *ret, struct err *reterr)
{
    if (!nvme_length_is(page, NVME_ENDURANCE_LOG, "endurance group log", reterr)) {
        return false;
    }
    *ret = (struct nvme_endurance){
        .critical_warning = nvme_u8(page, 0),
        .available_spare = nvme_u8(page, 3),
        .spare_threshold = nvme_u8(page, 4),
        .percentage_used = nvme_u8(page, 5),
        .data_units_written = nvme_le128(page, 64),
        .media_units_written = nvme_le128(page, 80),
    };
    return true;
}

bool nvme_fdp_decode(struct span page, struct nvme_fdp *ret, struct err *reterr)
{
    if (!nvme_length_is(page, NVME_FDP_LOG, "data placement statistics", reterr)) {
        return false;
    }
    *ret = (struct nvme_fdp){.host_bytes = nvme_le128(page, 0), .media_bytes = nvme_le128(page, 16)};
    return true;
}
