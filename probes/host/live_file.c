/* Live files, lists, stat: below a root descriptor, with openat2, never out of it. Outside /proc
 * and /sys a path is opened with O_PATH first, which touches no device and no pipe, and read only
 * when it is a regular file. Knows nothing of what is in the files. */
#include "probes/host/live.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "advisor/base/file.h"
#include "probes/host/fstab_filter.h"
#include "probes/host/maps_filter.h"
#include "probes/host/reply.h"
#include "probes/host/words_filter.h"

#include "advisor/base/banned.h"

#define LIST_ENTRIES_MAX 65536u
#define OPEN_TRIES 8 /* a rename on the way gives EAGAIN */
/* Linux 6.11: STATX_WRITE_ATOMIC, and stx_atomic_write_unit_max in what older headers call spare. */
#define STATX_ATOMIC 0x10000u
#define ATOMIC_MAX_OFFSET 0xacu
_Static_assert(sizeof(struct statx) >= ATOMIC_MAX_OFFSET + 4, "as the kernel has it");
#define OWN_ROOT "/proc/self/root"

bool live_fail(struct err *reterr, int e, const char *verb, const char *path)
{
    err_set_errno(reterr, e, "cannot %s '%s'", verb, path);
    switch (e) {
    case ESRCH:
    case ENOTDIR:
    case ENODEV:
    case ENXIO:
        reterr->code = E_ABSENT;
        break;
    case ELOOP:
        reterr->code = E_DENIED;
        break;
    case EINVAL:
        reterr->code = E_NOT_SUPPORTED;
        break;
    default:
        break;
    }
    return false;
}

static bool is_below(const char *path, const char *dir)
{
    const size_t n = strlen(dir);
    return strncmp(path, dir, n) == 0 && (path[n] == '\0' || path[n] == '/');
}

static bool is_kernels(const char *path)
{
    return is_below(path, "/proc") || is_below(path, "/sys");
}

int live_root_of(const struct live *l, const char *path, const char **ret_rest)
{
    *ret_rest = path;
    if (is_below(path, OWN_ROOT) && path[strlen(OWN_ROOT)] == '/') {
        *ret_rest = path + strlen(OWN_ROOT);
        return l->own_root;
    }
    return is_kernels(path) || l->server_root < 0 ? l->own_root : l->server_root;
}

int live_open_below(int root, const char *path, int flags)
{
    struct open_how how = {.flags = (uint64_t)(unsigned)flags | O_CLOEXEC,
                           .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
    long fd = -1;
    for (int i = 0; i < OPEN_TRIES; i++) {
        fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
        if (fd >= 0 || (errno != EAGAIN && errno != EINTR)) {
            break;
        }
    }
    return (int)fd;
}

int live_open_at(struct live *l, const char *path, int flags, const char *verb, struct err *reterr)
{
    if (path[0] != '/') {
        err_set(reterr, E_USAGE, "not an absolute path: '%s'", path);
        return -1;
    }
    const char *rest = NULL;
    const int root = live_root_of(l, path, &rest);
    const int fd = live_open_below(root, rest, flags);
    if (fd < 0) {
        live_fail(reterr, errno, verb, path);
    }
    return fd;
}

void live_keep_times(int fd)
{
    const int flags = fcntl(fd, F_GETFL);
    if (flags >= 0) {
        (void)fcntl(fd, F_SETFL, flags | O_NOATIME);
    }
}

int live_open_again(int place)
{
    char self[64];
    snprintf(self, sizeof(self), "/proc/self/fd/%d", place);
    const int fd = open(self, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0) {
        live_keep_times(fd);
    }
    return fd;
}

/* In /proc and /sys opening has no effect, so one step does; elsewhere a path may be a pipe or a
 * tape drive. */
int live_open_regular(struct live *l, const char *path, struct err *reterr)
{
    const int read_flags = O_RDONLY | O_NONBLOCK | O_NOCTTY;
    const bool direct = is_kernels(path) && !is_below(path, OWN_ROOT);
    FD_AUTO fd = live_open_at(l, path, direct ? read_flags : O_PATH, "read", reterr);
    if (fd < 0) {
        return -1;
    }
    struct stat st;
    if (fstat(fd, &st) != 0) {
        live_fail(reterr, errno, "read", path);
        return -1;
    }
    if (!S_ISREG(st.st_mode)) {
        err_set(reterr, E_IO, "cannot read '%s': not a regular file", path);
        return -1;
    }
    if (direct) {
        const int out = fd;
        fd = -1;
        return out;
    }
    const int out = live_open_again(fd);
    if (out < 0) {
        live_fail(reterr, errno, "read", path);
    }
    return out;
}

bool live_read_all(struct arena *a, int fd, size_t max, const char *path, struct span *ret,
                   struct err *reterr)
{
    char first[16384]; /* most files of /proc and /sys are smaller: one copy, no growth */
    struct buf b;
    buf_init(&b, a, max);
    for (;;) {
        const ssize_t n = read(fd, first, sizeof(first));
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return live_fail(reterr, errno, "read", path);
        }
        if (n == 0) {
            break;
        }
        buf_add(&b, first, (size_t)n);
        if (b.full) {
            return err_set(reterr, E_TOO_BIG, "cannot read '%s': larger than %zu bytes", path, max);
        }
    }
    *ret = buf_span(&b);
    return true;
}

bool live_read(struct live *l, const char *path, size_t max, struct span *ret, struct err *reterr)
{
    FD_AUTO fd = live_open_regular(l, path, reterr);
    char separator;
    if (fd < 0 || !live_read_all(l->arena, fd, max, path, ret, reterr)) {
        return false;
    }
    if (words_are_cmdline(path, &separator)) {
        struct buf b;
        buf_init(&b, l->arena, ret->len * 4 + 8); /* a word grows by three bytes at most */
        words_blank_secrets(&b, *ret, separator);
        *ret = buf_span(&b);
    } else if (maps_are_of_process(path)) {
        struct buf b;
        buf_init(&b, l->arena, ret->len + 8);
        maps_keep_names(&b, *ret);
        *ret = buf_span(&b);
    } else if (fstab_is_table(path)) {
        struct buf b;
        buf_init(&b, l->arena, ret->len * 4 + 64); /* of each row a few bytes are added */
        fstab_filter(&b, *ret);
        *ret = buf_span(&b);
    } else if (words_are_environment(path)) {
        struct buf b;
        buf_init(&b, l->arena, ret->len + 8);
        words_keep_environment(&b, *ret);
        *ret = buf_span(&b);
    }
    return true;
}

static int compare_names(const void *left, const void *right)
{
    const struct span *const a = left;
    const struct span *const b = right;
    return span_cmp(*a, *b);
}

static bool list_dir(struct arena *a, DIR *dir, const char *path, struct span *ret,
                     struct err *reterr)
{
    ARENA_AUTO scratch = arena_new();
    struct span *names = NULL;
    size_t n = 0, cap = 0;
    for (;;) {
        errno = 0;
        const struct dirent *const e = readdir(dir);
        if (e == NULL && errno != 0) {
            return live_fail(reterr, errno, "list", path);
        }
        if (e == NULL) {
            break;
        }
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) {
            continue;
        }
        if (n == LIST_ENTRIES_MAX) {
            return err_set(reterr, E_TOO_BIG, "cannot list '%s': more than %u entries", path,
                           LIST_ENTRIES_MAX);
        }
        if (n == cap) {
            const size_t more = cap == 0 ? 64 : cap * 2;
            names = arena_grow(scratch, names, cap * sizeof(*names), more * sizeof(*names));
            cap = more;
        }
        names[n++] = span_copy(scratch, span_of(e->d_name));
    }
    if (n > 1) {
        qsort(names, n, sizeof(*names), compare_names);
    }
    *ret = reply_names(a, names, n);
    return true;
}

bool live_list(struct live *l, const char *path, struct span *ret, struct err *reterr)
{
    FD_AUTO fd = live_open_at(l, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK, "list", reterr);
    if (fd < 0) {
        return false;
    }
    live_keep_times(fd);
    DIR *const dir = fdopendir(fd);
    if (dir == NULL) {
        return live_fail(reterr, errno, "list", path);
    }
    fd = -1;
    const bool ok = list_dir(l->arena, dir, path, ret, reterr);
    closedir(dir);
    return ok;
}

bool live_stat(struct live *l, const char *path, struct span *ret, struct err *reterr)
{
    FD_AUTO fd = live_open_at(l, path, O_PATH, "stat", reterr);
    if (fd < 0) {
        return false;
    }
    unsigned mask = STATX_BASIC_STATS | STATX_MNT_ID | STATX_ATOMIC;
#ifdef STATX_DIOALIGN
    mask |= STATX_DIOALIGN;
#endif
    struct statx sx;
    if (statx(fd, "", AT_EMPTY_PATH | AT_NO_AUTOMOUNT, mask, &sx) != 0) {
        return live_fail(reterr, errno, "stat", path);
    }
    struct host_stat st = {
        .mode = sx.stx_mode,
        .uid = sx.stx_uid,
        .gid = sx.stx_gid,
        .size = sx.stx_size,
        .blocks512 = sx.stx_blocks,
        .inode = sx.stx_ino,
        .dev_major = sx.stx_dev_major,
        .dev_minor = sx.stx_dev_minor,
        .rdev_major = sx.stx_rdev_major,
        .rdev_minor = sx.stx_rdev_minor,
        .has_mnt_id = (sx.stx_mask & STATX_MNT_ID) != 0,
        .mtime_sec = sx.stx_mtime.tv_sec,
    };
    st.mnt_id = st.has_mnt_id ? sx.stx_mnt_id : 0;
#ifdef STATX_DIOALIGN
    st.has_dio = (sx.stx_mask & STATX_DIOALIGN) != 0;
    st.dio_mem_align = st.has_dio ? sx.stx_dio_mem_align : 0;
    st.dio_offset_align = st.has_dio ? sx.stx_dio_offset_align : 0;
#endif
    st.has_atomic = (sx.stx_mask & STATX_ATOMIC) != 0;
    if (st.has_atomic) {
        memcpy(&st.atomic_max, (const char *)&sx + ATOMIC_MAX_OFFSET, sizeof(st.atomic_max));
    }
    *ret = reply_stat(l->arena, &st);
    return true;
}

bool live_statfs(struct live *l, const char *path, struct span *ret, struct err *reterr)
{
    FD_AUTO fd = live_open_at(l, path, O_PATH, "statfs", reterr);
    if (fd < 0) {
        return false;
    }
    struct statfs fs;
    if (fstatfs(fd, &fs) != 0) {
        return live_fail(reterr, errno, "statfs", path);
    }
    const struct host_statfs st = {
        .type = (uint64_t)fs.f_type,
        .block_size = (uint64_t)fs.f_bsize,
        .blocks = fs.f_blocks,
        .free_blocks = fs.f_bfree,
        .available_blocks = fs.f_bavail,
        .files = fs.f_files,
        .free_files = fs.f_ffree,
    };
    *ret = reply_statfs(l->arena, &st);
    return true;
}
