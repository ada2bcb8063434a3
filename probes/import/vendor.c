/* Pages of makers as nvme-cli's plugins print them: intel and solidigm smart-log-add (also memblaze's and others'
 * tables of that shape), ocp smart-add-log. Ratios of bytes to the flash over bytes from the host need no unit;
 * figures in bytes are set only where the unit is known. */
#include <string.h>

#include "advisor/base/parse.h"
#include "probes/import/fields.h"

#include "advisor/base/banned.h"

#define TIMER_IDLE 65535 /* the timed counters until the timer was started */
#define INTEL_UNIT 33554432u /* NAND and host bytes in units of 32 MiB */

static struct span first_line(const struct import_piece *p)
{
    struct span rest = span_trim(p->text), line = {"", 0};
    (void)span_line(&rest, &line);
    return span_trim(line);
}

/* The word behind "device:" of a header. */
static struct span header_device(struct span line)
{
    struct span rest = line, word;
    while (span_word(&rest, &word)) {
        if (span_starts(word, "device:")) {
            return span_sub(word, 7, word.len);
        }
    }
    return (struct span){"", 0};
}

/* ---- smart-log-add --------------------------------------------------------------------------- */

static bool begins_add(struct span line)
{
    return span_starts(line, "Additional Smart Log for NVM");
}

static unsigned add_sure(const struct import_piece *p)
{
    return begins_add(first_line(p))                                                          ? IMPORT_HEADER
           : bag_find(p->bag, "programfailcount*") != NULL && bag_find(p->bag, "wearleveling*") != NULL
               ? IMPORT_LABELS + 20
               : IMPORT_NO;
}

/* One row of either layout: "name : 100%  raw", or "0xab  name  100  raw". */
struct add_row {
    struct span name;
    struct span raw; /* behind the normalized value */
};

static bool row_of(struct arena *a, struct span line, struct add_row *ret)
{
    struct span rest = span_trim(line), word;
    struct span name = {"", 0};
    for (size_t i = 0; i < rest.len; i++) {
        if (rest.ptr[i] == ':') {
            name = span_trim(span_sub(rest, 0, i));
            rest = span_sub(rest, i + 1, rest.len);
            break;
        }
        if (rest.ptr[i] == ' ' && span_starts(rest, "0x")) {
            rest = span_sub(rest, i, rest.len);
            if (!span_word(&rest, &name)) {
                return false;
            }
            break;
        }
    }
    if (name.len == 0 || !span_word(&rest, &word)) {
        return false;
    }
    struct span peek = rest, next;
    if (span_word(&peek, &next) && span_ends(next, "%") && !span_ends(word, "%")) {
        rest = peek; /* memblaze: the key's number stands before the normalized value */
    }
    ret->name = bag_key(a, name);
    ret->raw = span_trim(rest);
    return ret->raw.len > 0;
}

/* The number behind "min:", "cnt:", "sectors:". */
static bool part(struct span raw, const char *name, uint64_t *ret)
{
    const struct span want = span_of(name);
    nv_u128 v = 0;
    for (size_t i = 0; i + want.len < raw.len; i++) {
        if (span_eq(span_sub(raw, i, want.len), want) &&
            number_count(span_sub(raw, i + want.len, raw.len), false, false, &v) && v <= UINT64_MAX) {
            *ret = (uint64_t)v;
            return true;
        }
    }
    return false;
}

static void set_share(struct import *im, struct import_device *d, const char *fact, double percent)
{
    if (percent >= 0 && percent <= 1e6) {
        import_num(im, d, fact, KIND_RATIO, num_real(percent / 100));
    }
}

static void set_bytes(struct import *im, struct import_device *d, const char *fact, uint64_t units)
{
    struct num n;
    if (units > 0 && num_mul(num_u64(units), num_u64(INTEL_UNIT), &n) == NUM_OK) {
        import_num(im, d, fact, KIND_BYTES, n);
    }
}

/* Keys of plain counters. */
static const struct {
    const char *keys, *fact;
} plain[] = {
    {"programfailcount programfailcnt", "device.media.program_fail"},
    {"erasefailcount erasefailcnt", "device.media.erase_fail"},
    {"endtoenderrordetectioncount endtoenderrordectcount e2eerrordetectcount", "device.media.e2e_errors"},
    {"crcerrorcount", "device.media.crc_errors"},
    {"unexpectedpowerloss", "device.media.unexpected_power_loss"},
};

/* What the timed counters say, taken together: until the timer runs they hold 65535, and the wear that follows from
 * it (63.999 %) is none. */
struct timed {
    double wear, reads;
    uint64_t minutes;
    bool has_wear, has_reads, has_minutes;
};

static void set_timed(struct import *im, struct import_device *d, const struct timed *t)
{
    static const char idle[] = "the timer of the workload was never started";
    static const char *const facts[] = {"device.media.timed_media_wear_pct",
                                        "device.media.timed_host_reads_pct", "device.media.timed_minutes"};
    const bool stopped = (t->has_minutes && t->minutes == TIMER_IDLE) ||
                         (t->has_reads && t->reads >= TIMER_IDLE) ||
                         (!t->has_minutes && t->has_wear && t->wear > 63.99 && t->wear < 64);
    if (stopped) {
        for (size_t i = 0; i < ARRAY_LEN(facts); i++) {
            import_unknown(im, d, facts[i], FACT_ABSENT, idle);
        }
        return;
    }
    if (t->has_wear) {
        set_share(im, d, facts[0], t->wear);
    }
    if (t->has_reads) {
        set_share(im, d, facts[1], t->reads);
    }
    if (t->has_minutes && t->minutes < UINT64_MAX / 60) {
        import_u64(im, d, facts[2], KIND_SECONDS, t->minutes * 60);
    }
}

/* The wear is printed in percent by the older layout, in 1024ths of a percent by the newer one. */
static void take_timed(const struct add_row *r, struct timed *t)
{
    nv_u128 v = 0;
    if (bag_matches(r->name, "timedworkloadmediawear mediawearpercentage")) {
        t->has_wear = number_real(r->raw, &t->wear);
        t->wear = span_starts(r->name, "timed") ? t->wear : t->wear / 1024;
    } else if (bag_matches(r->name, "timedworkloadhostreads hostreads")) {
        t->has_reads = number_real(r->raw, &t->reads);
    } else if (bag_matches(r->name, "timedworkloadtimer workloadtimer") &&
               number_count(r->raw, false, false, &v) && v <= UINT64_MAX) {
        t->has_minutes = true;
        t->minutes = (uint64_t)v;
    }
}

/* Three counters of 16 bits in one number, where the layout does not take them apart. */
static void set_wear(struct import *im, struct import_device *d, struct span raw)
{
    uint64_t min = 0, max = 0, avg = 0;
    nv_u128 packed = 0;
    if (!part(raw, "min:", &min) || !part(raw, "max:", &max) || !part(raw, "avg:", &avg)) {
        if (!number_count(raw, false, false, &packed) || packed >> 48 != 0) {
            return;
        }
        min = (uint64_t)(packed & 0xffff);
        max = (uint64_t)(packed >> 16 & 0xffff);
        avg = (uint64_t)(packed >> 32 & 0xffff);
    }
    import_u64(im, d, "device.media.wear_min", KIND_COUNT, min);
    import_u64(im, d, "device.media.wear_max", KIND_COUNT, max);
    import_u64(im, d, "device.media.wear_avg", KIND_COUNT, avg);
}

static void set_throttle(struct import *im, struct import_device *d, struct span raw)
{
    uint64_t count = 0;
    double share = 0;
    if (span_has(raw, '%') && number_real(raw, &share)) {
        set_share(im, d, "device.media.throttle_pct", share);
        import_bool(im, d, "device.media.throttled_now", share > 0);
    }
    if (part(raw, "cnt:", &count)) {
        import_u64(im, d, "device.media.throttle_count", KIND_COUNT, count);
    }
}

static void set_row(struct import *im, struct import_device *d, const struct add_row *r, struct timed *t)
{
    uint64_t units = 0;
    nv_u128 v = 0;
    take_timed(r, t);
    if (bag_matches(r->name, "wearleveling*")) {
        set_wear(im, d, r->raw);
    } else if (bag_matches(r->name, "thermalthrottlestatus")) {
        set_throttle(im, d, r->raw);
    } else if (bag_matches(r->name, "nandbyteswritten hostbyteswritten")) {
        const bool nand = span_starts(r->name, "nand");
        if (part(r->raw, "sectors:", &units) ||
            (number_count(r->raw, false, false, &v) && v <= UINT64_MAX && (units = (uint64_t)v, true))) {
            set_bytes(im, d, nand ? "device.media.bytes_written" : "device.media.host_bytes_written", units);
        }
    }
    for (size_t i = 0; i < ARRAY_LEN(plain); i++) {
        if (bag_matches(r->name, plain[i].keys) && number_count(r->raw, false, false, &v)) {
            import_num(im, d, plain[i].fact, KIND_COUNT, num_u128(v));
        }
    }
}

static bool add_read(struct import *im, const struct import_piece *p)
{
    const struct import_who who = {.name = header_device(first_line(p))};
    struct import_device *d = import_device(im, p, &who, PAGE_VENDOR);
    struct timed t = {.wear = 0};
    struct span rest = p->text, line;
    size_t n = 0;
    for (size_t i = 0; i < p->bag->n; i++) {
        p->bag->items[i].used = true; /* rows of a table */
    }
    while (span_line(&rest, &line)) {
        struct add_row r;
        if (row_of(import_arena(im), line, &r) && !begins_add(span_trim(line))) {
            set_row(im, d, &r, &t);
            n++;
        }
    }
    set_timed(im, d, &t);
    import_word(im, d, "device.media.source", "intel");
    import_kind(im, d, "nvme");
    return n > 0;
}

const struct import_format import_smart_add = {
    .name = "nvme smart-log-add",
    .doc = "nvme intel smart-log-add, nvme solidigm smart-log-add: text of both layouts",
    .begins = begins_add,
    .last = "plllocklosscount hostbyteswritten",
    .sure = add_sure,
    .read = add_read,
};

/* {"Intel Smart log": "nvme0", "Device stats": {"nand_bytes_written": {"normalized": 100, "raw": 1}, …}} */
static unsigned add_json_sure(const struct import_piece *p)
{
    const struct json *stats = json_get(p->json, "Device stats");
    return stats != NULL && stats->type == JSON_OBJECT ? IMPORT_HEADER : IMPORT_NO;
}

/* The members of an entry as the text form would print them. */
static struct span raw_of(struct import *im, const struct json *entry)
{
    struct buf b;
    buf_init(&b, import_arena(im), 400);
    for (size_t i = 0; entry->type == JSON_OBJECT && i < entry->n; i++) {
        const struct span key = entry->keys[i];
        const struct json *v = entry->items[i];
        if (v->type != JSON_NUMBER || span_eq_text(key, "normalized")) {
            continue;
        }
        if (span_starts(key, "percent") || span_eq_text(key, "throttle_status")) {
            num_print(&b, v->number);
            buf_add_text(&b, "%, ");
        } else {
            const bool plain_value = span_eq_text(key, "raw");
            buf_add_span(&b, plain_value                       ? SPAN_LIT("")
                             : span_starts(key, "count") ? SPAN_LIT("cnt")
                                                               : key);
            buf_add_text(&b, plain_value ? "" : ": ");
            num_print(&b, v->number);
            buf_add_text(&b, plain_value ? "" : ", ");
        }
    }
    return buf_span(&b);
}

static bool add_json_read(struct import *im, const struct import_piece *p)
{
    const struct json *stats = json_get(p->json, "Device stats");
    struct import_who who = {.name = {"", 0}};
    struct timed t = {.wear = 0};
    for (size_t i = 0; i < p->bag->n; i++) {
        p->bag->items[i].used = true;
        who.name = bag_matches(p->bag->items[i].key, "intelsmartlog solidigmsmartlog") ? p->bag->items[i].value
                                                                                       : who.name;
    }
    struct import_device *d = import_device(im, p, &who, PAGE_VENDOR);
    for (size_t i = 0; i < stats->n; i++) {
        struct add_row r = {.name = bag_key(import_arena(im), stats->keys[i]),
                            .raw = raw_of(im, stats->items[i])};
        set_row(im, d, &r, &t);
    }
    set_timed(im, d, &t);
    import_word(im, d, "device.media.source", "intel");
    import_kind(im, d, "nvme");
    return stats->n > 0;
}

const struct import_format import_smart_add_json = {
    .name = "nvme smart-log-add (JSON)",
    .doc = "the same with -o json",
    .json = true,
    .sure = add_json_sure,
    .read = add_json_read,
};
