/* See storage_chain.h: the facts of a chain. What no output gave stays unsaid. */
#include "probes/import/storage_writer.h"

#include <string.h>

#include "advisor/base/parse.h"
#include "probes/mountinfo.h"

#include "advisor/base/banned.h"

#define TEXT_MAX 4096u

void writer_put(struct writer *w, const char *name, struct value v)
{
    store_known(w->store, w->sub, name, v, w->source);
}

void writer_text(struct writer *w, const char *name, struct span text)
{
    if (text.len > 0) {
        writer_put(w, name, value_text(KIND_STRING, text));
    }
}

void writer_word(struct writer *w, const char *name, const char *word)
{
    if (word != NULL) {
        writer_put(w, name, value_text(KIND_ENUM, span_of(word)));
    }
}

void writer_count(struct writer *w, const char *name, enum kind kind, struct span digits)
{
    uint64_t n = 0;
    if (parse_u64(digits, &n)) {
        writer_put(w, name, value_u64(kind, n));
    }
}

/* ---- the filesystem -------------------------------------------------------------------------- */

static const char *atime_of(struct span options)
{
    static const char *const words[] = {"noatime", "lazytime", "relatime", "strictatime"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (mount_option(options, words[i], NULL)) {
            return words[i];
        }
    }
    return NULL; /* fstab and mount leave defaults out */
}

static void put_options(struct writer *w, const struct stack_mount *m, const char *fs)
{
    struct span value;
    if (m->options.len == 0) {
        return;
    }
    writer_text(w, "volume.options", m->options);
    writer_word(w, "volume.fs.atime", atime_of(m->options));
    if (mount_option(m->options, "discard", NULL)) {
        writer_put(w, "volume.fs.discard_mount", value_bool(true));
    }
    if (fs != NULL && strcmp(fs, "ext4") == 0) {
        const bool off = mount_option(m->options, "nobarrier", NULL) ||
                         (mount_option(m->options, "barrier", &value) && span_eq_text(value, "0"));
        if (off) {
            writer_put(w, "volume.fs.barrier", value_bool(false));
        }
        if (mount_option(m->options, "data", &value) &&
            (span_eq_text(value, "ordered") || span_eq_text(value, "journal") ||
             span_eq_text(value, "writeback"))) {
            writer_word(w, "volume.ext4.data_mode", span_dup(w->arena, value));
        }
    }
    if (fs != NULL && strcmp(fs, "btrfs") == 0 && mount_option(m->options, "autodefrag", NULL)) {
        writer_put(w, "volume.btrfs.autodefrag", value_bool(true));
    }
}

static void put_mount(struct writer *w)
{
    const struct stack_mount *m = w->chain->mount;
    const char *fs = chain_fs_word(w->chain);
    if (m == NULL) {
        return;
    }
    writer_text(w, "volume.mountpoint", m->target);
    writer_text(w, "volume.source", m->source);
    writer_text(w, "volume.mount_root", m->root);
    writer_word(w, "volume.fs.type", fs);
    put_options(w, m, fs);
    const struct span block = layer_value(&w->chain->layers[0], "block");
    writer_count(w, "volume.fs.block_size", KIND_BYTES, block);
}

/* ---- the layers ------------------------------------------------------------------------------ */

static void put_layers(struct writer *w)
{
    const struct chain *c = w->chain;
    struct span *items = arena_calloc(w->arena, c->n + 1, sizeof(*items));
    for (size_t i = 0; i < c->n; i++) {
        struct buf b;
        buf_init(&b, w->arena, TEXT_MAX);
        layer_print(&b, &c->layers[i]);
        items[i] = buf_span(&b);
    }
    writer_put(w, "volume.layers", value_words(w->arena, KIND_LIST, items, c->n));
}

/* One item a level, parallel legs joined by '+'; the filesystem left out. */
static void put_chain(struct writer *w)
{
    const struct chain *c = w->chain;
    const unsigned first = c->mount != NULL ? 1 : 0;
    struct span items[LAYER_LEVEL_MAX + 1];
    size_t n = 0;
    for (unsigned level = first; level <= LAYER_LEVEL_MAX; level++) {
        struct buf b;
        buf_init(&b, w->arena, TEXT_MAX);
        for (size_t i = 0; i < c->n; i++) {
            bool seen = false;
            for (size_t k = 0; k < i && !seen; k++) {
                seen = c->layers[k].level == level && span_eq(c->layers[k].name, c->layers[i].name);
            }
            if (c->layers[i].level == level && !seen) {
                buf_printf(&b, "%s%.*s:%.*s", b.len > 0 ? "+" : "", SPAN_ARG(c->layers[i].name),
                           SPAN_ARG(c->layers[i].kind));
            }
        }
        if (b.len == 0) {
            break;
        }
        items[n++] = buf_span(&b);
    }
    writer_put(w, "volume.chain", value_words(w->arena, KIND_LIST, items, n));
}

static void put_leaves(struct writer *w)
{
    const struct chain *c = w->chain;
    struct span *names = arena_calloc(w->arena, c->n_leaves + 1, sizeof(*names));
    if (!c->whole) {
        store_unknown(w->store, w->sub, "volume.leaf_devices", FACT_ABSENT, w->source, "", "%s", c->why);
        return;
    }
    for (size_t i = 0; i < c->n_leaves; i++) {
        names[i] = c->leaves[i]->name;
    }
    writer_put(w, "volume.leaf_devices", value_words(w->arena, KIND_SET, names, c->n_leaves));
    writer_put(w, "volume.device_count", value_u64(KIND_COUNT, c->n_leaves));
}

#define is_kind(l, word) span_eq_text((l)->kind, (word))

/* Layers between filesystem and disks; not known where one does not say what it is. */
static void put_kinds(struct writer *w)
{
    const struct chain *c = w->chain;
    struct span *kinds = arena_calloc(w->arena, c->n + 1, sizeof(*kinds));
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        const struct layer *l = &c->layers[i];
        if (is_kind(l, "dm")) {
            return;
        }
        if (!is_kind(l, "fs") && !is_kind(l, "disk") && !is_kind(l, "pool") && !is_kind(l, "vdev")) {
            kinds[n++] = l->kind;
        }
    }
    if (c->whole) {
        writer_put(w, "volume.stack.kinds", value_words(w->arena, KIND_SET, kinds, n));
    }
}

static void put_md(struct writer *w, const struct layer *l)
{
    static const char *const levels[] = {"raid0", "raid1", "raid4", "raid5", "raid6", "raid10", "linear"};
    const struct span level = layer_value(l, "raid");
    for (size_t i = 0; i < ARRAY_LEN(levels); i++) {
        if (span_eq_text(level, levels[i])) {
            writer_word(w, "volume.stack.md_level", levels[i]);
        }
    }
    writer_count(w, "volume.stack.md_degraded", KIND_COUNT, layer_value(l, "degraded"));
    const struct span sync = layer_value(l, "sync");
    if (sync.len > 0) {
        writer_word(w, "volume.stack.md_sync_action", span_dup(w->arena, sync));
    }
}

static void put_stack(struct writer *w)
{
    const struct chain *c = w->chain;
    bool md = false;
    for (size_t i = 0; i < c->n; i++) {
        const struct layer *l = &c->layers[i];
        if (is_kind(l, "md") && !md) {
            put_md(w, l);
            md = true;
        }
        if (is_kind(l, "lvm-striped") || is_kind(l, "md")) {
            writer_count(w, "volume.stack.chunk_bytes", KIND_BYTES, layer_value(l, "chunk"));
        }
        if (is_kind(l, "lvm-striped")) {
            writer_count(w, "volume.stack.stripe_count", KIND_COUNT, layer_value(l, "stripes"));
        }
        const struct span queue = layer_value(l, "workqueue");
        if (is_kind(l, "crypt") && queue.len > 0) {
            writer_put(w, "volume.stack.crypt_no_workqueue", value_bool(span_eq_text(queue, "off")));
        }
        writer_count(w, "volume.stack.extent_bytes", KIND_BYTES, layer_value(l, "extent"));
    }
}

/* Where a partition of a plain disk begins. */
static void put_offset(struct writer *w)
{
    const struct chain *c = w->chain;
    uint64_t start = 0;
    for (size_t i = 0; i < c->n; i++) {
        const struct layer *l = &c->layers[i];
        if (is_kind(l, "fs") || is_kind(l, "disk")) {
            continue;
        }
        if (!is_kind(l, "partition") || !parse_u64(layer_value(l, "start"), &start)) {
            return;
        }
    }
    if (c->whole && c->n_leaves == 1) {
        writer_put(w, "volume.partition_offset", value_u64(KIND_BYTES, start));
        writer_put(w, "volume.aligned_4k", value_bool(start % 4096 == 0));
        writer_put(w, "volume.aligned_1m", value_bool(start % (1024 * 1024) == 0));
    }
}

/* ---- disks ----------------------------------------------------------------------------------- */

static void put_tri(struct writer *w, const struct subject *dev, const char *name, enum tri t)
{
    if (t != TRI_UNKNOWN) {
        store_known(w->store, dev, name, value_bool(t == TRI_YES), w->source);
    }
}

static void put_disk(struct writer *w, const struct stack_node *n)
{
    const struct disk d = chain_disk(w->arena, n);
    const char *label = arena_printf(w->arena, "device:%.*s", SPAN_ARG(n->name));
    struct subject *dev = store_subject(w->store, SUBJECT_DEVICE, label);
    store_known(w->store, dev, "device.name", value_text(KIND_STRING, n->name), w->source);
    if (n->model.len > 0) {
        store_known(w->store, dev, "device.model", value_text(KIND_STRING, n->model), w->source);
    }
    if (d.kind != NULL) {
        store_known(w->store, dev, "device.kind", value_text(KIND_ENUM, span_of(d.kind)), w->source);
    }
    if (d.storage_class != NULL) {
        store_known(w->store, dev, "device.storage_class", value_text(KIND_ENUM, span_of(d.storage_class)),
                    w->source);
    }
    put_tri(w, dev, "device.network_storage", d.network);
    put_tri(w, dev, "device.ephemeral", d.ephemeral);
    put_tri(w, dev, "device.virtual_device", d.virtual_device);
}

void chain_facts(const struct stack *s, const struct chain *c, struct span ask, struct store *store,
                 const char *label, const char *source)
{
    struct arena *a = store_arena(store);
    struct writer w = {s, c, store, store_subject(store, SUBJECT_VOLUME, label), a, source};
    const struct span data = SPAN_LIT("data");
    writer_text(&w, "volume.path", ask);
    writer_put(&w, "volume.role", value_words(a, KIND_SET, &data, 1));
    w.sub->roles = ROLE_DATA;
    put_mount(&w);
    put_layers(&w);
    put_chain(&w);
    put_leaves(&w);
    writer_word(&w, "volume.storage_class", chain_class(a, c));
    put_kinds(&w);
    put_stack(&w);
    put_offset(&w);
    writer_zfs(&w);
    writer_btrfs(&w);
    for (size_t i = 0; i < c->n_leaves; i++) {
        put_disk(&w, c->leaves[i]);
    }
}
