/* See pathlook.h. */
#include "advisor/cli/pathlook.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "advisor/base/banned.h"

struct answer {
    int failed; /* errno, or 0 */
    uid_t uid;
    gid_t gid;
    char path[PATH_MAX];
};

/* The child: the answer goes out whole or not at all. */
static _Noreturn void look(const char *path, int fd)
{
    static struct answer out;
    struct stat st;
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (realpath(path, out.path) == NULL || stat(out.path, &st) != 0) {
        out.failed = errno;
    } else {
        out.uid = st.st_uid;
        out.gid = st.st_gid;
    }
    const char *p = (const char *)&out;
    for (size_t left = sizeof(out); left > 0;) {
        const ssize_t n = write(fd, p, left);
        if (n <= 0) {
            _exit(1);
        }
        p += n;
        left -= (size_t)n;
    }
    _exit(0);
}

static double now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* 1: all of it; 0: the time is over; -1: the child ended before. */
static int receive(int fd, double seconds, struct answer *ret)
{
    const double end = now() + seconds;
    size_t have = 0;
    while (have < sizeof(*ret)) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        const double left = end - now();
        const int ready = left > 0 ? poll(&p, 1, (int)(left * 1000) + 1) : 0;
        if (ready == 0) {
            return 0;
        }
        const ssize_t n = ready > 0 ? read(fd, (char *)ret + have, sizeof(*ret) - have) : -1;
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return -1;
        }
        have += n > 0 ? (size_t)n : 0;
    }
    return 1;
}

bool pathlook(struct arena *a, const char *path, double seconds, struct pathlook *ret,
              struct err *reterr)
{
    struct answer *answer = arena_calloc(a, 1, sizeof(*answer));
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return err_set_errno(reterr, errno, "no pipe to look at '%s'", path);
    }
    const pid_t pid = fork();
    if (pid == 0) {
        look(path, ends[1]);
    }
    (void)close(ends[1]);
    const int got = pid > 0 ? receive(ends[0], seconds, answer) : -1;
    (void)close(ends[0]);
    if (pid > 0) {
        /* One that the kernel holds is not waited for. */
        (void)kill(pid, SIGKILL);
        (void)waitpid(pid, NULL, got == 1 ? 0 : WNOHANG);
    }
    if (got == 0) {
        err_set(reterr, E_TIMEOUT, "'%s' did not answer within %g s", path, seconds);
        err_hint(reterr, "Is something mounted there whose server or device is gone?");
        return false;
    }
    if (got < 0) {
        return err_set(reterr, E_IO, "no process to look at '%s'", path);
    }
    if (answer->failed != 0) {
        return err_set_errno(reterr, answer->failed, "'%s' cannot be looked at", path);
    }
    *ret = (struct pathlook){arena_strdup(a, answer->path), answer->uid, answer->gid};
    return true;
}
