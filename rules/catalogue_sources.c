/* Where the catalogue's claims come from, and how far they reach. Knows nothing of what is claimed. */
#include "rules/catalogue_int.h"

#include <string.h>

#include "advisor/base/banned.h"

/* ---- texts ---- */

static void read_newest(struct catalogue_reader *l, enum flavour f, struct span text,
                        struct catalogue *c)
{
    if (!version_parse_exact(text, &c->newest[f]))
        catalogue_complain(l, "'%.*s' is no version", SPAN_ARG(text));
}

static void read_tried(struct catalogue_reader *l, enum flavour f, struct span text,
                       struct catalogue *c)
{
    struct span one;
    while (span_split(&text, ',', &one)) {
        struct version v;
        if (!version_parse_exact(span_trim(one), &v)) {
            catalogue_complain(l, "'%.*s' is no version", SPAN_ARG(one));
            return;
        }
        CATALOGUE_APPEND(l, c->tried[f], c->n_tried[f], v);
    }
}

static void read_source(struct catalogue_reader *l, struct span key, struct span text,
                        struct catalogue *c)
{
    struct span range, from, to;
    struct catalogue_source s = {.key = span_dup(l->arena, key)};
    if (!span_word(&text, &range) || span_trim(text).len == 0) {
        catalogue_complain(l, "write KEY = VERSION[-VERSION] what it is");
        return;
    }
    s.text = span_dup(l->arena, span_trim(text));
    from = range;
    (void)span_split(&range, '-', &from);
    to = range.len > 0 ? range : from;
    if (!version_parse_exact(from, &s.from) || !version_parse_exact(to, &s.to) ||
        version_cmp(&s.from, &s.to) > 0) {
        catalogue_complain(l, "'%.*s' is no range of versions", SPAN_ARG(from));
        return;
    }
    CATALOGUE_APPEND(l, c->sources, c->n_sources, s);
}

bool catalogue_read_about(struct catalogue_reader *l, const struct ini_section *s,
                          struct catalogue *c)
{
    bool newest = span_eq_text(s->name, "newest"), tried = span_eq_text(s->name, "tried");
    bool sources = span_eq_text(s->name, "sources");
    if (!newest && !tried && !sources)
        return false;
    for (size_t i = 0; i < s->n_entries; i++) {
        const struct ini_entry *e = &s->entries[i];
        enum flavour f;
        l->line = e->line;
        if (sources)
            read_source(l, e->key, e->value, c);
        else if (!flavour_from_name(e->key, &f))
            catalogue_complain(l, "there is no flavour '%.*s'", SPAN_ARG(e->key));
        else if (newest)
            read_newest(l, f, e->value, c);
        else
            read_tried(l, f, e->value, c);
    }
    return true;
}

static const struct catalogue_source *find_source(const struct catalogue *c, const char *key)
{
    for (size_t i = 0; i < c->n_sources; i++) {
        if (strcmp(c->sources[i].key, key) == 0)
            return &c->sources[i];
    }
    return NULL;
}

static void check_row(struct catalogue_reader *l, const struct catalogue *c,
                      const struct variable *v, enum flavour f)
{
    const struct flavour_rows *r = &v->rows[f];
    l->file = v->file;
    l->line = v->line;
    l->section = span_of(v->name);
    if ((r->has_life || r->has_default) && r->n_sources == 0)
        catalogue_complain(l, "'%s.source' is missing", flavour_name(f));
    for (size_t i = 0; i < r->n_sources; i++) {
        if (find_source(c, r->sources[i]) == NULL)
            catalogue_complain(l, "%s.source: '%s' is not in [sources]", flavour_name(f),
                               r->sources[i]);
        for (size_t k = 0; k < i; k++) {
            if (strcmp(r->sources[i], r->sources[k]) == 0)
                catalogue_complain(l, "%s.source: '%s' stands twice", flavour_name(f),
                                   r->sources[i]);
        }
    }
}

void catalogue_check_sources(struct catalogue_reader *l, const struct catalogue *c)
{
    for (size_t i = 0; i < c->n; i++) {
        for (unsigned f = 0; f < FLAVOURS; f++)
            check_row(l, c, &c->variables[i], (enum flavour)f);
    }
}

/* ---- how many ---- */

/* Compared as far as `with` is given. */
static int compare_as_given(const struct version *at, const struct version *with)
{
    struct version cut = *at;
    for (unsigned i = with->n; i < VERSION_PARTS; i++)
        cut.part[i] = 0;
    return version_cmp(&cut, with);
}

struct witnesses {
    size_t there;
    bool before, after; /* a source that speaks of older versions only, of newer ones only */
};

static void count_sources(const struct catalogue *c, const struct flavour_rows *r,
                          const struct version *at, struct witnesses *w)
{
    for (size_t i = 0; i < r->n_sources; i++) {
        const struct catalogue_source *s = find_source(c, r->sources[i]);
        if (s == NULL)
            continue;
        if (compare_as_given(at, &s->to) > 0)
            w->before = true;
        else if (version_cmp(at, &s->from) < 0)
            w->after = true;
        else
            w->there++;
    }
}

size_t variable_n_sources(const struct variable *v, enum flavour f)
{
    return v->rows[f].n_sources + (f == FLAVOUR_PERCONA ? v->rows[FLAVOUR_MYSQL].n_sources : 0);
}

size_t variable_sources(const struct catalogue *c, const struct variable *v, enum flavour f,
                        const struct version *at)
{
    struct witnesses w = {0};
    const struct version *as = at;
    if (catalogue_confidence(c, f, at) == CONFIDENCE_NEWER)
        as = &c->newest[f];
    count_sources(c, &v->rows[f], as, &w);
    if (f == FLAVOUR_PERCONA)
        count_sources(c, &v->rows[FLAVOUR_MYSQL], as, &w);
    return w.there + (w.before && w.after ? 2 : 0);
}

/* ---- confidence ---- */

const char *confidence_name(enum confidence c)
{
    switch (c) {
    case CONFIDENCE_TRIED:
        return "tried";
    case CONFIDENCE_UNTRIED:
        return "untried";
    case CONFIDENCE_NEWER:
        return "newer";
    }
    return "?";
}

enum confidence catalogue_confidence(const struct catalogue *c, enum flavour f,
                                     const struct version *at)
{
    for (size_t i = 0; i < c->n_tried[f]; i++) {
        if (same_series(at, &c->tried[f][i]))
            return CONFIDENCE_TRIED;
    }
    const struct version *newest = &c->newest[f];
    if (newest->n > 0 && version_cmp(at, newest) > 0 && !same_series(at, newest))
        return CONFIDENCE_NEWER;
    return CONFIDENCE_UNTRIED;
}

static void add_series(struct buf *b, const struct version *v)
{
    buf_printf(b, "%u.%u", v->part[0], v->part[1]);
}

void catalogue_confidence_text(const struct catalogue *c, enum flavour f, const struct version *at,
                               struct buf *b)
{
    switch (catalogue_confidence(c, f, at)) {
    case CONFIDENCE_TRIED:
        return;
    case CONFIDENCE_NEWER:
        buf_printf(b, "%s ", flavour_title(f));
        version_print(b, at);
        buf_add_text(b, " is newer than what nvadvise knows (");
        add_series(b, &c->newest[f]);
        buf_add_text(b, "): judged as ");
        add_series(b, &c->newest[f]);
        return;
    case CONFIDENCE_UNTRIED:
        buf_printf(b, "not tried on %s ", flavour_title(f));
        add_series(b, at);
        buf_add_text(b, ": what is said of its settings comes from documents and published lists");
        return;
    }
}
