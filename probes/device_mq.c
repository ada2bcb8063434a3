/* Device, theme queues: the directories of mq/, of the disk or, for the head of an NVMe subsystem, of its
 * paths. */
#include <string.h>

#include "advisor/base/parse.h"
#include "probes/device_queue.h"
#include "probes/setters.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

#define QUEUES_MAX 4096u

bool queue_cpu_count(struct span list, uint64_t *ret)
{
    uint64_t sum = 0;
    struct span piece;
    while (span_split(&list, ',', &piece)) {
        struct span rest = span_trim(piece), first;
        uint64_t from = 0, to = 0;
        if (!span_split(&rest, '-', &first) || !parse_u64(first, &from)) {
            return false;
        }
        to = from;
        if (first.len < span_trim(piece).len && !parse_u64(rest, &to)) {
            return false;
        }
        if (to < from || to - from > UINT32_MAX) {
            return false;
        }
        sum += to - from + 1;
    }
    *ret = sum;
    return sum > 0;
}

const char *multipath_path_name(struct arena *a, const char *head, const char *ctrl)
{
    const char *n = strncmp(head, "nvme", 4) == 0 ? strchr(head + 4, 'n') : NULL;
    if (n == NULL || strncmp(ctrl, "nvme", 4) != 0) {
        return NULL;
    }
    return arena_printf(a, "%.*sc%s%s", (int)(n - head), head, ctrl + 4, n);
}

/* Adds the queues of one block device; false: it has none that can be read. */
static bool read_one(struct device *d, const char *name, uint64_t *ret_queues, uint64_t *ret_cpus,
                     struct err *reterr)
{
    struct host_names mq;
    uint64_t most = 0;
    if (!host_list(d->ctx->host, arena_printf(d->ctx->arena, "/sys/class/block/%s/mq", name), &mq,
                   reterr)) {
        return false;
    }
    if (mq.n == 0 || mq.n > QUEUES_MAX) {
        return err_set(reterr, E_ABSENT, "'%s' shows no hardware queues", name);
    }
    for (size_t i = 0; i < mq.n; i++) {
        struct err e = ERR_INIT;
        struct span list;
        uint64_t cpus = 0;
        if (!sysfs_name_ok(mq.names[i]) ||
            !sysfs_text(d->ctx->host, d->ctx->arena, &list, &e,
                        "/sys/class/block/%s/mq/%.*s/cpu_list", name, SPAN_ARG(mq.names[i])) ||
            !queue_cpu_count(list, &cpus)) {
            continue; /* a queue without a CPU of its own, as when CPUs are offline */
        }
        most = cpus > most ? cpus : most;
    }
    *ret_queues = mq.n;
    *ret_cpus = most;
    return true;
}

void device_read_hw_queues(struct device *d)
{
    struct err e = ERR_INIT;
    uint64_t queues = UINT64_MAX, cpus = 0;
    bool ok = true;
    size_t n = d->disk.multipath_head ? d->disk.n_controllers : 1;
    if (n == 0) {
        ok = err_set(&e, E_ABSENT, "no path of '%s' stands in sysfs", d->name);
    }
    for (size_t i = 0; i < n && ok; i++) {
        uint64_t q = 0, c = 0;
        const char *name = d->disk.multipath_head
                               ? multipath_path_name(d->ctx->arena, d->name,
                                                     d->disk.controllers[i])
                               : d->name;
        ok = name != NULL ? read_one(d, name, &q, &c, &e)
                          : err_set(&e, E_ABSENT, "the paths of '%s' have no known name", d->name);
        queues = q < queues ? q : queues;
        cpus = c > cpus ? c : cpus;
    }
    if (!ok) {
        set_err(d->ctx, "device.queue.hw_queues", &e, "mq/");
        set_err(d->ctx, "device.queue.cpus_per_queue_max", &e, "mq/");
        return;
    }
    set_u64(d->ctx, "device.queue.hw_queues", KIND_COUNT, queues, "entries of mq/");
    if (cpus > 0) {
        set_u64(d->ctx, "device.queue.cpus_per_queue_max", KIND_COUNT, cpus, "mq/N/cpu_list");
    } else {
        set_unknown(d->ctx, "device.queue.cpus_per_queue_max", FACT_ABSENT, "mq/N/cpu_list", "",
                    "no list of CPUs can be read");
    }
}
