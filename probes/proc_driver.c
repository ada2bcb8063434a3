/* What the kernel's NVMe driver and PCIe code are told: module parameters. */
#include "probes/proc.h"

#include "advisor/base/parse.h"
#include "probes/ktext.h"
#include "probes/setters.h"

#include "advisor/base/banned.h"

#define NVME "/sys/module/nvme/parameters/"
#define CORE "/sys/module/nvme_core/parameters/"
#define ASPM "/sys/module/pcie_aspm/parameters/policy"
#define POLICIES "default,performance,powersave,powersupersave"

const struct fact_decl proc_driver_decls[] = {
    {"host.nvme.poll_queues", KIND_COUNT, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "queues without interrupts that the driver is told to make", NVME "poll_queues", ""},
    {"host.nvme.write_queues", KIND_COUNT, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "queues that the driver is told to keep for writes", NVME "write_queues", ""},
    {"host.nvme.io_queue_depth", KIND_COUNT, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "entries of a queue that the driver asks for at most", NVME "io_queue_depth", ""},
    {"host.nvme.multipath", KIND_BOOL, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "the driver joins paths by itself", CORE "multipath", ""},
    {"host.nvme.default_ps_max_latency", KIND_SECONDS, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "wake-up time that the driver allows to idle drives", CORE "default_ps_max_latency_us", ""},
    {"host.pci.aspm_policy", KIND_ENUM, POLICIES, SUBJECT_HOST, FOLD_SAME, NEED_NONE,
     "how readily PCIe links are put to sleep", ASPM, ""},
};

static const struct {
    const char *fact, *path;
} counts[] = {
    {"host.nvme.poll_queues", NVME "poll_queues"},
    {"host.nvme.write_queues", NVME "write_queues"},
    {"host.nvme.io_queue_depth", NVME "io_queue_depth"},
};

/* Returns whether the parameter was there: then the driver's core is in this kernel. */
static bool set_latency(struct probe_ctx *ctx)
{
    static const char fact[] = "host.nvme.default_ps_max_latency";
    static const char path[] = CORE "default_ps_max_latency_us";
    struct err e = ERR_INIT;
    uint64_t micros;
    struct num seconds;
    if (!ktext_u64(ctx->host, path, &micros, &e)) {
        set_err(ctx, fact, &e, path);
        return false;
    }
    if (num_div(num_u64(micros), num_u64(1000000), &seconds) == NUM_OK) {
        set_num(ctx, fact, KIND_SECONDS, seconds, path);
    }
    return true;
}

/* A driver that was built without it has no such parameter. */
static void set_multipath(struct probe_ctx *ctx, bool has_core)
{
    static const char fact[] = "host.nvme.multipath", path[] = CORE "multipath";
    struct err e = ERR_INIT;
    struct span text;
    if (!ktext_read_again(ctx->host, path, 0, &text, &e)) {
        if (has_core && e.code == E_ABSENT) {
            set_bool(ctx, fact, false, CORE "*");
        } else {
            set_err(ctx, fact, &e, path);
        }
        return;
    }
    text = span_trim(text);
    if (span_eq_text(text, "Y") || span_eq_text(text, "N")) {
        set_bool(ctx, fact, span_eq_text(text, "Y"), path);
    } else {
        ktext_bad(&e, path, "Y or N");
        set_err(ctx, fact, &e, path);
    }
}

static void set_aspm(struct probe_ctx *ctx)
{
    static const char fact[] = "host.pci.aspm_policy";
    struct err e = ERR_INIT;
    struct span text, word;
    if (ktext_read(ctx->host, ASPM, 0, &text, &e) &&
        (ktext_choice(text, &word) || ktext_bad(&e, ASPM, "choice"))) {
        set_enum_text(ctx, fact, POLICIES, word, ASPM);
    } else {
        set_err(ctx, fact, &e, ASPM);
    }
}

void proc_driver_run(struct probe_ctx *ctx)
{
    for (size_t i = 0; i < ARRAY_LEN(counts); i++) {
        struct err e = ERR_INIT;
        uint64_t n;
        if (ktext_u64(ctx->host, counts[i].path, &n, &e)) {
            set_u64(ctx, counts[i].fact, KIND_COUNT, n, counts[i].path);
        } else {
            set_err(ctx, counts[i].fact, &e, counts[i].path);
        }
    }
    set_multipath(ctx, set_latency(ctx));
    set_aspm(ctx);
}
