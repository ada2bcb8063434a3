/* What only the whole set can tell: ids and aliases, settings and their owners, rules that can never
 * speak, parameters that nobody reads. */
#include <stdlib.h>
#include <string.h>

#include "rules/loader.h"
#include "rules/settings.h"

#include "advisor/base/banned.h"

/* Plan values rest on earlier ones; more levels than this nobody reads. */
#define PLAN_DEPTH_MAX 16

static struct where at(const struct rule *r)
{
    return (struct where){r->file, r->line, span_of(r->id)};
}

static int by_id(const void *a, const void *b)
{
    const struct rule *x = a, *y = b;
    int c = strcmp(x->id, y->id);
    if (c == 0)
        c = strcmp(x->file, y->file);
    return c != 0 ? c : (x->line > y->line) - (x->line < y->line);
}

static void check_ids(struct loader *l)
{
    const struct ruleset *rs = l->set;
    for (size_t i = 0; i < rs->n_rules; i++) {
        const struct rule *r = &rs->rules[i];
        struct where w = at(r);
        if (i > 0 && strcmp(r->id, rs->rules[i - 1].id) == 0)
            problem_add(l, &w, "the id is taken, by %s:%u", rs->rules[i - 1].file,
                        rs->rules[i - 1].line);
        for (size_t k = 0; k < r->n_see; k++) {
            if (ruleset_find(rs, r->see[k]) == NULL)
                problem_add(l, &w, "see: there is no rule '%s'", r->see[k]);
        }
        if (r->alias_of == NULL)
            continue;
        const struct rule *to = ruleset_find(rs, r->alias_of);
        if (to == NULL)
            problem_add(l, &w, "alias of '%s', which is not there", r->alias_of);
        else if (to->alias_of != NULL || strcmp(to->id, r->alias_of) != 0)
            problem_add(l, &w, "alias of '%s', which is an alias itself", r->alias_of);
    }
}

static bool constant(struct loader *l, const struct expr *e)
{
    const struct expr_ref *const *refs;
    size_t n = expr_refs(l->arena, e, &refs), facts = 0;
    for (size_t i = 0; i < n; i++)
        facts += refs[i]->kind != REF_PARAM;
    return facts == 0;
}

/* A condition may not rest on a fact that turns "not measured" into an answer, nor on a planned value
 * that depends on verdicts; plan values are opened (each rests on earlier ones only). */
static void check_sound(struct loader *l, const struct rule *r, const struct expr *e, unsigned depth)
{
    if (e == NULL || depth > PLAN_DEPTH_MAX)
        return;
    struct where w = at(r);
    const struct expr_ref *const *refs;
    size_t n = expr_refs(l->arena, e, &refs);
    for (size_t i = 0; i < n; i++) {
        const struct derived *d =
            refs[i]->kind == REF_FACT ? ruleset_derived(l->set, span_of(refs[i]->fact)) : NULL;
        if (d != NULL && d->falls_back)
            problem_add(l, &w, "'%s' falls back to an estimate: no condition may rest on it",
                        refs[i]->name);
        if (refs[i]->kind != REF_PLAN)
            continue;
        const struct expr *pure = settings_pure(l->set, load_bare(refs[i]->name));
        if (r->scope != SUBJECT_SERVER)
            problem_add(l, &w, "'%s': only server rules may name plan values", refs[i]->name);
        if (pure == NULL)
            problem_add(l, &w, "'%s' depends on verdicts: conditions rest on facts",
                        refs[i]->name);
        check_sound(l, r, pure, depth + 1);
    }
}

static void check_conditions(struct loader *l, const struct rule *r)
{
    struct where w = at(r);
    if (r->fails != NULL && constant(l, r->fails))
        problem_add(l, &w, "'fails' names no fact: a dead rule");
    if (r->applies != NULL && constant(l, r->applies))
        problem_add(l, &w, "'applies' names no fact: leave it out, or the rule");
    if (r->applies != NULL && span_eq(r->applies_text, r->fails_text))
        problem_add(l, &w, "'applies' and 'fails' are the same: it can never pass");
    check_sound(l, r, r->applies, 0);
    check_sound(l, r, r->fails, 0);
    for (size_t i = 0; i < r->n_steps; i++) {
        const struct severity_step *step = &r->steps[i];
        if (step->when != NULL && constant(l, step->when))
            problem_add(l, &w, "the step '%s when %.*s' names no fact", severity_name(step->level),
                        SPAN_ARG(step->when_text));
        check_sound(l, r, step->when, 0);
        if (step->when == NULL && i > 0 && r->steps[i - 1].level == step->level)
            problem_add(l, &w, "the last two steps have the same level");
    }
}

static void check_settings(struct loader *l, const struct rule *r)
{
    struct where w = at(r);
    for (size_t i = 0; i < r->n_sets; i++) {
        if (!settings_has(l->set, span_of(r->sets[i])))
            problem_add(l, &w, "sets '%s', which no section of the settings describes", r->sets[i]);
        else if (!settings_owned_by(l->set, span_of(r->sets[i]), span_of(r->id)))
            problem_add(l, &w, "sets '%s', whose owners do not name this rule", r->sets[i]);
    }
}

static void check_params(struct loader *l)
{
    const struct ruleset *rs = l->set;
    for (size_t i = 0; i < rs->n_params; i++) {
        const struct param *p = &rs->params[i];
        const struct rule *r = ruleset_find(rs, p->rule);
        if (r == NULL)
            continue; /* of the settings or of derived facts */
        const char *used = arena_printf(l->arena, " param.%s ", p->name);
        const char *bare = arena_printf(l->arena, " %s ", p->name);
        struct where w = at(r);
        if (strstr(l->used_params.ptr, used) == NULL && strstr(l->used_params.ptr, bare) == NULL)
            problem_add(l, &w, "param.%s: no expression names it", p->name);
    }
}

void load_cross_checks(struct loader *l, bool all)
{
    struct ruleset *rs = l->set;
    if (rs->n_rules > 0)
        qsort(l->rules, rs->n_rules, sizeof(*l->rules), by_id);
    check_ids(l);
    for (size_t i = 0; all && i < rs->n_rules; i++) {
        const struct rule *r = &rs->rules[i];
        if (r->alias_of != NULL || r->retired != NULL)
            continue;
        check_conditions(l, r);
        check_settings(l, r);
    }
    if (all)
        check_params(l);
}
