/* Decoders of NVMe pages by our own byte readers: nothing of a library's structs, whose layout changes
 * between versions. Pure; judges nothing. */
#include "probes/nvme_pages.h"

#include "advisor/base/banned.h"

static uint8_t u8(struct span p, size_t at)
{
    return (uint8_t)p.ptr[at];
}

static uint16_t le16(struct span p, size_t at)
{
    return (uint16_t)(u8(p, at) | u8(p, at + 1) << 8);
}

static uint32_t le32(struct span p, size_t at)
{
    return (uint32_t)le16(p, at) | (uint32_t)le16(p, at + 2) << 16;
}

static uint64_t le64(struct span p, size_t at)
{
    return (uint64_t)le32(p, at) | (uint64_t)le32(p, at + 4) << 32;
}

static nv_u128 le128(struct span p, size_t at)
{
    return (nv_u128)le64(p, at) | (nv_u128)le64(p, at + 8) << 64;
}

static bool check_length(struct span page, size_t want, const char *what, struct err *reterr)
{
    if (page.len != want) {
        return err_set(reterr, E_SYNTAX, "%s of %zu bytes instead of %zu", what, page.len, want);
    }
    return true;
}

static void decode_power_state(struct span p, size_t at, struct nvme_power_state *ret)
{
    uint8_t flags = u8(p, at + 3);
    ret->max_power_uw = (uint64_t)le16(p, at) * ((flags & 1) != 0 ? 100u : 10000u);
    ret->operational = (flags & 2) == 0;
    ret->enter_us = le32(p, at + 4);
    ret->exit_us = le32(p, at + 8);
}

bool nvme_ctrl_decode(struct span page, struct nvme_ctrl *ret, struct err *reterr)
{
    if (!check_length(page, NVME_PAGE_IDENTIFY, "Identify Controller page", reterr)) {
        return false;
    }
    struct nvme_ctrl c = {
        .vid = le16(page, 0),
        .serial = span_sub(page, 4, 20),
        .model = span_sub(page, 24, 40),
        .firmware = span_sub(page, 64, 8),
        .mdts = u8(page, 77),
        .cntlid = le16(page, 78),
        .version = le32(page, 80),
        .ctratt = le32(page, 96),
        .oacs = le16(page, 256),
        .lpa = u8(page, 261),
        .npss = u8(page, 263),
        .apst_supported = (u8(page, 265) & 1) != 0,
        .wctemp_k = le16(page, 266),
        .cctemp_k = le16(page, 268),
        .hmb_preferred_4k = le32(page, 272),
        .hmb_minimum_4k = le32(page, 276),
        .total_bytes = le128(page, 280),
        .unallocated_bytes = le128(page, 296),
        .endgid_max = le16(page, 340),
        .oncs = le16(page, 520),
        .fna = u8(page, 524),
        .vwc = u8(page, 525),
        .awun_blocks = (uint32_t)le16(page, 526) + 1,
        .awupf_blocks = (uint32_t)le16(page, 528) + 1,
    };
    for (size_t i = 0; i < NVME_POWER_STATES_MAX; i++) {
        decode_power_state(page, 2048 + 32 * i, &c.power[i]);
    }
    *ret = c;
    return true;
}

/* NLBAF and NULBAF are 0's based and absolute counts; together at most 64. */
static unsigned count_formats(struct span page)
{
    unsigned n = (unsigned)u8(page, 25) + 1 + (unsigned)u8(page, 82);
    return n > NVME_FORMATS_MAX ? NVME_FORMATS_MAX : n;
}

bool nvme_ns_decode(struct span page, struct nvme_ns *ret, struct err *reterr)
{
    if (!check_length(page, NVME_PAGE_IDENTIFY, "Identify Namespace page", reterr)) {
        return false;
    }
    uint8_t nsfeat = u8(page, 24), flbas = u8(page, 26), fpi = u8(page, 32);
    uint16_t nawupf = le16(page, 36), nabspf = le16(page, 44);
    bool optperf = (nsfeat & 0x30) != 0; /* one bit until NVMe 2.0, two from 2.1 on */
    struct nvme_ns n = {
        .size_blocks = le64(page, 0),
        .capacity_blocks = le64(page, 8),
        .used_blocks = le64(page, 16),
        .nsfeat = nsfeat,
        .n_formats = count_formats(page),
        .pi_type = u8(page, 29) & 7,
        .shared = (u8(page, 30) & 1) != 0,
        .write_protected = (u8(page, 99) & 1) != 0,
        .format_progress_valid = (fpi & 0x80) != 0,
        .format_remaining_pct = fpi & 0x7f,
        .nawupf_blocks = (nsfeat & 2) != 0 && nawupf != 0 ? (uint32_t)nawupf + 1 : 0,
        .boundary_blocks = nabspf != 0 ? (uint32_t)nabspf + 1 : 0,
        .boundary_offset = le16(page, 42),
        .noiob_blocks = le16(page, 46),
        .npwg_blocks = optperf ? (uint32_t)le16(page, 64) + 1 : 0,
        .nows_blocks = optperf ? (uint32_t)le16(page, 72) + 1 : 0,
        .endgid = le16(page, 102),
        .amazon_torn_write_blocks = (uint32_t)le16(page, 384 + 256) + 1,
    };
    n.format = flbas & 0x0fu;
    if (n.n_formats > 16) {
        n.format |= (unsigned)(flbas & 0x60) >> 1; /* bits 6:5 are bits 5:4 of the index */
    }
    for (unsigned i = 0; i < n.n_formats; i++) {
        size_t at = 128 + 4 * (size_t)i;
        n.formats[i] = (struct nvme_format){
            .metadata_bytes = le16(page, at),
            .lba_shift = u8(page, at + 2),
            .performance = u8(page, at + 3) & 3,
        };
    }
    *ret = n;
    return true;
}

bool nvme_smart_decode(struct span page, struct nvme_smart *ret, struct err *reterr)
{
    if (!check_length(page, NVME_PAGE_SMART, "SMART log", reterr)) {
        return false;
    }
    struct nvme_smart s = {
        .critical_warning = u8(page, 0),
        .temperature_k = le16(page, 1),
        .available_spare = u8(page, 3),
        .spare_threshold = u8(page, 4),
        .percentage_used = u8(page, 5),
        .data_units_read = le128(page, 32),
        .data_units_written = le128(page, 48),
        .host_reads = le128(page, 64),
        .host_writes = le128(page, 80),
        .busy_minutes = le128(page, 96),
        .power_cycles = le128(page, 112),
        .power_on_hours = le128(page, 128),
        .unsafe_shutdowns = le128(page, 144),
        .media_errors = le128(page, 160),
        .error_log_entries = le128(page, 176),
        .warning_temp_minutes = le32(page, 192),
        .critical_temp_minutes = le32(page, 196),
        .tmt1_transitions = le32(page, 216),
        .tmt2_transitions = le32(page, 220),
    };
    for (size_t i = 0; i < NVME_SENSORS_MAX; i++) {
        s.sensors_k[i] = le16(page, 200 + 2 * i);
    }
    *ret = s;
    return true;
}

bool nvme_logs_decode(struct span page, uint8_t lid, bool *ret, struct err *reterr)
{
    if (!check_length(page, NVME_LOGS_BYTES, "supported logs", reterr)) {
        return false;
    }
    *ret = (le32(page, 4u * lid) & 1) != 0;
    return true;
}

bool nvme_feature_decode(struct span reply, uint32_t *ret, struct err *reterr)
{
    if (!check_length(reply, sizeof(*ret), "feature", reterr)) {
        return false;
    }
    *ret = le32(reply, 0);
    return true;
}

uint32_t nvme_queues_granted(uint32_t dword0)
{
    uint32_t submission = dword0 & 0xffff, completion = dword0 >> 16;
    return (submission < completion ? submission : completion) + 1;
}

uint64_t nvme_ns_lba_bytes(const struct nvme_ns *ns)
{
    if (ns->format >= ns->n_formats) {
        return 0;
    }
    uint8_t shift = ns->formats[ns->format].lba_shift;
    return shift < 9 || shift > 24 ? 0 : (uint64_t)1 << shift;
}
