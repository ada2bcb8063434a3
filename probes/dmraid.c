/* The device mapper's targets that keep copies or parity: raid and the older mirror. */
#include "probes/dmargs.h"

#include "advisor/base/banned.h"

static const struct {
    const char *begins, *level;
} levels[] = {
    {"raid10", "raid10"}, {"raid0", "raid0"}, {"raid1", "raid1"},
    {"raid4", "raid4"},   {"raid5", "raid5"}, {"raid6", "raid6"},
};

/* What of the parameters decides where data lie. */
static bool raid_parameters(struct dmargs *r, uint64_t n, uint64_t *ret_copies,
                            uint64_t *ret_offset)
{
    struct span word;
    for (uint64_t i = 0; i < n; i++) {
        if (!dmargs_take(r, &word)) {
            return false;
        }
        const bool copies = span_eq_text(word, "raid10_copies");
        const bool offset = span_eq_text(word, "data_offset");
        if (!copies && !offset) {
            continue;
        }
        i++;
        if (i == n ||
            !(copies ? dmargs_take_number(r, ret_copies) : dmargs_take_size(r, ret_offset))) {
            return false;
        }
    }
    return *ret_copies > 0;
}

static uint64_t raid_stripes(struct span level, uint64_t devices, uint64_t copies)
{
    if (span_eq_text(level, "raid1")) {
        return 0;
    }
    if (span_eq_text(level, "raid10")) {
        return devices / copies;
    }
    const uint64_t parity = span_eq_text(level, "raid6") ? 2 : !span_eq_text(level, "raid0");
    return devices > parity ? devices - parity : 0;
}

static bool raid_legs(struct dmargs *r, uint64_t devices, uint64_t offset)
{
    struct dm_segment *const s = r->segment;
    for (uint64_t i = 0; i < devices; i++) {
        const enum dm_place place = s->chunk > 0 ? DM_IN_PIECES : DM_AT_START;
        struct dm_leg leg[2] = {{.role = "metadata", .place = DM_HIDDEN},
                                {.place = place, .start = offset, .piece = s->chunk}};
        for (size_t k = 0; k < 2; k++) {
            struct span word;
            if (!dmargs_take(r, &word)) {
                return false;
            }
            if (span_eq_text(word, "-")) {
                s->missing += k;
            } else if (!dmargs_device(word, &leg[k]) || dmargs_add_leg(r, &leg[k]) == NULL) {
                return false;
            }
        }
    }
    return true;
}

/* TYPE #PARAMETERS CHUNK … #DEVICES { METADATA DATA } */
bool dmargs_raid(struct dmargs *r)
{
    struct dm_segment *const s = r->segment;
    uint64_t n = 0, devices = 0, copies = 2, offset = 0;
    struct span type;
    if (!dmargs_take(r, &type)) {
        return false;
    }
    for (size_t i = 0; i < ARRAY_LEN(levels) && s->level.len == 0; i++) {
        if (span_starts(type, levels[i].begins)) {
            s->level = span_of(levels[i].level);
        }
    }
    if (s->level.len == 0 || !dmargs_take_number(r, &n) || n == 0 ||
        !dmargs_take_size(r, &s->chunk) || !raid_parameters(r, n - 1, &copies, &offset) ||
        !dmargs_take_number(r, &devices)) {
        return false;
    }
    s->stripes = raid_stripes(s->level, devices, copies);
    s->chunk = s->stripes > 0 ? s->chunk : 0;
    return raid_legs(r, devices, offset);
}

/* LOG #LOGARGS … N { DEVICE OFFSET } …; the log "disk" names its device first. */
bool dmargs_mirror(struct dmargs *r)
{
    struct span log;
    uint64_t n = 0, legs = 0;
    r->segment->level = SPAN_LIT("raid1");
    if (!dmargs_take(r, &log) || !dmargs_take_number(r, &n)) {
        return false;
    }
    if (n > 0 && (span_eq_text(log, "disk") || span_eq_text(log, "clustered-disk"))) {
        if (dmargs_take_leg(r, "log", DM_HIDDEN) == NULL) {
            return false;
        }
        n--;
    }
    if (!dmargs_skip(r, n) || !dmargs_take_number(r, &legs) || legs == 0) {
        return false;
    }
    for (uint64_t i = 0; i < legs; i++) {
        if (dmargs_take_leg_at(r, DM_AT_START) == NULL) {
            return false;
        }
    }
    return true;
}
