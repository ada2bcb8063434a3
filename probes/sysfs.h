/* Small readers over the seam that the storage probes share: attributes of sysfs, names in paths, and
 * texts of devices made fit to be facts. No facts, no thresholds. */
#ifndef NVADVISE_PROBES_SYSFS_H
#define NVADVISE_PROBES_SYSFS_H

#include "probes/host/host.h"

/* Long enough for any model, serial, path or option list; the rest is cut off. */
#define TEXT_FACT_MAX 4096u

/* One attribute, blanks trimmed. The path is made as by printf. */
ATTR_NODISCARD bool sysfs_text(struct host *h, struct arena *a, struct span *ret,
                               struct err *reterr, const char *fmt, ...) ATTR_PRINTF(5, 6);

/* The same as a whole number without sign (E_SYNTAX when it is none). */
ATTR_NODISCARD bool sysfs_u64(struct host *h, struct arena *a, uint64_t *ret, struct err *reterr,
                              const char *fmt, ...) ATTR_PRINTF(5, 6);

/* A text that must end in a newline: one that was cut is E_CUT. */
ATTR_NODISCARD bool sysfs_whole(struct host *h, struct arena *a, const char *path, struct span *ret,
                                struct err *reterr);

/* What stands after the last '/' of a path. */
struct span path_base(struct span path);

/* The path before the last '/'; empty when there is none. */
struct span path_dir(struct span path);

/* Text from a device or file as a fact may hold it: blanks and NULs off both ends, what is not UTF-8
 * and every other NUL replaced by U+FFFD, cut at TEXT_FACT_MAX bytes. Control characters stay: each
 * output escapes by its own rules. */
struct span text_clean(struct arena *a, struct span raw);

/* Where block device `name` (kernel name, with '!' for '/') stands in sysfs: the target of its link in
 * /sys/class/block. */
ATTR_NODISCARD bool sysfs_block_link(struct host *h, struct arena *a, struct span name,
                                     struct span *ret, struct err *reterr);

/* May the kernel call a block device this: no '/', no NUL, not "." or "..", at most 128 bytes? Names
 * from captures and sysfs are checked before they become part of a path. */
bool sysfs_name_ok(struct span name);

#endif
