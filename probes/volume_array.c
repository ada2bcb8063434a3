/* Volume, theme chain: arrays below the filesystem, of md and of LVM (the device mapper's raid and
 * mirror). Of several the level nearest to the filesystem counts, unless one below keeps parity;
 * missing legs add up. */
#include <string.h>

#include "probes/setters.h"
#include "probes/volume_chain.h"

#include "advisor/base/banned.h"

#define ACTIONS "idle,resync,recover,check,repair,frozen"
#define LEVELS "raid0,raid1,raid4,raid5,raid6,raid10,linear"

struct array {
    struct span level, action; /* action empty: not told */
    const char *source;
    bool has_degraded, has_done;
    uint64_t degraded, done, total;
    const struct walk_md *md; /* NULL: of the device mapper */
};

static struct array array_of_md(struct volume *v, const struct walk_md *md)
{
    return (struct array){.level = md->level,
                          .action = md->sync_action,
                          .source = arena_printf(v->ctx->arena, "/sys/class/block/%s/md", md->name),
                          .has_degraded = md->has_degraded,
                          .degraded = md->degraded,
                          .has_done = md->has_done,
                          .done = md->done,
                          .total = md->total,
                          .md = md};
}

/* The status is that of the whole mapping: LVM makes one segment of an array. */
static struct array array_of_table(struct volume *v, const struct walk_node *n,
                                   const struct dm_segment *s)
{
    struct array a = {.level = s->level, .action = {"", 0}};
    struct dm_raid_status status;
    struct span args;
    a.source = arena_printf(v->ctx->arena, "dmsetup table, status: %s", n->dm_name);
    if (dm_status_find(v->dm->status, span_of(n->dm_name), "raid", &args) &&
        dm_raid_status(args, &status)) {
        a.has_degraded = true;
        a.degraded = status.dead > s->missing ? status.dead : s->missing;
        a.action = status.action;
        a.has_done = !span_eq_text(status.action, "idle") && status.action.len > 0;
        a.done = status.done;
        a.total = status.total;
    }
    return a;
}

static size_t find_arrays(struct volume *v, const struct walk *w, struct array *ret, size_t max)
{
    size_t n = 0;
    for (size_t i = 0; i < w->n && n < max; i++) {
        const struct walk_node *node = &w->nodes[i];
        if (node->md != NULL) {
            ret[n++] = array_of_md(v, node->md);
        }
        for (size_t s = 0; node->table != NULL && s < node->table->n && n < max; s++) {
            if (node->table->segments[s].target == DM_RAID) {
                ret[n++] = array_of_table(v, node, &node->table->segments[s]);
            }
        }
    }
    return n;
}

/* raid0 and linear have nothing to spare. */
static bool is_plain(const struct array *a)
{
    return span_eq_text(a->level, "raid0") || span_eq_text(a->level, "linear");
}

static bool has_parity(const struct array *a)
{
    return span_eq_text(a->level, "raid4") || span_eq_text(a->level, "raid5") ||
           span_eq_text(a->level, "raid6");
}

/* ---- facts ----------------------------------------------------------------------------------- */

static void set_level(struct volume *v, const struct array *arrays, size_t n)
{
    const struct array *shown = &arrays[0];
    for (size_t i = n; i-- > 0;) {
        shown = has_parity(&arrays[i]) ? &arrays[i] : shown;
    }
    set_enum_text(v->ctx, "volume.stack.md_level", LEVELS, shown->level, shown->source);
}

static void set_degraded(struct volume *v, const struct array *arrays, size_t n)
{
    static const char name[] = "volume.stack.md_degraded";
    uint64_t sum = 0;
    bool plain = true;
    for (size_t i = 0; i < n; i++) {
        if (!arrays[i].has_degraded && !is_plain(&arrays[i])) {
            return; /* not told: absent */
        }
        plain = plain && !arrays[i].has_degraded;
        sum += arrays[i].has_degraded ? arrays[i].degraded : 0;
    }
    if (plain) {
        set_unknown(v->ctx, name, FACT_NOT_SUPPORTED, arrays[0].source, "",
                    "this level has no spare legs");
    } else {
        set_u64(v->ctx, name, KIND_COUNT, sum, arrays[0].source);
    }
}

/* The job that runs somewhere; idle only where all are. */
static void set_action(struct volume *v, const struct array *arrays, size_t n)
{
    static const char name[] = "volume.stack.md_sync_action";
    const struct array *shown = NULL;
    bool told = true, plain = true;
    for (size_t i = 0; i < n; i++) {
        const bool busy = arrays[i].action.len > 0 && !span_eq_text(arrays[i].action, "idle");
        shown = shown == NULL && busy ? &arrays[i] : shown;
        told = told && (arrays[i].action.len > 0 || is_plain(&arrays[i]));
        plain = plain && arrays[i].action.len == 0 && is_plain(&arrays[i]);
    }
    if (shown != NULL) {
        set_enum_text(v->ctx, name, ACTIONS, shown->action, shown->source);
        if (shown->has_done) {
            set_ratio(v->ctx, "volume.stack.md_sync_done", KIND_RATIO, shown->done, shown->total,
                      shown->source);
        }
    } else if (plain) {
        set_unknown(v->ctx, name, FACT_NOT_SUPPORTED, arrays[0].source, "",
                    "this level has no spare legs");
    } else if (told) {
        set_enum(v->ctx, name, "idle", arrays[0].source);
        set_unknown(v->ctx, "volume.stack.md_sync_done", FACT_NOT_SUPPORTED, arrays[0].source, "",
                    "no job runs on the array");
    }
}

static void set_bitmap(struct volume *v, const struct array *arrays, size_t n)
{
    static const char name[] = "volume.stack.md_bitmap_chunk";
    const struct array *shown = NULL;
    bool none = true;
    for (size_t i = 0; i < n; i++) {
        const struct walk_md *md = arrays[i].md;
        shown = md != NULL && md->has_bitmap &&
                        (shown == NULL || md->bitmap_chunk_bytes < shown->md->bitmap_chunk_bytes)
                    ? &arrays[i]
                    : shown;
        none = none && (md == NULL || md->bitmap_none || is_plain(&arrays[i]));
    }
    if (shown != NULL) {
        set_u64(v->ctx, name, KIND_BYTES, shown->md->bitmap_chunk_bytes, shown->source);
    } else if (none) {
        set_unknown(v->ctx, name, FACT_NOT_SUPPORTED, arrays[0].source, "",
                    "the array has no write-intent bitmap");
    }
}

/* An array that only a table would tell? */
static bool may_hide_array(const struct walk *w)
{
    for (size_t i = 0; i < w->n; i++) {
        const struct walk_node *n = &w->nodes[i];
        if (n->table == NULL && (strcmp(n->kind, "lvm-raid") == 0 || strcmp(n->kind, "dm") == 0)) {
            return true;
        }
    }
    return false;
}

static void set_none(struct volume *v)
{
    static const char *const others[] = {"volume.stack.md_degraded", "volume.stack.md_sync_action",
                                         "volume.stack.md_sync_done",
                                         "volume.stack.md_bitmap_chunk"};
    set_enum(v->ctx, "volume.stack.md_level", "none", "sysfs");
    for (size_t i = 0; i < ARRAY_LEN(others); i++) {
        set_unknown(v->ctx, others[i], FACT_NOT_SUPPORTED, "sysfs", "",
                    "no array below this filesystem");
    }
}

void volume_set_arrays(struct volume *v, const struct walk *w)
{
    struct array *arrays = arena_calloc(v->ctx->arena, WALK_NODES_MAX, sizeof(*arrays));
    const size_t n = find_arrays(v, w, arrays, WALK_NODES_MAX);
    if (n > 0) {
        set_level(v, arrays, n);
        set_degraded(v, arrays, n);
        set_action(v, arrays, n);
        set_bitmap(v, arrays, n);
    } else if (may_hide_array(w)) {
        volume_table_missing(v, "volume.stack.md_level");
        volume_table_missing(v, "volume.stack.md_degraded");
        volume_table_missing(v, "volume.stack.md_sync_action");
    } else {
        set_none(v);
    }
}
