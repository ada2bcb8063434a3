/* The disks that swap lies on: from /proc/swaps down through the block layers. */
#include "probes/proc.h"

#include "probes/blockwalk.h"
#include "probes/ktext.h"
#include "probes/mountinfo.h"
#include "probes/setters.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

#define FACT "host.swap.devices"
#define SWAPS "/proc/swaps"
#define AREAS_MAX 32u /* the kernel has at most that many */

const struct fact_decl proc_swap_decls[] = {
    {FACT, KIND_SET, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE, "disks that swap lies on",
     SWAPS ", /sys/dev/block", ""},
};

/* A swap partition's own number, a swap file's filesystem's. */
static bool find_device(struct probe_ctx *ctx, struct span name, bool file, uint32_t *ret_major,
                        uint32_t *ret_minor, struct err *reterr)
{
    struct host_stat st;
    const char *path = span_dup(ctx->arena, mountinfo_unescape(ctx->arena, name));
    if (!host_stat(ctx->host, path, &st, reterr)) {
        return false;
    }
    *ret_major = file ? st.dev_major : st.rdev_major;
    *ret_minor = file ? st.dev_minor : st.rdev_minor;
    if (*ret_major == 0) {
        return err_set(reterr, E_ABSENT, "the disks below swap on '%s' are not known", path);
    }
    return true;
}

struct found {
    struct span *names;
    size_t n;
};

static bool add_area(struct probe_ctx *ctx, struct span line, struct found *f, struct err *reterr)
{
    struct span name, type, *leaves;
    uint32_t major, minor;
    struct walk walk;
    if (!span_word(&line, &name) || !span_word(&line, &type)) {
        return ktext_bad(reterr, SWAPS, "areas of swap");
    }
    if (!find_device(ctx, name, span_eq_text(type, "file"), &major, &minor, reterr)) {
        return false;
    }
    blockwalk_run(ctx->host, ctx->arena, major, minor, &walk);
    if (!walk.complete) {
        *reterr = walk.err;
        return false;
    }
    size_t n = blockwalk_leaves(ctx->arena, &walk, &leaves);
    for (size_t i = 0; i < n; i++) {
        f->names = arena_list_room(ctx->arena, f->names, f->n, sizeof(*f->names));
        f->names[f->n++] = leaves[i];
    }
    return true;
}

/* Two readings that agree: a table that was cut between two lines looks whole. */
static bool read_table(struct probe_ctx *ctx, struct span *ret, struct err *reterr)
{
    struct span again;
    if (!ktext_read(ctx->host, SWAPS, 0, ret, reterr) ||
        !ktext_read(ctx->host, SWAPS, 0, &again, reterr)) {
        return false;
    }
    if (!span_eq(*ret, again)) {
        return err_set(reterr, E_CUT, "'" SWAPS "' changed while it was read");
    }
    return true;
}

static bool find_all(struct probe_ctx *ctx, struct found *f, struct err *reterr)
{
    struct span text, line;
    if (!read_table(ctx, &text, reterr)) {
        return false;
    }
    if (!span_line(&text, &line) || !span_starts(line, "Filename")) {
        return ktext_bad(reterr, SWAPS, "table of swap");
    }
    for (size_t i = 0; span_line(&text, &line); i++) {
        if (i == AREAS_MAX) {
            return err_set(reterr, E_LIMIT, "'" SWAPS "' has more than %u areas", AREAS_MAX);
        }
        if (!add_area(ctx, line, f, reterr)) {
            return false;
        }
    }
    return true;
}

void proc_swap_run(struct probe_ctx *ctx)
{
    struct found f = {.n = 0};
    struct err e = ERR_INIT;
    if (find_all(ctx, &f, &e)) {
        set_words(ctx, FACT, KIND_SET, f.names, f.n, SWAPS);
    } else {
        set_err(ctx, FACT, &e, SWAPS);
    }
}
