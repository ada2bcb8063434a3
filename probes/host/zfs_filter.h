/* What people note down in properties of their own ("com.example:note"), passwords among it, is no business of
 * ours: it is taken out of a reply before it leaves the seam. */
#ifndef NVADVISE_PROBES_HOST_ZFS_FILTER_H
#define NVADVISE_PROBES_HOST_ZFS_FILTER_H

#include "advisor/base/arena.h"
#include "advisor/base/str.h"

/* Lines "NAME<tab>PROPERTY<tab>VALUE<tab>SOURCE" of zfs get and zpool get, without those whose property has a
 * colon (every one that a user makes has one, no other does) or is a pool's comment, and without all that does not
 * begin with one of `names` (a blank between each): a value of a user's own may hold line ends. Of several names one
 * whose lines do not begin with its type, or that has a property twice, is left out whole: no dataset speaks for
 * another. */
struct span zfs_filter(struct arena *a, struct span text, struct span names);

#endif
