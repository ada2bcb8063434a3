/* Volume, theme space: size, free space, blocks, and whether direct I/O is possible. */
#include "probes/volume.h"

#include <string.h>

#include "probes/setters.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

const struct fact_decl volume_space_decls[VOLUME_SPACE_DECLS] = {
    {"volume.fs.size_bytes", KIND_BYTES, NULL, SUBJECT_VOLUME, FOLD_MIN, NEED_NONE,
     "size of the filesystem", "statfs", ""},
    {"volume.fs.free_bytes", KIND_BYTES, NULL, SUBJECT_VOLUME, FOLD_MIN, NEED_NONE,
     "space available to the server's user", "statfs", ""},
    {"volume.fs.used_ratio", KIND_RATIO, NULL, SUBJECT_VOLUME, FOLD_MAX, NEED_NONE,
     "used part of the filesystem", "statfs", ""},
    {"volume.fs.inodes_used_ratio", KIND_RATIO, NULL, SUBJECT_VOLUME, FOLD_MAX, NEED_NONE,
     "used part of the inodes", "statfs", ""},
    {"volume.fs.block_size", KIND_BYTES, NULL, SUBJECT_VOLUME, FOLD_MAX, NEED_NONE,
     "allocation block", "statfs", ""},
    {"volume.fs.o_direct", KIND_BOOL, NULL, SUBJECT_VOLUME, FOLD_ALL, NEED_NONE,
     "a file here can be opened for direct I/O", "statx of a file of the server", "datadir access"},
    {"volume.fs.dio_align", KIND_BYTES, NULL, SUBJECT_VOLUME, FOLD_MAX, NEED_NONE,
     "alignment that direct I/O asks for; 0 = none possible", "statx of a file of the server",
     "datadir access"},
    {"volume.fs.atomic_write_max", KIND_BYTES, NULL, SUBJECT_VOLUME, FOLD_MIN, NEED_NONE,
     "largest write that the filesystem can make untorn when it is asked to; 0 = none",
     "statx of a file of the server", "datadir access; Linux 6.11"},
};

static void set_product(struct volume *v, const char *name, uint64_t blocks)
{
    struct num n;
    if (num_mul(num_u64(blocks), num_u64(v->fs.block_size), &n) == NUM_OK) {
        set_num(v->ctx, name, KIND_BYTES, n, "statfs");
    }
}

static void set_statfs(struct volume *v)
{
    const struct host_statfs *f = &v->fs;
    if (f->blocks == 0 || f->free_blocks > f->blocks) {
        static const char none[] = "the filesystem reports no size";
        set_unknown(v->ctx, "volume.fs.size_bytes", FACT_ABSENT, "statfs", "", none);
        set_unknown(v->ctx, "volume.fs.free_bytes", FACT_ABSENT, "statfs", "", none);
        set_unknown(v->ctx, "volume.fs.used_ratio", FACT_ABSENT, "statfs", "", none);
    } else {
        set_product(v, "volume.fs.size_bytes", f->blocks);
        set_product(v, "volume.fs.free_bytes", f->available_blocks);
        set_ratio(v->ctx, "volume.fs.used_ratio", KIND_RATIO, f->blocks - f->free_blocks,
                  f->blocks, "statfs");
    }
    if (f->files == 0 || f->free_files > f->files) {
        set_unknown(v->ctx, "volume.fs.inodes_used_ratio", FACT_NOT_SUPPORTED, "statfs", "",
                    "this filesystem has no fixed number of inodes");
    } else {
        set_ratio(v->ctx, "volume.fs.inodes_used_ratio", KIND_RATIO, f->files - f->free_files,
                  f->files, "statfs");
    }
    bool zfs = v->fs_type != NULL && strcmp(v->fs_type, "zfs") == 0;
    if (zfs || f->block_size == 0) {
        set_unknown(v->ctx, "volume.fs.block_size", FACT_ABSENT, "statfs", "zfs get recordsize",
                    "what files are written in is a property of the dataset");
    } else if (v->cluster_bytes > 0) {
        set_u64(v->ctx, "volume.fs.block_size", KIND_BYTES, v->cluster_bytes, "superblock");
    } else {
        set_u64(v->ctx, "volume.fs.block_size", KIND_BYTES, f->block_size, "statfs");
    }
}

/* Regular files that a server keeps open in one of its directories; then the first few of any name.
 * The kernel reports alignment of files only, not of directories. */
static bool find_file(struct volume *v, struct host_stat *ret, const char **ret_path)
{
    static const char *const usual[] = {"ibdata1", "ib_logfile0", "mysql.ibd", "undo_001"};
    struct err e = ERR_INIT;
    struct host_names names;
    const char *slash = v->path[strlen(v->path) - 1] == '/' ? "" : "/";
    for (size_t i = 0; i < ARRAY_LEN(usual); i++) {
        const char *path = arena_printf(v->ctx->arena, "%s%s%s", v->path, slash, usual[i]);
        if (host_stat(v->ctx->host, path, ret, &e) && (ret->mode & 0170000) == 0100000) {
            *ret_path = path;
            return true;
        }
    }
    if (!host_list(v->ctx->host, v->path, &names, &e)) {
        return false;
    }
    for (size_t i = 0; i < names.n && i < 16; i++) {
        if (!sysfs_name_ok(names.names[i])) {
            continue;
        }
        const char *path =
            arena_printf(v->ctx->arena, "%s%s%.*s", v->path, slash, SPAN_ARG(names.names[i]));
        if (host_stat(v->ctx->host, path, ret, &e) && (ret->mode & 0170000) == 0100000 &&
            ret->dev_major == v->st.dev_major && ret->dev_minor == v->st.dev_minor) {
            *ret_path = path;
            return true;
        }
    }
    return false;
}

/* A kernel or filesystem that does not tell is not one that has none. */
static void set_atomic(struct volume *v, bool found, const struct host_stat *st, const char *path)
{
    static const char fact[] = "volume.fs.atomic_write_max";
    if (!found) {
        set_unknown(v->ctx, fact, FACT_ABSENT, "statx", "",
                    "no file of the server was found to ask about");
    } else if (st->has_atomic) {
        set_u64(v->ctx, fact, KIND_BYTES, st->atomic_max,
                arena_printf(v->ctx->arena, "statx of %s", path));
    } else {
        set_unknown(v->ctx, fact, FACT_NOT_SUPPORTED, "statx", "",
                    "neither this kernel nor this filesystem tells of atomic writes");
    }
}

static void set_direct(struct volume *v)
{
    struct host_stat st = {0};
    const char *path = NULL;
    const char *why = "the kernel does not report the alignment of direct I/O here";
    enum fact_state state = FACT_ABSENT;
    const bool found = find_file(v, &st, &path);
    set_atomic(v, found, &st, path);
    if (!found) {
        why = "no file of the server was found to ask about";
        path = v->path;
    } else if (st.has_dio) {
        const char *source = arena_printf(v->ctx->arena, "statx of %s", path);
        uint64_t align = st.dio_mem_align == 0 ? 0 : st.dio_offset_align;
        set_bool(v->ctx, "volume.fs.o_direct", align != 0, source);
        set_u64(v->ctx, "volume.fs.dio_align", KIND_BYTES, align, source);
        return;
    }
    set_unknown(v->ctx, "volume.fs.dio_align", state, "statx", "", why);
    struct err e = ERR_INIT;
    bool direct = false;
    if (found && host_direct(v->ctx->host, path, &direct, &e)) {
        set_bool(v->ctx, "volume.fs.o_direct", direct,
                 arena_printf(v->ctx->arena, "%s opened for direct I/O", path));
    } else if (found) {
        set_err(v->ctx, "volume.fs.o_direct", &e, "open");
    } else {
        set_unknown(v->ctx, "volume.fs.o_direct", state, "statx", "", why);
    }
}

void volume_read_space(struct volume *v)
{
    if (v->has_statfs) {
        set_statfs(v);
    }
    set_direct(v);
}
