/* Option files of this machine, for logins: read here and not through the seam, so that no capture
 * can ever hold them. Knows nothing of what they say. */
#include "probes/login.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advisor/base/file.h"

#include "advisor/base/banned.h"

/* What no reader would get: a loop of symlinks, a path below what is no directory, a name that is too long. The
 * servers pass over such a file, and stop at such a directory, as if it were absent. */
static bool cannot_open(int e, const char *what, const char *path, struct err *reterr)
{
    err_set_errno(reterr, e, "%s '%s'", what, path);
    if (e == ELOOP || e == ENOTDIR || e == ENAMETOOLONG || e == ENXIO) {
        reterr->code = E_ABSENT;
    }
    return false;
}

static bool read_open(struct arena *a, int fd, const char *path, struct optfile_text *ret,
                      struct err *reterr)
{
    struct stat st;
    if (fstat(fd, &st) < 0) {
        return err_set_errno(reterr, errno, "option file '%s'", path);
    }
    if (S_ISDIR(st.st_mode)) {
        /* The servers open it, and find no line. */
        return err_set(reterr, E_ABSENT, "option file '%s' is a directory", path);
    }
    if (!S_ISREG(st.st_mode)) {
        return err_set(reterr, E_NOT_SUPPORTED, "option file '%s' is not a regular file", path);
    }
    size_t max = st.st_size >= 0 && st.st_size <= (off_t)OPTFILE_BYTES_MAX ? (size_t)st.st_size
                                                                           : OPTFILE_BYTES_MAX;
    char *bytes = arena_alloc(a, max + 1);
    size_t len = 0;
    for (;;) {
        ssize_t n = read(fd, bytes + len, max + 1 - len);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return err_set_errno(reterr, errno, "option file '%s'", path);
        }
        if (n == 0) {
            break;
        }
        len += (size_t)n;
        if (len > max) {
            return err_set(reterr, E_TOO_BIG, "option file '%s' grows, or is larger than %u bytes",
                           path, OPTFILE_BYTES_MAX);
        }
    }
    *ret = (struct optfile_text){{bytes, len}, st.st_mode, st.st_uid, st.st_gid};
    return true;
}

static bool live_read(void *ctx, const char *path, struct optfile_text *ret, struct err *reterr)
{
    /* O_NONBLOCK: a FIFO must not make us wait before fstat tells what it is. */
    FD_AUTO fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) {
        return cannot_open(errno, "option file", path, reterr);
    }
    return read_open(ctx, fd, path, ret, reterr);
}

static bool live_list(void *ctx, const char *path, struct host_names *ret, struct err *reterr)
{
    struct host_names names = {.n = 0};
    size_t cap = 0;
    DIR *dir = opendir(path);
    if (dir == NULL) {
        return cannot_open(errno, "option directory", path, reterr);
    }
    const struct dirent *e;
    while ((e = readdir(dir)) != NULL && names.n < OPTFILE_OPTIONS_MAX) {
        if (names.n == cap) {
            size_t more = cap == 0 ? 64 : cap * 2;
            names.names = arena_grow(ctx, names.names, cap * sizeof(*names.names),
                                     more * sizeof(*names.names));
            cap = more;
        }
        names.names[names.n++] = span_of(arena_strdup(ctx, e->d_name));
    }
    closedir(dir);
    *ret = names;
    return true;
}

struct optfile_io login_io(struct arena *a, const char *home)
{
    return (struct optfile_io){.ctx = a, .home = home, .read = live_read, .list = live_list};
}
