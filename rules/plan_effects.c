/* What a planned line changes beside its own value, and what a formula waits for. Pure. Knows nothing of how a
 * value is chosen or written. */
#include "rules/loader.h"
#include "rules/plan_int.h"

#include "advisor/base/banned.h"

void plan_effects(struct plan_ctx *p, const struct setting *s)
{
    const struct cell *c = &p->cells[s - p->rs->settings];
    if (c->line == 0 || s->n_effects == 0)
        return;
    struct plan_line *line = &p->plan->lines[c->line - 1];
    line->effects = arena_calloc(p->a, s->n_effects, sizeof(*line->effects));
    for (size_t i = 0; i < s->n_effects; i++) {
        struct eval_result r = eval(s->effects[i].value, plan_view(p, s, VIEW_STRICT));
        if (r.state == EVAL_KNOWN)
            line->effects[line->n_effects++] = (struct plan_effect){s->effects[i].fact, r.value};
    }
}

bool plan_waits_for_measure(struct plan_ctx *p, const struct expr *e, const struct eval_env *env)
{
    const struct eval_input *missing;
    size_t n = eval_blockers(e, env, &missing);
    for (size_t i = 0; i < n; i++) {
        const struct expr_ref *ref = missing[i].ref;
        const struct setting *s =
            ref->kind == REF_PLAN ? settings_find(p->rs, load_bare(ref->name)) : NULL;
        enum fact_state state = missing[i].fact->state;
        bool waits = s != NULL && s->intermediate
                         ? plan_waits_for_measure(p, s->formula, env)
                         : state == FACT_NOT_MEASURED || state == FACT_STALE || state == FACT_UNSTABLE;
        if (!waits)
            return false;
    }
    return n > 0;
}
