/* Volume, theme ZFS: the properties of the dataset, the state of its pool, and the devices below that. A pool is
 * one thing to the chain: its datasets share all its devices. */
#include "probes/volume.h"

#include <string.h>

#include "advisor/base/parse.h"
#include "probes/setters.h"
#include "probes/sysfs.h"
#include "probes/volume_chain.h"

#include "advisor/base/banned.h"

#define ROW(name, kind, words, fold, meaning, from)                                                \
    {                                                                                              \
        "volume.zfs." name, kind, words, SUBJECT_VOLUME, fold, NEED_NONE, meaning, from, ""        \
    }
#define GET(name, kind, words, meaning) ROW(name, kind, words, FOLD_SAME, meaning, "zfs get")

const struct fact_decl volume_zfs_decls[VOLUME_ZFS_DECLS] = {
    ROW("pool", KIND_STRING, NULL, FOLD_SAME, "pool of ZFS", "/proc/PID/mountinfo"),
    ROW("dataset", KIND_STRING, NULL, FOLD_SAME, "dataset that holds the files",
        "/proc/PID/mountinfo"),
    GET("recordsize", KIND_BYTES, NULL, "record of files made from now on"),
    {"volume.zfs.file_block_size", KIND_BYTES, NULL, SUBJECT_VOLUME, FOLD_SAME, NEED_NONE,
     "record of the largest data file: what was written, not what is set", "st_blksize",
     "datadir access"},
    GET("compression_level", KIND_COUNT, NULL, "level of gzip or zstd"),
    GET("compress_ratio", KIND_RATIO, NULL, "what compression saves: size over size on the disks"),
    GET("primarycache", KIND_ENUM, "all,metadata,none", "what the cache in memory holds"),
    GET("logbias", KIND_ENUM, "latency,throughput", "how synchronous writes are logged"),
    GET("sync", KIND_ENUM, "standard,always,disabled", "what becomes of synchronous writes"),
    GET("atime", KIND_BOOL, NULL, "reading a file writes its time"),
    GET("direct", KIND_ENUM, "standard,always,disabled", "whether direct I/O passes the cache by"),
    GET("redundant_metadata", KIND_ENUM, "all,most,some,none", "what metadata is kept twice"),
    GET("snapshots_bytes", KIND_BYTES, NULL, "space that only snapshots hold"),
    GET("encrypted", KIND_BOOL, NULL, "ZFS encrypts the dataset"),
    GET("dedup", KIND_BOOL, NULL, "ZFS looks for equal records and keeps them once"),
};

static const struct decl_rows tables[] = {
    {volume_zfs_decls, VOLUME_ZFS_DECLS},
    {volume_zpool_decls, VOLUME_ZPOOL_DECLS},
};

/* ---- the dataset ----------------------------------------------------------------------------- */

static const struct {
    const char *fact, *property;
    enum kind kind;
    const char *words;
} plain[] = {
    {"volume.zfs.recordsize", "recordsize", KIND_BYTES, NULL},
    {"volume.zfs.primarycache", "primarycache", KIND_ENUM, "all,metadata,none"},
    {"volume.zfs.logbias", "logbias", KIND_ENUM, "latency,throughput"},
    {"volume.zfs.sync", "sync", KIND_ENUM, "standard,always,disabled"},
    {"volume.zfs.atime", "atime", KIND_BOOL, NULL},
    {"volume.zfs.direct", "direct", KIND_ENUM, "standard,always,disabled"},
    {"volume.zfs.redundant_metadata", "redundant_metadata", KIND_ENUM, "all,most,some,none"},
    {"volume.zfs.snapshots_bytes", "usedbysnapshots", KIND_BYTES, NULL},
};

static void set_plain(struct volume *v, size_t i, struct span value, const char *source)
{
    const char *const fact = plain[i].fact;
    uint64_t n = 0;
    if (plain[i].kind == KIND_ENUM) {
        set_enum_text(v->ctx, fact, plain[i].words, value, source);
    } else if (plain[i].kind == KIND_BOOL && (span_eq_text(value, "on") || span_eq_text(value, "off"))) {
        set_bool(v->ctx, fact, span_eq_text(value, "on"), source);
    } else if (plain[i].kind == KIND_BYTES && parse_u64(value, &n)) {
        set_u64(v->ctx, fact, KIND_BYTES, n, source);
    } else {
        set_unknown(v->ctx, fact, FACT_UNREADABLE, source, "", "its value is not understood");
    }
}

/* "1.83" or "1.83x". */
static void set_compress_ratio(struct volume *v, struct span value, const char *source)
{
    double ratio = 0.0;
    if (span_ends(value, "x")) {
        value = span_sub(value, 0, value.len - 1);
    }
    if (parse_double(value, &ratio) && ratio > 0.0 && ratio < 1e6) {
        set_num(v->ctx, "volume.zfs.compress_ratio", KIND_RATIO, num_real(ratio), source);
    }
}

/* "off", "on" (lz4), "gzip-9", "zstd", "zstd-fast-10": the method, and the level of those that have one. */
static void set_compression(struct volume *v, struct span value, const char *source)
{
    static const char level_fact[] = "volume.zfs.compression_level";
    static const struct {
        const char *begin, *word;
        uint64_t level; /* without a number; 0: it has none */
    } methods[] = {
        {"off", "none", 0},      {"on", "lz4", 0},    {"lz4", "lz4", 0}, {"lzjb", "lzjb", 0},
        {"zle", "zle", 0},       {"gzip", "gzip", 6}, {"zstd-fast", "zstd", 0},
        {"zstd", "zstd", 3},
    };
    for (size_t i = 0; i < ARRAY_LEN(methods); i++) {
        const size_t n = strlen(methods[i].begin);
        uint64_t level = methods[i].level;
        if (!span_starts(value, methods[i].begin) || (value.len > n && value.ptr[n] != '-')) {
            continue;
        }
        set_enum(v->ctx, "volume.fs.compression", methods[i].word, source);
        if (level > 0 && (value.len == n || parse_u64(span_sub(value, n + 1, value.len), &level))) {
            set_u64(v->ctx, level_fact, KIND_COUNT, level, source);
        } else {
            set_unknown(v->ctx, level_fact, FACT_NOT_SUPPORTED, source, "",
                        "this compression has no levels");
        }
        return;
    }
    set_enum(v->ctx, "volume.fs.compression", "other", source);
}

static void set_properties(struct volume *v, struct span text, const char *source)
{
    struct span value;
    for (size_t i = 0; i < ARRAY_LEN(plain); i++) {
        if (zfs_property(text, plain[i].property, &value)) {
            set_plain(v, i, value, source);
        } else {
            set_unknown(v->ctx, plain[i].fact, FACT_NOT_SUPPORTED, source, "",
                        "this version of ZFS has no such property");
        }
    }
    if (zfs_property(text, "compression", &value)) {
        set_compression(v, value, source);
    }
    if (zfs_property(text, "compressratio", &value)) {
        set_compress_ratio(v, value, source);
    }
    uint64_t record = 0;
    if (zfs_property(text, "recordsize", &value) && parse_u64(value, &record)) {
        set_u64(v->ctx, "volume.fs.block_size", KIND_BYTES, record, source);
    }
}

static void read_dataset(struct volume *v, const char *dataset)
{
    struct span text;
    struct err e = ERR_INIT;
    const char *const source = arena_printf(v->ctx->arena, "zfs get all %s", dataset);
    if (host_exec(v->ctx->host, "zfs-get", dataset, &text, &e)) {
        set_properties(v, text, source);
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(plain); i++) {
        set_err(v->ctx, plain[i].fact, &e, source);
    }
    set_err(v->ctx, "volume.zfs.compression_level", &e, source);
    set_err(v->ctx, "volume.zfs.compress_ratio", &e, source);
}

/* ---- the pool -------------------------------------------------------------------------------- */

static void set_state(struct volume *v, const struct zpool_status *p, const char *source)
{
    char word[16] = "";
    for (size_t i = 0; i < p->state.len && i + 1 < sizeof(word); i++) {
        const char c = p->state.ptr[i];
        word[i] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    set_enum_text(v->ctx, "volume.zfs.pool_state",
                  "online,degraded,faulted,offline,unavail,removed,suspended", span_of(word), source);
}

static void set_pool(struct volume *v, const struct zpool_status *p, const char *source)
{
    if (p->vdev_kind != NULL) {
        set_enum(v->ctx, "volume.zfs.vdev_kind", p->vdev_kind, source);
    } else {
        set_unknown(v->ctx, "volume.zfs.vdev_kind", FACT_ABSENT, source, "",
                    "the pool has vdevs of a kind that is not known here");
    }
    set_u64(v->ctx, "volume.zfs.vdev_count", KIND_COUNT, p->vdev_count, source);
    set_bool(v->ctx, "volume.zfs.slog", p->slog, source);
    set_state(v, p, source);
    if (p->has_errors) {
        set_u64(v->ctx, "volume.zfs.pool_errors", KIND_COUNT, p->errors, source);
    } else {
        set_unknown(v->ctx, "volume.zfs.pool_errors", FACT_ABSENT, source, "run as root",
                    "the pool does not tell its errors");
    }
}

static void read_pool(struct volume *v, const char *pool)
{
    static const char *const facts[] = {"volume.zfs.vdev_kind", "volume.zfs.vdev_count",
                                        "volume.zfs.slog", "volume.zfs.pool_state",
                                        "volume.zfs.pool_errors"};
    struct zpool_status *const p = arena_alloc(v->ctx->arena, sizeof(*p));
    struct span text;
    const char *const source = arena_printf(v->ctx->arena, "zpool status %s", pool);
    if (host_exec(v->ctx->host, "zpool-status", pool, &text, &v->pool_err) &&
        zpool_status_parse(v->ctx->arena, text, span_of(pool), p, &v->pool_err)) {
        v->pool = p;
        v->pool_name = pool;
        set_pool(v, p, source);
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(facts); i++) {
        set_err(v->ctx, facts[i], &v->pool_err, source);
    }
}

void volume_read_zfs(struct volume *v)
{
    struct err e = ERR_INIT;
    if (v->fs_type == NULL || v->mount == NULL) {
        e = v->mount_err;
        v->pool_err = e;
        set_rest(v->ctx, tables, ARRAY_LEN(tables), fact_state_from_err(e.code), "mountinfo",
                 e.hint, e.text);
        return;
    }
    if (strcmp(v->fs_type, "zfs") != 0) {
        err_set(&e, E_NOT_SUPPORTED, "only ZFS has this, and this filesystem is %s", v->fs_type);
        set_rest(v->ctx, tables, ARRAY_LEN(tables), FACT_NOT_SUPPORTED, v->fs_source, "",
                 e.text);
        return;
    }
    struct span rest = v->mount->source, pool;
    if (span_has(rest, '\0') || !span_split(&rest, '/', &pool) || pool.len == 0) {
        err_set(&v->pool_err, E_ABSENT, "the dataset of '%s' is not known", v->path);
        return;
    }
    set_text(v->ctx, "volume.zfs.dataset", v->mount->source, v->mount_source);
    set_text(v->ctx, "volume.zfs.pool", pool, v->mount_source);
    read_dataset(v, span_dup(v->ctx->arena, v->mount->source));
    read_pool(v, span_dup(v->ctx->arena, pool));
}

/* ---- the devices below ----------------------------------------------------------------------- */

/* "/dev/nvme0n1p1" to its number, by what the kernel calls it: nodes of /dev may be missing where we run. */
static bool device_number(struct volume *v, struct span path, uint32_t *ret_major,
                          uint32_t *ret_minor, struct err *reterr)
{
    struct probe_ctx *ctx = v->ctx;
    char *const name = span_dup(ctx->arena, span_sub(path, strlen("/dev/"), path.len));
    struct span text, major;
    uint64_t a = 0, b = 0;
    for (char *c = name; *c != '\0'; c++) {
        *c = *c == '/' ? '!' : *c;
    }
    if (!sysfs_name_ok(span_of(name))) {
        return err_set(reterr, E_ABSENT, "the pool names a device that cannot be");
    }
    if (!sysfs_text(ctx->host, ctx->arena, &text, reterr, "/sys/class/block/%s/dev", name)) {
        return false;
    }
    if (!span_split(&text, ':', &major) || !parse_u64(major, &a) || !parse_u64(text, &b) ||
        a > UINT32_MAX || b > UINT32_MAX) {
        return err_set(reterr, E_SYNTAX, "'%s' has no device number", name);
    }
    *ret_major = (uint32_t)a;
    *ret_minor = (uint32_t)b;
    return true;
}

/* The walk below one device, put below the pool. */
static bool add_walk(struct walk *all, const struct walk *w, size_t max, struct err *reterr)
{
    const size_t from = all->n;
    if (!w->complete) {
        *reterr = w->err;
        return false;
    }
    if (w->n > max - all->n) {
        return err_set(reterr, E_LIMIT, "the pool has more devices below than are followed");
    }
    for (size_t i = 0; i < w->n; i++) {
        struct walk_node *const node = &all->nodes[all->n++];
        *node = w->nodes[i];
        node->parent = i == 0 ? 0 : from + w->nodes[i].parent;
        node->level++;
        if (node->level > WALK_DEPTH_MAX) {
            return err_set(reterr, E_LIMIT, "the devices below the pool lie too deep");
        }
    }
    return true;
}

bool volume_walk_pool(struct volume *v, struct walk *ret, struct err *reterr)
{
    const struct zpool_status *const p = v->pool;
    if (p == NULL) {
        *reterr = v->pool_err;
        return false;
    }
    if (p->has_file || p->n_leaves == 0) {
        return err_set(reterr, E_ABSENT, "%s",
                       p->has_file ? "the pool lies on files, whose devices are not followed"
                                   : "the pool names no device");
    }
    struct walk all = {.complete = true};
    all.nodes = arena_calloc(v->ctx->arena, WALK_NODES_MAX, sizeof(*all.nodes));
    all.nodes[all.n++] = (struct walk_node){.name = v->pool_name, .kind = "zfs",
                                            .offset_why = "a pool has no place of its own",
                                            .n_below = p->n_leaves};
    for (size_t i = 0; i < p->n_leaves; i++) {
        uint32_t major = 0, minor = 0;
        struct walk w;
        if (!device_number(v, p->leaves[i], &major, &minor, reterr)) {
            return false;
        }
        blockwalk_run(v->ctx->host, v->ctx->arena, major, minor, &w);
        if (!add_walk(&all, &w, WALK_NODES_MAX, reterr)) {
            return false;
        }
    }
    *ret = all;
    return true;
}
