/* nvme smart-log and its aliases, of nvme-cli 0.x to 3.0, as text and JSON. */
#include "probes/import/fields.h"

#include "advisor/base/banned.h"

/* Explained by -H, counted apart, or of no use here. */
static const char passed_over[] =
    "endurancegroupcriticalwarningsummary endurancegrpcriticalwarningsummary "
    "thermalmanagementt1totaltime thermalmanagementt2totaltime thmtemp1totaltime thmtemp2totaltime "
    "availablespare0 tempthreshold1 nvmsubsystemreliability2 readonly3 volatilemembackupfailed4 "
    "persistentmemro5";

static void pass_over(const struct bag *b)
{
    for (size_t i = 0; i < b->n; i++) {
        b->items[i].used = b->items[i].used || bag_matches(b->items[i].key, passed_over);
    }
}

/* nvmecontrol of FreeBSD explains the warning's bits under labels that come again below: " Available spare: 0". */
static void drop_bits(const struct bag *b)
{
    for (size_t i = 0; i < b->n; i++) {
        for (size_t k = i + 1; bag_matches(b->items[i].key, "criticalwarningstate") && k < b->n && k <= i + 5; k++) {
            if (bag_matches(b->items[k].key, "availablespare temperature devicereliability readonly "
                                             "volatilememorybackup") &&
                (span_eq_text(b->items[k].value, "0") || span_eq_text(b->items[k].value, "1"))) {
                b->items[k].key = SPAN_LIT("bit");
                b->items[k].used = true;
            }
        }
    }
}

/* The word behind "device:". */
static struct span header_device(struct span line)
{
    static const char mark[] = "device:";
    struct span rest, word;
    for (size_t i = 0; i + sizeof(mark) <= line.len; i++) {
        rest = span_sub(line, i, line.len);
        if (span_starts(rest, mark)) {
            rest = span_sub(rest, sizeof(mark) - 1, rest.len);
            return span_word(&rest, &word) ? word : (struct span){"", 0};
        }
    }
    return (struct span){"", 0};
}

static bool begins(struct span line)
{
    return span_starts(line, "Smart Log for NVM") || span_starts(line, "SMART Log for NVM");
}

static struct span first_line(const struct import_piece *p)
{
    struct span rest = span_trim(p->text), line = {"", 0};
    (void)span_line(&rest, &line);
    return span_trim(line);
}

static unsigned text_sure(const struct import_piece *p)
{
    const unsigned known = fields_known(p->bag, smart_fields, smart_n_fields);
    if (begins(first_line(p))) {
        return IMPORT_HEADER;
    }
    return known > 0 ? IMPORT_LABELS + known : IMPORT_NO;
}

static bool text_read(struct import *im, const struct import_piece *p)
{
    const struct import_who who = {.name = header_device(first_line(p))};
    size_t set = 0;
    pass_over(p->bag);
    drop_bits(p->bag);
    for (size_t from = 0; from < p->bag->n;) {
        const size_t to = fields_part(p->bag, from, smart_fields, smart_n_fields);
        const struct bag part = bag_part(p->bag, from, to);
        if (fields_known(&part, smart_fields, smart_n_fields) > 0) {
            struct import_device *d = import_device(im, p, &who, PAGE_SMART);
            set += smart_read(im, d, p, &part, SMART_ANY, false);
            import_kind(im, d, "nvme");
        }
        from = to;
    }
    return set > 0;
}

const struct import_format import_nvme_smart = {
    .name = "nvme smart-log",
    .doc = "nvme smart-log, nvme log smart: text of nvme-cli 0.x to 3.0, also with -H",
    .begins = begins,
    .last = SMART_LAST,
    .sure = text_sure,
    .read = text_read,
};

/* ---- JSON ------------------------------------------------------------------------------------ */

static unsigned json_sure(const struct import_piece *p)
{
    const unsigned known = fields_known(p->bag, smart_fields, smart_n_fields);
    return known >= 2 ? IMPORT_LABELS + known : IMPORT_NO;
}

static bool json_read_log(struct import *im, const struct import_piece *p)
{
    const struct import_who who = {.name = p->device};
    struct import_device *d = import_device(im, p, &who, PAGE_SMART);
    pass_over(p->bag);
    import_kind(im, d, "nvme");
    return smart_read(im, d, p, p->bag, SMART_KELVIN, false) > 0;
}

const struct import_format import_nvme_smart_json = {
    .name = "nvme smart-log (JSON)",
    .doc = "the same with -o json; counters as numbers, texts, or texts with decimals",
    .json = true,
    .sure = json_sure,
    .read = json_read_log,
};
