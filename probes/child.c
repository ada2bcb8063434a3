/* See child.h. Between fork and probe only what closes doors. */
#include "probes/child.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "advisor/base/file.h"
#include "advisor/base/parse.h"
#include "probes/frames.h"

#include "advisor/base/banned.h"

#define NOBODY 65534u
#define PIPE_FD 3
#define EXIT_ORPHAN 3
/* What a child may take beyond what it starts with; ours. The largest reply of the seam is 2 MiB, a listing
 * of 65536 names some 20 MiB; a server that answers without end must not eat the host's memory. */
#define MEMORY_MAX ((rlim_t)256 * 1024 * 1024)
#define MEMORY_MORE ((rlim_t)4 * 1024 * 1024) /* each further job: over ten times a disk's */

struct drop {
    const struct job *job;
    pid_t parent;
};

/* ---- privileges ------------------------------------------------------------------------------ */

static bool set_capabilities(bool keep_admin, struct err *reterr)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct now[_LINUX_CAPABILITY_U32S_3];
    struct __user_cap_data_struct want[_LINUX_CAPABILITY_U32S_3];
    memset(now, 0, sizeof(now));
    memset(want, 0, sizeof(want));
    if (syscall(SYS_capget, &head, now) != 0) {
        return err_set_errno(reterr, errno, "cannot read our capabilities");
    }
    const uint32_t admin = 1u << CAP_SYS_ADMIN;
    if (keep_admin && (now[0].permitted & admin) != 0) {
        want[0].permitted = admin;
        want[0].effective = admin;
    }
    if (syscall(SYS_capset, &head, want) != 0) {
        return err_set_errno(reterr, errno, "cannot drop our capabilities");
    }
    return true;
}

bool child_drop(enum identity identity, uid_t uid, gid_t gid, struct err *reterr)
{
    const bool keep_admin = identity == IDENTITY_NVME;
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        return err_set_errno(reterr, errno, "cannot forbid new privileges");
    }
    if (identity != IDENTITY_SERVER) {
        uid = NOBODY;
        gid = NOBODY;
    }
    if (geteuid() == 0) {
        if (keep_admin && prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0) {
            return err_set_errno(reterr, errno, "cannot keep a capability");
        }
        if (setgroups(0, NULL) != 0 || setresgid(gid, gid, gid) != 0 ||
            setresuid(uid, uid, uid) != 0) {
            const int e = errno;
            err_set(reterr, E_DENIED, "cannot become user %u: %s", uid, strerror(e));
            return err_hint(reterr, "Root needs CAP_SETUID and CAP_SETGID here, to give itself up; else "
                                    "run as an ordinary user.");
        }
    }
    return set_capabilities(keep_admin, reterr);
}

/* A change of identity clears the death signal; the parent may have died in between. */
static void die_with(pid_t parent)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (getppid() != parent) {
        _exit(EXIT_ORPHAN);
    }
}

static bool drop_now(void *ctx, struct err *reterr)
{
    const struct drop *const d = ctx;
    const struct probe_args *const args = &d->job->args;
    const bool ok = child_drop(d->job->probe->identity, args->uid, args->gid, reterr);
    /* A change of identity also sets this to fs.suid_dumpable: the server's account could trace us. */
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    die_with(d->parent);
    return ok;
}

/* ---- descriptors ----------------------------------------------------------------------------- */

/* A job's way into the pipe, which it may share. */
struct lane {
    size_t job;
    size_t *at; /* whose frames came last */
};

static void write_or_end(struct span bytes)
{
    struct err err = ERR_INIT;
    if (!file_write_all(PIPE_FD, bytes, &err)) {
        _exit(EXIT_ORPHAN); /* nobody reads any more */
    }
}

static bool flush_to_pipe(struct job_out *out)
{
    const struct lane *const l = out->ctx;
    if (*l->at != l->job) {
        ARENA_AUTO a = arena_new();
        struct buf head;
        buf_init(&head, a, FRAME_SMALL_MAX);
        frame_add_job(&head, (unsigned)l->job);
        write_or_end(buf_span(&head));
        *l->at = l->job;
    }
    write_or_end(buf_span(&out->frames));
    return true;
}

/* The pipe as PIPE_FD, /dev/null as 0, 1 and 2, and nothing else. Where there is no /dev, what takes its
 * place can neither be read nor written. */
static bool keep_only(int pipe_end)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0) {
        null = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    }
    if (null < 0 || dup2(pipe_end, PIPE_FD) < 0) {
        return false;
    }
    for (int fd = 0; fd <= 2; fd++) {
        if (dup2(null, fd) < 0) {
            return false;
        }
    }
    return fcntl(PIPE_FD, F_SETFD, FD_CLOEXEC) == 0 &&
           syscall(SYS_close_range, PIPE_FD + 1, ~0u, 0) == 0;
}

/* The pages of data that this process has now, the sixth number of statm; sanitizers have many. */
static bool own_data_pages(uint64_t *ret)
{
    char text[256];
    FD_AUTO fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    const ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof(text));
    struct span rest = {text, n > 0 ? (size_t)n : 0}, word = {"", 0};
    for (unsigned i = 0; i < 6; i++) {
        if (!span_word(&rest, &word)) {
            return false;
        }
    }
    return parse_u64(word, ret);
}

static void limit_memory(rlim_t more)
{
    uint64_t pages = 0;
    const long page = sysconf(_SC_PAGESIZE);
    struct rlimit limit;
    if (page <= 0 || !own_data_pages(&pages) || getrlimit(RLIMIT_DATA, &limit) != 0) {
        return;
    }
    const rlim_t most = (rlim_t)pages * (rlim_t)page + more;
    if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max > most) {
        limit = (struct rlimit){most, most};
        (void)setrlimit(RLIMIT_DATA, &limit);
    }
}

static void reset_signals(void)
{
    sigset_t none;
    sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    for (int s = 1; s < NSIG; s++) {
        (void)signal(s, SIG_DFL); /* refused for SIGKILL and SIGSTOP, which is right */
    }
}

/* A socket of a server is a path below that server's root. */
static void open_socket_root(struct job *job, struct host_sql_login *login)
{
    if (job->args.login == NULL) {
        return;
    }
    *login = *job->args.login;
    if (login->socket_below_pid != 0) {
        char path[64];
        snprintf(path, sizeof(path), "/proc/%llu/root",
                 (unsigned long long)login->socket_below_pid);
        login->socket_dir_fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    }
    job->args.login = login;
}

/* What every child begins with. */
static void close_doors(int pipe_end, pid_t parent, rlim_t memory)
{
    const struct rlimit no_core = {0, 0};
    (void)setpgid(0, 0);
    die_with(parent);
    reset_signals();
    (void)umask(077);
    (void)setrlimit(RLIMIT_CORE, &no_core);
    limit_memory(memory);
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    if (!keep_only(pipe_end)) {
        _exit(EXIT_ORPHAN);
    }
}

/* What several ask is asked once, and what a child is stuck on not at all. */
static struct host *without_repeats(const struct child_plan *plan, struct host *live, struct arena *a)
{
    if (plan->n == 1 && plan->n_barred == 0) {
        return live;
    }
    struct host *const h = host_memo_new(a, live);
    for (size_t i = 0; i < plan->n_barred; i++) {
        host_memo_refuse(h, HOST_OPEN, plan->barred[i].key, plan->barred[i].why);
    }
    return h;
}

static struct job_out *make_outs(const struct child_plan *plan, struct arena *a)
{
    struct job_out *const outs = arena_calloc(a, plan->n, sizeof(*outs));
    struct lane *const lanes = arena_calloc(a, plan->n, sizeof(*lanes));
    size_t *const at = arena_calloc(a, 1, sizeof(*at));
    for (size_t i = 0; i < plan->n; i++) {
        lanes[i] = (struct lane){.job = i, .at = at};
        outs[i] = (struct job_out){.flush = flush_to_pipe,
                                   .ctx = &lanes[i],
                                   .with_operations = plan->with_operations,
                                   .status = plan->status[i]};
        buf_init(&outs[i].frames, a, FRAME_MAX);
    }
    return outs;
}

static ATTR_NORETURN void run_child(const struct child_plan *plan, int pipe_end, pid_t parent)
{
    struct job *const first = plan->jobs[0];
    close_doors(pipe_end, parent, MEMORY_MAX + (plan->n - 1) * MEMORY_MORE);
    struct host_sql_login login;
    open_socket_root(first, &login);
    struct arena *const a = arena_new();
    struct host *const h = host_live_new(a, first->args.login);
    struct drop drop = {.job = first, .parent = parent};
    jobs_run(plan->jobs, plan->n, without_repeats(plan, h, a), plan->decls, a, make_outs(plan, a),
             drop_now, &drop);
    host_live_close(h);
    _exit(0);
}

static ATTR_NORETURN void run_work(child_work work, void *ctx, rlim_t memory, int pipe_end, pid_t parent)
{
    struct err err = ERR_INIT;
    close_doors(pipe_end, parent, memory);
    if (!child_drop(IDENTITY_NOBODY, NOBODY, NOBODY, &err)) {
        _exit(EXIT_ORPHAN);
    }
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    die_with(parent);
    work(ctx, PIPE_FD);
    _exit(0);
}

bool child_start_work(child_work work, void *ctx, uint64_t memory, pid_t *ret_pid, int *ret_fd,
                      struct err *reterr)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return err_set_errno(reterr, errno, "cannot make a pipe");
    }
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid == 0) {
        run_work(work, ctx, (rlim_t)memory, ends[1], parent);
    }
    close(ends[1]);
    if (pid < 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) {
        const int e = errno;
        close(ends[0]);
        return err_set_errno(reterr, e, "cannot start a process");
    }
    (void)setpgid(pid, pid);
    *ret_pid = pid;
    *ret_fd = ends[0];
    return true;
}

bool child_start(const struct child_plan *plan, pid_t *ret_pid, int *ret_fd, struct err *reterr)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return err_set_errno(reterr, errno, "cannot make a pipe for probe '%s'", plan->jobs[0]->id);
    }
    const pid_t parent = getpid();
    const pid_t pid = fork();
    if (pid == 0) {
        run_child(plan, ends[1], parent);
    }
    close(ends[1]);
    if (pid < 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) {
        const int e = errno;
        close(ends[0]);
        return err_set_errno(reterr, e, "cannot start a process for probe '%s'", plan->jobs[0]->id);
    }
    (void)setpgid(pid, pid);
    *ret_pid = pid;
    *ret_fd = ends[0];
    return true;
}
