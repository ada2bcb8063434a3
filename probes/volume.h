/* What the files of the volume probe share: one path on its way from a name to facts. */
#ifndef NVADVISE_PROBES_VOLUME_H
#define NVADVISE_PROBES_VOLUME_H

#include "probes/blockwalk.h"
#include "probes/mountinfo.h"
#include "probes/probe.h"
#include "probes/zfs_text.h"
#include "probes/zpool_text.h"

struct volume {
    struct probe_ctx *ctx;
    const char *path;          /* symbolic links resolved, below the server's root */
    bool root_open;            /* that root was opened, so statx speaks of the server's mounts */
    struct host_stat st;
    const struct mount *mount; /* NULL: not found, see mount_err */
    bool mountpoint_known;     /* false: the mount of this device that we see lies elsewhere */
    const char *mount_source;  /* "/proc/PID/mountinfo by mount id" */
    struct err mount_err;
    const char *fs_type;       /* a word of volume.fs.type; NULL: unknown */
    const char *fs_source;
    const struct walk_dm *dm;  /* what the device mapper says; never NULL */
    const struct mount *over;  /* the chain alone: the overlay whose upper directory lies here; else NULL */
    bool has_statfs;
    struct host_statfs fs;
    bool has_extents;          /* of a data directory's largest files */
    struct host_extents extents;
    const char *pool_name;           /* ZFS; NULL: see pool_err */
    const struct zpool_status *pool; /* in its pool's job alone; NULL: see pool_err */
    struct err pool_err;
    struct span layer;               /* in that job: the filesystem, a word of volume.layers; else empty */
    const char *btrfs_dir;     /* "/sys/fs/btrfs/UUID"; NULL: see btrfs_err */
    const char *btrfs_profile; /* of the data: a word of volume.btrfs.data_profile; NULL: not known */
    struct host_names btrfs_devices; /* kernel names */
    uint64_t btrfs_missing;          /* devices; 0: none that is known of */
    struct err btrfs_err;
    int64_t zfs_creation;      /* of the oldest dataset, seconds since 1970; 0: not known */
    struct span device;        /* kernel name of the filesystem's device: ask volume_device */
    struct err device_err;
    bool super_open;           /* ext4: its superblock can be read; else see super_err */
    struct err super_err;
    uint64_t cluster_bytes;    /* of bigalloc; 0: not known, or what statfs says */
};

/* Is it this word of volume.fs.type? false where the type is not known. */
bool volume_is(const struct volume *v, const char *word);

/* The kernel name of the device that is mounted, asked for once; empty with the error. */
struct span volume_device(struct volume *v, struct err *reterr);

/* Other filesystems that files of one data directory may lie on. */
#define VOLUME_ELSEWHERE_MAX 8u

/* Each sets the facts of its own table, known or unknown; in this order. */
void volume_read_mount(struct volume *v);   /* fills mount, fs_type; needs path, st and statfs */
void volume_read_frag(struct volume *v);    /* fills extents */
void volume_read_fstab(struct volume *v);
void volume_read_options(struct volume *v);
void volume_read_xfs(struct volume *v);
void volume_read_ext4(struct volume *v);    /* fills cluster_bytes */
void volume_read_space(struct volume *v);
void volume_read_zfs(struct volume *v);   /* fills pool_name */
void volume_read_btrfs(struct volume *v);
void volume_read_chain(struct volume *v);
void volume_read_data(struct volume *v);
void volume_read_elsewhere(struct volume *v);

/* In the job of a pool (pool.c), where there is a volume for each member: */
void volume_read_zpool(struct volume *v);      /* fills pool; needs pool_name */
void volume_read_zpool_age(struct volume *v);  /* needs pool, zfs_creation */
void volume_read_zpool_room(struct volume *v); /* needs pool */
void volume_read_zpool_chain(struct volume *v); /* needs pool, dm, layer */
/* From the lines of its dataset, as zfs get prints them; adds to zfs_creation. Or why there are none. */
void volume_set_dataset(struct volume *v, struct span text, const char *source);
void volume_no_dataset(struct volume *v, const struct err *e, const char *source);

#define VOLUME_MOUNT_DECLS 8
#define VOLUME_OPTION_DECLS 9
#define VOLUME_SPACE_DECLS 8
#define VOLUME_FRAG_DECLS 1
#define VOLUME_FSTAB_DECLS 5
#define VOLUME_XFS_DECLS 6
#define VOLUME_EXT4_DECLS 5
#define VOLUME_ZFS_DECLS 3
#define VOLUME_DATASET_DECLS 12
#define VOLUME_ZPOOL_DECLS 18
#define VOLUME_BTRFS_DECLS 8
#define VOLUME_CHAIN_DECLS 28
#define VOLUME_DATA_DECLS 2
extern const struct fact_decl volume_mount_decls[VOLUME_MOUNT_DECLS];
extern const struct fact_decl volume_option_decls[VOLUME_OPTION_DECLS];
extern const struct fact_decl volume_frag_decls[VOLUME_FRAG_DECLS];
extern const struct fact_decl volume_fstab_decls[VOLUME_FSTAB_DECLS];
extern const struct fact_decl volume_xfs_decls[VOLUME_XFS_DECLS];
extern const struct fact_decl volume_ext4_decls[VOLUME_EXT4_DECLS];
extern const struct fact_decl volume_space_decls[VOLUME_SPACE_DECLS];
extern const struct fact_decl volume_zfs_decls[VOLUME_ZFS_DECLS];
extern const struct fact_decl volume_dataset_decls[VOLUME_DATASET_DECLS];
extern const struct fact_decl volume_zpool_decls[VOLUME_ZPOOL_DECLS];
extern const struct fact_decl volume_btrfs_decls[VOLUME_BTRFS_DECLS];
extern const struct fact_decl volume_chain_decls[VOLUME_CHAIN_DECLS];
extern const struct fact_decl volume_data_decls[VOLUME_DATA_DECLS];

#endif
