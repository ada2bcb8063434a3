/* Volume, theme options: what the mount options mean for the filesystem at hand. An option that is not
 * there means its default only where the filesystem shows every deviation from it; ext4's own file
 * shows the defaults too and is preferred. */
#include "probes/volume.h"

#include <string.h>

#include "advisor/base/parse.h"
#include "probes/setters.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

const struct fact_decl volume_option_decls[VOLUME_OPTION_DECLS] = {
    {"volume.fs.atime", KIND_ENUM, "noatime,relatime,strictatime,lazytime", SUBJECT_VOLUME,
     FOLD_SAME, NEED_NONE, "how access times are kept", "/proc/PID/mountinfo", ""},
    {"volume.fs.discard_mount", KIND_BOOL, NULL, SUBJECT_VOLUME, FOLD_ANY, NEED_NONE,
     "mounted with online discard", "/proc/PID/mountinfo", ""},
    {"volume.fs.barrier", KIND_BOOL, NULL, SUBJECT_VOLUME, FOLD_ALL, NEED_NONE,
     "the journal flushes the device's cache", "/proc/fs/ext4/DEV/options, mountinfo", ""},
    {"volume.fs.copy_on_write", KIND_BOOL, NULL, SUBJECT_VOLUME, FOLD_ANY, NEED_NONE,
     "hot files are written out of place", "filesystem type and options", ""},
    {"volume.fs.compression", KIND_ENUM, "none,lz4,zstd,gzip,zlib,lzo,lzjb,zle,other",
     SUBJECT_VOLUME, FOLD_SAME, NEED_NONE, "compression in force for the data files",
     "filesystem type and options", ""},
    {"volume.xfs.logbsize", KIND_BYTES, NULL, SUBJECT_VOLUME, FOLD_MIN, NEED_NONE,
     "size of XFS's log buffers", "/proc/PID/mountinfo", ""},
    {"volume.ext4.data_mode", KIND_ENUM, "ordered,writeback,journal", SUBJECT_VOLUME, FOLD_SAME,
     NEED_NONE, "what ext4 journals of data", "/proc/fs/ext4/DEV/options, mountinfo", ""},
    {"volume.ext4.dioread_nolock", KIND_BOOL, NULL, SUBJECT_VOLUME, FOLD_ALL, NEED_NONE,
     "ext4 reads directly without the inode's lock", "/proc/fs/ext4/DEV/options", ""},
    {"volume.ext4.errors", KIND_ENUM, "remount-ro,continue,panic", SUBJECT_VOLUME, FOLD_SAME,
     NEED_NONE, "what ext4 does on an error", "/proc/fs/ext4/DEV/options, mountinfo", ""},
};

bool volume_is(const struct volume *v, const char *word)
{
    return v->fs_type != NULL && strcmp(v->fs_type, word) == 0;
}

static bool is_ext(const struct volume *v)
{
    return volume_is(v, "ext4") || volume_is(v, "ext3");
}

/* Facts of another filesystem: there is no such thing here. */
static void not_for(struct volume *v, const char *name, const char *fs)
{
    struct err e = ERR_INIT;
    if (v->fs_type == NULL) {
        set_err(v->ctx, name, &v->mount_err, "mountinfo");
        return;
    }
    err_set(&e, E_NOT_SUPPORTED, "only %s has this, and this filesystem is %s", fs, v->fs_type);
    set_err(v->ctx, name, &e, v->fs_source);
}

static bool has(const struct volume *v, const char *word)
{
    return mount_option(v->mount->options, word, NULL) || mount_option(v->mount->super, word, NULL);
}

static void set_atime(struct volume *v)
{
    const char *word = "strictatime";
    if (has(v, "noatime")) {
        word = "noatime";
    } else if (has(v, "lazytime")) {
        word = "lazytime";
    } else if (has(v, "relatime")) {
        word = "relatime";
    }
    set_enum(v->ctx, "volume.fs.atime", word, v->mount_source);
}

static void set_discard(struct volume *v)
{
    if (is_ext(v)) {
        return; /* set_ext4 does it */
    }
    if (volume_is(v, "ext2") || volume_is(v, "xfs") || volume_is(v, "btrfs") || volume_is(v, "f2fs") ||
        volume_is(v, "vfat") || volume_is(v, "ntfs")) {
        bool on = mount_option(v->mount->super, "discard", NULL);
        set_bool(v->ctx, "volume.fs.discard_mount", on, v->mount_source);
        return;
    }
    not_for(v, "volume.fs.discard_mount", "a filesystem on a block device of its own");
}

struct span volume_device(struct volume *v, struct err *reterr)
{
    if (v->device.len == 0 && v->device_err.code == E_NONE) {
        struct span target;
        const char *node = arena_printf(v->ctx->arena, "/sys/dev/block/%u:%u", v->st.dev_major,
                                        v->st.dev_minor);
        if (host_link(v->ctx->host, node, &target, &v->device_err)) {
            v->device = span_copy(v->ctx->arena, path_base(target));
        }
        if (v->device_err.code == E_NONE && !sysfs_name_ok(v->device)) {
            v->device = (struct span){"", 0};
            err_set(&v->device_err, E_SYNTAX, "'%s' leads to no device", node);
        }
    }
    if (v->device.len == 0) {
        *reterr = v->device_err;
    }
    return v->device;
}

/* Options as /proc/fs/ext4/DEV/options lists them, one a line; false when it cannot be read. */
static bool read_ext4_file(struct volume *v, struct span *ret, const char **ret_source)
{
    struct err e = ERR_INIT;
    struct span text;
    const struct span name = volume_device(v, &e);
    const char *file = arena_printf(v->ctx->arena, "/proc/fs/ext4/%.*s/options", SPAN_ARG(name));
    if (name.len == 0 || !sysfs_whole(v->ctx->host, v->ctx->arena, file, &text, &e)) {
        return false;
    }
    char *list = span_dup(v->ctx->arena, text);
    for (size_t i = 0; i < text.len; i++) {
        list[i] = list[i] == '\n' ? ',' : list[i];
    }
    *ret = (struct span){list, text.len};
    *ret_source = file;
    return text.len > 0;
}

/* Without that file an option that mountinfo does not show is the superblock's default, whatever it is. */
static void set_hidden(struct volume *v, const char *name, const char *source)
{
    set_unknown(v->ctx, name, FACT_ABSENT, source, "",
                "the default stands in the superblock, and /proc/fs/ext4 cannot be read");
}

static void set_ext4(struct volume *v)
{
    struct span options = v->mount->super, value = {"", 0};
    const char *source = v->mount_source;
    bool whole = read_ext4_file(v, &options, &source);
    bool off = mount_option(options, "nobarrier", NULL) ||
               (mount_option(options, "barrier", &value) && span_eq_text(value, "0"));
    if (whole || off || mount_option(options, "barrier", NULL)) {
        set_bool(v->ctx, "volume.fs.barrier", !off, source);
    } else {
        set_hidden(v, "volume.fs.barrier", source);
    }
    if (whole || mount_option(options, "discard", NULL)) {
        set_bool(v->ctx, "volume.fs.discard_mount", mount_option(options, "discard", NULL), source);
    } else {
        set_hidden(v, "volume.fs.discard_mount", source);
    }
    if (mount_option(options, "data", &value)) {
        set_enum_text(v->ctx, "volume.ext4.data_mode", "ordered,writeback,journal", value, source);
    } else if (whole) {
        set_unknown(v->ctx, "volume.ext4.data_mode", FACT_NOT_SUPPORTED, source, "",
                    "this filesystem has no journal");
    } else {
        set_hidden(v, "volume.ext4.data_mode", source);
    }
    if (whole) {
        set_bool(v->ctx, "volume.ext4.dioread_nolock", mount_option(options, "dioread_nolock", NULL),
                 source);
    } else {
        set_hidden(v, "volume.ext4.dioread_nolock", source);
    }
    value = (struct span){"", 0};
    if (mount_option(options, "errors", &value)) {
        set_enum_text(v->ctx, "volume.ext4.errors", "remount-ro,continue,panic", value, source);
    } else {
        set_hidden(v, "volume.ext4.errors", source);
    }
}

static void set_barrier(struct volume *v)
{
    if (volume_is(v, "xfs") || volume_is(v, "btrfs") || volume_is(v, "f2fs")) {
        set_bool(v->ctx, "volume.fs.barrier", !has(v, "nobarrier"), v->mount_source);
        return;
    }
    not_for(v, "volume.fs.barrier", "a journal on a block device");
}

/* logbsize=32k; XFS always shows it. */
static void set_xfs(struct volume *v)
{
    struct span value;
    uint64_t kib = 0;
    bool k = mount_option(v->mount->super, "logbsize", &value) && span_ends(value, "k");
    if (k && parse_u64(span_sub(value, 0, value.len - 1), &kib) && kib <= 1024 * 1024) {
        set_u64(v->ctx, "volume.xfs.logbsize", KIND_BYTES, kib * 1024, v->mount_source);
    } else {
        set_unknown(v->ctx, "volume.xfs.logbsize", FACT_ABSENT, v->mount_source, "",
                    "mountinfo shows no logbsize");
    }
}

/* "zstd:3", "lzo-rle": the algorithm, or other. */
static void set_algorithm(struct volume *v, struct span value)
{
    static const char *const words[] = {"lz4", "zstd", "gzip", "zlib", "lzo", "none"};
    const char *found = "other";
    struct span word = {"", 0};
    (void)span_split(&value, ':', &word);
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        found = span_starts(word, words[i]) ? words[i] : found;
    }
    set_enum(v->ctx, "volume.fs.compression", found, v->mount_source);
}

/* It shows all options that are not the default, those of its superblock too; the background's
 * compression takes what was written without. */
static void set_bcachefs(struct volume *v)
{
    struct span value;
    set_bool(v->ctx, "volume.fs.copy_on_write", true, v->fs_source);
    if (mount_option(v->mount->super, "compression", &value) ||
        mount_option(v->mount->super, "background_compression", &value)) {
        set_algorithm(v, value);
    } else {
        set_enum(v->ctx, "volume.fs.compression", "none", v->mount_source);
    }
}

/* f2fs shows an algorithm where it can compress at all; whether it does is a flag of each file. */
static void set_f2fs(struct volume *v)
{
    static const char fact[] = "volume.fs.compression";
    const bool files = v->has_extents && v->extents.flagged > 0;
    struct span value;
    set_unknown(v->ctx, "volume.fs.copy_on_write", FACT_ABSENT, "filesystem type", "",
                "f2fs writes in place or not, as it sees fit");
    if (!mount_option(v->mount->super, "compress_algorithm", &value) ||
        (files && v->extents.compressed == 0)) {
        set_enum(v->ctx, fact, "none", v->mount_source);
    } else if (files) {
        set_algorithm(v, value);
    } else {
        set_unknown(v->ctx, fact, FACT_ABSENT, v->mount_source, "lsattr",
                    "the flags of the data files decide, and none was seen");
    }
}

static void set_out_of_place(struct volume *v)
{
    if (volume_is(v, "btrfs")) {
        return; /* volume_read_btrfs does it */
    }
    if (v->mount != NULL && volume_is(v, "bcachefs")) {
        set_bcachefs(v);
        return;
    }
    if (v->mount != NULL && volume_is(v, "f2fs")) {
        set_f2fs(v);
        return;
    }
    if (volume_is(v, "zfs") || volume_is(v, "bcachefs")) {
        set_bool(v->ctx, "volume.fs.copy_on_write", true, v->fs_source);
        set_unknown(v->ctx, "volume.fs.compression", FACT_ABSENT, v->fs_source, "",
                    "a property of the dataset, which is not read");
        return;
    }
    if (is_ext(v) || volume_is(v, "ext2") || volume_is(v, "xfs") || volume_is(v, "tmpfs")) {
        set_bool(v->ctx, "volume.fs.copy_on_write", false, v->fs_source);
        set_enum(v->ctx, "volume.fs.compression", "none", v->fs_source);
        return;
    }
    static const char below[] = "what this filesystem does below is not seen from here";
    set_unknown(v->ctx, "volume.fs.copy_on_write", FACT_ABSENT, "filesystem type", "", below);
    set_unknown(v->ctx, "volume.fs.compression", FACT_ABSENT, "filesystem type", "", below);
}

/* Without a mount there are no options, only a type. */
static void read_without_mount(struct volume *v)
{
    const struct decl_rows table = {volume_option_decls, VOLUME_OPTION_DECLS};
    if (v->fs_type != NULL && !volume_is(v, "btrfs")) {
        set_out_of_place(v);
    }
    set_rest(v->ctx, &table, 1, fact_state_from_err(v->mount_err.code), "mountinfo",
             v->mount_err.hint, v->mount_err.text);
}

void volume_read_options(struct volume *v)
{
    if (v->mount == NULL) {
        read_without_mount(v);
        return;
    }
    set_out_of_place(v);
    set_atime(v);
    set_discard(v);
    if (is_ext(v)) {
        set_ext4(v);
    } else {
        set_barrier(v);
        not_for(v, "volume.ext4.data_mode", "ext4");
        not_for(v, "volume.ext4.dioread_nolock", "ext4");
        not_for(v, "volume.ext4.errors", "ext4");
    }
    if (volume_is(v, "xfs")) {
        set_xfs(v);
    } else {
        not_for(v, "volume.xfs.logbsize", "XFS");
    }
}
