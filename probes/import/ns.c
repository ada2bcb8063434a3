/* Identify Namespace under the specification's own short names, as nvme-cli prints it, to facts. */
#include "probes/import/fields.h"

#include "advisor/base/banned.h"

#define KEYS                                                                                       \
    "nsze ncap nuse nsfeat nlbaf flbas mc dpc dps nmic fpi nawun nawupf nacwu nabsn nabo nabspf "  \
    "noiob nvmcap npwg npwa npdg npda nows nsattr endgid nulbaf"

unsigned ns_known(const struct bag *b)
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

/* ---- formats --------------------------------------------------------------------------------- */

static bool member(struct span line, const char *name, uint64_t max, uint64_t *ret)
{
    const struct span want = span_of(name);
    nv_u128 v;
    for (size_t i = 0; i + want.len < line.len; i++) {
        const bool begins = i == 0 || line.ptr[i - 1] == ' '; /* "data size" ends "Metadata Size" */
        if (begins && span_eq_nocase(span_sub(line, i, want.len), want) &&
            number_count(span_sub(line, i + want.len, line.len), false, false, &v) && v <= max) {
            *ret = (uint64_t)v;
            return true;
        }
    }
    return false;
}

static bool has_words(struct span line, const char *words)
{
    const struct span want = span_of(words);
    for (size_t i = 0; i + want.len <= line.len; i++) {
        if (span_eq(span_sub(line, i, want.len), want)) {
            return true;
        }
    }
    return false;
}

/* "ms:0   lbads:9  rp:0x2 (in use)", with -H "Metadata Size: 0   bytes - Data Size: 512 bytes - …" */
static bool text_format(struct span line, struct import_lba *l)
{
    uint64_t shift = 0;
    if (member(line, "lbads:", 24, &shift)) {
        l->bytes = shift >= 9 ? (uint64_t)1 << shift : 0;
    } else if (!member(line, "data size:", 1u << 24, &l->bytes)) {
        return false;
    }
    if (!member(line, "ms:", 65535, &l->metadata)) {
        (void)member(line, "metadata size:", 65535, &l->metadata);
    }
    l->has_performance = member(line, "rp:", 3, &l->performance) ||
                         member(line, "relative performance:", 3, &l->performance);
    l->in_use = has_words(line, "(in use)");
    return true;
}

static size_t text_formats(struct arena *a, const struct bag *b, struct import_lba *ret)
{
    size_t n = 0;
    for (unsigned i = 0; i < IMPORT_LBA_MAX; i++) {
        const struct bag_item *item = bag_find(b, arena_printf(a, "lbaf%u lbaformat%u", i, i));
        ret[n] = (struct import_lba){.index = i};
        if (item != NULL && text_format(item->value, &ret[n])) {
            n++;
        }
    }
    return n;
}

unsigned ns_formats(const struct bag *b)
{
    struct import_lba ignored[IMPORT_LBA_MAX];
    return (unsigned)text_formats(b->arena, b, ignored);
}

static size_t json_formats(struct arena *a, const struct json *list, struct import_lba *ret)
{
    size_t n = 0;
    for (size_t i = 0; list != NULL && list->type == JSON_ARRAY && i < list->n && n < IMPORT_LBA_MAX; i++) {
        const struct bag *b = bag_of_json(a, list->items[i]);
        struct import_lba l = {.index = (unsigned)i};
        uint64_t shift = 0, use = 0;
        if (field(b, "ds lbads", 24, &shift)) {
            l.bytes = shift >= 9 ? (uint64_t)1 << shift : 0;
        } else if (!field(b, "datasize", 1u << 24, &l.bytes)) {
            continue;
        }
        (void)field(b, "ms metadatasize", 65535, &l.metadata);
        l.has_performance = field(b, "rp relativeperformance", 3, &l.performance);
        const struct bag_item *mark = bag_find(b, "inuse");
        l.in_use = mark != NULL && (span_starts(mark->value, "true") || span_starts(mark->value, "yes") ||
                                    (bag_u64(mark, 1, &use) && use == 1));
        ret[n++] = l;
    }
    return n;
}

/* FLBAS tells which is in use better than a mark of the tool: bits 6:5 are used with more than 16 formats. */
static void mark_in_use(const struct bag *b, struct import_lba *l, size_t n)
{
    uint64_t flbas = 0, nlbaf = 0, more = 0;
    if (!field(b, "flbas", 0xff, &flbas)) {
        return;
    }
    (void)field(b, "nlbaf", 0xff, &nlbaf);
    (void)field(b, "nulbaf", 0xff, &more);
    uint64_t index = flbas & 0x0f;
    if (nlbaf + 1 + more > 16) {
        index |= (flbas & 0x60) >> 1;
    }
    for (size_t i = 0; i < n; i++) {
        l[i].in_use = l[i].index == index;
    }
}

void lba_set(struct import *im, struct import_device *d, const struct import_lba *l, size_t n, bool whole)
{
    struct span items[IMPORT_LBA_MAX];
    const struct import_lba *used = NULL;
    bool better = false;
    size_t m = 0;
    for (size_t i = 0; i < n && m < IMPORT_LBA_MAX; i++) {
        if (l[i].bytes == 0) {
            continue;
        }
        used = l[i].in_use ? &l[i] : used;
        items[m++] = span_of(l[i].has_performance
                                 ? arena_printf(import_arena(im), "%llu+%llu:rp%llu%s",
                                                (unsigned long long)l[i].bytes,
                                                (unsigned long long)l[i].metadata,
                                                (unsigned long long)l[i].performance,
                                                l[i].in_use ? ":in-use" : "")
                                 : arena_printf(import_arena(im), "%llu+%llu%s",
                                                (unsigned long long)l[i].bytes,
                                                (unsigned long long)l[i].metadata,
                                                l[i].in_use ? ":in-use" : ""));
    }
    if (m == 0) {
        return;
    }
    import_list(im, d, "device.ns.formats", items, m);
    if (used == NULL) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        better = better || (l[i].bytes == 4096 && l[i].metadata == 0 &&
                            l[i].performance <= used->performance);
    }
    if (better || whole) {
        import_bool(im, d, "device.ns.full_4k_available", better);
    }
    import_u64(im, d, "device.ns.lba_bytes", KIND_BYTES, used->bytes);
    import_u64(im, d, "device.ns.metadata_bytes", KIND_BYTES, used->metadata);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void set_blocks(struct import *im, struct import_device *d, const char *fact, uint64_t blocks,
                       uint64_t lba)
{
    struct num n;
    if (lba > 0 && num_mul(num_u64(blocks), num_u64(lba), &n) == NUM_OK) {
        import_num(im, d, fact, KIND_BYTES, n);
    }
}

static uint64_t lba_of(const struct import_device *d)
{
    const struct value *v = import_value(d, "device.ns.lba_bytes");
    uint64_t n = 0;
    return v != NULL && num_to_u64(v->num, &n) ? n : 0;
}

static void read_sizes(struct import *im, struct import_device *d, const struct bag *b, uint64_t lba)
{
    uint64_t size = 0, capacity = 0, used = 0;
    if (field(b, "nsze", UINT64_MAX, &size)) {
        set_blocks(im, d, "device.ns.size_bytes", size, lba);
    }
    const bool has_capacity = field(b, "ncap", UINT64_MAX, &capacity);
    if (has_capacity) {
        set_blocks(im, d, "device.ns.capacity_bytes", capacity, lba);
    }
    if (!field(b, "nuse", UINT64_MAX, &used) || !has_capacity) {
        return;
    }
    if (used >= capacity) {
        import_unknown(im, d, "device.ns.used_bytes", FACT_NOT_SUPPORTED,
                       "the drive does not track it: it says that all is in use");
    } else {
        set_blocks(im, d, "device.ns.used_bytes", used, lba);
    }
}

/* As the probe of a live device decides it: NABO makes every unit but one block unusable, and no unit passes the
 * boundary. Without a unit of its own the namespace has the controller's: joined at the end. */
static void read_atomic(struct import *im, struct import_device *d, const struct bag *b, uint64_t lba)
{
    uint64_t nsfeat = 0, unit = 0, boundary = 0, offset = 0;
    const bool has_boundary = field(b, "nabspf", 0xffff, &boundary);
    if (!field(b, "nsfeat", 0xff, &nsfeat) || !field(b, "nawupf", 0xffff, &unit)) {
        return;
    }
    const bool valid = (nsfeat & 2) != 0 && unit != 0;
    uint64_t blocks = unit + 1;
    import_bool(im, d, "device.ns.nawupf_valid", valid);
    if (has_boundary && boundary == 0) {
        import_unknown(im, d, "device.ns.atomic_boundary_bytes", FACT_ABSENT, "no boundary");
    } else if (has_boundary) {
        set_blocks(im, d, "device.ns.atomic_boundary_bytes", boundary + 1, lba);
    }
    if (field(b, "nabo", 0xffff, &offset) && offset != 0) {
        set_blocks(im, d, "device.ns.nawupf_bytes", 1, lba);
    } else if (valid) {
        blocks = boundary > 0 && boundary + 1 < blocks ? boundary + 1 : blocks;
        set_blocks(im, d, "device.ns.nawupf_bytes", blocks, lba);
    }
}

static void read_preferred(struct import *im, struct import_device *d, const struct bag *b, uint64_t lba)
{
    uint64_t nsfeat = 0, v = 0;
    const bool optimal = field(b, "nsfeat", 0xff, &nsfeat) && (nsfeat & 0x30) != 0;
    if (field(b, "noiob", 0xffff, &v) && v > 0) {
        set_blocks(im, d, "device.ns.noiob_bytes", v, lba);
    }
    if (optimal && field(b, "npwg", 0xffff, &v)) {
        set_blocks(im, d, "device.ns.npwg_bytes", v + 1, lba);
    }
    if (optimal && field(b, "nows", 0xffff, &v)) {
        set_blocks(im, d, "device.ns.nows_bytes", v + 1, lba);
    }
}

static void read_bits(struct import *im, struct import_device *d, const struct bag *b)
{
    uint64_t v = 0;
    struct num n;
    if (field(b, "dps", 0xff, &v)) {
        import_u64(im, d, "device.ns.pi_type", KIND_COUNT, v & 7);
    }
    if (field(b, "nmic", 0xff, &v)) {
        import_bool(im, d, "device.ns.shared", (v & 1) != 0);
    }
    if (field(b, "nsattr", 0xff, &v)) {
        import_bool(im, d, "device.ns.write_protected", (v & 1) != 0);
    }
    if (field(b, "endgid", 0xffff, &v)) {
        import_u64(im, d, "device.ns.endgid", KIND_COUNT, v);
    }
    if (field(b, "fpi", 0xff, &v) && (v & 0x80) != 0 &&
        num_div(num_u64(v & 0x7f), num_u64(100), &n) == NUM_OK) {
        import_num(im, d, "device.ns.format_remaining_pct", KIND_RATIO, n);
    }
}

size_t ns_read(struct import *im, struct import_device *d, const struct import_piece *p,
               const struct bag *b)
{
    struct import_lba formats[IMPORT_LBA_MAX];
    const size_t n = p->json != NULL ? json_formats(import_arena(im), json_get(p->json, "lbafs"), formats)
                                     : text_formats(import_arena(im), b, formats);
    uint64_t last = 0;
    mark_in_use(b, formats, n);
    lba_set(im, d, formats, n, field(b, "nlbaf", 63, &last) && n > last);
    const uint64_t lba = lba_of(d);
    if (lba == 0) {
        import_note(im, p, "no format is marked as the one in use: sizes in blocks cannot be bytes");
    }
    read_sizes(im, d, b, lba);
    read_atomic(im, d, b, lba);
    read_preferred(im, d, b, lba);
    read_bits(im, d, b);
    import_kind(im, d, "nvme");
    return n + ns_known(b);
}
