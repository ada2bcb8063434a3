/* One finding on a terminal. */
#ifndef NVADVISE_ADVISOR_REPORT_TEXTFINDING_H
#define NVADVISE_ADVISOR_REPORT_TEXTFINDING_H

#include "advisor/report/report.h"

/* Higher comes first: severity, then findings with a fix of their own before those settled by another. */
int textfinding_rank(const struct json *finding);

/* number 0: without one. Short: title, where, fix. opt->verbose: why, evidence, risk, undo too. */
void textfinding_print(struct buf *b, const struct text_options *opt, unsigned number,
                       const struct json *finding);

#endif
