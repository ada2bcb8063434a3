/* Volume, theme chain: what only the tables and the status of the device mapper tell. */
#include <string.h>

#include "probes/setters.h"
#include "probes/volume_chain.h"

#include "advisor/base/banned.h"

#define SOURCE "dmsetup table, status"

void volume_table_missing(struct volume *v, const char *name)
{
    if (!v->dm->read) {
        set_err(v->ctx, name, &v->dm->err, SOURCE);
    } else {
        set_unknown(v->ctx, name, FACT_ABSENT, SOURCE, "",
                    "the table of a layer does not fit its device");
    }
}

static bool is_kind(const struct walk_node *n, const char *lvm, const char *other)
{
    return strcmp(n->kind, lvm) == 0 || strcmp(n->kind, other) == 0;
}

/* Nothing below is known to be of the kind: known false, unless a layer without a name might be. */
static void set_not_there(struct volume *v, const struct walk *w, const char *name, const char *why)
{
    for (size_t i = 0; i < w->n; i++) {
        if (strcmp(w->nodes[i].kind, "dm") == 0) {
            volume_table_missing(v, name);
            return;
        }
    }
    set_unknown(v->ctx, name, FACT_NOT_SUPPORTED, "dm/uuid", "", why);
}

static bool first_is(const struct walk_node *n, enum dm_target target)
{
    return n->table != NULL && n->table->segments[0].target == target;
}

/* ---- encryption ------------------------------------------------------------------------------ */

static void set_crypt(struct volume *v, const struct walk *w)
{
    static const char name[] = "volume.stack.crypt_no_workqueue";
    bool any = false, without = true;
    for (size_t i = 0; i < w->n; i++) {
        const struct walk_node *n = &w->nodes[i];
        if (strcmp(n->kind, "crypt") != 0) {
            continue;
        }
        if (!first_is(n, DM_CRYPT)) {
            volume_table_missing(v, name);
            return;
        }
        const struct dm_segment *s = &n->table->segments[0];
        any = true;
        without = without && s->no_read_workqueue && s->no_write_workqueue;
    }
    if (any) {
        set_bool(v->ctx, name, without, SOURCE);
    } else {
        set_not_there(v, w, name, "no encrypted layer");
    }
}

/* ---- thin pools ------------------------------------------------------------------------------ */

static const char thin_data[] = "volume.stack.thin_data_ratio";
static const char thin_metadata[] = "volume.stack.thin_metadata_ratio";

static double share(uint64_t part, uint64_t whole)
{
    return (double)part / (double)whole;
}

/* The fullest pool below; false: one of them does not tell, and the facts are set. */
static bool fullest_pool(struct volume *v, const struct walk *w, bool *ret_any,
                         struct dm_pool_status *ret)
{
    for (size_t i = 0; i < w->n; i++) {
        const struct walk_node *n = &w->nodes[i];
        struct dm_pool_status s;
        struct span args;
        if (!is_kind(n, "lvm-thin", "dm-thin") || first_is(n, DM_THIN)) {
            continue;
        }
        if (n->table == NULL) {
            volume_table_missing(v, thin_data);
            volume_table_missing(v, thin_metadata);
            return false;
        }
        if (!dm_status_find(v->dm->status, span_of(n->dm_name), "thin-pool", &args) ||
            !dm_pool_status(args, &s)) {
            set_unknown(v->ctx, thin_data, FACT_ABSENT, SOURCE, "",
                        "the pool does not tell its room");
            set_unknown(v->ctx, thin_metadata, FACT_ABSENT, SOURCE, "",
                        "the pool does not tell its room");
            return false;
        }
        if (!*ret_any ||
            share(s.data_used, s.data_total) > share(ret->data_used, ret->data_total)) {
            ret->data_used = s.data_used;
            ret->data_total = s.data_total;
        }
        if (!*ret_any || share(s.metadata_used, s.metadata_total) >
                             share(ret->metadata_used, ret->metadata_total)) {
            ret->metadata_used = s.metadata_used;
            ret->metadata_total = s.metadata_total;
        }
        *ret_any = true;
    }
    return true;
}

static void set_thin(struct volume *v, const struct walk *w)
{
    struct dm_pool_status pool = {.data_total = 0};
    bool any = false;
    if (!fullest_pool(v, w, &any, &pool)) {
        return;
    }
    if (any) {
        set_ratio(v->ctx, thin_data, KIND_RATIO, pool.data_used, pool.data_total, SOURCE);
        set_ratio(v->ctx, thin_metadata, KIND_RATIO, pool.metadata_used, pool.metadata_total,
                  SOURCE);
    } else {
        set_not_there(v, w, thin_data, "no thin pool below");
        set_not_there(v, w, thin_metadata, "no thin pool below");
    }
}

/* ---- snapshots ------------------------------------------------------------------------------- */

static const char snapshot_ratio[] = "volume.stack.snapshot_ratio";

struct room {
    bool any, hidden;
    uint64_t used, total;
};

static void add_snapshot(const struct volume *v, const struct dm_table *t, struct room *r)
{
    struct span args;
    uint64_t used = 0, total = 0;
    if (t->n == 0 || t->segments[0].target != DM_SNAPSHOT) {
        return;
    }
    if (!dm_status_find(
            v->dm->status, t->name,
            span_eq_text(t->segments[0].word, "snapshot") ? "snapshot" : "snapshot-merge", &args) ||
        !dm_snapshot_status(args, &used, &total)) {
        r->hidden = true;
        return;
    }
    if (!r->any || share(used, total) > share(r->used, r->total)) {
        r->used = used;
        r->total = total;
    }
    r->any = true;
}

static bool same_device(const struct dm_leg *a, const struct dm_leg *b)
{
    return a->has_number && b->has_number && a->major == b->major && a->minor == b->minor;
}

/* All snapshots of the origin that this node is. */
static void add_snapshots_of(const struct volume *v, const struct dm_table *origin, struct room *r)
{
    const struct dm_leg *real = &origin->segments[0].legs[0];
    for (size_t i = 0; i < v->dm->tables.n; i++) {
        const struct dm_table *t = &v->dm->tables.rows[i];
        if (t->n > 0 && t->segments[0].target == DM_SNAPSHOT &&
            same_device(&t->segments[0].legs[0], real)) {
            add_snapshot(v, t, r);
        }
    }
}

static void set_snapshots(struct volume *v, const struct walk *w)
{
    struct room r = {.any = false};
    for (size_t i = 0; i < w->n; i++) {
        const struct walk_node *n = &w->nodes[i];
        if (!is_kind(n, "lvm-snapshot", "dm-snapshot")) {
            continue;
        }
        if (n->table == NULL) {
            volume_table_missing(v, snapshot_ratio);
            return;
        }
        if (first_is(n, DM_SNAPSHOT_ORIGIN)) {
            add_snapshots_of(v, n->table, &r);
        } else {
            add_snapshot(v, n->table, &r);
        }
    }
    if (r.hidden) {
        set_unknown(v->ctx, snapshot_ratio, FACT_ABSENT, SOURCE, "",
                    "a snapshot does not tell its room: it is full, broken, or was not asked");
    } else if (r.any) {
        set_ratio(v->ctx, snapshot_ratio, KIND_RATIO, r.used, r.total, SOURCE);
    } else {
        set_not_there(v, w, snapshot_ratio, "no snapshot hangs on this volume");
    }
}

/* ---- suspended ------------------------------------------------------------------------------- */

static void set_suspended(struct volume *v, const struct walk *w)
{
    static const char name[] = "volume.stack.suspended";
    for (size_t i = 0; i < w->n; i++) {
        if (w->nodes[i].has_suspended && w->nodes[i].suspended) {
            set_bool(v->ctx, name, true, "dm/suspended");
            return;
        }
    }
    for (size_t i = 0; i < w->n; i++) {
        if (span_starts(span_of(w->nodes[i].name), "dm-") && !w->nodes[i].has_suspended) {
            return; /* not told: absent */
        }
    }
    set_bool(v->ctx, name, false, "dm/suspended");
}

void volume_set_tables(struct volume *v, const struct walk *w)
{
    set_crypt(v, w);
    set_thin(v, w);
    set_snapshots(v, w);
    set_suspended(v, w);
}
