/* The volume probe: one path of a server, from its name to the disks below. This file orders the steps;
 * the themes are volume_*.c. Reads as the server's user, below the server's root. */
#include "probes/volume.h"

#include "probes/mapper.h"
#include "probes/setters.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

/* From open to run. */
struct volume_root {
    bool opened;
    struct err err;
    const struct mapper_texts *mapper;
    bool super_open; /* the device of the ext4 that the path is on */
    struct err super_err;
};

#define POOL_TABLES 3u /* the first ones: of a volume on a pool of ZFS the pool's job fills them */

static const struct decl_rows tables[] = {
    {volume_dataset_decls, VOLUME_DATASET_DECLS}, {volume_zpool_decls, VOLUME_ZPOOL_DECLS},
    {volume_chain_decls, VOLUME_CHAIN_DECLS}, {volume_zfs_decls, VOLUME_ZFS_DECLS},
    {volume_mount_decls, VOLUME_MOUNT_DECLS}, {volume_option_decls, VOLUME_OPTION_DECLS},
    {volume_space_decls, VOLUME_SPACE_DECLS}, {volume_frag_decls, VOLUME_FRAG_DECLS},
    {volume_fstab_decls, VOLUME_FSTAB_DECLS}, {volume_xfs_decls, VOLUME_XFS_DECLS},
    {volume_ext4_decls, VOLUME_EXT4_DECLS}, {volume_btrfs_decls, VOLUME_BTRFS_DECLS},
    {volume_data_decls, VOLUME_DATA_DECLS},
};

/* From table `from` on. The last one speaks of the server: only its data volume may, or another one would undo
 * what that found. */
static void rest_unknown(struct probe_ctx *ctx, size_t from, const struct err *e, const char *source)
{
    const bool data = (ctx->args->roles & ROLE_DATA) != 0 && !ctx->args->elsewhere;
    set_rest(ctx, tables + from, ARRAY_LEN(tables) - from - !data, fact_state_from_err(e->code),
             source, e->hint, e->text);
}

static bool volume_open(struct probe_ctx *ctx)
{
    struct volume_root *root = arena_calloc(ctx->arena, 1, sizeof(*root));
    ctx->priv = root;
    root->mapper = mapper_fetch(ctx);
    if (ctx->args->pid != 0) {
        struct span note;
        const char *what = arena_printf(ctx->arena, "root %llu",
                                        (unsigned long long)ctx->args->pid);
        root->opened = host_open(ctx->host, what, &note, &root->err);
    }
    if (ctx->args->path != NULL && ctx->args->path[0] == '/') {
        struct span none;
        const char *what = arena_printf(ctx->arena, "super %s", ctx->args->path);
        root->super_open = host_open(ctx->host, what, &none, &root->super_err);
    }
    return true;
}

/* The mount that `path` lies on by one table; NULL with the error. */
static const struct mount *mount_in(struct volume *v, const char *file, struct err *reterr)
{
    struct span text;
    struct mountinfo mi;
    if (!host_read(v->ctx->host, file, HOST_PROC_MAX, &text, reterr)) {
        return NULL;
    }
    mountinfo_parse(v->ctx->arena, text, &mi);
    const struct mount *m = mountinfo_by_path(&mi, span_of(v->path));
    if (m == NULL) {
        err_set(reterr, E_ABSENT, "'%s' shows no mount for '%s'", file, v->path);
    }
    return m;
}

/* Without the server's root opened we look through our own: right only when both see the same
 * filesystem and directory there. */
static bool same_view(struct volume *v, struct err *reterr)
{
    struct probe_ctx *ctx = v->ctx;
    if (ctx->args->pid == 0 || v->root_open) {
        return true;
    }
    const char *file = arena_printf(ctx->arena, "/proc/%llu/mountinfo",
                                    (unsigned long long)ctx->args->pid);
    const struct mount *theirs = mount_in(v, file, reterr);
    const struct mount *ours =
        theirs != NULL ? mount_in(v, "/proc/self/mountinfo", reterr) : NULL;
    if (ours == NULL) {
        return false;
    }
    if (theirs->major != ours->major || theirs->minor != ours->minor ||
        !span_eq(theirs->root, ours->root)) {
        err_set(reterr, E_DENIED, "'%s': the server sees another filesystem there than this user",
                v->path);
        return err_hint(reterr, "run as root");
    }
    return true;
}

static bool find_path(struct volume *v, struct err *reterr)
{
    struct probe_ctx *ctx = v->ctx;
    const char *real = NULL;
    if (!host_real_path(ctx->host, ctx->args->path, &real, reterr)) {
        return false;
    }
    v->path = arena_strdup(ctx->arena, real);
    if (!host_stat(ctx->host, v->path, &v->st, reterr)) {
        return false;
    }
    return same_view(v, reterr);
}

static void volume_run(struct probe_ctx *ctx)
{
    const struct volume_root *root = ctx->priv;
    struct volume v = {.ctx = ctx,
                       .root_open = root != NULL && root->opened,
                       .super_open = root != NULL && root->super_open,
                       .dm = mapper_parse(ctx, root == NULL ? NULL : root->mapper)};
    struct err e = ERR_INIT;
    const struct value roles = value_roles(ctx->arena, ctx->args->roles);
    set_words(ctx, "volume.role", KIND_SET, roles.items, roles.n_items, "variables of the server");
    if (ctx->args->path == NULL || ctx->args->path[0] != '/') {
        err_set(&e, E_ABSENT, "the server did not tell the path");
        rest_unknown(ctx, 0, &e, "variables of the server");
        return;
    }
    v.super_err = root->super_err;
    v.device_err = ERR_INIT;
    v.device = (struct span){"", 0};
    if (!find_path(&v, &e)) {
        if (e.code == E_DENIED && e.hint[0] == '\0') {
            err_hint(&e, "run as root");
        }
        rest_unknown(ctx, 0, &e, "statx");
        return;
    }
    ctx->subject->identity = lasting(
        ctx, arena_printf(ctx->arena, "%u:%u inode %llu", v.st.dev_major, v.st.dev_minor,
                          (unsigned long long)v.st.inode));
    set_text(ctx, "volume.path", span_of(v.path), "statx");
    v.has_statfs = host_statfs(ctx->host, v.path, &v.fs, &e);
    volume_read_mount(&v);
    volume_read_frag(&v);
    volume_read_fstab(&v);
    volume_read_options(&v);
    volume_read_xfs(&v);
    volume_read_ext4(&v);
    volume_read_space(&v);
    volume_read_zfs(&v);
    volume_read_btrfs(&v);
    volume_read_chain(&v);
    volume_read_elsewhere(&v);
    if (!ctx->args->elsewhere) {
        volume_read_data(&v);
    }
    struct err none = ERR_INIT;
    err_set(&none, E_ABSENT, "nothing on this host tells");
    rest_unknown(ctx, v.pool_name != NULL ? POOL_TABLES : 0, &none, "volume probe");
}

const struct probe probe_volume = {
    .name = "volume",
    .doc = "a path of a server: its filesystem, and the chain of devices below",
    .identity = IDENTITY_SERVER,
    .themes = tables,
    .n_themes = ARRAY_LEN(tables),
    .open = volume_open,
    .run = volume_run,
};
