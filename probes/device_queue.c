/* Device, theme queues: the block layer's queue of the disk and the hardware queues below. On the head of
 * an NVMe subsystem the hardware queues are those of its paths. */
#include <errno.h>

#include "advisor/base/parse.h"
#include "probes/device.h"
#include "probes/device_queue.h"
#include "probes/setters.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

#define SCHEDULERS "none,mq-deadline,kyber,bfq"
#define QUEUE_ROW(name, kind, fold, meaning, file)                                                 \
    {                                                                                              \
        "device.queue." name, kind, NULL, SUBJECT_DEVICE, fold, NEED_NONE, meaning, "queue/" file, \
            ""                                                                                     \
    }

const struct fact_decl device_queue_decls[DEVICE_QUEUE_DECLS] = {
    {"device.queue.io_queues", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_MIN, NEED_NONE,
     "I/O queues in use, the admin queue left out; of several controllers the fewest",
     "/sys/class/nvme/CTRL/queue_count", ""},
    {"device.queue.hw_queues", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_MIN, NEED_NONE,
     "hardware queues of the block layer", "/sys/class/block/NAME/mq", ""},
    {"device.queue.depth", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_MIN, NEED_NONE,
     "commands that a queue holds", "/sys/class/nvme/CTRL/sqsize", ""},
    {"device.queue.cpus_per_queue_max", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_MAX, NEED_NONE,
     "most CPUs that share one queue", "/sys/class/block/NAME/mq/N/cpu_list", ""},
    {"device.queue.scheduler", KIND_ENUM, SCHEDULERS, SUBJECT_DEVICE, FOLD_SAME, NEED_NONE,
     "I/O scheduler in force", "queue/scheduler", ""},
    {"device.queue.write_cache", KIND_ENUM, "write-back,write-through", SUBJECT_DEVICE, FOLD_SAME,
     NEED_NONE, "the kernel's view of the cache", "queue/write_cache", ""},
    QUEUE_ROW("nr_requests", KIND_COUNT, FOLD_MIN, "requests per hardware queue", "nr_requests"),
    QUEUE_ROW("fua", KIND_BOOL, FOLD_ALL, "writes through the cache are possible", "fua"),
    QUEUE_ROW("physical_block_size", KIND_BYTES, FOLD_MAX, "block that the kernel takes as whole",
              "physical_block_size"),
    QUEUE_ROW("minimum_io_size", KIND_BYTES, FOLD_MAX, "preferred smallest request",
              "minimum_io_size"),
    QUEUE_ROW("optimal_io_size", KIND_BYTES, FOLD_MAX, "preferred request", "optimal_io_size"),
    QUEUE_ROW("max_sectors_bytes", KIND_BYTES, FOLD_MIN, "largest request in force",
              "max_sectors_kb"),
    QUEUE_ROW("max_hw_sectors_bytes", KIND_BYTES, FOLD_MIN, "largest request of the hardware",
              "max_hw_sectors_kb"),
    QUEUE_ROW("read_ahead_bytes", KIND_BYTES, FOLD_MAX, "read-ahead of buffered reads",
              "read_ahead_kb"),
    QUEUE_ROW("rotational", KIND_BOOL, FOLD_ANY, "the kernel's flag", "rotational"),
    QUEUE_ROW("wbt_latency", KIND_SECONDS, FOLD_MAX, "target of writeback throttling, 0 = off",
              "wbt_lat_usec"),
    QUEUE_ROW("nomerges", KIND_COUNT, FOLD_MAX, "which merges are off", "nomerges"),
    QUEUE_ROW("rq_affinity", KIND_COUNT, FOLD_SAME, "where completions run", "rq_affinity"),
    QUEUE_ROW("discard_max_bytes", KIND_BYTES, FOLD_MIN, "largest discard, 0 = none",
              "discard_max_bytes"),
    QUEUE_ROW("atomic_max_bytes", KIND_BYTES, FOLD_MIN, "largest atomic write, 0 = none",
              "atomic_write_unit_max_bytes"),
    QUEUE_ROW("logical_block_size", KIND_BYTES, FOLD_MAX, "smallest addressable block",
              "logical_block_size"),
};

/* Plain numbers: what one count of the file is in the fact's unit, as times / per. `optional`: some
 * kernels, or some kinds of queue, have no such file. */
static const struct {
    const char *fact, *file;
    enum kind kind;
    uint64_t times, per;
    bool optional;
} numbers[] = {
    {"device.queue.nr_requests", "nr_requests", KIND_COUNT, 1, 1, false},
    {"device.queue.fua", "fua", KIND_BOOL, 1, 1, false},
    {"device.queue.physical_block_size", "physical_block_size", KIND_BYTES, 1, 1, false},
    {"device.queue.logical_block_size", "logical_block_size", KIND_BYTES, 1, 1, false},
    {"device.queue.minimum_io_size", "minimum_io_size", KIND_BYTES, 1, 1, false},
    {"device.queue.optimal_io_size", "optimal_io_size", KIND_BYTES, 1, 1, false},
    {"device.queue.max_sectors_bytes", "max_sectors_kb", KIND_BYTES, 1024, 1, false},
    {"device.queue.max_hw_sectors_bytes", "max_hw_sectors_kb", KIND_BYTES, 1024, 1, false},
    {"device.queue.read_ahead_bytes", "read_ahead_kb", KIND_BYTES, 1024, 1, false},
    {"device.queue.rotational", "rotational", KIND_BOOL, 1, 1, false},
    {"device.queue.wbt_latency", "wbt_lat_usec", KIND_SECONDS, 1, 1000000, true},
    {"device.queue.nomerges", "nomerges", KIND_COUNT, 1, 1, false},
    {"device.queue.rq_affinity", "rq_affinity", KIND_COUNT, 1, 1, false},
    {"device.queue.discard_max_bytes", "discard_max_bytes", KIND_BYTES, 1, 1, false},
    {"device.queue.atomic_max_bytes", "atomic_write_unit_max_bytes", KIND_BYTES, 1, 1, true},
};

static void set_numbers(struct device *d)
{
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
        struct err e = ERR_INIT;
        uint64_t v = 0;
        struct num n;
        const char *source = arena_printf(d->ctx->arena, "queue/%s", numbers[i].file);
        if (!sysfs_u64(d->ctx->host, d->ctx->arena, &v, &e, "/sys/class/block/%s/queue/%s",
                       d->name, numbers[i].file)) {
            /* the head of an NVMe subsystem answers EINVAL for what only its paths have */
            bool none = numbers[i].optional && (e.code == E_ABSENT || e.sys_errno == EINVAL);
            set_unknown(d->ctx, numbers[i].fact,
                        none ? FACT_NOT_SUPPORTED : fact_state_from_err(e.code), source, "",
                        e.text);
        } else if (numbers[i].kind == KIND_BOOL) {
            set_bool(d->ctx, numbers[i].fact, v != 0, source);
        } else if (num_mul(num_u64(v), num_u64(numbers[i].times), &n) == NUM_OK &&
                   num_div(n, num_u64(numbers[i].per), &n) == NUM_OK) {
            set_num(d->ctx, numbers[i].fact, numbers[i].kind, n, source);
        }
    }
}

/* "[none] mq-deadline", or "none" alone where the queue cannot have one. */
static void set_scheduler(struct device *d)
{
    static const char name[] = "device.queue.scheduler";
    struct err e = ERR_INIT;
    struct span s, word;
    if (!sysfs_text(d->ctx->host, d->ctx->arena, &s, &e, "/sys/class/block/%s/queue/scheduler",
                    d->name)) {
        set_err(d->ctx, name, &e, "queue/scheduler");
        return;
    }
    struct span chosen = span_has(s, '[') || span_has(s, ' ') ? (struct span){"", 0} : s;
    while (span_word(&s, &word)) {
        if (word.len > 2 && word.ptr[0] == '[' && word.ptr[word.len - 1] == ']') {
            chosen = span_sub(word, 1, word.len - 2);
        }
    }
    set_enum_text(d->ctx, name, SCHEDULERS, chosen, "queue/scheduler");
}

static void set_write_cache(struct device *d)
{
    static const char name[] = "device.queue.write_cache";
    struct err e = ERR_INIT;
    struct span s;
    if (!sysfs_text(d->ctx->host, d->ctx->arena, &s, &e, "/sys/class/block/%s/queue/write_cache",
                    d->name)) {
        set_err(d->ctx, name, &e, "queue/write_cache");
    } else if (span_eq_text(s, "write back")) {
        set_enum(d->ctx, name, "write-back", "queue/write_cache");
    } else if (span_eq_text(s, "write through")) {
        set_enum(d->ctx, name, "write-through", "queue/write_cache");
    } else {
        set_unknown(d->ctx, name, FACT_UNREADABLE, "queue/write_cache", "",
                    "neither 'write back' nor 'write through'");
    }
}

/* Smallest value of an attribute over the disk's controllers. */
static bool controllers_min(struct device *d, const char *file, uint64_t *ret, struct err *reterr)
{
    uint64_t least = UINT64_MAX;
    if (d->disk.n_controllers == 0) {
        return err_set(reterr, E_ABSENT, "no controller of '%s' stands in sysfs", d->name);
    }
    for (size_t i = 0; i < d->disk.n_controllers; i++) {
        uint64_t v = 0;
        if (!sysfs_u64(d->ctx->host, d->ctx->arena, &v, reterr, "/sys/class/nvme/%s/%s",
                       d->disk.controllers[i], file)) {
            return false;
        }
        least = v < least ? v : least;
    }
    *ret = least;
    return true;
}

static void set_nvme_queues(struct device *d)
{
    struct err e = ERR_INIT;
    uint64_t v = 0;
    bool have = d->disk.nvme && controllers_min(d, "queue_count", &v, &e);
    if (have && v > 0) {
        set_u64(d->ctx, "device.queue.io_queues", KIND_COUNT, v - 1,
                "queue_count less the admin queue");
    } else {
        if (have) {
            err_set(&e, E_ABSENT, "a controller of '%s' reports no queue at all", d->name);
        }
        device_fact_missing(d, "device.queue.io_queues", &e, "queue_count");
    }
    if (d->disk.nvme && controllers_min(d, "sqsize", &v, &e) && v < UINT64_MAX) {
        set_u64(d->ctx, "device.queue.depth", KIND_COUNT, v + 1, "sqsize + 1");
    } else {
        device_fact_missing(d, "device.queue.depth", &e, "sqsize");
    }
}

void device_read_queue(struct device *d)
{
    set_numbers(d);
    set_scheduler(d);
    set_write_cache(d);
    set_nvme_queues(d);
    device_read_hw_queues(d);
}
