/* The device probe: one disk at the bottom of a volume. This file orders the steps, opens the
 * controller before privileges are dropped, and says why a page is missing; themes are device_*.c. */
#include "probes/device.h"

#include <string.h>

#include "probes/setters.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

#define ALL_NAMESPACES 0xffffffffu

static const struct decl_rows tables[] = {
    {device_identity_decls, DEVICE_IDENTITY_DECLS},
    {device_ctrl_decls, DEVICE_CTRL_DECLS},
    {device_ns_decls, DEVICE_NS_DECLS},
    {device_smart_decls, DEVICE_SMART_DECLS},
    {device_feature_decls, DEVICE_FEATURE_DECLS},
    {device_vendor_decls, DEVICE_VENDOR_DECLS},
    {device_queue_decls, DEVICE_QUEUE_DECLS},
    {device_pci_decls, DEVICE_PCI_DECLS},
    {device_multipath_decls, DEVICE_MULTIPATH_DECLS},
    {device_wear_decls, DEVICE_WEAR_DECLS},
    {device_errors_decls, DEVICE_ERRORS_DECLS},
    {device_irq_decls, DEVICE_IRQ_DECLS},
    {device_upstream_decls, DEVICE_UPSTREAM_DECLS},
    {device_cloud_decls, DEVICE_CLOUD_DECLS},
};

const char *device_page_source(const struct device *d, const char *page)
{
    return arena_printf(d->ctx->arena, "%s of %s", page,
                        d->node.ctrl != NULL ? d->node.ctrl : d->name);
}

/* A controller that is resetting would keep the command, and us, waiting. */
static bool is_live(struct probe_ctx *ctx, const char *ctrl, struct err *reterr)
{
    struct span state;
    if (!sysfs_text(ctx->host, ctx->arena, &state, reterr, "/sys/class/nvme/%s/state", ctrl)) {
        return false;
    }
    if (!span_eq_text(state, "live")) {
        return err_set(reterr, E_IO, "controller '%s' is %.*s: no command was sent to it", ctrl,
                       (int)(state.len > 40 ? 40 : state.len), state.ptr);
    }
    return true;
}

static bool device_open(struct probe_ctx *ctx)
{
    struct device_node *node = arena_alloc(ctx->arena, sizeof(*node));
    struct disk d = {.name = ctx->args->device};
    ctx->priv = node;
    if (d.name == NULL || !sysfs_name_ok(span_of(d.name)) ||
        !span_starts(span_of(d.name), "nvme")) {
        return true;
    }
    err_set(&node->err, E_ABSENT, "no controller of '%s' stands in sysfs", d.name);
    disk_find_controllers(ctx->host, ctx->arena, &d);
    for (size_t i = 0; i < d.n_controllers && node->ctrl == NULL; i++) {
        struct span note;
        struct err e = ERR_INIT;
        if (!is_live(ctx, d.controllers[i], &e)) {
            node->err = e;
        } else if (host_open(ctx->host, arena_printf(ctx->arena, "nvme %s", d.controllers[i]),
                             &note, &e)) {
            node->ctrl = d.controllers[i];
        } else {
            node->err = e;
        }
    }
    return true;
}

void device_fact_missing(struct device *d, const char *name, const struct err *e,
                         const char *source)
{
    if (!d->disk.nvme) {
        set_unknown(d->ctx, name, FACT_NOT_SUPPORTED, source, "", "not an NVMe device");
    } else if (e->code == E_DENIED && !d->sys_admin) {
        set_unknown(d->ctx, name, FACT_NOT_MEASURED, source, "run as root",
                    arena_printf(d->ctx->arena, "needs root: %s", e->text));
    } else {
        set_err(d->ctx, name, e, source);
    }
}

void device_page_missing(struct device *d, const struct decl_rows *table, const struct err *e,
                         const char *source)
{
    for (size_t i = 0; i < table->n; i++) {
        const char *name = table->rows[i].name;
        if (store_get(d->ctx->store, d->ctx->subject, span_of(name)) == NULL) {
            device_fact_missing(d, name, e, source);
        }
    }
}

static bool ask(struct device *d, enum host_nvme_page page, uint32_t nsid, struct span *ret,
                struct err *reterr)
{
    if (d->node.ctrl == NULL) {
        *reterr = d->node.err;
        return false;
    }
    return host_nvme(d->ctx->host, d->node.ctrl, page, nsid, 0, NVME_PAGE_IDENTIFY, ret, reterr);
}

void device_read_pages(struct device *d)
{
    struct span page;
    struct err e = ERR_INIT;
    uint64_t nsid = 0;
    if (!d->disk.nvme) {
        return;
    }
    d->has_id = ask(d, NVME_ID_CTRL, 0, &page, &d->id_err) &&
                nvme_ctrl_decode(span_copy(d->ctx->arena, page), &d->id, &d->id_err);
    if (!sysfs_u64(d->ctx->host, d->ctx->arena, &nsid, &e, "/sys/class/block/%s/nsid", d->name) ||
        nsid == 0 || nsid >= UINT32_MAX) {
        err_set(&d->ns_err, E_ABSENT, "the number of namespace '%s' is not known", d->name);
        return;
    }
    d->has_ns = ask(d, NVME_ID_NS, (uint32_t)nsid, &page, &d->ns_err) &&
                nvme_ns_decode(page, &d->ns, &d->ns_err);
    d->lba_bytes = d->has_ns ? nvme_ns_lba_bytes(&d->ns) : 0;
    if (d->has_ns && d->lba_bytes == 0) {
        d->has_ns = false;
        err_set(&d->ns_err, E_SYNTAX, "Identify Namespace of '%s' names no format that can be in use",
                d->name);
    }
}

bool device_log(struct device *d, uint8_t lid, uint32_t bytes, struct span *ret,
                struct err *reterr)
{
    struct span page;
    if (d->node.ctrl == NULL) {
        *reterr = d->node.err;
        return false;
    }
    if (!host_nvme(d->ctx->host, d->node.ctrl, NVME_LOG, ALL_NAMESPACES, lid, bytes, &page,
                   reterr)) {
        return false;
    }
    *ret = span_copy(d->ctx->arena, page);
    return true;
}

enum tri device_log_listed(const struct device *d, uint8_t lid)
{
    struct err e = ERR_INIT;
    bool there = false;
    if (!d->has_logs || !nvme_logs_decode(d->logs, lid, &there, &e)) {
        return TRI_UNKNOWN;
    }
    return there ? TRI_YES : TRI_NO;
}

bool device_is_a_drive(const struct device *d)
{
    return (span_eq_text(d->disk.transport, "pcie") ||
            span_eq_text(d->disk.transport, "apple-nvme")) &&
           d->disk.storage_class != NULL && strcmp(d->disk.storage_class, "cloud-network") != 0;
}

bool device_controllers_sum(struct device *d, const char *file, uint64_t *ret, struct err *reterr)
{
    uint64_t sum = 0, v = 0;
    if (d->disk.n_controllers == 0) {
        return err_set(reterr, E_ABSENT, "no controller of '%s' stands in sysfs", d->name);
    }
    for (size_t i = 0; i < d->disk.n_controllers; i++) {
        if (!sysfs_u64(d->ctx->host, d->ctx->arena, &v, reterr, "/sys/class/nvme/%s/%s",
                       d->disk.controllers[i], file)) {
            return false;
        }
        sum = v > UINT64_MAX - sum ? UINT64_MAX : sum + v;
    }
    *ret = sum;
    return true;
}

static struct span property(const struct host_names *p, struct arena *a, const char *key)
{
    size_t n = strlen(key);
    for (size_t i = 0; i < p->n; i++) {
        struct span s = p->names[i];
        if (span_starts(s, key) && s.len > n && s.ptr[n] == '=') {
            return text_clean(a, span_sub(s, n + 1, s.len - n - 1));
        }
    }
    return (struct span){"", 0};
}

/* The udev database is missing in many containers: sysfs must suffice, this only fills gaps. */
static void read_udev(struct device *d)
{
    struct host_names p;
    struct err e = ERR_INIT;
    d->udev_model = d->udev_serial = d->udev_revision = (struct span){"", 0};
    if (!host_udev(d->ctx->host, d->name, &p, &e)) {
        return;
    }
    d->udev_model = property(&p, d->ctx->arena, "ID_MODEL");
    d->udev_serial = property(&p, d->ctx->arena, "ID_SERIAL_SHORT");
    d->udev_revision = property(&p, d->ctx->arena, "ID_REVISION");
    d->udev_flash = span_eq_text(property(&p, d->ctx->arena, "ID_ATA_ROTATION_RATE_RPM"), "0");
}

/* What the kernel tells: the controller is asked for nothing. */
static void device_run(struct probe_ctx *ctx)
{
    struct device *const d = arena_alloc(ctx->arena, sizeof(*d));
    struct host_who who;
    struct err e = ERR_INIT;
    *d = (struct device){.ctx = ctx, .name = ctx->args->device};
    if (ctx->priv != NULL) {
        d->node = *(const struct device_node *)ctx->priv;
    }
    ctx->priv = NULL;
    if (d->name == NULL || !disk_identify(ctx->host, ctx->arena, d->name, &d->disk, &e)) {
        if (d->name == NULL) {
            err_set(&e, E_ABSENT, "no device was named");
        }
        set_rest(ctx, tables, ARRAY_LEN(tables), fact_state_from_err(e.code), "/sys/class/block",
                 e.hint, e.text);
        return;
    }
    ctx->priv = d;
    d->sys_admin = host_who(ctx->host, &who, &e) && who.sys_admin;
    read_udev(d);
    device_read_identity(d);
    device_read_queue(d);
    device_read_pci(d);
    device_read_multipath(d);
    device_read_irq(d);
    device_read_upstream(d);
    device_read_kernel_counters(d);
}

/* The controller's own pages: what it keeps to itself costs nothing of the above. Most of them are of the
 * controller, not of the namespace; the child of all its namespaces sends such a command once. */
static void device_ask(struct probe_ctx *ctx)
{
    struct device *const d = ctx->priv;
    if (d == NULL) {
        return; /* there is no such disk */
    }
    device_read_pages(d);
    device_read_ctrl(d);
    device_read_ns(d);
    device_read_smart(d);
    device_modes_from_id(d);
    device_read_feature(d);
    device_read_vendor(d);
    device_read_errors(d);
    device_read_modes(d);
    device_read_wear(d);
    device_read_cloud(d);
    set_rest(ctx, tables, ARRAY_LEN(tables), FACT_ABSENT, "device probe", "",
             "nothing on this host tells");
}

const struct probe probe_device = {
    .name = "device",
    .doc = "a disk: its queue, link, NVMe pages and health",
    .identity = IDENTITY_NVME,
    .themes = tables,
    .n_themes = ARRAY_LEN(tables),
    .open = device_open,
    .run = device_run,
    .ask = device_ask,
};
