/* Reader for the superblock of ext2, ext3 and ext4: 1024 bytes from offset 1024 of the device. Pure; hostile
 * bytes give numbers that were checked, or E_CORRUPT. */
#ifndef NVADVISE_PROBES_EXT_SUPER_H
#define NVADVISE_PROBES_EXT_SUPER_H

#include "advisor/base/err.h"
#include "advisor/base/str.h"

struct ext_super {
    uint64_t blocks, reserved; /* reserved is at most blocks */
    uint64_t block_bytes, cluster_bytes; /* 1 KiB to 64 KiB; cluster: to 1 GiB, the block's without bigalloc */
    bool journal, external;    /* there is one; it lies on another device */
    bool has_journal_bytes;    /* of one on the same device whose size is noted here */
    uint64_t journal_bytes;
};

/* `raw` may have any length. */
ATTR_NODISCARD bool ext_super_read(struct span raw, struct ext_super *ret, struct err *reterr);

#endif
