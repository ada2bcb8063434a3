/* Reads the texts of the variable catalogue and checks them. Every mistake is told with its file, line
 * and section. Knows nothing of what is asked of the rows later. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/catalogue_int.h"

#include "advisor/base/banned.h"

/* A broken file can have thousands of mistakes; after this many they teach nobody anything. */
#define PROBLEMS_MAX 200
#define NAME_MAX_BYTES 64

void catalogue_complain(struct catalogue_reader *l, const char *fmt, ...)
{
    char text[ERR_TEXT_MAX];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    l->n_problems++;
    struct buf line;
    buf_init(&line, l->arena, 1024);
    buf_printf(&line, "%s:%u: [%.*s] %s", l->file, l->line, SPAN_ARG(l->section), text);
    if (l->first->code == E_NONE)
        err_set(l->first, E_SYNTAX, "%s", line.ptr);
    if (l->out == NULL || l->n_problems > PROBLEMS_MAX)
        return;
    buf_add_escaped(l->out, buf_span(&line));
    buf_add_char(l->out, '\n');
}

/* ---- the keys of the variable ---- */

static bool read_unit(struct catalogue_reader *l, struct span text, struct num *ret)
{
    static const struct {
        const char *word;
        uint64_t num, den;
    } units[] = {
        {"us", 1, 1000000}, {"ms", 1, 1000},    {"s", 1, 1},
        {"d", 86400, 1},        {"KiB", 1024, 1},   {"MiB", 1048576, 1}, {"percent", 1, 100},
    };
    for (size_t i = 0; i < ARRAY_LEN(units); i++) {
        if (span_eq_text(text, units[i].word))
            return num_div(num_u64(units[i].num), num_u64(units[i].den), ret) == NUM_OK;
    }
    catalogue_complain(l, "unit '%.*s' is none of us, ms, s, d, KiB, MiB, percent", SPAN_ARG(text));
    return false;
}

static void read_scratch(struct catalogue_reader *l, struct span text, enum scratch *ret)
{
    if (span_eq_text(text, "copy"))
        *ret = SCRATCH_COPY;
    else if (span_eq_text(text, "scale"))
        *ret = SCRATCH_SCALE;
    else if (span_eq_text(text, "no"))
        *ret = SCRATCH_NO;
    else
        catalogue_complain(l, "scratch '%.*s' is none of copy, scale, no", SPAN_ARG(text));
}

static const struct ini_entry *wanted(struct catalogue_reader *l, const struct ini_section *s, const char *key)
{
    const struct ini_entry *e = ini_entry(s, key);
    l->line = e != NULL ? e->line : s->line;
    if (e == NULL || e->value.len == 0) {
        catalogue_complain(l, "'%s' is missing", key);
        return NULL;
    }
    return e;
}

/* What the other keys are read by; false: without it they make no sense. */
static bool read_kind(struct catalogue_reader *l, const struct ini_section *s, struct variable *v)
{
    const struct ini_entry *e = wanted(l, s, "kind");
    if (e == NULL)
        return false;
    if (!kind_from_name(e->value, &v->kind) || v->kind == KIND_VERSION || v->kind == KIND_SET ||
        v->kind == KIND_LIST) {
        catalogue_complain(l, "'%.*s' is no kind that a variable may have", SPAN_ARG(e->value));
        return false;
    }
    e = ini_entry(s, "values");
    l->line = e != NULL ? e->line : s->line;
    if ((v->kind == KIND_ENUM) != (e != NULL && e->value.len > 0)) {
        catalogue_complain(l, "'values' belongs to enums, and every enum has it");
        return false;
    }
    v->values = e != NULL ? span_dup(l->arena, e->value) : NULL;
    v->unit = num_u64(1);
    e = ini_entry(s, "unit");
    if (e == NULL)
        return true;
    l->line = e->line;
    return read_unit(l, e->value, &v->unit);
}

static bool name_ok(struct span name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_')
            return false;
    }
    return name.len > 0 && name.len <= NAME_MAX_BYTES;
}

/* A default outside its own range would be a slip of ours. */
static void check_defaults(struct catalogue_reader *l, const struct variable *v, enum flavour f)
{
    const struct flavour_rows *r = &v->rows[f];
    for (size_t i = 0; i < r->n_defaults; i++) {
        const struct dated_default *d = &r->defaults[i];
        struct version at = d->from.n > 0 ? d->from.at[0] : (struct version){.n = 1};
        struct num min, max, step;
        if (d->automatic || !kind_is_numeric(v->kind) ||
            !variable_range(v, f, &at, &min, &max, &step))
            continue;
        if (num_cmp(d->value.num, min) < 0 || num_cmp(d->value.num, max) > 0)
            catalogue_complain(l, "%s: a default is outside the range", flavour_name(f));
    }
}

static void read_variable(struct catalogue_reader *l, const struct ini_section *s, struct catalogue *c)
{
    l->line = s->line;
    if (!name_ok(s->name)) {
        catalogue_complain(l, "is no name: at most %d of a-z, 0-9, _", NAME_MAX_BYTES);
        return;
    }
    struct variable v = {
        .name = span_dup(l->arena, s->name), .file = l->file, .line = s->line,
    };
    if (!read_kind(l, s, &v))
        return;
    const struct ini_entry *scratch = wanted(l, s, "scratch");
    if (scratch != NULL)
        read_scratch(l, scratch->value, &v.scratch);
    bool any = false;
    for (size_t i = 0; i < s->n_entries; i++) {
        const struct ini_entry *e = &s->entries[i];
        l->line = e->line;
        if (!catalogue_read_key(l, &v, e) && !span_eq_text(e->key, "kind") &&
            !span_eq_text(e->key, "values") && !span_eq_text(e->key, "unit") &&
            !span_eq_text(e->key, "scratch"))
            catalogue_complain(l, "there is no key '%.*s'", SPAN_ARG(e->key));
    }
    for (unsigned f = 0; f < FLAVOURS; f++)
        any = any || v.rows[f].has_life || v.rows[f].has_default;
    l->line = s->line;
    if (!any)
        catalogue_complain(l, "no flavour has it: write FLAVOUR.default or FLAVOUR.life");
    for (unsigned f = 0; f < FLAVOURS; f++)
        check_defaults(l, &v, (enum flavour)f);
    c->variables[c->n++] = v; /* there is room for every section */
}

static int by_name(const void *a, const void *b)
{
    const struct variable *x = a, *y = b;
    int c = strcmp(x->name, y->name);
    if (c == 0)
        c = strcmp(x->file, y->file);
    return c != 0 ? c : (x->line > y->line) - (x->line < y->line);
}

static void check_names(struct catalogue_reader *l, struct catalogue *c)
{
    if (c->n > 0)
        qsort(c->variables, c->n, sizeof(*c->variables), by_name);
    for (size_t i = 1; i < c->n; i++) {
        const struct variable *v = &c->variables[i], *before = &c->variables[i - 1];
        if (strcmp(v->name, before->name) != 0)
            continue;
        l->file = v->file;
        l->line = v->line;
        l->section = span_of(v->name);
        catalogue_complain(l, "stands twice, also in %s:%u", before->file, before->line);
    }
}

static void check_replacements(struct catalogue_reader *l, const struct catalogue *c)
{
    for (size_t i = 0; i < c->n * FLAVOURS; i++) {
        const struct variable *v = &c->variables[i / FLAVOURS];
        const char *name = v->replaced_by[i % FLAVOURS];
        if (name == NULL || catalogue_find(c, span_of(name)) != NULL)
            continue;
        l->file = v->file;
        l->line = v->line;
        l->section = span_of(v->name);
        catalogue_complain(l, "replaced_by: '%s' is not in the catalogue", name);
    }
}

bool catalogue_load(struct arena *a, const struct ini_file *files, size_t n_files,
                    struct catalogue **ret, struct buf *problems, struct err *reterr)
{
    struct err first = ERR_INIT;
    struct catalogue_reader l = {.arena = a, .out = problems, .first = &first};
    struct catalogue *c = arena_calloc(a, 1, sizeof(*c));
    c->arena = a;
    size_t n_sections = 0;
    for (size_t i = 0; i < n_files; i++)
        n_sections += files[i].n_sections;
    c->variables = arena_calloc(a, n_sections, sizeof(*c->variables));
    for (size_t i = 0; i < n_files; i++) {
        l.file = files[i].name;
        for (size_t k = 0; k < files[i].n_sections; k++) {
            const struct ini_section *s = &files[i].sections[k];
            l.section = s->name;
            if (!catalogue_read_about(&l, s, c))
                read_variable(&l, s, c);
        }
    }
    check_names(&l, c);
    check_replacements(&l, c);
    catalogue_check_sources(&l, c);
    if (l.n_problems > 0) {
        *reterr = first;
        return false;
    }
    *ret = c;
    return true;
}
