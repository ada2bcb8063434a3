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
                seen =
                    w->nodes[j].level == level && strcmp(w->nodes[j].name, w->nodes[i].name) == 0;
            }
            if (w->nodes[i].level == level && !seen) {
                buf_printf(&b, "%s%s:%s", b.len > 0 ? "+" : "", w->nodes[i].name, w->nodes[i].kind);
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

/* ---- places ---------------------------------------------------------------------------------- */

/* Largest power of two that divides the offset; 0 is divided by all. */
static uint64_t alignment(uint64_t offset)
{
    return offset == 0 ? UINT64_MAX : offset & (~offset + 1);
}

static bool carries_data(const struct walk_node *n)
{
    return n->leaf && n->role == NULL;
}

/* Why the place on this leaf is not known; NULL: it is. */
static const char *why_unplaced(const struct walk_node *n, bool known)
{
    return n->unplaced != NULL ? n->unplaced : known ? NULL : n->offset_why;
}

static uint64_t size_of(int64_t phase)
{
    return phase < 0 ? (uint64_t)-phase : (uint64_t)phase;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b != 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Where the filesystem begins; of several legs the least aligned. */
static void set_offset(struct volume *v, const struct walk *w)
{
    uint64_t worst = 0;
    bool first = true;
    for (size_t i = 0; i < w->n; i++) {
        const struct walk_node *n = &w->nodes[i];
        if (!carries_data(n)) {
            continue;
        }
        const char *why = why_unplaced(n, n->offset_known);
        if (why != NULL) {
            set_unknown(v->ctx, "volume.partition_offset", FACT_ABSENT, "sysfs",
                        v->dm->read ? "" : "run as root", why);
            return;
        }
        if (first || alignment(n->offset) < alignment(worst) ||
            (alignment(n->offset) == alignment(worst) && n->offset > worst)) {
            worst = n->offset;
            first = false;
        }
    }
    set_u64(v->ctx, "volume.partition_offset", KIND_BYTES, worst, "sysfs start");
}

/* Of the places on all legs: the beginning and where segments go on; and pieces too. */
static void set_alignment(struct volume *v, const struct walk *w)
{
    static const char source[] = "sysfs start, dmsetup table";
    static const char *const facts[] = {"volume.aligned_4k", "volume.aligned_1m",
                                        "volume.alignment_bytes"};
    uint64_t places = 0, pieces = 0;
    for (size_t i = 0; i < w->n; i++) {
        const struct walk_node *n = &w->nodes[i];
        if (!carries_data(n)) {
            continue;
        }
        const char *why = why_unplaced(n, n->phase_known);
        for (size_t k = 0; why != NULL && k < ARRAY_LEN(facts); k++) {
            set_unknown(v->ctx, facts[k], FACT_ABSENT, "sysfs", v->dm->read ? "" : "run as root",
                        why);
        }
        if (why != NULL) {
            return;
        }
        places = gcd(gcd(places, size_of(n->phase)), n->steps);
        pieces = gcd(pieces, n->pieces);
    }
    set_bool(v->ctx, facts[0], places % 4096 == 0, source);
    set_bool(v->ctx, facts[1], places % (1024 * 1024) == 0, source);
    set_u64(v->ctx, facts[2], KIND_BYTES, gcd(places, pieces), source);
}

/* All paths of a multipath device lead to one. */
static const char *end_of(const struct walk *w, size_t leaf)
{
    const struct walk_node *above = &w->nodes[w->nodes[leaf].parent];
    return strcmp(above->kind, "multipath") == 0 ? above->name : w->nodes[leaf].name;
}

static uint64_t count_devices(const struct walk *w)
{
    uint64_t n = 0;
    for (size_t i = 0; i < w->n; i++) {
        bool seen = !w->nodes[i].leaf || w->nodes[i].aside;
        for (size_t k = 0; k < i && !seen; k++) {
            seen =
                w->nodes[k].leaf && !w->nodes[k].aside && strcmp(end_of(w, k), end_of(w, i)) == 0;
        }
        n += !seen;
    }
    return n;
}

/* What lies below a mapping of no known kind may be disks, or paths to one. */
static void set_count(struct volume *v, const struct walk *w)
{
    static const char name[] = "volume.device_count";
    for (size_t i = 0; i < w->n; i++) {
        if (strcmp(w->nodes[i].kind, "dm") == 0 && w->nodes[i].n_below > 1) {
            volume_table_missing(v, name);
            return;
        }
    }
    set_u64(v->ctx, name, KIND_COUNT, count_devices(w), SOURCE);
}

void volume_set_chain(struct volume *v, const struct walk *w)
{
    struct span *leaves = NULL;
    size_t n = blockwalk_leaves(v->ctx->arena, w, &leaves);
    set_names(v, w);
    set_words(v->ctx, "volume.leaf_devices", KIND_SET, leaves, n, SOURCE);
    set_count(v, w);
    set_class(v, leaves, n);
    set_offset(v, w);
    set_alignment(v, w);
}
