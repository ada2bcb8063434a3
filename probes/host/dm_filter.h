/* Keys out of what dmsetup prints. The tool itself hides the key of "crypt" unless it is asked for it; that of
 * an "integrity" target (internal_hash, journal_crypt, journal_mac) it prints. Pure. */
#ifndef NVADVISE_PROBES_HOST_DM_FILTER_H
#define NVADVISE_PROBES_HOST_DM_FILTER_H

#include "advisor/base/arena.h"
#include "advisor/base/str.h"

/* The lines of the form "NAME: START LENGTH TARGET …" and "NAME:", all others left out. In place of a key
 * stands '-': the second argument of "crypt"; what follows the algorithm in the options of "integrity"; and
 * of any target whatever is 32 or more hexadecimal digits. A last line without its newline stays without. */
struct span dm_filter(struct arena *a, struct span text);

#endif
