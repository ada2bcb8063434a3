/* Device, theme interrupts: how many vectors the device offers, and which CPUs each of its queues
 * interrupts. */
#include <stdlib.h>
#include <string.h>

#include "advisor/base/parse.h"
#include "probes/device.h"
#include "probes/device_queue.h"
#include "probes/pci_config.h"
#include "probes/setters.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

const struct fact_decl device_irq_decls[DEVICE_IRQ_DECLS] = {
    {"device.queue.msix_table_size", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_MIN, NEED_ROOT,
     "interrupt vectors that the device offers", "/sys/class/nvme/CTRL/device/config", "root"},
    {"device.queue.affinity", KIND_LIST, NULL, SUBJECT_DEVICE, FOLD_SAME, NEED_NONE,
     "CPUs that each queue interrupts: queue:CPUs, q0 is the admin queue",
     "/proc/interrupts, /proc/irq/N/effective_affinity_list", ""},
};

#define VECTORS_MAX 512u

/* ---- which CPUs ---- */

struct vector {
    uint64_t queue;
    const char *text;
};

/* "nvme3q12" of controller "nvme3": 12. */
static bool queue_of(struct span name, const char *ctrl, uint64_t *ret)
{
    const size_t n = strlen(ctrl);
    return span_starts(name, ctrl) && name.len > n + 1 && name.ptr[n] == 'q' &&
           parse_u64(span_sub(name, n + 1, name.len), ret);
}

/* A CPU list with '+' between its ranges, as a word of a list. */
static const char *cpus_of(struct device *d, struct span irq, struct err *reterr)
{
    struct span s;
    if (!sysfs_text(d->ctx->host, d->ctx->arena, &s, reterr,
                    "/proc/irq/%.*s/effective_affinity_list", SPAN_ARG(irq)) &&
        !sysfs_text(d->ctx->host, d->ctx->arena, &s, reterr, "/proc/irq/%.*s/smp_affinity_list",
                    SPAN_ARG(irq))) {
        return NULL;
    }
    char *const text = span_dup(d->ctx->arena, s);
    uint64_t n = 0;
    if (!queue_cpu_count(s, &n)) {
        err_set(reterr, E_SYNTAX, "the CPUs of interrupt %.*s are no list", SPAN_ARG(irq));
        return NULL;
    }
    for (char *p = text; *p != '\0'; p++) {
        *p = *p == ',' || *p == ' ' ? '+' : *p;
    }
    return text;
}

/* The kernel makes a directory of each handler's name beside the attributes of its interrupt. */
static bool add_irq(struct device *d, struct span irq, const char *ctrl, struct vector *list,
                    size_t *n, struct err *reterr)
{
    struct host_names names;
    const char *cpus = NULL;
    if (!host_list(d->ctx->host, arena_printf(d->ctx->arena, "/proc/irq/%.*s", SPAN_ARG(irq)),
                   &names, reterr)) {
        return false;
    }
    for (size_t i = 0; i < names.n && *n < VECTORS_MAX; i++) {
        uint64_t queue = 0;
        if (!queue_of(names.names[i], ctrl, &queue)) {
            continue;
        }
        cpus = cpus == NULL ? cpus_of(d, irq, reterr) : cpus;
        if (cpus == NULL) {
            return false;
        }
        list[(*n)++] = (struct vector){
            .queue = queue,
            .text = arena_printf(d->ctx->arena, "%sq%llu:%s", ctrl, (unsigned long long)queue,
                                 cpus)};
    }
    return true;
}

/* Interrupts of the controller: its message vectors, else its line. */
static bool list_irqs(struct device *d, const char *ctrl, struct host_names *ret,
                      struct err *reterr)
{
    const char *dir = arena_printf(d->ctx->arena, "/sys/class/nvme/%s/device/msi_irqs", ctrl);
    if (host_list(d->ctx->host, dir, ret, reterr)) {
        if (ret->n > 0) {
            return true;
        }
    } else if (reterr->code != E_ABSENT) {
        return false;
    }
    struct span *const line = arena_alloc(d->ctx->arena, sizeof(*line));
    if (!sysfs_text(d->ctx->host, d->ctx->arena, line, reterr, "/sys/class/nvme/%s/device/irq",
                    ctrl)) {
        return false;
    }
    *ret = (struct host_names){.names = line, .n = 1};
    return true;
}

static int by_queue(const void *left, const void *right)
{
    const struct vector *const a = left, *const b = right;
    return a->queue < b->queue ? -1 : a->queue > b->queue;
}

static bool read_affinity(struct device *d, const char *ctrl, struct span *items, size_t *n_items,
                          struct err *reterr)
{
    struct vector *const list = arena_alloc(d->ctx->arena, VECTORS_MAX * sizeof(*list));
    struct host_names irqs;
    size_t n = 0;
    if (!list_irqs(d, ctrl, &irqs, reterr)) {
        return false;
    }
    for (size_t i = 0; i < irqs.n && n < VECTORS_MAX; i++) {
        uint64_t number = 0;
        if (!parse_u64(irqs.names[i], &number)) {
            return err_set(reterr, E_SYNTAX, "an interrupt of '%s' is no number", ctrl);
        }
        if (!add_irq(d, irqs.names[i], ctrl, list, &n, reterr)) {
            return false;
        }
    }
    if (n == 0) {
        return err_set(reterr, E_ABSENT, "no interrupt bears the name of a queue of '%s'", ctrl);
    }
    qsort(list, n, sizeof(*list), by_queue);
    for (size_t i = 0; i < n && *n_items < VECTORS_MAX; i++) {
        items[(*n_items)++] = span_of(list[i].text);
    }
    return true;
}

static void set_affinity(struct device *d)
{
    static const char name[] = "device.queue.affinity", source[] = "/proc/irq/N";
    struct span *const items = arena_alloc(d->ctx->arena, VECTORS_MAX * sizeof(*items));
    struct err e = ERR_INIT;
    size_t n = 0;
    for (size_t i = 0; i < d->disk.n_controllers; i++) {
        if (!read_affinity(d, d->disk.controllers[i], items, &n, &e)) {
            device_fact_missing(d, name, &e, source);
            return;
        }
    }
    set_words(d->ctx, name, KIND_LIST, items, n, source);
}

/* ---- how many the device offers ---- */

static void set_table_size(struct device *d)
{
    static const char name[] = "device.queue.msix_table_size";
    const char *path = arena_printf(d->ctx->arena, "/sys/class/nvme/%s/device/config",
                                    d->disk.controllers[0]);
    struct err e = ERR_INIT;
    unsigned n = 0;
    if (!d->sys_admin) {
        set_unknown(d->ctx, name, FACT_NOT_MEASURED, path, "run as root",
                    "needs root: others see the first 64 bytes alone");
    } else if (!pci_msix_vectors(d->ctx->host, path, &n, &e)) {
        device_fact_missing(d, name, &e, path);
    } else if (n == 0) {
        set_unknown(d->ctx, name, FACT_NOT_SUPPORTED, path, "", "the device has no MSI-X");
    } else {
        set_u64(d->ctx, name, KIND_COUNT, n, path);
    }
}

void device_read_irq(struct device *d)
{
    const struct decl_rows table = {device_irq_decls, DEVICE_IRQ_DECLS};
    struct err e = ERR_INIT;
    if (!device_has_pci(d, &e)) {
        device_page_missing(d, &table, &e, "sysfs");
        return;
    }
    set_affinity(d);
    set_table_size(d);
}
