/* Takes values that may be secrets out of command lines and environments, inside the seam: nothing of them
 * reaches a probe, a capture or a log. Knows nothing of files. */
#ifndef NVADVISE_PROBES_HOST_WORDS_FILTER_H
#define NVADVISE_PROBES_HOST_WORDS_FILTER_H

#include "advisor/base/str.h"

/* `text`, words between `separator` bytes, appended to `out` with "***" for the value of every argument
 * whose name speaks of a password, token or key: "--name=VALUE", "name=VALUE", "-pVALUE", and the word
 * after "--name". All else stays as it is, byte for byte. */
void words_blank_secrets(struct buf *out, struct span text, char separator);

/* Is `path` a command line, /proc/cmdline or /proc/PID/cmdline; and what divides its words? */
bool words_are_cmdline(const char *path, char *ret_separator);

/* Is `path` the environment of a process, /proc/PID/environ? */
bool words_are_environment(const char *path);

/* Of an environment ("NAME=VALUE" with a NUL behind each) only what says which option files a server
 * reads: HOME, MYSQL_HOME, MARIADB_HOME, MYSQL_GROUP_SUFFIX, MARIADB_GROUP_SUFFIX. A NUL more at the end
 * says that nothing is cut off. */
void words_keep_environment(struct buf *out, struct span text);

#endif
