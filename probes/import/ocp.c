/* The health log of the Open Compute Project (C0h) as nvme ocp smart-add-log and the plugins of WDC, SanDisk and
 * Micron print it, with ':', '-' or blanks behind the labels, and Micron's and WDC's own counters of flash bytes. */
#include "advisor/base/parse.h"
#include "probes/import/fields.h"

#include "advisor/base/banned.h"

#define NO_CAPACITOR 0xffffu

#define MEDIA_WRITTEN "physicalmediaunitswritten"
#define MAKERS_WRITTEN "nandwrites* physicalnandbyteswritten physicallywrittenbytes"
#define CAPACITOR "capacitorhealth"
#define THROTTLED "currentthrottlingstatus thermalthrottlingcurrentstatus thermalthrottlingstatus"

static const struct {
    const char *keys, *fact;
} counts[] = {
    {"maxuserdataerasecounts userdataerasecountsmax maxuserdataerasecount", "device.media.wear_max"},
    {"minuserdataerasecounts userdataerasecountsmin minuserdataerasecount", "device.media.wear_min"},
    {"nandavgerasecount", "device.media.wear_avg"},
    {"endtoenddetectederrors e2edetectederrors", "device.media.e2e_errors"},
    {"numberofthermalthrottlingevents thermalthrottlingeventcount thermalthrottlingcount",
     "device.media.throttle_count"},
    {"plpstartcount", "device.media.unexpected_power_loss"},
    {"programfailurecount", "device.media.program_fail"},
    {"erasefailures", "device.media.erase_fail"},
};

static const char rest_of_page[] =
    "physicalmediaunitsread baduser* badsystem* xorrecovery* uncorrectableread* softecc* endtoendcorrected* "
    "systemdata* refreshcount* pciecorrectable* incompleteshutdowns unaligned* securityversion* nuse* "
    "endurance* logpage* formfactor dieinuse* nvme* totalmedia* totaldie* mediadies* maxtemp* command* "
    "sysarea* maxpeak* currentmax* lifetime* dssd* lowest* errata* pointversion* minorversion* "
    "majorversion* pcielink* powerstate* nandxor* badblock* nszechange* numberofnsze*";

static unsigned known(const struct bag *b)
{
    unsigned n = 0;
    for (size_t i = 0; i < b->n; i++) {
        n += bag_matches(b->items[i].key, MEDIA_WRITTEN " " MAKERS_WRITTEN " " CAPACITOR " " THROTTLED
                                          " percentfreeblocks plpstartcount incompleteshutdowns");
    }
    return n;
}

static bool begins(struct span line)
{
    return span_starts(line, "SMART Cloud Attributes");
}

static unsigned text_sure(const struct import_piece *p)
{
    struct span rest = span_trim(p->text), line = {"", 0};
    const unsigned n = known(p->bag);
    (void)span_line(&rest, &line);
    return n == 0 ? IMPORT_NO : begins(span_trim(line)) ? IMPORT_HEADER : IMPORT_LABELS + 50 + n;
}

/* "0 2068700589752320" (high and low half), "- 0 12", "1,234,567". */
static bool wide(struct span text, bool json, nv_u128 *ret)
{
    struct span s = span_trim(text), rest, high, low, more;
    uint64_t h = 0, l = 0;
    while (span_starts(s, "-") || span_starts(s, ":")) {
        s = span_trim(span_sub(s, 1, s.len));
    }
    rest = s;
    if (span_word(&rest, &high) && span_word(&rest, &low) && !span_word(&rest, &more) &&
        parse_u64(high, &h) && parse_u64(low, &l) && (h == 0 || low.len > 3)) {
        *ret = (nv_u128)h << 64 | l;
        return true;
    }
    return number_count(s, json, false, ret);
}

/* {"hi": 0, "lo": 1} or a number. */
static bool json_wide(struct import *im, const struct import_piece *p, const char *keys, nv_u128 *ret)
{
    for (size_t i = 0; p->json != NULL && i < p->json->n; i++) {
        const struct json *v = p->json->items[i];
        const struct bag *b;
        uint64_t h = 0, l = 0;
        if (v->type != JSON_OBJECT || !bag_matches(bag_key(import_arena(im), p->json->keys[i]), keys)) {
            continue;
        }
        b = bag_of_json(import_arena(im), v);
        if (bag_u64(bag_find(b, "hi"), UINT64_MAX, &h) && bag_u64(bag_find(b, "lo"), UINT64_MAX, &l)) {
            *ret = (nv_u128)h << 64 | l;
            return true;
        }
    }
    return false;
}

static bool value_of(struct import *im, const struct import_piece *p, const char *keys, nv_u128 *ret)
{
    const struct bag_item *item = bag_find(p->bag, keys);
    return (item != NULL && wide(item->value, item->json, ret)) || json_wide(im, p, keys, ret);
}

/* The margin of its energy in percent: 0 is too little for a shutdown, 0xffff a drive without capacitors. */
static void read_capacitor(struct import *im, struct import_device *d, const struct import_piece *p)
{
    nv_u128 v = 0;
    if (!value_of(im, p, CAPACITOR, &v)) {
        return;
    }
    if (v == NO_CAPACITOR) {
        import_unknown(im, d, "device.media.capacitor_ok", FACT_NOT_SUPPORTED, "the drive has no capacitors");
        import_bool(im, d, "device.media.capacitor_page", false);
    } else {
        import_bool(im, d, "device.media.capacitor_ok", v > 0);
        import_bool(im, d, "device.media.capacitor_page", true);
    }
}

static bool read_page(struct import *im, const struct import_piece *p)
{
    const struct bag_item *name = bag_find(p->bag, "smartcloudattributesfornvmedevice");
    const struct import_who who = {.name = name != NULL ? name->value : p->device};
    struct import_device *d = import_device(im, p, &who, PAGE_VENDOR);
    nv_u128 v = 0;
    struct num n;
    const bool ocp = value_of(im, p, MEDIA_WRITTEN, &v);
    if ((ocp || value_of(im, p, MAKERS_WRITTEN, &v)) && v > 0) {
        import_num(im, d, "device.media.bytes_written", KIND_BYTES, num_u128(v));
        import_word(im, d, "device.media.source",
                    ocp                                        ? "ocp"
                    : bag_find(p->bag, "nandwrites*") != NULL ? "micron"
                                                               : "wdc");
    }
    for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
        if (value_of(im, p, counts[i].keys, &v)) {
            import_num(im, d, counts[i].fact, KIND_COUNT, num_u128(v));
        }
    }
    if (value_of(im, p, THROTTLED, &v)) {
        import_bool(im, d, "device.media.throttled_now", v > 0);
    }
    if (value_of(im, p, "percentfreeblocks", &v) && v <= 100 &&
        num_div(num_u128(v), num_u64(100), &n) == NUM_OK) {
        import_num(im, d, "device.media.free_blocks_pct", KIND_RATIO, n);
    }
    read_capacitor(im, d, p);
    import_kind(im, d, "nvme");
    for (size_t i = 0; i < p->bag->n; i++) {
        p->bag->items[i].used = p->bag->items[i].used || bag_matches(p->bag->items[i].key, rest_of_page);
    }
    return true;
}

const struct import_format import_ocp = {
    .name = "nvme ocp smart-add-log",
    .doc = "nvme ocp smart-add-log, and such pages by the wdc, sndk and micron plugins: text",
    .begins = begins,
    .sure = text_sure,
    .read = read_page,
};

static unsigned json_sure(const struct import_piece *p)
{
    unsigned n = known(p->bag);
    for (size_t i = 0; i < p->json->n && p->json->type == JSON_OBJECT; i++) {
        n += bag_matches(bag_key(p->bag->arena, p->json->keys[i]), MEDIA_WRITTEN);
    }
    return n == 0 ? IMPORT_NO : IMPORT_LABELS + 50 + n;
}

const struct import_format import_ocp_json = {
    .name = "nvme ocp smart-add-log (JSON)",
    .doc = "the same with -o json",
    .json = true,
    .sure = json_sure,
    .read = read_page,
};
