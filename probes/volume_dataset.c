/* Volume, theme ZFS: the properties of the dataset that holds the files. */
#include "probes/volume.h"

#include <string.h>

#include "advisor/base/parse.h"
#include "probes/setters.h"

#include "advisor/base/banned.h"

#define GET(name, kind, words, meaning)                                                            \
    {                                                                                              \
        "volume.zfs." name, kind, words, SUBJECT_VOLUME, FOLD_SAME, NEED_NONE, meaning, "zfs get", \
            ""                                                                                     \
    }

const struct fact_decl volume_dataset_decls[VOLUME_DATASET_DECLS] = {
    GET("recordsize", KIND_BYTES, NULL, "record of files made from now on"),
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

/* "zfs get all tank/my: local" */
static const char *with_origin(struct volume *v, struct span text, const char *property,
                               const char *source)
{
    static const char *const words[] = {"local", "default", "inherited", "received", "temporary"};
    const struct span origin = zfs_property_origin(text, property);
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (span_eq_text(origin, words[i])) {
            return arena_printf(v->ctx->arena, "%s: %s, %s", source, property, words[i]);
        }
    }
    return source;
}

/* What is something else than off. */
static void set_switch(struct volume *v, const char *fact, const char *property, struct span text,
                       const char *source)
{
    struct span value;
    if (zfs_property(text, property, &value)) {
        set_bool(v->ctx, fact, !span_eq_text(value, "off"), with_origin(v, text, property, source));
    } else {
        set_unknown(v->ctx, fact, FACT_NOT_SUPPORTED, source, "",
                    "this version of ZFS has no such property");
    }
}

void volume_set_dataset(struct volume *v, struct span text, const char *source)
{
    struct span value;
    for (size_t i = 0; i < ARRAY_LEN(plain); i++) {
        if (zfs_property(text, plain[i].property, &value)) {
            set_plain(v, i, value, with_origin(v, text, plain[i].property, source));
        } else {
            set_unknown(v->ctx, plain[i].fact, FACT_NOT_SUPPORTED, source, "",
                        "this version of ZFS has no such property");
        }
    }
    if (zfs_property(text, "compression", &value)) {
        set_compression(v, value, with_origin(v, text, "compression", source));
    }
    if (zfs_property(text, "compressratio", &value)) {
        set_compress_ratio(v, value, source);
    }
    set_switch(v, "volume.zfs.encrypted", "encryption", text, source);
    set_switch(v, "volume.zfs.dedup", "dedup", text, source);
    uint64_t n = 0;
    if (zfs_property(text, "recordsize", &value) && parse_u64(value, &n)) {
        set_u64(v->ctx, "volume.fs.block_size", KIND_BYTES, n,
                with_origin(v, text, "recordsize", source));
    }
    if (zfs_property(text, "creation", &value) && parse_u64(value, &n) && n < INT64_MAX &&
        (v->zfs_creation == 0 || (int64_t)n < v->zfs_creation)) {
        v->zfs_creation = (int64_t)n;
    }
}

void volume_no_dataset(struct volume *v, const struct err *e, const char *source)
{
    static const char *const others[] = {"volume.zfs.compression_level", "volume.zfs.compress_ratio",
                                         "volume.zfs.encrypted", "volume.zfs.dedup"};
    for (size_t i = 0; i < ARRAY_LEN(plain); i++) {
        set_err(v->ctx, plain[i].fact, e, source);
    }
    for (size_t i = 0; i < ARRAY_LEN(others); i++) {
        set_err(v->ctx, others[i], e, source);
    }
}
