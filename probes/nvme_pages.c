/* Decoders of NVMe pages by our own byte readers: nothing of a library's structs, whose layout changes
 * between versions. Pure; judges nothing. */
#include "probes/nvme_pages.h"

#include "probes/nvme_bytes.h"

#include "advisor/base/banned.h"

static void decode_power_state(struct span p, size_t at, struct nvme_power_state *ret)
{
    uint8_t flags = nvme_u8(p, at + 3);
    ret->max_power_uw = (uint64_t)nvme_le16(p, at) * ((flags & 1) != 0 ? 100u : 10000u);
    ret->operational = (flags & 2) == 0;
    ret->enter_us = nvme_le32(p, at + 4);
    ret->exit_us = nvme_le32(p, at + 8);
}

bool nvme_ctrl_decode(struct span page, struct nvme_ctrl *ret, struct err *reterr)
{
    if (!nvme_length_is(page, NVME_PAGE_IDENTIFY, "Identify Controller page", reterr)) {
        return false;
    }
    struct nvme_ctrl c = {
        .vid = nvme_le16(page, 0),
        .serial = span_sub(page, 4, 20),
        .model = span_sub(page, 24, 40),
        .firmware = span_sub(page, 64, 8),
        .mdts = nvme_u8(page, 77),
        .cntlid = nvme_le16(page, 78),
        .version = nvme_le32(page, 80),
        .ctratt = nvme_le32(page, 96),
        .oacs = nvme_le16(page, 256),
        .firmware_slots = (uint8_t)(nvme_u8(page, 260) >> 1 & 7),
        .lpa = nvme_u8(page, 261),
        .error_entries = (uint16_t)(nvme_u8(page, 262) + 1),
        .npss = nvme_u8(page, 263),
        .apst_supported = (nvme_u8(page, 265) & 1) != 0,
        .wctemp_k = nvme_le16(page, 266),
        .cctemp_k = nvme_le16(page, 268),
        .hmb_preferred_4k = nvme_le32(page, 272),
        .hmb_minimum_4k = nvme_le32(page, 276),
        .total_bytes = nvme_le128(page, 280),
        .unallocated_bytes = nvme_le128(page, 296),
        .host_thermal = (nvme_u8(page, 322) & 1) != 0,
        .sanitize = nvme_le32(page, 328) & 7,
        .endgid_max = nvme_le16(page, 340),
        .oncs = nvme_le16(page, 520),
        .fna = nvme_u8(page, 524),
        .vwc = nvme_u8(page, 525),
        .awun_blocks = (uint32_t)nvme_le16(page, 526) + 1,
        .awupf_blocks = (uint32_t)nvme_le16(page, 528) + 1,
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
    unsigned n = (unsigned)nvme_u8(page, 25) + 1 + (unsigned)nvme_u8(page, 82);
    return n > NVME_FORMATS_MAX ? NVME_FORMATS_MAX : n;
}

bool nvme_ns_decode(struct span page, struct nvme_ns *ret, struct err *reterr)
{
    if (!nvme_length_is(page, NVME_PAGE_IDENTIFY, "Identify Namespace page", reterr)) {
        return false;
    }
    uint8_t nsfeat = nvme_u8(page, 24), flbas = nvme_u8(page, 26), fpi = nvme_u8(page, 32);
    uint16_t nawupf = nvme_le16(page, 36), nabspf = nvme_le16(page, 44);
    bool optperf = (nsfeat & 0x30) != 0; /* one bit until NVMe 2.0, two from 2.1 on */
    struct nvme_ns n = {
        .size_blocks = nvme_le64(page, 0),
        .capacity_blocks = nvme_le64(page, 8),
        .used_blocks = nvme_le64(page, 16),
        .nsfeat = nsfeat,
        .n_formats = count_formats(page),
        .pi_type = nvme_u8(page, 29) & 7,
        .shared = (nvme_u8(page, 30) & 1) != 0,
        .write_protected = (nvme_u8(page, 99) & 1) != 0,
        .format_progress_valid = (fpi & 0x80) != 0,
        .format_remaining_pct = fpi & 0x7f,
        .nawupf_blocks = (nsfeat & 2) != 0 && nawupf != 0 ? (uint32_t)nawupf + 1 : 0,
        .boundary_blocks = nabspf != 0 ? (uint32_t)nabspf + 1 : 0,
        .boundary_offset = nvme_le16(page, 42),
        .noiob_blocks = nvme_le16(page, 46),
        .npwg_blocks = optperf ? (uint32_t)nvme_le16(page, 64) + 1 : 0,
        .nows_blocks = optperf ? (uint32_t)nvme_le16(page, 72) + 1 : 0,
        .endgid = nvme_le16(page, 102),
        .amazon_torn_write_blocks = (uint32_t)nvme_le16(page, 384 + 256) + 1,
    };
    n.format = flbas & 0x0fu;
    if (n.n_formats > 16) {
        n.format |= (unsigned)(flbas & 0x60) >> 1; /* bits 6:5 are bits 5:4 of the index */
    }
    for (unsigned i = 0; i < n.n_formats; i++) {
        size_t at = 128 + 4 * (size_t)i;
        n.formats[i] = (struct nvme_format){
            .metadata_bytes = nvme_le16(page, at),
            .lba_shift = nvme_u8(page, at + 2),
            .performance = nvme_u8(page, at + 3) & 3,
        };
    }
    *ret = n;
    return true;
}

bool nvme_smart_decode(struct span page, struct nvme_smart *ret, struct err *reterr)
{
    if (!nvme_length_is(page, NVME_PAGE_SMART, "SMART log", reterr)) {
        return false;
    }
    struct nvme_smart s = {
        .critical_warning = nvme_u8(page, 0),
        .temperature_k = nvme_le16(page, 1),
        .available_spare = nvme_u8(page, 3),
        .spare_threshold = nvme_u8(page, 4),
        .percentage_used = nvme_u8(page, 5),
        .data_units_read = nvme_le128(page, 32),
        .data_units_written = nvme_le128(page, 48),
        .host_reads = nvme_le128(page, 64),
        .host_writes = nvme_le128(page, 80),
        .busy_minutes = nvme_le128(page, 96),
        .power_cycles = nvme_le128(page, 112),
        .power_on_hours = nvme_le128(page, 128),
        .unsafe_shutdowns = nvme_le128(page, 144),
        .media_errors = nvme_le128(page, 160),
        .error_log_entries = nvme_le128(page, 176),
        .warning_temp_minutes = nvme_le32(page, 192),
        .critical_temp_minutes = nvme_le32(page, 196),
        .tmt1_transitions = nvme_le32(page, 216),
        .tmt2_transitions = nvme_le32(page, 220),
    };
    for (size_t i = 0; i < NVME_SENSORS_MAX; i++) {
        s.sensors_k[i] = nvme_le16(page, 200 + 2 * i);
    }
    *ret = s;
    return true;
}

bool nvme_logs_decode(struct span page, uint8_t lid, bool *ret, struct err *reterr)
{
    if (!nvme_length_is(page, NVME_LOGS_BYTES, "supported logs", reterr)) {
        return false;
    }
    *ret = (nvme_le32(page, 4u * lid) & 1) != 0;
    return true;
}

bool nvme_feature_decode(struct span reply, uint32_t *ret, struct err *reterr)
{
    if (!nvme_length_is(reply, sizeof(*ret), "feature", reterr)) {
        return false;
    }
    *ret = nvme_le32(reply, 0);
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
