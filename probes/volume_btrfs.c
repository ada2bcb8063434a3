/* Volume, theme btrfs: its devices, how it keeps data on them, and what it does with data files. */
#include "probes/volume.h"

#include <string.h>

#include "advisor/base/parse.h"
#include "probes/setters.h"
#include "probes/sysfs.h"
#include "probes/volume_chain.h"

#include "advisor/base/banned.h"

#define PROFILES "single,dup,raid0,raid1,raid1c3,raid1c4,raid10,raid5,raid6,mixed"
#define ROW(name, kind, words, fold, meaning, from)                                                \
    {                                                                                              \
        "volume.btrfs." name, kind, words, SUBJECT_VOLUME, fold, NEED_NONE, meaning, from, ""      \
    }

const struct fact_decl volume_btrfs_decls[VOLUME_BTRFS_DECLS] = {
    ROW("autodefrag", KIND_BOOL, NULL, FOLD_ANY, "btrfs rewrites fragmented files by itself",
        "/proc/PID/mountinfo"),
    {"volume.btrfs.nocow", KIND_BOOL, NULL, SUBJECT_VOLUME, FOLD_ALL, NEED_NONE,
     "all data files that were looked at are written in place", "FS_IOC_GETFLAGS on data files",
     "datadir access"},
    ROW("subvolume", KIND_STRING, NULL, FOLD_SAME, "subvolume that is mounted",
        "/proc/PID/mountinfo"),
    ROW("data_profile", KIND_ENUM, PROFILES, FOLD_SAME, "how data are spread over the devices",
        "/sys/fs/btrfs/UUID/allocation"),
    ROW("metadata_profile", KIND_ENUM, PROFILES, FOLD_SAME,
        "how metadata are spread over the devices", "/sys/fs/btrfs/UUID/allocation"),
    ROW("quota", KIND_BOOL, NULL, FOLD_ANY, "quotas are counted, on every write",
        "/sys/fs/btrfs/UUID/qgroups"),
    ROW("missing_devices", KIND_COUNT, NULL, FOLD_MAX, "devices that the filesystem lacks",
        "/sys/fs/btrfs/UUID/devinfo"),
    ROW("device_errors", KIND_COUNT, NULL, FOLD_MAX,
        "write, read, flush, corruption and generation errors that btrfs counts",
        "/sys/fs/btrfs/UUID/devinfo"),
};

static const struct decl_rows table = {volume_btrfs_decls, VOLUME_BTRFS_DECLS};

/* ---- options, and the flags of data files ---------------------------------------------------- */

/* "zstd:3", "lzo", or nothing: zlib is what a bare "compress" means. */
static bool compression_option(const struct volume *v, struct span *ret)
{
    struct span value = {"", 0};
    if (!mount_option(v->mount->super, "compress", &value) &&
        !mount_option(v->mount->super, "compress-force", &value)) {
        return false;
    }
    if (!span_split(&value, ':', ret)) {
        *ret = value.len > 0 ? value : SPAN_LIT("zlib");
    }
    return !span_eq_text(*ret, "no") && !span_eq_text(*ret, "none");
}

/* Without an option what a file was made with decides; which method that is its flag does not tell. */
static void set_compression(struct volume *v, bool in_place, const struct host_extents *files)
{
    static const char name[] = "volume.fs.compression";
    const bool unseen = !v->has_extents && (v->ctx->args->roles & ROLE_DATA) != 0;
    struct span method;
    if (in_place) {
        set_enum(v->ctx, name, "none", "what is written in place is not compressed");
    } else if (!unseen && compression_option(v, &method)) {
        set_enum_text(v->ctx, name, "zstd,zlib,lzo", method, v->mount_source);
    } else if (files == NULL) {
        set_unknown(v->ctx, name, FACT_ABSENT, v->mount_source, "",
                    "flags of the data files decide, and are not known");
    } else {
        set_enum(v->ctx, name, files->compressed > 0 ? "other" : "none",
                 "FS_IOC_GETFLAGS on data files");
    }
}

static void set_place(struct volume *v, bool in_place, const char *source)
{
    set_bool(v->ctx, "volume.btrfs.nocow", in_place, source);
    set_bool(v->ctx, "volume.fs.copy_on_write", !in_place, source);
}

static void set_options(struct volume *v)
{
    const struct host_extents *const files =
        v->has_extents && v->extents.flagged > 0 ? &v->extents : NULL;
    set_bool(v->ctx, "volume.btrfs.autodefrag", mount_option(v->mount->super, "autodefrag", NULL),
             v->mount_source);
    if (mount_option(v->mount->super, "nodatacow", NULL)) {
        set_place(v, true, v->mount_source);
        set_compression(v, true, files);
    } else if (files != NULL) {
        set_place(v, files->nocow == files->flagged, "FS_IOC_GETFLAGS on data files");
        set_compression(v, files->nocow == files->flagged, files);
    } else {
        static const char why[] = "flags of the data files decide, and none was looked at";
        set_unknown(v->ctx, "volume.btrfs.nocow", FACT_ABSENT, v->mount_source, "lsattr", why);
        set_unknown(v->ctx, "volume.fs.copy_on_write", FACT_ABSENT, v->mount_source, "lsattr", why);
        set_compression(v, false, NULL);
    }
    struct span subvolume = v->mount->root;
    (void)mount_option(v->mount->super, "subvol", &subvolume);
    set_text(v->ctx, "volume.btrfs.subvolume", subvolume, v->mount_source);
}

/* ---- what sysfs tells of the filesystem ------------------------------------------------------ */

/* The kernel name of the device that mountinfo names. */
static bool source_name(struct volume *v, struct span *ret, struct err *reterr)
{
    struct probe_ctx *ctx = v->ctx;
    struct host_stat node;
    struct span target;
    if (!span_starts(v->mount->source, "/dev/") || span_has(v->mount->source, '\0')) {
        return err_set(reterr, E_ABSENT, "the devices of this btrfs are not known");
    }
    const char *dev = arena_printf(ctx->arena, "/proc/self/root%.*s", SPAN_ARG(v->mount->source));
    if (!host_stat(ctx->host, dev, &node, reterr) ||
        !host_link(ctx->host,
                   arena_printf(ctx->arena, "/sys/dev/block/%u:%u", node.rdev_major,
                                node.rdev_minor),
                   &target, reterr)) {
        return false;
    }
    *ret = span_copy(ctx->arena, path_base(target));
    return true;
}

static bool has_name(const struct host_names *names, struct span name)
{
    for (size_t i = 0; i < names->n; i++) {
        if (span_eq(names->names[i], name)) {
            return true;
        }
    }
    return false;
}

/* /sys/fs/btrfs/UUID of the filesystem that has the device. */
static bool find_folder(struct volume *v, struct err *reterr)
{
    struct probe_ctx *ctx = v->ctx;
    struct span name;
    struct host_names sets;
    if (!source_name(v, &name, reterr) || !host_list(ctx->host, "/sys/fs/btrfs", &sets, reterr)) {
        return false;
    }
    for (size_t i = 0; i < sets.n && i < 256; i++) {
        struct err e = ERR_INIT;
        const char *const dir = arena_printf(ctx->arena, "/sys/fs/btrfs/%.*s", SPAN_ARG(sets.names[i]));
        if (sysfs_name_ok(sets.names[i]) &&
            host_list(ctx->host, arena_printf(ctx->arena, "%s/devices", dir), &v->btrfs_devices, &e) &&
            has_name(&v->btrfs_devices, name)) {
            v->btrfs_dir = dir;
            return true;
        }
    }
    return err_set(reterr, E_ABSENT, "sysfs shows no btrfs with this device");
}

static bool is_profile(struct span word)
{
    struct span rest = SPAN_LIT(PROFILES), one;
    while (span_split(&rest, ',', &one)) {
        if (span_eq(one, word)) {
            return true;
        }
    }
    return span_eq(rest, word) && !span_eq_text(word, "mixed");
}

/* A folder for each profile that some of the data (or metadata) have. NULL: not known. */
static const char *read_profile(struct volume *v, const char *what, struct err *reterr)
{
    struct host_names names;
    const char *found = NULL;
    /* Where data and metadata share their space it has a name of its own. */
    struct err e = ERR_INIT;
    if (!host_list(v->ctx->host, arena_printf(v->ctx->arena, "%s/allocation/%s", v->btrfs_dir, what),
                   &names, reterr) &&
        (reterr->code != E_ABSENT ||
         !host_list(v->ctx->host, arena_printf(v->ctx->arena, "%s/allocation/mixed", v->btrfs_dir),
                    &names, &e))) {
        return NULL;
    }
    for (size_t i = 0; i < names.n; i++) {
        if (is_profile(names.names[i])) {
            found = found == NULL ? span_dup(v->ctx->arena, names.names[i]) : "mixed";
        }
    }
    if (found == NULL) {
        err_set(reterr, E_ABSENT, "no profile is told");
    }
    return found;
}

static void set_profile(struct volume *v, const char *fact, const char *what, const char *source)
{
    struct err e = ERR_INIT;
    const char *const profile = read_profile(v, what, &e);
    if (profile == NULL) {
        set_err(v->ctx, fact, &e, source);
    } else {
        set_enum(v->ctx, fact, profile, source);
    }
    if (strcmp(what, "data") == 0) {
        v->btrfs_profile = profile;
    }
}

/* The folder is there while quotas are on, since 5.9; the other file came with 5.10. */
static void set_quota(struct volume *v, const char *source)
{
    struct host_names names;
    struct err e = ERR_INIT;
    if (!host_list(v->ctx->host, v->btrfs_dir, &names, &e)) {
        set_err(v->ctx, "volume.btrfs.quota", &e, source);
    } else if (has_name(&names, SPAN_LIT("qgroups")) ||
               has_name(&names, SPAN_LIT("exclusive_operation"))) {
        set_bool(v->ctx, "volume.btrfs.quota", has_name(&names, SPAN_LIT("qgroups")), source);
    } else {
        set_unknown(v->ctx, "volume.btrfs.quota", FACT_NOT_SUPPORTED, source, "",
                    "this kernel does not tell (5.10 and later do)");
    }
}

/* ---- what it tells of each device ------------------------------------------------------------ */

/* "write_errs 0", a line each: their sum. */
static bool sum_errors(struct span text, uint64_t *sum)
{
    struct span line, word;
    uint64_t n = 0;
    bool any = false;
    while (span_line(&text, &line)) {
        if (!span_word(&line, &word) || !span_ends(word, "_errs") ||
            !parse_u64(span_trim(line), &n) || n > UINT64_MAX - *sum) {
            return false;
        }
        *sum += n;
        any = true;
    }
    return any;
}

/* One file of every device, added up: a figure, or a list of them. Returns 0 where it is not known. */
static uint64_t set_sum(struct volume *v, const char *fact, const struct host_names *ids,
                        const char *file, bool list, const char *source)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < ids->n && i < 1024; i++) {
        struct err e = ERR_INIT;
        struct span text;
        uint64_t n = 0;
        if (!sysfs_name_ok(ids->names[i]) ||
            !sysfs_text(v->ctx->host, v->ctx->arena, &text, &e, "%s/devinfo/%.*s/%s", v->btrfs_dir,
                        SPAN_ARG(ids->names[i]), file)) {
            set_err(v->ctx, fact, &e, source);
            return 0;
        }
        if (list ? !sum_errors(text, &sum) : !parse_u64(text, &n) || n > 1) {
            set_unknown(v->ctx, fact, FACT_UNREADABLE, source, "", "its value is not understood");
            return 0;
        }
        sum += n;
    }
    set_u64(v->ctx, fact, KIND_COUNT, sum, source);
    return sum;
}

static void set_devices(struct volume *v, const char *source)
{
    struct host_names ids;
    struct err e = ERR_INIT;
    if (!host_list(v->ctx->host, arena_printf(v->ctx->arena, "%s/devinfo", v->btrfs_dir), &ids, &e)) {
        set_err(v->ctx, "volume.btrfs.missing_devices", &e, source);
        set_err(v->ctx, "volume.btrfs.device_errors", &e, source);
        return;
    }
    v->btrfs_missing = set_sum(v, "volume.btrfs.missing_devices", &ids, "missing", false, source);
    (void)set_sum(v, "volume.btrfs.device_errors", &ids, "error_stats", true, source);
}

static void read_folder(struct volume *v)
{
    static const char *const facts[] = {"volume.btrfs.data_profile", "volume.btrfs.metadata_profile",
                                        "volume.btrfs.quota", "volume.btrfs.missing_devices",
                                        "volume.btrfs.device_errors"};
    if (find_folder(v, &v->btrfs_err)) {
        set_profile(v, facts[0], "data", v->btrfs_dir);
        set_profile(v, facts[1], "metadata", v->btrfs_dir);
        set_quota(v, v->btrfs_dir);
        set_devices(v, v->btrfs_dir);
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(facts); i++) {
        set_err(v->ctx, facts[i], &v->btrfs_err, "/sys/fs/btrfs");
    }
}

void volume_read_btrfs(struct volume *v)
{
    struct err e = ERR_INIT;
    if (v->fs_type != NULL && strcmp(v->fs_type, "btrfs") != 0) {
        err_set(&e, E_NOT_SUPPORTED, "only btrfs has this, and this filesystem is %s", v->fs_type);
        set_rest(v->ctx, &table, 1, FACT_NOT_SUPPORTED, v->fs_source, "", e.text);
        return;
    }
    if (v->mount == NULL) {
        v->btrfs_err = v->mount_err;
        e = v->mount_err;
        set_rest(v->ctx, &table, 1, fact_state_from_err(e.code), "mountinfo", e.hint, e.text);
        return;
    }
    if (v->fs_type != NULL) {
        set_options(v);
        read_folder(v);
    }
}

/* ---- the devices below ----------------------------------------------------------------------- */

bool volume_walk_btrfs(struct volume *v, struct walk *ret, struct err *reterr)
{
    *ret = (struct walk){.complete = false};
    if (v->btrfs_dir == NULL) {
        *reterr = v->btrfs_err;
        return false;
    }
    struct blockwalk *const k = blockwalk_new(v->ctx->host, v->ctx->arena, v->dm);
    size_t top = WALK_TOP;
    if (v->btrfs_devices.n > 1 || v->btrfs_missing > 0) {
        /* Another filesystem's must not have this name. */
        const char *const name = arena_printf(v->ctx->arena, "btrfs-%.*s",
                                              SPAN_ARG(v->btrfs_devices.names[0]));
        top = blockwalk_put(k, WALK_TOP, name, "vdev", NULL);
    }
    if (top != WALK_TOP && v->btrfs_profile != NULL) {
        blockwalk_key(k, top, "type", span_of(v->btrfs_profile));
    }
    if (v->btrfs_missing > 0) {
        const char *const n = arena_printf(v->ctx->arena, "%llu", (unsigned long long)v->btrfs_missing);
        blockwalk_key(k, top, "degraded", span_of(n));
    }
    for (size_t i = 0; i < v->btrfs_devices.n; i++) {
        (void)blockwalk_put_name(k, top, v->btrfs_devices.names[i], NULL);
    }
    blockwalk_end(k, ret);
    *reterr = ret->err;
    return ret->complete;
}

/* Pieces of 64 KiB go round (BTRFS_STRIPE_LEN), whatever the devices below do. */
void volume_set_btrfs(struct volume *v)
{
    static const char source[] = "profile of the data";
    const size_t n = v->btrfs_devices.n;
    const char *const p = v->btrfs_profile;
    const bool halves = p != NULL && strcmp(p, "raid10") == 0;
    if (n < 2) {
        return;
    }
    if (p == NULL || strcmp(p, "mixed") == 0) {
        static const char why[] = "how the data are spread is not known, or differs among them";
        set_unknown(v->ctx, "volume.stack.stripe_count", FACT_ABSENT, source, "", why);
        set_unknown(v->ctx, "volume.stack.chunk_bytes", FACT_ABSENT, source, "", why);
    } else if (halves || strcmp(p, "raid0") == 0 || strcmp(p, "raid5") == 0 ||
               strcmp(p, "raid6") == 0) {
        set_u64(v->ctx, "volume.stack.stripe_count", KIND_COUNT, halves ? n / 2 : n, source);
        set_u64(v->ctx, "volume.stack.chunk_bytes", KIND_BYTES, 65536, source);
    }
}
