/* See run.h: the parent's side. */
#include "advisor/scratch/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "advisor/base/file.h"
#include "advisor/scratch/run_int.h"
#include "advisor/scratch/strays.h"

#include "advisor/base/banned.h"

#define TICK_MS 50u
#define START_MS 10000u
#define GROUP_MS 2000u
#define KILLED_MS 10000u /* what SIGKILL may take: exit of a server that holds much memory */

struct run {
    const struct run_spec *spec;
    pid_t pid;
    int gate_fd, word_fd; /* -1: used up */
    bool fenced;
    bool ended, exited, reaped;
    int code;         /* exit status, or signal */
    const char *mark; /* the environment word by which what it starts is known */
    struct strays strays;
};

/* ---- time and signals ------------------------------------------------------------------------ */

uint64_t run_now_ms(void)
{
    struct timespec t = {0, 0};
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void run_sleep_ms(unsigned ms)
{
    const struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000};
    (void)nanosleep(&t, NULL);
}

static void ending_signals(sigset_t *ret)
{
    static const int list[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,   SIGPIPE, SIGALRM,
                               SIGUSR1, SIGUSR2, SIGXCPU, SIGVTALRM, SIGPROF, SIGIO};
    struct sigaction now;
    sigemptyset(ret);
    for (size_t i = 0; i < ARRAY_LEN(list); i++) {
        /* One that is ignored (nohup) ends nobody, though it would be kept while held back. */
        if (sigaction(list[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN) {
            sigaddset(ret, list[i]);
        }
    }
}

void run_hold_signals(struct run_hold *h)
{
    sigset_t ours;
    ending_signals(&ours);
    h->held = sigprocmask(SIG_BLOCK, &ours, &h->before) == 0;
}

void run_release_signals(struct run_hold *h)
{
    if (h->held) {
        h->held = false;
        (void)sigprocmask(SIG_SETMASK, &h->before, NULL);
    }
}

bool run_interrupted(void)
{
    sigset_t ours, pending;
    ending_signals(&ours);
    if (sigpending(&pending) != 0) {
        return false;
    }
    for (int s = 1; s < NSIG; s++) {
        if (sigismember(&pending, s) == 1 && sigismember(&ours, s) == 1) {
            return true;
        }
    }
    return false;
}

/* ---- start ----------------------------------------------------------------------------------- */

static char **make_argv(struct arena *a, const struct run_spec *spec)
{
    size_t n = 0;
    while (spec->args[n] != NULL) {
        n++;
    }
    char **argv = arena_calloc(a, n + 2, sizeof(*argv));
    argv[0] = arena_strdup(a, spec->program);
    for (size_t i = 0; i < n; i++) {
        argv[i + 1] = arena_strdup(a, spec->args[i]);
    }
    return argv;
}

/* TMPDIR is the last word. */
static char **make_env(struct arena *a, const struct run_spec *spec)
{
    char **env = arena_calloc(a, 5, sizeof(*env));
    env[0] = arena_strdup(a, "PATH=/usr/sbin:/usr/bin:/sbin:/bin");
    env[1] = arena_strdup(a, "LC_ALL=C");
    env[2] = arena_printf(a, "HOME=%s", spec->dir != NULL ? spec->dir : "/");
    env[3] = arena_printf(a, "TMPDIR=%s", spec->dir != NULL ? spec->dir : "/nonexistent");
    return env;
}

bool run_prepare(const struct run_spec *spec, int out_fd, int err_fd, struct arena *a,
                 struct run **ret, struct err *reterr)
{
    int gate[2], word[2];
    /* A socket: writing to a child that has died meanwhile is then an error, not a signal. */
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, gate) != 0) {
        return err_set_errno(reterr, errno, "cannot start '%s'", spec->program);
    }
    FD_AUTO gate_in = gate[0];
    FD_AUTO gate_out = gate[1];
    if (pipe2(word, O_CLOEXEC) != 0) {
        return err_set_errno(reterr, errno, "cannot start '%s'", spec->program);
    }
    FD_AUTO word_in = word[0];
    FD_AUTO word_out = word[1];
    struct run *r = arena_alloc(a, sizeof(*r));
    *r = (struct run){.spec = spec, .gate_fd = -1, .word_fd = -1};
    const struct run_child c = {.spec = spec,
                                .argv = make_argv(a, spec),
                                .env = make_env(a, spec),
                                .out_fd = out_fd,
                                .err_fd = err_fd,
                                .gate_fd = gate_in,
                                .word_fd = word_out,
                                .parent = getpid()};
    r->mark = c.env[3];
    strays_before(&r->strays, a);
    r->pid = fork();
    if (r->pid == 0) {
        (void)close(gate_out); /* else it would keep its own gate open */
        run_child(&c);
    }
    if (r->pid < 0) {
        return err_set_errno(reterr, errno, "cannot start a process for '%s'", spec->program);
    }
    r->gate_fd = gate_out;
    r->word_fd = word_in;
    gate_out = -1;
    word_in = -1;
    *ret = r;
    return true;
}

static bool tell_start_error(const struct run_spec *spec, const struct run_word *w,
                             struct err *reterr)
{
    if (w->stage == STAGE_IDENTITY) {
        err_set_errno(reterr, w->sys_errno, "cannot become user %u to run '%s'", spec->uid,
                      spec->program);
        return err_hint(reterr, "Run nvadvise as root, or as the server's own user.");
    }
    if (w->stage == STAGE_COVER) {
        return err_set_errno(reterr, w->sys_errno, "cannot hide '%s' from '%s'", spec->cover,
                             spec->program);
    }
    if (w->stage == STAGE_FILES) {
        return err_set_errno(reterr, w->sys_errno, "cannot run '%s' in '%s'", spec->program,
                             spec->dir != NULL ? spec->dir : "/");
    }
    return err_set_errno(reterr, w->sys_errno, "cannot run '%s'", spec->program);
}

/* The next word of the child; n 0: it has become the program, or died. */
static ssize_t next_word(struct run *r, struct run_word *w, uint64_t until)
{
    for (;;) {
        struct pollfd p = {.fd = r->word_fd, .events = POLLIN};
        if (poll(&p, 1, (int)TICK_MS) > 0) {
            const ssize_t n = read(r->word_fd, w, sizeof(*w));
            if (n >= 0 || errno != EINTR) {
                return n;
            }
        }
        if (run_now_ms() > until) {
            errno = ETIMEDOUT;
            return -1;
        }
    }
}

bool run_go(struct run *r, struct err *reterr)
{
    const unsigned start_ms = r->spec->start_s != 0 ? r->spec->start_s * 1000 : START_MS;
    const uint64_t until = run_now_ms() + start_ms;
    struct run_word w = {0, 0};
    FD_AUTO gate = r->gate_fd;
    r->gate_fd = -1;
    bool ok = r->spec->before == NULL || r->spec->before(r->spec->ctx, r->pid, reterr);
    if (!ok) {
        return false;
    }
    ok = send(gate, "g", 1, MSG_NOSIGNAL) == 1;
    if (!ok) {
        err_set_errno(reterr, errno, "cannot start '%s'", r->spec->program);
    }
    while (ok) {
        const ssize_t n = next_word(r, &w, until);
        if (n == (ssize_t)sizeof(w) && w.stage == STAGE_FENCED) {
            r->fenced = true;
            continue;
        }
        if (n == 0) {
            break;
        }
        ok = n == (ssize_t)sizeof(w) ? tell_start_error(r->spec, &w, reterr)
                                     : err_set_errno(reterr, n < 0 ? errno : EIO,
                                                     "cannot start '%s'", r->spec->program);
    }
    fd_cleanup(&r->word_fd);
    return ok;
}

pid_t run_pid(const struct run *r)
{
    return r->pid;
}

bool run_is_fenced(const struct run *r)
{
    return r->fenced;
}

/* ---- end ------------------------------------------------------------------------------------- */

/* It is left unwaited: as long as it is, neither its number nor its group's can be another's. */
bool run_ended(struct run *r, struct run_result *ret)
{
    if (!r->ended) {
        siginfo_t info = {.si_pid = 0};
        const int rc = waitid(P_PID, (id_t)r->pid, &info, WEXITED | WNOHANG | WNOWAIT);
        if (rc == 0 && info.si_pid == r->pid) {
            r->ended = true;
            r->exited = info.si_code == CLD_EXITED;
            r->code = info.si_status;
        } else if (rc != 0 && errno == ECHILD) {
            r->ended = true; /* somebody ignores SIGCHLD: how it ended is not to be known */
            r->reaped = true;
            r->code = SIGKILL;
        }
    }
    if (r->ended && ret != NULL) {
        ret->exited = r->exited;
        ret->status = r->exited ? r->code : 0;
        ret->signal = r->exited ? 0 : r->code;
    }
    return r->ended;
}

static bool ends_within(struct run *r, unsigned ms)
{
    const uint64_t until = run_now_ms() + ms;
    unsigned tick = 1;
    while (!run_ended(r, NULL)) {
        if (run_now_ms() >= until) {
            return false;
        }
        run_sleep_ms(tick);
        tick = tick * 2 > TICK_MS ? TICK_MS : tick * 2;
    }
    return true;
}

/* Members of its group are ours now, and were killed with it: wait for each, so that none stays a
 * zombie. */
static void reap_group(pid_t group)
{
    const uint64_t until = run_now_ms() + GROUP_MS;
    pid_t pid = 0;
    while ((pid = waitpid(-group, NULL, WNOHANG)) >= 0 && run_now_ms() < until) {
        if (pid == 0) {
            run_sleep_ms(1);
        }
    }
}

bool run_end(struct run *r, unsigned grace_ms, struct err *reterr)
{
    fd_cleanup(&r->gate_fd);
    fd_cleanup(&r->word_fd);
    if (r->reaped) {
        return true;
    }
    if (!run_ended(r, NULL) && grace_ms > 0) {
        /* The program alone: what it started is its own to end. */
        (void)kill(r->pid, SIGTERM);
        (void)ends_within(r, grace_ms);
    }
    if (!r->reaped) {
        (void)kill(-r->pid, SIGKILL);
        (void)kill(r->pid, SIGKILL); /* it may not have come so far as to have a group */
    }
    if (!ends_within(r, KILLED_MS)) {
        return err_set(reterr, E_TIMEOUT,
                       "'%s', process %d, does not end: it is stuck in the kernel",
                       r->spec->program, (int)r->pid);
    }
    (void)waitpid(r->pid, NULL, 0);
    r->reaped = true;
    reap_group(r->pid);
    strays_end(&r->strays, r->mark);
    return true;
}
