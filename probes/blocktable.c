/* Device mapper by its table: on which of the devices below which part of the volume lies. The
 * table is believed only where it names the same devices as sysfs. */
#include <string.h>

#include "probes/blockwalk_parts.h"
#include "probes/sysfs.h"

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

struct slave {
    struct span name;
    bool has_number;
    uint32_t major, minor;
};

static void read_number(struct blockwalk *k, struct slave *s)
{
    struct err e = ERR_INIT;
    struct span text, major;
    uint64_t a = 0, b = 0;
    if (!sysfs_name_ok(s->name) ||
        !sysfs_text(k->host, k->arena, &text, &e, "/sys/class/block/%.*s/dev", SPAN_ARG(s->name)) ||
        !span_has(text, ':') || !span_split(&text, ':', &major) || !parse_u64(major, &a) ||
        !parse_u64(text, &b) || a > UINT32_MAX || b > UINT32_MAX) {
        return;
    }
    s->has_number = true;
    s->major = (uint32_t)a;
    s->minor = (uint32_t)b;
}

/* A leg by path can only be told where there is but one device. */
static bool is_leg(const struct slave *s, size_t n_slaves, const struct dm_leg *leg)
{
    if (!leg->has_number) {
        return n_slaves == 1;
    }
    return s->has_number && s->major == leg->major && s->minor == leg->minor;
}

/* ---- where the volume lies on one leg -------------------------------------------------------- */

/* Signed difference of places, where it fits. */
static bool add_signed(int64_t *phase, uint64_t plus, uint64_t minus)
{
    if (plus > (uint64_t)INT64_MAX / 2 || minus > (uint64_t)INT64_MAX / 2) {
        return false;
    }
    const int64_t by = (int64_t)plus - (int64_t)minus;
    if ((by > 0 && *phase > INT64_MAX - by) || (by < 0 && *phase < INT64_MIN + 1 - by)) {
        return false;
    }
    *phase += by;
    return true;
}

/* How far into the leg the first byte lies, when it lies in this segment. */
static uint64_t inside(const struct dm_segment *s, const struct dm_leg *leg, uint64_t into)
{
    if (leg->place != DM_IN_PIECES || s->stripes == 0 || leg->piece == 0) {
        return into;
    }
    return into / leg->piece / s->stripes * leg->piece;
}

static struct walk_place place_on(const struct walk_node *n, const struct dm_segment *s,
                                  const struct dm_leg *leg, const char *why)
{
    struct walk_place p = walk_place_of(n);
    if (leg->place == DM_HIDDEN) {
        return walk_hidden(n->offset_known ? why : n->offset_why);
    }
    p.phase_known = p.phase_known && add_signed(&p.phase, leg->start, s->start);
    p.pieces = walk_gcd(p.pieces, leg->piece);
    if (leg->place == DM_SCATTERED) {
        p.offset_known = false;
        p.why = n->offset_known ? why : n->offset_why;
    } else if (p.offset_known) {
        const uint64_t into = n->offset > s->start ? n->offset - s->start : 0;
        p.offset_known = leg->start <= UINT64_MAX - into;
        p.offset = leg->start + inside(s, leg, into);
        p.why = why;
    }
    return p;
}

/* A second segment on the same device: the first stays where the volume begins. */
static void join_places(struct walk_place *p, const struct walk_place *other)
{
    uint64_t apart = 0;
    p->pieces = walk_gcd(p->pieces, other->pieces);
    p->steps = walk_gcd(p->steps, other->steps);
    p->phase_known = p->phase_known && other->phase_known;
    if (p->phase_known) {
        apart = p->phase > other->phase ? (uint64_t)p->phase - (uint64_t)other->phase
                                        : (uint64_t)other->phase - (uint64_t)p->phase;
        p->steps = walk_gcd(p->steps, apart);
    }
}

/* ---- the node -------------------------------------------------------------------------------- */

/* What all segments say of the stripe: the most legs, the smallest piece. */
static void set_stripe(struct walk_node *n)
{
    n->stripe_told = true;
    for (size_t i = 0; i < n->table->n; i++) {
        const struct dm_segment *s = &n->table->segments[i];
        n->stripe_told = n->stripe_told && s->target != DM_OTHER;
        if (s->stripes < 2) {
            continue;
        }
        n->stripes = s->stripes > n->stripes ? s->stripes : n->stripes;
        n->chunk = n->chunk == 0 || s->chunk < n->chunk ? s->chunk : n->chunk;
    }
}

/* Does the table know the device, and where on it does the volume lie? */
static bool find_legs(const struct walk_node *n, const struct slave *s, size_t n_slaves,
                      const char *why, struct walk_place *ret, const char **ret_role)
{
    bool found = false, data = false;
    for (size_t i = 0; i < n->table->n; i++) {
        const struct dm_segment *segment = &n->table->segments[i];
        /* what lies before the filesystem is none of its business, but the device is known */
        const bool before = n->offset_known && n->offset >= segment->start + segment->length;
        for (size_t k = 0; k < segment->n_legs; k++) {
            const struct dm_leg *leg = &segment->legs[k];
            if (!is_leg(s, n_slaves, leg)) {
                continue;
            }
            const struct walk_place p = place_on(n, segment, leg, why);
            *ret_role = found || data ? *ret_role : leg->role;
            found = true;
            if (leg->role != NULL || before) {
                continue;
            }
            *ret_role = NULL;
            if (data) {
                join_places(ret, &p);
            } else {
                *ret = p;
            }
            data = true;
        }
    }
    return found;
}

static bool has_unknown_target(const struct dm_table *t)
{
    for (size_t i = 0; i < t->n; i++) {
        if (t->segments[i].target == DM_OTHER) {
            return true;
        }
    }
    return false;
}

/* Is every device of the table among those below? */
static bool legs_are_there(const struct dm_table *t, const struct slave *slaves, size_t n)
{
    for (size_t i = 0; i < t->n; i++) {
        for (size_t k = 0; k < t->segments[i].n_legs; k++) {
            bool there = false;
            for (size_t s = 0; s < n && !there; s++) {
                there = is_leg(&slaves[s], n, &t->segments[i].legs[k]);
            }
            if (!there) {
                return false;
            }
        }
    }
    return true;
}

/* Which legs the devices below are; false: table and sysfs name other devices. */
static bool match(struct blockwalk *k, const struct walk_node *n, const struct host_names *names,
                  struct walk_place *ret_places, const char **ret_roles)
{
    struct slave *slaves = arena_calloc(k->arena, names->n, sizeof(*slaves));
    const char *why =
        arena_printf(k->arena, "where the data lie below '%s' only its target knows", n->dm_name);
    const bool open = has_unknown_target(n->table);
    for (size_t s = 0; s < names->n; s++) {
        slaves[s].name = names->names[s];
        read_number(k, &slaves[s]);
    }
    if (!legs_are_there(n->table, slaves, names->n)) {
        return false;
    }
    for (size_t s = 0; s < names->n; s++) {
        ret_places[s] = walk_hidden(why);
        if (!find_legs(n, &slaves[s], names->n, why, &ret_places[s], &ret_roles[s]) && !open) {
            return false;
        }
    }
    return true;
}

bool walk_expand_table(struct blockwalk *k, size_t i, const struct host_names *names)
{
    struct walk_node *n = &k->walk.nodes[i];
    struct walk_place *places = arena_calloc(k->arena, names->n, sizeof(*places));
    const char **roles = arena_calloc(k->arena, names->n, sizeof(*roles));
    if (n->table == NULL || !match(k, n, names, places, roles)) {
        n->table = NULL;
        return false;
    }
    set_stripe(n);
    for (size_t s = 0; s < names->n; s++) {
        walk_add(k, i, names->names[s], roles[s], &places[s]);
    }
    return true;
}
