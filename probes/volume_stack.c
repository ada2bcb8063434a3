/* Volume, theme chain: layers, stripe, array and limits out of a complete walk. */
#include <string.h>

#include "probes/setters.h"
#include "probes/volume_chain.h"

#include "advisor/base/banned.h"

void volume_set_kinds(struct volume *v, const struct walk *w)
{
    struct span *kinds = arena_calloc(v->ctx->arena, w->n + 1, sizeof(*kinds));
    size_t n = 0;
    for (size_t i = 0; i < w->n; i++) {
        const struct walk_node *node = &w->nodes[i];
        if (!node->device || node->aside) {
            continue; /* a pool and its groups are the filesystem itself; logs and caches carry no data */
        }
        if (strcmp(node->kind, "dm") == 0) {
            set_unknown(v->ctx, "volume.stack.kinds", FACT_ABSENT, "dm/uuid", "run as root",
                        arena_printf(v->ctx->arena, "the kind of '%s' stands in its table only",
                                     node->dm_name != NULL ? node->dm_name : node->name));
            return;
        }
        if (!node->leaf) {
            kinds[n++] = span_of(node->kind);
        } else if (strncmp(node->name, "drbd", 4) == 0 || strncmp(node->name, "loop", 4) == 0) {
            kinds[n++] = node->name[0] == 'd' ? SPAN_LIT("drbd") : SPAN_LIT("loop");
        }
    }
    set_words(v->ctx, "volume.stack.kinds", KIND_SET, kinds, n, "sysfs, dm/uuid");
}

static void set_stripe(struct volume *v, const struct walk *w)
{
    static const char source[] = "queue/optimal_io_size, minimum_io_size";
    uint64_t legs = 0, chunk = 0;
    if (!blockwalk_stripe(w, &legs, &chunk)) {
        static const char why[] = "a layer's table says whether it stripes";
        set_unknown(v->ctx, "volume.stack.stripe_count", FACT_ABSENT, source, "dmsetup table",
                    why);
        set_unknown(v->ctx, "volume.stack.chunk_bytes", FACT_ABSENT, source, "dmsetup table", why);
        return;
    }
    set_u64(v->ctx, "volume.stack.stripe_count", KIND_COUNT, legs, source);
    if (chunk > 0) {
        set_u64(v->ctx, "volume.stack.chunk_bytes", KIND_BYTES, chunk, source);
    } else {
        set_unknown(v->ctx, "volume.stack.chunk_bytes", FACT_NOT_SUPPORTED, source, "",
                    "nothing stripes here");
    }
}

/* A partition has no queue of its own, a group of devices has none; data do not pass what is aside. */
static bool has_no_queue(const struct walk_node *n)
{
    return (strcmp(n->kind, "partition") == 0 && n->dm_uuid == NULL) || !n->device || n->aside;
}

/* Over all nodes, or over the leaves only. */
static void set_atomic(struct volume *v, const struct walk *w, const char *name, bool leaves)
{
    static const char source[] = "queue/atomic_write_unit_max_bytes";
    bool known = true, unsupported = true;
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < w->n; i++) {
        const struct walk_node *n = &w->nodes[i];
        if (has_no_queue(n) || (leaves && !n->leaf)) {
            continue;
        }
        known = known && n->has_atomic;
        unsupported = unsupported && n->no_atomic;
        least = n->has_atomic && n->atomic_max < least ? n->atomic_max : least;
    }
    if (known) {
        set_u64(v->ctx, name, KIND_BYTES, least, source);
    } else if (unsupported) {
        set_unknown(v->ctx, name, FACT_NOT_SUPPORTED, source, "",
                    "this kernel does not tell (6.11 and later do)");
    } else {
        set_unknown(v->ctx, name, FACT_ABSENT, source, "", "not every layer tells");
    }
}

void volume_set_discard(struct volume *v, const struct walk *w)
{
    bool known = true, discard = true;
    for (size_t i = 0; i < w->n; i++) {
        const struct walk_node *n = &w->nodes[i];
        known = known && (has_no_queue(n) || n->has_discard);
        discard = discard && (has_no_queue(n) || n->discards);
    }
    if (known) {
        set_bool(v->ctx, "volume.stack.discard", discard, "queue/discard_max_bytes");
    } else {
        set_unknown(v->ctx, "volume.stack.discard", FACT_ABSENT, "queue/discard_max_bytes", "",
                    "not every layer tells");
    }
}

static void set_limits(struct volume *v, const struct walk *w)
{
    bool known_io = true;
    uint64_t max_io = UINT64_MAX;
    for (size_t i = 0; i < w->n; i++) {
        const struct walk_node *n = &w->nodes[i];
        if (has_no_queue(n)) {
            continue;
        }
        known_io = known_io && n->has_queue;
        max_io = n->has_queue && n->max_io < max_io ? n->max_io : max_io;
    }
    if (known_io) {
        set_u64(v->ctx, "volume.stack.max_io_bytes", KIND_BYTES, max_io, "queue/max_sectors_kb");
    }
    volume_set_discard(v, w);
    set_atomic(v, w, "volume.stack.atomic_max", false);
    set_atomic(v, w, "volume.stack.leaf_atomic_max", true);
}

void volume_set_stack(struct volume *v, const struct walk *w)
{
    volume_set_kinds(v, w);
    set_stripe(v, w);
    volume_set_arrays(v, w);
    set_limits(v, w);
}
