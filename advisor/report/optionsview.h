/* The terminal view of what a server reads: its files, and each option with file and line, who wins and who
 * does not. Pure: facts and the catalogue in, text out. */
#ifndef NVADVISE_ADVISOR_REPORT_OPTIONSVIEW_H
#define NVADVISE_ADVISOR_REPORT_OPTIONSVIEW_H

#include "advisor/report/report.h"

/* Of one server: what is in force, and what is in the way; with opt->verbose every line, file and group. */
void optionsview_print(struct buf *b, const struct ruleset *rules, const struct store *s,
                       const struct subject *server, const struct text_options *opt);

#endif
