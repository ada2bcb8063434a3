/* What the commands of ZFS print: the properties of a dataset and the state of a pool. Text only: no facts, no
 * host. Made for `zfs get -H -p all DATASET` and `zpool status -P -L POOL` of OpenZFS 0.8 to 2.3. */
#ifndef NVADVISE_PROBES_ZFS_TEXT_H
#define NVADVISE_PROBES_ZFS_TEXT_H

#include "advisor/base/arena.h"
#include "advisor/base/err.h"
#include "advisor/base/str.h"

/* The value of a property in lines "DATASET<tab>PROPERTY<tab>VALUE<tab>SOURCE"; false when there is none, or it
 * is "-" (the dataset has no such thing). */
bool zfs_property(struct span text, const char *property, struct span *ret);

#define ZPOOL_LEAVES_MAX 128u

struct zpool_status {
    struct span state;      /* "ONLINE" */
    const char *vdev_kind;  /* a word of volume.zfs.vdev_kind; NULL: a kind that is not known here */
    uint64_t vdev_count;    /* top data vdevs */
    bool slog;              /* there is a log vdev */
    struct span *leaves;    /* block devices that data, logs or tables are written to: "/dev/nvme0n1p1" */
    size_t n_leaves;
    bool has_file;          /* a vdev is a file: there are devices below that the pool does not know */
    bool has_errors;        /* errors was told */
    uint64_t errors;        /* read, write, checksum of all lines, and data errors */
};

/* The state of the pool named `pool`. E_ABSENT: the text does not tell of it; E_LIMIT: more than
 * ZPOOL_LEAVES_MAX devices; E_CUT: it ends in the middle of its table. */
ATTR_NODISCARD bool zpool_status_parse(struct arena *a, struct span text, struct span pool,
                                       struct zpool_status *ret, struct err *reterr);

#endif
