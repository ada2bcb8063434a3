/* Actions of rules that are lines of files, not commands:
 *   line FILE TEXT        a line that FILE has to hold
 *   fstab -OPT +OPT …     options taken out of (a '*' at the end: all that begin so) and put into the line of the
 *                         volume's mount point in /etc/fstab
 * Pure. */
#ifndef NVADVISE_ADVISOR_REPORT_FILELINE_H
#define NVADVISE_ADVISOR_REPORT_FILELINE_H

#include "advisor/base/json.h"

#define FSTAB_FILE "/etc/fstab"

/* "noatime,logbsize=256k" of "defaults,relatime": every word of `drop` (an array of strings) taken out, every
 * word of `add` put behind what is left, once. Nothing left: "defaults". */
const char *fstab_options(struct arena *a, const char *base, const struct json *drop,
                          const struct json *add);

/* The line of a table of filesystems. Blanks, '#', backslashes and control bytes of a field become \NNN, as
 * fstab(5) reads them, so that a name is never more than a field. `numbers`: the last two, "0 2". */
const char *fstab_line(struct arena *a, const char *source, const char *mount, const char *type,
                       const char *options, const char *numbers);

/* Split "-a +b -c*" into the two arrays; words without a sign are left out. */
void fstab_words(struct arena *a, struct span words, struct json **ret_drop, struct json **ret_add);

/* An action as a rule has it, for people: what a file has to hold, or what leaves and enters the line of
 * /etc/fstab; NULL: the action is a command. */
const char *fileline_told(struct arena *a, const char *action);

/* The command that adds `lines` (an array of strings) to the end of `file`. */
const char *fileline_command(struct arena *a, const char *file, const struct json *lines);

#endif
