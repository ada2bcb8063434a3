/* Is a word in these bytes, plain or in one of the ways in which texts hide it? */
#ifndef NVADVISE_TESTS_LIB_LEAK_H
#define NVADVISE_TESTS_LIB_LEAK_H

#include "probes/host/capture.h"

/* How the word stands there: "plain" (in any case), "hexadecimal", "percent", "MySQL's file name",
 * "base64", "JSON escape"; NULL: not at all. The word is of ASCII letters and digits. */
const char *leak_in(struct arena *a, struct span bytes, const char *word);

/* The same of a whole capture: ids, keys, replies, errors, line 1. The answer names the place too.
 */
const char *leak_in_capture(struct arena *a, const struct capture *c, const char *word);

#endif
