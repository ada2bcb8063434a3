/* Is free space trimmed once in a while? From the links by which systemd starts a timer, and cron's
 * folders. In a container these are the container's own and say nothing of the host. */
#include "probes/proc.h"

#include "probes/setters.h"

#include "advisor/base/banned.h"

#define FACT "host.fstrim_timer"
#define TIMER "fstrim.timer"
#define SYSTEMD "/run/systemd/system"

const struct fact_decl proc_trim_decls[] = {
    {FACT, KIND_BOOL, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "free blocks of all filesystems are trimmed once in a while",
     "/etc/systemd/system/timers.target.wants, /etc/cron.weekly", ""},
};

/* Where a link wants the timer, in systemd's order. What is linked must be there. */
static const char *const wants[] = {
    "/etc/systemd/system/timers.target.wants/" TIMER,
    SYSTEMD "/timers.target.wants/" TIMER,
    "/usr/lib/systemd/system/timers.target.wants/" TIMER,
    "/lib/systemd/system/timers.target.wants/" TIMER,
};
static const char *const cron[] = {"/etc/cron.weekly/fstrim", "/etc/cron.daily/fstrim"};
/* A link to /dev/null here keeps a unit from ever being started. */
static const char *const masks[] = {"/etc/systemd/system/" TIMER, SYSTEMD "/" TIMER};

enum look { LOOK_THERE, LOOK_ABSENT, LOOK_FAILED };

static enum look look_at(struct probe_ctx *ctx, const char *path, struct host_stat *ret,
                         struct err *reterr)
{
    if (host_stat(ctx->host, path, ret, reterr) || host_stat(ctx->host, path, ret, reterr)) {
        return LOOK_THERE;
    }
    return reterr->code == E_ABSENT ? LOOK_ABSENT : LOOK_FAILED;
}

static enum look find_mask(struct probe_ctx *ctx, const char **ret, struct err *reterr)
{
    for (size_t i = 0; i < ARRAY_LEN(masks); i++) {
        struct span target;
        if (host_link(ctx->host, masks[i], &target, reterr) ||
            host_link(ctx->host, masks[i], &target, reterr)) {
            if (span_eq_text(target, "/dev/null")) {
                *ret = masks[i];
                return LOOK_THERE;
            }
        } else if (reterr->code != E_ABSENT && reterr->code != E_NOT_SUPPORTED) {
            return LOOK_FAILED; /* a unit file of its own is no link: not supported */
        }
    }
    return LOOK_ABSENT;
}

/* One of `paths` is there; of cron's, one that may be run. */
static enum look find_one(struct probe_ctx *ctx, const char *const *paths, size_t n, uint32_t mode,
                          const char **ret, struct err *reterr)
{
    for (size_t i = 0; i < n; i++) {
        struct host_stat st;
        enum look look = look_at(ctx, paths[i], &st, reterr);
        if (look == LOOK_FAILED) {
            return look;
        }
        if (look == LOOK_THERE && (st.mode & mode) != 0) {
            *ret = paths[i];
            return look;
        }
    }
    return LOOK_ABSENT;
}

/* true: *ret is the answer. */
static bool find_timer(struct probe_ctx *ctx, bool *ret, const char **ret_source,
                       struct err *reterr)
{
    struct host_stat st;
    enum look look = find_one(ctx, cron, ARRAY_LEN(cron), 0111, ret_source, reterr);
    *ret = true;
    if (look != LOOK_ABSENT) {
        return look == LOOK_THERE;
    }
    look = find_mask(ctx, ret_source, reterr);
    if (look != LOOK_ABSENT) {
        *ret = false;
        return look == LOOK_THERE;
    }
    look = find_one(ctx, wants, ARRAY_LEN(wants), 0777, ret_source, reterr);
    if (look != LOOK_ABSENT) {
        return look == LOOK_THERE;
    }
    *ret = false;
    *ret_source = wants[0];
    look = look_at(ctx, SYSTEMD, &st, reterr);
    if (look == LOOK_ABSENT) {
        err_set(reterr, E_ABSENT,
                "this host is not run by systemd, and what else may trim is not seen");
    }
    return look == LOOK_THERE;
}

void proc_trim_run(struct probe_ctx *ctx)
{
    const struct fact *const container =
        store_get(ctx->store, ctx->subject, SPAN_LIT("host.container.kind"));
    const char *source = wants[0];
    struct err e = ERR_INIT;
    bool on = false;
    if (container == NULL || container->state != FACT_KNOWN ||
        !span_eq_text(container->value.text, "none")) {
        set_unknown(
            ctx, FACT, FACT_ABSENT, source, "Run on the host itself.",
            "this program runs in a container, or may do so, and does not see the host's timers");
    } else if (find_timer(ctx, &on, &source, &e)) {
        set_bool(ctx, FACT, on, source);
    } else {
        set_err(ctx, FACT, &e, source);
    }
}
