/* Reader for /proc/PID/mountinfo (proc(5)): fields separated by single blanks, any number of optional
 * fields up to a lone '-', blanks and backslashes as \ooo. Knows nothing of facts or of the host. */
#include "probes/mountinfo.h"

#include <string.h>

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

#define MOUNTS_MAX 65536u

static bool is_octal(char c)
{
    return c >= '0' && c <= '7';
}

/* \ooo at s[i]? Above \377 it is no escape. */
static bool octal_at(struct span s, size_t i, char *ret)
{
    if (s.len - i < 4 || s.ptr[i] != '\\' || s.ptr[i + 1] > '3' || !is_octal(s.ptr[i + 1]) ||
        !is_octal(s.ptr[i + 2]) || !is_octal(s.ptr[i + 3])) {
        return false;
    }
    unsigned v = (unsigned)(s.ptr[i + 1] - '0') * 64 + (unsigned)(s.ptr[i + 2] - '0') * 8 +
                 (unsigned)(s.ptr[i + 3] - '0');
    *ret = (char)(unsigned char)v;
    return true;
}

struct span mountinfo_unescape(struct arena *a, struct span s)
{
    if (!span_has(s, '\\')) {
        return s;
    }
    char *out = arena_alloc(a, s.len + 1);
    size_t n = 0;
    for (size_t i = 0; i < s.len;) {
        char c = '\0';
        if (octal_at(s, i, &c)) {
            out[n++] = c;
            i += 4;
        } else {
            out[n++] = s.ptr[i++];
        }
    }
    return (struct span){out, n};
}

static bool parse_device(struct span s, uint32_t *ret_major, uint32_t *ret_minor)
{
    struct span major;
    uint64_t ma = 0, mi = 0;
    if (!span_has(s, ':') || !span_split(&s, ':', &major) || !parse_u64(major, &ma) ||
        !parse_u64(s, &mi) || ma > UINT32_MAX || mi > UINT32_MAX) {
        return false;
    }
    *ret_major = (uint32_t)ma;
    *ret_minor = (uint32_t)mi;
    return true;
}

/* What follows the lone '-': type, source (may be empty), options of the filesystem. */
static bool parse_tail(struct arena *a, struct span rest, struct mount *m)
{
    struct span fstype, source;
    if (!span_split(&rest, ' ', &fstype) || fstype.len == 0 || rest.len == 0) {
        return false;
    }
    if (!span_split(&rest, ' ', &source)) {
        return false;
    }
    m->fstype = mountinfo_unescape(a, fstype);
    m->source = mountinfo_unescape(a, source);
    m->super = mountinfo_unescape(a, rest);
    return true;
}

static bool parse_line(struct arena *a, struct span line, struct mount *ret)
{
    struct mount m = {0};
    struct span f[6];
    for (size_t i = 0; i < ARRAY_LEN(f); i++) {
        if (!span_split(&line, ' ', &f[i]) || f[i].len == 0) {
            return false;
        }
    }
    if (!parse_u64(f[0], &m.id) || !parse_u64(f[1], &m.parent) ||
        !parse_device(f[2], &m.major, &m.minor)) {
        return false;
    }
    m.root = mountinfo_unescape(a, f[3]);
    m.mountpoint = mountinfo_unescape(a, f[4]);
    m.options = mountinfo_unescape(a, f[5]);
    struct span optional;
    while (span_split(&line, ' ', &optional)) {
        if (span_eq_text(optional, "-")) {
            if (!parse_tail(a, line, &m)) {
                return false;
            }
            *ret = m;
            return true;
        }
    }
    return false;
}

void mountinfo_parse(struct arena *a, struct span text, struct mountinfo *ret)
{
    struct mountinfo mi = {0};
    size_t cap = 0;
    struct span line;
    while (span_line(&text, &line)) {
        struct mount m;
        if (mi.n == MOUNTS_MAX || !parse_line(a, line, &m)) {
            mi.skipped += line.len > 0;
            continue;
        }
        if (mi.n == cap) {
            size_t more = cap == 0 ? 32 : cap * 2;
            mi.rows = arena_grow(a, mi.rows, cap * sizeof(m), more * sizeof(m));
            cap = more;
        }
        mi.rows[mi.n++] = m;
    }
    *ret = mi;
}

const struct mount *mountinfo_by_id(const struct mountinfo *mi, uint64_t id)
{
    for (size_t i = mi->n; i-- > 0;) {
        if (mi->rows[i].id == id) {
            return &mi->rows[i];
        }
    }
    return NULL;
}

const struct mount *mountinfo_by_device(const struct mountinfo *mi, uint32_t major, uint32_t minor,
                                        struct span path, bool *ret_exact)
{
    const struct mount *best = NULL, *any = NULL;
    for (size_t i = 0; i < mi->n; i++) {
        const struct mount *m = &mi->rows[i];
        if (m->major != major || m->minor != minor) {
            continue;
        }
        any = m;
        if (span_starts(m->mountpoint, "/") && span_path_below(path, m->mountpoint) &&
            (best == NULL || m->mountpoint.len >= best->mountpoint.len)) {
            best = m;
        }
    }
    *ret_exact = best != NULL;
    return best != NULL ? best : any;
}

const struct mount *mountinfo_by_path(const struct mountinfo *mi, struct span path)
{
    const struct mount *best = NULL;
    for (size_t i = 0; i < mi->n; i++) {
        const struct mount *m = &mi->rows[i];
        if (span_starts(m->mountpoint, "/") && span_path_below(path, m->mountpoint) &&
            (best == NULL || m->mountpoint.len >= best->mountpoint.len)) {
            best = m;
        }
    }
    return best;
}

bool mount_option(struct span options, const char *word, struct span *ret_value)
{
    struct span one, key;
    while (span_split(&options, ',', &one)) {
        if (!span_split(&one, '=', &key) || !span_eq_text(key, word)) {
            continue;
        }
        if (ret_value != NULL) {
            *ret_value = one;
        }
        return true;
    }
    return false;
}

/* The kernel's word for a filesystem and ours. */
static const struct {
    const char *kernel, *ours;
} type_words[] = {
    {"xfs", "xfs"},         {"ext4", "ext4"},     {"ext3", "ext3"},       {"ext2", "ext2"},
    {"btrfs", "btrfs"},     {"zfs", "zfs"},       {"f2fs", "f2fs"},       {"bcachefs", "bcachefs"},
    {"overlay", "overlay"}, {"tmpfs", "tmpfs"},   {"nfs", "nfs"},         {"nfs4", "nfs"},
    {"cifs", "cifs"},       {"smb3", "cifs"},     {"9p", "9p"},           {"virtiofs", "virtiofs"},
    {"vfat", "vfat"},       {"msdos", "vfat"},    {"ntfs", "ntfs"},       {"ntfs3", "ntfs"},
    {"fuse", "fuse"},       {"fuseblk", "fuse"},
};

const char *mount_fs_word(struct span fstype)
{
    for (size_t i = 0; i < ARRAY_LEN(type_words); i++) {
        if (span_eq_text(fstype, type_words[i].kernel)) {
            return type_words[i].ours;
        }
    }
    return span_starts(fstype, "fuse.") ? "fuse" : "other";
}
