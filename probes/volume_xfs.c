/* Volume, theme XFS: how the filesystem was made, from the kernel's own geometry. */
#include "probes/volume.h"

#include "probes/setters.h"

#include "advisor/base/banned.h"

#define SOURCE "XFS_IOC_FSGEOMETRY"
#define ROW(name, kind, fold, meaning)                                                             \
    {                                                                                              \
        "volume.xfs." name, kind, NULL, SUBJECT_VOLUME, fold, NEED_NONE, meaning, SOURCE,          \
            "datadir access"                                                                       \
    }

const struct fact_decl volume_xfs_decls[VOLUME_XFS_DECLS] = {
    ROW("agcount", KIND_COUNT, FOLD_MIN, "allocation groups of XFS"),
    ROW("log_bytes", KIND_BYTES, FOLD_MIN, "size of the log of XFS"),
    ROW("sunit", KIND_BYTES, FOLD_SAME, "stripe unit that XFS aligns to; 0 = none"),
    ROW("swidth", KIND_BYTES, FOLD_SAME, "stripe width that XFS aligns to; 0 = none"),
    ROW("sector_size", KIND_BYTES, FOLD_MAX, "sector size that XFS was made for"),
    ROW("reflink", KIND_BOOL, FOLD_ANY, "files of XFS can share blocks"),
};

static void set_blocks(struct volume *v, const char *name, uint64_t blocks, uint64_t block_size)
{
    struct num n;
    if (num_mul(num_u64(blocks), num_u64(block_size), &n) == NUM_OK) {
        set_num(v->ctx, name, KIND_BYTES, n, SOURCE);
    }
}

void volume_read_xfs(struct volume *v)
{
    const struct decl_rows table = {volume_xfs_decls, VOLUME_XFS_DECLS};
    struct host_xfs x;
    struct err e = ERR_INIT;
    if (v->fs_type == NULL) {
        e = v->mount_err;
    } else if (!volume_is(v, "xfs")) {
        err_set(&e, E_NOT_SUPPORTED, "only XFS has this, and this filesystem is %s", v->fs_type);
    } else if (host_xfs(v->ctx->host, v->path, &x, &e)) {
        set_u64(v->ctx, "volume.xfs.agcount", KIND_COUNT, x.ag_count, SOURCE);
        set_u64(v->ctx, "volume.xfs.sector_size", KIND_BYTES, x.sector_size, SOURCE);
        set_bool(v->ctx, "volume.xfs.reflink", (x.flags & HOST_XFS_REFLINK) != 0, SOURCE);
        set_blocks(v, "volume.xfs.log_bytes", x.log_blocks, x.block_size);
        set_blocks(v, "volume.xfs.sunit", x.sunit, x.block_size);
        set_blocks(v, "volume.xfs.swidth", x.swidth, x.block_size);
        return;
    }
    set_rest(v->ctx, &table, 1, fact_state_from_err(e.code), SOURCE, e.hint, e.text);
}
