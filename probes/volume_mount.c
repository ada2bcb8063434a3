/* Volume, theme mount: which mount a path lies on, and its filesystem. The mount is found by statx's
 * mount id, else by device, else (only where the device is anonymous) by the longest mount point; where
 * the table does not help, the filesystem's magic number still tells the type. */
#include "probes/volume.h"

#include "probes/setters.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

#define FS_TYPES                                                                                   \
    "xfs,ext4,ext3,ext2,btrfs,zfs,f2fs,bcachefs,overlay,tmpfs,nfs,cifs,9p,virtiofs,fuse,vfat,"     \
    "ntfs,other"

const struct fact_decl volume_mount_decls[VOLUME_MOUNT_DECLS] = {
    {"volume.role", KIND_SET, "data,redo,undo,doublewrite,binlog,relaylog,tmp", SUBJECT_VOLUME,
     FOLD_SAME, NEED_NONE, "roles of this path for its server", "variables that name paths", ""},
    {"volume.path", KIND_STRING, NULL, SUBJECT_VOLUME, FOLD_SAME, NEED_NONE,
     "the path with all symbolic links resolved", "openat2, statx", ""},
    {"volume.mountpoint", KIND_STRING, NULL, SUBJECT_VOLUME, FOLD_SAME, NEED_NONE,
     "mount point as the server sees it", "/proc/PID/mountinfo", ""},
    {"volume.mount_root", KIND_STRING, NULL, SUBJECT_VOLUME, FOLD_SAME, NEED_NONE,
     "directory of the filesystem that is mounted there; other than / with a bind mount or subvolume",
     "/proc/PID/mountinfo", ""},
    {"volume.elsewhere", KIND_LIST, NULL, SUBJECT_VOLUME, FOLD_SAME, NEED_NONE,
     "directories below the path that are symbolic links or mounts and lead to another filesystem",
     "openat2, statx", "datadir access"},
    {"volume.source", KIND_STRING, NULL, SUBJECT_VOLUME, FOLD_SAME, NEED_NONE,
     "what is mounted there", "/proc/PID/mountinfo", ""},
    {"volume.options", KIND_STRING, NULL, SUBJECT_VOLUME, FOLD_SAME, NEED_NONE,
     "mount and filesystem options in force", "/proc/PID/mountinfo", ""},
    {"volume.fs.type", KIND_ENUM, FS_TYPES, SUBJECT_VOLUME, FOLD_SAME, NEED_NONE,
     "kind of filesystem", "/proc/PID/mountinfo, statfs", ""},
};

/* statfs f_type (linux/magic.h and the filesystems' own sources). ext2, ext3 and ext4 share one. */
static const struct {
    uint64_t magic;
    const char *ours;
} magics[] = {
    {0x58465342, "xfs"},      {0x9123683e, "btrfs"},  {0x2fc12fc1, "zfs"},  {0xf2f52010, "f2fs"},
    {0xca451a4e, "bcachefs"}, {0x794c7630, "overlay"}, {0x01021994, "tmpfs"}, {0x6969, "nfs"},
    {0xff534d42, "cifs"},     {0xfe534d42, "cifs"},   {0x01021997, "9p"},   {0x65735546, "fuse"},
    {0x4d44, "vfat"},
};

static const char *word_of_magic(uint64_t magic)
{
    for (size_t i = 0; i < ARRAY_LEN(magics); i++) {
        if (magics[i].magic == magic) {
            return magics[i].ours;
        }
    }
    return NULL;
}

static bool load_table(struct volume *v, const char *file, struct mountinfo *ret)
{
    struct span text;
    struct err e = ERR_INIT;
    if (!host_read(v->ctx->host, file, HOST_PROC_MAX, &text, &e)) {
        if (v->mount_err.code == E_NONE) {
            v->mount_err = e;
        }
        return false;
    }
    mountinfo_parse(v->ctx->arena, text, ret);
    return ret->n > 0;
}

/* Look in one table. Ids, and paths without a device, only mean something in the table of the mount namespace that
 * statx saw. */
static bool find_in(struct volume *v, const char *file, bool ids)
{
    struct mountinfo mi;
    if (!load_table(v, file, &mi)) {
        return false;
    }
    const char *how = "mount id";
    bool exact = true;
    const struct mount *m = ids && v->st.has_mnt_id ? mountinfo_by_id(&mi, v->st.mnt_id) : NULL;
    if (m == NULL && v->st.dev_major != 0) {
        how = "device number";
        m = mountinfo_by_device(&mi, v->st.dev_major, v->st.dev_minor, span_of(v->path), &exact);
    }
    if (m == NULL && v->st.dev_major == 0 && ids) {
        how = "longest mount point";
        m = mountinfo_by_path(&mi, span_of(v->path));
        m = m != NULL && m->major != 0 ? NULL : m;
    }
    if (m == NULL) {
        return false;
    }
    struct mount *copy = arena_alloc(v->ctx->arena, sizeof(*copy));
    *copy = *m;
    v->mount = copy;
    v->mountpoint_known = exact;
    v->mount_source = arena_printf(v->ctx->arena, "%s by %s", file, how);
    return true;
}

static void find_mount(struct volume *v)
{
    const char *theirs = arena_printf(v->ctx->arena, "/proc/%llu/mountinfo",
                                      (unsigned long long)v->ctx->args->pid);
    bool first = v->root_open && v->ctx->args->pid != 0 && find_in(v, theirs, true);
    if (first || find_in(v, "/proc/self/mountinfo", !v->root_open)) {
        return;
    }
    if (v->mount_err.code == E_NONE) {
        err_set(&v->mount_err, E_ABSENT, "'%s': its mount stands in no mountinfo that can be read",
                v->path);
    }
}

static void set_options_text(struct volume *v)
{
    struct buf b;
    buf_init(&b, v->ctx->arena, TEXT_FACT_MAX);
    buf_add_span(&b, v->mount->options);
    if (v->mount->super.len > 0) {
        buf_add_char(&b, ',');
        buf_add_span(&b, v->mount->super);
    }
    set_text(v->ctx, "volume.options", buf_span(&b), v->mount_source);
}

static void set_type(struct volume *v)
{
    if (v->mount != NULL) {
        v->fs_type = mount_fs_word(v->mount->fstype);
        v->fs_source = v->mount_source;
    } else if (v->has_statfs) {
        v->fs_type = word_of_magic(v->fs.type);
        v->fs_source = "statfs";
    }
    if (v->fs_type != NULL) {
        set_enum(v->ctx, "volume.fs.type", v->fs_type, v->fs_source);
    } else {
        set_err(v->ctx, "volume.fs.type", &v->mount_err, "mountinfo, statfs");
    }
}

void volume_read_mount(struct volume *v)
{
    find_mount(v);
    set_type(v);
    if (v->mount == NULL) {
        set_err(v->ctx, "volume.mountpoint", &v->mount_err, "mountinfo");
        set_err(v->ctx, "volume.mount_root", &v->mount_err, "mountinfo");
        set_err(v->ctx, "volume.source", &v->mount_err, "mountinfo");
        set_err(v->ctx, "volume.options", &v->mount_err, "mountinfo");
        return;
    }
    if (v->mountpoint_known) {
        set_text(v->ctx, "volume.mountpoint", v->mount->mountpoint, v->mount_source);
    } else {
        set_unknown(v->ctx, "volume.mountpoint", FACT_ABSENT, v->mount_source, "",
                    "the filesystem is mounted elsewhere too, but this mount is not in the table");
    }
    set_text(v->ctx, "volume.mount_root", v->mount->root, v->mount_source);
    set_text(v->ctx, "volume.source", v->mount->source, v->mount_source);
    set_options_text(v);
}
