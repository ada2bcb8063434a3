/* Rules x subjects -> findings: verdicts, severities, what decided and what is missing. A pure function
 * of facts, rules and parameters. */
#include "rules/engine.h"

#include <stdlib.h>
#include <string.h>

#include "rules/engine_int.h"

#include "advisor/base/banned.h"

const char *verdict_name(enum verdict v)
{
    static const char *const names[VERDICTS] = {
        [VERDICT_PASS] = "pass",
        [VERDICT_FAIL] = "fail",
        [VERDICT_UNKNOWN] = "unknown",
        [VERDICT_NOT_APPLICABLE] = "not_applicable",
        [VERDICT_NOT_MEASURED] = "not_measured",
        [VERDICT_ERROR] = "error",
    };
    return v < VERDICTS ? names[v] : "?";
}

struct judging {
    const struct ruleset *rs;
    struct store *s;
    const struct rule *r;
    const struct subject *sub, *leaf;
    struct arena *a;
    struct eval_env env;
};

enum truth { TRUTH_FALSE, TRUTH_TRUE, TRUTH_OPEN, TRUTH_ERROR };

static enum truth ask(const struct expr *e, const struct eval_env *env, const char **ret_error)
{
    struct eval_result r = eval(e, env);
    if (r.state == EVAL_KNOWN)
        return r.value.boolean ? TRUTH_TRUE : TRUTH_FALSE;
    if (r.state == EVAL_UNKNOWN)
        return TRUTH_OPEN;
    *ret_error = r.error;
    return TRUTH_ERROR;
}

/* ---- severity ---- */

/* The first step known true; undecided ones before it are named. */
static void level_of_failure(const struct judging *j, struct finding *f)
{
    struct buf skipped;
    buf_init(&skipped, j->a, 1024);
    for (size_t i = 0; i < j->r->n_steps; i++) {
        const struct severity_step *step = &j->r->steps[i];
        const char *error;
        enum truth t = step->when == NULL ? TRUTH_TRUE : ask(step->when, &j->env, &error);
        if (t == TRUTH_TRUE) {
            f->severity = step->level;
            if (step->when != NULL)
                engine_add_evidence(step->when, &j->env, j->a, &f->evidence, &f->n_evidence);
            break;
        }
        if (t != TRUTH_FALSE)
            buf_printf(&skipped, "%s%s when %.*s", skipped.len > 0 ? "; " : "",
                       severity_name(step->level), SPAN_ARG(step->when_text));
    }
    f->skipped_steps = skipped.ptr != NULL ? skipped.ptr : "";
}

/* The highest step that may still come. */
static enum severity level_of_doubt(const struct judging *j)
{
    enum severity highest = SEV_INFO;
    for (size_t i = 0; i < j->r->n_steps; i++) {
        const struct severity_step *step = &j->r->steps[i];
        const char *error;
        enum truth t = step->when == NULL ? TRUTH_TRUE : ask(step->when, &j->env, &error);
        if (t == TRUTH_FALSE)
            continue;
        if (step->level > highest)
            highest = step->level;
        if (t == TRUTH_TRUE)
            break;
    }
    return highest;
}

/* ---- undecided ---- */

/* Root's pages: known by what the run holds, not by whether a page came. */
static bool have_need(const struct judging *j, enum need need)
{
    if (need == NEED_ROOT) {
        const struct subject *const *hosts;
        if (store_subjects_of(j->s, SUBJECT_HOST, &hosts) > 0) {
            const struct fact *f = store_get(j->s, hosts[0], SPAN_LIT("host.root"));
            if (f != NULL && f->state == FACT_KNOWN)
                return f->value.boolean;
        }
    }
    return store_has_need(j->s, need);
}

/* Is there too little of it for this fact? Some facts take an hour of history, others a day. A computed fact
 * that may do without root's pages and could not here says so by its state. */
static bool lacks(const struct evidence *e, enum need need, bool have)
{
    if (need == NEED_ROOT && !have && e->fact->state == FACT_NOT_PERMITTED)
        return true;
    if (e->decl == NULL || (e->decl->needs & (unsigned)need) == 0)
        return false;
    return !have || (need == NEED_HISTORY && e->fact->state == FACT_NOT_MEASURED);
}

/* Whatever the run has of it: what that is, is only found out where it counts. */
static bool may_lack(const struct finding *f, enum need need)
{
    for (size_t i = 0; i < f->n_blockers; i++) {
        if (lacks(&f->blockers[i], need, false))
            return true;
    }
    return false;
}

/* facts.md R43: not measured when one of the rule's needs has no facts at all and one of them is what it
 * waits for; not applicable when this system has none of what it waits for; else unknown. */
static void classify(const struct judging *j, struct finding *f)
{
    f->verdict = VERDICT_UNKNOWN;
    f->severity = level_of_doubt(j);
    if (engine_all_unsupported(f->blockers, f->n_blockers)) {
        f->verdict = VERDICT_NOT_APPLICABLE;
        return;
    }
    for (unsigned bit = 0; bit < NEED_BITS; bit++) {
        enum need need = (enum need)(1u << bit);
        if ((j->r->needs & ~j->rs->required & (unsigned)need) == 0)
            continue;
        if (!may_lack(f, need))
            continue;
        const bool have = have_need(j, need);
        for (size_t i = 0; i < f->n_blockers; i++) {
            if (lacks(&f->blockers[i], need, have)) {
                f->verdict = VERDICT_NOT_MEASURED;
                f->need = need;
                return;
            }
        }
    }
}

/* facts.md R2: never a verdict from estimates, but what they would say. */
static const char *estimate(const struct judging *j)
{
    struct eval_env env = engine_env_estimated(j->rs, j->s, j->sub, j->leaf, j->a);
    const char *error;
    if (j->r->applies != NULL && ask(j->r->applies, &env, &error) != TRUTH_TRUE)
        return "";
    enum truth t = ask(j->r->fails, &env, &error);
    if (t != TRUTH_TRUE && t != TRUTH_FALSE)
        return "";
    struct buf b;
    buf_init(&b, j->a, 1024);
    buf_add_text(&b, t == TRUTH_TRUE ? "would fail" : "would pass");
    struct evidence *e = NULL;
    size_t n = 0, told = 0;
    if (j->r->applies != NULL)
        engine_add_evidence(j->r->applies, &env, j->a, &e, &n);
    engine_add_evidence(j->r->fails, &env, j->a, &e, &n);
    for (size_t i = 0; i < n; i++) {
        if (!e[i].fact->estimated)
            continue;
        buf_printf(&b, "%s%s about ", told++ == 0 ? ": " : ", ", e[i].name);
        value_print(&b, &e[i].fact->value);
        buf_printf(&b, " (%s)", e[i].fact->source);
    }
    return b.ptr;
}

/* A decided finding that names an estimate says so. */
static const char *rests_on(const struct judging *j, const struct finding *f)
{
    struct buf b;
    buf_init(&b, j->a, 1024);
    for (size_t i = 0; i < f->n_evidence; i++) {
        if (f->evidence[i].fact->estimated)
            buf_printf(&b, "%s%s (%s)", b.len == 0 ? "rests on " : ", ", f->evidence[i].name,
                       f->evidence[i].fact->source);
    }
    return b.ptr != NULL ? b.ptr : "";
}

static void undecided(const struct judging *j, struct finding *f, bool with_fails)
{
    if (j->r->applies != NULL)
        engine_add_blockers(j->r->applies, &j->env, j->a, &f->blockers, &f->n_blockers);
    if (with_fails)
        engine_add_blockers(j->r->fails, &j->env, j->a, &f->blockers, &f->n_blockers);
    classify(j, f);
    f->overridden = engine_any_overridden(f->blockers, f->n_blockers);
    if (f->verdict != VERDICT_NOT_APPLICABLE)
        f->estimated = estimate(j);
}

/* ---- one rule on one subject (and leaf) ---- */

static void failed_to_judge(const struct judging *j, struct finding *f, const char *error)
{
    f->verdict = VERDICT_ERROR;
    f->severity = level_of_doubt(j);
    f->error = error;
}

static void decide(const struct judging *j, struct finding *f)
{
    const char *error = NULL;
    enum truth applies =
        j->r->applies == NULL ? TRUTH_TRUE : ask(j->r->applies, &j->env, &error);
    enum truth fails = ask(j->r->fails, &j->env, &error);
    if (applies == TRUTH_FALSE) {
        f->verdict = VERDICT_NOT_APPLICABLE;
        engine_add_evidence(j->r->applies, &j->env, j->a, &f->evidence, &f->n_evidence);
    } else if (applies == TRUTH_ERROR || (applies == TRUTH_TRUE && fails == TRUTH_ERROR)) {
        failed_to_judge(j, f, error);
    } else if (applies == TRUTH_OPEN || fails == TRUTH_OPEN) {
        undecided(j, f, fails == TRUTH_OPEN);
        return;
    } else {
        f->verdict = fails == TRUTH_TRUE ? VERDICT_FAIL : VERDICT_PASS;
        if (j->r->applies != NULL)
            engine_add_evidence(j->r->applies, &j->env, j->a, &f->evidence, &f->n_evidence);
        engine_add_evidence(j->r->fails, &j->env, j->a, &f->evidence, &f->n_evidence);
        f->severity = level_of_doubt(j);
        if (fails == TRUTH_TRUE)
            level_of_failure(j, f);
        f->estimated = rests_on(j, f);
    }
    f->overridden = engine_any_overridden(f->evidence, f->n_evidence);
}

static void judge_pair(const struct ruleset *rs, struct store *s, const struct rule *r,
                       const struct subject *sub, const struct subject *leaf, struct arena *a,
                       struct finding *ret)
{
    struct judging j = {
        .rs = rs, .s = s, .r = r, .sub = sub, .leaf = leaf, .a = a,
        .env = engine_env(rs, s, sub, leaf, a),
    };
    *ret = (struct finding){
        .rule = r, .subject = sub, .leaf = leaf, .skipped_steps = "", .estimated = "",
    };
    decide(&j, ret);
}

/* Which of two verdicts of one volume's leaves speaks for the volume. */
static unsigned weight(enum verdict v)
{
    static const unsigned w[VERDICTS] = {
        [VERDICT_FAIL] = 6, [VERDICT_ERROR] = 5, [VERDICT_UNKNOWN] = 4,
        [VERDICT_NOT_MEASURED] = 3, [VERDICT_PASS] = 2, [VERDICT_NOT_APPLICABLE] = 1,
    };
    return w[v];
}

static bool outranks(const struct finding *a, const struct finding *b)
{
    if (weight(a->verdict) != weight(b->verdict))
        return weight(a->verdict) > weight(b->verdict);
    return a->severity > b->severity;
}

void engine_judge_one(const struct ruleset *rs, struct store *s, const struct rule *r,
                      const struct subject *sub, struct arena *a, struct finding *ret)
{
    const struct subject *const *leaves;
    const struct fact *why;
    size_t n = 0;
    if (!r->pairs || !engine_leaves(s, sub, a, &leaves, &n, &why) || n == 0) {
        judge_pair(rs, s, r, sub, NULL, a, ret);
        return;
    }
    judge_pair(rs, s, r, sub, leaves[0], a, ret);
    for (size_t i = 1; i < n; i++) {
        struct finding f;
        judge_pair(rs, s, r, sub, leaves[i], a, &f);
        if (outranks(&f, ret))
            *ret = f;
    }
}

/* ---- all ---- */

void engine_judge(const struct ruleset *rs, struct store *s, struct arena *a, struct findings *ret)
{
    size_t n = 0, cap = 0;
    struct finding *items = NULL;
    for (size_t i = 0; i < rs->n_rules; i++) { /* in byte order of ids */
        const struct rule *r = &rs->rules[i];
        const struct subject *const *subs;
        if (r->alias_of != NULL || r->retired != NULL)
            continue;
        size_t n_subs = store_subjects_of(s, r->scope, &subs); /* in byte order of labels */
        for (size_t k = 0; k < n_subs; k++) {
            if (n == cap) {
                size_t more = cap == 0 ? 64 : 2 * cap;
                items = arena_grow(a, items, cap * sizeof(*items), more * sizeof(*items));
                cap = more;
            }
            engine_judge_one(rs, s, r, subs[k], a, &items[n++]);
        }
    }
    ret->items = items;
    ret->n = n;
}
