/* See scratch.h: the server of a scratch instance, from its first file to its end. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "advisor/base/file.h"
#include "advisor/scratch/confine.h"
#include "advisor/scratch/scratch_int.h"

#include "advisor/base/banned.h"

#define CLOSE_MS 2000u
#define STOP_MS 20000u
#define TICK_MS 20u

static const char *const *server_args(struct scratch_server *s, const struct scratch_setting *set,
                                      size_t n, const char *last)
{
    const char **own = NULL;
    const struct own_settings o = {
        .flavour = s->plan.flavour, .own = s->tree.own, .as_root = s->plan.uid == 0};
    const size_t n_own = scratch_own_settings(&o, s->arena, &own);
    const char *const *first = NULL;
    const size_t n_first = scratch_first_settings(&first);
    const char **const args = arena_calloc(s->arena, n_first + n + n_own + 2, sizeof(*args));
    size_t k = 0;
    for (size_t i = 0; i < n_first; i++) {
        args[k++] = first[i];
    }
    for (size_t i = 0; i < n; i++) {
        args[k++] = set[i].arg;
    }
    for (size_t i = 0; i < n_own; i++) {
        args[k++] = own[i];
    }
    args[k] = last;
    return args;
}

/* One that was ended with a message about files it may not use. */
static bool looks_denied(struct span log)
{
    static const char *const words[] = {"Permission denied", "errno: 13", "Errcode: 13",
                                        "OS errno 13"};
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        if (memmem(log.ptr, log.len, words[i], strlen(words[i])) != NULL) {
            return true;
        }
    }
    return false;
}

static bool ended_badly(struct scratch_server *s, const struct run_result *r, const char *label,
                        const char *what, struct err *reterr)
{
    if (looks_denied(scratch_log(s)) && scratch_explain_denied(s, label, reterr)) {
        return false;
    }
    if (reterr->code == E_DENIED) {
        return false;
    }
    if (r->timed_out) {
        return err_set(reterr, E_TIMEOUT, "%s took longer than %u s", what,
                       scratch_step_ms(s) / 1000);
    }
    /* We did not, and it does not itself: the kernel did, for memory. */
    if (!r->exited && r->signal == SIGKILL) {
        err_set(reterr, E_LIMIT, "%s was killed: it had not enough memory", what);
        return err_hint(reterr, "It may have %llu MiB.",
                        (unsigned long long)(s->plan.memory / (1024 * 1024)));
    }
    if (!r->exited) {
        return err_set(reterr, E_CRASHED, "%s was ended by signal %d", what, r->signal);
    }
    return err_set(reterr, E_IO, "%s ended with status %d", what, r->status);
}

bool scratch_initialise(struct scratch_server *s, const struct scratch_setting *set, size_t n,
                        struct err *reterr)
{
    struct run_result r;
    if (s->plan.flavour == FLAVOUR_MARIADB) {
        return true;
    }
    if (!scratch_ask(s, server_args(s, set, n, "--initialize-insecure"), &r, reterr)) {
        return false;
    }
    if (r.exited && r.status == 0 && !r.timed_out && !r.flooded) {
        return true;
    }
    return ended_badly(s, &r, NULL, "initialising a data directory", reterr);
}

static bool takes_connections(const struct scratch_server *s)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    FD_AUTO fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    memcpy(to.sun_path, s->socket, strlen(s->socket) + 1);
    return fd >= 0 && (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 || errno == EAGAIN);
}

static bool is_ready(struct scratch_server *s, bool with_sql)
{
    struct span text = {"", 0};
    struct err ignored = ERR_INIT;
    if (with_sql && (!scratch_output(s, "ready", 16, &text, &ignored) || text.len == 0)) {
        return false;
    }
    return takes_connections(s);
}

static bool await_ready(struct scratch_server *s, bool with_sql, struct err *reterr)
{
    const char *const label = confine_label(s->arena, run_pid(s->run));
    const uint64_t until = run_now_ms() + scratch_step_ms(s);
    struct run_result r = {.exited = false};
    while (!is_ready(s, with_sql)) {
        r.timed_out = run_now_ms() >= until;
        if (run_ended(s->run, &r) || r.timed_out) {
            return ended_badly(s, &r, label, "a scratch server", reterr);
        }
        if (run_interrupted()) {
            return err_set(reterr, E_BUSY, "a signal came while a scratch server started");
        }
        run_sleep_ms(TICK_MS);
    }
    scratch_mark_again(s);
    return true;
}

static bool launch(struct scratch_server *s, const char *const *args, struct err *reterr)
{
    FD_AUTO console = tree_append_fd(&s->tree, "console", s->plan.uid, s->plan.gid);
    if (console < 0) {
        return err_set_errno(reterr, errno, "cannot make a file in '%s'", s->tree.own);
    }
    s->spec.args = args;
    if (!run_prepare(&s->spec, console, console, s->arena, &s->run, reterr)) {
        return false;
    }
    if (run_go(s->run, reterr)) {
        scratch_mark_again(s);
        if (!run_is_fenced(s->run)) {
            scratch_note(s, "not fenced in: only its settings keep a scratch server in its folder");
        }
        return true;
    }
    if (reterr->sys_errno == EACCES) {
        (void)scratch_explain_denied(s, NULL, reterr);
    }
    return false;
}

bool scratch_start(struct scratch_server *s, const struct scratch_setting *set, size_t n,
                   const char *init_sql, struct err *reterr)
{
    const char *last = NULL;
    if (init_sql != NULL) {
        const char *const text = arena_printf(
            s->arena, "%s\nSELECT 1 INTO OUTFILE '%s/out/ready';\n", init_sql, s->tree.own);
        tree_forget(&s->tree, "out", "ready");
        if (!scratch_file(s, "init.sql", span_of(text), reterr)) {
            return false;
        }
        last = arena_printf(s->arena, "--init-file=%s/init.sql", s->tree.own);
    }
    if (launch(s, server_args(s, set, n, last), reterr) &&
        await_ready(s, init_sql != NULL, reterr)) {
        return true;
    }
    struct err ignored = ERR_INIT;
    if (s->run != NULL && !run_end(s->run, CLOSE_MS, &ignored)) {
        scratch_note(s, ignored.text);
    }
    s->run = NULL;
    return false;
}

bool scratch_stop(struct scratch_server *s, struct err *reterr)
{
    const bool ok = s->run == NULL || run_end(s->run, STOP_MS, reterr);
    s->run = NULL;
    return ok;
}
