/* What both forms of smartctl share. */
#ifndef NVADVISE_PROBES_IMPORT_SMARTCTL_H
#define NVADVISE_PROBES_IMPORT_SMARTCTL_H

#include "probes/import/format.h"

/* The namespace in a disk's name: 2 of "nvme0n2"; 0 where there is none. */
unsigned smartctl_nsid(struct span name);

/* Another namespace of the drive `d`, as a device of its own with the same model and serial number; NULL where the
 * drive has no name. The text goes on to speak of `d`. */
struct import_device *smartctl_sibling(struct import *im, const struct import_piece *p,
                                       struct import_device *d, unsigned nsid);

/* What is said of a namespace of the controller `d` is said of this one. */
void smartctl_is_of(struct import_device *d, unsigned nsid);

/* device.selftest.*: results newest first, as bits 3:0 of the log have them (0 passed, 1 to 4, 8 and 9 aborted, 5 to 7
 * failed); `n` 0: none was ever made. */
struct import_test {
    unsigned result;
    uint64_t hours;
};

#define IMPORT_TESTS_MAX 20u

void import_selftests(struct import *im, struct import_device *d, const struct import_test *t, size_t n);

/* Asked at the controller's node it tells of no namespace: what the drive can hold is then its total capacity,
 * unless some of it is allocated to nobody. */
void smartctl_total(struct import *im, struct import_device *d);

/* LBA formats, power states and the error log in a text. */
void smartctl_tables(struct import *im, struct import_device *d, struct span text);

#endif
