/* Arguments of the device mapper's targets, as the kernel prints them in a table. */
#include <string.h>

#include "probes/dmargs.h"

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

/* ---- one function a target ---- */

static bool linear(struct dmargs *r)
{
    return dmargs_take_leg_at(r, DM_AT_START) != NULL;
}

/* N CHUNK { DEVICE OFFSET } */
static bool striped(struct dmargs *r)
{
    struct dm_segment *const s = r->segment;
    if (!dmargs_take_number(r, &s->stripes) || !dmargs_take_size(r, &s->chunk) || s->stripes == 0 ||
        s->chunk == 0) {
        return false;
    }
    for (uint64_t i = 0; i < s->stripes; i++) {
        struct dm_leg *const leg = dmargs_take_leg_at(r, DM_IN_PIECES);
        if (leg == NULL) {
            return false;
        }
        leg->piece = s->chunk;
    }
    return true;
}

/* POOL ID [ORIGIN]: how large the pieces are the pool says. */
static bool thin(struct dmargs *r)
{
    uint64_t id = 0;
    if (dmargs_take_leg(r, NULL, DM_SCATTERED) == NULL || !dmargs_take_number(r, &id)) {
        return false;
    }
    return span_trim(r->rest).len == 0 || dmargs_take_leg(r, NULL, DM_AT_START) != NULL;
}

/* METADATA DATA BLOCK LOW_WATER … */
static bool thin_pool(struct dmargs *r)
{
    struct dm_leg *data = NULL;
    if (dmargs_take_leg(r, "metadata", DM_HIDDEN) == NULL ||
        (data = dmargs_take_leg(r, NULL, DM_SCATTERED)) == NULL ||
        !dmargs_take_size(r, &r->segment->block)) {
        return false;
    }
    data->piece = r->segment->block;
    return data->piece > 0;
}

/* ORIGIN STORE P|N|PO CHUNK */
static bool snapshot(struct dmargs *r)
{
    struct dm_leg *store = NULL;
    if (dmargs_take_leg(r, NULL, DM_AT_START) == NULL ||
        (store = dmargs_take_leg(r, "snapshot", DM_SCATTERED)) == NULL || !dmargs_skip(r, 1) ||
        !dmargs_take_size(r, &r->segment->block)) {
        return false;
    }
    store->piece = r->segment->block;
    return true;
}

static bool whole_device(struct dmargs *r)
{
    return dmargs_take_leg(r, NULL, DM_AT_START) != NULL;
}

/* METADATA CACHE ORIGIN BLOCK #FEATURES FEATURE … */
static bool cache(struct dmargs *r)
{
    struct dm_leg *fast = NULL;
    uint64_t n = 0;
    struct span word;
    if (dmargs_take_leg(r, "metadata", DM_HIDDEN) == NULL ||
        (fast = dmargs_take_leg(r, "cache", DM_SCATTERED)) == NULL || !whole_device(r) ||
        !dmargs_take_size(r, &r->segment->block) || !dmargs_take_number(r, &n)) {
        return false;
    }
    for (uint64_t i = 0; i < n; i++) {
        if (!dmargs_take(r, &word)) {
            return false;
        }
        if (span_starts(word, "write") || span_eq_text(word, "passthrough")) {
            r->segment->mode = word;
        }
    }
    return true;
}

/* p|s ORIGIN CACHE BLOCK … */
static bool writecache(struct dmargs *r)
{
    r->segment->mode = SPAN_LIT("writeback");
    return dmargs_skip(r, 1) && whole_device(r) && dmargs_take_leg(r, "cache", DM_HIDDEN) != NULL;
}

/* CIPHER KEY IV_OFFSET DEVICE OFFSET [#OPTIONS OPTION …] */
static bool crypt(struct dmargs *r)
{
    struct dm_segment *const s = r->segment;
    struct span word;
    uint64_t n = 0;
    s->sector = DM_SECTOR;
    if (!dmargs_take(r, &s->cipher) || !dmargs_skip(r, 2) ||
        dmargs_take_leg_at(r, DM_AT_START) == NULL) {
        return false;
    }
    if (span_trim(r->rest).len == 0) {
        return true;
    }
    if (!dmargs_take_number(r, &n)) {
        return false;
    }
    for (uint64_t i = 0; i < n; i++) {
        if (!dmargs_take(r, &word)) {
            return false;
        }
        s->no_read_workqueue = s->no_read_workqueue || span_eq_text(word, "no_read_workqueue");
        s->no_write_workqueue = s->no_write_workqueue || span_eq_text(word, "no_write_workqueue");
        if (span_starts(word, "sector_size:") &&
            !parse_u64(span_sub(word, strlen("sector_size:"), word.len), &s->sector)) {
            return false;
        }
    }
    return true;
}

/* DEVICE RESERVED TAG MODE #OPTIONS OPTION …: tags lie between the data, but for a device of their
 * own. */
static bool integrity(struct dmargs *r)
{
    static const char meta[] = "meta_device:";
    uint64_t n = 0;
    struct span word;
    if (dmargs_take_leg_at(r, DM_HIDDEN) == NULL || !dmargs_skip(r, 2) ||
        !dmargs_take_number(r, &n)) {
        return false;
    }
    for (uint64_t i = 0; i < n; i++) {
        struct dm_leg leg = {.role = "metadata", .place = DM_HIDDEN};
        if (!dmargs_take(r, &word)) {
            return false;
        }
        if (span_starts(word, meta)) {
            r->segment->legs[0].place = DM_AT_START;
            if (!dmargs_device(span_sub(word, strlen(meta), word.len), &leg) ||
                dmargs_add_leg(r, &leg) == NULL) {
                return false;
            }
        }
    }
    return true;
}

/* VERSION DEVICE … */
static bool vdo(struct dmargs *r)
{
    return dmargs_skip(r, 1) && dmargs_take_leg(r, NULL, DM_HIDDEN) != NULL;
}

/* VERSION DEVICE HASHES … */
static bool verity(struct dmargs *r)
{
    return dmargs_skip(r, 1) && whole_device(r) &&
           dmargs_take_leg(r, "metadata", DM_HIDDEN) != NULL;
}

/* DEVICE OFFSET MS [DEVICE OFFSET MS …]: the others serve writes and flushes. */
static bool delay(struct dmargs *r)
{
    do {
        if (dmargs_take_leg_at(r, DM_AT_START) == NULL || !dmargs_skip(r, 1)) {
            return false;
        }
    } while (span_trim(r->rest).len > 0);
    return true;
}

/* METADATA ORIGIN … */
static bool era(struct dmargs *r)
{
    return dmargs_take_leg(r, "metadata", DM_HIDDEN) != NULL && whole_device(r);
}

static bool log_writes(struct dmargs *r)
{
    return whole_device(r) && dmargs_take_leg(r, "log", DM_HIDDEN) != NULL;
}

/* SELECTOR #ARGUMENTS … #PATHS #PATH_ARGUMENTS { DEVICE ARGUMENT … } */
static bool path_group(struct dmargs *r)
{
    uint64_t n = 0, paths = 0, each = 0;
    if (!dmargs_skip(r, 1) || !dmargs_take_number(r, &n) || !dmargs_skip(r, n) ||
        !dmargs_take_number(r, &paths) || !dmargs_take_number(r, &each)) {
        return false;
    }
    for (uint64_t i = 0; i < paths; i++) {
        if (!whole_device(r) || !dmargs_skip(r, each)) {
            return false;
        }
    }
    return true;
}

/* #FEATURES … #HANDLER … #GROUPS FIRST { GROUP } */
static bool multipath(struct dmargs *r)
{
    uint64_t n = 0, groups = 0;
    if (!dmargs_take_number(r, &n) || !dmargs_skip(r, n) || !dmargs_take_number(r, &n) ||
        !dmargs_skip(r, n) || !dmargs_take_number(r, &groups) || !dmargs_skip(r, 1) ||
        groups > DM_LEGS_MAX) {
        return false;
    }
    for (uint64_t i = 0; i < groups; i++) {
        if (!path_group(r)) {
            return false;
        }
    }
    return true;
}

static bool nothing(struct dmargs *r)
{
    (void)r;
    return true;
}

static const struct {
    const char *word;
    enum dm_target target;
    bool (*parse)(struct dmargs *r);
} targets[] = {
    {"linear", DM_LINEAR, linear},
    {"striped", DM_STRIPED, striped},
    {"raid", DM_RAID, dmargs_raid},
    {"mirror", DM_RAID, dmargs_mirror},
    {"thin", DM_THIN, thin},
    {"thin-pool", DM_THIN_POOL, thin_pool},
    {"snapshot", DM_SNAPSHOT, snapshot},
    {"snapshot-merge", DM_SNAPSHOT, snapshot},
    {"snapshot-origin", DM_SNAPSHOT_ORIGIN, whole_device},
    {"cache", DM_CACHE, cache},
    {"writecache", DM_WRITECACHE, writecache},
    {"crypt", DM_CRYPT, crypt},
    {"integrity", DM_INTEGRITY, integrity},
    {"vdo", DM_VDO, vdo},
    {"multipath", DM_MULTIPATH, multipath},
    {"delay", DM_PLAIN, delay},
    {"flakey", DM_PLAIN, linear},
    {"dust", DM_PLAIN, linear},
    {"era", DM_PLAIN, era},
    {"verity", DM_PLAIN, verity},
    {"log-writes", DM_PLAIN, log_writes},
    {"zero", DM_NOTHING, nothing},
    {"error", DM_NOTHING, nothing},
};

bool dm_target_parse(struct arena *a, struct span args, struct dm_segment *ret)
{
    struct dmargs r = {.arena = a, .rest = args, .segment = ret};
    for (size_t i = 0; i < ARRAY_LEN(targets); i++) {
        if (span_eq_text(ret->word, targets[i].word)) {
            ret->target = targets[i].target;
            return targets[i].parse(&r);
        }
    }
    ret->target = DM_OTHER;
    return true;
}
