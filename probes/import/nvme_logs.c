/* nvme error-log, fw-log and get-feature, as text and, but for features, JSON. */
#include "advisor/base/parse.h"
#include "probes/import/fields.h"

#include "advisor/base/banned.h"

#define SHOWN_MAX 8
#define SLOTS 7

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

/* ---- error log ------------------------------------------------------------------------------- */

#define QUEUE_NONE 0xffffu

void import_errors(struct import *im, struct import_device *d, const struct import_error *e, size_t n)
{
    struct span shown[SHOWN_MAX];
    uint64_t media = 0;
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        media += e[i].queue != 0 && e[i].queue != QUEUE_NONE && (e[i].status >> 8 & 7) == 2;
        if (m < SHOWN_MAX) {
            shown[m++] = span_of(arena_printf(
                import_arena(im), "%llu:q%llu:0x%llx:lba%llu", (unsigned long long)e[i].number,
                (unsigned long long)e[i].queue, (unsigned long long)(e[i].status & 0x7ff),
                (unsigned long long)e[i].lba));
        }
    }
    import_u64(im, d, "device.errors.media_io", KIND_COUNT, media);
    import_list(im, d, "device.errors.entries", shown, m);
    import_kind(im, d, "nvme");
}

static bool begins_errors(struct span line)
{
    return span_starts(line, "Error Log Entries for device");
}

static unsigned errors_sure(const struct import_piece *p)
{
    return begins_errors(first_line(p))                       ? IMPORT_HEADER
           : bag_find(p->bag, "errorcount") != NULL && bag_find(p->bag, "sqid") != NULL
               ? IMPORT_LABELS + 1
               : IMPORT_NO;
}

/* Blocks that begin with error_count; one of 0 is no entry. Versions that print the phase tag apart have shifted the
 * status; older ones (1.9 and before) print the field as it stands, with the tag as its lowest bit. */
static bool errors_read(struct import *im, const struct import_piece *p)
{
    const struct import_who who = {.name = header_device(first_line(p))};
    struct import_error *e = arena_calloc(import_arena(im), IMPORT_ERRORS_MAX, sizeof(*e));
    size_t n = 0, blocks = 0;
    bool in = false;
    const unsigned shift = bag_find(p->bag, "phasetag") != NULL ? 0 : 1;
    for (size_t i = 0; i < p->bag->n; i++) {
        struct bag_item *item = &p->bag->items[i];
        uint64_t v = 0;
        item->used = true;
        if (bag_matches(item->key, "errorcount") && bag_u64(item, UINT64_MAX, &v)) {
            blocks++;
            in = v > 0 && n < IMPORT_ERRORS_MAX;
            n += in;
        }
        if (!in || !bag_u64(item, UINT64_MAX, &v)) {
            continue;
        }
        struct import_error *at = &e[n - 1];
        at->number = bag_matches(item->key, "errorcount") ? v : at->number;
        at->queue = bag_matches(item->key, "sqid") ? v : at->queue;
        at->status = bag_matches(item->key, "statusfield") ? v >> shift : at->status;
        at->lba = bag_matches(item->key, "lba") ? v : at->lba;
    }
    if (blocks == 0) {
        return false;
    }
    import_errors(im, import_device(im, p, &who, PAGE_ERRORS), e, n);
    return true;
}

const struct import_format import_nvme_errors = {
    .name = "nvme error-log",
    .doc = "nvme error-log: text",
    .begins = begins_errors,
    .sure = errors_sure,
    .read = errors_read,
};

static unsigned errors_json_sure(const struct import_piece *p)
{
    const struct json *list = json_get(p->json, "errors");
    return list != NULL && list->type == JSON_ARRAY ? IMPORT_HEADER : IMPORT_NO;
}

static bool errors_json_read(struct import *im, const struct import_piece *p)
{
    const struct json *list = json_get(p->json, "errors");
    const struct import_who who = {.name = p->device};
    struct import_error *e = arena_calloc(import_arena(im), IMPORT_ERRORS_MAX, sizeof(*e));
    size_t n = 0;
    for (size_t i = 0; i < list->n && n < IMPORT_ERRORS_MAX; i++) {
        const struct bag *b = bag_of_json(import_arena(im), list->items[i]);
        struct import_error one = {.number = 0};
        if (!bag_u64(bag_find(b, "errorcount"), UINT64_MAX, &one.number) || one.number == 0) {
            continue;
        }
        (void)bag_u64(bag_find(b, "sqid"), 0xffff, &one.queue);
        (void)bag_u64(bag_find(b, "statusfield"), 0xffff, &one.status);
        (void)bag_u64(bag_find(b, "lba"), UINT64_MAX, &one.lba);
        e[n++] = one;
    }
    import_errors(im, import_device(im, p, &who, PAGE_ERRORS), e, n);
    return true;
}

const struct import_format import_nvme_errors_json = {
    .name = "nvme error-log (JSON)",
    .doc = "nvme error-log -o json",
    .json = true,
    .sure = errors_json_sure,
    .read = errors_json_read,
};

/* ---- firmware slots -------------------------------------------------------------------------- */

/* "0x4b464e34 (4NFK)", "0x3137313031564438 (8DV10171)": the text in parentheses; JSON: the text itself. */
static struct span revision(const struct bag_item *item)
{
    struct span s = item->value;
    for (size_t i = 0; !item->json && i < s.len; i++) {
        if (s.ptr[i] == '(') {
            s = span_sub(s, i + 1, s.len);
            return span_trim(span_sub(s, 0, s.len > 0 && s.ptr[s.len - 1] == ')' ? s.len - 1 : s.len));
        }
    }
    return item->json && !span_starts(s, "0x") ? span_trim(s) : (struct span){"", 0};
}

static bool set_slots(struct import *im, struct import_device *d, const struct bag *b)
{
    struct span items[SLOTS];
    uint64_t afi = 0;
    size_t n = 0;
    if (!bag_u64(bag_find(b, "afi activefirmwareslot activefirmwareslotafi"), 0xff, &afi)) {
        return false;
    }
    for (unsigned i = 1; i <= SLOTS; i++) {
        const struct bag_item *item = bag_find(
            b, arena_printf(import_arena(im), "frs%u firmwarerevslot%u firmwarerevslot%ufrs%u", i, i, i, i));
        const struct span name = item != NULL ? revision(item) : (struct span){"", 0};
        if (name.len > 0) {
            items[n++] = span_of(arena_printf(import_arena(im), "slot%u:%.*s%s%s", i, SPAN_ARG(name),
                                              (afi & 7) == i ? ":active" : "",
                                              (afi >> 4 & 7) == i ? ":next" : ""));
        }
    }
    import_list(im, d, "device.firmware_slots", items, n);
    import_bool(im, d, "device.firmware_pending", (afi >> 4 & 7) != 0 && (afi >> 4 & 7) != (afi & 7));
    import_kind(im, d, "nvme");
    return true;
}

static bool begins_firmware(struct span line)
{
    return span_starts(line, "Firmware Log for device");
}

static unsigned firmware_sure(const struct import_piece *p)
{
    return begins_firmware(first_line(p))                                           ? IMPORT_HEADER
           : bag_find(p->bag, "afi") != NULL && bag_find(p->bag, "frs1") != NULL ? IMPORT_LABELS + 2
                                                                                    : IMPORT_NO;
}

static bool firmware_read(struct import *im, const struct import_piece *p)
{
    const struct import_who who = {.name = header_device(first_line(p))};
    return set_slots(im, import_device(im, p, &who, PAGE_FIRMWARE), p->bag);
}

const struct import_format import_nvme_firmware = {
    .name = "nvme fw-log",
    .doc = "nvme fw-log: text",
    .begins = begins_firmware,
    .sure = firmware_sure,
    .read = firmware_read,
};

static unsigned firmware_json_sure(const struct import_piece *p)
{
    return bag_find(p->bag, "activefirmwareslot activefirmwareslotafi") != NULL ? IMPORT_HEADER : IMPORT_NO;
}

static bool firmware_json_read(struct import *im, const struct import_piece *p)
{
    const struct import_who who = {.name = p->device};
    return set_slots(im, import_device(im, p, &who, PAGE_FIRMWARE), p->bag);
}

const struct import_format import_nvme_firmware_json = {
    .name = "nvme fw-log (JSON)",
    .doc = "nvme fw-log -o json",
    .json = true,
    .sure = firmware_json_sure,
    .read = firmware_json_read,
};
