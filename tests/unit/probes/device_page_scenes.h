/* Made-up drives that announce more than the least: log pages, features, pages of makers. */
#ifndef NVADVISE_TESTS_UNIT_PROBES_DEVICE_PAGE_SCENES_H
#define NVADVISE_TESTS_UNIT_PROBES_DEVICE_PAGE_SCENES_H

#include "tests/unit/probes/device_scenes.h"

void pages_logs(struct host *h);
void pages_selftest_at_work(struct host *h);
void pages_sanitize_unreadable(struct host *h);
void pages_format_at_work(struct host *h);
void pages_sanitize_strange(struct host *h);
void pages_modes(struct host *h);
void pages_modes_off(struct host *h);
void pages_apst_shallow(struct host *h);
void pages_ocp(struct host *h);
void pages_ocp_capacitor_failed(struct host *h);
void pages_ocp_no_capacitor(struct host *h);
void pages_not_ocp(struct host *h);
void pages_ocp_unreadable(struct host *h);
void pages_intel(struct host *h);
void pages_intel_timed(struct host *h);
void pages_intel_other(struct host *h);
void pages_endurance(struct host *h);
void pages_endurance_silent(struct host *h);
void pages_placement(struct host *h);
void pages_placement_off(struct host *h);
void pages_ebs(struct host *h);
void pages_instance_disk(struct host *h);
void pages_instance_disk_old(struct host *h);
void pages_over_tcp(struct host *h);
void pages_counted_by_kernel(struct host *h);

#endif
