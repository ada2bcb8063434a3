/* Volume, theme data: how much the server's tables hold, from the files of its data directory. */
#include "probes/volume.h"

#include <string.h>

#include "probes/setters.h"

#include "advisor/base/banned.h"

const struct fact_decl volume_data_decls[VOLUME_DATA_DECLS] = {
    {"server.data.bytes", KIND_BYTES, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "allocated bytes of the .ibd files, else an upper bound: the source says which",
     "walk of the data directory, statfs", "datadir access"},
    {"server.data.table_count", KIND_COUNT, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "number of .ibd files", "walk of the data directory", "datadir access"},
};

/* No tablespace is outside of the used space of the volume, as long as it is on this volume. */
static void set_bound(struct volume *v, const struct subject *server, const char *why)
{
    struct num n;
    const struct host_statfs *f = &v->fs;
    if (!v->has_statfs || f->blocks == 0 || f->free_blocks > f->blocks ||
        num_mul(num_u64(f->blocks - f->free_blocks), num_u64(f->block_size), &n) != NUM_OK) {
        store_unknown(v->ctx->store, server, "server.data.bytes", FACT_ABSENT, "statfs", "", "%s",
                      why);
        return;
    }
    const char *source =
        arena_printf(v->ctx->arena, "statfs: used space of the volume, an upper bound (%s)", why);
    store_known(v->ctx->store, server, "server.data.bytes", value_num(KIND_BYTES, n), source);
}

/* A record of ZFS is what the largest file was written in: smaller files have one record of their own size. */
static void set_record(struct volume *v, const struct host_size *size, const struct err *e)
{
    static const char name[] = "volume.zfs.file_block_size";
    static const char source[] = "st_blksize of the largest .ibd file";
    if (v->fs_type == NULL || strcmp(v->fs_type, "zfs") != 0) {
        return;
    }
    if (size == NULL) {
        set_err(v->ctx, name, e, source);
    } else if (size->largest_block > 0) {
        set_u64(v->ctx, name, KIND_BYTES, size->largest_block, source);
    } else {
        set_unknown(v->ctx, name, FACT_ABSENT, source, "", "there is no .ibd file to look at");
    }
}

void volume_read_data(struct volume *v)
{
    struct probe_ctx *ctx = v->ctx;
    if ((ctx->args->roles & ROLE_DATA) == 0 || ctx->args->server == NULL) {
        return;
    }
    const struct subject *server = store_subject(ctx->store, SUBJECT_SERVER, ctx->args->server);
    struct host_size size;
    struct err e = ERR_INIT;
    if (!host_size(ctx->host, v->path, ".ibd", &size, &e)) {
        set_record(v, NULL, &e);
        /* Out of reach is not too many: the bound would judge what was not looked at. */
        static const char *const names[] = {"server.data.bytes", "server.data.table_count"};
        for (size_t i = 0; i < ARRAY_LEN(names); i++) {
            store_unknown(ctx->store, server, names[i], fact_state_from_err(e.code),
                          "walk of the data directory",
                          e.code == E_DENIED ? "Run as root." : e.hint, "%s", e.text);
        }
        return;
    }
    set_record(v, &size, &e);
    if (!size.complete) {
        set_bound(v, server, "too many files");
        store_unknown(ctx->store, server, "server.data.table_count", FACT_ABSENT,
                      "walk of the data directory", "", "more files than the walk counts (%llu)",
                      (unsigned long long)size.files);
        return;
    }
    store_known(ctx->store, server, "server.data.bytes",
                value_u64(KIND_BYTES, size.bytes_allocated), "walk of the .ibd files");
    store_known(ctx->store, server, "server.data.table_count", value_u64(KIND_COUNT, size.files),
                "walk of the .ibd files");
}
