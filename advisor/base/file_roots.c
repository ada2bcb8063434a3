/* Files that decide what a program of root's says: read only when they are root's alone. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "advisor/base/file.h"

#include "advisor/base/banned.h"

bool file_is_roots(int fd, const char *path, struct err *reterr)
{
    struct stat st;
    if (fstat(fd, &st) != 0) {
        return err_set_errno(reterr, errno, "cannot look at '%s'", path);
    }
    if (st.st_uid == 0 && (st.st_mode & (S_IWGRP | S_IWOTH)) == 0) {
        return true;
    }
    (void)err_set(reterr, E_DENIED, "'%s' is not root's alone: it is not read", path);
    return err_hint(reterr, "chown root '%s' && chmod go-w '%s', or remove it.", path, path);
}

static bool open_folder(struct arena *a, const char *path, int *ret, struct err *reterr)
{
    const char *slash = strrchr(path, '/');
    const char *dir = slash == NULL   ? "."
                      : slash == path ? "/"
                                      : arena_printf(a, "%.*s", (int)(slash - path), path);
    FD_AUTO fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return err_set_errno(reterr, errno, "cannot open '%s'", dir);
    }
    if (!file_is_roots(fd, dir, reterr)) {
        return false;
    }
    *ret = fd;
    fd = -1;
    return true;
}

bool file_read_roots(struct arena *a, const char *path, size_t max, struct span *ret,
                     struct err *reterr)
{
    FD_AUTO folder = -1;
    if (!open_folder(a, path, &folder, reterr)) {
        return false;
    }
    const char *slash = strrchr(path, '/');
    FD_AUTO fd = openat(folder, slash == NULL ? path : slash + 1,
                        O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) {
        return err_set_errno(reterr, errno, "cannot open '%s'", path);
    }
    struct stat st;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        return err_set(reterr, E_DENIED, "'%s' is no regular file", path);
    }
    return file_is_roots(fd, path, reterr) && file_read_fd(a, fd, path, max, ret, reterr);
}
