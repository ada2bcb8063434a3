/* ZFS as the whole host has it: the module, and its cache (ARC). */
#include "probes/proc.h"

#include "advisor/base/parse.h"
#include "advisor/base/version.h"
#include "probes/ktext.h"

#include "advisor/base/banned.h"

#define MODULE "/sys/module/zfs/"
#define ARCSTATS "/proc/spl/kstat/zfs/arcstats"
#define ROW(name, kind, meaning, from)                                                             \
    {                                                                                              \
        "host.zfs." name, kind, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE, meaning, from, ""        \
    }

const struct fact_decl proc_zfs_decls[] = {
    ROW("version", KIND_VERSION, "version of the ZFS module", MODULE "version"),
    ROW("arc_max", KIND_BYTES, "ceiling of the cache of ZFS in force (c_max)", ARCSTATS),
    ROW("arc_size", KIND_BYTES, "what the cache of ZFS holds now", ARCSTATS),
    ROW("l2_header_bytes", KIND_BYTES,
        "memory of the cache of ZFS that the headers of cached records on cache vdevs take", ARCSTATS),
    ROW("l2_size", KIND_BYTES, "records on the cache vdevs, before compression", ARCSTATS),
    ROW("l2_allocated", KIND_BYTES, "room that they take there", ARCSTATS),
    ROW("arc_max_set", KIND_BOOL, "somebody set the ceiling", MODULE "parameters/zfs_arc_max"),
    ROW("prefetch_disabled", KIND_BOOL, "ZFS reads no file ahead",
        MODULE "parameters/zfs_prefetch_disable"),
    ROW("dirty_data_max", KIND_BYTES, "dirty data at which writers wait",
        MODULE "parameters/zfs_dirty_data_max"),
};

/* "2.1.11-1+deb12u1", "2.3.2-1": what stands before the first '-'. */
static void set_version(struct probe_ctx *ctx, struct span text)
{
    struct span rest = text, number;
    struct version v;
    if (span_split(&rest, '-', &number) && version_parse(number, &v)) {
        probe_known(ctx, "host.zfs.version", value_version(v), MODULE "version");
    } else {
        struct err e = ERR_INIT;
        (void)ktext_bad(&e, MODULE "version", "version");
        probe_unknown(ctx, "host.zfs.version", &e, MODULE "version", "");
    }
}

/* Lines "c_max 4 67430293504": name, type, value. */
static bool arc_figure(struct span text, const char *name, uint64_t *ret)
{
    struct span line, word;
    while (span_line(&text, &line)) {
        if (span_word(&line, &word) && span_eq_text(word, name) && span_word(&line, &word) &&
            parse_u64(span_trim(line), ret)) {
            return true;
        }
    }
    return false;
}

static void set_arc(struct probe_ctx *ctx)
{
    static const char *const figures[][2] = {{"host.zfs.arc_max", "c_max"},
                                             {"host.zfs.arc_size", "size"},
                                             {"host.zfs.l2_header_bytes", "l2_hdr_size"},
                                             {"host.zfs.l2_size", "l2_size"},
                                             {"host.zfs.l2_allocated", "l2_asize"}};
    struct err e = ERR_INIT;
    struct span text = {"", 0};
    const bool read = ktext_read(ctx->host, ARCSTATS, 0, &text, &e);
    for (size_t i = 0; i < ARRAY_LEN(figures); i++) {
        uint64_t bytes = 0;
        if (read && arc_figure(text, figures[i][1], &bytes)) {
            probe_known(ctx, figures[i][0], value_u64(KIND_BYTES, bytes), ARCSTATS);
            continue;
        }
        if (read) {
            (void)ktext_bad(&e, ARCSTATS, figures[i][1]);
        }
        probe_unknown(ctx, figures[i][0], &e, ARCSTATS, "");
    }
}

static void set_parameter(struct probe_ctx *ctx, const char *fact, enum kind kind, const char *path)
{
    struct err e = ERR_INIT;
    uint64_t n = 0;
    if (!ktext_u64(ctx->host, path, &n, &e)) {
        probe_unknown(ctx, fact, &e, path, "");
    } else {
        probe_known(ctx, fact, kind == KIND_BOOL ? value_bool(n != 0) : value_u64(kind, n), path);
    }
}

void proc_zfs_run(struct probe_ctx *ctx)
{
    struct err e = ERR_INIT, none = ERR_INIT;
    struct span version;
    err_set(&none, E_NOT_SUPPORTED, "ZFS is not loaded");
    if (!ktext_read(ctx->host, MODULE "version", 0, &version, &e)) {
        for (size_t i = 0; i < ARRAY_LEN(proc_zfs_decls); i++) {
            probe_unknown(ctx, proc_zfs_decls[i].name, e.code == E_ABSENT ? &none : &e,
                          MODULE "version", "");
        }
        return;
    }
    set_version(ctx, version);
    set_arc(ctx);
    set_parameter(ctx, "host.zfs.arc_max_set", KIND_BOOL, MODULE "parameters/zfs_arc_max");
    set_parameter(ctx, "host.zfs.prefetch_disabled", KIND_BOOL,
                  MODULE "parameters/zfs_prefetch_disable");
    set_parameter(ctx, "host.zfs.dirty_data_max", KIND_BYTES,
                  MODULE "parameters/zfs_dirty_data_max");
}
