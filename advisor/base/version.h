/* Versions of servers, kernels and modules: up to four numbers, compared as such (8.4 < 9.7 < 26.7). */
#ifndef NVADVISE_ADVISOR_BASE_VERSION_H
#define NVADVISE_ADVISOR_BASE_VERSION_H

#include "advisor/base/str.h"

#define VERSION_PARTS 4

struct version {
    uint32_t part[VERSION_PARTS]; /* missing parts are 0 */
    unsigned n;                   /* how many were given, 1..4 */
};

/* Read digits separated by dots at the front of s; what follows (after '-', '+', blank, letter) is
 * left aside: "10.11.19-MariaDB-0+deb12u1", "9.7.4-2", "6.1.0-57-amd64". The old replication prefix
 * "5.5.5-" before a MariaDB version is skipped. At least one dot is asked for; a part above
 * 999999999, or no number, is false. */
bool version_parse(struct span s, struct version *ret);

/* All of s is a version (used for literals): "8.0.30". */
bool version_parse_exact(struct span s, struct version *ret);

int version_cmp(const struct version *a, const struct version *b); /* missing parts are 0 */
void version_print(struct buf *b, const struct version *v);        /* the parts that were given */

#endif
