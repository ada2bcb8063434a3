/* See nvme_vendor.h. */
#include "probes/nvme_vendor.h"

#include <string.h>

#include "probes/nvme_bytes.h"

#include "advisor/base/banned.h"

#define EBS_MAGIC 0x3c23b510u
#define INSTANCE_DISK_MAGIC 0xec2c0d7eu
#define INTEL_ITEM 12u

static bool not_its_page(struct err *reterr, const char *whose)
{
    return err_set(reterr, E_NOT_SUPPORTED, "the page has not the signature of %s", whose);
}

bool nvme_ocp_decode(struct span page, struct nvme_ocp *ret, struct err *reterr)
{
    static const char guid[16] = {'\xc5', '\xaf', '\x10', '\x28', '\xea', '\xbf', '\xf2', '\xa4',
                                  '\x9c', '\x4f', '\x6f', '\x7c', '\xc9', '\x14', '\xd5', '\xaf'};
    if (!nvme_length_is(page, NVME_VENDOR_LOG, "log page C0h", reterr)) {
        return false;
    }
    if (memcmp(page.ptr + 496, guid, sizeof(guid)) != 0) {
        return not_its_page(reterr, "the Open Compute Project");
    }
    *ret = (struct nvme_ocp){
        .media_bytes_written = nvme_le128(page, 0),
        .e2e_detected = nvme_le32(page, 72),
        .erase_max = nvme_le32(page, 88),
        .erase_min = nvme_le32(page, 92),
        .throttle_events = nvme_u8(page, 96),
        .throttle_now = nvme_u8(page, 97),
        .incomplete_shutdowns = nvme_le32(page, 112),
        .free_blocks_pct = nvme_u8(page, 120),
        .capacitor_pct = nvme_le16(page, 128),
        .plp_starts = nvme_le128(page, 160),
        .erase_avg = nvme_le64(page, 224),
        .has_erase_avg = nvme_le16(page, 494) >= 5,
    };
    return true;
}

static const struct {
    uint8_t key;
    enum nvme_intel_item item;
} intel_keys[] = {
    {0xab, INTEL_PROGRAM_FAIL}, {0xac, INTEL_ERASE_FAIL},    {0xad, INTEL_WEAR},
    {0xb8, INTEL_E2E},          {0xc7, INTEL_CRC},           {0xe2, INTEL_TIMED_WEAR},
    {0xe3, INTEL_TIMED_READS},  {0xe4, INTEL_TIMED_MINUTES}, {0xea, INTEL_THROTTLE},
    {0xf4, INTEL_NAND_WRITTEN}, {0xf5, INTEL_HOST_WRITTEN},  {0xae, INTEL_POWER_LOSS},
};

static enum nvme_intel_item intel_item(uint8_t key)
{
    for (size_t i = 0; i < ARRAY_LEN(intel_keys); i++) {
        if (intel_keys[i].key == key) {
            return intel_keys[i].item;
        }
    }
    return INTEL_ITEMS;
}

/* An item is a key, two bytes, a normalised value, a byte, the raw value, a byte; the first of a key
 * counts. No field names the maker, so a page counts as Intel's with the wear item and at least one of its
 * neighbours. */
bool nvme_intel_decode(struct span page, struct nvme_intel *ret, struct err *reterr)
{
    struct nvme_intel r = {.has = 0};
    if (!nvme_length_is(page, NVME_VENDOR_LOG, "log page CAh", reterr)) {
        return false;
    }
    for (size_t at = 0; at + INTEL_ITEM <= page.len; at += INTEL_ITEM) {
        const enum nvme_intel_item item = intel_item(nvme_u8(page, at));
        if (item != INTEL_ITEMS && (r.has >> item & 1) == 0) {
            r.has |= 1u << item;
            r.raw[item] = nvme_le48(page, at + 5);
        }
    }
    const unsigned neighbours = 1u << INTEL_PROGRAM_FAIL | 1u << INTEL_ERASE_FAIL;
    if ((r.has >> INTEL_WEAR & 1) == 0 || (r.has & neighbours) == 0) {
        return not_its_page(reterr, "Intel");
    }
    *ret = r;
    return true;
}

uint16_t nvme_intel_wear(const struct nvme_intel *i, unsigned which)
{
    return (uint16_t)(i->raw[INTEL_WEAR] >> (16 * which) & 0xffff);
}

bool nvme_amazon_decode(struct span page, struct nvme_amazon *ret, struct err *reterr)
{
    if (!nvme_length_is(page, NVME_AMAZON_LOG, "log page D0h", reterr)) {
        return false;
    }
    const uint32_t magic = nvme_le32(page, 0);
    if (magic != EBS_MAGIC && magic != INSTANCE_DISK_MAGIC) {
        return not_its_page(reterr, "Amazon");
    }
    *ret = (struct nvme_amazon){
        .volume = magic == EBS_MAGIC,
        .volume_iops_us = nvme_le64(page, 56),
        .volume_throughput_us = nvme_le64(page, 64),
        .instance_iops_us = nvme_le64(page, 72),
        .instance_throughput_us = nvme_le64(page, 80),
        .queue_length = nvme_le64(page, 88),
    };
    return true;
}
