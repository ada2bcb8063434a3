/* A folder that stands for a host's /proc and /sys. *state is its path. */
#ifndef NVADVISE_TESTS_UNIT_SCRATCH_FAKEROOT_H
#define NVADVISE_TESTS_UNIT_SCRATCH_FAKEROOT_H

#include <stdbool.h>

int fakeroot_set_up(void **state);
int fakeroot_tear_down(void **state);

/* Write a file below it, with its folders; an existing one is replaced. */
void fakeroot_file(const char *root, const char *path, const char *text);

/* Is its content this? */
bool fakeroot_holds(const char *root, const char *path, const char *text);

#endif
