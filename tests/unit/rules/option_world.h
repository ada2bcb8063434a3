/* Option lines for tests: written as in an option file, one group. */
#ifndef NVADVISE_TESTS_OPTION_WORLD_H
#define NVADVISE_TESTS_OPTION_WORLD_H

#include "rules/options.h"
#include "rules/ruleset.h"

/* The catalogue that is compiled in. */
const struct catalogue *world_catalogue(struct arena *a);

/* "mysql:9.7.4". */
struct option_target world_target(const char *text);

/* Lines apart by '|'; "[group]" changes the group, "@file" the file, "P:" before a name makes it persisted,
 * "C:" an argument of the command line. */
size_t world_lines(struct arena *a, const char *text, struct optline **ret);

/* All of it; the readings, in the order of the lines. */
size_t world_read(struct arena *a, const char *target, const char *text,
                  struct option_reading **ret);

#endif
