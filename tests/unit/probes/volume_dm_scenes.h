/* Made-up machines with device mapper, md and bcache, whose tables root reads. */
#ifndef NVADVISE_TESTS_UNIT_PROBES_VOLUME_DM_SCENES_H
#define NVADVISE_TESTS_UNIT_PROBES_VOLUME_DM_SCENES_H

#include "tests/unit/probes/storage_hosts.h"

void dm_two_segments(struct host *h);
void dm_striped(struct host *h);
void dm_misaligned_stripe(struct host *h);
void dm_thin(struct host *h);
void dm_thin_failed(struct host *h);
void dm_snapshots(struct host *h);
void dm_is_snapshot(struct host *h);
void dm_luks(struct host *h);
void dm_luks_queues(struct host *h);
void dm_raid1(struct host *h);
void dm_raid5_degraded(struct host *h);
void dm_cache(struct host *h);
void dm_multipath(struct host *h);
void dm_foreign(struct host *h);
void dm_suspended(struct host *h);
void dm_other_size(struct host *h);
void dm_other_devices(struct host *h);
void dm_cut_table(struct host *h);
void dm_no_tool(struct host *h);
void dm_no_node(struct host *h);
void dm_not_root(struct host *h);
void dm_none(struct host *h);
void md_raid0_over_raid1(struct host *h);
void md_raid5_journal(struct host *h);
void md_resync(struct host *h);
void bcache_writeback(struct host *h);
void drbd_internal(struct host *h);

#endif
