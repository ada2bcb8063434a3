/* Properties as `zfs get -H -p all DATASET` and `zpool get -H -p all POOL` print them. Text only: no facts, no host. */
#ifndef NVADVISE_PROBES_ZFS_TEXT_H
#define NVADVISE_PROBES_ZFS_TEXT_H

#include "advisor/base/arena.h"
#include "advisor/base/err.h"
#include "advisor/base/str.h"

/* The value of a property in lines "DATASET<tab>PROPERTY<tab>VALUE<tab>SOURCE"; false when there is none, or it
 * is "-" (the dataset has no such thing). */
bool zfs_property(struct span text, const char *property, struct span *ret);

/* Of a text about several datasets the lines of one. */
struct span zfs_lines(struct arena *a, struct span text, const char *dataset);

/* Where it comes from: the first word of the fourth column, "local", "inherited", …; empty: not told. */
struct span zfs_property_origin(struct span text, const char *property);

#endif
