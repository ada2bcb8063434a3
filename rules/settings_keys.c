/* The keys of one row of rules/settings.ini: owners, formulas, grids, names. Knows nothing of the order of
 * rows. */
#include <string.h>

#include "rules/settings_row.h"

#include "advisor/base/banned.h"


/* ---- texts and expressions of a row ---- */

static const struct expr *read_expr(struct setting_row *r, struct span text, const struct expr_type *want)
{
    return load_expr(r->l, &r->at, span_copy(r->l->arena, text), r->s->scope, want);
}

/* What stands in for an unknown may not decide a setting: hiding a fact would change it. */
static void refuse_fallback(struct setting_row *r, const struct expr *e)
{
    const struct expr_ref *const *refs;
    size_t n = e != NULL ? expr_refs(r->l->arena, e, &refs) : 0;
    for (size_t i = 0; i < n; i++) {
        const struct derived *d =
            refs[i]->kind == REF_FACT ? ruleset_derived(r->l->set, span_of(refs[i]->fact)) : NULL;
        if (d != NULL && d->falls_back)
            problem_add(r->l, &r->at, "'%s' falls back to an estimate: no value may rest on it",
                        refs[i]->name);
    }
}

const struct expr *setting_read_value(struct setting_row *r, struct span text)
{
    const struct expr *e = read_expr(r, text, &r->s->type);
    refuse_fallback(r, e);
    return e;
}

const struct expr *setting_read_name(struct setting_row *r, struct span text, const struct expr_type *want)
{
    const struct expr *e = read_expr(r, text, want);
    if (e != NULL && (e->op != EXPR_NAME || e->ref.kind != REF_FACT)) {
        problem_add(r->l, &r->at, "'%.*s' is not the name of a fact", SPAN_ARG(text));
        return NULL;
    }
    return e;
}

/* ---- owners ---- */

static struct setting_owner *owner_of(struct setting *s, struct span id)
{
    for (size_t i = 0; i < s->n_owners; i++) {
        if (span_eq_text(id, s->owners[i].id))
            return &s->owners[i];
    }
    return NULL;
}

void setting_read_owners(struct setting_row *r, struct span text)
{
    struct span id;
    struct setting *s = r->s;
    while (load_split(&text, &id)) {
        if (owner_of(s, id) != NULL)
            problem_add(r->l, &r->at, "the owner '%.*s' stands twice", SPAN_ARG(id));
        struct setting_owner o = {.id = span_dup(r->l->arena, id)};
        s->owners = arena_grow(r->l->arena, s->owners, s->n_owners * sizeof(o),
                               (s->n_owners + 1) * sizeof(o));
        s->owners[s->n_owners++] = o;
    }
}

enum owner_mark { MARK_RAISES, MARK_LOWERS, MARK_FIRST_STEP };

static void mark_owners(struct setting_row *r, struct span text, enum owner_mark mark)
{
    struct span id;
    while (load_split(&text, &id)) {
        struct setting_owner *o = owner_of(r->s, id);
        if (o == NULL) {
            problem_add(r->l, &r->at, "'%.*s' is none of the owners", SPAN_ARG(id));
            continue;
        }
        if (mark == MARK_RAISES)
            o->raises = true;
        else if (mark == MARK_LOWERS)
            o->lowers = true;
        else
            o->first_step = true;
    }
}

/* ---- grid: "STEP, STEP below VALUE, …" ---- */

static bool read_quantity(struct setting_row *r, struct span word, struct num *ret)
{
    struct value v;
    struct err err = ERR_INIT;
    if (!value_read(r->l->arena, r->s->type.kind, NULL, false, word, &v, &err)) {
        problem_add(r->l, &r->at, "grid: %s", err.text);
        return false;
    }
    *ret = v.num;
    return true;
}

static void read_grid(struct setting_row *r, struct span text)
{
    struct setting *s = r->s;
    struct span piece, step, word, bound;
    if (!s->type.numeric) {
        problem_add(r->l, &r->at, "a grid is for numbers");
        return;
    }
    while (load_split(&text, &piece)) {
        struct setting_grid g = {0};
        if (s->n_grid == SETTING_GRIDS_MAX || !span_word(&piece, &step) ||
            !read_quantity(r, step, &g.step)) {
            problem_add(r->l, &r->at, "a grid is STEP, STEP below VALUE, at most %d of them",
                        SETTING_GRIDS_MAX);
            return;
        }
        bool more = span_word(&piece, &word);
        if (more != (s->n_grid > 0) ||
            (more && (!span_eq_text(word, "below") || !span_word(&piece, &bound) ||
                      !read_quantity(r, bound, &g.below)))) {
            problem_add(r->l, &r->at, "only the entries after the first say 'below VALUE'");
            return;
        }
        if (g.step.neg || num_is_zero(g.step)) {
            problem_add(r->l, &r->at, "a step is more than nothing");
            return;
        }
        s->grid[s->n_grid++] = g;
    }
}

/* ---- names in the option file: "NAME, NAME / DIVISOR, …" ---- */

/* A plan must not rest on one document's word for a name. */
static const char *read_variable_name(struct setting_row *r, struct span name, enum flavour f)
{
    const struct catalogue *c = r->l->set->catalogue;
    const struct variable *v = c != NULL ? catalogue_find(c, name) : NULL;
    if (c != NULL && v == NULL)
        problem_add(r->l, &r->at, "'%.*s' is not in the variable catalogue", SPAN_ARG(name));
    else if (v != NULL && variable_exists(v, f) && variable_n_sources(v, f) < 2)
        problem_add(r->l, &r->at, "what the catalogue says of '%.*s' of %s has one source, two are "
                    "asked for", SPAN_ARG(name), flavour_name(f));
    return span_dup(r->l->arena, name);
}

static void read_names(struct setting_row *r, struct span text, enum flavour f)
{
    struct setting *s = r->s;
    struct span piece;
    while (load_split(&text, &piece)) {
        if (s->n_names[f] == SETTING_NAMES_MAX) {
            problem_add(r->l, &r->at, "more than %d names", SETTING_NAMES_MAX);
            return;
        }
        struct span rest = piece, name;
        if (!span_split(&rest, '/', &name))
            continue;
        struct setting_name n = {.variable = read_variable_name(r, span_trim(name), f)};
        if (span_trim(rest).len > 0)
            n.divisor = read_variable_name(r, span_trim(rest), f);
        s->names[f][s->n_names[f]++] = n;
    }
}

void setting_name_itself(struct setting_row *r)
{
    struct setting *s = r->s;
    bool any = false;
    for (unsigned f = 0; f < FLAVOURS; f++)
        any = any || s->n_names[f] > 0;
    if (any || s->where != WHERE_OPTION_FILE)
        return;
    const struct catalogue *c = r->l->set->catalogue;
    const bool known = c == NULL || catalogue_find(c, span_of(s->name)) != NULL;
    for (unsigned f = 0; f < FLAVOURS; f++) {
        /* a name that is in no row is one mistake, not one a flavour */
        const char *name = known || f == 0
                               ? read_variable_name(r, span_of(s->name), (enum flavour)f)
                               : span_dup(r->l->arena, span_of(s->name));
        s->names[f][0] = (struct setting_name){.variable = name};
        s->n_names[f] = 1;
    }
}

/* ---- keys ---- */

static void read_numbered(struct setting_row *r, struct span text, const struct expr **list, size_t *n)
{
    if (*n == SETTING_STEPS_MAX) {
        problem_add(r->l, &r->at, "more than %d of them", SETTING_STEPS_MAX);
        return;
    }
    /* Estimates are what first steps are for. */
    const struct expr *e = read_expr(r, text, &r->s->type);
    if (e != NULL)
        list[(*n)++] = e;
}

static const char *read_setting_name(struct setting_row *r, struct span text)
{
    if (!settings_has(r->l->set, text))
        problem_add(r->l, &r->at, "there is no setting '%.*s' above this one", SPAN_ARG(text));
    return span_dup(r->l->arena, text);
}

static bool read_owner_key(struct setting_row *r, struct span key, struct span text)
{
    struct span rest = key, word;
    if (!span_split(&rest, '.', &word) || rest.len == 0)
        return false;
    bool target = span_eq_text(word, "target"), comment = span_eq_text(word, "comment");
    if (!target && !comment)
        return false;
    struct setting_owner *o = owner_of(r->s, rest);
    if (o == NULL)
        problem_add(r->l, &r->at, "'%.*s' is none of the owners", SPAN_ARG(rest));
    else if (target)
        o->target = setting_read_value(r, text);
    else
        o->comment_when = load_condition(r->l, &r->at, span_copy(r->l->arena, text), r->s->scope);
    return true;
}

static bool read_write_key(struct setting_row *r, struct span key, struct span text)
{
    struct span rest = key, word;
    enum flavour f;
    if (!span_split(&rest, '.', &word) || !span_eq_text(word, "write") ||
        !flavour_from_name(rest, &f))
        return false;
    read_names(r, text, f);
    return true;
}

/* "after.FACT = formula": the fact is the row's subject's own. */
static void read_effect(struct setting_row *r, struct span fact, struct span text)
{
    struct setting *s = r->s;
    if (s->n_effects == SETTING_EFFECTS_MAX) {
        problem_add(r->l, &r->at, "more than %d effects", SETTING_EFFECTS_MAX);
        return;
    }
    const struct expr *name = setting_read_name(r, fact, NULL);
    if (name == NULL)
        return;
    if (name->ref.role != 0 || name->ref.decl->subject != s->scope) {
        problem_add(r->l, &r->at, "'%.*s' is no fact of the row's own subject", SPAN_ARG(fact));
        return;
    }
    const struct expr *e = read_expr(r, text, &name->type);
    refuse_fallback(r, e);
    if (e != NULL)
        s->effects[s->n_effects++] = (struct setting_effect){name->ref.fact, e};
}

static bool read_apart_key(struct setting_row *r, struct span key, struct span text)
{
    struct setting *s = r->s;
    if (span_starts(key, "after."))
        read_effect(r, span_sub(key, 6, key.len), text);
    else if (span_eq_text(key, "unmeasured"))
        s->unmeasured = setting_read_value(r, text);
    else if (span_eq_text(key, "first_step_moves") && span_eq_text(text, "any"))
        s->first_step_any_way = true;
    else
        return false;
    return true;
}

static bool read_simple_key(struct setting_row *r, struct span key, struct span text)
{
    struct setting *s = r->s;
    if (span_eq_text(key, "raises"))
        mark_owners(r, text, MARK_RAISES);
    else if (span_eq_text(key, "lowers"))
        mark_owners(r, text, MARK_LOWERS);
    else if (span_eq_text(key, "first_step_owners"))
        mark_owners(r, text, MARK_FIRST_STEP);
    else if (span_eq_text(key, "first_step_note"))
        s->first_step_note = span_dup(r->l->arena, text);
    else if (span_starts(key, "first_step_open."))
        read_numbered(r, text, s->first_step_open, &s->n_first_step_open);
    else if (span_starts(key, "first_step."))
        read_numbered(r, text, s->first_step, &s->n_first_step);
    else if (span_eq_text(key, "first_step_above"))
        s->first_step_above = setting_read_value(r, text);
    else if (span_eq_text(key, "align"))
        s->align = setting_read_value(r, text);
    else if (span_eq_text(key, "grows_on"))
        s->grows_on = setting_read_name(r, text, &s->type);
    else if (span_eq_text(key, "follows"))
        s->follows = read_setting_name(r, text);
    else if (span_eq_text(key, "set_before"))
        s->set_before = read_setting_name(r, text);
    else if (span_eq_text(key, "grid"))
        read_grid(r, text);
    else
        return false;
    return true;
}

static bool read_condition_key(struct setting_row *r, struct span key, struct span text)
{
    struct setting *s = r->s;
    const struct expr **to = NULL;
    if (span_eq_text(key, "applies"))
        to = &s->applies;
    else if (span_eq_text(key, "first_step_when"))
        to = &s->first_step_when;
    else if (span_eq_text(key, "follows_when"))
        to = &s->follows_when;
    else if (span_eq_text(key, "same_when"))
        to = &s->same_when;
    else if (span_eq_text(key, "restart_when"))
        to = &s->restart_when;
    else if (span_eq_text(key, "keep"))
        to = &s->keep;
    else
        return false;
    *to = load_condition(r->l, &r->at, span_copy(r->l->arena, text), s->scope);
    return true;
}

/* Keys that were read in an earlier pass, or by somebody else. */
static bool is_read_apart(struct span key, bool intermediate)
{
    static const char *const both[] = {"kind", "meaning"};
    static const char *const settings[] = {"scope", "where", "owners", "target", "in_force"};
    for (size_t i = 0; i < ARRAY_LEN(both); i++) {
        if (span_eq_text(key, both[i]))
            return true;
    }
    for (size_t i = 0; i < ARRAY_LEN(settings) && !intermediate; i++) {
        if (span_eq_text(key, settings[i]))
            return true;
    }
    return span_starts(key, "param.") || (intermediate && span_eq_text(key, "formula"));
}

void setting_read_keys(struct setting_row *r)
{
    for (size_t i = 0; i < r->section->n_entries; i++) {
        const struct ini_entry *e = &r->section->entries[i];
        r->at.line = e->line;
        if (is_read_apart(e->key, r->s->intermediate))
            continue;
        if (r->s->intermediate ||
            (!read_owner_key(r, e->key, e->value) && !read_write_key(r, e->key, e->value) &&
             !read_condition_key(r, e->key, e->value) && !read_apart_key(r, e->key, e->value) &&
             !read_simple_key(r, e->key, e->value)))
            problem_add(r->l, &r->at, "there is no key '%.*s' here", SPAN_ARG(e->key));
    }
}
