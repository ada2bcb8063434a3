/* The pool probe: one pool of ZFS, whatever number of paths lies on it. Its tools run once, and what they tell goes
 * to all its volumes; only what the dataset decides is each volume's own. A pool that does not answer costs its own
 * job. The themes are volume_dataset.c, volume_zpool*.c, volume_chain.c. */
#include "probes/mapper.h"
#include "probes/setters.h"
#include "probes/sysfs.h"
#include "probes/volume.h"
#include "probes/volume_chain.h"
#include "probes/zfs_text.h"

#include "advisor/facts/layer.h"

#include "advisor/base/banned.h"

#define NAMES_MAX 16u /* datasets of one call; ours */

static const struct decl_rows tables[] = {
    {volume_dataset_decls, VOLUME_DATASET_DECLS},
    {volume_zpool_decls, VOLUME_ZPOOL_DECLS},
    {volume_chain_decls, VOLUME_CHAIN_DECLS},
};
static const struct decl_rows shared[] = {
    {volume_zpool_decls, VOLUME_ZPOOL_DECLS},
    {volume_chain_decls, VOLUME_CHAIN_DECLS},
};

struct pool {
    struct probe_ctx *ctx;
    struct volume *of; /* one for each member; what all share is found with the first */
    size_t n;
};

/* ---- members --------------------------------------------------------------------------------- */

static struct span bare_layer(struct arena *a, const char *dataset)
{
    struct layer l = {.kind = SPAN_LIT("fs"), .name = span_of(dataset)};
    struct buf b;
    layer_add(&l, "type", SPAN_LIT("zfs"));
    layer_add(&l, "dataset", span_of(dataset));
    buf_init(&b, a, TEXT_FACT_MAX);
    layer_print(&b, &l);
    return buf_span(&b);
}

static struct pool make(struct probe_ctx *ctx, const struct walk_dm *dm)
{
    const struct probe_args *const args = ctx->args;
    struct pool p = {.ctx = ctx, .n = args->n_members};
    struct probe_ctx *const own = arena_calloc(ctx->arena, p.n, sizeof(*own));
    p.of = arena_calloc(ctx->arena, p.n, sizeof(*p.of));
    for (size_t i = 0; i < p.n; i++) {
        const struct pool_member *const m = &args->members[i];
        own[i] = *ctx;
        own[i].subject = store_subject(ctx->store, SUBJECT_VOLUME, m->label);
        p.of[i] = (struct volume){.ctx = &own[i], .dm = dm, .fs_type = "zfs"};
        p.of[i].pool_name = args->pool;
        p.of[i].pool_err = ERR_INIT;
        p.of[i].layer = m->layer.len > 0 ? m->layer : bare_layer(ctx->arena, m->dataset);
    }
    return p;
}

/* What the first volume has, and another lacks, holds for that one as well. */
static void share(const struct pool *p, const struct decl_rows *rows, size_t n_rows)
{
    struct store *const s = p->ctx->store;
    for (size_t t = 0; t < n_rows; t++) {
        for (size_t k = 0; k < rows[t].n; k++) {
            const char *const name = rows[t].rows[k].name;
            const struct fact *const f = store_get(s, p->of[0].ctx->subject, span_of(name));
            for (size_t i = 1; f != NULL && i < p->n; i++) {
                if (store_get(s, p->of[i].ctx->subject, span_of(name)) == NULL) {
                    store_set(s, p->of[i].ctx->subject, name, f);
                }
            }
        }
    }
}

/* The layers of the others: below their own filesystems the same. */
static void share_layers(const struct pool *p)
{
    static const char name[] = "volume.layers";
    const struct fact *const f =
        store_get(p->ctx->store, p->of[0].ctx->subject, span_of(name));
    if (f == NULL || f->state != FACT_KNOWN || f->value.n_items == 0) {
        return;
    }
    const struct value *const v = &f->value;
    struct span *const words = arena_calloc(p->ctx->arena, v->n_items, sizeof(*words));
    for (size_t i = 1; i < v->n_items; i++) {
        words[i] = v->items[i];
    }
    for (size_t i = 1; i < p->n; i++) {
        words[0] = volume_top_layer(&p->of[i]);
        set_words(p->of[i].ctx, name, KIND_LIST, words, v->n_items, f->source);
    }
}

/* ---- datasets -------------------------------------------------------------------------------- */

static const char *dataset_of(const struct pool *p, size_t i)
{
    return p->ctx->args->members[i].dataset;
}

/* The tool would take it for two. */
static bool has_blank(const char *dataset)
{
    return span_has(span_of(dataset), ' ');
}

/* The datasets of members `from` and up, each once; *next: where to go on. */
static const char *names_of(const struct pool *p, size_t from, size_t *next, size_t *ret_n)
{
    struct buf b;
    size_t n = 0, i = from;
    buf_init(&b, p->ctx->arena, 65536);
    for (; i < p->n && n < NAMES_MAX; i++) {
        bool again = has_blank(dataset_of(p, i));
        for (size_t k = from; k < i && !again; k++) {
            again = span_eq_text(span_of(dataset_of(p, k)), dataset_of(p, i));
        }
        if (!again) {
            buf_printf(&b, "%s%s", n == 0 ? "" : " ", dataset_of(p, i));
            n++;
        }
    }
    *next = i;
    *ret_n = n;
    return b.ptr;
}

/* Those of a call, from the text of all, or each by itself where that does not tell. */
static void set_datasets(const struct pool *p, size_t from, size_t to, struct span all)
{
    struct arena *const a = p->ctx->arena;
    for (size_t i = from; i < to; i++) {
        const char *const name = dataset_of(p, i);
        const char *const source = arena_printf(a, "zfs get all %s", name);
        struct span text = zfs_lines(a, all, name);
        struct err e = ERR_INIT;
        if (has_blank(name)) {
            err_set(&e, E_ABSENT, "the dataset's name holds a blank, and it is not asked for");
            volume_no_dataset(&p->of[i], &e, source);
        } else if (text.len > 0 || host_exec(p->ctx->host, "zfs-get", name, &text, &e)) {
            volume_set_dataset(&p->of[i], text, source);
        } else {
            volume_no_dataset(&p->of[i], &e, source);
        }
    }
}

static void read_datasets(const struct pool *p)
{
    size_t next = 0, n = 0;
    for (size_t from = 0; from < p->n; from = next) {
        const char *const names = names_of(p, from, &next, &n);
        struct span text = {"", 0};
        struct err e = ERR_INIT;
        if (n > 1 && !host_exec(p->ctx->host, "zfs-get", names, &text, &e)) {
            text = (struct span){"", 0};
        }
        set_datasets(p, from, next, text);
    }
}

/* For the age of what never happened. */
static void find_oldest(const struct pool *p)
{
    int64_t *const oldest = &p->of[0].zfs_creation;
    for (size_t i = 1; i < p->n; i++) {
        const int64_t t = p->of[i].zfs_creation;
        *oldest = t > 0 && (*oldest == 0 || t < *oldest) ? t : *oldest;
    }
}

/* ---- the run --------------------------------------------------------------------------------- */

/* A pool that lost its devices answers from memory as to its state; all else may wait for them. */
static bool stands_still(const struct volume *v)
{
    return v->pool != NULL && span_eq_text(v->pool->state, "SUSPENDED");
}

static void leave_still(const struct pool *p)
{
    struct err e = ERR_INIT;
    err_set(&e, E_ABSENT, "pool '%s' is suspended, and is asked nothing more", p->ctx->args->pool);
    err_hint(&e, "zpool status -v");
    for (size_t i = 0; i < p->n; i++) {
        volume_no_dataset(&p->of[i], &e, "zpool status");
    }
    set_rest(p->of[0].ctx, shared, 1, FACT_ABSENT, "zpool status", e.hint, e.text);
}

struct pool_open {
    const struct mapper_texts *mapper;
};

static bool pool_open(struct probe_ctx *ctx)
{
    struct pool_open *const open = arena_calloc(ctx->arena, 1, sizeof(*open));
    open->mapper = mapper_fetch(ctx);
    ctx->priv = open;
    return true;
}

static void pool_run(struct probe_ctx *ctx)
{
    const struct pool_open *const open = ctx->priv;
    const struct pool p = make(ctx, mapper_parse(ctx, open == NULL ? NULL : open->mapper));
    if (p.n == 0) {
        return;
    }
    struct volume *const first = &p.of[0];
    volume_read_zpool(first);
    share(&p, shared, ARRAY_LEN(shared));
    if (stands_still(first)) {
        leave_still(&p);
    } else {
        read_datasets(&p);
        find_oldest(&p);
        volume_read_zpool_age(first);
        share(&p, shared, ARRAY_LEN(shared));
        volume_read_zpool_room(first);
    }
    volume_read_zpool_chain(first);
    share_layers(&p);
    share(&p, shared, ARRAY_LEN(shared));
    for (size_t i = 0; i < p.n; i++) {
        set_rest(p.of[i].ctx, tables, ARRAY_LEN(tables), FACT_ABSENT, "pool probe", "",
                 "nothing on this host tells");
    }
}

/* Also what the volumes' own jobs left for this one to find. */
static void pool_lost(struct probe_ctx *ctx, enum fact_state state, const char *reason,
                      const char *remedy)
{
    static const char *const left[] = {"volume.fs.block_size", "volume.fs.compression"};
    for (size_t i = 0; i < ctx->args->n_members; i++) {
        struct probe_ctx own = *ctx;
        own.subject = store_subject(ctx->store, SUBJECT_VOLUME, ctx->args->members[i].label);
        set_rest(&own, tables, ARRAY_LEN(tables), state, "zpool, zfs", remedy, reason);
        for (size_t k = 0; k < ARRAY_LEN(left); k++) {
            const struct fact *const f = store_get(ctx->store, own.subject, span_of(left[k]));
            if (f == NULL || f->state != FACT_KNOWN) {
                set_unknown(&own, left[k], state, "zfs get", remedy, reason);
            }
        }
    }
}

const struct probe probe_pool = {
    .name = "pool",
    .doc = "a pool of ZFS: its state, its datasets, and the devices below, for all volumes on it",
    .identity = IDENTITY_SERVER,
    .themes = tables,
    .n_themes = ARRAY_LEN(tables),
    .open = pool_open,
    .run = pool_run,
    .lost = pool_lost,
};
