/* Kernel settings in /proc/sys, and pressure. */
#include "probes/proc.h"

#include "advisor/base/parse.h"
#include "probes/ktext.h"

#include "advisor/base/banned.h"

#define VM "/proc/sys/vm/"
#define PRESSURE "/proc/pressure/"

const struct fact_decl proc_sysctl_decls[] = {
    {"host.vm.swappiness", KIND_COUNT, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "how readily the kernel swaps, 0 to 200", VM "swappiness", ""},
    {"host.vm.overcommit_memory", KIND_COUNT, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "0 guessed, 1 always, 2 never beyond the limit", VM "overcommit_memory", ""},
    {"host.vm.min_free", KIND_BYTES, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "memory that the kernel keeps free", VM "min_free_kbytes", ""},
    {"host.vm.max_map_count", KIND_COUNT, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "mappings that a process may have", VM "max_map_count", ""},
    {"host.vm.dirty_limit", KIND_BYTES, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "dirty page cache at which writers wait", VM "dirty_bytes, dirty_ratio", ""},
    {"host.vm.dirty_background_limit", KIND_BYTES, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "dirty page cache at which write-back begins",
     VM "dirty_background_bytes, dirty_background_ratio", ""},
    {"host.numa.balancing", KIND_BOOL, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "the kernel moves pages between nodes", "/proc/sys/kernel/numa_balancing", ""},
    {"host.numa.zone_reclaim_mode", KIND_COUNT, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "0: a full node takes memory of another", VM "zone_reclaim_mode", ""},
    {"host.fs.aio_nr", KIND_COUNT, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE, "AIO slots taken",
     "/proc/sys/fs/aio-nr", ""},
    {"host.fs.aio_max_nr", KIND_COUNT, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "AIO slots allowed", "/proc/sys/fs/aio-max-nr", ""},
    {"host.psi.io_some_avg60", KIND_RATIO, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "time that some task waited for I/O, last minute", PRESSURE "io", ""},
    {"host.psi.io_full_avg60", KIND_RATIO, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "time that all tasks waited for I/O, last minute", PRESSURE "io", ""},
    {"host.psi.memory_full_avg60", KIND_RATIO, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "time that all tasks waited for memory, last minute", PRESSURE "memory", ""},
};

static const struct {
    const char *fact, *path;
    enum kind kind;
    uint64_t scale;
} numbers[] = {
    {"host.vm.swappiness", VM "swappiness", KIND_COUNT, 1},
    {"host.vm.overcommit_memory", VM "overcommit_memory", KIND_COUNT, 1},
    {"host.vm.min_free", VM "min_free_kbytes", KIND_BYTES, 1024},
    {"host.vm.max_map_count", VM "max_map_count", KIND_COUNT, 1},
    {"host.numa.balancing", "/proc/sys/kernel/numa_balancing", KIND_BOOL, 1},
    {"host.numa.zone_reclaim_mode", VM "zone_reclaim_mode", KIND_COUNT, 1},
    {"host.fs.aio_nr", "/proc/sys/fs/aio-nr", KIND_COUNT, 1},
    {"host.fs.aio_max_nr", "/proc/sys/fs/aio-max-nr", KIND_COUNT, 1},
};

static struct value scaled(enum kind kind, uint64_t n, uint64_t scale)
{
    struct num product = num_u64(n);
    /* A product of two 64-bit numbers always fits. */
    (void)num_mul(num_u64(n), num_u64(scale), &product);
    return value_num(kind, product);
}

static void set_numbers(struct probe_ctx *ctx)
{
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        struct err err = ERR_INIT;
        uint64_t n;
        if (!ktext_u64(ctx->host, numbers[i].path, &n, &err)) {
            /* The kernel was built without it: absent says so. */
            probe_unknown(ctx, numbers[i].fact, &err, numbers[i].path, "");
        } else if (numbers[i].kind == KIND_BOOL) {
            probe_known(ctx, numbers[i].fact, value_bool(n != 0), numbers[i].path);
        } else {
            probe_known(ctx, numbers[i].fact, scaled(numbers[i].kind, n, numbers[i].scale),
                        numbers[i].path);
        }
    }
}

/* Of each pair the kernel keeps one at 0: bytes rule when they are set, else the share of what is
 * available. */
static void set_dirty(struct probe_ctx *ctx, const char *fact, const char *bytes_path,
                      const char *ratio_path, bool has_available, uint64_t available)
{
    struct err err = ERR_INIT;
    uint64_t bytes, ratio;
    if (!ktext_u64(ctx->host, bytes_path, &bytes, &err)) {
        probe_unknown(ctx, fact, &err, bytes_path, "");
    } else if (bytes > 0) {
        probe_known(ctx, fact, value_u64(KIND_BYTES, bytes), bytes_path);
    } else if (!ktext_u64(ctx->host, ratio_path, &ratio, &err) ||
               (ratio > 100 && !ktext_bad(&err, ratio_path, "share of 0 to 100"))) {
        probe_unknown(ctx, fact, &err, ratio_path, "");
    } else if (!has_available) {
        store_unknown(ctx->store, ctx->subject, fact, FACT_UNREADABLE, ratio_path, "",
                      "available memory is not known");
    } else {
        probe_known(ctx, fact, value_u64(KIND_BYTES, available / 100 * ratio), ratio_path);
    }
}

/* ---- pressure -------------------------------------------------------------------------------- */

/* "some avg10=0.00 avg60=1.25 avg300=0.00 total=0" */
static bool read_avg60(struct span text, const char *which, double *ret)
{
    struct span line, word;
    if (!ktext_field(text, which, &line)) {
        return false;
    }
    while (span_word(&line, &word)) {
        if (span_starts(word, "avg60=")) {
            return parse_double(span_sub(word, 6, word.len), ret) && *ret >= 0 && *ret <= 100;
        }
    }
    return false;
}

static void set_pressure(struct probe_ctx *ctx, const char *fact, const char *path,
                         const char *which)
{
    struct span text;
    struct err err = ERR_INIT;
    double percent;
    if (ktext_read_again(ctx->host, path, 0, &text, &err) &&
        (read_avg60(text, which, &percent) || ktext_bad(&err, path, "average of a minute"))) {
        probe_known(ctx, fact, value_num(KIND_RATIO, num_real(percent / 100)), path);
        return;
    }
    if (err.code == E_ABSENT) {
        err.code = E_NOT_SUPPORTED; /* built or booted without pressure accounting */
    }
    probe_unknown(ctx, fact, &err, path, "Boot with psi=1.");
}

void proc_sysctl_run(struct probe_ctx *ctx, bool has_available, uint64_t available)
{
    set_numbers(ctx);
    set_dirty(ctx, "host.vm.dirty_limit", VM "dirty_bytes", VM "dirty_ratio", has_available,
              available);
    set_dirty(ctx, "host.vm.dirty_background_limit", VM "dirty_background_bytes",
              VM "dirty_background_ratio", has_available, available);
    set_pressure(ctx, "host.psi.io_some_avg60", PRESSURE "io", "some");
    set_pressure(ctx, "host.psi.io_full_avg60", PRESSURE "io", "full");
    set_pressure(ctx, "host.psi.memory_full_avg60", PRESSURE "memory", "full");
}
