/* Device, theme link: the PCI Express link of an NVMe controller, its interrupts and its errors. */
#include "advisor/base/parse.h"
#include "probes/device.h"
#include "probes/setters.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

#define PCI_ROW(name, kind, fold, meaning, file)                                                   \
    {                                                                                              \
        name, kind, NULL, SUBJECT_DEVICE, fold, NEED_NONE, meaning,                                \
            "/sys/class/nvme/CTRL/device/" file, ""                                                \
    }

const struct fact_decl device_pci_decls[DEVICE_PCI_DECLS] = {
    PCI_ROW("device.pci.link_speed", KIND_RATE, FOLD_MIN, "transfers per second in force",
            "current_link_speed"),
    PCI_ROW("device.pci.link_speed_max", KIND_RATE, FOLD_MIN, "the device's best",
            "max_link_speed"),
    PCI_ROW("device.pci.link_width", KIND_COUNT, FOLD_MIN, "lanes in force", "current_link_width"),
    PCI_ROW("device.pci.link_width_max", KIND_COUNT, FOLD_MIN, "the device's lanes",
            "max_link_width"),
    PCI_ROW("device.pci.aer_fatal", KIND_COUNT, FOLD_SUM,
            "fatal and nonfatal errors since boot, device and port above", "aer_dev_fatal"),
    PCI_ROW("device.pci.aspm_l1", KIND_BOOL, FOLD_ANY, "an L1 power state of the link is on",
            "link/l1_aspm"),
    {"device.queue.interrupt_mode", KIND_ENUM, "msix,msi,intx", SUBJECT_DEVICE, FOLD_SAME,
     NEED_NONE, "kind of interrupts", "/sys/class/nvme/CTRL/device/msi_irqs", ""},
    PCI_ROW("device.queue.vectors", KIND_COUNT, FOLD_MIN, "interrupts held", "msi_irqs"),
};

static bool read_file(struct device *d, const char *file, struct span *ret, struct err *reterr)
{
    return sysfs_text(d->ctx->host, d->ctx->arena, ret, reterr, "/sys/class/nvme/%s/device/%s",
                      d->disk.controllers[0], file);
}

static void set_speed(struct device *d, const char *name, const char *file)
{
    struct err e = ERR_INIT;
    struct span s;
    double transfers = 0.0;
    if (!read_file(d, file, &s, &e)) {
        set_err(d->ctx, name, &e, file);
    } else if (device_parse_speed(s, &transfers)) {
        set_num(d->ctx, name, KIND_RATE, num_real(transfers), file);
    } else {
        set_unknown(d->ctx, name, FACT_ABSENT, file, "", "the kernel does not know it");
    }
}

static void set_width(struct device *d, const char *name, const char *file)
{
    struct err e = ERR_INIT;
    struct span s;
    uint64_t lanes = 0;
    if (!read_file(d, file, &s, &e)) {
        set_err(d->ctx, name, &e, file);
    } else if (device_parse_width(s, &lanes)) {
        set_u64(d->ctx, name, KIND_COUNT, lanes, file);
    } else {
        set_unknown(d->ctx, name, FACT_ABSENT, file, "", "the kernel does not know it");
    }
}

static void set_aspm(struct device *d)
{
    static const char *const states[] = {"l1", "l1_1", "l1_2", "l0s"}; /* L1 first: its fact is older */
    static const char list[] = "device.pci.aspm", l1[] = "device.pci.aspm_l1";
    struct span on[ARRAY_LEN(states)];
    size_t n = 0, seen = 0, seen_l1 = 0, on_l1 = 0;
    for (size_t i = 0; i < ARRAY_LEN(states); i++) {
        struct err e = ERR_INIT;
        struct span s;
        const bool is_l1 = states[i][1] == '1';
        if (read_file(d, arena_printf(d->ctx->arena, "link/%s_aspm", states[i]), &s, &e)) {
            const bool is_on = span_eq_text(s, "1");
            seen++;
            seen_l1 += is_l1;
            on_l1 += is_l1 && is_on;
            on[n] = span_of(states[i]);
            n += is_on;
        }
    }
    if (seen_l1 > 0) {
        set_bool(d->ctx, l1, on_l1 > 0, "link/l1*_aspm");
    } else {
        set_unknown(d->ctx, l1, FACT_NOT_SUPPORTED, "link/l1_aspm", "",
                    "this link has no L1 states that the kernel controls");
    }
    if (seen > 0) {
        set_words(d->ctx, list, KIND_LIST, on, n, "link/*_aspm");
    } else {
        set_unknown(d->ctx, list, FACT_NOT_SUPPORTED, "link/*_aspm", "",
                    "this link has no power states that the kernel controls");
    }
}

/* No directory, or an empty one: a legacy interrupt line. */
static void set_interrupts(struct device *d)
{
    struct err e = ERR_INIT;
    struct host_names irqs = {0};
    struct span kind = SPAN_LIT("intx");
    const char *dir = arena_printf(d->ctx->arena, "/sys/class/nvme/%s/device/msi_irqs",
                                   d->disk.controllers[0]);
    /* that there is none is believed only if a second look agrees */
    const bool listed = host_list(d->ctx->host, dir, &irqs, &e) ||
                        (e.code == E_ABSENT && host_list(d->ctx->host, dir, &irqs, &e));
    if (!listed && e.code != E_ABSENT) {
        set_err(d->ctx, "device.queue.interrupt_mode", &e, dir);
        set_err(d->ctx, "device.queue.vectors", &e, dir);
        return;
    }
    if (irqs.n > 0 &&
        !(sysfs_name_ok(irqs.names[0]) &&
          sysfs_text(d->ctx->host, d->ctx->arena, &kind, &e, "%s/%.*s", dir,
                     SPAN_ARG(irqs.names[0])))) {
        set_err(d->ctx, "device.queue.interrupt_mode", &e, dir);
    } else {
        set_enum_text(d->ctx, "device.queue.interrupt_mode", "msix,msi,intx", kind, dir);
    }
    set_u64(d->ctx, "device.queue.vectors", KIND_COUNT, irqs.n > 0 ? irqs.n : 1, dir);
}

bool device_has_pci(const struct device *d, struct err *reterr)
{
    if (!d->disk.nvme || d->disk.n_controllers == 0) {
        return err_set(reterr, E_ABSENT, "no controller of '%s' stands in sysfs", d->name);
    }
    if (d->disk.transport.len == 0) {
        return err_set(reterr, E_ABSENT, "sysfs does not give the transport of '%s'", d->name);
    }
    if (!span_eq_text(d->disk.transport, "pcie") &&
        !span_eq_text(d->disk.transport, "apple-nvme")) {
        return err_set(reterr, E_NOT_SUPPORTED, "NVMe over %.*s has no PCI Express link of its own",
                       SPAN_ARG(d->disk.transport));
    }
    return true;
}

void device_read_pci(struct device *d)
{
    const struct decl_rows table = {device_pci_decls, DEVICE_PCI_DECLS};
    struct err e = ERR_INIT;
    if (!device_has_pci(d, &e)) {
        device_page_missing(d, &table, &e, "sysfs");
        return;
    }
    set_speed(d, "device.pci.link_speed", "current_link_speed");
    set_speed(d, "device.pci.link_speed_max", "max_link_speed");
    set_width(d, "device.pci.link_width", "current_link_width");
    set_width(d, "device.pci.link_width_max", "max_link_width");
    device_read_aer(d);
    set_aspm(d);
    set_interrupts(d);
}
