/* Of a process's map of memory only which programs and libraries it runs, inside the seam: addresses would
 * help an attacker, and a large server has thousands of lines. Pure. */
#ifndef NVADVISE_PROBES_HOST_MAPS_FILTER_H
#define NVADVISE_PROBES_HOST_MAPS_FILTER_H

#include "advisor/base/str.h"

/* Is `path` such a map, /proc/PID/maps? */
bool maps_are_of_process(const char *path);

/* Append the last parts of the names of files that `text` maps to be run, each once, a newline behind each,
 * in the order of the text; at most 256. */
void maps_keep_names(struct buf *out, struct span text);

#endif
