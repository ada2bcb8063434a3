/* See mapper.h. */
#include "probes/mapper.h"

#include "advisor/base/banned.h"

struct mapper_texts {
    bool read; /* else err */
    struct span table, status;
    struct err err;
};

/* Without a mapping on this host the tool is not run. */
static bool has_mappings(struct probe_ctx *ctx, bool *ret, struct err *reterr)
{
    struct host_names names;
    if (!host_list(ctx->host, "/sys/block", &names, reterr)) {
        return false;
    }
    *ret = false;
    for (size_t i = 0; i < names.n && !*ret; i++) {
        *ret = span_starts(names.names[i], "dm-");
    }
    return true;
}

/* For root only, and this is the last moment as root. */
static bool fetch(struct probe_ctx *ctx, struct mapper_texts *ret, struct err *reterr)
{
    struct host_who who;
    struct host_stat node;
    struct err e = ERR_INIT;
    bool any = false;
    ret->table = ret->status = (struct span){"", 0};
    if (!has_mappings(ctx, &any, reterr) || !host_who(ctx->host, &who, reterr)) {
        return false;
    }
    if (!any) {
        return true;
    }
    if (who.uid != 0) {
        err_set(reterr, E_DENIED, "the tables of the device mapper are for root alone");
        return err_hint(reterr, "run as root");
    }
    /* without its node the tool would make one */
    if (!host_stat(ctx->host, "/proc/self/root/dev/mapper/control", &node, reterr)) {
        return err_wrap(reterr, "looking for the device mapper's node");
    }
    if (!host_exec(ctx->host, "dmsetup-table", NULL, &ret->table, reterr)) {
        return false;
    }
    if (!host_exec(ctx->host, "dmsetup-status", NULL, &ret->status, &e)) {
        ret->status = (struct span){"", 0};
    }
    return true;
}

const struct mapper_texts *mapper_fetch(struct probe_ctx *ctx)
{
    struct mapper_texts *const texts = arena_calloc(ctx->arena, 1, sizeof(*texts));
    texts->err = ERR_INIT;
    texts->read = fetch(ctx, texts, &texts->err);
    return texts;
}

const struct walk_dm *mapper_parse(struct probe_ctx *ctx, const struct mapper_texts *texts)
{
    struct walk_dm *dm = arena_calloc(ctx->arena, 1, sizeof(*dm));
    dm->status = (struct span){"", 0};
    dm->err = ERR_INIT;
    if (texts == NULL) {
        err_set(&dm->err, E_ABSENT, "the tables of the device mapper were not read");
    } else if (!texts->read) {
        dm->err = texts->err;
    } else if (dm_tables_parse(ctx->arena, texts->table, &dm->tables, &dm->err)) {
        dm->read = true;
        dm->status = texts->status;
    }
    return dm;
}
