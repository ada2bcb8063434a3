/* Replies made of words "name=value": a row of a table per word, so that writer and reader agree.
 * Knows nothing of the machine. */
#include "probes/host/reply.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

enum word_kind { WORD_U32, WORD_U64, WORD_I64, WORD_BOOL };

struct word {
    const char *name;
    enum word_kind kind;
    size_t offset;
    bool optional; /* captures of earlier versions do not have it; never the last one, so that a reply that
                      was cut is seen */
};

#define STAT(kind, member)                                                                         \
    {                                                                                              \
#member, kind, offsetof(struct host_stat, member), false                                   \
    }
#define STAT_LATER(kind, member)                                                                   \
    {                                                                                              \
#member, kind, offsetof(struct host_stat, member), true                                    \
    }
static const struct word stat_words[] = {
    STAT(WORD_U32, mode),       STAT(WORD_U32, uid),           STAT(WORD_U32, gid),
    STAT(WORD_U64, size),       STAT(WORD_U64, blocks512),     STAT(WORD_U64, inode),
    STAT(WORD_U32, dev_major),  STAT(WORD_U32, dev_minor),     STAT(WORD_U32, rdev_major),
    STAT(WORD_U32, rdev_minor), STAT(WORD_BOOL, has_mnt_id),   STAT(WORD_U64, mnt_id),
    STAT(WORD_BOOL, has_dio),   STAT(WORD_U32, dio_mem_align), STAT(WORD_U32, dio_offset_align),
    STAT_LATER(WORD_BOOL, has_atomic), STAT_LATER(WORD_U32, atomic_max),
    STAT(WORD_I64, mtime_sec),
};

#define STATFS(member)                                                                             \
    {                                                                                              \
#member, WORD_U64, offsetof(struct host_statfs, member), false                             \
    }
static const struct word statfs_words[] = {
    STATFS(type),        STATFS(block_size),       STATFS(blocks),
    STATFS(free_blocks), STATFS(available_blocks), STATFS(files),
    STATFS(free_files),
};

#define SIZE(kind, member, later)                                                                  \
    {                                                                                              \
#member, kind, offsetof(struct host_size, member), later                                   \
    }
static const struct word size_words[] = {
    SIZE(WORD_U64, bytes_allocated, false), SIZE(WORD_U64, bytes_apparent, false),
    SIZE(WORD_U64, files, false),           SIZE(WORD_U64, largest_bytes, true),
    SIZE(WORD_U64, largest_block, true),    SIZE(WORD_BOOL, complete, false),
};

#define XFS(member)                                                                                \
    {                                                                                              \
#member, WORD_U64, offsetof(struct host_xfs, member), false                                \
    }
static const struct word xfs_words[] = {
    XFS(block_size), XFS(sector_size), XFS(ag_count), XFS(log_blocks),
    XFS(sunit),      XFS(swidth),      XFS(flags),
};

#define EXTENTS(kind, member)                                                                      \
    {                                                                                              \
#member, kind, offsetof(struct host_extents, member), false                                \
    }
static const struct word extents_words[] = {
    EXTENTS(WORD_U64, files),   EXTENTS(WORD_BOOL, mapped),    EXTENTS(WORD_BOOL, complete),
    EXTENTS(WORD_U64, bytes),   EXTENTS(WORD_U64, extents),    EXTENTS(WORD_U64, flagged),
    EXTENTS(WORD_U64, nocow),   EXTENTS(WORD_U64, compressed),
};

#define WHO(kind, member)                                                                          \
    {                                                                                              \
#member, kind, offsetof(struct host_who, member), false                                    \
    }
static const struct word who_words[] = {
    WHO(WORD_U32, uid),
    WHO(WORD_U32, gid),
    WHO(WORD_BOOL, sys_admin),
};

/* The first line; the text follows it. */
struct optfile_head {
    uint32_t mode, uid, gid;
    uint64_t bytes;
};
#define OPTFILE(kind, member)                                                                      \
    {                                                                                              \
#member, kind, offsetof(struct optfile_head, member), false                                \
    }
static const struct word optfile_words[] = {
    OPTFILE(WORD_U32, mode),
    OPTFILE(WORD_U32, uid),
    OPTFILE(WORD_U32, gid),
    OPTFILE(WORD_U64, bytes),
};

static void add_word(struct buf *b, const struct word *w, const void *from)
{
    const char *const at = (const char *)from + w->offset;
    uint64_t u64 = 0;
    uint32_t u32 = 0;
    int64_t i64 = 0;
    bool flag = false;
    switch (w->kind) {
    case WORD_U32:
        memcpy(&u32, at, sizeof(u32));
        buf_printf(b, "%s=%" PRIu32, w->name, u32);
        break;
    case WORD_U64:
        memcpy(&u64, at, sizeof(u64));
        buf_printf(b, "%s=%" PRIu64, w->name, u64);
        break;
    case WORD_I64:
        memcpy(&i64, at, sizeof(i64));
        buf_printf(b, "%s=%" PRId64, w->name, i64);
        break;
    case WORD_BOOL:
        memcpy(&flag, at, sizeof(flag));
        buf_printf(b, "%s=%d", w->name, flag ? 1 : 0);
        break;
    }
}

static struct span make_words(struct arena *a, const struct word *words, size_t n, const void *from)
{
    struct buf b;
    buf_init(&b, a, 4096);
    for (size_t i = 0; i < n; i++) {
        if (i > 0) {
            buf_add_char(&b, ' ');
        }
        add_word(&b, &words[i], from);
    }
    return buf_span(&b);
}

static bool read_word(const struct word *w, struct span value, void *to)
{
    char *const at = (char *)to + w->offset;
    uint64_t u64 = 0;
    int64_t i64 = 0;
    if (w->kind == WORD_I64) {
        if (!parse_i64(value, &i64)) {
            return false;
        }
        memcpy(at, &i64, sizeof(i64));
        return true;
    }
    if (!parse_u64(value, &u64)) {
        return false;
    }
    if (w->kind == WORD_U32) {
        const uint32_t u32 = (uint32_t)u64;
        memcpy(at, &u32, sizeof(u32));
        return u64 <= UINT32_MAX;
    }
    if (w->kind == WORD_BOOL) {
        const bool flag = u64 == 1;
        memcpy(at, &flag, sizeof(flag));
        return u64 <= 1;
    }
    memcpy(at, &u64, sizeof(u64));
    return true;
}

/* Words of the table must be there but for optional ones; words that it does not name are left aside, so
 * that later versions may add some. */
static bool read_words(struct span s, const struct word *words, size_t n, void *to,
                       struct err *reterr)
{
    uint32_t seen = 0;
    struct span piece;
    while (span_word(&s, &piece)) {
        struct span name;
        if (!span_split(&piece, '=', &name)) {
            return err_set(reterr, E_CORRUPT, "reply has a word without a value");
        }
        for (size_t i = 0; i < n; i++) {
            if (!span_eq_text(name, words[i].name)) {
                continue;
            }
            if (!read_word(&words[i], piece, to)) {
                return err_set(reterr, E_CORRUPT, "reply has a bad value for '%s'", words[i].name);
            }
            seen |= 1u << i;
        }
    }
    for (size_t i = 0; i < n; i++) {
        if (!words[i].optional && (seen & (1u << i)) == 0) {
            return err_set(reterr, E_CORRUPT, "reply lacks '%s'", words[i].name);
        }
    }
    return true;
}

struct span reply_stat(struct arena *a, const struct host_stat *st)
{
    return make_words(a, stat_words, ARRAY_LEN(stat_words), st);
}

struct span reply_statfs(struct arena *a, const struct host_statfs *st)
{
    return make_words(a, statfs_words, ARRAY_LEN(statfs_words), st);
}

struct span reply_size(struct arena *a, const struct host_size *sz)
{
    return make_words(a, size_words, ARRAY_LEN(size_words), sz);
}

struct span reply_xfs(struct arena *a, const struct host_xfs *x)
{
    return make_words(a, xfs_words, ARRAY_LEN(xfs_words), x);
}

struct span reply_extents(struct arena *a, const struct host_extents *e)
{
    return make_words(a, extents_words, ARRAY_LEN(extents_words), e);
}

struct span reply_who(struct arena *a, const struct host_who *who)
{
    return make_words(a, who_words, ARRAY_LEN(who_words), who);
}

bool reply_read_stat(struct span s, struct host_stat *ret, struct err *reterr)
{
    struct host_stat st = {0};
    if (!read_words(s, stat_words, ARRAY_LEN(stat_words), &st, reterr)) {
        return false;
    }
    *ret = st;
    return true;
}

bool reply_read_statfs(struct span s, struct host_statfs *ret, struct err *reterr)
{
    struct host_statfs st = {0};
    if (!read_words(s, statfs_words, ARRAY_LEN(statfs_words), &st, reterr)) {
        return false;
    }
    *ret = st;
    return true;
}

bool reply_read_size(struct span s, struct host_size *ret, struct err *reterr)
{
    struct host_size sz = {0};
    if (!read_words(s, size_words, ARRAY_LEN(size_words), &sz, reterr)) {
        return false;
    }
    *ret = sz;
    return true;
}

bool reply_read_xfs(struct span s, struct host_xfs *ret, struct err *reterr)
{
    struct host_xfs x = {0};
    if (!read_words(s, xfs_words, ARRAY_LEN(xfs_words), &x, reterr)) {
        return false;
    }
    *ret = x;
    return true;
}

bool reply_read_extents(struct span s, struct host_extents *ret, struct err *reterr)
{
    struct host_extents e = {0};
    if (!read_words(s, extents_words, ARRAY_LEN(extents_words), &e, reterr)) {
        return false;
    }
    *ret = e;
    return true;
}

bool reply_read_who(struct span s, struct host_who *ret, struct err *reterr)
{
    struct host_who who = {0};
    if (!read_words(s, who_words, ARRAY_LEN(who_words), &who, reterr)) {
        return false;
    }
    *ret = who;
    return true;
}

struct span reply_optfile(struct arena *a, const struct host_optfile *file)
{
    const struct optfile_head head = {file->mode, file->uid, file->gid, file->text.len};
    struct buf b;
    buf_init(&b, a, file->text.len + 4096);
    buf_add_span(&b, make_words(a, optfile_words, ARRAY_LEN(optfile_words), &head));
    buf_add_char(&b, '\n');
    buf_add_span(&b, file->text);
    return buf_span(&b);
}

bool reply_read_optfile(struct span s, struct host_optfile *ret, struct err *reterr)
{
    struct optfile_head head = {0};
    struct span line = {"", 0}, rest = s;
    if (!span_split(&rest, '\n', &line) || line.len == s.len) {
        return err_set(reterr, E_CORRUPT, "reply has no first line");
    }
    if (!read_words(line, optfile_words, ARRAY_LEN(optfile_words), &head, reterr)) {
        return false;
    }
    if (head.bytes != rest.len) {
        return err_set(reterr, E_CUT, "reply has %zu bytes of text instead of %" PRIu64, rest.len,
                       head.bytes);
    }
    *ret = (struct host_optfile){head.mode, head.uid, head.gid, rest};
    return true;
}
