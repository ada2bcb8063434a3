/* Volume, theme chain: every layer that the walk saw, as the words of volume.layers
 * (advisor/facts/layer.h). Of a walk that ended early what was seen, with a layer "unknown" where
 * it ended. */
#include <string.h>

#include "probes/disk.h"
#include "probes/setters.h"
#include "probes/sysfs.h"
#include "probes/volume_chain.h"

#include "advisor/facts/layer.h"

#include "advisor/base/banned.h"

#define WORDS_MAX (4u * WALK_NODES_MAX)

struct maker {
    struct volume *v;
    struct arena *arena;
    const struct walk *walk; /* or NULL */
    unsigned above;          /* levels of filesystems above the walk */
    struct span *words;
    size_t n;
};

static void put(struct maker *m, const struct layer *l)
{
    struct buf b;
    if (m->n < WORDS_MAX) {
        buf_init(&b, m->arena, TEXT_FACT_MAX);
        layer_print(&b, l);
        m->words[m->n++] = buf_span(&b);
    }
}

static void put_unknown(struct maker *m, unsigned level, const char *why)
{
    struct layer l = {.level = level, .name = SPAN_LIT("?"), .kind = SPAN_LIT("unknown")};
    layer_add(&l, "why", span_of(why));
    put(m, &l);
}

/* ---- filesystems ----------------------------------------------------------------------------- */

static void add_known(struct maker *m, struct layer *l, const char *key, const char *fact)
{
    const struct fact *f = store_get(m->v->ctx->store, m->v->ctx->subject, span_of(fact));
    uint64_t n = 0;
    if (f != NULL && f->state == FACT_KNOWN && kind_is_numeric(f->value.kind) &&
        num_to_u64(f->value.num, &n)) {
        layer_add_u64(l, m->arena, key, n);
    }
}

static void add_text(struct maker *m, struct layer *l, const char *key, struct span text)
{
    if (text.len > 0) {
        layer_add(l, key, text_clean(m->arena, text));
    }
}

/* The filesystem of a mount; `block` as its statfs gave it is known only of the path's own. */
static void put_filesystem(struct maker *m, const struct mount *mount, const char *type,
                           unsigned level)
{
    struct layer l = {.level = level, .kind = SPAN_LIT("fs"), .name = span_of(m->v->path)};
    struct span subvolume = {"", 0};
    if (type != NULL) {
        layer_add(&l, "type", span_of(type));
    }
    if (mount != NULL) {
        l.name =
            level > 0 || m->v->mountpoint_known ? text_clean(m->arena, mount->mountpoint) : l.name;
        add_text(m, &l, "at", mount->mountpoint);
        add_text(m, &l, "source", mount->source);
        if (type != NULL && strcmp(type, "btrfs") == 0) {
            subvolume = mount->root;
            (void)mount_option(mount->super, "subvol", &subvolume);
            add_text(m, &l, "subvolume", subvolume);
        } else if (type != NULL && strcmp(type, "zfs") == 0) {
            add_text(m, &l, "dataset", mount->source);
        }
    }
    if (level == 0) {
        add_known(m, &l, "block", "volume.fs.block_size");
    }
    put(m, &l);
}

struct span volume_top_layer(struct volume *v)
{
    struct maker m = {.v = v, .arena = v->ctx->arena};
    struct layer l;
    struct buf b;
    if (!layer_read(m.arena, v->layer, &l)) {
        return v->layer;
    }
    add_known(&m, &l, "block", "volume.fs.block_size");
    buf_init(&b, m.arena, TEXT_FACT_MAX);
    layer_print(&b, &l);
    return buf_span(&b);
}

/* ---- devices --------------------------------------------------------------------------------- */

/* "vg-my--data" is volume "my-data" of group "vg": a lone '-' parts them. */
static struct span lvm_name(struct arena *a, const char *name)
{
    struct buf b;
    bool parted = false;
    buf_init(&b, a, TEXT_FACT_MAX);
    for (size_t i = 0; name[i] != '\0'; i++) {
        if (name[i] == '-' && name[i + 1] == '-') {
            buf_add_char(&b, '-');
            i++;
        } else if (name[i] == '-' && !parted) {
            buf_add_char(&b, '/');
            parted = true;
        } else {
            buf_add_char(&b, name[i]);
        }
    }
    return parted ? buf_span(&b) : span_of(name);
}

static void add_u64(struct maker *m, struct layer *l, const char *key, bool known, uint64_t n)
{
    if (known) {
        layer_add_u64(l, m->arena, key, n);
    }
}

/* In percent, rounded down: 100 only where it is whole. */
static void add_share(struct maker *m, struct layer *l, const char *key, uint64_t part,
                      uint64_t whole)
{
    if (whole > 0 && part <= UINT64_MAX / 100) {
        layer_add_u64(l, m->arena, key, part * 100 / whole);
    }
}

static void add_limits(struct maker *m, struct layer *l, const struct walk_node *n)
{
    uint64_t logical = 0;
    struct err e = ERR_INIT;
    if (!n->has_queue) {
        return;
    }
    const bool has_logical = sysfs_u64(m->v->ctx->host, m->arena, &logical, &e,
                                       "/sys/class/block/%s/queue/logical_block_size", n->name);
    add_u64(m, l, "sectsz", has_logical, logical);
    add_u64(m, l, "min_io", true, n->min_io);
    add_u64(m, l, "opt_io", true, n->opt_io);
    add_u64(m, l, "max_io", true, n->max_io);
    add_u64(m, l, "discard", n->has_discard, n->discards);
    add_u64(m, l, "atomic", n->has_atomic, n->atomic_max);
}

/* "external:/md127/0": the array lies in a container, which holds what is known of it. */
static void add_container(struct maker *m, struct layer *l, struct span metadata)
{
    static const char outside[] = "external:/";
    struct span rest = metadata, name;
    if (!span_starts(metadata, outside)) {
        return;
    }
    rest = span_sub(metadata, strlen(outside), metadata.len);
    if (span_split(&rest, '/', &name) && sysfs_name_ok(name)) {
        add_text(m, l, "container", name);
    }
}

static void add_md(struct maker *m, struct layer *l, const struct walk_md *md)
{
    add_text(m, l, "raid", md->level);
    add_container(m, l, md->metadata);
    add_u64(m, l, "layout", md->has_layout, md->layout);
    add_u64(m, l, "disks", md->has_disks, md->disks);
    add_u64(m, l, "degraded", md->has_degraded, md->degraded);
    add_text(m, l, "sync", md->sync_action);
    if (md->has_done) {
        add_share(m, l, "done", md->done, md->total);
    }
    add_u64(m, l, "bitmap", md->has_bitmap, md->bitmap_chunk_bytes);
}

static void add_status(struct maker *m, struct layer *l, const struct walk_node *n)
{
    struct dm_pool_status pool;
    struct dm_raid_status raid;
    struct span args;
    const struct span status = m->v->dm->status, name = span_of(n->dm_name);
    if (dm_status_find(status, name, "thin-pool", &args) && dm_pool_status(args, &pool)) {
        add_share(m, l, "used", pool.data_used, pool.data_total);
        add_share(m, l, "metadata", pool.metadata_used, pool.metadata_total);
    }
    if (dm_status_find(status, name, "raid", &args) && dm_raid_status(args, &raid)) {
        add_u64(m, l, "disks", true, raid.devices);
        add_u64(m, l, "degraded", true, raid.dead);
        add_text(m, l, "sync", raid.action);
        if (raid.done < raid.total) {
            add_share(m, l, "done", raid.done, raid.total);
        }
    }
}

static void add_segment(struct maker *m, struct layer *l, const struct walk_node *n)
{
    const struct dm_segment *s = &n->table->segments[0];
    if (strcmp(n->kind, "dm-other") == 0) {
        add_text(m, l, "target", s->word);
    }
    add_text(m, l, "raid", s->level);
    add_u64(m, l, "chunk", s->block > 0 && n->stripes == 0, s->block);
    add_text(m, l, "mode", s->mode);
    if (s->target == DM_CRYPT) {
        add_text(m, l, "cipher", s->cipher);
        add_u64(m, l, "sector", true, s->sector);
        layer_add(l, "workqueue",
                  s->no_read_workqueue && s->no_write_workqueue ? SPAN_LIT("off") : SPAN_LIT("on"));
    }
    add_status(m, l, n);
}

static void add_stripe(struct maker *m, struct layer *l, const struct walk_node *n)
{
    if (n->stripe_told && n->stripes > 1) {
        layer_add_u64(l, m->arena, "stripes", n->stripes);
        layer_add_u64(l, m->arena, "chunk", n->chunk);
    } else if (!n->stripe_told && strcmp(n->kind, "lvm-striped") == 0 && n->min_io > 0) {
        layer_add_u64(l, m->arena, "stripes", n->opt_io / n->min_io);
        layer_add_u64(l, m->arena, "chunk", n->min_io);
    }
}

/* A loop device or DRBD whose disks are out of reach is a leaf, but no disk: more lies below. */
static void put_node(struct maker *m, const struct walk_node *n)
{
    const bool hides = n->leaf && n->unplaced != NULL;
    const char *const kind = !hides ? n->kind : n->name[0] == 'd' ? "drbd" : "loop";
    struct layer l = {.level = m->above + n->level, .name = span_of(n->name), .kind = span_of(kind)};
    if (n->dm_name != NULL) {
        const bool lvm = span_starts(span_of(n->dm_uuid), "LVM-");
        l.name = lvm ? lvm_name(m->arena, n->dm_name) : span_of(n->dm_name);
        layer_add(&l, "dm", span_of(n->name));
    }
    l.name = text_clean(m->arena, l.name);
    add_text(m, &l, "path", span_of(n->path));
    add_u64(m, &l, "offset", n->device && n->offset_known, n->offset);
    add_u64(m, &l, "size", n->has_size, n->size);
    add_stripe(m, &l, n);
    if (n->md != NULL) {
        add_md(m, &l, n->md);
    }
    if (n->table != NULL) {
        add_segment(m, &l, n);
    }
    add_text(m, &l, "mode", n->mode);
    add_text(m, &l, "role", span_of(n->role));
    if (n->has_suspended && n->suspended) {
        layer_add(&l, "suspended", SPAN_LIT("yes"));
    }
    for (size_t i = 0; i < n->n_keys; i++) {
        add_text(m, &l, n->keys[i].key, n->keys[i].value);
    }
    add_limits(m, &l, n);
    put(m, &l);
    if (hides) {
        put_unknown(m, l.level + 1, n->unplaced);
    }
}

/* ---- paths of a multipath disk --------------------------------------------------------------- */

/* Of head "nvme3n1" the path by one controller is "nvme3cCn1". */
static bool is_path(struct span head, struct span name)
{
    size_t stem = strlen("nvme");
    while (stem < head.len && head.ptr[stem] != 'n') {
        stem++;
    }
    const struct span tail = span_sub(head, stem, head.len);
    return name.len > head.len && span_eq(span_sub(name, 0, stem), span_sub(head, 0, stem)) &&
           name.ptr[stem] == 'c' && span_eq(span_sub(name, name.len - tail.len, tail.len), tail);
}

/* The path device and what the target says of it. */
static void add_path(struct maker *m, struct layer *l, const char *head, const char *controller)
{
    struct err e = ERR_INIT;
    struct host_names names;
    struct span text;
    const char *dir = arena_printf(m->arena, "/sys/class/nvme/%s", controller);
    if (!host_list(m->v->ctx->host, dir, &names, &e)) {
        return;
    }
    for (size_t i = 0; i < names.n; i++) {
        if (!is_path(span_of(head), names.names[i]) || !sysfs_name_ok(names.names[i])) {
            continue;
        }
        add_text(m, l, "path", names.names[i]);
        if (sysfs_text(m->v->ctx->host, m->arena, &text, &e, "/sys/class/block/%.*s/ana_state",
                       SPAN_ARG(names.names[i]))) {
            add_text(m, l, "ana", text);
        }
        return;
    }
}

static void put_controller(struct maker *m, const char *head, const char *controller,
                           unsigned level)
{
    static const char *const files[] = {"state", "transport", "address"};
    struct layer l = {.level = level, .name = span_of(controller), .kind = SPAN_LIT("controller")};
    struct err e = ERR_INIT;
    struct span text;
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        if (sysfs_text(m->v->ctx->host, m->arena, &text, &e, "/sys/class/nvme/%s/%s", controller,
                       files[i])) {
            add_text(m, &l, files[i], text);
        }
    }
    add_path(m, &l, head, controller);
    put(m, &l);
}

static void put_paths(struct maker *m, const struct walk_node *n)
{
    struct disk d = {.name = n->name};
    if (!n->leaf || !span_starts(span_of(n->name), "nvme")) {
        return;
    }
    disk_find_controllers(m->v->ctx->host, m->arena, &d);
    for (size_t i = 0; d.multipath_head && i < d.n_controllers; i++) {
        put_controller(m, n->name, d.controllers[i], m->above + n->level + 1);
    }
}

/* ---- the tree -------------------------------------------------------------------------------- */

/* Depth first; the nodes stand breadth first, so a node's children stand behind it. The stack holds
 * the nodes on the way down, `next` where to look on for the children of each. */
static void put_tree(struct maker *m, size_t top)
{
    const struct walk *w = m->walk;
    size_t stack[WALK_DEPTH_MAX + 2], next[WALK_DEPTH_MAX + 2], depth = 0;
    stack[0] = top;
    next[0] = top + 1;
    put_node(m, &w->nodes[top]);
    put_paths(m, &w->nodes[top]);
    for (;;) {
        const size_t parent = stack[depth];
        size_t i = next[depth];
        while (i < w->n && w->nodes[i].parent != parent) {
            i++;
        }
        next[depth] = i + 1;
        if (i < w->n && depth + 1 < ARRAY_LEN(stack)) {
            depth++;
            stack[depth] = i;
            next[depth] = i + 1;
            put_node(m, &w->nodes[i]);
            put_paths(m, &w->nodes[i]);
            continue;
        }
        if (w->nodes[parent].end_why != NULL) {
            put_unknown(m, m->above + w->nodes[parent].level + 1, w->nodes[parent].end_why);
        }
        if (depth == 0) {
            return;
        }
        depth--;
    }
}

void volume_set_layers(struct volume *v, const struct walk *w, const struct err *why)
{
    struct maker m = {.v = v, .arena = v->ctx->arena, .walk = w};
    m.words = arena_calloc(m.arena, WORDS_MAX, sizeof(*m.words));
    if (v->over != NULL) {
        put_filesystem(&m, v->over, "overlay", m.above++);
    }
    if (v->layer.len > 0) {
        m.words[m.n++] = volume_top_layer(v);
        m.above++;
    } else {
        put_filesystem(&m, v->mount, v->fs_type, m.above++);
    }
    for (size_t i = 0; w != NULL && i < w->n; i++) {
        if (w->nodes[i].parent == i) {
            put_tree(&m, i);
        }
    }
    if (why != NULL && (w == NULL || w->n == 0)) {
        put_unknown(&m, m.above, why->text);
    }
    set_words(v->ctx, "volume.layers", KIND_LIST, m.words, m.n, "mountinfo, sysfs");
}
