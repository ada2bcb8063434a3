/* What single filesystems tell of themselves: the geometry of XFS, whether a file opens for direct I/O,
 * the superblock of ext4. Of that only numbers leave the seam: no label, no UUID, no path. */
#include "probes/host/live.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "advisor/base/file.h"
#include "probes/host/reply.h"

#include "advisor/base/banned.h"

#define XFS_MAGIC 0x58465342
#define EXT_MAGIC 0xef53
#define SUPER_OFFSET 1024

/* struct xfs_fsop_geom and its request (fs/xfs/libxfs/xfs_fs.h); Linux 5.2 and later. */
struct xfs_geometry {
    uint32_t block_size, rt_extent, ag_blocks, ag_count, log_blocks, sector_size, inode_size,
        inode_percent;
    uint64_t data_blocks, rt_blocks, rt_extents, log_start;
    uint8_t uuid[16];
    uint32_t sunit, swidth; /* blocks */
    int32_t version;
    uint32_t flags, log_sector_size, rt_sector_size, dir_block_size, log_sunit, sick, checked;
    uint64_t reserved[17];
};
_Static_assert(sizeof(struct xfs_geometry) == 256, "as the kernel has it");
#define XFS_GEOMETRY _IOR('X', 126, struct xfs_geometry)

static bool live_xfs(struct live *l, const char *path, struct span *ret, struct err *reterr)
{
    FD_AUTO fd = live_open_at(l, path, O_RDONLY | O_DIRECTORY | O_NONBLOCK, "open", reterr);
    struct statfs fs;
    struct xfs_geometry g;
    if (fd < 0) {
        return false;
    }
    if (fstatfs(fd, &fs) != 0) {
        return live_fail(reterr, errno, "statfs", path);
    }
    if ((uint64_t)fs.f_type != XFS_MAGIC) {
        return err_set(reterr, E_NOT_SUPPORTED, "'%s' is not on XFS", path);
    }
    memset(&g, 0, sizeof(g));
    if (ioctl(fd, XFS_GEOMETRY, &g) != 0) {
        const int e = errno == ENOTTY ? EINVAL : errno; /* an older kernel: not supported */
        return live_fail(reterr, e, "ask XFS for the geometry of", path);
    }
    const struct host_xfs x = {.block_size = g.block_size,
                               .sector_size = g.sector_size,
                               .ag_count = g.ag_count,
                               .log_blocks = g.log_blocks,
                               .sunit = g.sunit,
                               .swidth = g.swidth,
                               .flags = g.flags};
    *ret = reply_xfs(l->arena, &x);
    return true;
}

/* Opening changes nothing, and what is not a regular file is not opened. */
static bool live_direct(struct live *l, const char *path, struct span *ret, struct err *reterr)
{
    FD_AUTO place = live_open_at(l, path, O_PATH, "open", reterr);
    struct stat st;
    char self[64];
    if (place < 0) {
        return false;
    }
    if (fstat(place, &st) != 0) {
        return live_fail(reterr, errno, "stat", path);
    }
    if (!S_ISREG(st.st_mode)) {
        return err_set(reterr, E_IO, "cannot open '%s': not a regular file", path);
    }
    snprintf(self, sizeof(self), "/proc/self/fd/%d", place);
    FD_AUTO fd = open(self, O_RDONLY | O_DIRECT | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 && errno != EINVAL) {
        return live_fail(reterr, errno, "open", path);
    }
    *ret = fd < 0 ? SPAN_LIT("no") : SPAN_LIT("yes");
    return true;
}

/* ---- the superblock of ext4 ------------------------------------------------------------------ */

/* The node of a block device that is mounted, by its number. */
static int open_node(struct live *l, dev_t dev, struct err *reterr)
{
    char link[4096];
    const char *const sys =
        arena_printf(l->arena, "/sys/dev/block/%u:%u", major(dev), minor(dev));
    const ssize_t n = readlink(sys, link, sizeof(link) - 1);
    if (n <= 0) {
        live_fail(reterr, n < 0 ? errno : ENOENT, "read", sys);
        return -1;
    }
    link[n] = '\0';
    const char *const slash = strrchr(link, '/');
    char *const path = arena_printf(l->arena, "/dev/%s", slash == NULL ? link : slash + 1);
    for (char *p = path; *p != '\0'; p++) {
        *p = *p == '!' ? '/' : *p; /* sysfs cannot have a '/' in a name */
    }
    FD_AUTO place = live_open_below(l->own_root, path, O_PATH);
    struct stat st;
    if (place < 0 || fstat(place, &st) != 0) {
        live_fail(reterr, errno, "open", path);
        return -1;
    }
    if (!S_ISBLK(st.st_mode) || st.st_rdev != dev) {
        err_set(reterr, E_ABSENT, "'%s' is not the device that is mounted", path);
        return -1;
    }
    char self[64];
    snprintf(self, sizeof(self), "/proc/self/fd/%d", place);
    const int fd = open(self, O_RDONLY | O_NONBLOCK | O_NOATIME | O_CLOEXEC);
    if (fd < 0) {
        live_fail(reterr, errno, "open", path);
    }
    return fd;
}

bool live_super_open(struct live *l, const char *path, struct span *ret, struct err *reterr)
{
    if (l->super_fd >= 0) {
        return err_set(reterr, E_USAGE, "a filesystem's device is open already");
    }
    FD_AUTO fd = live_open_at(l, path, O_PATH, "open", reterr);
    struct statfs fs;
    struct stat st;
    if (fd < 0) {
        return false;
    }
    if (fstatfs(fd, &fs) != 0 || fstat(fd, &st) != 0) {
        return live_fail(reterr, errno, "statfs", path);
    }
    if ((uint64_t)fs.f_type != EXT_MAGIC) {
        return err_set(reterr, E_NOT_SUPPORTED, "'%s' is not on ext2, ext3 or ext4", path);
    }
    l->super_fd = open_node(l, st.st_dev, reterr);
    if (l->super_fd < 0) {
        return false;
    }
    *ret = SPAN_LIT("");
    return true;
}

/* Sizes, features and the journal (fs/ext4/ext4.h, struct ext4_super_block); all else stays zero. */
static const struct {
    size_t from, to;
} super_fields[] = {
    {0x04, 0x0c},   /* blocks, reserved blocks */
    {0x18, 0x20},   /* block and cluster size */
    {0x38, 0x3a},   /* magic */
    {0x5c, 0x68},   /* features */
    {0xe0, 0xe8},   /* journal: inode, device */
    {0xfd, 0xfe},   /* what the copy of the journal's inode is */
    {0x148, 0x158}, /* of that: its size; then the high halves of the blocks */
};

/* The kernel holds the superblock of a mounted filesystem in memory: no device is waited for. */
static bool live_super(struct live *l, struct span *ret, struct err *reterr)
{
    uint8_t raw[HOST_SUPER_BYTES];
    if (l->super_fd < 0) {
        return err_set(reterr, E_USAGE, "no filesystem's device is open");
    }
    const ssize_t n = pread(l->super_fd, raw, sizeof(raw), SUPER_OFFSET);
    if (n < 0) {
        return err_set_errno(reterr, errno, "cannot read the superblock");
    }
    if ((size_t)n < sizeof(raw)) {
        return err_set(reterr, E_CUT, "the superblock has %zd bytes only", n);
    }
    char *const out = arena_calloc(l->arena, sizeof(raw), 1);
    for (size_t i = 0; i < ARRAY_LEN(super_fields); i++) {
        memcpy(out + super_fields[i].from, raw + super_fields[i].from,
               super_fields[i].to - super_fields[i].from);
    }
    *ret = (struct span){out, sizeof(raw)};
    return true;
}

bool live_fs(struct live *l, const char *key, struct span *ret, struct err *reterr)
{
    if (strncmp(key, "xfs ", 4) == 0) {
        return live_xfs(l, key + 4, ret, reterr);
    }
    if (strncmp(key, "direct ", 7) == 0) {
        return live_direct(l, key + 7, ret, reterr);
    }
    if (strncmp(key, "extents ", 8) == 0) {
        return live_extents(l, key + 8, ret, reterr);
    }
    if (strcmp(key, "super") == 0) {
        return live_super(l, ret, reterr);
    }
    return err_set(reterr, E_USAGE, "no filesystem is asked for '%s'", key);
}
