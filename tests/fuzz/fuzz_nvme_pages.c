/* NVMe pages: any bytes of any length; a page of the right length always decodes, one of another length
 * never does, and what is decoded stays within its bounds. The first byte chooses the page. */
#include <stdlib.h>
#include <string.h>

#include "probes/nvme_logs.h"
#include "probes/nvme_pages.h"
#include "probes/nvme_vendor.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input at the front of a page of zeros. */
static struct span padded(struct arena *a, const uint8_t *data, size_t size, size_t want)
{
    char *page = arena_alloc(a, want);
    memcpy(page, data, size < want ? size : want);
    return (struct span){page, want};
}

static void check_ns(struct span page)
{
    struct nvme_ns ns;
    struct err e = ERR_INIT;
    if (!nvme_ns_decode(page, &ns, &e)) {
        abort();
    }
    uint64_t lba = nvme_ns_lba_bytes(&ns);
    if (ns.n_formats < 1 || ns.n_formats > NVME_FORMATS_MAX || ns.format >= NVME_FORMATS_MAX ||
        (lba != 0 && (lba < 512 || lba > (1u << 24) || ns.format >= ns.n_formats))) {
        abort();
    }
}

/* Log pages beyond health: each takes its own length and any content, makers' only their signature. */
static void check_logs(struct span raw)
{
    static struct nvme_error errors[NVME_ERROR_ENTRIES_MAX];
    struct nvme_firmware firmware;
    struct nvme_selftest selftest;
    struct nvme_endurance endurance;
    struct nvme_fdp fdp;
    struct nvme_ocp ocp;
    struct nvme_intel intel;
    struct nvme_amazon amazon;
    enum nvme_sanitize_state sanitize = SANITIZE_NEVER;
    struct err e = ERR_INIT;
    size_t n = 0;
    const bool whole = raw.len > 0 && raw.len % NVME_ERROR_ENTRY == 0 &&
                       raw.len <= NVME_ERROR_ENTRY * NVME_ERROR_ENTRIES_MAX;
    if (nvme_errors_decode(raw, errors, &n, &e) != whole || n > NVME_ERROR_ENTRIES_MAX ||
        nvme_firmware_decode(raw, &firmware, &e) != (raw.len == NVME_FIRMWARE_LOG) ||
        nvme_selftest_decode(raw, &selftest, &e) != (raw.len == NVME_SELFTEST_LOG) ||
        nvme_sanitize_decode(raw, &sanitize, &e) != (raw.len == NVME_SANITIZE_LOG) ||
        nvme_endurance_decode(raw, &endurance, &e) != (raw.len == NVME_ENDURANCE_LOG) ||
        nvme_fdp_decode(raw, &fdp, &e) != (raw.len == NVME_FDP_LOG) ||
        (nvme_ocp_decode(raw, &ocp, &e) && raw.len != NVME_VENDOR_LOG) ||
        (nvme_intel_decode(raw, &intel, &e) &&
         (raw.len != NVME_VENDOR_LOG || intel.has >> INTEL_ITEMS != 0)) ||
        (nvme_amazon_decode(raw, &amazon, &e) && raw.len != NVME_AMAZON_LOG)) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = arena_new();
    struct nvme_ctrl ctrl;
    struct nvme_smart smart;
    struct nvme_ns ns;
    struct err e = ERR_INIT;
    bool there = false;
    struct span raw = {(const char *)data, size};
    if (size == 0) {
        return 0;
    }
    if (nvme_ctrl_decode(raw, &ctrl, &e) != (size == NVME_PAGE_IDENTIFY) ||
        nvme_ns_decode(raw, &ns, &e) != (size == NVME_PAGE_IDENTIFY) ||
        nvme_smart_decode(raw, &smart, &e) != (size == NVME_PAGE_SMART) ||
        nvme_logs_decode(raw, (uint8_t)size, &there, &e) != (size == NVME_LOGS_BYTES)) {
        abort();
    }
    static const size_t lengths[] = {NVME_FDP_LOG, NVME_FIRMWARE_LOG, NVME_SELFTEST_LOG,
                                     NVME_AMAZON_LOG};
    check_logs(raw);
    for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
        check_logs(padded(a, data + 1, size - 1, lengths[i]));
    }
    if (data[0] % 3 == 0) {
        check_ns(padded(a, data + 1, size - 1, NVME_PAGE_IDENTIFY));
    } else if (data[0] % 3 == 1) {
        struct span page = padded(a, data + 1, size - 1, NVME_PAGE_IDENTIFY);
        if (!nvme_ctrl_decode(page, &ctrl, &e) || ctrl.model.len != 40 || ctrl.serial.len != 20 ||
            ctrl.awupf_blocks == 0) {
            abort();
        }
    } else if (!nvme_smart_decode(padded(a, data + 1, size - 1, NVME_PAGE_SMART), &smart, &e)) {
        abort();
    }
    return 0;
}
