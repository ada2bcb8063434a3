/* The lines of the terminal view on what could not be seen and what was not measured. Pure. */
#ifndef NVADVISE_ADVISOR_REPORT_TEXTMISSING_H
#define NVADVISE_ADVISOR_REPORT_TEXTMISSING_H

#include "advisor/report/report.h"

/* One line a remedy and one a need; without -v what no command of this version gives is one line together. */
void textmissing_print(struct buf *b, const struct json *doc, const struct text_options *opt);

#endif
