/* Little-endian numbers out of an NVMe page. The caller has checked that the page is long enough. */
#ifndef NVADVISE_PROBES_NVME_BYTES_H
#define NVADVISE_PROBES_NVME_BYTES_H

#include "advisor/base/err.h"
#include "advisor/base/str.h"

static inline uint8_t nvme_u8(struct span p, size_t at)
{
    return (uint8_t)p.ptr[at];
}

static inline uint16_t nvme_le16(struct span p, size_t at)
{
    return (uint16_t)(nvme_u8(p, at) | nvme_u8(p, at + 1) << 8);
}

static inline uint32_t nvme_le32(struct span p, size_t at)
{
    return (uint32_t)nvme_le16(p, at) | (uint32_t)nvme_le16(p, at + 2) << 16;
}

static inline uint64_t nvme_le48(struct span p, size_t at)
{
    return (uint64_t)nvme_le32(p, at) | (uint64_t)nvme_le16(p, at + 4) << 32;
}

static inline uint64_t nvme_le64(struct span p, size_t at)
{
    return (uint64_t)nvme_le32(p, at) | (uint64_t)nvme_le32(p, at + 4) << 32;
}

static inline nv_u128 nvme_le128(struct span p, size_t at)
{
    return (nv_u128)nvme_le64(p, at) | (nv_u128)nvme_le64(p, at + 8) << 64;
}

/* E_SYNTAX, naming the page, when it has another length. */
static inline bool nvme_length_is(struct span page, size_t want, const char *what,
                                  struct err *reterr)
{
    return page.len == want || err_set(reterr, E_SYNTAX, "%s of %zu bytes instead of %zu", what,
                                       page.len, want);
}

#endif
