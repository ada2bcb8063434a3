/* See disks.h. Reads names in sysfs; asks no device. */
#include "probes/disks.h"

#include "advisor/base/parse.h"

#include "advisor/base/banned.h"

#define DISKS "host.nvme.disks"
#define SYS_BLOCK "/sys/block"

static const struct fact_decl rows[] = {
    {DISKS, KIND_SET, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "NVMe disks of the host", SYS_BLOCK, ""},
};

/* "nvme0n1"; not the hidden paths "nvme0c0n1" of a multipath disk. */
static bool is_nvme_disk(struct span name)
{
    struct span rest = name, controller;
    uint64_t a = 0, b = 0;
    if (!span_starts(name, "nvme")) {
        return false;
    }
    rest = span_sub(name, 4, name.len);
    return span_split(&rest, 'n', &controller) && parse_u64(controller, &a) && parse_u64(rest, &b);
}

static void run(struct probe_ctx *ctx)
{
    struct host_names names;
    struct err err = ERR_INIT;
    if (!host_list(ctx->host, SYS_BLOCK, &names, &err)) {
        store_unknown(ctx->store, ctx->subject, DISKS, fact_state_from_err(err.code), SYS_BLOCK,
                      err.hint, "%s", err.text);
        return;
    }
    size_t n = 0;
    for (size_t i = 0; i < names.n; i++) {
        if (is_nvme_disk(names.names[i])) {
            names.names[n++] = names.names[i];
        }
    }
    store_known(ctx->store, ctx->subject, DISKS,
                value_words(ctx->arena, KIND_SET, names.names, n), SYS_BLOCK);
}

const struct probe probe_disks = {
    .name = "disks",
    .doc = "NVMe disks of the host",
    .identity = IDENTITY_NOBODY,
    .decls = rows,
    .n_decls = ARRAY_LEN(rows),
    .run = run,
};
