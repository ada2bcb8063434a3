/* Help texts, made from the command and option tables. */
#ifndef NVADVISE_ADVISOR_CLI_HELP_H
#define NVADVISE_ADVISOR_CLI_HELP_H

#include "advisor/cli/cmd.h"

void help_overview(const struct cmd *const *commands, size_t n);
void help_command(const struct cmd *cmd);

#endif
