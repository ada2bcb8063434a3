/* rules/derived.ini: declarations and formulas of computed facts, put in the order in which they can be
 * computed. Knows no store. */
#include "rules/derived.h"

#include <string.h>

#include "rules/loader.h"

#include "advisor/base/banned.h"

/* Bounds the recursion of visit(). */
#define DERIVED_MAX 1000

static bool read_fold(struct loader *l, const struct where *w, struct span text, enum fold *ret)
{
    static const char *const names[] = {
        [FOLD_SAME] = "same", [FOLD_ALL] = "all", [FOLD_ANY] = "any",
        [FOLD_MIN] = "min",   [FOLD_MAX] = "max", [FOLD_SUM] = "sum",
    };
    for (unsigned i = 0; i < ARRAY_LEN(names); i++) {
        if (span_eq_text(text, names[i])) {
            *ret = (enum fold)i;
            return true;
        }
    }
    problem_add(l, w, "'%.*s' is none of same, all, any, min, max, sum", SPAN_ARG(text));
    return false;
}

static const char *entry_text(struct loader *l, const struct ini_section *s, const char *key)
{
    const struct ini_entry *e = ini_entry(s, key);
    return e != NULL && e->value.len > 0 ? span_dup(l->arena, e->value) : NULL;
}

static void check_keys(struct loader *l, const char *file, const struct ini_section *s)
{
    static const char *const known[] = {
        "scope", "kind", "formula", "meaning", "fold", "of", "model", "applies", "join",
        "values", "needs", "twin", "otherwise", "otherwise_when", "over",
    };
    for (size_t i = 0; i < s->n_entries; i++) {
        bool ok = span_starts(s->entries[i].key, "param.");
        for (size_t k = 0; k < ARRAY_LEN(known) && !ok; k++)
            ok = span_eq_text(s->entries[i].key, known[k]);
        struct where w = {file, s->entries[i].line, s->name};
        if (!ok)
            problem_add(l, &w, "unknown key '%.*s'", SPAN_ARG(s->entries[i].key));
    }
}

/* The declaration part of one section; false: a problem was told. */
static bool read_decl(struct loader *l, const struct where *w, const struct ini_section *s,
                      struct derived *d)
{
    static const char *const required[] = {"scope", "kind", "meaning"};
    for (size_t i = 0; i < ARRAY_LEN(required); i++) {
        if (entry_text(l, s, required[i]) == NULL) {
            problem_add(l, w, "no '%s'", required[i]);
            return false;
        }
    }
    d->decl.name = span_dup(l->arena, s->name);
    d->decl.meaning = entry_text(l, s, "meaning");
    d->decl.allowed = entry_text(l, s, "values");
    d->decl.privilege = "";
    d->model = entry_text(l, s, "model");
    d->twin = entry_text(l, s, "twin");
    d->over = entry_text(l, s, "over");
    if (!load_scope(l, w, ini_entry(s, "scope")->value, &d->decl.subject))
        return false;
    struct span kind = ini_entry(s, "kind")->value;
    if (!kind_from_name(kind, &d->decl.kind)) {
        problem_add(l, w, "'%.*s' is no kind", SPAN_ARG(kind));
        return false;
    }
    const struct ini_entry *e = ini_entry(s, "join");
    if (e != NULL && !read_fold(l, w, e->value, &d->decl.fold))
        return false;
    e = ini_entry(s, "fold");
    if (e != NULL) {
        d->folded = true;
        if (!read_fold(l, w, e->value, &d->fold))
            return false;
        if (ini_entry(s, "join") == NULL)
            d->decl.fold = d->fold;
    }
    e = ini_entry(s, "needs");
    if (e != NULL)
        d->decl.needs = load_needs(l, w, e->value);
    return true;
}

/* Declared by a probe as well: kinds must agree, and the probe's row stays. */
static bool declare(struct loader *l, const struct where *w, struct derived *d)
{
    const struct fact_decl *old = decl_find(l->decls, span_of(d->decl.name), false);
    if (old != NULL) {
        if (old->kind == d->decl.kind && old->subject == d->decl.subject) {
            d->decl = *old;
            return true;
        }
        problem_add(l, w, "a probe declares it as %s of %s", kind_name(old->kind),
                    subject_kind_name(old->subject));
        return false;
    }
    struct err err = ERR_INIT;
    if (decl_set_add(l->decls, &d->decl, 1, &err))
        return true;
    problem_add(l, w, "%s", err.text);
    return false;
}

void load_derived_decls(struct loader *l, const struct ini_file *f)
{
    struct ruleset *rs = l->set;
    if (f->n_sections > DERIVED_MAX) {
        struct where top = {f->name, 1, {NULL, 0}};
        problem_add(l, &top, "more than %d derived facts", DERIVED_MAX);
        return;
    }
    l->derived = arena_calloc(l->arena, f->n_sections, sizeof(*l->derived));
    rs->derived = l->derived;
    for (size_t i = 0; i < f->n_sections; i++) {
        const struct ini_section *s = &f->sections[i];
        struct where w = {f->name, s->line, s->name};
        struct derived *d = &l->derived[rs->n_derived];
        check_keys(l, f->name, s);
        d->line = s->line;
        if (!read_decl(l, &w, s, d))
            continue;
        const struct ini_entry *e = ini_entry(s, d->folded ? "of" : "formula");
        if (e == NULL) {
            problem_add(l, &w, "no '%s'", d->folded ? "of" : "formula");
            continue;
        }
        d->text = span_copy(l->arena, e->value);
        d->decl.read_from = arena_printf(l->arena, "computed: %.*s", SPAN_ARG(d->text));
        if (declare(l, &w, d))
            rs->n_derived++;
    }
}

static bool has_prefix(const char *name, const char *prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

static const struct expr *optional(struct loader *l, const struct where *at,
                                   const struct ini_section *s, const char *key,
                                   enum subject_kind scope, const struct expr_type *want)
{
    const struct ini_entry *e = ini_entry(s, key);
    if (e == NULL)
        return NULL;
    struct where w = *at;
    w.line = e->line;
    return load_expr(l, &w, e->value, scope, want);
}

static bool find_derived(const struct ruleset *rs, const char *fact, size_t *ret)
{
    for (size_t i = 0; i < rs->n_derived; i++) {
        if (strcmp(rs->derived[i].decl.name, fact) == 0) {
            *ret = i;
            return true;
        }
    }
    return false;
}

/* Computed before all that is derived, so a probe's. */
static void check_over(struct loader *l, const struct where *w, const struct derived *d)
{
    size_t derived = 0;
    const struct fact_decl *const set = d->over == NULL ? NULL : decl_find(l->decls, span_of(d->over), false);
    if (d->over != NULL && !d->folded)
        problem_add(l, w, "'over' without 'fold'");
    if (d->over != NULL && (set == NULL || set->subject != SUBJECT_VOLUME ||
                            (set->kind != KIND_SET && set->kind != KIND_LIST) ||
                            find_derived(l->set, d->over, &derived)))
        problem_add(l, w, "over: '%s' is no set of devices that a probe finds for a volume", d->over);
}

static void read_formulas(struct loader *l, const struct where *w, const struct ini_section *s,
                          struct derived *d)
{
    static const struct expr_type boolean = {.kind = KIND_BOOL};
    struct expr_type want = {
        .kind = d->decl.kind,
        .dim = kind_dim(d->decl.kind),
        .numeric = kind_is_numeric(d->decl.kind),
        .allowed = d->decl.allowed,
    };
    enum subject_kind scope = d->decl.subject;
    d->formula = optional(l, w, s, d->folded ? "of" : "formula", scope, &want);
    d->applies = optional(l, w, s, "applies", scope, &boolean);
    d->otherwise = optional(l, w, s, "otherwise", scope, &want);
    d->otherwise_when = optional(l, w, s, "otherwise_when", scope, &boolean);
    if (d->folded && scope != SUBJECT_VOLUME)
        problem_add(l, w, "'fold' is over the devices of a volume: scope must be volume");
    check_over(l, w, d);
    if (has_prefix(d->decl.name, "est.") != (d->model != NULL))
        problem_add(l, w, "est.* facts name their model, and no others have one");
    if (d->model == NULL && (d->twin != NULL || d->otherwise != NULL))
        problem_add(l, w, "only estimates have 'twin' or 'otherwise'");
    if (d->twin != NULL && decl_find(l->decls, span_of(d->twin), false) == NULL)
        problem_add(l, w, "twin: '%s' is not declared", d->twin);
    if (d->otherwise_when != NULL && d->otherwise == NULL)
        problem_add(l, w, "'otherwise_when' without 'otherwise'");
}

/* ---- order ---- */

enum mark { MARK_NEW, MARK_OPEN, MARK_DONE };

struct order {
    struct loader *l;
    const char *file;
    enum mark *marks;
    size_t *out;
    size_t n_out;
    bool cycle_told;
};

static void visit(struct order *o, size_t i);

static void visit_expr(struct order *o, struct derived *d, const struct expr *e)
{
    if (e == NULL)
        return;
    const struct expr_ref *const *refs;
    size_t n = expr_refs(o->l->arena, e, &refs), below;
    for (size_t k = 0; k < n; k++) {
        if (refs[k]->kind == REF_PLAN) {
            struct where w = {o->file, d->line, span_of(d->decl.name)};
            problem_add(o->l, &w, "a derived fact may not name %s: plans rest on facts",
                        refs[k]->name);
        }
        if (refs[k]->kind != REF_FACT || !find_derived(o->l->set, refs[k]->fact, &below))
            continue;
        visit(o, below);
        d->falls_back = d->falls_back || o->l->derived[below].falls_back;
    }
}

/* Depth first; the depth is bounded by DERIVED_MAX. */
static void visit(struct order *o, size_t i)
{
    struct derived *d = &o->l->derived[i];
    if (o->marks[i] == MARK_DONE)
        return;
    if (o->marks[i] == MARK_OPEN) {
        struct where w = {o->file, d->line, span_of(d->decl.name)};
        if (!o->cycle_told)
            problem_add(o->l, &w, "a cycle: the fact rests on itself");
        o->cycle_told = true;
        return;
    }
    o->marks[i] = MARK_OPEN;
    d->falls_back = d->otherwise != NULL;
    visit_expr(o, d, d->formula);
    visit_expr(o, d, d->applies);
    visit_expr(o, d, d->otherwise);
    visit_expr(o, d, d->otherwise_when);
    o->marks[i] = MARK_DONE;
    o->out[o->n_out++] = i;
}

static void sort_derived(struct loader *l, const char *file)
{
    struct ruleset *rs = l->set;
    size_t n = rs->n_derived;
    struct order o = {
        .l = l,
        .file = file,
        .marks = arena_calloc(l->arena, n, sizeof(enum mark)),
        .out = arena_calloc(l->arena, n, sizeof(size_t)),
    };
    for (size_t i = 0; i < n; i++)
        visit(&o, i);
    struct derived *sorted = arena_calloc(l->arena, n, sizeof(*sorted));
    for (size_t i = 0; i < o.n_out; i++)
        sorted[i] = l->derived[o.out[i]];
    l->derived = sorted;
    rs->derived = sorted;
}

void load_derived_formulas(struct loader *l, const struct ini_file *f)
{
    struct ruleset *rs = l->set;
    for (size_t i = 0; i < rs->n_derived; i++) {
        struct derived *d = &l->derived[i];
        const struct ini_section *s = ini_section(f, d->decl.name);
        struct where w = {f->name, d->line, span_of(d->decl.name)};
        if (s != NULL)
            read_formulas(l, &w, s, d);
    }
    sort_derived(l, f->name);
}
