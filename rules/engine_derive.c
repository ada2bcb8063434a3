/* Computes the facts of rules/derived.ini that the store does not hold already. Pure but for the store
 * that it fills. */
#include "rules/derived.h"
#include "rules/engine_int.h"
#include "rules/loader.h"
#include "rules/options.h"

#include "advisor/base/banned.h"

/* Held: set by a probe, a document or --set. What we computed in an earlier pass, and what was only
 * filled in for a fact that nobody set, is computed anew. */
static bool held(const struct fact *f)
{
    return f != NULL && !f->derived && !store_is_filled(f);
}

/* One formula to one fact. */
static const struct fact *compute(const struct derived *d, const struct expr *e,
                                  const struct eval_env *env)
{
    struct arena *a = env->arena;
    struct evidence *why = NULL;
    size_t n = 0;
    struct eval_result r = eval(e, env);
    if (r.state == EVAL_ERROR)
        return engine_unknown(a, FACT_UNREADABLE, "", "", "%s", r.error);
    if (r.state == EVAL_UNKNOWN) {
        engine_add_blockers(e, env, a, &why, &n);
        return engine_unknown_from(a, why, n, "");
    }
    engine_add_evidence(e, env, a, &why, &n);
    struct fact *f = arena_calloc(a, 1, sizeof(*f));
    *f = (struct fact){
        .reason = "",
        .remedy = "",
        .source = "",
        .overridden = engine_any_overridden(why, n),
        .estimated = engine_any_estimated(why, n),
    };
    if (!engine_fit_kind(a, &d->decl, &r.value, &f->value))
        return engine_unknown(a, FACT_UNREADABLE, "", "", "the result is no %s",
                              kind_name(d->decl.kind));
    return f;
}

static bool known_true(const struct expr *e, const struct eval_env *env)
{
    struct eval_result r = eval(e, env);
    return r.state == EVAL_KNOWN && r.value.boolean;
}

/* Does it only wait for a benchmark, a second sample, history? */
static bool waits(const struct expr *e, const struct eval_env *env)
{
    struct evidence *why = NULL;
    size_t n = 0;
    engine_add_blockers(e, env, env->arena, &why, &n);
    for (size_t i = 0; i < n; i++) {
        enum fact_state s = why[i].fact->state;
        if (s != FACT_NOT_MEASURED && s != FACT_STALE && s != FACT_UNSTABLE)
            return false;
    }
    return n > 0;
}

static const struct fact *one(const struct derived *d, const struct eval_env *env)
{
    if (d->applies != NULL) {
        struct eval_result r = eval(d->applies, env);
        if (r.state == EVAL_KNOWN && !r.value.boolean)
            return engine_unknown(env->arena, FACT_NOT_SUPPORTED, "", "",
                                  "does not apply on this system");
        if (r.state != EVAL_KNOWN)
            return compute(d, d->applies, env);
    }
    const struct fact *f = compute(d, d->formula, env);
    if (f->state == FACT_KNOWN || d->otherwise == NULL || !waits(d->formula, env))
        return f;
    if (d->otherwise_when != NULL && !known_true(d->otherwise_when, env))
        return f;
    return compute(d, d->otherwise, env);
}

/* Of the leaves or of what `over` names. */
static bool devices_of(struct store *s, const struct derived *d, const struct subject *volume,
                       struct arena *a, const struct subject *const **ret, size_t *ret_n,
                       const struct fact **ret_why)
{
    if (d->over == NULL)
        return engine_leaves(s, volume, a, ret, ret_n, ret_why);
    if (store_devices(s, volume, d->over, ret, ret_n))
        return true;
    const struct fact *f = store_get(s, volume, span_of(d->over));
    if (f == NULL || f->state == FACT_KNOWN)
        f = engine_unknown(a, FACT_ABSENT, d->over, "", "the devices of %s are not known", d->over);
    *ret_why = f;
    return false;
}

static const struct fact *over_devices(const struct ruleset *rs, struct store *s,
                                      const struct derived *d, const struct subject *volume,
                                      struct arena *a)
{
    const struct subject *const *leaves, *decider;
    size_t n;
    struct gathered g = {0};
    if (!devices_of(s, d, volume, a, &leaves, &n, &g.hole))
        return g.hole;
    if (n == 0)
        return engine_unknown(a, FACT_NOT_SUPPORTED, "", "", "there is no such device");
    g.facts = arena_calloc(a, n, sizeof(*g.facts));
    g.subjects = arena_calloc(a, n, sizeof(*g.subjects));
    for (g.n = 0; g.n < n; g.n++) {
        struct eval_env env = engine_env(rs, s, volume, leaves[g.n], a);
        g.facts[g.n] = one(d, &env);
        g.subjects[g.n] = leaves[g.n];
    }
    return engine_fold(a, &d->decl, d->fold, &g, &decider);
}

static void derive(const struct ruleset *rs, struct store *s, const struct derived *d,
                   const struct subject *sub, struct arena *a)
{
    const struct fact *f;
    if (d->folded) {
        f = over_devices(rs, s, d, sub, a);
    } else {
        struct eval_env env = engine_env(rs, s, sub, NULL, a);
        f = one(d, &env);
    }
    struct fact out = *f;
    out.derived = true;
    out.estimated = out.estimated || d->model != NULL;
    out.source = d->model != NULL ? arena_printf(a, "model %s", d->model)
                                  : arena_printf(a, "computed: %.*s", SPAN_ARG(d->text));
    if (out.state != FACT_KNOWN && out.reason == NULL)
        out.reason = "cannot be computed";
    store_set(s, sub, d->decl.name, &out);
}

/* A volume's roles as a fact. The one volume of a plain document carries all roles because nobody told
 * them apart: it stands for where the data lie, so `tmp` (which excuses a volatile filesystem) is left
 * out. */
static void state_roles(struct store *s, const struct subject *volume, struct arena *a)
{
    static const char name[] = "volume.role";
    struct span words[ROLES];
    size_t n = 0;
    const struct fact *stated = store_get(s, volume, SPAN_LIT(name));
    if ((stated != NULL && !store_is_filled(stated)) || volume->roles == 0)
        return;
    unsigned roles = volume->roles == ROLE_ALL ? ROLE_ALL & ~(unsigned)ROLE_TMP : volume->roles;
    for (unsigned i = 0; i < ROLES; i++) {
        if ((roles & (1u << i)) != 0)
            words[n++] = span_of(role_name((enum role)(1u << i)));
    }
    store_known(s, volume, name, value_words(a, KIND_SET, words, n), "the server's paths");
}

void engine_derive(const struct ruleset *rs, struct store *s)
{
    ARENA_AUTO scratch = arena_new();
    const struct subject *const *subs;
    /* There is always a host, even if a document says nothing of it: its rules are then unknown. */
    (void)store_subject(s, SUBJECT_HOST, "host");
    size_t n = store_subjects_of(s, SUBJECT_VOLUME, &subs);
    for (size_t i = 0; i < n; i++)
        state_roles(s, subs[i], scratch);
    options_derive(rs, s);
    for (size_t i = 0; i < rs->n_derived; i++) {
        const struct derived *d = &rs->derived[i];
        n = store_subjects_of(s, d->decl.subject, &subs);
        for (size_t k = 0; k < n; k++) {
            if (!held(store_get(s, subs[k], span_of(d->decl.name))))
                derive(rs, s, d, subs[k], scratch);
        }
    }
}
