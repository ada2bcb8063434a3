/* The state of pools as `zpool status` prints it, with any of -P, -L and -t, by OpenZFS 0.7 to 2.3 and what came
 * before. Text only: no facts, no host. */
#ifndef NVADVISE_PROBES_ZPOOL_TEXT_H
#define NVADVISE_PROBES_ZPOOL_TEXT_H

#include "advisor/base/arena.h"
#include "advisor/base/err.h"
#include "advisor/base/str.h"

#define ZPOOL_VDEVS_MAX 512u

/* What -t tells of a device. */
enum zpool_trim {
    ZPOOL_TRIM_NOT_TOLD,
    ZPOOL_TRIM_NEVER,
    ZPOOL_TRIM_RUNNING, /* or suspended */
    ZPOOL_TRIM_DONE,
    ZPOOL_TRIM_UNSUPPORTED,
};

/* One line of the table. */
struct zpool_vdev {
    unsigned depth;     /* 0: the pool's own line, which is the first */
    size_t parent;      /* index of the line above it in the tree; of the first its own */
    bool leaf;          /* nothing below: a device, a file, or what is left of a removed vdev */
    struct span name;   /* "mirror-0", "/dev/nvme0n1p1", "sda", or the number of a device that is gone */
    const char *type;   /* pool, mirror, raidz1, raidz2, raidz3, draid, replacing, spare, disk, file, indirect;
                           NULL: none that is known here */
    const char *role;   /* data, log, cache, special, dedup, spare; of the pool's line data */
    struct span state;  /* "ONLINE"; empty where none stands there */
    bool has_counts;    /* all three: */
    uint64_t read, write, cksum; /* errors */
    struct span note;   /* what stands behind, such as "was /dev/sdb1" */
    uint64_t block_bytes;        /* sector that the vdev was made with, where the text tells; else 0 */
    enum zpool_trim trim;
    bool has_trimmed;
    int64_t trimmed;    /* ZPOOL_TRIM_DONE: its end, in seconds since 1970 if the text is of UTC */
};

/* What read through the pool last, or does so now. */
struct zpool_scan {
    bool told;          /* there was such a line; 2.1 prints none where nothing ever read through the pool */
    bool never;         /* nothing ever did */
    const char *running; /* "scrub", "resilver"; NULL: nothing runs. A paused scrub runs */
    bool has_scrub_end;
    int64_t scrub_end;  /* of the last scrub, when it was the last job and came to its end; as `trimmed` */
};

struct zpool_status {
    struct span name, state; /* "tank", "ONLINE" */
    struct zpool_vdev *vdevs;
    size_t n;
    const char *vdev_kind;   /* a word of volume.zfs.vdev_kind; NULL: a kind that is not known here */
    uint64_t vdev_count;     /* top data vdevs */
    struct zpool_scan scan;
    bool has_errors;         /* errors were told */
    uint64_t errors;         /* read, write, checksum of all lines but caches and spares, and data errors */
};

/* The state of the pool named `pool`; with an empty name of the first. E_ABSENT: the text does not tell of it;
 * E_LIMIT: more than ZPOOL_VDEVS_MAX lines; E_CUT: it ends early. Texts are copied into the arena. */
ATTR_NODISCARD bool zpool_status_parse(struct arena *a, struct span text, struct span pool,
                                       struct zpool_status *ret, struct err *reterr);

/* Names of the pools that a text tells of, at most `max`; returns how many there are. */
size_t zpool_status_names(struct span text, struct span *ret, size_t max);

/* Is a device of this line written to or read from now: by its state. */
bool zpool_in_use(const struct zpool_vdev *v);

/* Whether some vdev has this role. */
bool zpool_has_role(const struct zpool_status *s, const char *role);

/* "Sun Nov 29 12:00:00 2026" as ctime(3) prints it, taken for UTC. */
bool zpool_time(struct span text, int64_t *ret);

/* ---- the parts ------------------------------------------------------------------------------- */

/* The rows from behind the heading to the first line that is none, which stays in *text as it is. E_ABSENT: they
 * are of another pool than `pool`. */
ATTR_NODISCARD bool zpool_table_read(struct arena *a, struct span *text, struct span pool,
                                     struct zpool_status *s, struct err *reterr);

/* "\tNAME  STATE …" */
bool zpool_is_heading(struct span line);

/* Adds what the text behind "scan:" says; there may be several such lines. */
void zpool_scan_read(struct span text, struct zpool_scan *scan);

/* Takes note->block_bytes, trim and trimmed from v->note. */
void zpool_note_read(struct zpool_vdev *v);

#endif
