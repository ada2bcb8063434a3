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

/* "8.0 GT/s PCIe": transfers per second; "Unknown" in some guests. */
static void set_speed(struct device *d, const char *name, const char *file)
{
    struct err e = ERR_INIT;
    struct span s, word;
    double gt = 0.0;
    if (!read_file(d, file, &s, &e)) {
        set_err(d->ctx, name, &e, file);
        return;
    }
    struct span rest = s;
    if (span_word(&rest, &word) && parse_double(word, &gt) && gt > 0.0 && gt < 1000.0 &&
        span_starts(span_trim(rest), "GT/s")) {
        set_num(d->ctx, name, KIND_RATE, num_real(gt * 1e9), file);
    } else {
        set_unknown(d->ctx, name, FACT_ABSENT, file, "", "the kernel does not know it");
    }
}

/* 0 and 255 mean that the kernel does not know. */
static void set_width(struct device *d, const char *name, const char *file)
{
    struct err e = ERR_INIT;
    struct span s;
    uint64_t lanes = 0;
    if (!read_file(d, file, &s, &e)) {
        set_err(d->ctx, name, &e, file);
    } else if (parse_u64(s, &lanes) && lanes > 0 && lanes <= 32) {
        set_u64(d->ctx, name, KIND_COUNT, lanes, file);
    } else {
        set_unknown(d->ctx, name, FACT_ABSENT, file, "", "the kernel does not know it");
    }
}

/* The line "TOTAL_ERR_FATAL 3" of a file of AER counters. */
static bool read_total(struct device *d, const char *file, const char *key, uint64_t *sum,
                       struct err *reterr)
{
    struct span text, line, word;
    uint64_t v = 0;
    if (!read_file(d, file, &text, reterr)) {
        return false;
    }
    while (span_line(&text, &line)) {
        if (span_word(&line, &word) && span_eq_text(word, key) &&
            parse_u64(span_trim(line), &v) && v <= UINT64_MAX - *sum) {
            *sum += v;
            return true;
        }
    }
    return err_set(reterr, E_SYNTAX, "'%s' has no line %s", file, key);
}

static void set_aer(struct device *d)
{
    struct err e = ERR_INIT;
    uint64_t sum = 0;
    static const char name[] = "device.pci.aer_fatal";
    if (!read_total(d, "aer_dev_fatal", "TOTAL_ERR_FATAL", &sum, &e) ||
        !read_total(d, "aer_dev_nonfatal", "TOTAL_ERR_NONFATAL", &sum, &e)) {
        set_unknown(d->ctx, name, e.code == E_ABSENT ? FACT_NOT_SUPPORTED
                                                     : fact_state_from_err(e.code),
                    "aer_dev_fatal", "", e.text);
        return;
    }
    /* a port without error reporting, or none (in a guest), adds nothing */
    (void)read_total(d, "../aer_dev_fatal", "TOTAL_ERR_FATAL", &sum, &e);
    (void)read_total(d, "../aer_dev_nonfatal", "TOTAL_ERR_NONFATAL", &sum, &e);
    set_u64(d->ctx, name, KIND_COUNT, sum, "aer_dev_fatal, aer_dev_nonfatal");
}

static void set_aspm(struct device *d)
{
    static const char *const files[] = {"link/l1_aspm", "link/l1_1_aspm", "link/l1_2_aspm"};
    bool any = false, on = false;
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        struct err e = ERR_INIT;
        struct span s;
        if (read_file(d, files[i], &s, &e)) {
            any = true;
            on = on || span_eq_text(s, "1");
        }
    }
    if (any) {
        set_bool(d->ctx, "device.pci.aspm_l1", on, "link/l1*_aspm");
    } else {
        set_unknown(d->ctx, "device.pci.aspm_l1", FACT_NOT_SUPPORTED, "link/l1_aspm", "",
                    "this link has no L1 states that the kernel controls");
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
    if (!host_list(d->ctx->host, dir, &irqs, &e) && e.code != E_ABSENT) {
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

void device_read_pci(struct device *d)
{
    const struct decl_rows table = {device_pci_decls, DEVICE_PCI_DECLS};
    struct err e = ERR_INIT;
    if (!d->disk.nvme || d->disk.n_controllers == 0) {
        err_set(&e, E_ABSENT, "no controller of '%s' stands in sysfs", d->name);
        device_page_missing(d, &table, &e, "sysfs");
        return;
    }
    if (d->disk.transport.len == 0) {
        err_set(&e, E_ABSENT, "sysfs does not give the transport of '%s'", d->name);
        device_page_missing(d, &table, &e, "sysfs");
        return;
    }
    if (!span_eq_text(d->disk.transport, "pcie") &&
        !span_eq_text(d->disk.transport, "apple-nvme")) {
        err_set(&e, E_NOT_SUPPORTED, "NVMe over %.*s has no PCI Express link of its own",
                SPAN_ARG(d->disk.transport));
        device_page_missing(d, &table, &e, "sysfs");
        return;
    }
    set_speed(d, "device.pci.link_speed", "current_link_speed");
    set_speed(d, "device.pci.link_speed_max", "max_link_speed");
    set_width(d, "device.pci.link_width", "current_link_width");
    set_width(d, "device.pci.link_width_max", "max_link_width");
    set_aer(d);
    set_aspm(d);
    set_interrupts(d);
}
