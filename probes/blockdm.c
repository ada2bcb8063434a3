/* What a device-mapper node is: by its table where that was read; else from what sysfs shows without root, the
 * prefix of its uuid (LVM-, CRYPT-, mpath-, part…), the suffix that LVM gives to hidden volumes, and its queue
 * limits. Where that does not decide, the kind stays "dm". Pure over the walked nodes. */
#include <string.h>

#include "probes/blockwalk.h"

#include "advisor/base/banned.h"

/* "LVM-", 32 characters of the volume group, 32 of the volume. */
#define LVM_UUID_LENGTH 68u

static struct span lvm_suffix(const struct walk_node *n)
{
    struct span uuid = span_of(n->dm_uuid);
    if (!span_starts(uuid, "LVM-") || uuid.len <= LVM_UUID_LENGTH) {
        return (struct span){"", 0};
    }
    return span_sub(uuid, LVM_UUID_LENGTH, uuid.len - LVM_UUID_LENGTH);
}

static bool name_has(const char *name, const char *piece)
{
    return name != NULL && strstr(name, piece) != NULL;
}

/* The limits of a device below: a partition has those of its disk. NULL: not known. */
static const struct walk_node *limits_of(const struct walk *w, size_t c)
{
    const struct walk_node *b = &w->nodes[c];
    for (size_t i = 0; i < w->n && strcmp(b->kind, "partition") == 0 && !b->has_queue; i++) {
        if (w->nodes[i].parent == c && i != c) {
            b = &w->nodes[i];
        }
    }
    return b->has_queue ? b : NULL;
}

enum stripe { STRIPE_NO, STRIPE_YES, STRIPE_UNKNOWN };

/* Limits that differ from those of every device below, on at least two devices, with a whole number of
 * pieces in the optimal size: only a stripe sets them so. */
static enum stripe is_striped(const struct walk *w, size_t i)
{
    const struct walk_node *n = &w->nodes[i];
    if (n->n_below < 2) {
        return STRIPE_NO; /* not worth telling apart */
    }
    if (!n->has_queue) {
        return STRIPE_UNKNOWN;
    }
    uint64_t legs = n->min_io > 0 && n->opt_io % n->min_io == 0 ? n->opt_io / n->min_io : 0;
    if (legs < 2 || legs > n->n_below) {
        return STRIPE_NO;
    }
    for (size_t c = 0; c < w->n; c++) {
        if (c == i || w->nodes[c].parent != i) {
            continue;
        }
        const struct walk_node *b = limits_of(w, c);
        if (b == NULL) {
            return STRIPE_UNKNOWN;
        }
        if (b->min_io == n->min_io && b->opt_io == n->opt_io) {
            return STRIPE_NO;
        }
    }
    return STRIPE_YES;
}

/* What the devices below an LVM volume say of it; NULL: nothing. */
static const char *lvm_kind_from_below(const struct walk *w, size_t i)
{
    for (size_t c = 0; c < w->n; c++) {
        const struct walk_node *b = &w->nodes[c];
        if (c == i || b->parent != i || b->dm_uuid == NULL) {
            continue;
        }
        struct span suffix = lvm_suffix(b);
        if (span_eq_text(suffix, "-tpool") || name_has(b->dm_name, "_tdata")) {
            return "lvm-thin";
        }
        if (span_eq_text(suffix, "-real") || span_eq_text(suffix, "-cow")) {
            return "lvm-snapshot";
        }
        if (name_has(b->dm_name, "_rimage_")) {
            return "lvm-raid";
        }
        if (name_has(b->dm_name, "_wcorig")) {
            return "dm-writecache";
        }
        if (name_has(b->dm_name, "_corig") || span_eq_text(suffix, "-cdata")) {
            return "lvm-cache";
        }
        if (name_has(b->dm_name, "_iorig")) {
            return "dm-integrity";
        }
        if (span_eq_text(suffix, "-vpool")) {
            return "vdo";
        }
    }
    return NULL;
}

/* ---- by the table ---------------------------------------------------------------------------- */

/* The kinds of a target: of a logical volume, and of anything else. Later rows outweigh earlier ones where a
 * mapping has segments of several. */
static const struct {
    enum dm_target target;
    const char *lvm, *other;
} kinds[] = {
    {DM_NOTHING, "dm-other", "dm-other"},
    {DM_LINEAR, "lvm-linear", "dm-linear"},
    {DM_PLAIN, "dm-other", "dm-other"},
    {DM_STRIPED, "lvm-striped", "dm-striped"},
    {DM_RAID, "lvm-raid", "dm-raid"},
    {DM_MULTIPATH, "multipath", "multipath"},
    {DM_CRYPT, "crypt", "crypt"},
    {DM_INTEGRITY, "dm-integrity", "dm-integrity"},
    {DM_VDO, "vdo", "vdo"},
    {DM_CACHE, "lvm-cache", "dm-cache"},
    {DM_WRITECACHE, "dm-writecache", "dm-writecache"},
    {DM_THIN_POOL, "lvm-thin", "dm-thin"},
    {DM_THIN, "lvm-thin", "dm-thin"},
    {DM_SNAPSHOT_ORIGIN, "lvm-snapshot", "dm-snapshot"},
    {DM_SNAPSHOT, "lvm-snapshot", "dm-snapshot"},
    {DM_OTHER, "dm-other", "dm-other"},
};

static const char *kind_of_table(const struct walk_node *n)
{
    size_t best = 0;
    for (size_t i = 0; i < n->table->n; i++) {
        for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
            best = n->table->segments[i].target == kinds[k].target && k > best ? k : best;
        }
    }
    const struct span uuid = span_of(n->dm_uuid);
    if (kinds[best].target == DM_LINEAR && span_starts(uuid, "part")) {
        return "partition";
    }
    if (!n->has_uuid && strcmp(kinds[best].lvm, kinds[best].other) != 0) {
        return "dm"; /* whose it is stands in the uuid */
    }
    return span_starts(uuid, "LVM-") ? kinds[best].lvm : kinds[best].other;
}

/* ---- by sysfs alone -------------------------------------------------------------------------- */

static const char *dm_kind(const struct walk *w, size_t i)
{
    const struct walk_node *n = &w->nodes[i];
    struct span uuid = span_of(n->dm_uuid);
    if (n->table != NULL) {
        return kind_of_table(n);
    }
    if (span_starts(uuid, "LVM-")) {
        const char *below = lvm_kind_from_below(w, i);
        if (below != NULL) {
            return below;
        }
        enum stripe striped = is_striped(w, i);
        if (striped == STRIPE_UNKNOWN) {
            return "dm";
        }
        return striped == STRIPE_YES ? "lvm-striped" : "lvm-linear";
    }
    if (span_starts(uuid, "CRYPT-INTEGRITY") || span_ends(uuid, "-dif")) {
        return "dm-integrity";
    }
    if (span_starts(uuid, "CRYPT-VERITY")) {
        return "dm";
    }
    if (span_starts(uuid, "CRYPT-")) {
        return "crypt";
    }
    if (span_starts(uuid, "mpath-")) {
        return "multipath";
    }
    if (span_starts(uuid, "part")) {
        return "partition";
    }
    return span_starts(uuid, "VDO-") ? "vdo" : "dm";
}

void blockwalk_name_dm(struct walk *w)
{
    for (size_t i = 0; i < w->n; i++) {
        if (w->nodes[i].dm_uuid != NULL) {
            w->nodes[i].kind = dm_kind(w, i);
        }
    }
}

bool blockwalk_stripe(const struct walk *w, uint64_t *ret_legs, uint64_t *ret_chunk)
{
    uint64_t legs = 1, chunk = 0;
    for (size_t i = 0; i < w->n; i++) {
        const struct walk_node *n = &w->nodes[i];
        bool md = strcmp(n->kind, "md") == 0;
        bool raid = strcmp(n->kind, "lvm-raid") == 0;
        if (n->stripe_told) {
            if (n->stripes > 1 && n->chunk > 0) {
                legs = n->stripes > legs ? n->stripes : legs;
                chunk = chunk == 0 || n->chunk < chunk ? n->chunk : chunk;
            }
            continue;
        }
        if (strcmp(n->kind, "dm") == 0 || strcmp(n->kind, "dm-other") == 0 ||
            ((md || raid) && !n->has_queue)) {
            return false;
        }
        bool striped = strcmp(n->kind, "lvm-striped") == 0;
        if ((!striped && !md && !raid) || n->no_stripe) {
            continue;
        }
        uint64_t here = n->min_io > 0 && n->opt_io % n->min_io == 0 ? n->opt_io / n->min_io : 0;
        if (here < 2 || here > n->n_below) {
            continue; /* a mirror or a concatenation: no pieces */
        }
        legs = here > legs ? here : legs;
        chunk = chunk == 0 || n->min_io < chunk ? n->min_io : chunk;
    }
    *ret_legs = legs;
    *ret_chunk = chunk;
    return true;
}
