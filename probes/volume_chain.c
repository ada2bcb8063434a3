/* Volume, theme chain: the block devices below the filesystem, down to the leaves. What the walk cannot
 * follow is unknown with the walk's reason; a filesystem without a local device has no leaves, and that
 * is known. */
#include "probes/volume.h"

#include <string.h>

#include "probes/volume_chain.h"

#include "probes/setters.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

#define STACK_KINDS                                                                                \
    "partition,lvm-linear,lvm-striped,lvm-raid,lvm-thin,lvm-snapshot,lvm-cache,md,crypt,"          \
    "multipath,bcache,dm-cache,dm-writecache,dm-integrity,vdo,loop,drbd,dm-linear,dm-striped,"     \
    "dm-raid,dm-thin,dm-snapshot,dm-other"
#define CLASSES                                                                                    \
    "nvme-local,nvme-local-ephemeral,cloud-network,network,san,virtual,shared-folder,memory,"      \
    "mixed,unknown"

const struct fact_decl volume_chain_decls[VOLUME_CHAIN_DECLS] = {
    {"volume.chain", KIND_LIST, NULL, SUBJECT_VOLUME, FOLD_SAME, NEED_NONE,
     "devices from the filesystem down, name:kind, one item a level, parallel legs joined by +",
     "/sys/dev/block, slaves/", ""},
    {"volume.layers", KIND_LIST, NULL, SUBJECT_VOLUME, FOLD_SAME, NEED_NONE,
     "every layer from the filesystem to the disks, a word each, as a tree (advisor/facts/layer.h)",
     "/sys/dev/block, slaves/, dmsetup table", ""},
    {"volume.leaf_devices", KIND_SET, NULL, SUBJECT_VOLUME, FOLD_SAME, NEED_NONE,
     "disks at the bottom", "/sys/dev/block, slaves/", ""},
    {"volume.device_count", KIND_COUNT, NULL, SUBJECT_VOLUME, FOLD_MAX, NEED_NONE,
     "how many disks are at the bottom", "/sys/dev/block, slaves/", ""},
    {"volume.storage_class", KIND_ENUM, CLASSES, SUBJECT_VOLUME, FOLD_SAME, NEED_NONE,
     "class of the storage as a whole", "model and transport of the leaves", ""},
    {"volume.partition_offset", KIND_BYTES, NULL, SUBJECT_VOLUME, FOLD_MAX, NEED_NONE,
     "where the filesystem begins on the leaf; of several legs the least aligned",
     "sysfs start, md/dev-*/offset", ""},
    {"volume.aligned_4k", KIND_BOOL, NULL, SUBJECT_VOLUME, FOLD_ALL, NEED_NONE,
     "the offset is a multiple of 4 KiB on every leg", "sysfs start, md/dev-*/offset", ""},
    {"volume.aligned_1m", KIND_BOOL, NULL, SUBJECT_VOLUME, FOLD_ALL, NEED_NONE,
     "the offset is a multiple of 1 MiB on every leg", "sysfs start, md/dev-*/offset", ""},
    {"volume.alignment_bytes", KIND_BYTES, NULL, SUBJECT_VOLUME, FOLD_MIN, NEED_NONE,
     "greatest number that divides all offsets and stripe pieces on the way down; 0 when all are 0",
     "sysfs start, md, dmsetup table", ""},
    {"volume.stack.kinds", KIND_SET, STACK_KINDS, SUBJECT_VOLUME, FOLD_SAME, NEED_NONE,
     "layers between filesystem and disks", "sysfs, dm/uuid", ""},
    {"volume.stack.stripe_count", KIND_COUNT, NULL, SUBJECT_VOLUME, FOLD_MIN, NEED_NONE,
     "legs of the stripe; 1 without one", "queue/optimal_io_size, minimum_io_size", ""},
    {"volume.stack.chunk_bytes", KIND_BYTES, NULL, SUBJECT_VOLUME, FOLD_MIN, NEED_NONE,
     "piece of the stripe, the smallest of several", "queue/minimum_io_size", ""},
    {"volume.stack.extent_bytes", KIND_BYTES, NULL, SUBJECT_VOLUME, FOLD_SAME, NEED_NONE,
     "extent size of the LVM volume group: how room is handed out, not where a request goes",
     "import of vgs output", ""},
    {"volume.stack.group_devices", KIND_COUNT, NULL, SUBJECT_VOLUME, FOLD_MAX, NEED_NONE,
     "disks of one size in the same LVM volume group or pool", "dm/uuid, slaves/, size; zpool status",
     ""},
    {"volume.stack.md_level", KIND_ENUM, "none,raid0,raid1,raid4,raid5,raid6,raid10,linear",
     SUBJECT_VOLUME, FOLD_SAME, NEED_NONE, "level of the array", "md/level", ""},
    {"volume.stack.md_degraded", KIND_COUNT, NULL, SUBJECT_VOLUME, FOLD_MAX, NEED_NONE,
     "missing legs of the array", "md/degraded", ""},
    {"volume.stack.md_sync_action", KIND_ENUM, "idle,resync,recover,check,repair,frozen",
     SUBJECT_VOLUME, FOLD_SAME, NEED_NONE, "job that runs on the array", "md/sync_action", ""},
    {"volume.stack.md_sync_done", KIND_RATIO, NULL, SUBJECT_VOLUME, FOLD_MIN, NEED_NONE,
     "how far the running job of the array is", "md/sync_completed", ""},
    {"volume.stack.md_bitmap_chunk", KIND_BYTES, NULL, SUBJECT_VOLUME, FOLD_MIN, NEED_NONE,
     "piece that a bit of the write-intent bitmap stands for", "md/bitmap/chunksize", ""},
    {"volume.stack.thin_data_ratio", KIND_RATIO, NULL, SUBJECT_VOLUME, FOLD_MAX, NEED_ROOT,
     "data used in the fullest thin pool", "dmsetup status", "root"},
    {"volume.stack.thin_metadata_ratio", KIND_RATIO, NULL, SUBJECT_VOLUME, FOLD_MAX, NEED_ROOT,
     "metadata used in the fullest thin pool", "dmsetup status", "root"},
    {"volume.stack.snapshot_ratio", KIND_RATIO, NULL, SUBJECT_VOLUME, FOLD_MAX, NEED_ROOT,
     "room used in the fullest snapshot that hangs on the volume", "dmsetup status", "root"},
    {"volume.stack.suspended", KIND_BOOL, NULL, SUBJECT_VOLUME, FOLD_ANY, NEED_NONE,
     "some device-mapper layer is suspended: requests wait", "dm/suspended", ""},
    {"volume.stack.crypt_no_workqueue", KIND_BOOL, NULL, SUBJECT_VOLUME, FOLD_ALL, NEED_NONE,
     "dm-crypt works without its queues", "dmsetup table", "root"},
    {"volume.stack.atomic_max", KIND_BYTES, NULL, SUBJECT_VOLUME, FOLD_MIN, NEED_NONE,
     "largest atomic write of the whole stack", "queue/atomic_write_unit_max_bytes", ""},
    {"volume.stack.leaf_atomic_max", KIND_BYTES, NULL, SUBJECT_VOLUME, FOLD_MIN, NEED_NONE,
     "largest atomic write of the leaves", "queue/atomic_write_unit_max_bytes", ""},
    {"volume.stack.discard", KIND_BOOL, NULL, SUBJECT_VOLUME, FOLD_ALL, NEED_NONE,
     "every layer passes discards on", "queue/discard_max_bytes", ""},
    {"volume.stack.max_io_bytes", KIND_BYTES, NULL, SUBJECT_VOLUME, FOLD_MIN, NEED_NONE,
     "largest request that no layer splits", "queue/max_sectors_kb", ""},
};

static const struct decl_rows table = {volume_chain_decls, VOLUME_CHAIN_DECLS};

/* Filesystems whose data are not on a disk that this host knows; their class. By our word, or by the kernel's for
 * those that have none of ours, where "fuse" says nothing of what is behind it. */
static const struct {
    const char *fs, *kernel, *storage_class, *what;
} diskless[] = {
    {"tmpfs", "ramfs", "memory", "the filesystem lives in memory"},
    {"nfs", NULL, "network", "NFS is on another host"},
    {"cifs", NULL, "network", "SMB is on another host"},
    {"9p", NULL, "shared-folder", "9p is a folder of another host"},
    {"virtiofs", NULL, "shared-folder", "virtiofs is a folder of the hypervisor"},
    {NULL, "vboxsf", "shared-folder", "vboxsf is a folder of the hypervisor"},
    {NULL, "prl_fs", "shared-folder", "prl_fs is a folder of the hypervisor"},
    {NULL, "fuse.vmhgfs-fuse", "shared-folder", "vmhgfs is a folder of the hypervisor"},
    {NULL, "fuse.grpcfuse", "shared-folder", "grpcfuse is a folder of the hypervisor"},
    {NULL, "fakeowner", "shared-folder", "fakeowner is a folder of the hypervisor"},
    {NULL, "ceph", "network", "CephFS is on other hosts"},
    {NULL, "fuse.ceph-fuse", "network", "CephFS is on other hosts"},
    {NULL, "fuse.glusterfs", "network", "GlusterFS is on other hosts"},
    {NULL, "lustre", "network", "Lustre is on other hosts"},
    {NULL, "afs", "network", "AFS is on other hosts"},
    {NULL, "fuse.sshfs", "network", "sshfs is on another host"},
    {NULL, "fuse.s3fs", "network", "the files are objects of a cloud"},
    {NULL, "fuse.gcsfuse", "network", "the files are objects of a cloud"},
    {NULL, "fuse.goofys", "network", "the files are objects of a cloud"},
    {NULL, "fuse.juicefs", "network", "the files are objects of a cloud"},
    {NULL, "fuse.rclone", "network", "the files are on another host"},
};

static bool is_row(const struct volume *v, size_t i)
{
    const char *fs = diskless[i].fs, *kernel = diskless[i].kernel;
    return (fs != NULL && strcmp(v->fs_type, fs) == 0) ||
           (kernel != NULL && v->mount != NULL && span_eq_text(v->mount->fstype, kernel));
}

static void all_unknown(struct volume *v, const struct err *e)
{
    set_rest(v->ctx, &table, 1, fact_state_from_err(e->code), "/sys/dev/block", e->hint, e->text);
}

/* true: the filesystem has no local disk, and all facts are set. */
static bool set_diskless(struct volume *v)
{
    for (size_t i = 0; v->fs_type != NULL && i < ARRAY_LEN(diskless); i++) {
        if (!is_row(v, i)) {
            continue;
        }
        struct err e = ERR_INIT;
        volume_set_layers(v, NULL, NULL);
        set_words(v->ctx, "volume.chain", KIND_LIST, NULL, 0, v->fs_source);
        set_words(v->ctx, "volume.leaf_devices", KIND_SET, NULL, 0, v->fs_source);
        set_words(v->ctx, "volume.stack.kinds", KIND_SET, NULL, 0, v->fs_source);
        set_u64(v->ctx, "volume.device_count", KIND_COUNT, 0, v->fs_source);
        set_enum(v->ctx, "volume.storage_class", diskless[i].storage_class, v->fs_source);
        err_set(&e, E_NOT_SUPPORTED, "%s", diskless[i].what);
        all_unknown(v, &e);
        return true;
    }
    return false;
}

/* The block device that the filesystem lies on. */
static bool find_device(struct volume *v, uint32_t *ret_major, uint32_t *ret_minor,
                        struct err *reterr)
{
    if (v->fs_type != NULL && strcmp(v->fs_type, "bcachefs") == 0) {
        return err_set(reterr, E_ABSENT, "the devices below %s are not followed", v->fs_type);
    }
    if (v->st.dev_major == 0) {
        return err_set(reterr, E_ABSENT, "'%s': the filesystem has no block device of its own",
                       v->path);
    }
    *ret_major = v->st.dev_major;
    *ret_minor = v->st.dev_minor;
    return true;
}

/* A pool stripes, mirrors and splits by rules of its own: what the layers facts tell of one device does not
 * hold for it. */
void volume_read_zpool_chain(struct volume *v)
{
    struct err e = ERR_INIT;
    struct walk w;
    if (!volume_walk_pool(v, &w, &e)) {
        volume_set_pool(v, &w);
        volume_set_layers(v, &w, &e);
        all_unknown(v, &e);
        return;
    }
    volume_set_pool(v, &w);
    volume_set_layers(v, &w, NULL);
    volume_set_chain(v, &w);
    volume_set_kinds(v, &w);
    volume_set_discard(v, &w);
    volume_set_tables(v, &w);
    volume_set_group(v, &w);
    err_set(&e, E_NOT_SUPPORTED, "a pool of ZFS does this by rules of its own");
    all_unknown(v, &e);
}

/* What lies below a pool is found once, by the pool's own job. */
static void leave_pool(struct volume *v)
{
    struct err e = ERR_INIT;
    if (v->pool_name == NULL) {
        volume_set_layers(v, NULL, &v->pool_err);
        all_unknown(v, &v->pool_err);
        return;
    }
    err_set(&e, E_ABSENT, "the disks of pool '%s' are not known", v->pool_name);
    volume_set_layers(v, NULL, &e);
}

static void set_all(struct volume *v, const struct walk *w)
{
    volume_set_chain(v, w);
    volume_set_stack(v, w);
    volume_set_tables(v, w);
    volume_set_group(v, w);
}

static void read_device(struct volume *v, uint32_t major, uint32_t minor)
{
    struct blockwalk *k = blockwalk_new(v->ctx->host, v->ctx->arena, v->dm);
    struct walk w;
    (void)blockwalk_put_number(k, WALK_TOP, major, minor, NULL);
    blockwalk_end(k, &w);
    volume_set_layers(v, &w, &w.err);
    if (w.complete) {
        set_all(v, &w);
    } else {
        all_unknown(v, &w.err);
    }
}

static void read_btrfs(struct volume *v)
{
    struct err e = ERR_INIT;
    struct walk w;
    const bool whole = volume_walk_btrfs(v, &w, &e);
    volume_set_layers(v, &w, whole ? NULL : &e);
    if (whole) {
        set_all(v, &w);
        volume_set_btrfs(v);
    } else {
        all_unknown(v, &e);
    }
}

static void read_below(struct volume *v)
{
    struct err e = ERR_INIT;
    uint32_t major = 0, minor = 0;
    if (set_diskless(v)) {
        return;
    }
    if (v->fs_type != NULL && strcmp(v->fs_type, "zfs") == 0) {
        leave_pool(v);
    } else if (v->fs_type != NULL && strcmp(v->fs_type, "btrfs") == 0) {
        read_btrfs(v);
    } else if (find_device(v, &major, &minor, &e)) {
        read_device(v, major, minor);
    } else {
        volume_set_layers(v, NULL, &e);
        all_unknown(v, &e);
    }
}

void volume_read_chain(struct volume *v)
{
    struct err e = ERR_INIT;
    struct volume below;
    if (v->fs_type == NULL || strcmp(v->fs_type, "overlay") != 0) {
        read_below(v);
    } else if (volume_below_overlay(v, &below, &e)) {
        read_below(&below);
    } else {
        volume_set_layers(v, NULL, &e);
        all_unknown(v, &e);
    }
}
