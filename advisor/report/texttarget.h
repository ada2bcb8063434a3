/* The section of the terminal view that check --target adds. */
#ifndef NVADVISE_ADVISOR_REPORT_TEXTTARGET_H
#define NVADVISE_ADVISOR_REPORT_TEXTTARGET_H

#include "advisor/base/json.h"
#include "advisor/report/report.h"

/* "MariaDB 11.8"; NULL: no target was asked for. */
const char *texttarget_name(struct arena *a, const struct json *doc);

/* How many lines would stop it. */
size_t texttarget_stops(const struct json *doc);

/* What stops it first, then what changes. */
void texttarget_print(struct buf *b, const struct text_options *opt, const struct json *doc);

#endif
