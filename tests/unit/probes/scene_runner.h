/* Scenes of the device probe: a made-up machine and the facts that must come of it; and what must not become
 * of them when any one of its operations fails. */
#ifndef NVADVISE_TESTS_UNIT_PROBES_SCENE_RUNNER_H
#define NVADVISE_TESTS_UNIT_PROBES_SCENE_RUNNER_H

#include "tests/unit/probes/storage_fixture.h"

#define WANTS(...) ((const struct want[]){__VA_ARGS__, {NULL, NULL}})

struct scene {
    const char *name;
    void (*make)(struct host *h);
    const struct probe_args *args;
    const struct want *wants;
};

/* Every scene gives the facts that it wants. */
void scenes_check(const struct scene *scenes, size_t n);

/* Any one operation fails, in any way: a known fact never becomes another known one, and no fact "not
 * supported", which would take its rules out of the run. */
void scenes_fail(const struct scene *scenes, size_t n_scenes);

#endif
