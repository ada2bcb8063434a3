/* What tests of the volume probe do with made-up machines: the facts that are wanted, and each operation failing. */
#ifndef NVADVISE_TESTS_UNIT_PROBES_VOLUME_SWEEP_H
#define NVADVISE_TESTS_UNIT_PROBES_VOLUME_SWEEP_H

#include "tests/unit/probes/storage_fixture.h"

struct volume_scene {
    const char *name;
    void (*make)(struct host *h);
    const struct want *wants;
};

void volume_check(const struct volume_scene *scenes, size_t n, const struct probe_args *args);

/* Any one operation fails, in any way: a known fact never becomes another known one, and no fact
 * "not supported", which would take its rules out of the run. (The chain may lose
 * the name of a layer.) */
void volume_sweep(const struct volume_scene *scenes, size_t n, const struct probe_args *args);

#endif
