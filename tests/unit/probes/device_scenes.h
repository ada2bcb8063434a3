/* Made-up machines, each with one matter that the device probe must get right. */
#ifndef NVADVISE_TESTS_UNIT_PROBES_DEVICE_SCENES_H
#define NVADVISE_TESTS_UNIT_PROBES_DEVICE_SCENES_H

#include "tests/unit/probes/storage_hosts.h"

/* A number, little-endian, into a page. */
void page_put(char *page, size_t at, uint64_t v, size_t bytes);

/* The pages of device_plain, to be changed: the last one made counts. */
char *page_ctrl(struct host *h, const char *ctrl);
char *page_ns(struct host *h, const char *ctrl);

/* All pages that are asked of a controller. */
void device_pages(struct host *h, const char *ctrl);

void device_plain(struct host *h);
void device_no_root(struct host *h);
void device_identify_only(struct host *h);
void device_root_refused(struct host *h);
void device_resetting(struct host *h);
void device_qemu(struct host *h);
void device_log_list(struct host *h);
void device_maker_log(struct host *h);
void device_log_list_cut(struct host *h);
void device_host_memory(struct host *h);
void device_extremes(struct host *h);
void device_broken_pages(struct host *h);
void device_no_cache(struct host *h);
void device_amazon(struct host *h);
void device_atomic_unit(struct host *h);
void device_atomic_bounded(struct host *h);
void device_atomic_offset(struct host *h);
void device_hostile_texts(struct host *h);
void device_virtio(struct host *h);
void device_virtio_flash(struct host *h);
void device_sata_disk(struct host *h);
void device_sata_flash(struct host *h);
void device_qemu_scsi(struct host *h);
void device_iscsi(struct host *h);
void device_sata_flag_wrong(struct host *h);
void device_head(struct host *h);
void device_gone(struct host *h);

#endif
