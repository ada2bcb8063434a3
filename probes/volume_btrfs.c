/* Volume, theme btrfs: its devices, how it keeps data on them, and what it does with data files. */
#include "probes/volume.h"

#include <string.h>

#include "probes/setters.h"

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

/* Flags of single files can say otherwise in one direction only: no-copy files do not compress. */
static void set_options(struct volume *v)
{
    static const char files[] = "the flags of the data files decide, and are not read";
    struct span value = {"", 0};
    bool nodatacow = mount_option(v->mount->super, "nodatacow", NULL);
    bool compress = mount_option(v->mount->super, "compress", &value) ||
                    mount_option(v->mount->super, "compress-force", &value);
    set_bool(v->ctx, "volume.btrfs.autodefrag", mount_option(v->mount->super, "autodefrag", NULL),
             v->mount_source);
    if (nodatacow) {
        set_bool(v->ctx, "volume.btrfs.nocow", true, v->mount_source);
        set_bool(v->ctx, "volume.fs.copy_on_write", false, v->mount_source);
    } else {
        set_unknown(v->ctx, "volume.btrfs.nocow", FACT_ABSENT, v->mount_source, "lsattr", files);
        set_unknown(v->ctx, "volume.fs.copy_on_write", FACT_ABSENT, v->mount_source, "lsattr",
                    files);
    }
    if (!compress || nodatacow) {
        set_unknown(v->ctx, "volume.fs.compression", FACT_ABSENT, v->mount_source, "", files);
        return;
    }
    struct span word;
    if (!span_split(&value, ':', &word)) {
        word = SPAN_LIT("zlib"); /* what a bare "compress" means */
    }
    set_enum_text(v->ctx, "volume.fs.compression", "zstd,zlib,lzo", word, v->mount_source);
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
        e = v->mount_err;
        set_rest(v->ctx, &table, 1, fact_state_from_err(e.code), "mountinfo", e.hint, e.text);
        return;
    }
    if (v->fs_type != NULL) {
        set_options(v);
    }
}
