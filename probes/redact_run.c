/* See redact_run.h. The child has a copy of all memory by its birth; back come one byte of outcome,
 * then the capture or the reason. The parent only counts bytes. */
#include "probes/redact_run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "advisor/base/file.h"
#include "probes/child.h"

#include "advisor/base/banned.h"

/* Ours: a capture of usual size takes some 20 ms; CAPTURE_MAX unpacked some seconds. */
#define SECONDS_MAX 60
#define CHILD_MEMORY ((uint64_t)1536 * 1024 * 1024)
#define MADE 'm'
#define FAILED 'f'

struct task {
    struct capture_writer *writer;
    const struct redact_key *key;
};

static void work(void *ctx, int fd)
{
    const struct task *const t = ctx;
    struct err err = ERR_INIT, ignored = ERR_INIT;
    struct span bytes;
    struct arena *const a = arena_new();
    char outcome = MADE;
    capture_redact(t->writer, t->key);
    if (!capture_pack(t->writer, a, &bytes, &err)) {
        outcome = FAILED;
        bytes = span_of(err.text);
    }
    if (file_write_all(fd, (struct span){&outcome, 1}, &ignored)) {
        (void)!file_write_all(fd, bytes, &ignored);
    }
}

static int64_t now_ms(void)
{
    struct timespec ts;
    (void)clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Up to the end of the pipe; false at the deadline, or when it is too much. */
static bool listen_to(int fd, struct buf *b)
{
    const int64_t deadline = now_ms() + (int64_t)SECONDS_MAX * 1000;
    char chunk[65536];
    for (;;) {
        const int64_t left = deadline - now_ms();
        struct pollfd p = {.fd = fd, .events = POLLIN};
        if (left <= 0 || b->full) {
            return false;
        }
        if (poll(&p, 1, (int)left) <= 0) {
            continue;
        }
        const ssize_t n = read(fd, chunk, sizeof(chunk));
        if (n == 0) {
            return true;
        }
        if (n > 0) {
            buf_add(b, chunk, (size_t)n);
        } else if (errno != EAGAIN && errno != EINTR) {
            return false;
        }
    }
}

static bool ended_well(pid_t pid)
{
    int status = 0;
    (void)kill(-pid, SIGKILL); /* whoever closed the pipe has nothing more to do */
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR) {
            return errno == ECHILD; /* whoever started us ignores its children */
        }
    }
    return (WIFEXITED(status) && WEXITSTATUS(status) == 0) ||
           (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

static bool take(const struct buf *b, struct span *ret, struct err *reterr)
{
    const struct span all = buf_span(b);
    if (all.len > 1 && all.ptr[0] == MADE) {
        *ret = span_sub(all, 1, all.len);
        return true;
    }
    if (all.len > 1 && all.ptr[0] == FAILED) {
        const struct span why = span_sub(all, 1, ERR_TEXT_MAX / 2);
        struct buf text;
        buf_init(&text, b->arena, ERR_TEXT_MAX);
        buf_add_escaped(&text, why);
        return err_set(reterr, E_TOO_BIG, "cannot redact the capture: %s", text.ptr);
    }
    return err_set(reterr, E_CRASHED,
                   "cannot redact the capture: the process that does it ended "
                   "before its time");
}

bool redact_run(struct capture_writer *w, const struct redact_key *key, struct arena *a,
                struct span *ret, struct err *reterr)
{
    if (key == NULL) {
        return capture_pack(w, a, ret, reterr);
    }
    struct task t = {.writer = w, .key = key};
    pid_t pid = 0;
    int opened = -1;
    if (!child_start_work(work, &t, CHILD_MEMORY, &pid, &opened, reterr)) {
        return err_wrap(reterr, "redacting the capture");
    }
    FD_AUTO fd = opened;
    struct buf b;
    buf_init(&b, a, CAPTURE_MAX);
    const bool heard = listen_to(fd, &b);
    const bool well = ended_well(pid);
    if (!heard) {
        return err_set(reterr, E_TIMEOUT, "cannot redact the capture: not done within %d s",
                       SECONDS_MAX);
    }
    if (!well) {
        b.len = 0;
    }
    return take(&b, ret, reterr);
}
