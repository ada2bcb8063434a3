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
#include "probes/runner_child.h"

#include "advisor/base/banned.h"

#define NS_PER_MS ((int64_t)1000000)
/* How long the kernel may take to end a process after SIGKILL before it counts as stuck; ours:
 * exiting takes microseconds, on a busy host some milliseconds. */
#define END_GRACE_NS (200 * NS_PER_MS)

int64_t live_now_ns(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * RUNNER_NS_PER_S + ts.tv_nsec;
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
        const char *const controller = child_controller_asked(c);
        stuck_add(run->stuck, controller != NULL ? controller : child_busy_part(c)->job->id, c->pid,
                  (int64_t)time(NULL));
    }
    child_judge(run, c);
    c->phase = PHASE_OVER;
}

/* ---- listening ------------------------------------------------------------------------------- */

static void set_not_started(struct child *c, const struct err *why)
{
    for (size_t i = 0; i < c->n_parts; i++) {
        *c->parts[i]->end = (struct job_end){.lost = true, .why = *why};
        c->parts[i]->got = NULL;
    }
}

/* Those that a child of ours is still stuck on are left out. */
static void leave_out_stuck(const struct live_run *run, struct child *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n_parts; i++) {
        struct part *const p = c->parts[i];
        *p->end = (struct job_end){.lost = false};
        if (stuck_find(run->stuck, p->job->id, &p->end->why)) {
            p->end->lost = true;
        } else {
            c->parts[n++] = p;
        }
    }
    c->n_parts = n;
}

static bool start_child(const struct live_run *run, struct child *c, const struct decl_set *decls,
                        struct err *reterr)
{
    struct job **const jobs = arena_calloc(c->arena, c->n_parts, sizeof(struct job *));
    struct job_status **const status =
        arena_calloc(c->arena, c->n_parts, sizeof(struct job_status *));
    struct child_plan plan = {.jobs = jobs,
                              .status = status,
                              .n = c->n_parts,
                              .decls = decls,
                              .with_operations = run->capture != NULL};
    plan.n_barred = stuck_barred(run->stuck, &plan.barred);
    receiver_init(&c->receiver, c->arena, c->n_parts, run->capture != NULL);
    for (size_t i = 0; i < c->n_parts; i++) {
        jobs[i] = c->parts[i]->job;
        status[i] = c->parts[i]->status;
        c->parts[i]->got = &c->receiver.jobs[i];
    }
    return child_start(&plan, &c->pid, &c->fd, reterr);
}

static void start(const struct live_run *run, struct child *c, const struct decl_set *decls,
                  int64_t now)
{
    struct err why = ERR_INIT;
    c->phase = PHASE_OVER;
    leave_out_stuck(run, c);
    if (c->n_parts == 0) {
        return;
    }
    if (now >= run->deadline_ns) {
        err_set(&why, E_TIMEOUT, "not asked: the time of the whole run was over");
        err_hint(&why, "Give it more time with --timeout.");
        set_not_started(c, &why);
        return;
    }
    if (!start_child(run, c, decls, &why)) {
        set_not_started(c, &why);
        return;
    }
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
    if (!c->garbage && !receiver_ended(&c->receiver)) {
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

/* ---- a wave ---------------------------------------------------------------------------------- */

/* The first job of the wave that shares a child with jobs[i]. */
static size_t owner_of(const struct job *jobs, size_t i)
{
    for (size_t k = 0; jobs[i].group != NULL && k < i; k++) {
        if (jobs[k].group != NULL && strcmp(jobs[k].group, jobs[i].group) == 0) {
            return k;
        }
    }
    return i;
}

/* One a job; of those that share one, the first has all, and the others are over. */
static struct child *make_children(struct arena *a, struct part *parts, struct job *jobs, size_t n)
{
    struct child *const children = arena_calloc(a, n, sizeof(*children));
    size_t *const owners = arena_calloc(a, n, sizeof(*owners));
    for (size_t i = 0; i < n; i++) {
        owners[i] = owner_of(jobs, i);
        children[i] = (struct child){.phase = PHASE_OVER, .fd = -1};
        children[owners[i]].n_parts++;
    }
    for (size_t i = 0; i < n; i++) {
        struct child *const c = &children[owners[i]];
        if (c->parts == NULL) {
            c->arena = arena_new();
            c->phase = PHASE_WAITING;
            c->parts = arena_calloc(a, c->n_parts, sizeof(struct part *));
            c->n_parts = 0;
        }
        c->parts[c->n_parts++] = &parts[i];
    }
    return children;
}

static void merge_all(const struct live_run *run, const struct part *parts, size_t n, struct store *s,
                      bool with_servers)
{
    static const struct received nothing = {.ended = false};
    for (size_t i = 0; i < n; i++) {
        const struct part *const p = &parts[i];
        const struct received *const got = p->got == NULL ? &nothing : p->got;
        job_merge(p->job, buf_span(&got->facts), p->end, s, with_servers);
        if (run->capture != NULL) {
            receiver_to_capture(got, p->job->id, p->end, run->capture);
        }
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
    struct part *const parts = arena_calloc(a, n, sizeof(*parts));
    for (size_t i = 0; i < n; i++) {
        parts[i] = (struct part){.job = &jobs[i], .end = &ends[i]};
        parts[i].status = shared == MAP_FAILED ? arena_alloc(a, sizeof(*shared)) : &shared[i];
    }
    struct child *const children = make_children(a, parts, jobs, n);
    while (step(run, children, n, store_decls(s))) {
        poll_once(children, n);
    }
    merge_all(run, parts, n, s, with_servers);
    for (size_t i = 0; i < n; i++) {
        arena_free(children[i].arena);
    }
    if (shared != MAP_FAILED) {
        (void)munmap(shared, bytes);
    }
}
