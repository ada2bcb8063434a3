/* The renderer: a template text and a report document give text. Knows JSON only.
 *
 * A mustache subset: {{name}}, {{a.b}}, {{#section}}…{{/section}}, {{^inverted}}…{{/inverted}},
 * {{! comment}}, {{.}}; {{{name}}} for text inside a code block: only control bytes are escaped; tags alone on a line take the line with them. A missing name is an error, not an
 * empty text. No lambdas, partials or delimiters.
 * The first line of a template says how values are escaped and what it makes:
 *   {{! escape: cnf | md | sh | none;  file: zz-nvadvise.cnf;  about: …}}
 * Escapes: cnf: no newline or control byte may pass (replaced by \xNN); md: markdown specials; sh: single quotes. */
#ifndef NVADVISE_TEMPLATES_TEMPLATE_H
#define NVADVISE_TEMPLATES_TEMPLATE_H

#include "advisor/base/json.h"

enum escape { ESCAPE_NONE, ESCAPE_CNF, ESCAPE_MD, ESCAPE_SH, ESCAPES };

struct template;

#define TEMPLATE_MAX (256u * 1024)
#define TEMPLATE_OUT_MAX (16u * 1024 * 1024)

ATTR_NODISCARD bool template_parse(struct arena *a, const char *name, struct span text,
                                   struct template **ret, struct err *reterr);
const char *template_file(const struct template *t); /* from the header line, or NULL */
ATTR_NODISCARD bool template_render(const struct template *t, const struct json *doc, struct buf *out,
                                    struct err *reterr);

/* Compiled-in template by name ("my.cnf", "storage.md"), parsed; NULL when there is none. */
const struct template *template_builtin(struct arena *a, const char *name, struct err *reterr);

#endif
