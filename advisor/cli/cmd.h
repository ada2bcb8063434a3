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
    size_t max_args; /* words beside options; more are refused, not passed over */
    /* The exit code, or -1 with the error: main prints it and ends with 2. */
    int (*run)(const struct options *opt, struct arena *a, struct err *reterr);
};

extern const struct cmd cmd_check, cmd_chain, cmd_explain, cmd_facts, cmd_capture, cmd_import,
    cmd_options, cmd_rules, cmd_tune;

/* Options that every command takes. */
extern const struct option_row common_options[];
extern const size_t common_n_options;

#endif
