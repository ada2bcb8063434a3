/* The journal as JSON (schema nvadvise.journal/1), both ways. Pure. */
#ifndef NVADVISE_ADVISOR_TUNE_JOURNAL_TEXT_H
#define NVADVISE_ADVISOR_TUNE_JOURNAL_TEXT_H

#include "advisor/base/json.h"
#include "advisor/tune/journal.h"

#define JOURNAL_SCHEMA "nvadvise.journal/1"

/* Keys sorted. */
struct json *journal_to_json(struct arena *a, const struct journal *j);

/* Error: E_CORRUPT with `path` and what is wrong; E_NOT_SUPPORTED for the schema of a later version.
 * Members that this version does not know are passed over. */
ATTR_NODISCARD bool journal_from_json(struct arena *a, const char *path, const struct json *doc,
                                      struct journal *ret, struct err *reterr);

#endif
