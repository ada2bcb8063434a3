/* A server's process: /proc/PID/limits, status, oom_score_adj, mount namespace. */
#include "probes/server.h"

#include <string.h>

#include "advisor/base/parse.h"
#include "probes/ktext.h"

#include "advisor/base/banned.h"

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
