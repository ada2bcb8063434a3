/* Memory of the host: /proc/meminfo, huge pages, NUMA nodes. */
#include "probes/proc.h"

#include "probes/ktext.h"

#include "advisor/base/banned.h"

#define MEMINFO "/proc/meminfo"
#define NODES "/sys/devices/system/node"
#define THP "/sys/kernel/mm/transparent_hugepage"
#define NODES_MAX 1024u
#define KIB 1024u

const struct fact_decl proc_memory_decls[] = {
    {"host.memory.total", KIND_BYTES, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "physical memory that the kernel sees", MEMINFO, ""},
    {"host.memory.available", KIND_BYTES, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "memory that could be had without swapping", MEMINFO, ""},
    {"host.memory.hugepage_size", KIND_BYTES, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "size of a default huge page", MEMINFO, ""},
    {"host.memory.hugepages_free", KIND_COUNT, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "free huge pages", MEMINFO, ""},
    {"host.memory.hugepages_total", KIND_COUNT, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "reserved huge pages", MEMINFO, ""},
    {"host.memory.anon_hugepages", KIND_BYTES, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "anonymous memory in transparent huge pages", MEMINFO, ""},
    {"host.swap.total", KIND_BYTES, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE, "size of swap",
     MEMINFO, ""},
    {"host.memory.thp", KIND_ENUM, "always,madvise,never", SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "transparent huge pages", THP "/enabled", ""},
    {"host.memory.thp_defrag", KIND_ENUM, "always,defer,defer+madvise,madvise,never", SUBJECT_HOST,
     FOLD_SAME, NEED_NONE, "how hard the kernel works for a transparent huge page", THP "/defrag",
     ""},
    {"host.numa.nodes", KIND_COUNT, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "NUMA nodes with memory", NODES "/has_memory", ""},
    {"host.numa.node_total_min", KIND_BYTES, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "memory of the smallest node", NODES "/node*/meminfo", ""},
    {"host.numa.node_free_min", KIND_BYTES, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "least free memory of a node", NODES "/node*/meminfo", ""},
};

static const struct {
    const char *fact, *key;
    enum kind kind;
} fields[] = {
    {"host.memory.total", "MemTotal", KIND_BYTES},
    {"host.memory.available", "MemAvailable", KIND_BYTES},
    {"host.memory.hugepage_size", "Hugepagesize", KIND_BYTES},
    {"host.memory.hugepages_free", "HugePages_Free", KIND_COUNT},
    {"host.memory.hugepages_total", "HugePages_Total", KIND_COUNT},
    {"host.memory.anon_hugepages", "AnonHugePages", KIND_BYTES},
    {"host.swap.total", "SwapTotal", KIND_BYTES},
};

static struct value kib_value(uint64_t kib)
{
    struct num bytes = num_u64(kib);
    /* A product of two 64-bit numbers always fits. */
    (void)num_mul(num_u64(kib), num_u64(KIB), &bytes);
    return value_num(KIND_BYTES, bytes);
}

static void set_meminfo(struct probe_ctx *ctx, struct span text)
{
    for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
        uint64_t n;
        if (ktext_field_u64(text, fields[i].key, &n)) {
            struct value v =
                fields[i].kind == KIND_BYTES ? kib_value(n) : value_u64(fields[i].kind, n);
            probe_known(ctx, fields[i].fact, v, MEMINFO);
        } else {
            store_unknown(ctx->store, ctx->subject, fields[i].fact, FACT_ABSENT, MEMINFO, "",
                          "'" MEMINFO "' has no line %s", fields[i].key);
        }
    }
}

static bool is_allowed(const char *allowed, struct span word)
{
    struct span rest = span_of(allowed), one;
    while (span_split(&rest, ',', &one)) {
        if (span_eq(one, word)) {
            return true;
        }
    }
    return false;
}

/* A kernel that was built without them has neither the file nor the line in meminfo. */
static void set_thp(struct probe_ctx *ctx, const char *fact, const char *allowed, const char *path,
                    bool not_built)
{
    struct span text, word;
    struct err err = ERR_INIT;
    if (ktext_read(ctx->host, path, 0, &text, &err)) {
        if (ktext_choice(text, &word) && is_allowed(allowed, word)) {
            probe_known(ctx, fact, value_text(KIND_ENUM, word), path);
            return;
        }
        ktext_bad(&err, path, "known choice");
    } else if (err.code == E_ABSENT && not_built) {
        probe_known(ctx, fact, value_text(KIND_ENUM, SPAN_LIT("never")), MEMINFO);
        return;
    }
    probe_unknown(ctx, fact, &err, path, "");
}

/* ---- NUMA ------------------------------------------------------------------------------------ */

/* "Node 0 MemTotal:       12334460 kB" */
static bool node_field(struct span text, const char *key, uint64_t *ret)
{
    struct span line, word;
    while (span_line(&text, &line)) {
        if (span_word(&line, &word) && span_eq_text(word, "Node") && span_word(&line, &word) &&
            ktext_field_u64(span_trim(line), key, ret)) {
            return true;
        }
    }
    return false;
}

static bool read_node(struct probe_ctx *ctx, uint64_t node, uint64_t *ret_total, uint64_t *ret_free,
                      struct err *reterr)
{
    const char *path =
        arena_printf(ctx->arena, NODES "/node%llu/meminfo", (unsigned long long)node);
    struct span text;
    return ktext_read(ctx->host, path, 0, &text, reterr) &&
           ((node_field(text, "MemTotal", ret_total) && node_field(text, "MemFree", ret_free)) ||
            ktext_bad(reterr, path, "MemTotal and MemFree"));
}

static bool read_nodes(struct probe_ctx *ctx, struct span list, uint64_t *ret_n,
                       uint64_t *ret_total, uint64_t *ret_free, struct err *reterr)
{
    struct ktext_list l = ktext_list_begin(list);
    uint64_t node, total, free_kib, n = 0;
    *ret_total = *ret_free = UINT64_MAX;
    while (n < NODES_MAX && ktext_list_next(&l, &node)) {
        if (!read_node(ctx, node, &total, &free_kib, reterr)) {
            return false;
        }
        *ret_total = total < *ret_total ? total : *ret_total;
        *ret_free = free_kib < *ret_free ? free_kib : *ret_free;
        n++;
    }
    *ret_n = n;
    return n > 0 || ktext_bad(reterr, NODES "/has_memory", "list of nodes");
}

static bool read_list(struct probe_ctx *ctx, struct span *ret, struct err *reterr)
{
    if (ktext_read(ctx->host, NODES "/has_memory", 0, ret, reterr)) {
        return true;
    }
    return reterr->code == E_ABSENT && ktext_read(ctx->host, NODES "/online", 0, ret, reterr);
}

/* A kernel without NUMA has no such directory, and all memory is one node; where sysfs is not
 * mounted nobody knows. */
static bool has_sysfs(struct probe_ctx *ctx)
{
    struct span text;
    struct err err = ERR_INIT;
    return ktext_read(ctx->host, "/sys/devices/system/cpu/online", 0, &text, &err);
}

static void set_numa(struct probe_ctx *ctx)
{
    static const char source[] = NODES;
    struct span list;
    struct err err = ERR_INIT;
    uint64_t n, total, free_kib;
    if (!read_list(ctx, &list, &err)) {
        if (err.code == E_ABSENT && has_sysfs(ctx)) {
            probe_known(ctx, "host.numa.nodes", value_u64(KIND_COUNT, 1), source);
        } else {
            probe_unknown(ctx, "host.numa.nodes", &err, source, "");
        }
        probe_unknown(ctx, "host.numa.node_total_min", &err, source, "");
        probe_unknown(ctx, "host.numa.node_free_min", &err, source, "");
        return;
    }
    if (read_nodes(ctx, list, &n, &total, &free_kib, &err)) {
        probe_known(ctx, "host.numa.nodes", value_u64(KIND_COUNT, n), source);
        probe_known(ctx, "host.numa.node_total_min", kib_value(total), source);
        probe_known(ctx, "host.numa.node_free_min", kib_value(free_kib), source);
        return;
    }
    probe_unknown(ctx, "host.numa.nodes", &err, source, "");
    probe_unknown(ctx, "host.numa.node_total_min", &err, source, "");
    probe_unknown(ctx, "host.numa.node_free_min", &err, source, "");
}

void proc_memory_run(struct probe_ctx *ctx)
{
    struct span text;
    struct err err = ERR_INIT;
    uint64_t n = 0;
    bool read = ktext_read(ctx->host, MEMINFO, 0, &text, &err);
    if (read) {
        set_meminfo(ctx, text);
    } else {
        for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
            probe_unknown(ctx, fields[i].fact, &err, MEMINFO, "");
        }
    }
    bool not_built = read && !ktext_field_u64(text, "AnonHugePages", &n);
    set_thp(ctx, "host.memory.thp", "always,madvise,never", THP "/enabled", not_built);
    set_thp(ctx, "host.memory.thp_defrag", "always,defer,defer+madvise,madvise,never",
            THP "/defrag", not_built);
    set_numa(ctx);
    uint64_t available = 0;
    bool has_available =
        read && ktext_field_u64(text, "MemAvailable", &available) && available <= UINT64_MAX / KIB;
    proc_sysctl_run(ctx, has_available, available * KIB);
}
