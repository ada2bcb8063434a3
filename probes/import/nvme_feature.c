/* nvme get-feature: the current values of the features that facts are made of. */
#include "advisor/base/parse.h"
#include "probes/import/fields.h"

#include "advisor/base/banned.h"

static bool begins(struct span line)
{
    return span_starts(line, "get-feature:");
}

static unsigned sure(const struct import_piece *p)
{
    struct span rest = span_trim(p->text), line = {"", 0};
    (void)span_line(&rest, &line);
    return begins(span_trim(line)) ? IMPORT_HEADER : IMPORT_NO;
}

/* "get-feature:0x07 (Number of Queues), Current value:0x3f003f"; older: "Current value: 00000001", hexadecimal
 * without 0x. */
static bool feature_of(struct span line, uint64_t *ret_id, uint64_t *ret_value)
{
    static const char value[] = "urrent value:";
    struct span rest = span_sub(line, sizeof("get-feature:") - 1, line.len), word;
    if (!span_word(&rest, &word) || !parse_hex_u64(word, ret_id)) {
        return false;
    }
    for (size_t i = 0; i + sizeof(value) <= line.len; i++) {
        struct span s = span_sub(line, i, line.len);
        if (span_starts(s, value)) {
            s = span_sub(s, sizeof(value) - 1, s.len);
            return span_word(&s, &word) && parse_hex_u64(word, ret_value) && *ret_value <= UINT32_MAX;
        }
    }
    return false;
}

static bool set_feature(struct import *im, struct import_device *d, uint64_t id, uint64_t v)
{
    const uint64_t sq = v & 0xffff, cq = v >> 16;
    struct num n;
    switch (id) {
    case 0x02:
        import_u64(im, d, "device.feature.power_state", KIND_COUNT, v & 0x1f);
        return true;
    case 0x06:
        import_bool(im, d, "device.feature.vwc_enabled", (v & 1) != 0);
        return true;
    case 0x07:
        import_u64(im, d, "device.feature.io_queues_granted", KIND_COUNT, (sq < cq ? sq : cq) + 1);
        return true;
    case 0x08: /* units of 100 us */
        if (num_div(num_u64(v >> 8 & 0xff), num_u64(10000), &n) != NUM_OK) {
            return false;
        }
        import_num(im, d, "device.feature.irq_coalesce_time", KIND_SECONDS, n);
        return true;
    case 0x0a:
        import_bool(im, d, "device.feature.atomic_normal_disabled", (v & 1) != 0);
        return true;
    case 0x0c:
        import_bool(im, d, "device.feature.apst_enabled", (v & 1) != 0);
        return true;
    case 0x0d:
        import_bool(im, d, "device.feature.hmb_enabled", (v & 1) != 0);
        return true;
    case 0x1d:
        import_bool(im, d, "device.feature.fdp_enabled", (v & 1) != 0);
        return true;
    default:
        return false;
    }
}

/* One feature a piece; what -H adds explains its bits. */
static bool read_feature(struct import *im, const struct import_piece *p)
{
    const struct import_who who = {.name = p->device};
    struct span rest = span_trim(p->text), line = {"", 0};
    uint64_t id = 0, v = 0;
    for (size_t i = 0; i < p->bag->n; i++) {
        p->bag->items[i].used = true;
    }
    (void)span_line(&rest, &line);
    if (!feature_of(span_trim(line), &id, &v)) {
        return false;
    }
    struct import_device *d = import_device(im, p, &who, PAGE_FEATURE);
    import_kind(im, d, "nvme");
    if (!set_feature(im, d, id, v)) {
        import_note(im, p, "feature 0x%llx is not kept", (unsigned long long)id);
    }
    return true;
}

const struct import_format import_nvme_feature = {
    .name = "nvme get-feature",
    .doc = "nvme get-feature: current values, also with -H",
    .begins = begins,
    .sure = sure,
    .read = read_feature,
};
