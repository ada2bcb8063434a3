/* A wave of children: start, listen, end in time, and never wait for one that the kernel holds. */
#include "probes/runner_live.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "probes/child.h"
#include "probes/receive.h"

#include "advisor/base/banned.h"

#define NS_PER_S ((int64_t)1000000000)
#define NS_PER_MS ((int64_t)1000000)
/* How long the kernel may take to end a process after SIGKILL before it counts as stuck; ours:
 * exiting takes microseconds, on a busy host some milliseconds. */
#define END_GRACE_NS (200 * NS_PER_MS)

enum phase { PHASE_WAITING, PHASE_LISTENING, PHASE_ENDING, PHASE_OVER };

struct child {
    struct job *job;
    struct job_end *end;
    enum phase phase;
    struct arena *arena;
    struct receiver receiver;
    struct job_status *status;
    pid_t pid;
    int fd;
    int64_t deadline_ns; /* PHASE_LISTENING: of the child; PHASE_ENDING: of the grace */
    bool late, garbage;
    bool reaped;
    int wait_status;
};

int64_t live_now_ns(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

/* ---- how it ended ---------------------------------------------------------------------------- */

/* "; the last question was read '/x'" from memory that the child may have filled with anything. */
static const char *last_question(const struct child *c)
{
    const uint32_t op = c->status->op;
    if (c->end->begun == 0 || op >= HOST_OPS) {
        return "";
    }
    char *const key = arena_strndup(c->arena, c->status->key, sizeof(c->status->key) - 1);
    const bool readable = span_is_utf8(span_of(key));
    return arena_printf(c->arena, "; the last question was %s '%s'", host_op_name((enum host_op)op),
                        readable ? key : "?");
}

static void say_late(const struct child *c, int64_t allowed_ns)
{
    struct err *const why = &c->end->why;
    const double seconds = (double)allowed_ns / (double)NS_PER_S;
    if (c->reaped) {
        err_set(why, E_TIMEOUT, "no answer within %g s%s", seconds, last_question(c));
    } else {
        err_set(why, E_TIMEOUT, "no answer within %g s, and process %d is stuck in the kernel%s",
                seconds, (int)c->pid, last_question(c));
    }
    err_hint(why, "Give it more time with --timeout, or look at what does not answer.");
}

static void say_died(const struct child *c)
{
    struct err *const why = &c->end->why;
    const char *const last = last_question(c);
    if (c->garbage) {
        err_set(why, E_CRASHED, "the probe sent bytes that mean nothing%s", last);
    } else if (c->reaped && WIFSIGNALED(c->wait_status)) {
        err_set(why, E_CRASHED, "the probe was ended by signal %d%s", WTERMSIG(c->wait_status),
                last);
    } else {
        err_set(why, E_CRASHED, "the probe ended before its time%s", last);
    }
    err_hint(why, "Please report this, with a capture: `nvadvise capture`.");
}

static void judge(const struct live_run *run, struct child *c)
{
    struct job_end *const end = c->end;
    end->begun = __atomic_load_n(&c->status->begun, __ATOMIC_ACQUIRE);
    if (c->receiver.ended && !c->garbage) {
        return;
    }
    end->lost = true;
    if (c->receiver.failed) {
        end->why = c->receiver.why;
    } else if (c->late) {
        say_late(c, run->child_ns);
    } else {
        say_died(c);
    }
}

/* ---- ending ---------------------------------------------------------------------------------- */

static void close_pipe(struct child *c)
{
    if (c->fd >= 0) {
        close(c->fd);
        c->fd = -1;
    }
}

/* The child and whatever it started. */
static void kill_group(const struct child *c)
{
    (void)kill(-c->pid, SIGKILL);
    (void)kill(c->pid, SIGKILL);
}

static void try_reap(struct child *c)
{
    if (c->reaped) {
        return;
    }
    const pid_t got = waitpid(c->pid, &c->wait_status, WNOHANG);
    /* ECHILD: the program that started us ignores its children; the kernel took it away. */
    c->reaped = got == c->pid || (got < 0 && errno == ECHILD);
}

/* Without reaping: until then the number is its own, and the signal that ends its group can hit nobody
 * else. */
static bool has_died(const struct child *c)
{
    siginfo_t info = {.si_pid = 0};
    return waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0;
}

static void begin_ending(struct child *c, int64_t now)
{
    close_pipe(c);
    kill_group(c);
    c->phase = PHASE_ENDING;
    c->deadline_ns = now + END_GRACE_NS;
    try_reap(c);
}

static void check_ending(const struct live_run *run, struct child *c, int64_t now)
{
    try_reap(c);
    if (!c->reaped && now < c->deadline_ns) {
        return;
    }
    if (!c->reaped) {
        stuck_add(run->stuck, c->job->id, c->pid, (int64_t)time(NULL));
    }
    judge(run, c);
    c->phase = PHASE_OVER;
}

/* ---- listening ------------------------------------------------------------------------------- */

static void start(const struct live_run *run, struct child *c, const struct decl_set *decls,
                  int64_t now)
{
    struct err *const why = &c->end->why;
    c->phase = PHASE_OVER;
    c->end->lost = true;
    if (stuck_find(run->stuck, c->job->id, why)) {
        return;
    }
    if (now >= run->deadline_ns) {
        err_set(why, E_TIMEOUT, "not asked: the time of the whole run was over");
        err_hint(why, "Give it more time with --timeout.");
        return;
    }
    if (!child_start(c->job, decls, c->status, run->capture != NULL, &c->pid, &c->fd, why)) {
        return;
    }
    c->end->lost = false;
    c->phase = PHASE_LISTENING;
    c->deadline_ns =
        now + run->child_ns < run->deadline_ns ? now + run->child_ns : run->deadline_ns;
}

static void listen_to(struct child *c, int64_t now)
{
    char bytes[65536];
    const ssize_t n = read(c->fd, bytes, sizeof(bytes));
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
        return;
    }
    if (n > 0 && receiver_take(&c->receiver, (struct span){bytes, (size_t)n})) {
        return;
    }
    c->garbage = n > 0;
    if (!c->garbage && !c->receiver.ended) {
        /* Its death closed the pipe; give the kernel a moment to say of what. */
        for (int i = 0; i < 20 && !has_died(c); i++) {
            const struct timespec ms = {.tv_nsec = NS_PER_MS};
            (void)nanosleep(&ms, NULL);
        }
    }
    begin_ending(c, now);
}

static int wait_ms(const struct child *children, size_t n, int64_t now)
{
    int64_t nearest = INT64_MAX;
    for (size_t i = 0; i < n; i++) {
        const struct child *const c = &children[i];
        if (c->phase == PHASE_LISTENING && c->deadline_ns < nearest) {
            nearest = c->deadline_ns;
        }
        if (c->phase == PHASE_ENDING && now + NS_PER_MS < nearest) {
            nearest = now + NS_PER_MS; /* no descriptor tells of it: look again soon */
        }
    }
    if (nearest == INT64_MAX || nearest <= now) {
        return 0;
    }
    return (int)((nearest - now + NS_PER_MS - 1) / NS_PER_MS);
}

static void poll_once(struct child *children, size_t n)
{
    struct pollfd fds[WAVE_SIDE_BY_SIDE];
    struct child *owners[WAVE_SIDE_BY_SIDE];
    nfds_t count = 0;
    for (size_t i = 0; i < n && count < WAVE_SIDE_BY_SIDE; i++) {
        if (children[i].phase == PHASE_LISTENING) {
            fds[count] = (struct pollfd){.fd = children[i].fd, .events = POLLIN};
            owners[count++] = &children[i];
        }
    }
    const int ready = poll(fds, count, wait_ms(children, n, live_now_ns()));
    const int64_t now = live_now_ns();
    for (nfds_t i = 0; ready > 0 && i < count; i++) {
        if (fds[i].revents != 0) {
            listen_to(owners[i], now);
        }
    }
}

/* Deadlines, ends, and new children where there is room. false: all are over. */
static bool step(const struct live_run *run, struct child *children, size_t n,
                 const struct decl_set *decls)
{
    const int64_t now = live_now_ns();
    unsigned running = 0;
    bool waiting = false;
    for (size_t i = 0; i < n; i++) {
        struct child *const c = &children[i];
        if (c->phase == PHASE_LISTENING && now >= c->deadline_ns) {
            c->late = true;
            begin_ending(c, now);
        }
        if (c->phase == PHASE_ENDING) {
            check_ending(run, c, now);
        }
        running += c->phase == PHASE_LISTENING || c->phase == PHASE_ENDING;
    }
    for (size_t i = 0; i < n; i++) {
        if (children[i].phase == PHASE_WAITING && running < WAVE_SIDE_BY_SIDE) {
            start(run, &children[i], decls, now);
            running += children[i].phase == PHASE_LISTENING;
        }
        waiting = waiting || children[i].phase == PHASE_WAITING;
    }
    return running > 0 || waiting;
}

static void merge_all(const struct live_run *run, struct child *children, size_t n, struct store *s,
                      bool with_servers)
{
    for (size_t i = 0; i < n; i++) {
        struct child *const c = &children[i];
        job_merge(c->job, buf_span(&c->receiver.facts), c->end, s, with_servers);
        if (run->capture != NULL) {
            receiver_to_capture(&c->receiver, c->job->id, c->end, run->capture);
        }
        arena_free(c->arena);
    }
}

void wave_live(const struct live_run *run, struct job *jobs, size_t n, struct store *s,
               bool with_servers, struct job_end *ends)
{
    ARENA_AUTO a = arena_new();
    const size_t bytes = n * sizeof(struct job_status);
    struct job_status *const shared =
        n == 0 ? MAP_FAILED
               : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct child *const children = arena_calloc(a, n, sizeof(*children));
    for (size_t i = 0; i < n; i++) {
        struct child *const c = &children[i];
        *c = (struct child){.job = &jobs[i], .end = &ends[i], .fd = -1, .arena = arena_new()};
        ends[i] = (struct job_end){.lost = false};
        c->status = shared == MAP_FAILED ? arena_alloc(a, sizeof(*c->status)) : &shared[i];
        receiver_init(&c->receiver, c->arena, run->capture != NULL);
    }
    while (step(run, children, n, store_decls(s))) {
        poll_once(children, n);
    }
    merge_all(run, children, n, s, with_servers);
    if (shared != MAP_FAILED) {
        (void)munmap(shared, bytes);
    }
}
