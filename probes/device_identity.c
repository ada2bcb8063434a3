/* Device, theme identity: what the disk is and calls itself, from sysfs and the udev database. */
#include <string.h>

#include "advisor/base/parse.h"
#include "probes/device.h"
#include "probes/setters.h"
#include "probes/sysfs.h"

#include "advisor/base/banned.h"

#define KINDS_OF_DISKS "nvme,sata-ssd,sas-ssd,disk,virtio,xen,pmem,mmc,loop,network,other"
#define CLASSES                                                                                    \
    "nvme-local,nvme-local-ephemeral,cloud-network,network,san,virtual,shared-folder,memory,"      \
    "mixed,unknown"
#define TRANSPORTS "pcie,tcp,rdma,fc,loop,apple-nvme"
#define STATES "new,live,resetting,connecting,deleting,dead"

const struct fact_decl device_identity_decls[DEVICE_IDENTITY_DECLS] = {
    {"device.name", KIND_STRING, NULL, SUBJECT_DEVICE, FOLD_SAME, NEED_NONE, "kernel name",
     "/sys/class/block", ""},
    {"device.controller", KIND_STRING, NULL, SUBJECT_DEVICE, FOLD_SAME, NEED_NONE,
     "its NVMe controller, of several the first", "/sys/class/nvme", ""},
    {"device.kind", KIND_ENUM, KINDS_OF_DISKS, SUBJECT_DEVICE, FOLD_SAME, NEED_NONE,
     "what kind of disk it is", "name, driver, model", ""},
    {"device.model", KIND_STRING, NULL, SUBJECT_DEVICE, FOLD_SAME, NEED_NONE, "model, trimmed",
     "device/model, udev ID_MODEL", ""},
    {"device.serial", KIND_STRING, NULL, SUBJECT_DEVICE, FOLD_SAME, NEED_NONE,
     "serial number, trimmed", "device/serial, udev ID_SERIAL_SHORT", ""},
    {"device.firmware", KIND_STRING, NULL, SUBJECT_DEVICE, FOLD_SAME, NEED_NONE,
     "firmware revision", "device/firmware_rev, udev ID_REVISION", ""},
    {"device.vid", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_SAME, NEED_NONE, "PCI vendor number",
     "device/vendor of the controller", ""},
    {"device.storage_class", KIND_ENUM, CLASSES, SUBJECT_DEVICE, FOLD_SAME, NEED_NONE,
     "class of the storage", "model, transport, driver", ""},
    {"device.virtual_device", KIND_BOOL, NULL, SUBJECT_DEVICE, FOLD_ANY, NEED_NONE,
     "emulated or para-virtual", "driver, model", ""},
    {"device.network_storage", KIND_BOOL, NULL, SUBJECT_DEVICE, FOLD_ANY, NEED_NONE,
     "remote behind its interface", "model, transport", ""},
    {"device.copies_behind", KIND_BOOL, NULL, SUBJECT_DEVICE, FOLD_ALL, NEED_NONE,
     "a RAID controller, hypervisor or other host keeps copies of it",
     "whoever runs what lies behind it", ""},
    {"device.ephemeral", KIND_BOOL, NULL, SUBJECT_DEVICE, FOLD_ANY, NEED_NONE,
     "loses its data when the machine stops", "model", ""},
    {"device.rotational_media", KIND_BOOL, NULL, SUBJECT_DEVICE, FOLD_ANY, NEED_NONE,
     "a spinning disk: the kind of disk, or the kernel's flag where it can be believed",
     "kind, queue/rotational, udev", ""},
    {"device.transport", KIND_ENUM, TRANSPORTS, SUBJECT_DEVICE, FOLD_SAME, NEED_NONE,
     "NVMe transport", "/sys/class/nvme/CTRL/transport", ""},
    {"device.state", KIND_ENUM, STATES, SUBJECT_DEVICE, FOLD_SAME, NEED_NONE,
     "state of the controller, of several the first that is not live",
     "/sys/class/nvme/CTRL/state", ""},
    {"device.numa_node", KIND_COUNT, NULL, SUBJECT_DEVICE, FOLD_SAME, NEED_NONE,
     "NUMA node that it hangs on", "/sys/class/nvme/CTRL/numa_node", ""},
};

/* Disks that the hypervisor or the kernel makes up have no maker. */
static bool has_maker(const struct device *d)
{
    return d->disk.nvme || span_starts(span_of(d->name), "sd") ||
           span_starts(span_of(d->name), "mmcblk");
}

/* sysfs first, then udev. */
static struct span set_one(struct device *d, const char *name, struct span sysfs, struct span udev)
{
    struct span s = sysfs.len > 0 ? sysfs : udev;
    if (s.len == 0 && !has_maker(d)) {
        set_unknown(d->ctx, name, FACT_NOT_SUPPORTED, "sysfs, udev", "",
                    "a made-up disk has no such thing");
    } else if (s.len == 0) {
        set_unknown(d->ctx, name, FACT_ABSENT, "sysfs, udev", "",
                    "neither sysfs nor the udev database gives it");
    } else {
        set_text(d->ctx, name, s, sysfs.len > 0 ? "sysfs" : "udev");
    }
    return s;
}

static void set_controller(struct device *d)
{
    if (!d->disk.nvme) {
        set_unknown(d->ctx, "device.controller", FACT_NOT_SUPPORTED, "sysfs", "",
                    "not an NVMe device");
    } else if (d->disk.n_controllers == 0) {
        set_unknown(d->ctx, "device.controller", FACT_ABSENT, "sysfs", "",
                    "sysfs names no controller of this disk");
    } else {
        set_text(d->ctx, "device.controller", span_of(d->disk.controllers[0]), "sysfs");
    }
}

static void set_names(struct device *d)
{
    set_controller(d);
    set_text(d->ctx, "device.name", span_of(d->name), "/sys/class/block");
    struct span model = set_one(d, "device.model", d->disk.model, d->udev_model);
    struct span serial = set_one(d, "device.serial", d->disk.serial, d->udev_serial);
    set_one(d, "device.firmware", d->disk.firmware, d->udev_revision);
    if (model.len > 0 || serial.len > 0) {
        d->ctx->subject->identity = lasting(
            d->ctx, arena_printf(d->ctx->arena, "%.*s %.*s", SPAN_ARG(model), SPAN_ARG(serial)));
    }
}

static void set_tri(struct device *d, const char *name, enum tri t)
{
    if (t == TRI_UNKNOWN) {
        set_unknown(d->ctx, name, FACT_ABSENT, "sysfs", "", d->disk.why);
    } else {
        set_bool(d->ctx, name, t == TRI_YES, "model, transport and place in sysfs");
    }
}

/* A virtual disk outside the known clouds has nothing that could tell: no fault of this host, and no reason for a
 * verdict that stays open on every virtual machine. */
static void set_ephemeral(struct device *d)
{
    if (d->disk.ephemeral == TRI_UNKNOWN && d->disk.virtual_device == TRI_YES) {
        set_unknown(d->ctx, "device.ephemeral", FACT_NOT_SUPPORTED, "sysfs", "", d->disk.why);
    } else {
        set_tri(d, "device.ephemeral", d->disk.ephemeral);
    }
}

/* Nothing but --set tells it; of a virtual disk nobody on this host ever can. */
static void set_copies(struct device *d)
{
    if (d->disk.virtual_device == TRI_YES) {
        set_unknown(d->ctx, "device.copies_behind", FACT_NOT_SUPPORTED, "sysfs",
                    "say --set device.copies_behind=true or =false", d->disk.why);
    }
}

static void set_media(struct device *d)
{
    enum tri t = d->disk.spinning;
    if (d->udev_flash && t != TRI_NO) {
        set_bool(d->ctx, "device.rotational_media", false, "udev ID_ATA_ROTATION_RATE_RPM");
    } else if (t == TRI_UNKNOWN) {
        set_unknown(d->ctx, "device.rotational_media", FACT_ABSENT, "queue/rotational", "",
                    arena_printf(d->ctx->arena, "the kernel's flag is not proof: %s",
                                 d->disk.why));
    } else {
        set_bool(d->ctx, "device.rotational_media", t == TRI_YES, "kind of disk, queue/rotational");
    }
}

static void set_state(struct device *d)
{
    struct err e = ERR_INIT;
    struct span state = {"", 0};
    if (d->disk.n_controllers == 0) {
        err_set(&e, E_ABSENT, "no controller of '%s' stands in sysfs", d->name);
        device_fact_missing(d, "device.state", &e, "sysfs");
        return;
    }
    for (size_t i = 0; i < d->disk.n_controllers; i++) {
        if (!sysfs_text(d->ctx->host, d->ctx->arena, &state, &e, "/sys/class/nvme/%s/state",
                        d->disk.controllers[i])) {
            device_fact_missing(d, "device.state", &e, "sysfs");
            return;
        }
        if (!span_eq_text(state, "live")) {
            break;
        }
    }
    if (span_starts(state, "deleting")) {
        state = SPAN_LIT("deleting"); /* "deleting (no IO)" */
    }
    set_enum_text(d->ctx, "device.state", STATES, state, "/sys/class/nvme/CTRL/state");
}

static void set_numa(struct device *d)
{
    struct err e = ERR_INIT;
    struct span s;
    int64_t node = -1;
    if (d->disk.n_controllers != 1) {
        err_set(&e, E_ABSENT, "'%s' hangs on %zu controllers", d->name, d->disk.n_controllers);
    } else if (sysfs_text(d->ctx->host, d->ctx->arena, &s, &e, "/sys/class/nvme/%s/numa_node",
                          d->disk.controllers[0])) {
        if (parse_i64(s, &node) && node >= 0) {
            set_u64(d->ctx, "device.numa_node", KIND_COUNT, (uint64_t)node,
                    "/sys/class/nvme/CTRL/numa_node");
            return;
        }
        err_set(&e, E_ABSENT, "the platform assigns '%s' to no node", d->disk.controllers[0]);
    }
    device_fact_missing(d, "device.numa_node", &e, "sysfs");
}

static void set_vendor(struct device *d)
{
    struct err e = ERR_INIT;
    struct span s;
    uint64_t vid = 0;
    if (d->disk.n_controllers == 0) {
        err_set(&e, E_ABSENT, "no controller of '%s' stands in sysfs", d->name);
    } else if (sysfs_text(d->ctx->host, d->ctx->arena, &s, &e, "/sys/class/nvme/%s/device/vendor",
                          d->disk.controllers[0])) {
        if (parse_hex_u64(s, &vid)) {
            set_u64(d->ctx, "device.vid", KIND_COUNT, vid, "/sys/class/nvme/CTRL/device/vendor");
            return;
        }
        err_set(&e, E_SYNTAX, "the vendor of '%s' is no number", d->disk.controllers[0]);
    }
    device_fact_missing(d, "device.vid", &e, "sysfs");
}

void device_read_identity(struct device *d)
{
    set_names(d);
    if (d->disk.kind != NULL) {
        set_enum(d->ctx, "device.kind", d->disk.kind, "name, driver and model");
    } else {
        set_unknown(d->ctx, "device.kind", FACT_ABSENT, "sysfs", "", d->disk.why);
    }
    if (d->disk.storage_class != NULL) {
        set_enum(d->ctx, "device.storage_class", d->disk.storage_class,
                 "model, transport and place in sysfs");
    } else {
        set_unknown(d->ctx, "device.storage_class", FACT_ABSENT, "sysfs", "", d->disk.why);
    }
    set_tri(d, "device.virtual_device", d->disk.virtual_device);
    set_tri(d, "device.network_storage", d->disk.network);
    set_ephemeral(d);
    set_copies(d);
    set_media(d);
    if (d->disk.transport.len > 0) {
        set_enum_text(d->ctx, "device.transport", TRANSPORTS, d->disk.transport,
                      "/sys/class/nvme/CTRL/transport");
    } else {
        struct err e = ERR_INIT;
        err_set(&e, E_ABSENT, "sysfs does not give the transport of '%s'", d->name);
        device_fact_missing(d, "device.transport", &e, "sysfs");
    }
    set_state(d);
    set_numa(d);
    set_vendor(d);
}
