/* See dmargs.h. */
#include "probes/dmargs.h"

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

#define BLOCKS_MAX (UINT64_MAX / DM_SECTOR)

bool dmargs_take(struct dmargs *r, struct span *ret)
{
    return span_word(&r->rest, ret);
}

bool dmargs_skip(struct dmargs *r, uint64_t n)
{
    struct span word;
    for (uint64_t i = 0; i < n; i++) {
        if (!dmargs_take(r, &word)) {
            return false;
        }
    }
    return true;
}

bool dmargs_take_number(struct dmargs *r, uint64_t *ret)
{
    struct span word;
    return dmargs_take(r, &word) && parse_u64(word, ret);
}

bool dmargs_take_size(struct dmargs *r, uint64_t *ret)
{
    uint64_t sectors = 0;
    if (!dmargs_take_number(r, &sectors) || sectors > BLOCKS_MAX) {
        return false;
    }
    *ret = sectors * DM_SECTOR;
    return true;
}

bool dmargs_device(struct span word, struct dm_leg *leg)
{
    struct span rest = word, major;
    uint64_t a = 0, b = 0;
    leg->device = word;
    if (span_has(word, '/')) {
        return true;
    }
    if (!span_has(word, ':') || !span_split(&rest, ':', &major) || !parse_u64(major, &a) ||
        !parse_u64(rest, &b) || a > UINT32_MAX || b > UINT32_MAX) {
        return false;
    }
    leg->has_number = true;
    leg->major = (uint32_t)a;
    leg->minor = (uint32_t)b;
    return true;
}

struct dm_leg *dmargs_add_leg(struct dmargs *r, const struct dm_leg *leg)
{
    struct dm_segment *const s = r->segment;
    if (s->n_legs == DM_LEGS_MAX) {
        return NULL;
    }
    /* powers of two: full exactly when the count is one */
    if ((s->n_legs & (s->n_legs - 1)) == 0) {
        const size_t more = s->n_legs == 0 ? 1 : s->n_legs * 2;
        s->legs = arena_grow(r->arena, s->legs, s->n_legs * sizeof(*leg), more * sizeof(*leg));
    }
    s->legs[s->n_legs] = *leg;
    return &s->legs[s->n_legs++];
}

struct dm_leg *dmargs_take_leg(struct dmargs *r, const char *role, enum dm_place place)
{
    struct dm_leg leg = {.role = role, .place = place};
    struct span word;
    return dmargs_take(r, &word) && dmargs_device(word, &leg) ? dmargs_add_leg(r, &leg) : NULL;
}

struct dm_leg *dmargs_take_leg_at(struct dmargs *r, enum dm_place place)
{
    struct dm_leg *const leg = dmargs_take_leg(r, NULL, place);
    return leg != NULL && dmargs_take_size(r, &leg->start) ? leg : NULL;
}
