/* isdct, intelmas and sst, the tools of Intel and Solidigm: the health log (show -nvmelog smarthealthinfo), sensors
 * (show -sensor) and properties (show -a -intelssd), as text and JSON. Whole numbers are hexadecimal in the health
 * log, some versions leave the 0x out. */
#include "advisor/base/parse.h"
#include "probes/import/fields.h"

#include "advisor/base/banned.h"

#define SERIAL_LEAST 8u /* shorter texts in a heading are numbers of drives */

/* Properties and sensors, in one word each. */
static const struct field properties[] = {
    {"device.model", FIELD_TEXT, "modelnumber"},
    {"device.firmware", FIELD_TEXT, "firmware"},
    {"device.ns.size_bytes", FIELD_BYTES, "physicalsize"},
    {"device.ns.capacity_bytes", FIELD_BYTES, "physicalsize"},
    {"device.ns.lba_bytes", FIELD_BYTES, "sectorsize sectordatasize"},
    {"device.cntlid", FIELD_COUNT, "nvmecontrollerid"},
    {"device.feature.power_state", FIELD_COUNT, "nvmepowerstate"},
    {"device.pci.link_width", FIELD_COUNT, "pcilinkwidth"},
    {"device.media.wear_avg", FIELD_COUNT, "averagenanderasecycles"},
    {"device.media.wear_min", FIELD_COUNT, "minnanderasecycles"},
    {"device.media.wear_max", FIELD_COUNT, "maxnanderasecycles"},
    {"device.media.program_fail", FIELD_COUNT, "programfailcount"},
    {"device.media.erase_fail", FIELD_COUNT, "erasefailcount"},
    {"device.media.crc_errors", FIELD_COUNT, "crcerrorcount"},
    {"device.media.e2e_errors", FIELD_COUNT, "endtoenderrordetectioncount"},
    {"device.media.throttle_count", FIELD_COUNT, "thermalthrottlecount"},
};

/* What no other tool says. */
#define OWN                                                                                        \
    "availablesparespacehasfallen* temperaturehasexceeded* nvmsubsystemreliability* mediaisin* "   \
    "volatilememorybackupdevice* availablesparenormalized* numberoferrorinfologentries enduranceanalyzer " \
    "devicestatus productfamily nativemaxlba powergovernormode specifiedpcbmaxoperatingtemp "      \
    "criticalwarnings temperaturecelsius availablesparethresholdpercentage percentageusedestimate " \
    "firmwareupdateavailable averagenanderasecycles highestlifetimetemperature"

static const char passed_over[] =
    "devicestatus productfamily enduranceanalyzer firmwareupdateavailable index bootloader errorstring "
    "serialnumber devicepath";

/* "- SMART and Health Information CVFT… -", "- Intel SSD DC P3700 Series CVFT… -", "- IntelSSD Index 0 -" */
static bool begins(struct span line)
{
    return line.len > 4 && span_starts(line, "- ") && span_ends(line, " -") &&
           (span_starts(line, "- SMART") || span_starts(line, "- Intel") || span_starts(line, "- Solidigm") ||
            span_starts(line, "- Sensor"));
}

static unsigned sure(const struct import_piece *p)
{
    struct span rest = span_trim(p->text), line = {"", 0};
    unsigned own = 0;
    for (size_t i = 0; i < p->bag->n; i++) {
        own += bag_matches(p->bag->items[i].key, OWN);
    }
    if (p->json == NULL) {
        (void)span_line(&rest, &line);
        own += begins(span_trim(line)) && p->bag->n > 0 ? 2 : 0;
    }
    return own == 0 ? IMPORT_NO
                    : IMPORT_LABELS + 100 + own + fields_known(p->bag, smart_fields, smart_n_fields);
}

static bool is_hex_text(struct span s)
{
    bool letter = false;
    for (size_t i = 0; i < s.len; i++) {
        const char c = s.ptr[i];
        const bool high = (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        if (!high && (c < '0' || c > '9')) {
            return false;
        }
        letter = letter || high;
    }
    return letter;
}

/* No 0x anywhere, and a counter with letters in it: then all counters are so. With 0x elsewhere only the
 * counters with letters are. */
static bool bare_hex(struct import *im, const struct bag *b)
{
    bool marked = false, letters = false;
    for (size_t i = 0; i < b->n; i++) {
        struct bag_item *item = &b->items[i];
        if (!bag_matches(item->key, "dataunits* host* controllerbusytime power* unsafe* media* numberof*")) {
            continue;
        }
        const bool hex = is_hex_text(item->value);
        marked = marked || span_starts(item->value, "0x") || span_starts(item->value, "0X");
        letters = letters || hex;
    }
    for (size_t i = 0; marked && letters && i < b->n; i++) {
        struct bag_item *item = &b->items[i];
        if (is_hex_text(item->value) && bag_matches(item->key, "dataunits* host* controllerbusytime power* "
                                                               "unsafe* mediaerrors numberof*")) {
            item->value = span_of(arena_printf(import_arena(im), "0x%.*s", SPAN_ARG(item->value)));
        }
    }
    return letters && !marked;
}

/* Generations 1 to 5. */
static void read_link(struct import *im, struct import_device *d, const struct bag *b)
{
    static const uint64_t speeds[] = {2500000000, 5000000000, 8000000000, 16000000000, 32000000000};
    uint64_t gen = 0;
    if (bag_u64(bag_find(b, "pcilinkgenspeed"), 5, &gen) && gen > 0) {
        import_u64(im, d, "device.pci.link_speed", KIND_RATE, speeds[gen - 1]);
    }
}

/* "MaximumLBA : 1953525167" and the size of a sector, where the size itself is not told. */
static void read_size(struct import *im, struct import_device *d, const struct bag *b)
{
    const struct value *lba = import_value(d, "device.ns.lba_bytes");
    uint64_t last = 0;
    struct num n;
    if (import_value(d, "device.ns.size_bytes") == NULL && lba != NULL &&
        bag_u64(bag_find(b, "maximumlba"), UINT64_MAX - 1, &last) && last > 0 &&
        num_mul(num_u64(last + 1), lba->num, &n) == NUM_OK) {
        import_num(im, d, "device.ns.size_bytes", KIND_BYTES, n);
        import_num(im, d, "device.ns.capacity_bytes", KIND_BYTES, n);
    }
}

/* These tools speak of SATA drives too: their path is no NVMe drive's, their models begin with SSDSC. */
static const char *kind_of(const struct bag *b, struct span path, struct span model, size_t health)
{
    const struct bag_item *protocol = bag_find(b, "productprotocol");
    if (protocol != NULL) {
        return span_contains(protocol->value, "ATA") ? "sata-ssd" : "nvme";
    }
    return span_contains(model, "SSDSC") || span_contains(model, "SSDSA") ? "sata-ssd"
           : span_contains(path, "nvme") || span_contains(model, "SSDPE") || span_contains(model, "SSDPF") ||
                   (path.len == 0 && health > 0)
               ? "nvme"
               : NULL;
}

/* The serial number at the end of a heading; empty: there is none. */
static struct span heading_serial(const struct import_piece *p)
{
    struct span rest = span_trim(p->text), line = {"", 0}, word, last = {"", 0};
    (void)span_line(&rest, &line);
    line = span_trim(line);
    if (p->json != NULL || !begins(line)) {
        return (struct span){"", 0};
    }
    bool digit = false;
    for (rest = span_sub(line, 0, line.len - 2); span_word(&rest, &word);) {
        last = word;
    }
    for (size_t i = 0; i < last.len; i++) {
        digit = digit || (last.ptr[i] >= '0' && last.ptr[i] <= '9');
    }
    return digit && last.len >= SERIAL_LEAST ? last : (struct span){"", 0};
}

static size_t read_drive(struct import *im, const struct import_piece *p, const struct bag *b)
{
    const struct bag_item *path = bag_find(b, "devicepath"), *serial = bag_find(b, "serialnumber");
    const struct bag_item *model = bag_find(b, "modelnumber");
    const size_t health = fields_known(b, smart_fields, smart_n_fields);
    struct import_who who = {.name = {"", 0}};
    who.name = path != NULL ? path->value : who.name;
    who.serial = serial != NULL ? serial->value : heading_serial(p);
    who.model = model != NULL ? model->value : who.model;
    struct import_device *d = import_device(im, p, &who, (health > 0 ? (unsigned)PAGE_SMART : 0) |
                                                             (model != NULL ? (unsigned)PAGE_CTRL : 0));
    const bool hex = bare_hex(im, b);
    size_t set = fields_read(im, d, p, b, properties, ARRAY_LEN(properties));
    import_serial(im, d, who.serial);
    read_link(im, d, b);
    set += smart_read(im, d, p, b, SMART_ANY, hex);
    read_size(im, d, b);
    const char *kind = kind_of(b, who.name, who.model, health);
    if (kind != NULL) {
        import_kind(im, d, kind);
    }
    return set;
}

static bool read_text(struct import *im, const struct import_piece *p)
{
    size_t set = 0;
    for (size_t i = 0; i < p->bag->n; i++) {
        p->bag->items[i].used = p->bag->items[i].used || bag_matches(p->bag->items[i].key, passed_over);
    }
    for (size_t from = 0; from < p->bag->n;) {
        size_t to = fields_part(p->bag, from, smart_fields, smart_n_fields);
        const size_t other = fields_part(p->bag, from, properties, 1);
        to = other < to ? other : to;
        const struct bag part = bag_part(p->bag, from, to);
        set += read_drive(im, p, &part);
        from = to;
    }
    return set > 0;
}

const struct import_format import_intel = {
    .name = "isdct",
    .doc = "isdct, intelmas, sst: show -nvmelog smarthealthinfo, -sensor, -a; text",
    .begins = begins,
    .last = "volatilememorybackupdevice* unsafeshutdowns serialnumber productfamily devicestatus",
    .sure = sure,
    .read = read_text,
};

/* Texts in JSON are what the text form prints: nothing is told of their base by their type. */
static bool read_json(struct import *im, const struct import_piece *p)
{
    for (size_t i = 0; i < p->bag->n; i++) {
        p->bag->items[i].json = false;
    }
    return read_text(im, p);
}

const struct import_format import_intel_json = {
    .name = "isdct (JSON)",
    .doc = "the same with -o json",
    .json = true,
    .sure = sure,
    .read = read_json,
};
