/* Volume, theme ZFS: the pool below the dataset. What all datasets of a pool share: the vdevs and their state,
 * what is left of its room, and when its data were last read through. */
#include "probes/volume.h"

#include "advisor/base/banned.h"

#define ROW(name, kind, words, fold, meaning, from)                                                \
    {                                                                                              \
        "volume.zfs." name, kind, words, SUBJECT_VOLUME, fold, NEED_NONE, meaning, from, ""        \
    }
#define STATUS(name, kind, words, fold, meaning) ROW(name, kind, words, fold, meaning, "zpool status")

const struct fact_decl volume_zpool_decls[VOLUME_ZPOOL_DECLS] = {
    STATUS("vdev_kind", KIND_ENUM, "disk,mirror,raidz1,raidz2,raidz3,draid,mixed", FOLD_SAME,
           "how the pool keeps data"),
    STATUS("vdev_count", KIND_COUNT, NULL, FOLD_MIN, "groups that data are spread over"),
    STATUS("slog", KIND_BOOL, NULL, FOLD_ANY, "the pool has a log device of its own"),
    STATUS("pool_state", KIND_ENUM,
           "online,degraded,faulted,offline,unavail,removed,suspended", FOLD_SAME,
           "state of the pool"),
    STATUS("pool_errors", KIND_COUNT, NULL, FOLD_MAX, "errors that the pool counts"),
    STATUS("slog_mirrored", KIND_BOOL, NULL, FOLD_ALL, "every log vdev is a mirror; with a log"),
    STATUS("slog_devices", KIND_SET, NULL, FOLD_SAME, "disks below the log vdevs"),
    STATUS("slog_shares_leaf", KIND_BOOL, NULL, FOLD_ANY,
           "a log vdev lies on a disk that also carries data; with a log"),
    STATUS("cache_device", KIND_BOOL, NULL, FOLD_ANY, "the pool has a cache vdev (L2ARC)"),
    STATUS("scan", KIND_ENUM, "none,scrub,resilver", FOLD_SAME,
           "job that reads through the pool now"),
    STATUS("scrub_age", KIND_SECONDS, NULL, FOLD_MAX, "since the last scrub that came to its end"),
    ROW("trim_age", KIND_SECONDS, NULL, FOLD_MAX,
        "since every device of the pool was trimmed to its end", "zpool status -t"),
    ROW("cache_bytes", KIND_BYTES, NULL, FOLD_MAX, "size of the cache vdevs", "zpool list -v"),
    ROW("pool_used_ratio", KIND_RATIO, NULL, FOLD_MAX, "used part of the pool", "zpool get capacity"),
    ROW("pool_frag", KIND_RATIO, NULL, FOLD_MAX, "fragmentation of the pool's free space",
        "zpool get fragmentation"),
    ROW("autotrim", KIND_BOOL, NULL, FOLD_ALL, "the pool trims what is freed by itself",
        "zpool get autotrim"),
    ROW("ashift_min", KIND_COUNT, NULL, FOLD_MIN,
        "smallest sector of the vdevs, as a power of two", "zpool get ashift"),
    ROW("sector_bytes_min", KIND_BYTES, NULL, FOLD_MIN, "smallest sector of the vdevs",
        "zpool get ashift"),
};
