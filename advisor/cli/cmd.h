/* Commands: one table row each; a command file only wires. */
#ifndef NVADVISE_ADVISOR_CLI_CMD_H
#define NVADVISE_ADVISOR_CLI_CMD_H

#include "advisor/base/err.h"
#include "advisor/cli/options.h"

struct cmd {
    const char *name;
    const char *summary;              /* for `nvadvise --help` */
    const char *synopsis;             /* "check [options]" */
    const char *help;                 /* text that teaches, with examples */
    const struct option_row *options; /* beside the common ones */
    size_t n_options;
    int (*run)(const struct options *opt, struct arena *a); /* returns the exit code */
};

extern const struct cmd cmd_check, cmd_facts, cmd_capture, cmd_rules, cmd_explain;

#endif
