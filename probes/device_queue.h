/* Hardware queues of the block layer: count, and CPUs that share one. */
#ifndef NVADVISE_PROBES_DEVICE_QUEUE_H
#define NVADVISE_PROBES_DEVICE_QUEUE_H

#include "probes/device.h"

/* Sets device.queue.hw_queues and .cpus_per_queue_max. */
void device_read_hw_queues(struct device *d);

/* How many CPUs a cpu_list ("0, 1, 2" or "0-3,8") names; false when malformed. */
bool queue_cpu_count(struct span list, uint64_t *ret);

/* Name of the path device of multipath head `head` through controller `ctrl`: "nvme3n1" and "nvme2" give
 * "nvme3c2n1". NULL when the names are not of that form. */
const char *multipath_path_name(struct arena *a, const char *head, const char *ctrl);

#endif
