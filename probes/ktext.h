/* Texts of the kernel (/proc, /sys, cgroup files), read whole or not at all.
 *
 * All of them end in a newline, so one that does not was cut on its way, and a cut number is
 * another number: "60" without its newline may have been "600". */
#ifndef NVADVISE_PROBES_KTEXT_H
#define NVADVISE_PROBES_KTEXT_H

#include "probes/host/host.h"

/* Read `path`; the last newline is removed; an empty file is empty. max 0 = HOST_SMALL. E_CUT when
 * bytes do not end in a newline, else the seam's errors. */
ATTR_NODISCARD bool ktext_read(struct host *h, const char *path, size_t max, struct span *ret,
                               struct err *reterr);

/* The same, tried once more when it fails: where a file that is absent means something, that must not
 * come from an accident. */
ATTR_NODISCARD bool ktext_read_again(struct host *h, const char *path, size_t max, struct span *ret,
                                     struct err *reterr);

/* One whole number in a file of its own; E_SYNTAX when it is none. */
ATTR_NODISCARD bool ktext_u64(struct host *h, const char *path, uint64_t *ret, struct err *reterr);
ATTR_NODISCARD bool ktext_i64(struct host *h, const char *path, int64_t *ret, struct err *reterr);

/* The value of line "KEY: value" or "KEY value" in `text`, trimmed; the first such line counts. */
bool ktext_field(struct span text, const char *key, struct span *ret);

/* The same as a whole number; what follows the number ("kB") is dropped. */
bool ktext_field_u64(struct span text, const char *key, uint64_t *ret);

/* The word in brackets: "madvise" of "always [madvise] never". */
bool ktext_choice(struct span text, struct span *ret);

/* Sets *reterr to E_SYNTAX "'PATH' holds no …"; returns false. */
bool ktext_bad(struct err *reterr, const char *path, const char *what);

/* Take the next member off a kernel list ("0-3,8"), counting *state from 0; false at the end or
 * when the text is malformed. Members come in order. */
struct ktext_list {
    struct span rest;
    uint64_t next, last; /* next > last: take another range */
    bool in_range;
};
struct ktext_list ktext_list_begin(struct span text);
bool ktext_list_next(struct ktext_list *l, uint64_t *ret);

#endif
