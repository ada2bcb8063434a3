/* Tables: what a model, a name or a place in sysfs says of a disk. Pure; knows no host and no facts.
 *
 * Models: Amazon EBS and instance store, and QEMU, as seen in public captures and in our guests; the
 * Google, Azure, VMware and VirtualBox names are those that their documents and drivers print. */
#include "probes/disk_class.h"

#include "advisor/base/banned.h"

/* Where the data end up; decides class, network, ephemeral. */
struct model_row {
    const char *vendor; /* SCSI vendor, or NULL for NVMe models */
    const char *model;  /* beginning of the model */
    const char *storage_class;
    enum tri virtual_device, network, ephemeral, spinning;
};

/* First match wins: longer beginnings stand before shorter ones. QEMU's NVMe controller blocks
 * migration, so no cloud puts network volumes behind it: its data are with the hypervisor. */
static const struct model_row models[] = {
    {NULL, "Amazon Elastic Block Store", "cloud-network", TRI_YES, TRI_YES, TRI_NO, TRI_NO},
    {NULL, "Amazon EC2 NVMe Instance Storage", "nvme-local-ephemeral", TRI_NO, TRI_NO, TRI_YES,
     TRI_NO},
    {NULL, "nvme_card-pd", "cloud-network", TRI_YES, TRI_YES, TRI_NO, TRI_NO},
    {NULL, "nvme_card", "nvme-local-ephemeral", TRI_YES, TRI_NO, TRI_YES, TRI_NO},
    {NULL, "Microsoft NVMe Direct Disk", "nvme-local-ephemeral", TRI_NO, TRI_NO, TRI_YES, TRI_NO},
    {NULL, "MSFT NVMe Accelerator", "cloud-network", TRI_YES, TRI_YES, TRI_NO, TRI_NO},
    {NULL, "QEMU NVMe Ctrl", "virtual", TRI_YES, TRI_NO, TRI_UNKNOWN, TRI_NO},
    {NULL, "VMware Virtual NVMe Disk", "virtual", TRI_YES, TRI_UNKNOWN, TRI_UNKNOWN, TRI_NO},
    {NULL, "ORCL-VBOX-NVME", "virtual", TRI_YES, TRI_UNKNOWN, TRI_UNKNOWN, TRI_NO},
    {"Google", "PersistentDisk", "cloud-network", TRI_YES, TRI_YES, TRI_NO, TRI_UNKNOWN},
    {"Google", "EphemeralDisk", "virtual", TRI_YES, TRI_NO, TRI_YES, TRI_NO},
    {"Msft", "Virtual", "virtual", TRI_YES, TRI_UNKNOWN, TRI_UNKNOWN, TRI_UNKNOWN},
    {"QEMU", "", "virtual", TRI_YES, TRI_UNKNOWN, TRI_UNKNOWN, TRI_UNKNOWN},
    {"VMware", "", "virtual", TRI_YES, TRI_UNKNOWN, TRI_UNKNOWN, TRI_UNKNOWN},
    {"VBOX", "", "virtual", TRI_YES, TRI_UNKNOWN, TRI_UNKNOWN, TRI_UNKNOWN},
    {"XENSRC", "", "virtual", TRI_YES, TRI_UNKNOWN, TRI_UNKNOWN, TRI_UNKNOWN},
};

/* Kernel names: what follows the beginning must be a letter (sd, vd) or a digit (nbd0). */
struct name_row {
    const char *begins;
    const char *kind;
    const char *storage_class;
    enum tri virtual_device, network, ephemeral, spinning;
    const char *why;
};

static const char hypervisor[] = "what is behind a virtual disk only the hypervisor knows";

static const struct name_row names[] = {
    {"vd", "virtio", "virtual", TRI_YES, TRI_UNKNOWN, TRI_UNKNOWN, TRI_UNKNOWN, hypervisor},
    {"xvd", "xen", "virtual", TRI_YES, TRI_UNKNOWN, TRI_UNKNOWN, TRI_UNKNOWN, hypervisor},
    {"pmem", "pmem", "memory", TRI_UNKNOWN, TRI_NO, TRI_UNKNOWN, TRI_NO,
     "persistent memory may be emulated in plain memory"},
    {"mmcblk", "mmc", NULL, TRI_NO, TRI_NO, TRI_NO, TRI_NO, "an MMC card has no class"},
    {"loop", "loop", NULL, TRI_YES, TRI_UNKNOWN, TRI_UNKNOWN, TRI_UNKNOWN,
     "the file behind the loop device was not followed"},
    {"zram", "other", "memory", TRI_YES, TRI_NO, TRI_YES, TRI_NO, ""},
    {"ram", "other", "memory", TRI_YES, TRI_NO, TRI_YES, TRI_NO, ""},
    {"nbd", "network", "network", TRI_YES, TRI_YES, TRI_NO, TRI_UNKNOWN,
     "the media is at the other end of the network"},
    {"rnbd", "network", "network", TRI_YES, TRI_YES, TRI_NO, TRI_UNKNOWN,
     "the media is at the other end of the network"},
    {"nullb", "other", "memory", TRI_YES, TRI_NO, TRI_YES, TRI_NO, ""},
    {"ublkb", "other", NULL, TRI_YES, TRI_UNKNOWN, TRI_UNKNOWN, TRI_UNKNOWN,
     "what is behind a ublk disk only its server knows"},
    {"rbd", "network", "network", TRI_YES, TRI_YES, TRI_NO, TRI_UNKNOWN,
     "the media is at the other end of the network"},
    {"drbd", "network", NULL, TRI_YES, TRI_YES, TRI_NO, TRI_UNKNOWN,
     "the disks below DRBD are not named in sysfs"},
};

static const struct model_row *find_model(struct span vendor, struct span model)
{
    for (size_t i = 0; i < ARRAY_LEN(models); i++) {
        const struct model_row *m = &models[i];
        bool same = m->vendor == NULL ? vendor.len == 0 : span_eq_text(vendor, m->vendor);
        if (same && span_starts(model, m->model)) {
            return m;
        }
    }
    return NULL;
}

static const struct name_row *find_name(struct span name)
{
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        size_t n = span_of(names[i].begins).len;
        if (span_starts(name, names[i].begins) && name.len > n) {
            return &names[i];
        }
    }
    return NULL;
}

static void apply_model(struct disk *d, const struct model_row *m)
{
    d->storage_class = m->storage_class;
    d->virtual_device = m->virtual_device;
    d->network = m->network;
    d->ephemeral = m->ephemeral;
    d->spinning = m->spinning;
    d->why = hypervisor;
}

static void classify_nvme(struct disk *d)
{
    d->kind = "nvme";
    d->spinning = TRI_NO;
    d->why = "sysfs does not give model and transport of the controller";
    const struct model_row *m = find_model((struct span){"", 0}, d->model);
    if (d->model.len > 0 && d->transport.len > 0) {
        d->virtual_device = d->network = d->ephemeral = TRI_NO;
    }
    if (span_eq_text(d->transport, "tcp") || span_eq_text(d->transport, "rdma") ||
        span_eq_text(d->transport, "fc")) {
        d->storage_class = span_eq_text(d->transport, "fc") ? "san" : "network";
        d->network = TRI_YES;
    } else if (m != NULL) {
        apply_model(d, m);
    } else if (d->model.len > 0 && d->transport.len > 0) {
        d->storage_class = "nvme-local";
    }
}

/* SCSI disks: the model of an emulator, else the place in sysfs (a session or remote port on the way
 * is iSCSI or Fibre Channel), else a drive of this machine. */
static void classify_scsi(struct disk *d, struct span vendor, enum tri flag)
{
    const struct model_row *m = vendor.len > 0 ? find_model(vendor, d->model) : NULL;
    d->kind = NULL;
    d->why = "sysfs does not give vendor and model of the disk";
    if (m != NULL) {
        apply_model(d, m);
        d->kind = span_contains(d->link, "/virtio") ? "virtio" : "other";
    } else if (span_contains(d->link, "/virtio")) {
        d->kind = "virtio";
        d->storage_class = "virtual";
        d->virtual_device = TRI_YES;
        d->why = hypervisor;
    } else if (span_contains(d->link, "/session")) {
        d->kind = "network";
        d->storage_class = "network";
        d->network = TRI_YES;
        d->virtual_device = d->ephemeral = TRI_NO;
        d->why = "the media is at the other end of the network";
    } else if (span_contains(d->link, "/rport-")) {
        d->kind = "other";
        d->storage_class = "san";
        d->network = TRI_YES;
        d->virtual_device = d->ephemeral = TRI_NO;
        d->why = "the media is inside the array";
    } else if (vendor.len > 0 && d->model.len > 0 && flag != TRI_UNKNOWN) {
        const char *flash = span_eq_text(vendor, "ATA") ? "sata-ssd" : "sas-ssd";
        d->kind = flag == TRI_YES ? "disk" : flash;
        d->spinning = flag;
        d->virtual_device = d->network = d->ephemeral = TRI_NO;
        d->why = "no class is defined for a SATA or SAS drive of this machine";
    }
}

void disk_classify(struct disk *d, struct span vendor, enum tri rotational_flag)
{
    struct span name = span_of(d->name);
    d->kind = "other";
    d->storage_class = NULL;
    d->why = "a kind of block device that this version does not know";
    d->virtual_device = d->network = d->ephemeral = d->spinning = TRI_UNKNOWN;
    const struct name_row *n = find_name(name);
    if (d->nvme) {
        classify_nvme(d);
    } else if (n != NULL) {
        d->kind = n->kind;
        d->storage_class = n->storage_class;
        d->virtual_device = n->virtual_device;
        d->network = n->network;
        d->ephemeral = n->ephemeral;
        d->spinning = n->spinning;
        d->why = n->why;
    } else if (span_starts(name, "sd")) {
        classify_scsi(d, vendor, rotational_flag);
    }
    if (d->spinning == TRI_UNKNOWN && rotational_flag == TRI_NO) {
        d->spinning = TRI_NO;
    }
}
