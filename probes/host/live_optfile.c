/* Live option files, below the server's root and nowhere else: a server's own files can name any
 * path. Secrets are taken out before anything leaves. Knows nothing of what options mean. */
#include "probes/host/live.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "advisor/base/file.h"
#include "probes/host/optfile_filter.h"
#include "probes/host/reply.h"

#include "advisor/base/banned.h"

#define PERSISTED "persisted "
#define WHOLE "whole "

/* Files of the kernel's are made as they are read, and may tell of this very process. */
static bool is_kernels(int fd)
{
    struct statfs fs;
    return fstatfs(fd, &fs) != 0 || fs.f_type == PROC_SUPER_MAGIC || fs.f_type == SYSFS_MAGIC ||
           fs.f_type == DEBUGFS_MAGIC || fs.f_type == TRACEFS_MAGIC ||
           fs.f_type == CGROUP_SUPER_MAGIC || fs.f_type == CGROUP2_SUPER_MAGIC;
}

static bool check(int fd, const char *path, struct stat *st, struct err *reterr)
{
    if (fstat(fd, st) != 0) {
        return live_fail(reterr, errno, "read", path);
    }
    if (S_ISDIR(st->st_mode)) {
        /* The servers open it, and find no line. */
        return err_set(reterr, E_ABSENT, "'%s' is a directory", path);
    }
    if (!S_ISREG(st->st_mode) || is_kernels(fd)) {
        return err_set(reterr, E_NOT_SUPPORTED, "cannot read '%s': not a regular file", path);
    }
    if (st->st_size > (off_t)HOST_OPTFILE_MAX) {
        return err_set(reterr, E_TOO_BIG, "cannot read '%s': larger than %u bytes", path,
                       HOST_OPTFILE_MAX);
    }
    return true;
}

bool live_optfile(struct live *l, const char *key, struct span *ret, struct err *reterr)
{
    const bool persisted = strncmp(key, PERSISTED, strlen(PERSISTED)) == 0;
    const bool whole = strncmp(key, WHOLE, strlen(WHOLE)) == 0;
    const char *const path = persisted ? key + strlen(PERSISTED)
                             : whole   ? key + strlen(WHOLE)
                                       : key;
    if (l->server_root < 0 || path[0] != '/') {
        return err_set(reterr, E_USAGE, "no server's root is open for '%s'", path);
    }
    FD_AUTO place = live_open_below(l->server_root, path, O_PATH);
    if (place < 0) {
        return live_fail(reterr, errno, "read", path);
    }
    struct stat st;
    if (!check(place, path, &st, reterr)) {
        return false;
    }
    FD_AUTO fd = live_open_again(place);
    struct span text;
    if (fd < 0) {
        return live_fail(reterr, errno, "read", path);
    }
    if (!live_read_all(l->arena, fd, HOST_OPTFILE_MAX, path, &text, reterr)) {
        return false;
    }
    struct buf b;
    buf_init(&b, l->arena, text.len * 2 + 8);
    struct host_optfile file = {.mode = st.st_mode, .uid = st.st_uid, .gid = st.st_gid};
    if (persisted) {
        if (!optfile_blank_persisted(l->arena, text, &file.text, reterr)) {
            return err_wrap(reterr, "reading '%s'", path);
        }
    } else {
        optfile_blank_secrets(&b, text, whole);
        file.text = buf_span(&b);
    }
    *ret = reply_optfile(l->arena, &file);
    return true;
}
