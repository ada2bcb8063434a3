/* Locks between runs. The process id in the file is for people: what counts is the kernel's lock. */
#include "advisor/base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advisor/base/file.h"
#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

#define PID_TEXT_MAX 24

static bool busy(int fd, const char *name, struct err *reterr)
{
    char text[PID_TEXT_MAX];
    uint64_t pid = 0;
    const ssize_t n = pread(fd, text, sizeof(text), 0);
    const struct span digits = span_trim((struct span){text, n > 0 ? (size_t)n : 0});
    if (parse_u64(digits, &pid)) {
        err_set(reterr, E_BUSY, "another nvadvise, process %llu, is at work here (lock '%s')",
                (unsigned long long)pid, name);
    } else {
        err_set(reterr, E_BUSY, "another nvadvise is at work here (lock '%s')", name);
    }
    return err_hint(reterr, "Wait until it has ended, then try again.");
}

/* No room for the number is no reason not to work: a full disk is when something must be undone. */
static void write_pid(int fd)
{
    char text[PID_TEXT_MAX];
    const int n = snprintf(text, sizeof(text), "%ld\n", (long)getpid());
    if (ftruncate(fd, 0) != 0 || pwrite(fd, text, (size_t)n, 0) != n) {
        (void)!ftruncate(fd, 0);
    }
}

bool lock_take(const char *dir, const char *name, int *ret_fd, struct err *reterr)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path)) {
        return err_set(reterr, E_USAGE, "'%s': path too long", dir);
    }
    FD_AUTO fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (fd < 0) {
        return err_set_errno(reterr, errno, "cannot open lock '%s'", path);
    }
    while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) {
            return busy(fd, path, reterr);
        }
        if (errno != EINTR) {
            return err_set_errno(reterr, errno, "cannot lock '%s'", path);
        }
    }
    write_pid(fd);
    *ret_fd = fd;
    fd = -1;
    return true;
}
