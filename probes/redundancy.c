/* See redundancy.h. */
#include "probes/redundancy.h"

#include <string.h>

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

#define SOURCE "volume.layers"
#define LAYERS_MAX 4096u

const struct fact_decl redundancy_decls[REDUNDANCY_DECLS] = {
    {"volume.mirrored", KIND_BOOL, NULL, SUBJECT_VOLUME, FOLD_ALL, NEED_NONE,
     "the layers of this host keep the data through the loss of any one disk: a mirror, or parity",
     SOURCE, ""},
};

struct tree {
    const struct layer *layers;
    size_t n;
    struct span metadata;
    redundancy_disk disk;
    void *ctx;
    struct span lost; /* the disk that is taken away */
};

/* How many of the layers directly below one may be lost. */
enum { ONE_IS_ENOUGH = -1, HIDDEN = -2 };

static bool is_kind(const struct layer *l, const char *kind)
{
    return span_eq_text(l->kind, kind);
}

static bool has(const struct layer *l, const char *key, const char *value)
{
    return span_eq_text(layer_value(l, key), value);
}

/* ---- how a layer keeps data ------------------------------------------------------------------ */

/* Words of md, LVM, ZFS and btrfs for the same ideas; "raid5_ls" and "raidz1-0" begin so. Longer ones first. */
static int tolerance_of(struct span level)
{
    static const struct {
        const char *begin;
        int legs;
    } levels[] = {
        {"raid10", 1},  {"raid1e", 1},  {"raid0", 0},   {"linear", 0}, {"raid4", 1},
        {"raid5", 1},   {"raid6", 2},   {"raidz1", 1},  {"raidz2", 2}, {"raidz3", 3},
        {"raidz", 1},   {"draid1", 1},  {"draid2", 2},  {"draid3", 3}, {"mirror", ONE_IS_ENOUGH},
        {"raid1", ONE_IS_ENOUGH},       {"replacing", ONE_IS_ENOUGH},  {"spare", ONE_IS_ENOUGH},
    };
    for (size_t i = 0; i < ARRAY_LEN(levels); i++) {
        if (span_starts(level, levels[i].begin)) {
            return levels[i].legs;
        }
    }
    return HIDDEN;
}

/* Copies of a chunk lie on that many devices, whichever: a mirror of three devices survives one loss. */
static int btrfs_tolerance(struct span profile)
{
    static const struct {
        const char *profile;
        int legs;
    } profiles[] = {
        {"single", 0}, {"dup", 0},    {"raid0", 0},  {"raid1", 1}, {"raid1c3", 2},
        {"raid1c4", 3}, {"raid10", 1}, {"raid5", 1}, {"raid6", 2},
    };
    for (size_t i = 0; i < ARRAY_LEN(profiles); i++) {
        if (span_eq_text(profile, profiles[i].profile)) {
            return profiles[i].legs;
        }
    }
    return HIDDEN;
}

/* Without its metadata the filesystem is lost too. */
static int btrfs_legs(const struct tree *t, const struct layer *l)
{
    const int data = btrfs_tolerance(layer_value(l, "type"));
    const int metadata = btrfs_tolerance(t->metadata);
    return data < metadata ? data : metadata;
}

/* The name of a dRAID tells its parity: "draid2:4d:8c:1s-0". */
static int vdev_legs(const struct tree *t, const struct layer *l)
{
    if (span_starts(l->name, "btrfs-")) {
        return btrfs_legs(t, l);
    }
    return tolerance_of(has(l, "type", "draid") ? l->name : layer_value(l, "type"));
}

/* A cache that is written back holds data of its own; one that is not may go. */
static bool is_cache(const struct layer *l)
{
    return is_kind(l, "bcache") || is_kind(l, "dm-cache") || is_kind(l, "lvm-cache");
}

static int legs_of(const struct tree *t, const struct layer *l)
{
    static const char *const whole[] = {"fs",           "pool",         "partition",  "lvm-linear",
                                        "lvm-striped",  "lvm-thin",     "crypt",      "multipath",
                                        "lvm-snapshot", "dm-integrity", "vdo",        "loop",
                                        "dm-linear",    "dm-striped",   "dm-thin",    "dm-snapshot",
                                        "bcache",       "dm-cache",     "lvm-cache",  "dm-writecache"};
    for (size_t i = 0; i < ARRAY_LEN(whole); i++) {
        if (is_kind(l, whole[i])) {
            return 0;
        }
    }
    if (is_kind(l, "vdev")) {
        return vdev_legs(t, l);
    }
    if (is_kind(l, "md") || is_kind(l, "lvm-raid") || is_kind(l, "dm-raid")) {
        return tolerance_of(layer_value(l, "raid"));
    }
    return has(l, "target", "mirror") ? ONE_IS_ENOUGH : HIDDEN;
}

/* Logs and spares hold nothing that is not elsewhere; halves of RAID legs go with their data. */
static bool is_leg(const struct layer *above, const struct layer *l)
{
    if (is_kind(l, "controller") || has(l, "role", "log") || has(l, "role", "spare")) {
        return false;
    }
    if (has(l, "role", "cache")) {
        return is_cache(above) && !has(above, "mode", "writethrough") &&
               !has(above, "mode", "writearound") && !has(above, "mode", "passthrough");
    }
    return !(has(l, "role", "metadata") && (is_kind(above, "lvm-raid") || is_kind(above, "dm-raid")));
}

/* ---- one disk less --------------------------------------------------------------------------- */

struct legs {
    uint64_t kept, lost, open;
};

static enum tri survives(const struct tree *t, size_t i);

static void count_legs(const struct tree *t, size_t i, struct legs *ret)
{
    const struct layer *const l = &t->layers[i];
    *ret = (struct legs){0};
    for (size_t k = i + 1; k < t->n && t->layers[k].level > l->level; k++) {
        if (t->layers[k].level != l->level + 1 || !is_leg(l, &t->layers[k])) {
            continue;
        }
        const enum tri leg = survives(t, k);
        ret->kept += leg == TRI_YES;
        ret->lost += leg == TRI_NO;
        ret->open += leg == TRI_UNKNOWN;
    }
}

static enum tri leaf(const struct tree *t, const struct layer *l)
{
    if (!is_kind(l, "disk")) {
        return TRI_UNKNOWN; /* a loop device whose file is elsewhere, DRBD, the end of what was followed */
    }
    return span_eq(l->name, t->lost) ? t->disk(t->ctx, l->name) : TRI_YES;
}

static enum tri judge(int legs, const struct legs *n, uint64_t missing)
{
    if (legs == ONE_IS_ENOUGH) {
        return n->kept > 0 ? TRI_YES : n->open > 0 ? TRI_UNKNOWN : TRI_NO;
    }
    if (legs == HIDDEN) {
        return n->lost + n->open == 0   ? TRI_YES
               : n->kept + n->open == 0 ? TRI_NO
                                        : TRI_UNKNOWN;
    }
    const uint64_t may = (uint64_t)legs;
    if (n->lost > may || missing > may || n->lost + missing > may) {
        return TRI_NO;
    }
    return n->lost + missing + n->open <= may ? TRI_YES : TRI_UNKNOWN;
}

/* Does what lies on layer i outlive the loss? As deep as layers go: LAYER_LEVEL_MAX. */
static enum tri survives(const struct tree *t, size_t i)
{
    const struct layer *const l = &t->layers[i];
    const struct span state = layer_value(l, "state");
    struct legs n;
    uint64_t missing = 0;
    if (state.len > 0 && !span_eq_text(state, "ONLINE") && !span_eq_text(state, "DEGRADED")) {
        return TRI_NO; /* gone already */
    }
    count_legs(t, i, &n);
    if (n.kept + n.lost + n.open == 0) {
        return leaf(t, l);
    }
    (void)parse_u64(layer_value(l, "degraded"), &missing);
    return judge(legs_of(t, l), &n, missing);
}

/* A device that stood on level 0 twice (a filesystem in a filesystem) has one tree. */
static enum tri without(struct tree *t, struct span disk)
{
    enum tri all = TRI_YES;
    t->lost = disk;
    for (size_t i = 0; i < t->n; i++) {
        const enum tri one = t->layers[i].level == 0 ? survives(t, i) : TRI_YES;
        all = one == TRI_NO || all == TRI_NO ? TRI_NO
              : one == TRI_UNKNOWN           ? TRI_UNKNOWN
                                             : all;
    }
    return all;
}

enum tri redundancy_of(const struct layer *layers, size_t n, struct span metadata,
                       redundancy_disk disk, void *ctx)
{
    struct tree t = {.layers = layers, .n = n, .metadata = metadata, .disk = disk, .ctx = ctx};
    enum tri all = TRI_UNKNOWN;
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        bool seen = false;
        for (size_t k = 0; k < i && !seen; k++) {
            seen = is_kind(&layers[k], "disk") && span_eq(layers[k].name, layers[i].name);
        }
        if (seen || !is_kind(&layers[i], "disk")) {
            continue;
        }
        const enum tri one = without(&t, layers[i].name);
        if (one == TRI_NO) {
            return TRI_NO;
        }
        all = !any ? one : one == TRI_UNKNOWN ? TRI_UNKNOWN : all;
        any = true;
    }
    return all;
}

/* ---- the fact -------------------------------------------------------------------------------- */

static const struct value *known(const struct store *s, const struct subject *sub, const char *name)
{
    const struct fact *const f = store_get(s, sub, span_of(name));
    return f != NULL && f->state == FACT_KNOWN ? &f->value : NULL;
}

/* What the layers do, whatever the disks are: those that keep copies themselves come in by rules/derived.ini. */
static enum tri is_drive(void *ctx, struct span name)
{
    (void)ctx;
    (void)name;
    return TRI_NO;
}

static enum tri of_volume(struct store *s, const struct subject *volume)
{
    ARENA_AUTO a = arena_new();
    const struct value *const list = known(s, volume, "volume.layers");
    const struct value *const profile = known(s, volume, "volume.btrfs.metadata_profile");
    const struct value *const class = known(s, volume, "volume.storage_class");
    if (class != NULL && class->kind == KIND_ENUM && span_eq_text(class->text, "memory")) {
        return TRI_NO;
    }
    if (list == NULL || list->n_items > LAYERS_MAX) {
        return TRI_UNKNOWN;
    }
    struct layer *const layers = arena_calloc(a, list->n_items + 1, sizeof(*layers));
    for (size_t i = 0; i < list->n_items; i++) {
        if (!layer_read(a, list->items[i], &layers[i])) {
            return TRI_UNKNOWN;
        }
    }
    const struct span metadata = profile != NULL ? profile->text : (struct span){"", 0};
    return redundancy_of(layers, list->n_items, metadata, is_drive, NULL);
}

void redundancy_set(struct store *s)
{
    static const char name[] = "volume.mirrored";
    const struct subject *const *volumes = NULL;
    const size_t n = store_subjects_of(s, SUBJECT_VOLUME, &volumes);
    for (size_t i = 0; i < n; i++) {
        if (volumes[i]->server == NULL) {
            continue;
        }
        const enum tri t = of_volume(s, volumes[i]);
        if (t == TRI_UNKNOWN) {
            store_unknown(s, volumes[i], name, FACT_ABSENT, SOURCE, "",
                          "a layer does not tell whether it keeps copies");
        } else {
            store_known(s, volumes[i], name, value_bool(t == TRI_YES), SOURCE);
        }
    }
}
