/* See ext_super.h. Offsets: fs/ext4/ext4.h, struct ext4_super_block. */
#include "probes/ext_super.h"

#include "advisor/base/banned.h"

#define BYTES 1024u
#define MAGIC 0xef53u
#define COMPAT_JOURNAL 0x4u
#define INCOMPAT_64BIT 0x80u
#define RO_COMPAT_BIGALLOC 0x200u
#define COPY_OF_INODE 1u /* s_jnl_backup_type: blocks of the journal's inode, then its size */

static uint32_t u32(struct span raw, size_t at)
{
    const unsigned char *p = (const unsigned char *)raw.ptr + at;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t u64(struct span raw, size_t low, size_t high, bool has_high)
{
    return (has_high ? (uint64_t)u32(raw, high) << 32 : 0) | u32(raw, low);
}

static bool read_sizes(struct span raw, struct ext_super *s, struct err *reterr)
{
    const bool wide = (u32(raw, 0x60) & INCOMPAT_64BIT) != 0;
    const bool big = (u32(raw, 0x64) & RO_COMPAT_BIGALLOC) != 0;
    const uint32_t log_block = u32(raw, 0x18), log_cluster = u32(raw, 0x1c);
    s->blocks = u64(raw, 0x04, 0x150, wide);
    s->reserved = u64(raw, 0x08, 0x154, wide);
    if (log_block > 6 || (big && (log_cluster > 20 || log_cluster < log_block)) || s->blocks == 0 ||
        s->reserved > s->blocks) {
        return err_set(reterr, E_CORRUPT, "the superblock's sizes cannot be");
    }
    s->block_bytes = 1024u << log_block;
    s->cluster_bytes = big ? (uint64_t)1024 << log_cluster : s->block_bytes;
    return true;
}

static void read_journal(struct span raw, struct ext_super *s)
{
    s->journal = (u32(raw, 0x5c) & COMPAT_JOURNAL) != 0;
    s->external = s->journal && u32(raw, 0xe0) == 0 && u32(raw, 0xe4) != 0;
    s->journal_bytes = u64(raw, 0x14c, 0x148, true);
    s->has_journal_bytes = s->journal && !s->external &&
                           (unsigned char)raw.ptr[0xfd] == COPY_OF_INODE && s->journal_bytes > 0;
}

bool ext_super_read(struct span raw, struct ext_super *ret, struct err *reterr)
{
    struct ext_super s = {.blocks = 0};
    if (raw.len != BYTES) {
        return err_set(reterr, E_CUT, "a superblock has %u bytes, not %zu", BYTES, raw.len);
    }
    if ((u32(raw, 0x38) & 0xffff) != MAGIC) {
        return err_set(reterr, E_CORRUPT, "there is no superblock of ext4");
    }
    if (!read_sizes(raw, &s, reterr)) {
        return false;
    }
    read_journal(raw, &s);
    *ret = s;
    return true;
}
