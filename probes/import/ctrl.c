/* Identify Controller under the specification's own short names, as nvme-cli prints it, to facts. */
#include "advisor/base/parse.h"
#include "probes/import/fields.h"

#include "advisor/base/banned.h"

#define STATES_MAX 32u
#define KEYS                                                                                       \
    "vid ssvid sn mn fr cmic mdts cntlid ver ctratt oacs frmw lpa elpe npss apsta wctemp cctemp "  \
    "hmpre hmmin tnvmcap unvmcap endgidmax oncs fna vwc awun awupf"

/* Kept as they are. */
static const struct {
    const char *key, *fact;
    uint64_t max;
} counts[] = {
    {"vid", "device.vid", 0xffff},       {"cntlid", "device.cntlid", 0xffff},
    {"ctratt", "device.ctratt", UINT32_MAX}, {"oacs", "device.oacs", 0xffff},
    {"lpa", "device.lpa", 0xff},         {"npss", "device.npss", 31},
    {"endgidmax", "device.endgid_max", 0xffff}, {"oncs", "device.oncs", 0xffff},
    {"fna", "device.fna", 0xff},         {"mdts", "device.mdts", 0xff},
};

/* The short names, which no other output has in such number. */
unsigned ctrl_known(const struct bag *b)
{
    unsigned n = 0;
    for (size_t i = 0; i < b->n; i++) {
        n += bag_matches(b->items[i].key, KEYS);
    }
    return n;
}

static bool field(const struct bag *b, const char *key, uint64_t max, uint64_t *ret)
{
    return bag_u64(bag_find(b, key), max, ret);
}

/* nvme-cli before 1.0 printed the version in hexadecimal without 0x: no version has a major number of 0. */
static void read_version(struct import *im, struct import_device *d, const struct bag *b)
{
    const struct bag_item *item = bag_find(b, "ver");
    uint64_t v = 0;
    if (!bag_u64(item, UINT32_MAX, &v)) {
        return;
    }
    if (v > 0 && v >> 16 == 0 && !item->json) {
        (void)parse_hex_u64(span_trim(item->value), &v);
    }
    if (v >> 16 == 0 || v > UINT32_MAX) {
        import_unknown(im, d, "device.nvme_version", FACT_ABSENT, "not reported, as before NVMe 1.2");
        return;
    }
    const struct version version = {
        .part = {(uint32_t)(v >> 16), (uint32_t)(v >> 8 & 0xff), (uint32_t)(v & 0xff)}, .n = 3};
    import_known(im, d, "device.nvme_version", value_version(version));
}

static void read_transfer(struct import *im, struct import_device *d, const struct bag *b)
{
    uint64_t mdts = 0;
    if (!field(b, "mdts", 0xff, &mdts)) {
        return;
    }
    if (mdts == 0 || mdts > 51) {
        import_unknown(im, d, "device.max_transfer_bytes_4k_pages", FACT_ABSENT,
                       "the controller sets no limit");
    } else {
        import_u64(im, d, "device.max_transfer_bytes_4k_pages", KIND_BYTES, (uint64_t)4096 << mdts);
    }
}

static void read_threshold(struct import *im, struct import_device *d, const struct bag *b,
                           const char *key, const char *fact)
{
    const struct bag_item *item = bag_find(b, key);
    nv_u128 v;
    int64_t k = 0;
    if (item == NULL) {
        return;
    }
    if (number_count(item->value, item->json, false, &v) && v < 10000) {
        k = (int64_t)v; /* kelvin, whatever its size */
        if (k > 0 && k < 200 && number_kelvin(item->value, &k) && k == (int64_t)v) {
            return;
        }
    } else if (!number_kelvin(item->value, &k)) {
        return;
    }
    import_kelvin(im, d, fact, k);
}

static void read_capacity(struct import *im, struct import_device *d, const struct bag *b)
{
    nv_u128 total = 0, free_bytes = 0;
    const bool has_free = bag_count(bag_find(b, "unvmcap"), &free_bytes);
    if (!bag_count(bag_find(b, "tnvmcap"), &total)) {
        return;
    }
    if (total == 0) {
        static const char none[] = "the controller reports 0: not supported";
        import_unknown(im, d, "device.tnvmcap_bytes", FACT_ABSENT, none);
        import_unknown(im, d, "device.unvmcap_bytes", FACT_ABSENT, none);
        return;
    }
    import_num(im, d, "device.tnvmcap_bytes", KIND_BYTES, num_u128(total));
    if (has_free) {
        import_num(im, d, "device.unvmcap_bytes", KIND_BYTES, num_u128(free_bytes));
    }
}

static void read_bits(struct import *im, struct import_device *d, const struct bag *b)
{
    uint64_t v = 0;
    if (field(b, "vwc", 0xff, &v)) {
        import_bool(im, d, "device.volatile_write_cache", (v & 1) != 0);
    }
    if (field(b, "apsta", 0xff, &v)) {
        import_bool(im, d, "device.apst_supported", (v & 1) != 0);
    }
    if (field(b, "oncs", 0xffff, &v)) {
        import_bool(im, d, "device.discard_supported", (v & 4) != 0);
    }
    if (field(b, "hmpre", UINT32_MAX, &v)) {
        import_u64(im, d, "device.hmb_preferred_bytes", KIND_BYTES, v * 4096);
        if (v == 0) {
            import_bool(im, d, "device.feature.hmb_enabled", false);
        }
    }
    if (field(b, "awun", 0xffff, &v)) {
        import_u64(im, d, "device.awun_blocks", KIND_COUNT, v + 1);
    }
    if (field(b, "awupf", 0xffff, &v)) {
        import_u64(im, d, "device.awupf_blocks", KIND_COUNT, v + 1);
    }
}

/* ---- power states ---------------------------------------------------------------------------- */

/* The text behind "NAME:" in a line of several such. */
static struct span member(struct span line, const char *name)
{
    const struct span want = span_of(name);
    for (size_t i = 0; i + want.len < line.len; i++) {
        if (span_eq(span_sub(line, i, want.len), want) && (i == 0 || line.ptr[i - 1] == ' ')) {
            struct span rest = span_sub(line, i + want.len, line.len), word;
            return span_word(&rest, &word) ? word : (struct span){"", 0};
        }
    }
    return (struct span){"", 0};
}

static bool micro_watts(struct span text, uint64_t *ret)
{
    double w = 0;
    if (!number_real(text, &w) || w > 1000) {
        return false;
    }
    *ret = (uint64_t)(w * 1000000 + 0.5);
    return true;
}

struct span import_power_state(struct arena *a, size_t i, uint64_t uw, uint64_t enter,
                               uint64_t leave, bool idle)
{
    return span_of(arena_printf(a, "ps%zu:%llu.%02lluW:enter-%lluus:exit-%lluus%s", i,
                                (unsigned long long)(uw / 1000000),
                                (unsigned long long)(uw / 10000 % 100), (unsigned long long)enter,
                                (unsigned long long)leave, idle ? ":idle" : ""));
}

/* "ps    0 : mp:25.00W operational enlat:0 exlat:0 …" */
static size_t text_states(struct arena *a, const struct bag *b, struct span *items)
{
    size_t n = 0;
    for (; n < STATES_MAX; n++) {
        const struct bag_item *item = bag_find(b, arena_printf(a, "ps%zu", n));
        uint64_t uw = 0, enter = 0, leave = 0;
        if (item == NULL || !parse_u64(member(item->value, "enlat:"), &enter) ||
            !parse_u64(member(item->value, "exlat:"), &leave)) {
            break;
        }
        (void)micro_watts(member(item->value, "mp:"), &uw);
        struct span rest = item->value, word;
        bool idle = false;
        while (span_word(&rest, &word)) {
            idle = idle || span_starts(word, "non-operational");
        }
        items[n] = import_power_state(a, n, uw, enter, leave, idle);
    }
    return n;
}

static uint64_t member_u64(const struct json *o, const char *key)
{
    const struct json *v = json_get(o, key);
    uint64_t n = 0;
    return v != NULL && v->type == JSON_NUMBER && num_to_u64(v->number, &n) ? n : 0;
}

static size_t json_states(struct arena *a, const struct json *list, struct span *items)
{
    size_t n = 0;
    for (; list != NULL && list->type == JSON_ARRAY && n < list->n && n < STATES_MAX; n++) {
        const struct json *o = list->items[n];
        if (o->type != JSON_OBJECT || json_get(o, "entry_lat") == NULL) {
            break;
        }
        const uint64_t flags = member_u64(o, "flags"), power = member_u64(o, "max_power");
        const bool fine = member_u64(o, "max_power_scale") != 0 || (flags & 1) != 0;
        const bool idle = member_u64(o, "non-operational_state") != 0 ||
                          member_u64(o, "non_operational_state") != 0 || (flags & 2) != 0;
        items[n] = import_power_state(a, n, power < 65536 ? power * (fine ? 100 : 10000) : 0,
                              member_u64(o, "entry_lat"), member_u64(o, "exit_lat"), idle);
    }
    return n;
}

static void read_states(struct import *im, struct import_device *d, const struct import_piece *p,
                        const struct bag *b)
{
    struct span items[STATES_MAX];
    const size_t n = p->json != NULL ? json_states(import_arena(im), json_get(p->json, "psds"), items)
                                     : text_states(import_arena(im), b, items);
    if (n > 0) {
        import_list(im, d, "device.power_states", items, n);
    }
}

size_t ctrl_read(struct import *im, struct import_device *d, const struct import_piece *p,
                 const struct bag *b)
{
    const struct bag_item *sn = bag_find(b, "sn"), *mn = bag_find(b, "mn"), *fr = bag_find(b, "fr");
    size_t set = 0;
    for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
        uint64_t v = 0;
        if (field(b, counts[i].key, counts[i].max, &v)) {
            import_u64(im, d, counts[i].fact, KIND_COUNT, v);
            set++;
        }
    }
    if (sn != NULL) {
        import_serial(im, d, sn->value);
    }
    if (mn != NULL) {
        import_str(im, d, "device.model", mn->value);
    }
    if (fr != NULL) {
        import_str(im, d, "device.firmware", fr->value);
    }
    read_version(im, d, b);
    read_transfer(im, d, b);
    read_threshold(im, d, b, "wctemp", "device.wctemp_c");
    read_threshold(im, d, b, "cctemp", "device.cctemp_c");
    read_capacity(im, d, b);
    read_bits(im, d, b);
    read_states(im, d, p, b);
    import_kind(im, d, "nvme");
    return set + (mn != NULL) + (sn != NULL);
}
