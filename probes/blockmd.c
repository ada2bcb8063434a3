/* Linux software RAID in sysfs (admin-guide/md). Decodes, judges nothing. */
#include "probes/blockmd.h"

#include "probes/sysfs.h"

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

#define SECTOR 512u

/* "4", or "4 (3)" while it grows. */
static bool first_number(struct span text, uint64_t *ret)
{
    struct span word;
    return span_word(&text, &word) && parse_u64(word, ret);
}

/* "1234 / 5678"; "none" and "delayed" are no progress. */
static bool parse_progress(struct span text, uint64_t *ret_done, uint64_t *ret_total)
{
    struct span done;
    return span_has(text, '/') && span_split(&text, '/', &done) &&
           parse_u64(span_trim(done), ret_done) && parse_u64(span_trim(text), ret_total) &&
           *ret_total > 0 && *ret_done <= *ret_total;
}

static void read_shape(struct host *h, struct arena *a, struct walk_md *md)
{
    struct err e = ERR_INIT;
    struct span text;
    md->has_disks = sysfs_text(h, a, &text, &e, "/sys/class/block/%s/md/raid_disks", md->name) &&
                    first_number(text, &md->disks);
    md->has_layout = sysfs_text(h, a, &text, &e, "/sys/class/block/%s/md/layout", md->name) &&
                     first_number(text, &md->layout);
    md->has_done = sysfs_text(h, a, &text, &e, "/sys/class/block/%s/md/sync_completed", md->name) &&
                   parse_progress(text, &md->done, &md->total);
    if (!sysfs_text(h, a, &md->metadata, &e, "/sys/class/block/%s/md/metadata_version", md->name)) {
        md->metadata = (struct span){"", 0};
    }
}

bool blockmd_read(struct host *h, struct arena *a, const char *name, struct walk_md *ret,
                  struct err *reterr)
{
    struct err e = ERR_INIT;
    struct walk_md md = {.name = name, .metadata = {"", 0}};
    if (!sysfs_text(h, a, &md.level, reterr, "/sys/class/block/%s/md/level", name)) {
        return false;
    }
    if (!sysfs_text(h, a, &md.sync_action, &e, "/sys/class/block/%s/md/sync_action", name)) {
        md.sync_action = (struct span){"", 0}; /* raid0 and linear have none */
    }
    md.has_degraded = sysfs_u64(h, a, &md.degraded, &e, "/sys/class/block/%s/md/degraded", name);
    md.has_chunk = sysfs_u64(h, a, &md.chunk_bytes, &e, "/sys/class/block/%s/md/chunk_size", name);
    read_shape(h, a, &md);
    struct span where;
    if (sysfs_text(h, a, &where, &e, "/sys/class/block/%s/md/bitmap/location", name)) {
        md.bitmap_none = span_eq_text(where, "none");
        md.has_bitmap = !md.bitmap_none && sysfs_u64(h, a, &md.bitmap_chunk_bytes, &e,
                                                     "/sys/class/block/%s/md/bitmap/chunksize",
                                                     name);
    }
    *ret = md;
    return true;
}

bool blockmd_stripes(struct span level)
{
    return span_eq_text(level, "raid0") || span_eq_text(level, "raid4") ||
           span_eq_text(level, "raid5") || span_eq_text(level, "raid6") ||
           span_eq_text(level, "raid10");
}

/* One of the comma-separated words of dev-NAME/state? */
static bool has_state(struct span state, const char *word)
{
    struct span one;
    while (span_split(&state, ',', &one)) {
        if (span_eq_text(span_trim(one), word)) {
            return true;
        }
    }
    return false;
}

bool blockmd_member(struct host *h, struct arena *a, const char *array, struct span member,
                    struct md_member *ret, struct err *reterr)
{
    struct err e = ERR_INIT;
    struct span state;
    uint64_t sectors = 0;
    if (!sysfs_name_ok(member)) {
        return err_set(reterr, E_SYNTAX, "a member of '%s' has an impossible name", array);
    }
    if (!sysfs_text(h, a, &state, reterr, "/sys/class/block/%s/md/dev-%.*s/state", array,
                    SPAN_ARG(member))) {
        return false;
    }
    ret->journal = has_state(state, "journal");
    ret->active = !ret->journal && !has_state(state, "spare") && !has_state(state, "faulty");
    ret->has_offset = sysfs_u64(h, a, &sectors, &e, "/sys/class/block/%s/md/dev-%.*s/offset", array,
                                SPAN_ARG(member)) &&
                      sectors <= UINT64_MAX / SECTOR;
    ret->offset = ret->has_offset ? sectors * SECTOR : 0;
    return true;
}
