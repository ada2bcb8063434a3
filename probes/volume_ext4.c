/* Volume, theme ext4: what its superblock tells, and whether the kernel still initialises it. The block
 * device was opened before privileges went. */
#include "probes/volume.h"

#include "probes/ext_super.h"
#include "probes/ktext.h"
#include "probes/setters.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

#define SOURCE "superblock"
#define JOURNALS "/proc/fs/jbd2"
#define MOUNTED "/proc/fs/ext4"
#define LAZY "volume.fs.lazy_init"
#define EXTERNAL "volume.ext4.external_journal"
#define MOUNTS_MAX 64u

const struct fact_decl volume_ext4_decls[VOLUME_EXT4_DECLS] = {
    {"volume.ext4.journal_bytes", KIND_BYTES, NULL, SUBJECT_VOLUME, FOLD_MIN, NEED_ROOT,
     "size of the journal of ext4", SOURCE, "root"},
    {EXTERNAL, KIND_BOOL, NULL, SUBJECT_VOLUME, FOLD_ANY, NEED_NONE,
     "the journal of ext4 lies on another device", SOURCE ", " JOURNALS, ""},
    {"volume.ext4.cluster_bytes", KIND_BYTES, NULL, SUBJECT_VOLUME, FOLD_MAX, NEED_ROOT,
     "what ext4 allocates at once: a cluster of bigalloc, else a block", SOURCE, "root"},
    {"volume.ext4.reserved_ratio", KIND_RATIO, NULL, SUBJECT_VOLUME, FOLD_MAX, NEED_ROOT,
     "blocks of ext4 that are kept for root", SOURCE, "root"},
    {LAZY, KIND_BOOL, NULL, SUBJECT_VOLUME, FOLD_ANY, NEED_NONE,
     "ext4 still initialises its inode tables in the background", MOUNTED ", /proc/PID/comm", ""},
};

static const struct decl_rows table = {volume_ext4_decls, VOLUME_EXT4_DECLS};

static bool is_ext(const struct volume *v)
{
    return volume_is(v, "ext4") || volume_is(v, "ext3");
}

/* ---- superblock ------------------------------------------------------------------------------ */

static void set_super(struct volume *v, const struct ext_super *s)
{
    static const char journal[] = "volume.ext4.journal_bytes";
    v->cluster_bytes = s->cluster_bytes > s->block_bytes ? s->cluster_bytes : 0;
    set_u64(v->ctx, "volume.ext4.cluster_bytes", KIND_BYTES, s->cluster_bytes, SOURCE);
    set_ratio(v->ctx, "volume.ext4.reserved_ratio", KIND_RATIO, s->reserved, s->blocks, SOURCE);
    if (!s->journal) {
        set_unknown(v->ctx, journal, FACT_NOT_SUPPORTED, SOURCE, "", "this filesystem has no journal");
        set_unknown(v->ctx, EXTERNAL, FACT_NOT_SUPPORTED, SOURCE, "",
                    "this filesystem has no journal");
        return;
    }
    set_bool(v->ctx, EXTERNAL, s->external, SOURCE);
    if (s->has_journal_bytes) {
        set_u64(v->ctx, journal, KIND_BYTES, s->journal_bytes, SOURCE);
    } else {
        set_unknown(v->ctx, journal, FACT_ABSENT, SOURCE, "dumpe2fs -h",
                    s->external ? "the journal lies on another device"
                                : "the superblock has no copy of the journal's size");
    }
}

/* Without root: a journal of its own is called after the device and the journal's inode, "sda1-8". */
static bool has_own_journal(struct volume *v)
{
    struct host_names names;
    struct err e = ERR_INIT;
    const struct span name = volume_device(v, &e);
    if (name.len == 0 || !host_list(v->ctx->host, JOURNALS, &names, &e)) {
        return false;
    }
    for (size_t i = 0; i < names.n; i++) {
        const struct span one = names.names[i];
        if (one.len > name.len + 1 && span_eq(span_sub(one, 0, name.len), name) &&
            one.ptr[name.len] == '-') {
            return true;
        }
    }
    return false;
}

/* ---- lazy initialisation ---------------------------------------------------------------------- */

/* May the thread have work on this filesystem: writable, and not told to leave it alone? */
static bool ask_for_work(struct volume *v, struct span name, bool *ret, struct err *reterr)
{
    struct span text, line;
    const char *path = arena_printf(v->ctx->arena, MOUNTED "/%.*s/options", SPAN_ARG(name));
    if (!sysfs_name_ok(name)) {
        return err_set(reterr, E_SYNTAX, "'" MOUNTED "' has an entry that is no device");
    }
    if (!ktext_read(v->ctx->host, path, 0, &text, reterr)) {
        return false;
    }
    *ret = true;
    while (span_line(&text, &line)) {
        *ret = *ret && !span_eq_text(line, "ro") && !span_eq_text(line, "noinit_itable");
    }
    return true;
}

struct work {
    bool ours;
    size_t others;
};

static bool find_work(struct volume *v, struct work *ret, struct err *reterr)
{
    struct host_names names;
    const struct span own = volume_device(v, reterr);
    *ret = (struct work){.others = 0};
    if (own.len == 0 || !host_list(v->ctx->host, MOUNTED, &names, reterr)) {
        return false;
    }
    for (size_t i = 0; i < names.n && i < MOUNTS_MAX; i++) {
        bool work = false;
        if (!ask_for_work(v, names.names[i], &work, reterr)) {
            return false;
        }
        const bool is_own = span_eq(names.names[i], own);
        ret->ours = ret->ours || (work && is_own);
        ret->others += work && !is_own;
    }
    ret->others += names.n > MOUNTS_MAX;
    return true;
}

/* One thread serves all filesystems: it is ours where no other can have work. When its work is done it
 * goes at its next turn, which may be minutes away: until then this says a little too much. */
static void set_running(struct volume *v)
{
    struct work work;
    struct err e = ERR_INIT;
    if (!find_work(v, &work, &e)) {
        set_err(v->ctx, LAZY, &e, MOUNTED);
    } else if (!work.ours) {
        set_bool(v->ctx, LAZY, false, MOUNTED "/*/options");
    } else if (work.others == 0) {
        set_bool(v->ctx, LAZY, true, MOUNTED ", ext4lazyinit");
    } else {
        set_unknown(v->ctx, LAZY, FACT_ABSENT, MOUNTED, "",
                    "the kernel initialises one of several ext4 filesystems, and does not say which");
    }
}

static void set_lazy(struct volume *v)
{
    if (v->ctx->args->lazy_init == LAZY_INIT_NO) {
        set_bool(v->ctx, LAZY, false, "/proc/*/comm: no ext4lazyinit");
    } else if (v->ctx->args->lazy_init == LAZY_INIT_YES) {
        set_running(v);
    } else {
        set_unknown(v->ctx, LAZY, FACT_NOT_PERMITTED, "/proc/*/comm", "Run as root on the host itself.",
                    "threads of the kernel are not seen from here");
    }
}

void volume_read_ext4(struct volume *v)
{
    struct ext_super s;
    struct span raw;
    struct err e = v->fs_type == NULL ? v->mount_err : v->super_err;
    if (v->fs_type != NULL && !is_ext(v)) {
        err_set(&e, E_NOT_SUPPORTED, "only ext4 has this, and this filesystem is %s", v->fs_type);
    } else if (v->fs_type != NULL) {
        set_lazy(v);
        if (v->super_open && host_super(v->ctx->host, &raw, &e) && ext_super_read(raw, &s, &e)) {
            set_super(v, &s);
        } else if (has_own_journal(v)) {
            set_bool(v->ctx, EXTERNAL, false, JOURNALS);
        }
    }
    set_rest(v->ctx, &table, 1, fact_state_from_err(e.code), SOURCE,
             e.code == E_DENIED ? "Run as root." : e.hint, e.text);
}
