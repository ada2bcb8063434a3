/* The option table: one row gives parser, --help, man page check and completion. */
#ifndef NVADVISE_ADVISOR_CLI_OPTIONS_H
#define NVADVISE_ADVISOR_CLI_OPTIONS_H

#include "advisor/base/arena.h"
#include "advisor/base/err.h"

struct option_row {
    const char *name;    /* long name without dashes */
    char short_name;     /* 0 = none */
    const char *value;   /* metavariable ("FILE"), NULL = a flag */
    bool repeats;
    const char *help;    /* one line */
};

/* Parsed command line. */
struct options;

ATTR_NODISCARD bool options_parse(struct arena *a, int argc, char *const argv[],
                                  const struct option_row *rows, size_t n_rows,
                                  const struct option_row *common, size_t n_common,
                                  struct options **ret, struct err *reterr);
bool option_flag(const struct options *o, const char *name);
const char *option_text(const struct options *o, const char *name); /* last one given, or NULL */
size_t option_texts(const struct options *o, struct arena *a, const char *name,
                    const char *const **ret); /* all values of a repeated option, in order */
size_t option_args(const struct options *o, const char *const **ret); /* words that are no options */

#endif
