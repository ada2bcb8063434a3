/* Device, theme namespace: Identify Namespace as facts, with what sysfs knows for those without root.
 * Size and block size exist on every disk. */
#include "probes/device.h"
#include "probes/setters.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

#define PAGE "identify-ns"
#define NS_ROW(name, kind, meaning, field)                                                         \
    {                                                                                              \
        name, kind, NULL, SUBJECT_DEVICE, FOLD_SAME, NEED_ROOT, meaning,                           \
            "Identify Namespace, " field, "root"                                                   \
    }

const struct fact_decl device_ns_decls[DEVICE_NS_DECLS] = {
    {"device.ns.size_bytes", KIND_BYTES, NULL, SUBJECT_DEVICE, FOLD_MIN, NEED_NONE,
     "size of the disk", "/sys/class/block/NAME/size", ""},
    NS_ROW("device.ns.capacity_bytes", KIND_BYTES, "blocks that may be allocated", "NCAP"),
    NS_ROW("device.ns.used_bytes", KIND_BYTES, "blocks in use as the drive counts them", "NUSE"),
    {"device.ns.lba_bytes", KIND_BYTES, NULL, SUBJECT_DEVICE, FOLD_MAX, NEED_NONE,
     "logical block in use", "queue/logical_block_size", ""},
    NS_ROW("device.ns.metadata_bytes", KIND_BYTES, "metadata of a block in use", "LBAF"),
    NS_ROW("device.ns.formats", KIND_LIST, "formats: block+metadata:rp(0 best, 3 worst)", "LBAF"),
    NS_ROW("device.ns.full_4k_available", KIND_BOOL,
           "a 4096-byte format without metadata exists and is not slower", "LBAF"),
    NS_ROW("device.ns.pi_type", KIND_COUNT, "protection type, 0 = none", "DPS"),
    NS_ROW("device.ns.shared", KIND_BOOL, "may hang on several controllers", "NMIC"),
    NS_ROW("device.ns.write_protected", KIND_BOOL, "write protected", "NSATTR"),
    NS_ROW("device.ns.format_remaining_pct", KIND_RATIO, "part that is still to be formatted",
           "FPI"),
    NS_ROW("device.ns.nawupf_valid", KIND_BOOL, "the namespace has an atomic unit of its own",
           "NSFEAT, NAWUPF"),
    NS_ROW("device.ns.nawupf_bytes", KIND_BYTES, "atomic write unit at power failure",
           "NAWUPF, NABO, NABSPF"),
    NS_ROW("device.ns.atomic_boundary_bytes", KIND_BYTES, "boundary that no atomic write crosses",
           "NABSPF"),
    {"device.ns.noiob_bytes", KIND_BYTES, NULL, SUBJECT_DEVICE, FOLD_MAX, NEED_NONE,
     "boundary at which requests are split", "Identify Namespace NOIOB, queue/chunk_sectors", ""},
    NS_ROW("device.ns.npwg_bytes", KIND_BYTES, "preferred write granularity, the indirection unit",
           "NPWG"),
    NS_ROW("device.ns.nows_bytes", KIND_BYTES, "optimal write size", "NOWS"),
    NS_ROW("device.ns.endgid", KIND_COUNT, "endurance group", "ENDGID"),
    NS_ROW("device.cloud.torn_write_unit", KIND_BYTES,
           "write that Amazon's device never tears, aligned to its size", "vendor area, NTWPU"),
};

static void set_blocks(struct device *d, const char *name, uint64_t blocks, const char *source)
{
    struct num n;
    if (num_mul(num_u64(blocks), num_u64(d->lba_bytes), &n) == NUM_OK) {
        set_num(d->ctx, name, KIND_BYTES, n, source);
    }
}

/* 0 blocks: the controller does not say. */
static void set_optional(struct device *d, const char *name, uint64_t blocks, const char *source,
                         const char *none)
{
    if (blocks == 0) {
        set_unknown(d->ctx, name, FACT_ABSENT, source, "", none);
    } else {
        set_blocks(d, name, blocks, source);
    }
}

static void set_formats(struct device *d, const char *source)
{
    struct span items[NVME_FORMATS_MAX];
    size_t n = 0;
    const struct nvme_format *used = &d->ns.formats[d->ns.format];
    bool better = false;
    for (unsigned i = 0; i < d->ns.n_formats; i++) {
        const struct nvme_format *f = &d->ns.formats[i];
        if (f->lba_shift < 9 || f->lba_shift > 24) {
            continue;
        }
        items[n++] = span_of(arena_printf(d->ctx->arena, "%llu+%u:rp%u%s",
                                          1ull << f->lba_shift, f->metadata_bytes, f->performance,
                                          i == d->ns.format ? ":in-use" : ""));
        better = better || (f->lba_shift == 12 && f->metadata_bytes == 0 &&
                            f->performance <= used->performance);
    }
    set_words(d->ctx, "device.ns.formats", KIND_LIST, items, n, source);
    set_bool(d->ctx, "device.ns.full_4k_available", better, source);
    set_u64(d->ctx, "device.ns.metadata_bytes", KIND_BYTES, used->metadata_bytes, source);
}

/* NABO makes every unit but one block unusable; else NAWUPF, else the controller's AWUPF; never more
 * than the boundary. */
static void set_atomic(struct device *d, const char *source)
{
    uint64_t blocks = d->ns.nawupf_blocks;
    set_bool(d->ctx, "device.ns.nawupf_valid", blocks > 0, source);
    set_optional(d, "device.ns.atomic_boundary_bytes", d->ns.boundary_blocks, source,
                 "no boundary");
    if (d->ns.boundary_offset != 0) {
        blocks = 1;
    } else if (blocks == 0 && d->has_id) {
        blocks = d->id.awupf_blocks;
        source = "identify-ctrl: AWUPF, which later kernels ignore";
    } else if (blocks == 0) {
        device_fact_missing(d, "device.ns.nawupf_bytes", &d->id_err, "identify-ctrl");
        return;
    }
    if (d->ns.boundary_blocks > 0 && d->ns.boundary_blocks < blocks) {
        blocks = d->ns.boundary_blocks;
    }
    set_blocks(d, "device.ns.nawupf_bytes", blocks, source);
}

static void set_page(struct device *d)
{
    const char *source = device_page_source(d, PAGE);
    const struct nvme_ns *n = &d->ns;
    set_u64(d->ctx, "device.ns.lba_bytes", KIND_BYTES, d->lba_bytes, source);
    set_blocks(d, "device.ns.size_bytes", n->size_blocks, source);
    set_blocks(d, "device.ns.capacity_bytes", n->capacity_blocks, source);
    if (n->used_blocks >= n->capacity_blocks) {
        set_unknown(d->ctx, "device.ns.used_bytes", FACT_NOT_SUPPORTED, source, "",
                    "the drive does not track it: it says that all is in use");
    } else {
        set_blocks(d, "device.ns.used_bytes", n->used_blocks, source);
    }
    set_formats(d, source);
    set_u64(d->ctx, "device.ns.pi_type", KIND_COUNT, n->pi_type, source);
    set_bool(d->ctx, "device.ns.shared", n->shared, source);
    set_bool(d->ctx, "device.ns.write_protected", n->write_protected, source);
    if (n->format_progress_valid) {
        set_ratio(d->ctx, "device.ns.format_remaining_pct", KIND_RATIO, n->format_remaining_pct,
                  100, source);
    } else {
        set_unknown(d->ctx, "device.ns.format_remaining_pct", FACT_NOT_SUPPORTED, source, "",
                    "the drive does not report it");
    }
    set_atomic(d, source);
    set_optional(d, "device.ns.noiob_bytes", n->noiob_blocks, source, "not reported");
    set_optional(d, "device.ns.npwg_bytes", n->npwg_blocks, source, "not reported");
    set_optional(d, "device.ns.nows_bytes", n->nows_blocks, source, "not reported");
    set_u64(d->ctx, "device.ns.endgid", KIND_COUNT, n->endgid, source);
    if (d->disk.model.len == 0) {
        set_unknown(d->ctx, "device.cloud.torn_write_unit", FACT_ABSENT, source, "",
                    "the model is not known, and only Amazon's have it");
    } else if (span_starts(d->disk.model, "Amazon E")) {
        set_blocks(d, "device.cloud.torn_write_unit", n->amazon_torn_write_blocks, source);
    } else {
        set_unknown(d->ctx, "device.cloud.torn_write_unit", FACT_NOT_SUPPORTED, source, "",
                    "only Amazon's devices have it");
    }
}

static bool read_u64(struct device *d, const char *file, uint64_t *ret)
{
    struct err e = ERR_INIT;
    return sysfs_u64(d->ctx->host, d->ctx->arena, ret, &e, "/sys/class/block/%s/%s", d->name, file);
}

/* The kernel takes minimum_io_size from NPWG and optimal_io_size from NOWS where the drive gives them;
 * equal to a block, or 0, they say nothing. */
static void set_from_sysfs(struct device *d)
{
    uint64_t lba = 0, v = 0;
    struct num bytes;
    if (read_u64(d, "queue/logical_block_size", &lba)) {
        set_u64(d->ctx, "device.ns.lba_bytes", KIND_BYTES, lba, "queue/logical_block_size");
    }
    if (read_u64(d, "size", &v) && num_mul(num_u64(v), num_u64(512), &bytes) == NUM_OK) {
        set_num(d->ctx, "device.ns.size_bytes", KIND_BYTES, bytes, "sysfs size");
    }
    if (!d->disk.nvme) {
        return;
    }
    if (read_u64(d, "queue/chunk_sectors", &v) && v > 0 && v < UINT64_MAX / 512) {
        set_u64(d->ctx, "device.ns.noiob_bytes", KIND_BYTES, v * 512, "queue/chunk_sectors");
    }
    if (read_u64(d, "queue/minimum_io_size", &v) && lba > 0 && v > lba) {
        set_u64(d->ctx, "device.ns.npwg_bytes", KIND_BYTES, v, "queue/minimum_io_size");
    }
    if (read_u64(d, "queue/optimal_io_size", &v) && lba > 0 && v > lba) {
        set_u64(d->ctx, "device.ns.nows_bytes", KIND_BYTES, v, "queue/optimal_io_size");
    }
    if (read_u64(d, "metadata_bytes", &v)) {
        set_u64(d->ctx, "device.ns.metadata_bytes", KIND_BYTES, v, "sysfs metadata_bytes");
    }
}

/* Facts that every disk has: missing sysfs files are no matter of NVMe. */
static void set_plain_missing(struct device *d)
{
    static const char *const plain[] = {"device.ns.lba_bytes", "device.ns.size_bytes"};
    for (size_t i = 0; i < ARRAY_LEN(plain); i++) {
        if (store_get(d->ctx->store, d->ctx->subject, span_of(plain[i])) == NULL) {
            set_unknown(d->ctx, plain[i], FACT_ABSENT, "sysfs", "", "sysfs does not give it");
        }
    }
}

void device_read_ns(struct device *d)
{
    const struct decl_rows table = {device_ns_decls, DEVICE_NS_DECLS};
    if (d->has_ns) {
        set_page(d);
    } else {
        set_from_sysfs(d);
    }
    set_plain_missing(d);
    device_page_missing(d, &table, &d->ns_err, device_page_source(d, PAGE));
}
