/* Reading a report document: what is missing reads as empty, so views need no checks. */
#ifndef NVADVISE_ADVISOR_REPORT_DOCREAD_H
#define NVADVISE_ADVISOR_REPORT_DOCREAD_H

#include "advisor/base/json.h"

const struct json *read_list(const struct json *doc, const char *key); /* an array, perhaps empty */
const char *read_text(const struct json *doc, const char *key);        /* "" when absent or null */
bool read_flag(const struct json *doc, const char *key);
uint64_t read_count(const struct json *doc, const char *key);          /* 0 when absent */
bool read_has(const struct json *doc, const char *key);             /* there, and not null */
bool read_is(const struct json *doc, const char *key, const char *text);

/* Copy a text member; absent becomes "". */
void read_copy(struct json *to, const struct json *from, const char *key);

/* What the head of every file says: tool, profile, rules, host, overridden. */
struct json *read_head(struct arena *a, const struct json *doc);

#endif
