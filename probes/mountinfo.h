/* Reader for /proc/PID/mountinfo: one struct a line, octal escapes undone. Pure: text in, table out.
 *
 * Hostile or cut text never fails the whole: lines that are no mount are counted and left out, so the
 * caller can tell an empty or partial table (as under a plain chroot) from a good one. */
#ifndef NVADVISE_PROBES_MOUNTINFO_H
#define NVADVISE_PROBES_MOUNTINFO_H

#include "advisor/base/str.h"

struct mount {
    uint64_t id, parent;
    uint32_t major, minor;
    struct span root;       /* the directory of the filesystem that is seen here */
    struct span mountpoint; /* below the root of the process whose table this is */
    struct span options;    /* of this mount: rw,noatime,… */
    struct span fstype;
    struct span source;     /* may be empty */
    struct span super;      /* options of the filesystem */
};

struct mountinfo {
    struct mount *rows; /* in the order of the text: a later one lies over an earlier one */
    size_t n;
    size_t skipped;     /* lines that could not be read */
};

/* Read all of `text`; spans borrow from it or from the arena. Never fails; at most 65536 rows, further
 * lines count as skipped. */
void mountinfo_parse(struct arena *a, struct span text, struct mountinfo *ret);

/* A field of such a table, of fstab or of /proc/swaps: \040 and the like undone. Borrows from `s` or the
 * arena. */
struct span mountinfo_unescape(struct arena *a, struct span s);

/* The mount with this id (statx's mount id), or NULL. */
const struct mount *mountinfo_by_id(const struct mountinfo *mi, uint64_t id);

/* Of the mounts of device major:minor the one that `path` lies on: the longest mount point that is a
 * prefix of the path, the last of equals. When none of them is a prefix (the mount is out of sight) the
 * last mount of that device, with *ret_exact false. NULL: the device is not mounted here. */
const struct mount *mountinfo_by_device(const struct mountinfo *mi, uint32_t major, uint32_t minor,
                                        struct span path, bool *ret_exact);

/* The mount whose mount point is the longest prefix of `path`, the last of equals, or NULL. */
const struct mount *mountinfo_by_path(const struct mountinfo *mi, struct span path);

/* Is `word`, or `word=…`, one of the comma-separated options? ret_value (may be NULL) gets what
 * follows the '=' (empty without one). */
bool mount_option(struct span options, const char *word, struct span *ret_value);

/* The word of volume.fs.type for the kernel's name of a filesystem; "other" for what is not known here. */
const char *mount_fs_word(struct span fstype);

#endif
