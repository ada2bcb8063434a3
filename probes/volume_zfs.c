/* Volume, theme ZFS: which dataset of which pool the path lies on. The rest is found once a pool: pool.c. */
#include "probes/volume.h"

#include <string.h>

#include "probes/setters.h"

#include "advisor/base/banned.h"

#define ROW(name, kind, meaning, from, need)                                                       \
    {                                                                                              \
        "volume.zfs." name, kind, NULL, SUBJECT_VOLUME, FOLD_SAME, NEED_NONE, meaning, from, need  \
    }

const struct fact_decl volume_zfs_decls[VOLUME_ZFS_DECLS] = {
    ROW("pool", KIND_STRING, "pool of ZFS", "/proc/PID/mountinfo", ""),
    ROW("dataset", KIND_STRING, "dataset that holds the files", "/proc/PID/mountinfo", ""),
    ROW("file_block_size", KIND_BYTES,
        "record of the largest data file: what was written, not what is set", "st_blksize",
        "datadir access"),
};

static const struct decl_rows tables[] = {
    {volume_zfs_decls, VOLUME_ZFS_DECLS},
    {volume_dataset_decls, VOLUME_DATASET_DECLS},
    {volume_zpool_decls, VOLUME_ZPOOL_DECLS},
};

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
    v->pool_name = span_dup(v->ctx->arena, pool);
}
