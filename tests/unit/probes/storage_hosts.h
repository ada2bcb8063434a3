/* Made-up machines for the tests of the storage probes, put together from parts. */
#ifndef NVADVISE_TESTS_UNIT_PROBES_STORAGE_HOSTS_H
#define NVADVISE_TESTS_UNIT_PROBES_STORAGE_HOSTS_H

#include "tests/unit/probes/storage_fixture.h"

/* /sys/class/block/NAME with the given target, a queue of these limits, no slaves. */
void hosts_block(struct host *h, const char *name, const char *link, const char *min_io,
                 const char *opt_io);

/* /sys/dev/block/MAJ:MIN leads to NAME. */
void hosts_number(struct host *h, const char *number, const char *name);

/* An NVMe disk NAME of one controller CTRL, with all of its sysfs. */
void hosts_nvme(struct host *h, const char *name, const char *ctrl, const char *model);

/* Partition PART of DISK (its link must be there), starting at SECTOR. */
void hosts_partition(struct host *h, const char *part, const char *disk, const char *sector);

/* A stacked device. dm_name, dm_uuid may be NULL. */
void hosts_stacked(struct host *h, const char *name, const char *slaves, const char *dm_name,
                   const char *dm_uuid, const char *min_io, const char *opt_io);

/* One attribute below /sys/class/block/NAME. */
void hosts_attr(struct host *h, const char *name, const char *file, const char *text);

/* The path of the server's data: real path, statx, statfs of 100 GiB, a fifth used; of XFS, or of the
 * filesystem with another magic number. */
void hosts_path(struct host *h, const char *asked, const char *real, uint32_t major,
                uint32_t minor, uint64_t mnt_id);
void hosts_magic(struct host *h, const char *real, uint64_t magic);

#endif
