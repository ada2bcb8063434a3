/* nvme list: the table, and JSON flat (1.x, 2.x) and nested by host, subsystem and controller (from 2.11 on with
 * -v, and in 3.0). Sizes of the table are rounded and not taken. */
#include "advisor/base/parse.h"
#include "probes/import/fields.h"
#include "probes/import/run.h"

#include "advisor/base/banned.h"

#define COLUMNS_MAX 12
#define ROWS_MAX 1000u
#define DEPTH_MAX 8

/* ---- the table ------------------------------------------------------------------------------- */

/* "Node  SN  Model …"; with -v "Device  SN  MN …" and "Device  Generic  NSID …". */
static bool begins(struct span line)
{
    struct span rest = line, word;
    if (!span_word(&rest, &word) || (!span_eq_text(word, "Node") && !span_eq_text(word, "Device"))) {
        return false;
    }
    return span_word(&rest, &word) && (span_eq_text(word, "SN") || span_eq_text(word, "Generic") ||
                                       span_eq_text(word, "NSID"));
}

static unsigned text_sure(const struct import_piece *p)
{
    struct span rest = span_trim(p->text), line = {"", 0};
    (void)span_line(&rest, &line);
    return begins(span_trim(line)) ? IMPORT_HEADER : IMPORT_NO;
}

struct row {
    struct span node, serial, model, firmware, format, usage, transport, controller, address;
};

/* Cells under the line of dashes. Figures may be wider than their column: only where the bar between two is a
 * blank are cells what they seem. */
static size_t cells_of(struct span dashes, struct span line, struct span *ret)
{
    size_t n = 0, at = 0;
    while (at < dashes.len && n < COLUMNS_MAX) {
        while (at < dashes.len && dashes.ptr[at] != '-') {
            at++;
        }
        size_t end = at;
        while (end < dashes.len && dashes.ptr[end] == '-') {
            end++;
        }
        if (end == at) {
            break;
        }
        if (at > 0 && at <= line.len && line.ptr[at - 1] != ' ') {
            return 0;
        }
        ret[n++] = span_trim(span_sub(line, at, end < dashes.len ? end - at : line.len));
        at = end;
    }
    return n;
}

static size_t words_of(struct span line, struct span *ret, size_t max)
{
    size_t n = 0;
    while (n < max && span_word(&line, &ret[n])) {
        n++;
    }
    return n;
}

/* By words, from the right: firmware, "512   B +  0 B", usage, namespace, and the model up to the serial number. */
static bool row_by_words(struct span line, bool generic, struct row *ret)
{
    struct span w[40];
    const size_t n = words_of(line, w, ARRAY_LEN(w));
    size_t plus = 0, slash = 0;
    for (size_t i = 0; i < n; i++) {
        plus = span_eq_text(w[i], "+") ? i : plus;
        slash = span_eq_text(w[i], "/") ? i : slash;
    }
    const size_t first = generic ? 2 : 1;
    if (plus < 2 || slash < first + 5 || slash + 4 > plus) {
        return false;
    }
    const size_t model = first + 1, end = slash - 3; /* namespace, used, unit, "/" */
    *ret = (struct row){.node = w[0], .serial = w[first]};
    if (end > model) {
        ret->model = (struct span){w[model].ptr,
                                   (size_t)(w[end - 1].ptr + w[end - 1].len - w[model].ptr)};
    }
    ret->usage = (struct span){w[slash - 2].ptr, (size_t)(w[plus - 2].ptr - w[slash - 2].ptr)};
    ret->format = (struct span){w[plus - 2].ptr, (size_t)(line.ptr + line.len - w[plus - 2].ptr)};
    ret->firmware = plus + 3 < n ? w[plus + 3] : (struct span){"", 0};
    return true;
}

/* Which cell is what stands in the heading above the dashes. */
static bool row_by_heading(struct span heading, struct span dashes, struct span line, struct row *ret)
{
    struct span names[COLUMNS_MAX], cells[COLUMNS_MAX];
    const size_t n = cells_of(dashes, heading, names);
    bool has_format = false;
    struct row r = {.node = {"", 0}};
    const struct {
        const char *name;
        struct span *to;
    } columns[] = {{"Node", &r.node},       {"Device", &r.node},        {"SN", &r.serial},
                   {"Model", &r.model},     {"MN", &r.model},           {"FW Rev", &r.firmware},
                   {"FR", &r.firmware},     {"Format", &r.format},      {"TxPort", &r.transport},
                   {"Usage", &r.usage},     {"Controllers", &r.controller},
                   {"Address", &r.address}};
    if (n < 3 || cells_of(dashes, line, cells) != n) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        has_format = has_format || span_eq_text(names[i], "Format");
        for (size_t k = 0; k < ARRAY_LEN(columns); k++) {
            if (span_eq_text(names[i], columns[k].name)) {
                *columns[k].to = cells[i];
            }
        }
    }
    *ret = r;
    return r.node.len > 0 && (!has_format || span_has(r.format, '+')); /* else the row was cut */
}

/* "512   B +  0 B", "4 KiB + 8 B" */
static bool size_of(struct span text, uint64_t *ret)
{
    struct span rest = text, number, unit = {"", 0};
    uint64_t v = 0;
    if (!span_word(&rest, &number) || !parse_u64(number, &v) || v > (1u << 24)) {
        return false;
    }
    (void)span_word(&rest, &unit);
    *ret = span_starts(unit, "K") || span_starts(unit, "k") ? v * 1024 : v;
    return true;
}

static void set_transport(struct import *im, struct import_device *d, struct span transport)
{
    static const char *const known[] = {"pcie", "tcp", "rdma", "fc", "loop", "apple-nvme"};
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        if (span_eq_text(transport, known[i])) {
            import_word(im, d, "device.transport", known[i]);
        }
    }
}

/* "500.11  GB", in powers of 1000. */
static bool rounded_of(struct span text, struct num *ret)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    struct span rest = text, number, unit;
    double v = 0, scale = 1;
    if (!span_word(&rest, &number) || !span_word(&rest, &unit) || !number_real(number, &v) || v > 1e6) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_LEN(units); i++, scale *= 1000) {
        if (span_eq_nocase(unit, span_of(units[i]))) {
            *ret = num_real((double)(uint64_t)(v * scale + 0.5));
            return true;
        }
    }
    return false;
}

/* "267.98  GB / 500.11  GB"; all of it in use: not tracked. */
static void set_usage(struct import *im, struct import_device *d, struct span usage)
{
    struct span rest = usage, used_text = {"", 0}, size_text = {"", 0};
    struct num used, size;
    (void)span_split(&rest, '/', &used_text);
    (void)span_split(&rest, '/', &size_text);
    if (!rounded_of(size_text, &size)) {
        return;
    }
    import_rounded(im, d, "device.ns.size_bytes", KIND_BYTES, size);
    if (rounded_of(used_text, &used) && num_cmp(used, size) < 0) {
        import_rounded(im, d, "device.ns.used_bytes", KIND_BYTES, used);
    }
}

static void set_row(struct import *im, const struct import_piece *p, const struct row *r)
{
    const struct import_who who = {.name = r->node, .serial = r->serial, .model = r->model};
    struct import_device *d = import_device(im, p, &who, PAGE_LIST);
    struct span rest = r->format, lba, metadata;
    uint64_t v = 0;
    import_serial(im, d, r->serial);
    import_str(im, d, "device.model", r->model);
    import_str(im, d, "device.firmware", r->firmware);
    import_str(im, d, "device.controller", r->controller);
    set_transport(im, d, r->transport);
    d->address = r->address.len > 0 ? r->address : d->address;
    set_usage(im, d, r->usage);
    if (span_split(&rest, '+', &lba) && size_of(lba, &v) && v >= 512) {
        import_u64(im, d, "device.ns.lba_bytes", KIND_BYTES, v);
    }
    if (span_split(&rest, '+', &metadata) && size_of(metadata, &v)) {
        import_u64(im, d, "device.ns.metadata_bytes", KIND_BYTES, v);
    }
    import_kind(im, d, "nvme");
}

static bool is_row(struct span line)
{
    const struct span s = span_trim(line);
    return span_starts(s, "/dev/") || (span_starts(s, "nvme") && !span_starts(s, "nvme-"));
}

static bool text_read(struct import *im, const struct import_piece *p)
{
    struct span rest = p->text, line, dashes = {"", 0}, heading = {"", 0}, words[2];
    bool generic = false;
    unsigned n = 0;
    while (n < ROWS_MAX && span_line(&rest, &line)) {
        struct row r;
        if (begins(span_trim(line))) {
            heading = line;
            generic = words_of(line, words, 2) == 2 && span_eq_text(words[1], "Generic");
        } else if (span_starts(span_trim(line), "---")) {
            dashes = line;
        } else if (is_row(line) && (row_by_heading(heading, dashes, line, &r) ||
                                    row_by_words(line, generic, &r))) {
            set_row(im, p, &r);
            n++;
        }
    }
    for (size_t i = 0; i < p->bag->n; i++) {
        p->bag->items[i].used = true; /* rows, not labels */
    }
    return n > 0;
}

const struct import_format import_nvme_list = {
    .name = "nvme list",
    .doc = "nvme list: the table",
    .begins = begins,
    .last = "*", /* rows tell themselves whether they are whole */
    .sure = text_sure,
    .read = text_read,
};

/* ---- JSON ------------------------------------------------------------------------------------ */

struct above { /* what the levels above said */
    struct span serial, model, firmware, transport, controller, address;
};

static struct span text_at(const struct json *o, const char *key)
{
    const struct json *v = json_get(o, key);
    return v != NULL && v->type == JSON_STRING ? span_trim(v->string) : (struct span){"", 0};
}

static void look(const struct json *o, struct above *up)
{
    const struct {
        const char *key;
        struct span *to;
    } keys[] = {{"SerialNumber", &up->serial},
                {"ModelNumber", &up->model},
                {"Firmware", &up->firmware},
                {"Transport", &up->transport},
                {"Controller", &up->controller},
                {"Address", &up->address}};
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        const struct span s = text_at(o, keys[i].key);
        *keys[i].to = s.len > 0 ? s : *keys[i].to;
    }
}

static void set_bytes(struct import *im, struct import_device *d, const struct json *o,
                      const char *key, const char *fact)
{
    const struct bag *b = bag_of_json(import_arena(im), o);
    nv_u128 v = 0;
    const struct span want = bag_key(import_arena(im), span_of(key));
    for (size_t i = 0; i < b->n; i++) {
        if (span_eq(b->items[i].key, want) && bag_count(&b->items[i], &v) && v > 0) {
            import_num(im, d, fact, KIND_BYTES, num_u128(v));
        }
    }
}

static void set_namespace(struct import *im, const struct import_piece *p, const struct json *o,
                          const struct above *up)
{
    struct span name = text_at(o, "DevicePath");
    if (name.len == 0) {
        name = text_at(o, "NameSpace");
    }
    const struct import_who who = {.name = name, .serial = up->serial, .model = up->model};
    struct import_device *d = import_device(im, p, &who, PAGE_LIST);
    import_serial(im, d, up->serial);
    import_str(im, d, "device.model", up->model);
    import_str(im, d, "device.firmware", up->firmware);
    import_str(im, d, "device.controller", up->controller);
    set_transport(im, d, up->transport);
    d->address = up->address.len > 0 ? up->address : d->address;
    set_bytes(im, d, o, "PhysicalSize", "device.ns.size_bytes");
    set_bytes(im, d, o, "SectorSize", "device.ns.lba_bytes");
    const struct value *size = import_value(d, "device.ns.size_bytes");
    set_bytes(im, d, o, "UsedBytes", "device.ns.used_bytes");
    const struct value *used = import_value(d, "device.ns.used_bytes");
    if (size != NULL && used != NULL && num_cmp(used->num, size->num) >= 0) {
        import_unknown(im, d, "device.ns.used_bytes", FACT_NOT_SUPPORTED,
                       "the drive does not track it: it says that all is in use");
    }
    import_kind(im, d, "nvme");
}

static unsigned walk(struct import *im, const struct import_piece *p, const struct json *v,
                     struct above up, int depth)
{
    unsigned n = 0;
    if (depth > DEPTH_MAX) {
        return 0;
    }
    if (v->type == JSON_OBJECT) {
        const struct json *ctrls = json_get(v, "Controllers");
        if (ctrls != NULL && ctrls->type == JSON_ARRAY && ctrls->n > 0 &&
            ctrls->items[0]->type == JSON_OBJECT) {
            look(ctrls->items[0], &up); /* of namespaces that hang on the subsystem */
        }
        look(v, &up);
        if (json_get(v, "PhysicalSize") != NULL) {
            set_namespace(im, p, v, &up);
            return 1;
        }
    } else if (v->type != JSON_ARRAY) {
        return 0;
    }
    for (size_t i = 0; i < v->n && i < ROWS_MAX; i++) {
        n += walk(im, p, v->items[i], up, depth + 1);
    }
    return n;
}

static unsigned json_sure(const struct import_piece *p)
{
    return json_get(p->json, "Devices") != NULL ||
                   (json_get(p->json, "PhysicalSize") != NULL && json_get(p->json, "SectorSize") != NULL)
               ? IMPORT_HEADER
               : IMPORT_NO;
}

static bool json_read_list(struct import *im, const struct import_piece *p)
{
    const struct above up = {.serial = {"", 0}, .model = {"", 0}, .firmware = {"", 0},
                             .transport = {"", 0}, .controller = {"", 0}, .address = {"", 0}};
    return walk(im, p, p->json, up, 0) > 0;
}

const struct import_format import_nvme_list_json = {
    .name = "nvme list (JSON)",
    .doc = "nvme list -o json: flat, and nested by host, subsystem and controller",
    .json = true,
    .sure = json_sure,
    .read = json_read_list,
};
