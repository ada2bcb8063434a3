/* A server's process: /proc/PID/limits, status, oom_score_adj, mount namespace. */
#include "probes/server.h"

#include <string.h>

#include "advisor/base/parse.h"
#include "probes/ktext.h"

#include "advisor/base/banned.h"

#define NODES "/sys/devices/system/node"
#define NODES_MAX 1024u
#define CPUS_MAX 8192u

#define KIB 1024u

const struct fact_decl server_process_decls[] = {
    {"server.process.max_open_files", KIND_COUNT, NULL, SUBJECT_SERVER, FOLD_MIN, NEED_NONE,
     "files that it may open", "/proc/PID/limits", ""},
    {"server.process.memlock", KIND_BYTES, NULL, SUBJECT_SERVER, FOLD_MIN, NEED_NONE,
     "memory that it may lock", "/proc/PID/limits", ""},
    {"server.process.address_space", KIND_BYTES, NULL, SUBJECT_SERVER, FOLD_MIN, NEED_NONE,
     "address space that it may map", "/proc/PID/limits", ""},
    {"server.process.vm_size", KIND_BYTES, NULL, SUBJECT_SERVER, FOLD_SUM, NEED_NONE,
     "mapped address space", "/proc/PID/status", ""},
    {"server.process.vm_swap", KIND_BYTES, NULL, SUBJECT_SERVER, FOLD_SUM, NEED_NONE,
     "memory of it that was swapped out", "/proc/PID/status", ""},
    {"server.process.cpus_allowed", KIND_COUNT, NULL, SUBJECT_SERVER, FOLD_MIN, NEED_NONE,
     "CPUs in its mask", "/proc/PID/status", ""},
    {"server.process.nodes_allowed", KIND_COUNT, NULL, SUBJECT_SERVER, FOLD_MIN, NEED_NONE,
     "NUMA nodes that it may take memory of", "/proc/PID/status", ""},
    {"server.process.cpu_nodes", KIND_SET, NULL, SUBJECT_SERVER, FOLD_SAME, NEED_NONE,
     "NUMA nodes that have a CPU on which it may run",
     "/proc/PID/status, /sys/devices/system/node", ""},
    {"server.process.oom_score_adj", KIND_COUNT, NULL, SUBJECT_SERVER, FOLD_MAX, NEED_NONE,
     "how readily the kernel ends it when memory runs out, -1000 to 1000",
     "/proc/PID/oom_score_adj", ""},
    {"server.process.mount_namespace_differs", KIND_BOOL, NULL, SUBJECT_SERVER, FOLD_ANY, NEED_NONE,
     "it sees other mounts than we do", "/proc/PID/ns/mnt", "same-uid"},
};

const char *server_path(struct probe_ctx *ctx, const char *file)
{
    return arena_printf(ctx->arena, "/proc/%llu/%s", (unsigned long long)ctx->args->pid, file);
}

/* "mnt:[4026531841]", whole */
static bool read_namespace(struct probe_ctx *ctx, const char *path, struct span *ret,
                           struct err *reterr)
{
    return host_link(ctx->host, path, ret, reterr) &&
           ((span_starts(*ret, "mnt:[") && span_ends(*ret, "]")) ||
            ktext_bad(reterr, path, "namespace"));
}

void server_namespace_open(struct probe_ctx *ctx)
{
    static const char fact[] = "server.process.mount_namespace_differs";
    const char *theirs = server_path(ctx, "ns/mnt");
    struct span a, b;
    struct err err = ERR_INIT;
    if (read_namespace(ctx, theirs, &a, &err) &&
        read_namespace(ctx, "/proc/self/ns/mnt", &b, &err)) {
        probe_known(ctx, fact, value_bool(!span_eq(a, b)), theirs);
    } else {
        probe_unknown(ctx, fact, &err, theirs, "Run as root.");
    }
}

/* ---- limits ---------------------------------------------------------------------------------- */

static const struct {
    const char *fact, *row;
    enum kind kind;
} limits[] = {
    {"server.process.max_open_files", "Max open files", KIND_COUNT},
    {"server.process.memlock", "Max locked memory", KIND_BYTES},
    {"server.process.address_space", "Max address space", KIND_BYTES},
};

bool server_read_limit(struct span text, const char *row, struct num *ret)
{
    struct span value, soft, hard;
    uint64_t n;
    if (!ktext_field(text, row, &value) || !span_word(&value, &soft) || !span_word(&value, &hard)) {
        return false;
    }
    if (span_eq_text(soft, "unlimited")) {
        *ret = num_unlimited();
        return true;
    }
    if (!parse_u64(soft, &n)) {
        return false;
    }
    *ret = num_u64(n);
    return true;
}

static void set_limits(struct probe_ctx *ctx)
{
    const char *path = server_path(ctx, "limits");
    struct span text;
    struct err err = ERR_INIT;
    bool read = ktext_read(ctx->host, path, 0, &text, &err);
    for (size_t i = 0; i < ARRAY_LEN(limits); i++) {
        struct num n;
        if (read && server_read_limit(text, limits[i].row, &n)) {
            probe_known(ctx, limits[i].fact, value_num(limits[i].kind, n), path);
            continue;
        }
        if (read) {
            ktext_bad(&err, path, limits[i].row);
        }
        probe_unknown(ctx, limits[i].fact, &err, path, "");
    }
}

/* ---- status ---------------------------------------------------------------------------------- */

enum form { FORM_KIB, FORM_LIST };

static const struct {
    const char *fact, *key;
    enum form form;
} fields[] = {
    {"server.process.vm_size", "VmSize", FORM_KIB},
    {"server.process.vm_swap", "VmSwap", FORM_KIB},
    {"server.process.cpus_allowed", "Cpus_allowed_list", FORM_LIST},
    {"server.process.nodes_allowed", "Mems_allowed_list", FORM_LIST},
};

static bool read_field(struct span text, const char *key, enum form form, struct value *ret)
{
    uint64_t n;
    struct span list;
    if (form == FORM_KIB) {
        struct num bytes;
        if (!ktext_field_u64(text, key, &n) ||
            num_mul(num_u64(n), num_u64(KIB), &bytes) != NUM_OK) {
            return false;
        }
        *ret = value_num(KIND_BYTES, bytes);
        return true;
    }
    if (!ktext_field(text, key, &list) || !parse_cpulist_count(list, &n) || n == 0) {
        return false;
    }
    *ret = value_u64(KIND_COUNT, n);
    return true;
}

/* ---- nodes of its CPUs ----------------------------------------------------------------------- */

static const char cpu_nodes[] = "server.process.cpu_nodes";

static void mark_cpus(struct span list, bool *cpus)
{
    struct ktext_list l = ktext_list_begin(list);
    uint64_t cpu;
    while (ktext_list_next(&l, &cpu) && cpu < CPUS_MAX) {
        cpus[cpu] = true;
    }
}

static bool shares_cpu(struct span list, const bool *cpus)
{
    struct ktext_list l = ktext_list_begin(list);
    uint64_t cpu;
    while (ktext_list_next(&l, &cpu) && cpu < CPUS_MAX) {
        if (cpus[cpu]) {
            return true;
        }
    }
    return false;
}

/* Of the nodes in `online` those with a CPU in `cpus`. */
static bool find_nodes(struct probe_ctx *ctx, struct span online, const bool *cpus, struct span *ret,
                       size_t *ret_n, struct err *reterr)
{
    struct ktext_list l = ktext_list_begin(online);
    uint64_t node;
    *ret_n = 0;
    while (ktext_list_next(&l, &node) && node < NODES_MAX) {
        struct span list;
        const char *path = arena_printf(ctx->arena, NODES "/node%llu/cpulist", (unsigned long long)node);
        if (!ktext_read(ctx->host, path, 0, &list, reterr)) {
            return false;
        }
        if (shares_cpu(list, cpus)) {
            ret[(*ret_n)++] =
                span_of(arena_printf(ctx->arena, "%llu", (unsigned long long)node));
        }
    }
    return *ret_n > 0 || err_set(reterr, E_ABSENT, "no NUMA node has a CPU of this server");
}

static void set_cpu_nodes(struct probe_ctx *ctx, struct span allowed)
{
    struct err err = ERR_INIT;
    struct span online;
    bool *cpus = arena_calloc(ctx->arena, CPUS_MAX, sizeof(*cpus));
    struct span *words = arena_calloc(ctx->arena, NODES_MAX, sizeof(*words));
    size_t n = 0;
    mark_cpus(allowed, cpus);
    if (ktext_read(ctx->host, NODES "/online", 0, &online, &err) &&
        find_nodes(ctx, online, cpus, words, &n, &err)) {
        probe_known(ctx, cpu_nodes, value_words(ctx->arena, KIND_SET, words, n), NODES);
    } else {
        probe_unknown(ctx, cpu_nodes, &err, NODES, "");
    }
}

static void set_status(struct probe_ctx *ctx)
{
    const char *path = server_path(ctx, "status");
    struct span text;
    struct err err = ERR_INIT;
    bool read = ktext_read(ctx->host, path, 0, &text, &err);
    for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
        struct value v;
        if (read && read_field(text, fields[i].key, fields[i].form, &v)) {
            probe_known(ctx, fields[i].fact, v, path);
            continue;
        }
        if (read) {
            ktext_bad(&err, path, fields[i].key);
        }
        probe_unknown(ctx, fields[i].fact, &err, path, "");
    }
    struct span allowed;
    if (read && ktext_field(text, "Cpus_allowed_list", &allowed)) {
        set_cpu_nodes(ctx, allowed);
    } else {
        probe_unknown(ctx, cpu_nodes, &err, path, "");
    }
}

void server_process_run(struct probe_ctx *ctx)
{
    set_limits(ctx);
    set_status(ctx);
    const char *path = server_path(ctx, "oom_score_adj");
    struct err err = ERR_INIT;
    int64_t adj;
    if (ktext_i64(ctx->host, path, &adj, &err)) {
        probe_known(ctx, "server.process.oom_score_adj", value_num(KIND_COUNT, num_i64(adj)), path);
    } else {
        probe_unknown(ctx, "server.process.oom_score_adj", &err, path, "");
    }
}
