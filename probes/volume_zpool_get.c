/* Volume, theme ZFS: what zpool get tells of the pool: its room, and the sectors of its vdevs. */
#include "probes/volume.h"

#include "advisor/base/parse.h"
#include "probes/setters.h"

#include "advisor/base/banned.h"

/* ---- what zpool get tells -------------------------------------------------------------------- */

static void set_share(struct volume *v, const char *fact, const char *property, struct span text,
                      const char *source)
{
    struct span value;
    uint64_t n = 0;
    if (!zfs_property(text, property, &value)) {
        set_unknown(v->ctx, fact, FACT_ABSENT, source, "", "the pool does not tell");
        return;
    }
    if (span_ends(value, "%")) {
        value = span_sub(value, 0, value.len - 1);
    }
    if (parse_u64(value, &n) && n <= 100) {
        set_ratio(v->ctx, fact, KIND_RATIO, n, 100, source);
    } else {
        set_unknown(v->ctx, fact, FACT_UNREADABLE, source, "", "its value is not understood");
    }
}

static void set_autotrim(struct volume *v, struct span text, const char *source)
{
    struct span value;
    if (!zfs_property(text, "autotrim", &value)) {
        set_unknown(v->ctx, "volume.zfs.autotrim", FACT_NOT_SUPPORTED, source, "",
                    "this version of ZFS has no such property");
    } else if (span_eq_text(value, "on") || span_eq_text(value, "off")) {
        set_bool(v->ctx, "volume.zfs.autotrim", span_eq_text(value, "on"), source);
    } else {
        set_unknown(v->ctx, "volume.zfs.autotrim", FACT_UNREADABLE, source, "",
                    "its value is not understood");
    }
}

/* ---- sectors --------------------------------------------------------------------------------- */

#define ASHIFT_MIN 9u /* zpoolprops(7): 9 to 16, and 0 for automatic */
#define ASHIFT_MAX 16u

static void lower(uint64_t *least, uint64_t ashift)
{
    if (ashift >= ASHIFT_MIN && ashift <= ASHIFT_MAX && (*least == 0 || ashift < *least)) {
        *least = ashift;
    }
}

/* The smallest of all vdevs, where they tell one by one. */
static bool ashift_of_vdevs(struct volume *v, const char *pool, uint64_t *ret, struct err *reterr)
{
    struct span text, line, field, value;
    uint64_t least = 0, n = 0;
    if (!host_exec(v->ctx->host, "zpool-ashift", pool, &text, reterr)) {
        return false;
    }
    while (span_line(&text, &line)) {
        if (span_split(&line, '\t', &field) && span_split(&line, '\t', &field) &&
            span_eq_text(field, "ashift") && span_split(&line, '\t', &value) &&
            parse_u64(value, &n)) {
            lower(&least, n);
        }
    }
    *ret = least;
    return least > 0 || err_set(reterr, E_ABSENT, "no vdev of pool '%s' tells its sectors", pool);
}

/* From 2.2 on vdevs have properties; the feature came with that version, and every pool lists it. */
static bool vdevs_have_properties(struct span text)
{
    struct span value;
    return zfs_property(text, "feature@vdev_zaps_v2", &value);
}

/* A vdev that was made with smaller sectors than its device has says so in its line. */
static uint64_t ashift_of_notes(const struct zpool_status *p)
{
    uint64_t least = 0;
    for (size_t i = 1; i < p->n; i++) {
        uint64_t ashift = 0;
        for (uint64_t bytes = p->vdevs[i].block_bytes; bytes > 1; bytes /= 2) {
            ashift++;
        }
        lower(&least, ashift);
    }
    return least;
}

static void no_ashift(struct volume *v, const struct err *e, const char *source)
{
    set_err(v->ctx, "volume.zfs.ashift_min", e, source);
    set_err(v->ctx, "volume.zfs.sector_bytes_min", e, source);
}

/* What the pool says is what its next vdev gets, and nearly always what all of them got; 0: as the device says. */
static void set_ashift(struct volume *v, const char *pool, struct span text, const char *source)
{
    struct span value;
    struct err e = ERR_INIT;
    uint64_t least = 0, n = 0;
    if (v->pool == NULL) {
        no_ashift(v, &v->pool_err, source); /* what a vdev says of itself could be less */
        return;
    }
    if (vdevs_have_properties(text)) {
        source = "zpool get ashift of all vdevs";
        if (!ashift_of_vdevs(v, pool, &least, &e)) {
            no_ashift(v, &e, source);
            return;
        }
    } else if (zfs_property(text, "ashift", &value) && parse_u64(value, &n)) {
        lower(&least, n);
    }
    const uint64_t noted = ashift_of_notes(v->pool);
    if (noted > 0 && (least == 0 || noted < least)) {
        least = noted;
        source = "zpool status: block size of a vdev";
    }
    if (least == 0) {
        err_set(&e, E_ABSENT, "the pool chose by itself, and only ZFS 2.2 and later tell of vdevs");
        err_hint(&e, "zdb -C");
        no_ashift(v, &e, source);
        return;
    }
    set_u64(v->ctx, "volume.zfs.ashift_min", KIND_COUNT, least, source);
    set_u64(v->ctx, "volume.zfs.sector_bytes_min", KIND_BYTES, 1ull << least, source);
}

void volume_read_zpool_room(struct volume *v)
{
    static const char *const facts[] = {"volume.zfs.pool_used_ratio", "volume.zfs.pool_frag",
                                        "volume.zfs.autotrim", "volume.zfs.ashift_min",
                                        "volume.zfs.sector_bytes_min"};
    const char *const pool = v->pool_name;
    struct span text;
    struct err e = ERR_INIT;
    const char *const source = arena_printf(v->ctx->arena, "zpool get all %s", pool);
    if (host_exec(v->ctx->host, "zpool-get", pool, &text, &e)) {
        set_share(v, facts[0], "capacity", text, source);
        set_share(v, facts[1], "fragmentation", text, source);
        set_autotrim(v, text, source);
        set_ashift(v, pool, text, source);
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(facts); i++) {
        set_err(v->ctx, facts[i], &e, source);
    }
}
