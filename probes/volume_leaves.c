/* Volume, theme chain: names, leaves, class and offsets out of a complete walk. */
#include <string.h>

#include "probes/disk.h"
#include "probes/setters.h"
#include "probes/sysfs.h"
#include "probes/volume_chain.h"

#include "advisor/base/banned.h"

#define SOURCE "/sys/dev/block, slaves/"

/* One item a level; a device that is reached twice on a level stands once. */
static void set_names(struct volume *v, const struct walk *w)
{
    struct span items[WALK_DEPTH_MAX + 1];
    size_t n_levels = 0;
    for (unsigned level = 0; level <= WALK_DEPTH_MAX; level++) {
        struct buf b;
        buf_init(&b, v->ctx->arena, TEXT_FACT_MAX);
        for (size_t i = 0; i < w->n; i++) {
            bool seen = false;
            for (size_t j = 0; j < i && !seen; j++) {
                seen = w->nodes[j].level == level && strcmp(w->nodes[j].name, w->nodes[i].name) == 0;
            }
            if (w->nodes[i].level == level && !seen) {
                buf_printf(&b, "%s%s:%s", b.len > 0 ? "+" : "", w->nodes[i].name,
                           w->nodes[i].kind);
            }
        }
        if (b.len == 0) {
            break;
        }
        items[n_levels++] = buf_span(&b);
    }
    set_words(v->ctx, "volume.chain", KIND_LIST, items, n_levels, SOURCE);
}

static void set_class(struct volume *v, const struct span *leaves, size_t n)
{
    const char *class = NULL;
    for (size_t i = 0; i < n; i++) {
        struct disk d;
        struct err e = ERR_INIT;
        if (!disk_identify(v->ctx->host, v->ctx->arena, span_dup(v->ctx->arena, leaves[i]), &d,
                           &e)) {
            set_err(v->ctx, "volume.storage_class", &e, "sysfs");
            return;
        }
        if (d.storage_class == NULL) {
            set_unknown(v->ctx, "volume.storage_class", FACT_ABSENT, "sysfs", "", d.why);
            return;
        }
        if (class != NULL && strcmp(class, d.storage_class) != 0) {
            class = "mixed";
        } else {
            class = d.storage_class;
        }
        if (strcmp(class, "mixed") == 0) {
            break;
        }
    }
    if (class != NULL) {
        set_enum(v->ctx, "volume.storage_class", class, "model and transport of the leaves");
    }
}

/* Largest power of two that divides the offset; 0 is divided by all. */
static uint64_t alignment(uint64_t offset)
{
    return offset == 0 ? UINT64_MAX : offset & (~offset + 1);
}

static void set_offsets(struct volume *v, const struct walk *w)
{
    uint64_t worst = 0;
    bool first = true;
    for (size_t i = 0; i < w->n; i++) {
        const struct walk_node *n = &w->nodes[i];
        if (!n->leaf) {
            continue;
        }
        if (!n->offset_known) {
            set_unknown(v->ctx, "volume.partition_offset", FACT_ABSENT, "sysfs", "dmsetup table",
                        n->offset_why);
            set_unknown(v->ctx, "volume.aligned_4k", FACT_ABSENT, "sysfs", "dmsetup table",
                        n->offset_why);
            set_unknown(v->ctx, "volume.aligned_1m", FACT_ABSENT, "sysfs", "dmsetup table",
                        n->offset_why);
            return;
        }
        if (first || alignment(n->offset) < alignment(worst) ||
            (alignment(n->offset) == alignment(worst) && n->offset > worst)) {
            worst = n->offset;
            first = false;
        }
    }
    set_u64(v->ctx, "volume.partition_offset", KIND_BYTES, worst, "sysfs start");
    set_bool(v->ctx, "volume.aligned_4k", worst % 4096 == 0, "sysfs start");
    set_bool(v->ctx, "volume.aligned_1m", worst % (1024 * 1024) == 0, "sysfs start");
}

void volume_set_chain(struct volume *v, const struct walk *w)
{
    struct span *leaves = NULL;
    size_t n = blockwalk_leaves(v->ctx->arena, w, &leaves);
    set_names(v, w);
    set_words(v->ctx, "volume.leaf_devices", KIND_SET, leaves, n, SOURCE);
    set_u64(v->ctx, "volume.device_count", KIND_COUNT, n, SOURCE);
    set_class(v, leaves, n);
    set_offsets(v, w);
}
