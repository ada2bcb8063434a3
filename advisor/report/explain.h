/* `explain WORD`: a manual page on a rule, server variable, setting, fact or parameter, with today's
 * values. Pure: rule set, facts, findings and plans in, one document (nvadvise.explain/1) out. */
#ifndef NVADVISE_ADVISOR_REPORT_EXPLAIN_H
#define NVADVISE_ADVISOR_REPORT_EXPLAIN_H

#include "advisor/report/report.h"

/* {"schema", "name", "kind": rule | variable | setting | fact | parameter, "title",
 * "sections": [{"title", "items": [{"label", "text"}]}]}; an item without label is a paragraph. `in`
 * holds today's facts, findings and plans, or an empty store. Names: '-' and '_' are one in variables;
 * "param." and "plan." may stand before a name; ids of aliases and retired rules explain themselves.
 * Error: E_USAGE with the nearest names as hint. */
ATTR_NODISCARD bool explain_make(struct arena *a, const struct report_input *in, const char *word,
                                 struct json **ret, struct err *reterr);

/* Is there such a word at all? Asked before anything of the machine is read; the same error. */
ATTR_NODISCARD bool explain_knows(struct arena *a, const struct ruleset *rs, const char *word,
                                  struct err *reterr);

/* The page for a terminal. */
void explain_text(struct buf *b, const struct json *page, const struct text_options *opt);

#endif
