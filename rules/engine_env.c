/* What a name of a rule leads to on one subject: its own facts, those of its relatives (roles, leaves,
 * servers above) folded into one, parameters, planned values. Pure. */
#include <stdlib.h>
#include <string.h>

#include "rules/engine_int.h"
#include "rules/loader.h"
#include "rules/settings.h"

#include "advisor/base/banned.h"

/* Planned values rest on earlier ones; deeper than this is no spreadsheet. */
#define PLAN_DEPTH_MAX 16

struct answer {
    const char *name;
    const struct fact *fact;
    const struct subject *subject;
};

struct env {
    const struct ruleset *rs;
    struct store *s;
    const struct subject *sub;
    const struct subject *leaf;
    struct arena *a;
    bool estimates;
    unsigned depth;
    struct answer *answers; /* names asked before: same pointer, same answer */
    size_t n_answers, cap_answers;
};

/* ---- one subject ---- */

static const struct fact *twin_of(struct env *e, const struct expr_ref *ref,
                                  const struct subject *sub)
{
    const struct derived *d = ruleset_twin(e->rs, span_of(ref->fact));
    if (d == NULL)
        return NULL;
    const struct subject *on = sub;
    if (d->decl.subject == SUBJECT_SERVER && sub->kind == SUBJECT_VOLUME)
        on = sub->server;
    if (on == NULL || on->kind != d->decl.subject)
        return NULL;
    /* Estimates of what a benchmark of a volume would give are of the data volume. */
    if (sub->kind == SUBJECT_VOLUME && (sub->roles & ROLE_DATA) == 0)
        return NULL;
    const struct fact *f = store_get(e->s, on, span_of(d->decl.name));
    return f != NULL && f->state == FACT_KNOWN ? f : NULL;
}

static const struct fact *fitted(struct env *e, const struct fact_decl *decl,
                                 const struct fact *f)
{
    if (f->state != FACT_KNOWN || f->value.kind == decl->kind)
        return f;
    struct fact *copy = arena_alloc(e->a, sizeof(*copy));
    *copy = *f;
    if (engine_fit_kind(e->a, decl, &f->value, &copy->value))
        return copy;
    return engine_unknown(e->a, FACT_UNREADABLE, f->source, "", "is no %s", kind_name(decl->kind));
}

static const struct fact *of_subject(struct env *e, const struct expr_ref *ref,
                                     const struct subject *sub)
{
    const struct fact *f = store_get(e->s, sub, span_of(ref->fact));
    if (f == NULL) {
        struct fact *missing = arena_alloc(e->a, sizeof(*missing));
        *missing = store_missing_fact(e->s, ref->decl);
        f = missing;
    }
    f = fitted(e, ref->decl, f);
    if (f->state == FACT_KNOWN && !f->estimated && span_starts(span_of(ref->fact), "est.")) {
        struct fact *stated = arena_alloc(e->a, sizeof(*stated)); /* in a document */
        *stated = *f;
        stated->estimated = true;
        return stated;
    }
    if (f->state != FACT_KNOWN && e->estimates) {
        const struct fact *twin = twin_of(e, ref, sub);
        if (twin != NULL)
            return twin;
    }
    return f;
}

/* ---- relatives ---- */

static void gather(struct env *e, struct gathered *g, const struct expr_ref *ref,
                   const struct subject *sub)
{
    for (size_t i = 0; i < g->n; i++) {
        if (g->subjects[i] == sub)
            return;
    }
    if (g->n == g->cap) {
        size_t cap = g->cap == 0 ? 8 : 2 * g->cap;
        g->facts = arena_grow(e->a, (void *)g->facts, g->cap * sizeof(*g->facts),
                              cap * sizeof(*g->facts));
        g->subjects = arena_grow(e->a, (void *)g->subjects, g->cap * sizeof(*g->subjects),
                                 cap * sizeof(*g->subjects));
        g->cap = cap;
    }
    g->facts[g->n] = of_subject(e, ref, sub);
    g->subjects[g->n++] = sub;
}

bool engine_leaves(struct store *s, const struct subject *volume, struct arena *a,
                   const struct subject *const **ret, size_t *ret_n, const struct fact **ret_why)
{
    if (store_leaves(s, volume, ret, ret_n))
        return true;
    const struct fact *f = store_get(s, volume, SPAN_LIT("volume.leaf_devices"));
    if (f == NULL || f->state == FACT_KNOWN)
        f = engine_unknown(a, FACT_ABSENT, "the walk down to the devices", "",
                           "the devices below %s are not known", volume->label);
    *ret_why = f;
    return false;
}

static void gather_leaves(struct env *e, struct gathered *g, const struct expr_ref *ref,
                          const struct subject *volume)
{
    const struct subject *const *leaves;
    size_t n;
    if (!engine_leaves(e->s, volume, e->a, &leaves, &n, &g->hole))
        return;
    for (size_t i = 0; i < n; i++)
        gather(e, g, ref, leaves[i]);
}

static bool ends_on(const struct subject *const *leaves, size_t n, const struct subject *device)
{
    for (size_t i = 0; i < n; i++) {
        if (leaves[i] == device)
            return true;
    }
    return false;
}

/* The servers whose volumes end on the device. */
static void gather_servers_of(struct env *e, struct gathered *g, const struct expr_ref *ref,
                              const struct subject *device)
{
    const struct subject *const *volumes, *const *leaves;
    size_t n = store_subjects_of(e->s, SUBJECT_VOLUME, &volumes), n_leaves;
    for (size_t i = 0; i < n; i++) {
        if (volumes[i]->server == NULL)
            continue;
        if (!engine_leaves(e->s, volumes[i], e->a, &leaves, &n_leaves, &g->hole))
            continue;
        if (ends_on(leaves, n_leaves, device))
            gather(e, g, ref, volumes[i]->server);
    }
}

static void gather_all(struct env *e, struct gathered *g, const struct expr_ref *ref,
                       enum subject_kind kind)
{
    const struct subject *const *subs;
    size_t n = store_subjects_of(e->s, kind, &subs);
    for (size_t i = 0; i < n; i++)
        gather(e, g, ref, subs[i]);
}

static void gather_role(struct env *e, struct gathered *g, const struct expr_ref *ref,
                        const struct subject *server)
{
    const struct subject *const *volumes;
    enum role role = ref->role != 0 ? (enum role)ref->role : ROLE_DATA;
    size_t n = store_volumes(e->s, server, role, &volumes);
    for (size_t i = 0; i < n; i++)
        gather(e, g, ref, volumes[i]);
}

static void gather_servers(struct env *e, struct gathered *g, const struct expr_ref *ref)
{
    if (e->sub->kind == SUBJECT_HOST)
        gather_all(e, g, ref, SUBJECT_SERVER);
    else if (e->sub->kind == SUBJECT_DEVICE)
        gather_servers_of(e, g, ref, e->sub);
    else if (e->sub->server != NULL)
        gather(e, g, ref, e->sub->server);
}

/* All subjects that the name speaks of, seen from the rule's own. */
static void gather_ref(struct env *e, struct gathered *g, const struct expr_ref *ref)
{
    enum subject_kind want = ref->decl->subject;
    if (want == e->sub->kind && ref->role == 0) {
        gather(e, g, ref, e->sub);
        return;
    }
    switch (want) {
    case SUBJECT_HOST:
        gather_all(e, g, ref, SUBJECT_HOST);
        break;
    case SUBJECT_SERVER:
        gather_servers(e, g, ref);
        break;
    case SUBJECT_VOLUME:
        if (e->sub->kind == SUBJECT_SERVER)
            gather_role(e, g, ref, e->sub);
        break;
    case SUBJECT_DEVICE:
        if (e->leaf != NULL)
            gather(e, g, ref, e->leaf);
        else if (e->sub->kind == SUBJECT_VOLUME)
            gather_leaves(e, g, ref, e->sub);
        break;
    case SUBJECT_KINDS:
        break;
    }
}

/* A disk that no server has anything on is a disk without a server; in a document that tells of none it may
 * have one. */
static const struct fact *nobody(struct env *e, const struct expr_ref *ref)
{
    const struct subject *const *servers;
    const enum subject_kind want = ref->decl->subject;
    const bool unused = e->sub->kind == SUBJECT_DEVICE && want == SUBJECT_SERVER &&
                        store_subjects_of(e->s, SUBJECT_SERVER, &servers) > 0;
    const bool below = want == SUBJECT_DEVICE;
    return engine_unknown(e->a, below || unused ? FACT_NOT_SUPPORTED : FACT_ABSENT, "", "",
                          "there is no %s %s %s", subject_kind_name(want),
                          below ? "below" : "that belongs to", e->sub->label);
}

static const struct fact *resolve_fact(struct env *e, const struct expr_ref *ref,
                                       const struct subject **ret_subject)
{
    struct gathered g = {0};
    gather_ref(e, &g, ref);
    if (g.n == 0 && g.hole == NULL) {
        *ret_subject = e->sub;
        return nobody(e, ref);
    }
    return engine_fold(e->a, ref->decl, ref->decl->fold, &g, ret_subject);
}

/* ---- parameters and planned values ---- */

static const struct fact *resolve_param(struct env *e, const struct expr_ref *ref)
{
    const struct param *p = ruleset_param(e->rs, load_bare(ref->name));
    if (p == NULL)
        return engine_unknown(e->a, FACT_ABSENT, "", "", "there is no such parameter");
    struct fact *f = arena_calloc(e->a, 1, sizeof(*f));
    f->state = FACT_KNOWN;
    f->value = p->value;
    f->reason = "";
    f->remedy = "";
    f->source = p->origin;
    return f;
}

static const struct fact *resolve_plan(struct env *e, const struct eval_env *env,
                                       const struct expr_ref *ref)
{
    const struct expr *formula = settings_pure(e->rs, load_bare(ref->name));
    if (formula == NULL || e->depth >= PLAN_DEPTH_MAX)
        return engine_unknown(e->a, FACT_ABSENT, "rules/settings.ini", "",
                              "is decided by verdicts, not by facts alone");
    e->depth++;
    struct eval_result r = eval(formula, env);
    struct fact *f = arena_calloc(e->a, 1, sizeof(*f));
    *f = (struct fact){.reason = "", .remedy = "", .source = "rules/settings.ini"};
    struct evidence *why = NULL;
    size_t n = 0;
    if (r.state == EVAL_KNOWN) {
        f->value = value_copy(e->a, &r.value);
        engine_add_evidence(formula, env, e->a, &why, &n);
    } else if (r.state == EVAL_UNKNOWN) {
        engine_add_blockers(formula, env, e->a, &why, &n);
        *f = *engine_unknown_from(e->a, why, n, "rules/settings.ini");
    } else {
        *f = *engine_unknown(e->a, FACT_UNREADABLE, "rules/settings.ini", "", "%s", r.error);
    }
    f->overridden = engine_any_overridden(why, n);
    f->estimated = engine_any_estimated(why, n);
    e->depth--;
    return f;
}

/* ---- what is missing ---- */

void engine_add_blockers(const struct expr *e, const struct eval_env *env, struct arena *a,
                         struct evidence **list, size_t *n)
{
    struct env *own = env->ctx;
    const struct eval_input *inputs;
    size_t n_inputs = eval_blockers(e, env, &inputs);
    for (size_t i = 0; i < n_inputs; i++) {
        const struct expr_ref *ref = inputs[i].ref;
        const struct expr *formula =
            ref->kind == REF_PLAN ? settings_pure(own->rs, load_bare(ref->name)) : NULL;
        if (formula == NULL || own->depth >= PLAN_DEPTH_MAX) {
            engine_add_input(a, list, n, &inputs[i]);
            continue;
        }
        own->depth++;
        engine_add_blockers(formula, env, a, list, n);
        own->depth--;
    }
}

size_t engine_blockers(const struct expr *e, const struct eval_env *env, struct arena *a,
                       struct evidence **ret)
{
    size_t n = 0;
    *ret = NULL;
    engine_add_blockers(e, env, a, ret, &n);
    return n;
}

/* ---- the environment ---- */

static struct eval_env make(struct env *e);

static const struct fact *resolve(void *ctx, const struct expr_ref *ref,
                                  const struct subject **ret_subject)
{
    struct env *e = ctx;
    for (size_t i = 0; i < e->n_answers; i++) {
        if (strcmp(e->answers[i].name, ref->name) == 0) {
            *ret_subject = e->answers[i].subject;
            return e->answers[i].fact;
        }
    }
    struct answer got = {.name = ref->name};
    struct eval_env env = make(e);
    if (ref->kind == REF_PARAM)
        got.fact = resolve_param(e, ref);
    else if (ref->kind == REF_PLAN)
        got.fact = resolve_plan(e, &env, ref);
    else
        got.fact = resolve_fact(e, ref, &got.subject);
    if (e->n_answers == e->cap_answers) {
        size_t cap = e->cap_answers == 0 ? 16 : 2 * e->cap_answers;
        e->answers = arena_grow(e->a, e->answers, e->cap_answers * sizeof(got), cap * sizeof(got));
        e->cap_answers = cap;
    }
    e->answers[e->n_answers++] = got;
    *ret_subject = got.subject;
    return got.fact;
}

static struct eval_env make(struct env *e)
{
    return (struct eval_env){.ctx = e, .resolve = resolve, .arena = e->a};
}

static struct eval_env env_new(const struct ruleset *rs, struct store *s,
                               const struct subject *sub, const struct subject *leaf,
                               struct arena *a, bool estimates)
{
    struct env *e = arena_calloc(a, 1, sizeof(*e));
    *e = (struct env){
        .rs = rs, .s = s, .sub = sub, .leaf = leaf, .a = a, .estimates = estimates,
    };
    return make(e);
}

struct eval_env engine_env(const struct ruleset *rs, struct store *s, const struct subject *sub,
                           const struct subject *leaf, struct arena *a)
{
    return env_new(rs, s, sub, leaf, a, false);
}

struct eval_env engine_env_estimated(const struct ruleset *rs, struct store *s,
                                     const struct subject *sub, const struct subject *leaf,
                                     struct arena *a)
{
    return env_new(rs, s, sub, leaf, a, true);
}
