/* smartctl -a, -x, -i, -H, -A … of NVMe drives as text, of 6.5 to 7.x in any locale, whole or in parts; of other
 * drives what they are. */
#include <string.h>

#include "advisor/base/parse.h"
#include "probes/import/fields.h"
#include "probes/import/smartctl.h"

#include "advisor/base/banned.h"

#define NAMESPACES_MAX 64u
#define MODEL "modelnumber devicemodel product modelname"

static const struct field info_fields[] = {
    {"device.model", FIELD_TEXT, MODEL},
    {"device.firmware", FIELD_TEXT, "firmwareversion revision"},
    {"device.tnvmcap_bytes", FIELD_BYTES, "totalnvmcapacity"},
    {"device.unvmcap_bytes", FIELD_BYTES, "unallocatednvmcapacity"},
    {"device.cntlid", FIELD_COUNT, "controllerid"},
    {"device.wctemp_c", FIELD_CELSIUS, "warningcomptempthreshold"},
    {"device.cctemp_c", FIELD_CELSIUS, "criticalcomptempthreshold"},
};

/* What says that it is smartctl's, beside the labels of the health log. */
static const struct field shape[] = {
    {"", FIELD_TEXT, "pcivendorsubsystemid pcivendorid ieeeouiidentifier numberofnamespaces nvmeversion"},
    {"", FIELD_TEXT, "namespace1* localtimeis smartoverallhealthselfassessmenttestresult firmwareupdates"},
    {"", FIELD_TEXT, "optionaladmincommands optionalnvmcommands logpageattributes maximumdatatransfersize"},
    {"", FIELD_TEXT, "mediaanddataintegrityerrors errorinformationlogentries warningcomptemperaturetime"},
};

/* Said, and of no use here. */
static const char passed_over[] =
    "copyrightc ieeeouiidentifier localtimeis smartoverallhealthselfassessmenttestresult numberofnamespaces "
    "serialnumber firmwareupdates thermaltemp1totaltime thermaltemp2totaltime namespace1ieeeeui64 "
    "selfteststatus";

static bool begins(struct span line)
{
    return span_starts(line, "smartctl ") && line.len > 9 && line.ptr[9] >= '5' && line.ptr[9] <= '9';
}

static bool has_line(const struct import_piece *p, const char *start)
{
    struct span rest = p->text, line;
    while (span_line(&rest, &line)) {
        if (span_starts(span_trim(line), start)) {
            return true;
        }
    }
    return false;
}

static unsigned sure(const struct import_piece *p)
{
    unsigned known = fields_known(p->bag, info_fields, ARRAY_LEN(info_fields)) +
                     fields_known(p->bag, shape, ARRAY_LEN(shape));
    if (has_line(p, "=== START OF") || has_line(p, "SMART/Health Information (NVMe") ||
        has_line(p, "Supported LBA Sizes") || has_line(p, "smartctl ")) {
        return IMPORT_HEADER;
    }
    known += known > 0 ? fields_known(p->bag, smart_fields, smart_n_fields) : 0;
    return known > 0 ? IMPORT_LABELS + known : IMPORT_NO;
}

/* ---- what the drive is ----------------------------------------------------------------------- */

static void read_vendor(struct import *im, struct import_device *d, const struct bag *b)
{
    uint64_t v = 0;
    if (bag_u64(bag_find(b, "pcivendorsubsystemid pcivendorid"), 0xffff, &v)) {
        import_u64(im, d, "device.vid", KIND_COUNT, v);
    }
}

static void read_version(struct import *im, struct import_device *d, const struct bag *b)
{
    const struct bag_item *item = bag_find(b, "nvmeversion");
    struct version v;
    if (item != NULL && version_parse(item->value, &v)) {
        import_known(im, d, "device.nvme_version", value_version(v));
    }
}

/* "512 Pages", of 4 KiB; the field is a power of two, "Unlimited" where there is no limit. */
static void read_transfer(struct import *im, struct import_device *d, const struct bag *b)
{
    uint64_t pages = 0;
    if (bag_u64(bag_find(b, "maximumdatatransfersize"), UINT32_MAX, &pages) && pages > 0) {
        import_u64(im, d, "device.max_transfer_bytes_4k_pages", KIND_BYTES, pages * 4096);
    }
}

/* The number in parentheses of "Optional NVM Commands (0x001f): …". */
static bool paren(const struct bag *b, const char *key, uint64_t *ret)
{
    const struct bag_item *item = bag_find(b, key);
    return item != NULL && span_starts(item->paren, "0x") && parse_hex_u64(item->paren, ret) &&
           *ret <= 0xffff;
}

static void read_bits(struct import *im, struct import_device *d, const struct bag *b)
{
    uint64_t v = 0;
    if (paren(b, "optionaladmincommands", &v)) {
        import_u64(im, d, "device.oacs", KIND_COUNT, v);
    }
    if (paren(b, "optionalnvmcommands", &v)) {
        import_u64(im, d, "device.oncs", KIND_COUNT, v);
        import_bool(im, d, "device.discard_supported", (v & 4) != 0);
    }
    if (paren(b, "logpageattributes", &v)) {
        import_u64(im, d, "device.lpa", KIND_COUNT, v);
    }
}

static void read_bytes(struct import *im, struct import_device *d, const struct bag *b,
                       const char *key, const char *fact)
{
    nv_u128 v = 0;
    if (bag_count(bag_find(b, key), &v) && v > 0) {
        import_num(im, d, fact, KIND_BYTES, num_u128(v));
    }
}

/* false: the output does not speak of this namespace. */
static bool read_one(struct import *im, struct import_device *d, const struct bag *b, unsigned id)
{
    struct arena *a = import_arena(im);
    const char *both = arena_printf(a, "namespace%usizecapacity", id);
    nv_u128 used = 0;
    if (bag_find(b, arena_printf(a, "%s namespace%usize namespace%uformattedlbasize", both, id, id)) == NULL) {
        return false;
    }
    read_bytes(im, d, b, both, "device.ns.size_bytes");
    read_bytes(im, d, b, both, "device.ns.capacity_bytes");
    read_bytes(im, d, b, arena_printf(a, "namespace%usize", id), "device.ns.size_bytes");
    read_bytes(im, d, b, arena_printf(a, "namespace%ucapacity", id), "device.ns.capacity_bytes");
    read_bytes(im, d, b, arena_printf(a, "namespace%uformattedlbasize", id), "device.ns.lba_bytes");
    if (bag_count(bag_find(b, arena_printf(a, "namespace%uutilization", id)), &used)) {
        const struct value *size = import_value(d, "device.ns.capacity_bytes");
        const nv_u128 capacity = size != NULL && size->num.tag == NUM_INT ? size->num.mag : 0;
        if (used < capacity) {
            import_num(im, d, "device.ns.used_bytes", KIND_BYTES, num_u128(used));
        }
    }
    return true;
}

/* The drive has its own namespace, asked at its controller the first; the others are disks of their own. */
static void read_namespaces(struct import *im, struct import_device *d, const struct import_piece *p,
                            const struct bag *b)
{
    const unsigned own = smartctl_nsid(import_name(d));
    unsigned first = own;
    bool others = false;
    for (unsigned id = 1; id <= NAMESPACES_MAX; id++) {
        if (id == own || (first == 0 && read_one(im, d, b, id))) {
            first = id;
            (void)read_one(im, d, b, id);
            continue;
        }
        const struct bag_item *item = bag_find(b, arena_printf(import_arena(im), "namespace%usize*", id));
        struct import_device *other = item != NULL ? smartctl_sibling(im, p, d, id) : NULL;
        others = others || item != NULL;
        if (other != NULL) {
            (void)read_one(im, other, b, id);
        }
    }
    if (others && own == 0 && import_name(d).len > 0) {
        smartctl_is_of(d, first);
        struct import_device *same = smartctl_sibling(im, p, d, first);
        (void)(same != NULL && read_one(im, same, b, first));
    }
    smartctl_total(im, d);
}

/* SATA and SAS drives: "Rotation Rate: Solid State Device", "7200 rpm". */
static void read_other(struct import *im, struct import_device *d, const struct bag *b)
{
    const struct bag_item *rate = bag_find(b, "rotationrate");
    const struct bag_item *transport = bag_find(b, "transportprotocol");
    uint64_t rpm = 0, sector = 0;
    const bool sas = transport != NULL && span_starts(transport->value, "SAS");
    read_bytes(im, d, b, "usercapacity", "device.ns.size_bytes");
    if (bag_u64(bag_find(b, "sectorsize sectorsizes logicalblocksize"), 65536, &sector) && sector >= 512) {
        import_u64(im, d, "device.ns.lba_bytes", KIND_BYTES, sector);
    }
    if (rate != NULL && span_starts(rate->value, "Solid State")) {
        import_kind(im, d, sas ? "sas-ssd" : "sata-ssd");
        import_bool(im, d, "device.rotational_media", false);
    } else if (bag_u64(rate, 100000, &rpm)) {
        import_kind(im, d, "disk");
        import_bool(im, d, "device.rotational_media", true);
    }
}

/* What -H says without the log itself; the log's number is set after it. */
static size_t read_verdict(struct import *im, struct import_device *d, struct span text)
{
    static const struct {
        const char *line, *fact;
    } said[] = {
        {"- available spare has fallen", "spare_low"},
        {"- temperature is above or below", "temperature"},
        {"- NVM subsystem reliability", "reliability_degraded"},
        {"- media has been placed in read only", "read_only"},
        {"- volatile memory backup", "volatile_backup_failed"},
        {"- persistent memory region", "pmr_unreliable"},
    };
    struct span rest = text, line;
    size_t n = 0;
    while (span_line(&rest, &line)) {
        for (size_t i = 0; i < ARRAY_LEN(said); i++) {
            if (span_starts(span_trim(line), said[i].line)) {
                import_bool(im, d, arena_printf(import_arena(im), "device.smart.critical_warning_bits.%s",
                                                said[i].fact), true);
                n++;
            }
        }
    }
    return n;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* The line of the part's first item up to that of the next part's. */
static struct span lines_between(const struct import_piece *p, unsigned from, unsigned to)
{
    struct span rest = p->text, line;
    const char *begin = p->text.ptr + p->text.len, *end = begin;
    for (unsigned n = p->line; span_line(&rest, &line); n++) {
        begin = n == from && line.ptr < begin ? line.ptr : begin;
        end = n == to ? line.ptr : end;
    }
    return (struct span){begin, end > begin ? (size_t)(end - begin) : 0};
}

static bool has_tables(struct span text)
{
    return span_contains(text, "Supported LBA") || span_contains(text, "Supported Power") ||
           span_contains(text, "(NVMe Log 0x");
}

static size_t read_part(struct import *im, const struct import_piece *p, const struct bag *b,
                        struct span text)
{
    const struct bag_item *model = bag_find(b, MODEL), *serial = bag_find(b, "serialnumber");
    const size_t health = fields_known(b, smart_fields, smart_n_fields);
    const bool other = bag_find(b, "devicemodel rotationrate ataversionis sataversionis transportprotocol") != NULL;
    struct import_who who = {.name = {"", 0}};
    who.model = model != NULL ? model->value : who.name;
    who.serial = serial != NULL ? serial->value : who.name;
    const unsigned pages = (health > 0 ? (unsigned)PAGE_SMART : 0) | (model != NULL ? (unsigned)PAGE_CTRL : 0);
    if (pages == 0 && !other && fields_known(b, info_fields, ARRAY_LEN(info_fields)) == 0 &&
        fields_known(b, shape, ARRAY_LEN(shape)) == 0 && !has_tables(text)) {
        return 0; /* it could not open the drive, or says nothing of it */
    }
    struct import_device *d = import_device(im, p, &who, pages);
    size_t set = fields_read(im, d, p, b, info_fields, ARRAY_LEN(info_fields));
    import_serial(im, d, who.serial);
    if (other) {
        read_other(im, d, b);
        return set;
    }
    read_vendor(im, d, b);
    read_version(im, d, b);
    read_transfer(im, d, b);
    read_bits(im, d, b);
    smartctl_tables(im, d, text);
    read_namespaces(im, d, p, b);
    set += read_verdict(im, d, text);
    set += smart_read(im, d, p, b, SMART_ANY, false);
    import_kind(im, d, "nvme");
    return set;
}

/* Both tables of labels as one, so that a label that comes again begins another drive. */
static size_t part_end(const struct bag *b, size_t from)
{
    const size_t a = fields_part(b, from, smart_fields, smart_n_fields);
    const size_t c = fields_part(b, from, info_fields, 2);
    return a < c ? a : c;
}

static struct span version_of(const struct import_piece *p)
{
    struct span rest = p->text, line, word;
    while (span_line(&rest, &line)) {
        line = span_trim(line);
        if (begins(line)) {
            (void)span_word(&line, &word);
            return span_word(&line, &word) ? word : (struct span){"", 0};
        }
    }
    return (struct span){"", 0};
}

static bool read_text(struct import *im, const struct import_piece *p)
{
    size_t set = 0;
    unsigned line = p->line;
    import_source(im, p, "smartctl", version_of(p));
    for (size_t i = 0; i < p->bag->n; i++) {
        p->bag->items[i].used = p->bag->items[i].used || bag_matches(p->bag->items[i].key, passed_over);
    }
    for (size_t from = 0; from < p->bag->n || from == 0;) {
        const size_t to = part_end(p->bag, from);
        const struct bag part = bag_part(p->bag, from, to);
        const unsigned next = to < p->bag->n ? p->bag->items[to].line : UINT32_MAX;
        set += read_part(im, p, &part, lines_between(p, line, next));
        line = next;
        from = to > 0 ? to : 1;
    }
    return set > 0;
}

const struct import_format import_smartctl = {
    .name = "smartctl",
    .doc = "smartctl -a, -x or parts of it: text of 6.5 to 7.x, in any locale",
    .begins = begins,
    .last = SMART_LAST " selfteststatus 0* 1* 2* 3* 4* 5* 6* 7* 8* 9*", /* and rows of tables */
    .sure = sure,
    .read = read_text,
};
