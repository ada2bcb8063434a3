/* One row of the spreadsheet: the first of its owners that fails sets the value; a first step, a comment, a
 * row that goes with another. Pure. Knows nothing of how a value is written. */
#include "rules/plan_int.h"

#include "advisor/base/banned.h"

/* ---- owners ---- */

enum owner_state { OWNER_FINE, OWNER_FAILS, OWNER_OPEN };

static const struct finding *finding_of(const struct plan_ctx *p, const struct setting *s,
                                        const char *rule)
{
    const struct rule *r = ruleset_find(p->rs, rule);
    const struct subject *sub = s->scope == SUBJECT_HOST ? p->host : p->server;
    for (size_t i = 0; r != NULL && i < p->findings->n; i++) {
        const struct finding *f = &p->findings->items[i];
        if (f->rule == r && f->subject == sub)
            return f;
    }
    return NULL;
}

/* A rule that is not there yet counts as not measured; what is waived the site wants as it is. */
static enum owner_state state_of(const struct finding *f)
{
    if (f == NULL)
        return OWNER_OPEN;
    if (f->waiver != NULL || f->verdict == VERDICT_PASS || f->verdict == VERDICT_NOT_APPLICABLE)
        return OWNER_FINE;
    return f->verdict == VERDICT_FAIL ? OWNER_FAILS : OWNER_OPEN;
}

/* ---- one row ---- */

struct work {
    struct plan_ctx *p;
    const struct setting *s;
    struct cell *cell;
    enum owner_state *states;
    const struct finding **findings;
    const struct fact *in_force;
    struct choice active; /* the setting or first step, when `has_active` */
    bool has_active;
    bool settled; /* a failing owner has spoken, if only to leave the value as it is */
};

static bool known(const struct fact *f)
{
    return f != NULL && f->state == FACT_KNOWN;
}

static int compare(const struct work *w, const struct value *v)
{
    return num_cmp(v->num, w->in_force->value.num);
}

static enum tri condition(const struct expr *e, const struct eval_env *env)
{
    struct eval_result r = eval(e, env);
    if (r.state != EVAL_KNOWN)
        return TRI_UNKNOWN;
    return r.value.boolean ? TRI_TRUE : TRI_FALSE;
}

/* The largest multiple of `step` that is not above; the same when it cannot be worked. */
static struct num down_to(struct num n, struct num step)
{
    struct num q;
    if (num_is_zero(step) || n.tag == NUM_UNLIMITED || num_div(n, step, &q) != NUM_OK ||
        num_floor(q, &q) != NUM_OK || num_mul(q, step, &q) != NUM_OK)
        return n;
    return q;
}

static void put_on_grid(const struct work *w, struct value *v)
{
    const struct setting *s = w->s;
    struct num step = num_u64(0);
    for (size_t i = 0; i < s->n_grid; i++) {
        if (i == 0 || num_cmp(v->num, s->grid[i].below) < 0)
            step = s->grid[i].step;
    }
    v->num = down_to(v->num, step);
    if (s->align == NULL)
        return;
    struct eval_result r = eval(s->align, plan_view(w->p, s, VIEW_STRICT));
    if (r.state == EVAL_KNOWN)
        v->num = down_to(v->num, r.value.num);
}

static bool work_out(const struct work *w, const struct expr *e, enum plan_view view,
                     struct value *ret)
{
    if (e == NULL)
        return false;
    struct eval_result r = eval(e, plan_view(w->p, w->s, view));
    if (r.state != EVAL_KNOWN)
        return false;
    *ret = r.value;
    if (w->s->type.numeric)
        put_on_grid(w, ret);
    return true;
}

/* Is it another value than the one in force, on the side that is asked for? */
static bool is_change(const struct work *w, const struct value *v, bool raises, bool lowers)
{
    if (!known(w->in_force))
        return !raises && !lowers;
    if (!w->s->type.numeric)
        return !value_eq(v, &w->in_force->value);
    int c = compare(w, v);
    return c != 0 && !(raises && c < 0) && !(lowers && c > 0);
}

static const char *settled_by(const struct work *w, size_t owner)
{
    struct buf b;
    buf_init(&b, w->p->a, 1024);
    for (size_t i = owner + 1; i < w->s->n_owners; i++) {
        if (w->states[i] == OWNER_FAILS)
            buf_printf(&b, "%s%s", b.len > 0 ? ", " : "", w->s->owners[i].id);
    }
    return b.ptr != NULL ? b.ptr : "";
}

static struct choice choose(const struct work *w, size_t owner, enum line_kind line,
                            const struct expr *formula, enum plan_view view, struct value value)
{
    const struct finding *f = w->findings[owner];
    struct plan_rests rests = plan_rests_on(w->p, formula, plan_view(w->p, w->s, view));
    return (struct choice){
        .setting = w->s,
        .line = line,
        .value = value,
        .formula = formula,
        .view = view,
        .rule = w->s->owners[owner].id,
        .settles = settled_by(w, owner),
        .risk = f != NULL && f->rule->risk != NULL ? f->rule->risk : "",
        .in_force = w->in_force,
        .overridden = rests.overridden || (f != NULL && f->overridden),
        .unmeasured = formula == w->s->unmeasured,
    };
}

/* Would the server not keep its value without a line? */
static bool is_lost_without(const struct work *w)
{
    return w->s->same_when != NULL &&
           condition(w->s->same_when, plan_view(w->p, w->s, VIEW_STRICT)) == TRI_TRUE;
}

static void speak(struct work *w, struct choice c, bool raises, bool lowers)
{
    w->settled = true;
    bool only_up = raises || (c.line == LINE_FIRST_STEP && !w->s->first_step_any_way);
    if (!is_change(w, &c.value, only_up && !lowers, lowers) && !is_lost_without(w))
        return;
    w->active = c;
    w->has_active = true;
}

/* The first formula of the list that is known: with fewer facts a smaller step, never a larger. */
static const struct expr *first_known(const struct work *w, const struct expr *const *list,
                                      size_t n, enum plan_view view, struct value *ret)
{
    for (size_t i = 0; i < n; i++) {
        if (work_out(w, list[i], view, ret))
            return list[i];
    }
    return NULL;
}

static bool is_enough(const struct work *w, const struct value *v)
{
    if (w->s->first_step_above == NULL)
        return true;
    struct eval_result r = eval(w->s->first_step_above, plan_view(w->p, w->s, VIEW_STRICT));
    return r.state == EVAL_KNOWN && num_cmp(v->num, r.value.num) > 0;
}

static bool try_first_step(struct work *w, size_t owner)
{
    struct value v;
    const struct expr *e =
        first_known(w, w->s->first_step, w->s->n_first_step, VIEW_ESTIMATED, &v);
    if (e == NULL)
        return false;
    w->settled = true;
    if (is_enough(w, &v))
        speak(w, choose(w, owner, LINE_FIRST_STEP, e, VIEW_ESTIMATED, v), true, false);
    return true;
}

/* The target, or what stands in for one that only waits for a measurement; NULL: neither is known. */
static const struct expr *target_of(const struct work *w, const struct expr *target,
                                    enum plan_view view, struct value *ret)
{
    if (work_out(w, target, view, ret))
        return target;
    const struct setting *s = w->s;
    if (s->unmeasured == NULL ||
        !plan_waits_for_measure(w->p, target, plan_view(w->p, s, view)) ||
        !work_out(w, s->unmeasured, view, ret))
        return NULL;
    return s->unmeasured;
}

static bool try_target(struct work *w, size_t owner)
{
    const struct setting_owner *o = &w->s->owners[owner];
    struct value v;
    const struct expr *e = target_of(w, o->target, VIEW_STRICT, &v);
    if (e == NULL)
        return false;
    enum line_kind line = LINE_SETTING;
    bool small = o->raises && w->s->first_step_when != NULL &&
                 condition(w->s->first_step_when, plan_view(w->p, w->s, VIEW_STRICT)) != TRI_FALSE;
    if (small || plan_rests_on_first_step(w->p, e))
        line = LINE_FIRST_STEP;
    speak(w, choose(w, owner, line, e, VIEW_STRICT, v), o->raises, o->lowers);
    return true;
}

/* The owners in order. One that is undecided holds back only those that would set another value; a first
 * step is held back by nobody. */
static void ask_owners(struct work *w)
{
    const struct setting *s = w->s;
    const struct expr *held = NULL;
    bool other_held = false;
    for (size_t i = 0; i < s->n_owners && !w->settled; i++) {
        const struct setting_owner *o = &s->owners[i];
        if (w->states[i] == OWNER_FINE)
            continue;
        if (w->states[i] == OWNER_FAILS) {
            bool free = held == NULL || (held == o->target && !other_held);
            if (o->first_step ? try_first_step(w, i) : free && try_target(w, i))
                return;
        }
        if (o->first_step)
            continue;
        other_held = other_held || (held != NULL && held != o->target);
        held = o->target;
    }
}

/* A row whose value goes with another row's. */
static void follow(struct work *w)
{
    const struct setting *s = w->s;
    if (s->follows == NULL || w->has_active)
        return;
    const struct setting *lead = settings_find(w->p->rs, span_of(s->follows));
    const struct cell *c = &w->p->cells[lead - w->p->rs->settings];
    if (c->line == 0)
        return;
    if (s->follows_when != NULL &&
        condition(s->follows_when, plan_view(w->p, s, VIEW_STRICT)) != TRI_TRUE)
        return;
    const struct plan_line *line = &w->p->plan->lines[c->line - 1];
    enum plan_view view = line->line == LINE_FIRST_STEP ? VIEW_ESTIMATED : VIEW_STRICT;
    struct value v;
    const struct expr *e = target_of(w, s->target, view, &v);
    if (e == NULL)
        return;
    struct choice follower = choose(w, 0, line->line, e, view, v);
    follower.rule = line->rule;
    follower.settles = "";
    follower.risk = line->risk;
    follower.overridden = follower.overridden || line->overridden;
    speak(w, follower, false, false);
}

/* Would the undecided rule fail, by the estimates? */
static bool would_fail(const struct work *w, size_t owner)
{
    const struct setting_owner *o = &w->s->owners[owner];
    const struct rule *r = ruleset_find(w->p->rs, o->id);
    const struct eval_env *env = plan_view(w->p, w->s, VIEW_ASIDE);
    if (r == NULL)
        return o->comment_when != NULL && condition(o->comment_when, env) == TRI_TRUE;
    return (r->applies == NULL || condition(r->applies, env) == TRI_TRUE) &&
           condition(r->fails, env) == TRI_TRUE;
}

static bool is_first_to_fail(const struct work *w, size_t owner)
{
    for (size_t i = 0; i < owner; i++) {
        if (w->states[i] == OWNER_FAILS)
            return false;
    }
    return true;
}

/* What an undecided owner would ask for, only upward: an estimate is a lower bound. Or what one that fails
 * asks for, where that rests on an undecided row above. */
static bool comment_of(const struct work *w, size_t owner, struct choice *ret)
{
    const struct setting_owner *o = &w->s->owners[owner];
    struct value v;
    bool open = w->states[owner] == OWNER_OPEN && would_fail(w, owner);
    bool stuck = w->states[owner] == OWNER_FAILS && !w->settled && !o->first_step &&
                 is_first_to_fail(w, owner);
    if ((!stuck && !(open && o->raises)) || !work_out(w, o->target, VIEW_ASIDE, &v) ||
        !is_change(w, &v, o->raises, o->lowers) || !is_enough(w, &v))
        return false;
    if (w->has_active && num_cmp(v.num, w->active.value.num) <= 0)
        return false;
    *ret = choose(w, owner, LINE_COMMENT, o->target, VIEW_ASIDE, v);
    return true;
}

/* A first step that waits for a bound: shown without it, never active. */
static bool comment_unbounded(const struct work *w, size_t owner, struct choice *ret)
{
    struct value v;
    if (w->states[owner] != OWNER_FAILS || !w->s->owners[owner].first_step || w->settled)
        return false;
    const struct expr *e =
        first_known(w, w->s->first_step_open, w->s->n_first_step_open, VIEW_ASIDE, &v);
    if (e == NULL || !is_change(w, &v, true, false))
        return false;
    *ret = choose(w, owner, LINE_COMMENT, e, VIEW_ASIDE, v);
    return true;
}

static void comment(struct work *w)
{
    struct choice c;
    for (size_t i = 0; i < w->s->n_owners; i++) {
        if (comment_of(w, i, &c) || comment_unbounded(w, i, &c)) {
            c.settles = "";
            (void)plan_write(w->p, &c);
            return;
        }
    }
}

/* The value that rows below read. */
static void remember(struct work *w)
{
    struct cell *c = w->cell;
    bool all_fine = true;
    for (size_t i = 0; i < w->s->n_owners; i++)
        all_fine = all_fine && w->states[i] == OWNER_FINE;
    const struct fact *now = w->in_force;
    if (!known(now))
        now = plan_unknown(w->p->a, "the value in force is not known");
    c->aside = now;
    c->planned = all_fine || w->settled ? now : plan_unknown(w->p->a, "an owner is undecided");
    if (w->has_active) {
        c->planned = plan_known(w->p->a, &w->active.value);
        c->aside = c->planned;
        c->first_step = w->active.line == LINE_FIRST_STEP;
        c->raised = w->s->type.numeric && known(w->in_force) && compare(w, &w->active.value) > 0;
    }
}

static const struct fact *fact_in_force(struct work *w)
{
    struct eval_result r = eval(w->s->in_force, plan_view(w->p, w->s, VIEW_STRICT));
    if (r.state != EVAL_KNOWN)
        return plan_unknown(w->p->a, "the value in force is not known");
    return plan_known(w->p->a, &r.value);
}

void plan_row(struct plan_ctx *p, const struct setting *s)
{
    struct work w = {.p = p, .s = s, .cell = &p->cells[s - p->rs->settings]};
    w.states = arena_calloc(p->a, s->n_owners, sizeof(*w.states));
    w.findings = arena_calloc(p->a, s->n_owners, sizeof(*w.findings));
    for (size_t i = 0; i < s->n_owners; i++) {
        w.findings[i] = finding_of(p, s, s->owners[i].id);
        w.states[i] = state_of(w.findings[i]);
    }
    w.in_force = fact_in_force(&w);
    enum tri applies = s->applies == NULL
                           ? TRI_TRUE
                           : condition(s->applies, plan_view(p, s, VIEW_STRICT));
    if (applies == TRI_TRUE) {
        ask_owners(&w);
        follow(&w);
    }
    /* A value that the server refuses is not planned. */
    size_t lines = p->plan->n;
    if (w.has_active && !plan_write(p, &w.active))
        w.has_active = false;
    if (p->plan->n > lines)
        w.cell->line = p->plan->n;
    remember(&w);
    plan_effects(p, s);
    if (applies == TRI_TRUE)
        comment(&w);
}
