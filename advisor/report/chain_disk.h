/* What a drive says of itself in the tree of `nvadvise chain`. */
#ifndef NVADVISE_ADVISOR_REPORT_CHAIN_DISK_H
#define NVADVISE_ADVISOR_REPORT_CHAIN_DISK_H

#include "advisor/base/arena.h"
#include "advisor/base/json.h"

#define CHAIN_DISK_LINES 3

/* Controller, model, place and link; size, queues, scheduler, paths and cache; wear. Each "" where
 * nothing of it is known. `device` and `layer` are those of the document of chain.h; what the layer
 * says itself is not said again. */
void chain_disk_lines(struct arena *a, const struct json *device, const struct json *layer,
                      const char *ret[CHAIN_DISK_LINES]);

#endif
