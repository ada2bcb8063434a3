/* See storage_writer.h: ZFS and btrfs. */
#include "probes/import/storage_writer.h"

#include <string.h>

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

/* ---- ZFS ------------------------------------------------------------------------------------- */

static const char *lowered(struct arena *a, struct span s)
{
    char *text = span_dup(a, s);
    for (char *c = text; *c != '\0'; c++) {
        *c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
    }
    return text;
}

/* Kind of the data vdevs, how many, is there a log; and errors of all lines. */
static void put_vdevs(struct writer *w)
{
    const struct chain *c = w->chain;
    const char *kind = NULL;
    uint64_t count = 0, errors = 0, v = 0;
    bool slog = false, counted = false; /* zpool list prints no errors */
    const unsigned top = c->mount != NULL ? 2 : 1;
    for (size_t i = 0; i < c->n; i++) {
        const struct layer *l = &c->layers[i];
        const struct span role = layer_value(l, "role");
        if (parse_u64(layer_value(l, "errors"), &v)) {
            errors += v;
            counted = true;
        }
        slog = slog || span_eq_text(role, "log");
        if (l->level != top || !span_eq_text(role, "data")) {
            continue;
        }
        const struct span type = layer_value(l, "type");
        const char *word = span_eq_text(l->kind, "vdev") ? span_starts(type, "draid") ? "draid" : span_dup(w->arena, type)
                                              : "disk";
        word = strcmp(word, "raidz") == 0 ? "raidz1" : word;
        kind = kind == NULL || strcmp(kind, word) == 0 ? word : "mixed";
        count++;
    }
    if (kind != NULL && span_in_words(span_of(kind), "disk,mirror,raidz1,raidz2,raidz3,draid,mixed")) {
        writer_word(w, "volume.zfs.vdev_kind", kind);
        writer_put(w, "volume.zfs.vdev_count", value_u64(KIND_COUNT, count));
        writer_put(w, "volume.zfs.slog", value_bool(slog));
        if (counted) {
            writer_put(w, "volume.zfs.pool_errors", value_u64(KIND_COUNT, errors));
        }
    }
}

static void put_properties(struct writer *w, const struct stack_node *n)
{
    static const struct {
        const char *property, *fact, *words;
    } rows[] = {{"primarycache", "volume.zfs.primarycache", "all,metadata,none"},
                {"logbias", "volume.zfs.logbias", "latency,throughput"},
                {"sync", "volume.zfs.sync", "standard,always,disabled"},
                {"direct", "volume.zfs.direct", "standard,always,disabled"},
                {"redundant_metadata", "volume.zfs.redundant_metadata", "all,most,some,none"}};
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const char *word = lowered(w->arena, layer_value(&n->keys, rows[i].property));
        if (span_in_words(span_of(word), rows[i].words)) {
            writer_word(w, rows[i].fact, word);
        }
    }
    writer_count(w, "volume.zfs.recordsize", KIND_BYTES, layer_value(&n->keys, "recordsize"));
    const struct span compression = layer_value(&n->keys, "compression");
    struct span rest = compression, word;
    if (span_split(&rest, '-', &word) && word.len > 0) {
        const char *name = span_eq_text(word, "off") ? "none" : span_eq_text(word, "on") ? "lz4" : span_dup(w->arena, word);
        writer_word(w, "volume.fs.compression", span_in_words(span_of(name), "none,lz4,zstd,gzip,zlib,lzo,lzjb,zle") ? name : "other");
    }
}

/* "42%" */
static void put_share(struct writer *w, const char *name, struct span text)
{
    uint64_t n = 0;
    struct num share;
    if (span_ends(text, "%")) {
        text = span_sub(text, 0, text.len - 1);
    }
    if (parse_u64(text, &n) && n <= 100 && num_div(num_u64(n), num_u64(100), &share) == NUM_OK) {
        writer_put(w, name, value_num(KIND_RATIO, share));
    }
}

static void put_pool(struct writer *w, const struct stack_node *pool)
{
    const struct span trim = layer_value(&pool->keys, "autotrim"), ashift = layer_value(&pool->keys, "ashift");
    uint64_t n = 0;
    put_share(w, "volume.zfs.pool_used_ratio", layer_value(&pool->keys, "capacity"));
    put_share(w, "volume.zfs.pool_frag", layer_value(&pool->keys, "fragmentation"));
    if (span_in_words(trim, "on,off")) {
        writer_put(w, "volume.zfs.autotrim", value_bool(span_eq_text(trim, "on")));
    }
    if (parse_u64(ashift, &n) && n >= 9 && n <= 16) { /* 0: each vdev has its own */
        writer_put(w, "volume.zfs.ashift_min", value_u64(KIND_COUNT, n));
    }
}

void writer_zfs(struct writer *w)
{
    const struct chain *c = w->chain;
    if (c->top == NULL || !c->top->is_pool) {
        return;
    }
    put_pool(w, c->top);
    const char *state = lowered(w->arena, layer_value(&c->top->keys, "state"));
    writer_text(w, "volume.zfs.pool", c->top->name);
    put_vdevs(w);
    if (c->mount == NULL) {
        writer_word(w, "volume.fs.type", "zfs");
    } else {
        const struct stack_node *data = stack_find(w->stack, c->mount->source);
        writer_text(w, "volume.zfs.dataset", c->mount->source);
        if (data != NULL) {
            put_properties(w, data);
        }
    }
    if (span_in_words(span_of(state), "online,degraded,faulted,offline,unavail,removed,suspended")) {
        writer_word(w, "volume.zfs.pool_state", state);
    }
}

/* ---- btrfs ----------------------------------------------------------------------------------- */

void writer_btrfs(struct writer *w)
{
    const struct chain *c = w->chain;
    const char *fs = chain_fs_word(c);
    const struct stack_node *n = c->top;
    if (n == NULL || fs == NULL || strcmp(fs, "btrfs") != 0) {
        return;
    }
    const struct span raid = layer_value(&n->keys, "raid");
    if (span_in_words(raid, "single,dup,raid0,raid1,raid1c3,raid1c4,raid10,raid5,raid6")) {
        writer_word(w, "volume.btrfs.data_profile", span_dup(w->arena, raid));
    }
}
