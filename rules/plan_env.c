/* What names mean while a plan is made: as the engine answers them, and planned values of the rows above.
 * Pure. */
#include <string.h>

#include "rules/engine_int.h"
#include "rules/loader.h"
#include "rules/plan_int.h"

#include "advisor/base/banned.h"

const struct fact *plan_known(struct arena *a, const struct value *v)
{
    struct fact *f = arena_calloc(a, 1, sizeof(*f));
    *f = (struct fact){
        .state = FACT_KNOWN, .value = value_copy(a, v), .reason = "", .remedy = "", .source = "plan",
    };
    return f;
}

const struct fact *plan_unknown(struct arena *a, const char *reason)
{
    struct fact *f = arena_calloc(a, 1, sizeof(*f));
    *f = (struct fact){
        .state = FACT_ABSENT, .reason = reason, .remedy = "", .source = "plan",
    };
    return f;
}

static const struct fact *work_out(struct view *v, const struct setting *s)
{
    struct plan_ctx *p = v->p;
    struct eval_result r = eval(s->formula, &v->env);
    if (r.state != EVAL_KNOWN)
        return plan_unknown(p->a, r.state == EVAL_ERROR ? r.error : "what it rests on is not known");
    struct fact *f = arena_calloc(p->a, 1, sizeof(*f));
    *f = *plan_known(p->a, &r.value);
    struct plan_rests rests = plan_rests_on(p, s->formula, &v->env);
    f->overridden = rests.overridden;
    f->estimated = rests.estimated;
    return f;
}

static const struct fact *resolve(void *ctx, const struct expr_ref *ref,
                                  const struct subject **ret_subject)
{
    struct view *v = ctx;
    const struct setting *s =
        ref->kind == REF_PLAN ? settings_find(v->p->rs, load_bare(ref->name)) : NULL;
    if (s == NULL || s->pure)
        return v->base.resolve(v->base.ctx, ref, ret_subject);
    *ret_subject = NULL;
    if (s->intermediate)
        return work_out(v, s);
    const struct cell *c = &v->p->cells[s - v->p->rs->settings];
    const struct fact *f = v->which == VIEW_ASIDE ? c->aside : c->planned;
    return f != NULL ? f : plan_unknown(v->p->a, "is planned later");
}

static void open_view(struct plan_ctx *p, unsigned i, enum plan_view which,
                      const struct subject *sub)
{
    struct view *v = &p->views[i][which];
    *v = (struct view){.p = p, .which = which};
    v->base = which == VIEW_STRICT ? engine_env(p->rs, p->s, sub, NULL, p->a)
                                   : engine_env_estimated(p->rs, p->s, sub, NULL, p->a);
    v->env = (struct eval_env){.ctx = v, .resolve = resolve, .arena = p->a};
}

void plan_views_open(struct plan_ctx *p)
{
    for (unsigned which = 0; which < VIEWS; which++) {
        if (p->server != NULL)
            open_view(p, 0, (enum plan_view)which, p->server);
        if (p->host != NULL)
            open_view(p, 1, (enum plan_view)which, p->host);
    }
}

const struct eval_env *plan_view(struct plan_ctx *p, const struct setting *s, enum plan_view which)
{
    return &p->views[s->scope == SUBJECT_HOST ? 1 : 0][which].env;
}

bool plan_rests_on_first_step(const struct plan_ctx *p, const struct expr *e)
{
    const struct expr_ref *const *refs;
    size_t n = expr_refs(p->a, e, &refs);
    for (size_t i = 0; i < n; i++) {
        const struct setting *s =
            refs[i]->kind == REF_PLAN ? settings_find(p->rs, load_bare(refs[i]->name)) : NULL;
        if (s == NULL || s->pure)
            continue;
        if (s->intermediate ? plan_rests_on_first_step(p, s->formula)
                            : p->cells[s - p->rs->settings].first_step)
            return true;
    }
    return false;
}

const struct expr *plan_opened(const struct plan_ctx *p, const struct expr *e)
{
    while (e->op == EXPR_NAME && e->ref.kind == REF_PLAN) {
        const struct setting *s = settings_find(p->rs, load_bare(e->ref.name));
        if (s == NULL || !s->intermediate)
            break;
        e = s->formula;
    }
    return e;
}

struct plan_rests plan_rests_on(struct plan_ctx *p, const struct expr *e,
                                const struct eval_env *env)
{
    struct evidence *list = NULL;
    size_t n = 0;
    engine_add_evidence(e, env, p->a, &list, &n);
    return (struct plan_rests){engine_any_overridden(list, n), engine_any_estimated(list, n)};
}
