/* Made-up machines, each with one matter that the volume probe must get right. */
#ifndef NVADVISE_TESTS_UNIT_PROBES_VOLUME_SCENES_H
#define NVADVISE_TESTS_UNIT_PROBES_VOLUME_SCENES_H

#include "tests/unit/probes/storage_hosts.h"

void volume_plain(struct host *h);
void volume_striped_ext4(struct host *h);
void volume_linear(struct host *h);
void volume_ext4_shown(struct host *h);
void volume_raid10(struct host *h);
void volume_raid1(struct host *h);
void volume_luks(struct host *h);
void volume_thin(struct host *h);
void volume_foreign_dm(struct host *h);
void volume_loop(struct host *h);
void volume_loop_deleted(struct host *h);
void volume_multipath_head(struct host *h);
void volume_mixed_classes(struct host *h);
void volume_on_tmpfs(struct host *h);
void volume_on_nfs(struct host *h);
void volume_on_overlay(struct host *h);
void volume_on_zfs(struct host *h);
void volume_zfs_mirror(struct host *h);
void volume_zfs_odd(struct host *h);
void volume_zfs_on_file(struct host *h);
void volume_zfs_gone_leg(struct host *h);
void volume_zfs_hostile_name(struct host *h);
void volume_zfs_whole(struct host *h);
void volume_zfs_never(struct host *h);
void volume_zfs_new(struct host *h);
void volume_zfs_at_work(struct host *h);
void volume_zfs_automatic(struct host *h);
void volume_zfs_log_on_file(struct host *h);
void volume_zfs_suspended(struct host *h);
void volume_on_fuse(struct host *h);
void volume_on_btrfs(struct host *h);
void volume_btrfs_options(struct host *h, const char *options);
void volume_chroot_empty(struct host *h);
void volume_chroot_partial(struct host *h);
void volume_old_kernel(struct host *h);
void volume_big_data(struct host *h);
void volume_no_datadir_access(struct host *h);
void volume_virtio(struct host *h);
void volume_broken(struct host *h);
void volume_cycle(struct host *h);
void volume_forty(struct host *h);
void volume_sixty(struct host *h);
void volume_missing(struct host *h);
void volume_impossible_name(struct host *h);
void volume_denied_slaves(struct host *h);
void volume_wide(struct host *h);
void volume_absent_path(struct host *h);
void volume_denied_path(struct host *h);
void volume_other_view(struct host *h);
void volume_same_view(struct host *h);

#endif
