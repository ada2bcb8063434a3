/* Tables as a whole: lines, names, segments. The arguments of each target are in dmtarget.c. */
#include "probes/dmtable.h"

#include <stdlib.h>

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

#define SECTOR 512u

/* "NAME: rest": the name ends at the first ':' with a blank or nothing behind it. */
static bool take_name(struct span *line, struct span *ret)
{
    for (size_t i = 0; i < line->len; i++) {
        if (line->ptr[i] == ':' && (i + 1 == line->len || line->ptr[i + 1] == ' ')) {
            *ret = span_sub(*line, 0, i);
            *line = span_sub(*line, i + 1, line->len);
            return i > 0;
        }
    }
    return false;
}

/* START LENGTH TARGET; what is left are the arguments. */
static bool take_head(struct span *rest, struct dm_segment *ret)
{
    struct span start, length;
    return span_word(rest, &start) && span_word(rest, &length) && span_word(rest, &ret->word) &&
           parse_u64(start, &ret->start) && parse_u64(length, &ret->length) &&
           ret->start <= UINT64_MAX / SECTOR && ret->length <= UINT64_MAX / SECTOR;
}

static bool parse_segment(struct arena *a, struct span rest, struct dm_segment *ret)
{
    struct dm_segment s = {.word = {"", 0}};
    if (!take_head(&rest, &s)) {
        return false;
    }
    s.start *= SECTOR;
    s.length *= SECTOR;
    if (!dm_target_parse(a, rest, &s)) {
        return false;
    }
    *ret = s;
    return true;
}

struct reader {
    struct arena *arena;
    struct dm_tables tables;
    size_t cap, segments;
};

/* The lines of a mapping stand together. */
static struct dm_table *table_of(struct reader *r, struct span name)
{
    struct dm_tables *const t = &r->tables;
    if (t->n > 0 && span_eq(t->rows[t->n - 1].name, name)) {
        return &t->rows[t->n - 1];
    }
    if (t->n == DM_TABLES_MAX) {
        return NULL;
    }
    if (t->n == r->cap) {
        const size_t more = r->cap == 0 ? 16 : r->cap * 2;
        t->rows = arena_grow(r->arena, t->rows, r->cap * sizeof(*t->rows), more * sizeof(*t->rows));
        r->cap = more;
    }
    t->rows[t->n] = (struct dm_table){.name = name};
    return &t->rows[t->n++];
}

static bool add_segment(struct reader *r, struct dm_table *t, const struct dm_segment *s)
{
    if (r->segments == DM_SEGMENTS_MAX) {
        return false;
    }
    /* powers of two: full exactly when the count is one */
    if ((t->n & (t->n - 1)) == 0) {
        const size_t more = t->n == 0 ? 1 : t->n * 2;
        t->segments = arena_grow(r->arena, t->segments, t->n * sizeof(*s), more * sizeof(*s));
    }
    t->segments[t->n++] = *s;
    r->segments++;
    return true;
}

static bool read_line(struct reader *r, struct span line)
{
    struct dm_segment s;
    struct span name;
    if (!take_name(&line, &name)) {
        return true; /* "No devices found" */
    }
    struct dm_table *const t = table_of(r, name);
    if (t == NULL) {
        return false;
    }
    if (span_trim(line).len == 0) {
        return true; /* a mapping without a table */
    }
    if (!parse_segment(r->arena, line, &s)) {
        t->bad = true;
        return true;
    }
    return add_segment(r, t, &s);
}

bool dm_tables_parse(struct arena *a, struct span text, struct dm_tables *ret, struct err *reterr)
{
    struct reader r = {.arena = a};
    struct span line;
    if (text.len > 0 && text.ptr[text.len - 1] != '\n') {
        return err_set(reterr, E_CUT,
                       "the tables of the device mapper end in the middle of a line");
    }
    while (span_line(&text, &line)) {
        if (!read_line(&r, line)) {
            return err_set(reterr, E_LIMIT, "the device mapper has more tables than are read");
        }
    }
    *ret = r.tables;
    return true;
}

const struct dm_table *dm_tables_find(const struct dm_tables *t, struct span name)
{
    for (size_t i = 0; i < t->n; i++) {
        if (span_eq(t->rows[i].name, name)) {
            return &t->rows[i];
        }
    }
    return NULL;
}

bool dm_table_covers(const struct dm_table *t, uint64_t bytes)
{
    uint64_t at = 0;
    for (size_t i = 0; i < t->n; i++) {
        if (t->segments[i].start != at || t->segments[i].length > bytes - at) {
            return false;
        }
        at += t->segments[i].length;
    }
    return !t->bad && t->n > 0 && at == bytes;
}

/* ---- status ---- */

bool dm_status_find(struct span text, struct span name, const char *target, struct span *ret_args)
{
    struct span line, of;
    if (text.len == 0 || text.ptr[text.len - 1] != '\n') {
        return false;
    }
    while (span_line(&text, &line)) {
        struct dm_segment head;
        if (take_name(&line, &of) && span_eq(of, name) && take_head(&line, &head) &&
            span_eq_text(head.word, target)) {
            *ret_args = span_trim(line);
            return true;
        }
    }
    return false;
}

/* "16/8192" */
static bool parse_share(struct span word, uint64_t *ret_used, uint64_t *ret_total)
{
    struct span used;
    return span_has(word, '/') && span_split(&word, '/', &used) && parse_u64(used, ret_used) &&
           parse_u64(word, ret_total) && *ret_total > 0 && *ret_used <= *ret_total;
}

bool dm_pool_status(struct span args, struct dm_pool_status *ret)
{
    struct dm_pool_status s = {.data_total = 0};
    struct span transaction, metadata, data;
    uint64_t id = 0;
    if (!span_word(&args, &transaction) || !parse_u64(transaction, &id) ||
        !span_word(&args, &metadata) || !span_word(&args, &data) ||
        !parse_share(metadata, &s.metadata_used, &s.metadata_total) ||
        !parse_share(data, &s.data_used, &s.data_total)) {
        return false; /* "Fail", "Error" among them */
    }
    *ret = s;
    return true;
}

bool dm_snapshot_status(struct span args, uint64_t *ret_used, uint64_t *ret_total)
{
    struct span room;
    return span_word(&args, &room) && parse_share(room, ret_used, ret_total);
}

/* LEVEL DEVICES HEALTH DONE/TOTAL ACTION MISMATCHES … */
bool dm_raid_status(struct span args, struct dm_raid_status *ret)
{
    struct dm_raid_status s = {.action = {"", 0}};
    struct span level, devices, health, sync;
    if (!span_word(&args, &level) || !span_word(&args, &devices) || !span_word(&args, &health) ||
        !span_word(&args, &sync) || !parse_u64(devices, &s.devices) || health.len != s.devices ||
        !parse_share(sync, &s.done, &s.total)) {
        return false;
    }
    for (size_t i = 0; i < health.len; i++) {
        if (health.ptr[i] != 'A' && health.ptr[i] != 'a' && health.ptr[i] != 'D' &&
            health.ptr[i] != '-') {
            return false;
        }
        s.dead += health.ptr[i] == 'D' || health.ptr[i] == '-';
    }
    if (!span_word(&args, &s.action)) {
        s.action = (struct span){"", 0};
    }
    *ret = s;
    return true;
}
