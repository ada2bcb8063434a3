/* One run of a program to its end, with what it prints. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "advisor/base/file.h"
#include "advisor/scratch/run.h"

#include "advisor/base/banned.h"

#define TICK_MS 50u

struct stream {
    int fd;
    struct buf text;
};

/* Take what is there; false when it has printed more than it may. */
static bool drain(struct stream *s)
{
    char chunk[16384];
    for (;;) {
        const ssize_t n = s->fd < 0 ? 0 : read(s->fd, chunk, sizeof(chunk));
        if (n < 0) {
            return true; /* nothing more for now */
        }
        if (n == 0) {
            fd_cleanup(&s->fd);
            return true;
        }
        buf_add(&s->text, chunk, (size_t)n);
        if (s->text.full) {
            return false;
        }
    }
}

static bool watch(const struct run_spec *spec, struct run *r, struct stream *two,
                  unsigned timeout_ms, struct run_result *ret, struct err *reterr)
{
    const uint64_t until = run_now_ms() + timeout_ms;
    for (;;) {
        struct pollfd p[2] = {{.fd = two[0].fd, .events = POLLIN},
                              {.fd = two[1].fd, .events = POLLIN}};
        const bool open = two[0].fd >= 0 || two[1].fd >= 0;
        if (open) {
            (void)poll(p, 2, (int)TICK_MS);
        }
        const bool ended = run_ended(r, ret);
        if (!drain(&two[0]) || !drain(&two[1])) {
            ret->flooded = true;
            return true;
        }
        /* Its end counts, not that of the pipes: what it left may hold them open for ever. */
        if (ended) {
            return true;
        }
        if (run_interrupted()) {
            return err_set(reterr, E_BUSY, "a signal came while '%s' ran", spec->program);
        }
        if (run_now_ms() >= until) {
            ret->timed_out = true;
            return true;
        }
        if (!open) {
            run_sleep_ms(TICK_MS / 10);
        }
    }
}

static bool run_watched(const struct run_spec *spec, int out_fd, int err_fd, struct stream *two,
                        unsigned timeout_ms, struct arena *a, struct run_result *ret,
                        struct err *reterr)
{
    struct run *r = NULL;
    struct err ending = ERR_INIT;
    if (!run_prepare(spec, out_fd, err_fd, a, &r, reterr)) {
        return false;
    }
    (void)close(out_fd);
    (void)close(err_fd);
    const bool ok = run_go(r, reterr) && watch(spec, r, two, timeout_ms, ret, reterr);
    if (!run_end(r, 0, &ending)) {
        if (ok) {
            *reterr = ending;
        }
        return false;
    }
    if (ok) {
        (void)run_ended(r, ret);
    }
    return ok;
}

bool run_program(const struct run_spec *spec, unsigned timeout_ms, size_t out_max, struct arena *a,
                 struct run_result *ret, struct err *reterr)
{
    int out[2], err[2];
    struct run_result result = {.exited = false};
    if (pipe2(out, O_CLOEXEC | O_NONBLOCK) != 0) {
        return err_set_errno(reterr, errno, "cannot run '%s'", spec->program);
    }
    if (pipe2(err, O_CLOEXEC | O_NONBLOCK) != 0) {
        const int e = errno;
        (void)close(out[0]);
        (void)close(out[1]);
        return err_set_errno(reterr, e, "cannot run '%s'", spec->program);
    }
    /* The program's own ends block, as it expects. */
    (void)fcntl(out[1], F_SETFL, 0);
    (void)fcntl(err[1], F_SETFL, 0);
    struct stream two[2] = {{.fd = out[0]}, {.fd = err[0]}};
    buf_init(&two[0].text, a, out_max);
    buf_init(&two[1].text, a, out_max);
    const bool ok = run_watched(spec, out[1], err[1], two, timeout_ms, a, &result, reterr);
    fd_cleanup(&two[0].fd);
    fd_cleanup(&two[1].fd);
    if (!ok) {
        return false;
    }
    result.out = buf_span(&two[0].text);
    result.err = buf_span(&two[1].text);
    *ret = result;
    return true;
}
