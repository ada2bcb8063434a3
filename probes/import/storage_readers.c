/* The readers of storage outputs, in the order in which a line is offered to them. */
#include "probes/import/storage.h"

#include "advisor/base/banned.h"

const struct storage_reader storage_readers[] = {
    {"lsblk", "lsblk: tree, list, pairs (-P) or JSON (-J)", lsblk_begins, lsblk_read, lsblk_read_json, false},
    {"findmnt", "findmnt: table or JSON (-J)", findmnt_begins, findmnt_read, findmnt_read_json, false},
    {"df", "df, with -T or without", df_begins, df_read, NULL, false},
    {"mdstat", "/proc/mdstat", mdstat_begins, mdstat_read, NULL, false},
    {"mdadm", "mdadm --detail", mdadm_begins, mdadm_read, NULL, false},
    {"lvm", "lvs, vgs, pvs: table or JSON", lvm_begins, lvm_read, lvm_read_json, false},
    {"lvdisplay", "lvdisplay, pvdisplay, vgdisplay, also with -m", lvdisplay_begins, lvdisplay_read, NULL, false},
    {"dmsetup table", "dmsetup table", dmsetup_begins, dmsetup_read, NULL, true},
    {"dmsetup ls", "dmsetup ls --tree", dmtree_begins, dmtree_read, NULL, true},
    {"cryptsetup", "cryptsetup status", crypt_begins, crypt_read, NULL, false},
    {"multipath", "multipath -ll", multipath_begins, multipath_read, NULL, false},
    {"blkid", "blkid", blkid_begins, blkid_read, NULL, false},
    {"fdisk", "fdisk -l", fdisk_begins, fdisk_read, NULL, false},
    {"zpool status", "zpool status, with any options", zpool_begins, zpool_read, zpool_read_json, false},
    {"zpool list", "zpool list, zpool iostat, also with -v", zpoollist_begins, zpoollist_read, NULL, false},
    {"zfs get", "zfs get, zpool get", zfsget_begins, zfsget_read, zfsget_read_json, false},
    {"zfs list", "zfs list", zfslist_begins, zfslist_read, NULL, false},
    {"btrfs", "btrfs filesystem show, df, usage", btrfs_begins, btrfs_read, NULL, true},
    {"xfs_info", "xfs_info", xfsinfo_begins, xfsinfo_read, NULL, false},
    {"dumpe2fs", "dumpe2fs -h, tune2fs -l", ext4_begins, ext4_read, NULL, false},
    {"mount", "mount, /proc/mounts, mountinfo, fstab", mount_begins, mount_read, NULL, false},
};
const size_t storage_n_readers = ARRAY_LEN(storage_readers);
