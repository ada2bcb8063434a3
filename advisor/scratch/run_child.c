/* Between fork and exec: everything is taken away that the program does not need. Only system
 * calls, since nothing else is safe here. */
#include "advisor/scratch/run_int.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/ioprio.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "advisor/base/banned.h"

#define NICE 10
#define EXIT_BEFORE_EXEC 127
#define FILES_MAX                                                                                  \
    ((rlim_t)1024 * 1024) /* fs.nr_open's default: what a server may ask for at most */

static void say(const struct run_child *c, enum run_stage stage, int e)
{
    const struct run_word w = {(int)stage, e};
    const ssize_t n = write(c->word_fd, &w, sizeof(w));
    (void)n; /* nobody there to read: we end by the death signal */
}

static ATTR_NORETURN void fail(const struct run_child *c, enum run_stage stage)
{
    say(c, stage, errno);
    _exit(EXIT_BEFORE_EXEC);
}

static void reset_signals(void)
{
    sigset_t none;
    for (int s = 1; s < NSIG; s++) {
        (void)signal(s, SIG_DFL); /* refused for SIGKILL and SIGSTOP, which is right */
    }
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static void limit(const struct run_spec *spec)
{
    const struct rlimit core = {0, 0}, file = {spec->file_max, spec->file_max};
    struct rlimit files = {FILES_MAX, FILES_MAX};
    (void)setrlimit(RLIMIT_CORE, &core);
    (void)setrlimit(RLIMIT_FSIZE, &file);
    /* As many files as a service would get: else a server lowers other settings to fit. */
    if (setrlimit(RLIMIT_NOFILE, &files) != 0 && getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
}

/* First to go when memory runs short, last to be served. */
static void step_back(const struct run_spec *spec)
{
    const int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        const ssize_t n = write(fd, "1000", 4);
        (void)n;
        (void)close(fd);
    }
    if (!spec->full_speed) {
        (void)setpriority(PRIO_PROCESS, 0, NICE);
        (void)syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0,
                      IOPRIO_PRIO_VALUE(IOPRIO_CLASS_IDLE, 0));
    }
}

/* A view of the filesystems of its own, in which all is read-only but its directory. Needs
 * CAP_SYS_ADMIN and Linux 5.12; without them the paths that the program is given are what keeps it
 * where it belongs. */
static bool fence(const struct run_spec *spec, bool *ret_covered)
{
    const char *const dir = spec->dir;
    struct mount_attr set = {.attr_set = MOUNT_ATTR_RDONLY};
    struct mount_attr clear = {.attr_clr = MOUNT_ATTR_RDONLY};
    if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) {
        return false;
    }
    *ret_covered =
        spec->cover != NULL && mount(spec->cover_with, spec->cover, NULL, MS_BIND, NULL) == 0;
    return (dir == NULL || mount(dir, dir, NULL, MS_BIND | MS_REC, NULL) == 0) &&
           syscall(SYS_mount_setattr, AT_FDCWD, "/", AT_RECURSIVE, &set, sizeof(set)) == 0 &&
           (dir == NULL ||
            syscall(SYS_mount_setattr, AT_FDCWD, dir, 0, &clear, sizeof(clear)) == 0);
}

/* 0 is /dev/null, 1 and 2 are what they shall be; the pipe of words goes with exec, all else goes
 * now. */
static bool files(const struct run_child *c)
{
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0 || dup2(null, 0) < 0 || dup2(c->out_fd, 1) < 0 || dup2(c->err_fd, 2) < 0) {
        return false;
    }
    const unsigned word = (unsigned)c->word_fd;
    return (word <= 3 || syscall(SYS_close_range, 3u, word - 1, 0) == 0) &&
           syscall(SYS_close_range, word + 1, ~0u, 0) == 0 &&
           chdir(c->spec->dir != NULL ? c->spec->dir : "/") == 0;
}

static bool become(const struct run_spec *spec)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];
    memset(none, 0, sizeof(none));
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return false;
    }
    if (geteuid() == 0 &&
        (setgroups(0, NULL) != 0 || setresgid(spec->gid, spec->gid, spec->gid) != 0 ||
         setresuid(spec->uid, spec->uid, spec->uid) != 0)) {
        return false;
    }
    if (geteuid() != spec->uid) {
        errno = EPERM;
        return false;
    }
    return syscall(SYS_capset, &head, none) == 0;
}

void run_child(const struct run_child *c)
{
    char byte = 0;
    (void)setsid();
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    reset_signals();
    /* No byte: whoever started us is gone, or has thought better of it. */
    if (getppid() != c->parent || read(c->gate_fd, &byte, 1) != 1) {
        _exit(EXIT_BEFORE_EXEC);
    }
    (void)umask(077);
    limit(c->spec);
    step_back(c->spec);
    bool covered = false;
    if (fence(c->spec, &covered)) {
        say(c, STAGE_FENCED, 0);
    }
    if (c->spec->cover != NULL && !covered) {
        fail(c, STAGE_COVER);
    }
    if (!files(c)) {
        fail(c, STAGE_FILES);
    }
    if (!become(c->spec)) {
        fail(c, STAGE_IDENTITY);
    }
    /* The change of identity cleared it, and the parent may have died meanwhile. No new privileges:
     * so a program with capabilities of its own does not clear it either. */
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != c->parent) {
        fail(c, STAGE_ORPHAN);
    }
    (void)execve(c->spec->program, c->argv, c->env);
    fail(c, STAGE_EXEC);
}
