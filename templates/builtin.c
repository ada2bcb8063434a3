/* The template texts compiled into the binary, found by name. */
#include "templates/template.h"

#include <string.h>

#include "cmake/embedded.h"

#include "advisor/base/banned.h"

extern const struct embedded_file template_files[];
extern const size_t template_files_count;

const struct template *template_builtin(struct arena *a, const char *name, struct err *reterr)
{
    for (size_t i = 0; i < template_files_count; i++) {
        const struct embedded_file *f = &template_files[i];
        const struct span stem = span_of(f->name);
        if (!span_ends(stem, ".tmpl") ||
            !span_eq_text(span_sub(stem, 0, stem.len - strlen(".tmpl")), name)) {
            continue;
        }
        struct template *t = NULL;
        const struct span text = {(const char *)f->bytes, f->len};
        return template_parse(a, f->name, text, &t, reterr) ? t : NULL;
    }
    err_set(reterr, E_ABSENT, "there is no template '%s' in this build", name);
    return NULL;
}
