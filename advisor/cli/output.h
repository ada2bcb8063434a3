/* Writing what a command made: to the terminal, or whole into a directory. */
#ifndef NVADVISE_ADVISOR_CLI_OUTPUT_H
#define NVADVISE_ADVISOR_CLI_OUTPUT_H

#include "advisor/report/report.h"
#include "advisor/cli/options.h"

/* Width and colours of standard output: 80 columns and none unless it is a terminal; NO_COLOR and
 * TERM=dumb mean none. */
struct text_options output_terminal(const struct options *opt);

/* `doc` on standard output, indented JSON with a newline. */
void output_json(struct arena *a, const struct json *doc);

/* A built-in template ("my.cnf") filled in from `doc`, appended to *out. */
ATTR_NODISCARD bool output_render(struct arena *a, const char *name, const struct json *doc,
                                  struct buf *out, struct err *reterr);

/* zz-nvadvise.cnf for each server (with several: zz-nvadvise-N.cnf), storage.md, storage.sh and report.json into `dir`,
 * which is made. Each file whole or not at all. Where no setting is asked for no drop-in is written, and
 * one of an earlier run stays. *ret_written: for people, two lines that name the files
 * written, and one for each that was kept. */
ATTR_NODISCARD bool output_dir(struct arena *a, const char *dir, const struct json *doc,
                               struct buf *ret_written, struct err *reterr);

#endif
