/* Tables of the device mapper: no crash on any text; what is kept lies in the text and keeps its
 * word; no key gets through the filter that stands before. */
#include <stdlib.h>

#include "probes/dmtable.h"
#include "probes/host/dm_filter.h"

#include "advisor/base/banned.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_segment(const struct dm_segment *s)
{
    if (s->n_legs > DM_LEGS_MAX || s->word.len == 0 ||
        (s->stripes > 1) != (s->chunk > 0 && s->stripes > 1)) {
        abort();
    }
    for (size_t i = 0; i < s->n_legs; i++) {
        if (s->legs[i].device.len == 0) {
            abort();
        }
    }
}

static void check_tables(const struct dm_tables *t)
{
    for (size_t i = 0; i < t->n && i < 64; i++) {
        const struct dm_table *one = &t->rows[i];
        const struct dm_table *found = dm_tables_find(t, one->name);
        uint64_t bytes = 0;
        if (found == NULL || !span_eq(found->name, one->name)) {
            abort();
        }
        for (size_t k = 0; k < one->n; k++) {
            check_segment(&one->segments[k]);
            bytes += one->segments[k].length;
        }
        if (dm_table_covers(one, bytes + 512)) {
            abort();
        }
    }
}

/* What comes out of the filter goes through it unchanged. */
static void check_filter(struct arena *a, struct span text)
{
    const struct span once = dm_filter(a, text);
    if (!span_eq(dm_filter(a, once), once)) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = arena_new();
    const struct span text = {(const char *)data, size};
    struct dm_tables t;
    struct err e = ERR_INIT;
    struct dm_pool_status pool;
    struct dm_raid_status raid;
    struct span args;
    uint64_t used = 0, total = 0;
    if (dm_tables_parse(a, text, &t, &e)) {
        check_tables(&t);
    } else if (e.code == E_NONE) {
        abort();
    }
    if (dm_status_find(text, SPAN_LIT("vg-p"), "thin-pool", &args) && dm_pool_status(args, &pool) &&
        (pool.data_total == 0 || pool.data_used > pool.data_total)) {
        abort();
    }
    if (dm_raid_status(text, &raid) && (raid.total == 0 || raid.dead > raid.devices)) {
        abort();
    }
    if (dm_snapshot_status(text, &used, &total) && total == 0) {
        abort();
    }
    check_filter(a, text);
    return 0;
}
