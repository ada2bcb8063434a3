/* Volume, theme ZFS: the pool below the dataset. What all datasets of a pool share: the vdevs and their state,
 * what is left of its room, and when its data were last read through. */
#include "probes/volume.h"

#include <string.h>

#include "advisor/base/parse.h"
#include "probes/setters.h"

#include "advisor/base/banned.h"

#define ROW(name, kind, words, fold, meaning, from)                                                \
    {                                                                                              \
        "volume.zfs." name, kind, words, SUBJECT_VOLUME, fold, NEED_NONE, meaning, from, ""        \
    }
#define STATUS(name, kind, words, fold, meaning) ROW(name, kind, words, fold, meaning, "zpool status")

const struct fact_decl volume_zpool_decls[VOLUME_ZPOOL_DECLS] = {
    STATUS("vdev_kind", KIND_ENUM, "disk,mirror,raidz1,raidz2,raidz3,draid,mixed", FOLD_SAME,
           "how the pool keeps data"),
    STATUS("vdev_count", KIND_COUNT, NULL, FOLD_MIN, "groups that data are spread over"),
    STATUS("slog", KIND_BOOL, NULL, FOLD_ANY, "the pool has a log device of its own"),
    STATUS("pool_state", KIND_ENUM,
           "online,degraded,faulted,offline,unavail,removed,suspended", FOLD_SAME,
           "state of the pool"),
    STATUS("pool_errors", KIND_COUNT, NULL, FOLD_MAX, "errors that the pool counts"),
    STATUS("slog_mirrored", KIND_BOOL, NULL, FOLD_ALL, "every log vdev is a mirror; with a log"),
    STATUS("slog_devices", KIND_SET, NULL, FOLD_SAME, "disks below the log vdevs"),
    STATUS("slog_shares_leaf", KIND_BOOL, NULL, FOLD_ANY,
           "a log vdev lies on a disk that also carries data; with a log"),
    STATUS("cache_device", KIND_BOOL, NULL, FOLD_ANY, "the pool has a cache vdev (L2ARC)"),
    STATUS("scan", KIND_ENUM, "none,scrub,resilver", FOLD_SAME,
           "job that reads through the pool now"),
    STATUS("scrub_age", KIND_SECONDS, NULL, FOLD_MAX, "since the last scrub that came to its end"),
    ROW("trim_age", KIND_SECONDS, NULL, FOLD_MAX,
        "since every device of the pool was trimmed to its end", "zpool status -t"),
    ROW("cache_bytes", KIND_BYTES, NULL, FOLD_MAX, "size of the cache vdevs", "zpool list -v"),
    ROW("pool_used_ratio", KIND_RATIO, NULL, FOLD_MAX, "used part of the pool", "zpool get capacity"),
    ROW("pool_frag", KIND_RATIO, NULL, FOLD_MAX, "fragmentation of the pool's free space",
        "zpool get fragmentation"),
    ROW("autotrim", KIND_BOOL, NULL, FOLD_ALL, "the pool trims what is freed by itself",
        "zpool get autotrim"),
    ROW("ashift_min", KIND_COUNT, NULL, FOLD_MIN,
        "smallest sector of the vdevs, as a power of two", "zpool get ashift"),
    ROW("sector_bytes_min", KIND_BYTES, NULL, FOLD_MIN, "smallest sector of the vdevs",
        "zpool get ashift"),
};

#define STATES "online,degraded,faulted,offline,unavail,removed,suspended"

/* ---- what zpool status tells ----------------------------------------------------------------- */

static void set_state(struct volume *v, const struct zpool_status *p, const char *source)
{
    char word[16] = "";
    for (size_t i = 0; i < p->state.len && i + 1 < sizeof(word); i++) {
        const char c = p->state.ptr[i];
        word[i] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    set_enum_text(v->ctx, "volume.zfs.pool_state", STATES, span_of(word), source);
}

static void set_vdevs(struct volume *v, const struct zpool_status *p, const char *source)
{
    if (p->vdev_kind != NULL) {
        set_enum(v->ctx, "volume.zfs.vdev_kind", p->vdev_kind, source);
    } else {
        set_unknown(v->ctx, "volume.zfs.vdev_kind", FACT_ABSENT, source, "",
                    "the pool has vdevs of a kind that is not known here");
    }
    set_u64(v->ctx, "volume.zfs.vdev_count", KIND_COUNT, p->vdev_count, source);
    set_state(v, p, source);
    if (p->has_errors) {
        set_u64(v->ctx, "volume.zfs.pool_errors", KIND_COUNT, p->errors, source);
    } else {
        set_unknown(v->ctx, "volume.zfs.pool_errors", FACT_ABSENT, source, "run as root",
                    "the pool does not tell its errors");
    }
}

/* Facts of the log where there is none. */
static void set_no_log(struct volume *v, const char *source)
{
    static const char *const names[] = {"volume.zfs.slog_mirrored", "volume.zfs.slog_shares_leaf"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        set_unknown(v->ctx, names[i], FACT_NOT_SUPPORTED, source, "", "the pool has no log device");
    }
    set_words(v->ctx, "volume.zfs.slog_devices", KIND_SET, NULL, 0, source);
}

static void set_log(struct volume *v, const struct zpool_status *p, const char *source)
{
    bool log = zpool_has_role(p, "log"), mirrored = true;
    set_bool(v->ctx, "volume.zfs.slog", log, source);
    if (!log) {
        set_no_log(v, source);
        return;
    }
    for (size_t i = 1; i < p->n; i++) {
        const struct zpool_vdev *const d = &p->vdevs[i];
        if (d->parent == 0 && strcmp(d->role, "log") == 0) {
            mirrored = mirrored && d->type != NULL && strcmp(d->type, "mirror") == 0;
        }
    }
    set_bool(v->ctx, "volume.zfs.slog_mirrored", mirrored, source);
}

/* ---- times ----------------------------------------------------------------------------------- */

/* What never happened is at least as long ago as the oldest dataset is old. */
static void set_never(struct volume *v, const char *fact, const char *what, int64_t now)
{
    if (v->zfs_creation > 0 && v->zfs_creation <= now) {
        const char *const source =
            arena_printf(v->ctx->arena, "zpool status: %s; age of the oldest dataset", what);
        set_u64(v->ctx, fact, KIND_SECONDS, (uint64_t)(now - v->zfs_creation), source);
    } else {
        set_unknown(v->ctx, fact, FACT_ABSENT, "zpool status", "", what);
    }
}

/* A clock that was set back since makes an age of nothing, not of less. */
static void set_since(struct volume *v, const char *fact, int64_t then, int64_t now,
                      const char *source)
{
    set_u64(v->ctx, fact, KIND_SECONDS, now > then ? (uint64_t)(now - then) : 0, source);
}

/* Newer versions have no such line for a pool that nothing ever read through. */
static void set_scan(struct volume *v, const struct zpool_scan *scan, int64_t now,
                     const char *source)
{
    static const char age[] = "volume.zfs.scrub_age";
    if (scan->has_scrub_end) {
        set_since(v, age, scan->scrub_end, now, source);
    } else if (scan->never || !scan->told) {
        set_never(v, age, "no scrub ever", now);
    } else {
        set_unknown(v->ctx, age, FACT_ABSENT, source, "",
                    scan->running != NULL
                        ? "the pool is being read through, and remembers no scrub before"
                        : "the pool remembers only its last job, which was no scrub that came to its end");
    }
}

struct trims {
    bool any, told, never, running, unsupported;
    int64_t oldest;
};

static void sum_trims(const struct zpool_status *p, struct trims *t)
{
    *t = (struct trims){.told = true, .oldest = INT64_MAX};
    for (size_t i = 1; i < p->n; i++) {
        const struct zpool_vdev *const d = &p->vdevs[i];
        if (!d->leaf || !zpool_in_use(d) || strcmp(d->role, "spare") == 0 ||
            strcmp(d->role, "cache") == 0) {
            continue;
        }
        t->any = true;
        t->told = t->told && d->trim != ZPOOL_TRIM_NOT_TOLD &&
                  (d->trim != ZPOOL_TRIM_DONE || d->has_trimmed);
        t->never = t->never || d->trim == ZPOOL_TRIM_NEVER;
        t->running = t->running || d->trim == ZPOOL_TRIM_RUNNING;
        t->unsupported = t->unsupported || d->trim == ZPOOL_TRIM_UNSUPPORTED;
        t->oldest = d->has_trimmed && d->trimmed < t->oldest ? d->trimmed : t->oldest;
    }
}

static void set_trim(struct volume *v, const struct zpool_status *p, int64_t now, const char *source)
{
    static const char age[] = "volume.zfs.trim_age";
    struct trims t;
    sum_trims(p, &t);
    if (!t.any || !t.told) {
        set_unknown(v->ctx, age, FACT_ABSENT, source, "", "the pool does not tell when it was trimmed");
    } else if (t.unsupported) {
        set_unknown(v->ctx, age, FACT_NOT_SUPPORTED, source, "",
                    "a device of the pool takes no trim");
    } else if (t.never) {
        set_never(v, age, "never trimmed", now);
    } else if (t.running) {
        set_unknown(v->ctx, age, FACT_ABSENT, source, "", "a trim is at work");
    } else {
        set_since(v, age, t.oldest, now, source);
    }
}

void volume_read_zpool_age(struct volume *v)
{
    const struct zpool_status *const p = v->pool;
    int64_t now = 0;
    struct err e = ERR_INIT;
    if (p == NULL) {
        return; /* volume_read_zpool said why */
    }
    const char *const source = arena_printf(v->ctx->arena, "zpool status %s", v->pool_name);
    set_enum(v->ctx, "volume.zfs.scan", p->scan.running != NULL ? p->scan.running : "none", source);
    if (!host_clock(v->ctx->host, &now, &e)) {
        set_err(v->ctx, "volume.zfs.scrub_age", &e, source);
        set_err(v->ctx, "volume.zfs.trim_age", &e, source);
        return;
    }
    set_scan(v, &p->scan, now, source);
    set_trim(v, p, now, source);
}

/* ---- all of it ------------------------------------------------------------------------------- */

void volume_read_zpool(struct volume *v)
{
    static const char *const facts[] = {
        "volume.zfs.vdev_kind",    "volume.zfs.vdev_count",       "volume.zfs.slog",
        "volume.zfs.pool_state",   "volume.zfs.pool_errors",      "volume.zfs.slog_mirrored",
        "volume.zfs.slog_devices", "volume.zfs.slog_shares_leaf", "volume.zfs.cache_device",
        "volume.zfs.cache_bytes",  "volume.zfs.scan",             "volume.zfs.scrub_age",
        "volume.zfs.trim_age"};
    struct zpool_status *const p = arena_alloc(v->ctx->arena, sizeof(*p));
    const char *const pool = v->pool_name;
    struct span text;
    struct err e = ERR_INIT;
    const char *const source = arena_printf(v->ctx->arena, "zpool status %s", pool);
    /* Before 0.8 it knew no -t. */
    const bool said = host_exec(v->ctx->host, "zpool-status-t", pool, &text, &e) ||
                      host_exec(v->ctx->host, "zpool-status", pool, &text, &v->pool_err);
    if (said && zpool_status_parse(v->ctx->arena, text, span_of(pool), p, &v->pool_err)) {
        v->pool = p;
        set_vdevs(v, p, source);
        set_log(v, p, source);
        set_bool(v->ctx, "volume.zfs.cache_device", zpool_has_role(p, "cache"), source);
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(facts); i++) {
        set_err(v->ctx, facts[i], &v->pool_err, source);
    }
}
