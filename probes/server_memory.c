/* A server's memory: what hands it out, and from which nodes it comes. */
#include "probes/server.h"

#include <string.h>

#include "advisor/base/parse.h"
#include "probes/ktext.h"
#include "probes/setters.h"

#include "advisor/base/banned.h"

#define ALLOCATOR "server.process.allocator"
#define NODES "/sys/devices/system/node/has_memory"

const struct fact_decl server_memory_decls[] = {
    {ALLOCATOR, KIND_ENUM, "glibc,jemalloc,tcmalloc,other", SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "what gives it memory; one that was linked in at build does not show", "/proc/PID/maps",
     "same-uid"},
    {"server.process.numa_policy", KIND_ENUM, "default,interleave,bind,preferred,mixed",
     SUBJECT_SERVER, FOLD_SAME, NEED_NONE, "from which nodes its memory comes", NODES, ""},
    {"server.process.numa_imbalance", KIND_RATIO, NULL, SUBJECT_SERVER, FOLD_MAX, NEED_NONE,
     "share of its memory on the fullest node less that on the emptiest", NODES, ""},
};

/* The first library of the list that it runs decides: a preloaded one goes before the C library. */
static const char *allocator_in(struct span names)
{
    static const struct {
        const char *library, *word;
    } known[] = {{"libjemalloc", "jemalloc"},
                 {"libtcmalloc", "tcmalloc"},
                 {"libmimalloc", "other"},
                 {"libc.so", "glibc"},
                 {"libc-", "glibc"}};
    for (size_t i = 0; i < ARRAY_LEN(known); i++) {
        struct span rest = names, line;
        while (span_line(&rest, &line)) {
            if (span_starts(line, known[i].library)) {
                return known[i].word;
            }
        }
    }
    return "other";
}

/* Two readings agree: a list that was cut between two names looks whole. */
void server_memory_open(struct probe_ctx *ctx)
{
    const char *path = server_path(ctx, "maps");
    struct span names, again;
    struct err err = ERR_INIT;
    if (!ktext_read(ctx->host, path, HOST_PROC_MAX, &names, &err) ||
        !ktext_read(ctx->host, path, HOST_PROC_MAX, &again, &err)) {
        probe_unknown(ctx, ALLOCATOR, &err, path, "Run as root.");
    } else if (!span_eq(names, again)) {
        set_unknown(ctx, ALLOCATOR, FACT_UNSTABLE, path, "", "its libraries changed while they were read");
    } else if (names.len == 0) {
        set_unknown(ctx, ALLOCATOR, FACT_ABSENT, path, "", "the process maps no library");
    } else {
        set_enum(ctx, ALLOCATOR, allocator_in(names), path);
    }
}

/* With one node there is nothing to choose. Of several only /proc/PID/numa_maps tells, and for that the
 * kernel walks all of the server's memory while it may not map any. */
void server_memory_run(struct probe_ctx *ctx)
{
    static const char policy[] = "server.process.numa_policy";
    static const char imbalance[] = "server.process.numa_imbalance";
    struct span text;
    struct err err = ERR_INIT;
    uint64_t nodes;
    if (!ktext_read(ctx->host, NODES, 0, &text, &err) ||
        (!parse_cpulist_count(span_trim(text), &nodes) && !ktext_bad(&err, NODES, "list of nodes"))) {
        set_err(ctx, policy, &err, NODES);
        set_err(ctx, imbalance, &err, NODES);
    } else if (nodes == 1) {
        set_enum(ctx, policy, "default", NODES);
        set_num(ctx, imbalance, KIND_RATIO, num_u64(0), NODES);
    } else {
        static const char reason[] = "to tell, the kernel would walk all of its memory";
        const char *remedy = arena_printf(ctx->arena, "numastat -p %llu",
                                          (unsigned long long)ctx->args->pid);
        set_unknown(ctx, policy, FACT_ABSENT, NODES, remedy, reason);
        set_unknown(ctx, imbalance, FACT_ABSENT, NODES, remedy, reason);
    }
}
