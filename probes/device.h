/* What the files of the device probe share: one disk, and for NVMe the controller that is asked. */
#ifndef NVADVISE_PROBES_DEVICE_H
#define NVADVISE_PROBES_DEVICE_H

#include "probes/disk.h"
#include "probes/nvme_pages.h"
#include "probes/probe.h"

/* From open to run: which controller of the disk was opened. */
struct device_node {
    const char *ctrl;      /* "nvme0"; NULL: none */
    struct err err;        /* ctrl NULL: what was in the way */
};

struct device {
    struct probe_ctx *ctx;
    const char *name;
    struct disk disk;
    struct device_node node;
    bool sys_admin;        /* this run may send NVMe commands */
    bool has_id, has_ns;
    struct nvme_ctrl id;
    struct nvme_ns ns;
    struct err id_err, ns_err; /* with has_* false */
    uint64_t lba_bytes;    /* 0: not known */
    bool has_smart;
    struct nvme_smart smart;
    struct err smart_err;  /* with has_smart false */
    bool has_logs;         /* the controller lists its log pages */
    struct span logs;      /* that list, log 00h */
    struct err logs_err;   /* with has_logs false; code E_NONE: it announces no such list */
    enum tri fdp;          /* data placement is on */
    struct span udev_model, udev_serial, udev_revision; /* empty: not there */
    bool udev_flash;       /* udev says that the drive does not rotate */
};

/* Each sets the facts of its own table, known or unknown; in this order. */
void device_read_identity(struct device *d);
void device_read_queue(struct device *d);
void device_read_pci(struct device *d);
void device_read_multipath(struct device *d);
void device_read_irq(struct device *d);
void device_read_upstream(struct device *d);
void device_read_kernel_counters(struct device *d);
void device_read_pages(struct device *d); /* identify; sets no facts */
void device_read_ctrl(struct device *d);
void device_read_ns(struct device *d);
void device_read_smart(struct device *d);
void device_read_feature(struct device *d);
void device_read_vendor(struct device *d);
void device_read_errors(struct device *d);
void device_modes_from_id(struct device *d); /* features that Identify Controller alone denies */
void device_read_modes(struct device *d);    /* and the others, which device_read_feature leaves */
void device_read_wear(struct device *d);
void device_read_cloud(struct device *d);

#define DEVICE_IDENTITY_DECLS 16
#define DEVICE_CTRL_DECLS 23
#define DEVICE_NS_DECLS 19
#define DEVICE_SMART_DECLS 26
#define DEVICE_FEATURE_DECLS 11
#define DEVICE_VENDOR_DECLS 1
#define DEVICE_QUEUE_DECLS 21
#define DEVICE_PCI_DECLS 8
#define DEVICE_MULTIPATH_DECLS 6
#define DEVICE_WEAR_DECLS 23
#define DEVICE_ERRORS_DECLS 12
#define DEVICE_IRQ_DECLS 2
#define DEVICE_UPSTREAM_DECLS 8
#define DEVICE_CLOUD_DECLS 5
extern const struct fact_decl device_identity_decls[DEVICE_IDENTITY_DECLS];
extern const struct fact_decl device_ctrl_decls[DEVICE_CTRL_DECLS];
extern const struct fact_decl device_ns_decls[DEVICE_NS_DECLS];
extern const struct fact_decl device_smart_decls[DEVICE_SMART_DECLS];
extern const struct fact_decl device_feature_decls[DEVICE_FEATURE_DECLS];
extern const struct fact_decl device_vendor_decls[DEVICE_VENDOR_DECLS];
extern const struct fact_decl device_queue_decls[DEVICE_QUEUE_DECLS];
extern const struct fact_decl device_pci_decls[DEVICE_PCI_DECLS];
extern const struct fact_decl device_multipath_decls[DEVICE_MULTIPATH_DECLS];
extern const struct fact_decl device_wear_decls[DEVICE_WEAR_DECLS];
extern const struct fact_decl device_errors_decls[DEVICE_ERRORS_DECLS];
extern const struct fact_decl device_irq_decls[DEVICE_IRQ_DECLS];
extern const struct fact_decl device_upstream_decls[DEVICE_UPSTREAM_DECLS];
extern const struct fact_decl device_cloud_decls[DEVICE_CLOUD_DECLS];

/* The state, reason and remedy of a page that could not be had: not measured without root, not
 * permitted when root was refused, not supported on what is no NVMe device. Sets every fact of the
 * table that is not there yet. */
void device_page_missing(struct device *d, const struct decl_rows *table, const struct err *e,
                         const char *source);
/* The same for one fact. */
void device_fact_missing(struct device *d, const char *name, const struct err *e,
                         const char *source);

/* A log page of the whole controller, `bytes` long, in memory that lasts as long as the job. Does not ask
 * whether it is announced. */
ATTR_NODISCARD bool device_log(struct device *d, uint8_t lid, uint32_t bytes, struct span *ret,
                               struct err *reterr);

/* Is the log page on the controller's list? TRI_UNKNOWN: it has no list, or the list cannot be read. */
enum tri device_log_listed(const struct device *d, uint8_t lid);

/* Does it keep to the specification's word "mandatory"? Volumes of clouds and targets of fabrics leave out
 * what a drive must have, and a refused command is an entry in an error log. */
bool device_is_a_drive(const struct device *d);

/* "device.x" on every controller: the sum of a sysfs counter ("/sys/class/nvme/%s/FILE"). */
ATTR_NODISCARD bool device_controllers_sum(struct device *d, const char *file, uint64_t *ret,
                                           struct err *reterr);

/* Does its first controller sit on PCI Express? Else *reterr says why it has no link. */
ATTR_NODISCARD bool device_has_pci(const struct device *d, struct err *reterr);

/* "8.0 GT/s PCIe" as transfers per second; false for "Unknown", as in some guests. */
bool device_parse_speed(struct span text, double *ret);

/* Lanes, 1 … 32; false for 0 and 255, which the kernel says where it does not know. */
bool device_parse_width(struct span text, uint64_t *ret);

/* Device, theme errors of the link: sets device.pci.aer_fatal, .aer_correctable and .aer_counters. */
void device_read_aer(struct device *d);

/* "identify-ctrl of nvme0" */
const char *device_page_source(const struct device *d, const char *page);

#endif
