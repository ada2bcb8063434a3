/* What a child's end says of its jobs: who waited for whom, and for which controller. See runner_child.h. */
#include "probes/runner_child.h"

#include <string.h>
#include <sys/wait.h>

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

static bool is_busy(const struct part *p)
{
    return __atomic_load_n(&p->status->busy, __ATOMIC_ACQUIRE) != 0;
}

const struct part *child_busy_part(const struct child *c)
{
    for (size_t i = 0; i < c->n_parts; i++) {
        if (is_busy(c->parts[i])) {
            return c->parts[i];
        }
    }
    return c->parts[0];
}

/* The operation that the child was in, from memory that it may have filled with anything; its key, cut. */
static bool last_op(const struct child *c, enum host_op *ret, const char **ret_key)
{
    const struct job_status *const status = child_busy_part(c)->status;
    const uint32_t op = status->op;
    if (__atomic_load_n(&status->begun, __ATOMIC_ACQUIRE) == 0 || op >= HOST_OPS) {
        return false;
    }
    *ret = (enum host_op)op;
    *ret_key = arena_strndup(c->arena, status->key, sizeof(status->key) - 1);
    return true;
}

/* "; the last question was read '/x'" */
static const char *last_question(const struct child *c)
{
    enum host_op op = HOST_READ;
    const char *key = "";
    if (!last_op(c, &op, &key)) {
        return "";
    }
    return arena_printf(c->arena, "; the last question was %s '%s'", host_op_name(op),
                        span_is_utf8(span_of(key)) ? key : "?");
}

const char *child_controller_asked(const struct child *c)
{
    enum host_op op = HOST_READ;
    const char *key = "";
    struct span rest, name;
    uint64_t number = 0;
    if (!last_op(c, &op, &key) || op != HOST_NVME) {
        return NULL;
    }
    rest = span_of(key);
    if (!span_word(&rest, &name) || !span_starts(name, "nvme") ||
        !parse_u64(span_sub(name, strlen("nvme"), name.len), &number)) {
        return NULL;
    }
    return arena_printf(c->arena, "nvme %.*s", SPAN_ARG(name));
}

static void say_late(const struct child *c, int64_t allowed_ns, struct err *ret)
{
    const double seconds = (double)allowed_ns / (double)RUNNER_NS_PER_S;
    if (c->reaped) {
        err_set(ret, E_TIMEOUT, "no answer within %g s%s", seconds, last_question(c));
    } else {
        err_set(ret, E_TIMEOUT, "no answer within %g s, and process %d is stuck in the kernel%s",
                seconds, (int)c->pid, last_question(c));
    }
    err_hint(ret, "Give it more time with --timeout, or look at what does not answer.");
}

static void say_died(const struct child *c, struct err *ret)
{
    const char *const last = last_question(c);
    if (c->garbage) {
        err_set(ret, E_CRASHED, "the probe sent bytes that mean nothing%s", last);
    } else if (c->reaped && WIFSIGNALED(c->wait_status)) {
        err_set(ret, E_CRASHED, "the probe was ended by signal %d%s", WTERMSIG(c->wait_status),
                last);
    } else {
        err_set(ret, E_CRASHED, "the probe ended before its time%s", last);
    }
    err_hint(ret, "Please report this, with a capture: `nvadvise capture`.");
}

static void judge_part(const struct child *c, struct part *p, const struct err *why, bool aside)
{
    struct job_end *const end = p->end;
    end->begun = __atomic_load_n(&p->status->begun, __ATOMIC_ACQUIRE);
    if (p->got->ended && !c->garbage) {
        return;
    }
    end->begun += end->begun < UINT32_MAX && c->n_parts > 1 && !is_busy(p);
    end->lost = true;
    end->aside = aside;
    end->why = p->got->failed ? p->got->why : *why;
}

void child_judge(const struct live_run *run, struct child *c)
{
    struct err why = ERR_INIT;
    if (c->late) {
        say_late(c, run->child_ns, &why);
    } else {
        say_died(c, &why);
    }
    const char *const controller = c->late ? child_controller_asked(c) : NULL;
    if (controller != NULL) {
        stuck_bar(run->stuck, controller, &why);
    }
    for (size_t i = 0; i < c->n_parts; i++) {
        judge_part(c, c->parts[i], &why, controller != NULL);
    }
}
