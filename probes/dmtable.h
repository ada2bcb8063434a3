/* Readers for what `dmsetup table` and `dmsetup status` print of all mappings: one struct a
 * segment, with the devices that it lies on and where on them. Pure: text in, tables out; no host,
 * no facts.
 *
 * Arguments of targets: Linux, Documentation/admin-guide/device-mapper, and the table printers of
 * drivers/md/dm-*.c. Hostile text never fails the whole: a line that is not understood spoils its
 * own mapping alone, and a text without its last newline is cut. */
#ifndef NVADVISE_PROBES_DMTABLE_H
#define NVADVISE_PROBES_DMTABLE_H

#include "advisor/base/err.h"
#include "advisor/base/str.h"

enum dm_target {
    DM_OTHER, /* not known here: nothing is said of its legs */
    DM_LINEAR,
    DM_STRIPED,
    DM_RAID, /* and mirror */
    DM_THIN,
    DM_THIN_POOL,
    DM_SNAPSHOT, /* and a snapshot that is being merged */
    DM_SNAPSHOT_ORIGIN,
    DM_CACHE,
    DM_WRITECACHE,
    DM_CRYPT,
    DM_INTEGRITY,
    DM_VDO,
    DM_MULTIPATH,
    DM_PLAIN,   /* passes all on to the same place: delay, flakey, dust, era, verity, log-writes */
    DM_NOTHING, /* zero, error: no device below */
};

/* How the bytes of a segment lie on one of its devices. */
enum dm_place {
    DM_AT_START,  /* in order, from `start` on */
    DM_IN_PIECES, /* in order piece by piece, in turn with the other legs, from `start` on */
    DM_SCATTERED, /* whole pieces in no order, each at a multiple of `piece` behind `start` */
    DM_HIDDEN,    /* only the target knows */
};

struct dm_leg {
    struct span device; /* "259:2"; a path with VDO */
    bool has_number;
    uint32_t major, minor;
    const char *role; /* NULL: data; "metadata", "cache", "log", "snapshot" */
    enum dm_place place;
    uint64_t start, piece; /* bytes */
};

struct dm_segment {
    uint64_t start, length; /* bytes of the mapping */
    enum dm_target target;
    struct span word; /* as the kernel calls the target */
    struct dm_leg *legs;
    size_t n_legs;
    uint64_t stripes, chunk; /* legs that consecutive pieces go round, bytes of a piece; 0: none */
    struct span level; /* raid: "raid1", "raid10" …: a word of volume.stack.md_level; else empty */
    uint64_t missing;  /* raid: legs that the table leaves out */
    uint64_t block;    /* bytes: thin pool, snapshot, cache; 0: none */
    struct span mode;  /* cache: writeback, writethrough, passthrough; else empty */
    struct span cipher; /* crypt; else empty */
    uint64_t sector;    /* crypt: bytes of a sector */
    bool no_read_workqueue, no_write_workqueue;
};

struct dm_table {
    struct span name;
    struct dm_segment *segments;
    size_t n;
    bool bad; /* some line of it was not understood */
};

struct dm_tables {
    struct dm_table *rows;
    size_t n;
};

#define DM_TABLES_MAX 16384u
#define DM_SEGMENTS_MAX 16384u /* of all together */
#define DM_LEGS_MAX 256u       /* of a segment */

/* E_CUT: the last line has no newline. E_LIMIT: more than the limits above. */
ATTR_NODISCARD bool dm_tables_parse(struct arena *a, struct span text, struct dm_tables *ret,
                                    struct err *reterr);

/* The mapping of this name, or NULL. */
const struct dm_table *dm_tables_find(const struct dm_tables *t, struct span name);

/* Do the segments follow each other from 0 to exactly `bytes`? A table that was cut or changed in
 * between does not fit its device. */
bool dm_table_covers(const struct dm_table *t, uint64_t bytes);

/* The target's arguments into `ret`, whose start, length and word are set. false: not understood.
 */
ATTR_NODISCARD bool dm_target_parse(struct arena *a, struct span args, struct dm_segment *ret);

/* ---- status ---- */

/* The arguments of the first segment of mapping `name` whose target is `target`. false: there is
 * none, or the text is cut. */
bool dm_status_find(struct span text, struct span name, const char *target, struct span *ret_args);

struct dm_pool_status {
    uint64_t metadata_used, metadata_total, data_used, data_total; /* blocks; totals are not 0 */
};
bool dm_pool_status(struct span args, struct dm_pool_status *ret);

/* Room of a snapshot, sectors. false: it is full or broken ("Invalid", "Overflow") or not
 * understood. */
bool dm_snapshot_status(struct span args, uint64_t *ret_used, uint64_t *ret_total);

struct dm_raid_status {
    uint64_t devices, dead; /* dead: 'D' and '-' of the health letters */
    uint64_t done, total;   /* sectors that are in sync; total is not 0 */
    struct span action;     /* "idle", "resync", …; empty where the kernel does not tell */
};
bool dm_raid_status(struct span args, struct dm_raid_status *ret);

#endif
