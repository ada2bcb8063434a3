/* The readers of storage outputs, in the order in which a line is offered to them. */
#include "probes/import/storage.h"

#include "advisor/base/banned.h"

const struct storage_reader storage_readers[] = {
    {"lsblk", "lsblk: tree, list, pairs (-P) or JSON (-J)", lsblk_begins, lsblk_read, lsblk_read_json},
    {"findmnt", "findmnt: table or JSON (-J)", findmnt_begins, findmnt_read, findmnt_read_json},
    {"df", "df, with -T or without", df_begins, df_read, NULL},
    {"mdstat", "/proc/mdstat", mdstat_begins, mdstat_read, NULL},
    {"mdadm", "mdadm --detail", mdadm_begins, mdadm_read, NULL},
    {"lvm", "lvs, vgs, pvs: table or JSON", lvm_begins, lvm_read, lvm_read_json},
    {"dmsetup table", "dmsetup table", dmsetup_begins, dmsetup_read, NULL},
    {"dmsetup ls", "dmsetup ls --tree", dmtree_begins, dmtree_read, NULL},
    {"cryptsetup", "cryptsetup status", crypt_begins, crypt_read, NULL},
    {"multipath", "multipath -ll", multipath_begins, multipath_read, NULL},
    {"blkid", "blkid", blkid_begins, blkid_read, NULL},
    {"fdisk", "fdisk -l", fdisk_begins, fdisk_read, NULL},
    {"zpool status", "zpool status, with any options", zpool_begins, zpool_read, NULL},
    {"zfs get", "zfs get, zpool get", zfsget_begins, zfsget_read, NULL},
    {"zfs list", "zfs list", zfslist_begins, zfslist_read, NULL},
    {"btrfs", "btrfs filesystem show, df, usage", btrfs_begins, btrfs_read, NULL},
    {"xfs_info", "xfs_info", xfsinfo_begins, xfsinfo_read, NULL},
    {"dumpe2fs", "dumpe2fs -h, tune2fs -l", ext4_begins, ext4_read, NULL},
    {"mount", "mount, /proc/mounts, mountinfo, fstab", mount_begins, mount_read, NULL},
};
const size_t storage_n_readers = ARRAY_LEN(storage_readers);
