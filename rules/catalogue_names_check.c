/* Mistakes in the lists of option names: what would make a search miss a name, and where a list and the
 * catalogue's rows say different things. Knows nothing of servers. */
#include "rules/catalogue_names.h"

#include <stdarg.h>
#include <stdio.h>

#include "rules/catalogue_int.h"

#include "advisor/base/banned.h"

#define SERIES_MAX 16
#define PROBLEMS_MAX 100

struct names_reader {
    const struct catalogue *c;
    enum flavour flavour;
    const char *file;
    unsigned line, n_problems;
    struct buf *out;
    struct err *first;
};

ATTR_PRINTF(2, 3) static void complain(struct names_reader *r, const char *fmt, ...)
{
    char text[400];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    r->n_problems++;
    if (r->first->code == E_NONE)
        (void)err_set(r->first, E_SYNTAX, "%s:%u: %s", r->file, r->line, text);
    if (r->out != NULL && r->n_problems <= PROBLEMS_MAX)
        buf_printf(r->out, "%s:%u: %s\n", r->file, r->line, text);
}

/* ---- lines ---- */

static bool name_ok(struct span name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') && c != '_')
            return false;
    }
    return name.len > 0;
}

static void check_versions(struct names_reader *r, struct span text)
{
    struct version now, before = {.n = 0};
    struct span rest = text, one;
    unsigned n = 0;
    while (span_split(&rest, '/', &one)) {
        if (!version_parse_exact(one, &now))
            complain(r, "'%.*s' is no version", SPAN_ARG(text));
        else if (n > 0 && version_cmp(&before, &now) >= 0)
            complain(r, "the versions of '%.*s' do not ascend", SPAN_ARG(text));
        before = now;
        n++;
    }
    if (n > SERIES_MAX)
        complain(r, "'%.*s' has more than %d versions", SPAN_ARG(text), SERIES_MAX);
}

static void check_line(struct names_reader *r, struct span line, struct span *before)
{
    struct span name = {NULL, 0}, word;
    (void)span_word(&line, &name);
    if (!name_ok(name))
        complain(r, "'%.*s' is no name of a-z, 0-9, _", SPAN_ARG(name));
    else if (before->len > 0 && names_compare(*before, name) >= 0)
        complain(r, "'%.*s' does not come after '%.*s'", SPAN_ARG(name), SPAN_ARG(*before));
    *before = name;
    while (span_word(&line, &word)) {
        struct span rest = span_sub(word, 1, word.len - 1);
        if (word.ptr[0] == '=') {
            if (!name_ok(rest))
                complain(r, "'%.*s' is no name", SPAN_ARG(rest));
        } else if (!span_has((struct span){"+-!?d", 5}, word.ptr[0])) {
            complain(r, "'%.*s' is none of +VERSION, -VERSION, !VERSION, dVERSION, ?VERSION, =NAME",
                     SPAN_ARG(word));
        } else {
            check_versions(r, rest);
        }
    }
}

static void check_header(struct names_reader *r, const struct name_list *l, struct span text)
{
    struct span line, word;
    while (text.ptr < l->text.ptr && span_line(&text, &line) && line.ptr < l->text.ptr) {
        r->line++;
        if (line.len > 0 && line.ptr[0] == '@' && span_word(&line, &word) &&
            !span_eq_text(word, "@oldest") && !span_eq_text(word, "@newest") &&
            !span_eq_text(word, "@family"))
            complain(r, "there is no '%.*s'", SPAN_ARG(word));
    }
    if (l->oldest.n == 0 || l->newest.n == 0)
        complain(r, "@oldest VERSION and @newest VERSION are missing before the first name");
}

/* ---- lists and rows ---- */

static bool agree(enum presence row, enum presence list)
{
    if (list == PRESENCE_DEPRECATED)
        list = PRESENCE_YES;
    if (row == PRESENCE_DEPRECATED)
        row = PRESENCE_YES;
    return row == list || list == PRESENCE_UNKNOWN;
}

/* At every version that either of them names. */
static void check_row(struct names_reader *r, const struct variable *v)
{
    struct span name = span_of(variable_name(v));
    const struct flavour_rows *rows = &v->rows[r->flavour];
    struct option_name listed;
    const struct name_list *l = &r->c->names[r->flavour];
    struct version at[2] = {l->oldest, l->newest};
    for (unsigned i = 0; i < 2; i++) {
        enum presence p = names_listed(r->c, r->flavour, &at[i], name, &listed);
        if (!agree(variable_presence(v, r->flavour, &at[i]), p))
            complain(r, "%s: the catalogue says %s of version %u.%u, the list %s", variable_name(v),
                     presence_name(variable_presence(v, r->flavour, &at[i])), at[i].part[0],
                     at[i].part[1], presence_name(p));
    }
    for (size_t i = 0; i < rows->n_life; i++) {
        const struct since *s = &rows->life[i].from;
        for (size_t k = 0; k < s->n; k++) {
            if (version_cmp(&s->at[k], &l->oldest) < 0 || version_cmp(&s->at[k], &l->newest) > 0)
                continue;
            enum presence p = names_listed(r->c, r->flavour, &s->at[k], name, &listed);
            enum presence own = variable_presence(v, r->flavour, &s->at[k]);
            if (!agree(own, p))
                complain(r, "%s: the catalogue says %s of version %u.%u.%u, the list %s",
                         variable_name(v), presence_name(own), s->at[k].part[0],
                         s->at[k].part[1], s->at[k].part[2], presence_name(p));
        }
    }
}

bool catalogue_names_check(const struct catalogue *c, enum flavour f, const char *file, struct span list,
                           struct buf *problems, struct err *reterr)
{
    const struct name_list *l = &c->names[f];
    struct err first = ERR_INIT;
    struct names_reader r = {
        .c = c, .flavour = f, .file = file, .out = problems, .first = &first,
    };
    struct span before = {NULL, 0}, rest = l->text, line;
    check_header(&r, l, list);
    while (span_line(&rest, &line)) {
        r.line++;
        check_line(&r, line, &before);
    }
    for (size_t i = 0; i < c->n; i++) {
        if (variable_exists(&c->variables[i], f))
            check_row(&r, &c->variables[i]);
    }
    if (r.n_problems > 0)
        *reterr = first;
    return r.n_problems == 0;
}
