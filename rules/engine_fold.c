/* Several subjects answering one question, and the unknown that follows from unknowns. Kleene logic all
 * the way: an unknown fact is only passed over where the known ones decide. Pure. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "rules/engine_int.h"

#include "advisor/base/banned.h"

/* ---- unknowns ---- */

const struct fact *engine_unknown(struct arena *a, enum fact_state state, const char *source,
                                  const char *remedy, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    struct fact *f = arena_calloc(a, 1, sizeof(*f));
    f->state = state;
    f->reason = arena_strdup(a, text);
    f->remedy = remedy;
    f->source = source;
    return f;
}

/* Which of several reasons is told: what somebody can mend before what time or a benchmark brings,
 * before what this machine does not have at all. */
static unsigned gravity(enum fact_state s)
{
    static const unsigned order[FACT_STATES] = {
        [FACT_CRASHED] = 9,  [FACT_TIMED_OUT] = 8,    [FACT_UNREADABLE] = 7,
        [FACT_NOT_PERMITTED] = 6, [FACT_UNSTABLE] = 5, [FACT_STALE] = 4,
        [FACT_ABSENT] = 3,   [FACT_NOT_MEASURED] = 2, [FACT_NOT_SUPPORTED] = 1,
        [FACT_KNOWN] = 0,
    };
    return s < FACT_STATES ? order[s] : 0;
}

const struct fact *engine_unknown_from(struct arena *a, const struct evidence *blockers, size_t n,
                                       const char *source)
{
    const struct evidence *worst = NULL;
    for (size_t i = 0; i < n; i++) {
        if (worst == NULL || gravity(blockers[i].fact->state) > gravity(worst->fact->state))
            worst = &blockers[i];
    }
    if (worst == NULL)
        return engine_unknown(a, FACT_ABSENT, source, "", "cannot be computed");
    return engine_unknown(a, worst->fact->state, source, worst->fact->remedy, "needs %s: %s",
                          worst->name, worst->fact->reason);
}

bool engine_all_unsupported(const struct evidence *blockers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (blockers[i].fact->state != FACT_NOT_SUPPORTED)
            return false;
    }
    return n > 0;
}

bool engine_any_overridden(const struct evidence *e, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (e[i].fact->overridden)
            return true;
    }
    return false;
}

bool engine_any_estimated(const struct evidence *e, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (e[i].fact->estimated)
            return true;
    }
    return false;
}

/* ---- kinds ---- */

static bool fit_word(const struct fact_decl *decl, struct span text, struct value *ret)
{
    struct span rest = span_of(decl->allowed), word;
    while (span_split(&rest, ',', &word)) {
        if (span_eq_nocase(span_trim(word), text)) {
            *ret = value_text(decl->kind, span_trim(word));
            return true;
        }
    }
    *ret = value_text(decl->kind, text);
    return true;
}

bool engine_fit_kind(struct arena *a, const struct fact_decl *decl, const struct value *raw,
                     struct value *ret)
{
    if (raw->kind == decl->kind) {
        *ret = *raw;
        return true;
    }
    if (kind_is_numeric(raw->kind) && kind_is_numeric(decl->kind)) {
        *ret = *raw;
        ret->kind = decl->kind;
        return true;
    }
    bool text = raw->kind == KIND_STRING || raw->kind == KIND_ENUM;
    if (text && (decl->kind == KIND_STRING || decl->kind == KIND_ENUM))
        return fit_word(decl, raw->text, ret);
    if (raw->kind == KIND_BOOL && (decl->kind == KIND_ENUM || decl->kind == KIND_STRING))
        return fit_word(decl, raw->boolean ? SPAN_LIT("ON") : SPAN_LIT("OFF"), ret);
    if (raw->kind == KIND_BOOL && decl->kind == KIND_COUNT) {
        *ret = value_u64(KIND_COUNT, raw->boolean);
        return true;
    }
    if (kind_is_numeric(raw->kind) && decl->kind == KIND_BOOL) {
        *ret = value_bool(!num_is_zero(raw->num));
        return true;
    }
    struct err err = ERR_INIT;
    return text && value_read(a, decl->kind, decl->allowed, true, raw->text, ret, &err);
}

/* ---- folds ---- */

static const struct fact *first_unknown(const struct gathered *g, const struct subject **ret)
{
    for (size_t i = 0; i < g->n; i++) {
        if (g->facts[i]->state != FACT_KNOWN) {
            *ret = g->subjects[i];
            return g->facts[i];
        }
    }
    *ret = NULL;
    return g->hole;
}

static const struct fact *fold_bool(bool decides, const struct gathered *g,
                                    const struct subject **ret)
{
    for (size_t i = 0; i < g->n; i++) {
        if (g->facts[i]->state == FACT_KNOWN && g->facts[i]->value.boolean == decides) {
            *ret = g->subjects[i];
            return g->facts[i];
        }
    }
    const struct fact *unknown = first_unknown(g, ret);
    if (unknown != NULL)
        return unknown;
    *ret = g->n == 1 ? g->subjects[0] : NULL;
    return g->facts[0];
}

static const struct fact *fold_extreme(bool greatest, const struct gathered *g,
                                       const struct subject **ret)
{
    const struct fact *unknown = first_unknown(g, ret);
    if (unknown != NULL)
        return unknown;
    size_t best = 0;
    for (size_t i = 1; i < g->n; i++) {
        int c = num_cmp(g->facts[i]->value.num, g->facts[best]->value.num);
        if (greatest ? c > 0 : c < 0)
            best = i;
    }
    *ret = g->subjects[best];
    return g->facts[best];
}

static const struct fact *fold_sum(struct arena *a, const struct gathered *g,
                                   const struct subject **ret)
{
    const struct fact *unknown = first_unknown(g, ret);
    if (unknown != NULL)
        return unknown;
    struct fact *f = arena_alloc(a, sizeof(*f));
    *f = *g->facts[0];
    for (size_t i = 1; i < g->n; i++) {
        f->overridden = f->overridden || g->facts[i]->overridden;
        if (num_add(f->value.num, g->facts[i]->value.num, &f->value.num) != NUM_OK) {
            *ret = NULL;
            return engine_unknown(a, FACT_UNREADABLE, f->source, "", "the sum is out of range");
        }
    }
    *ret = g->n == 1 ? g->subjects[0] : NULL;
    return f;
}

static const struct fact *fold_same(struct arena *a, const struct gathered *g,
                                    const struct subject **ret)
{
    const struct fact *unknown = first_unknown(g, ret);
    if (unknown != NULL)
        return unknown;
    for (size_t i = 1; i < g->n; i++) {
        if (value_eq(&g->facts[0]->value, &g->facts[i]->value))
            continue;
        struct buf b;
        buf_init(&b, a, 300);
        buf_printf(&b, "%s has ", g->subjects[0]->label);
        value_print(&b, &g->facts[0]->value);
        buf_printf(&b, ", %s has ", g->subjects[i]->label);
        value_print(&b, &g->facts[i]->value);
        *ret = NULL;
        return engine_unknown(a, FACT_ABSENT, g->facts[0]->source, "", "no single answer: %s",
                              b.ptr);
    }
    *ret = g->n == 1 ? g->subjects[0] : NULL;
    return g->facts[0];
}

const struct fact *engine_fold(struct arena *a, const struct fact_decl *decl, enum fold fold,
                               const struct gathered *g, const struct subject **ret_subject)
{
    if (g->n == 0) {
        *ret_subject = NULL;
        return g->hole;
    }
    bool boolean = decl->kind == KIND_BOOL, numeric = kind_is_numeric(decl->kind);
    if (fold == FOLD_ANY && boolean)
        return fold_bool(true, g, ret_subject);
    if (fold == FOLD_ALL && boolean)
        return fold_bool(false, g, ret_subject);
    if ((fold == FOLD_MIN || fold == FOLD_MAX) && numeric)
        return fold_extreme(fold == FOLD_MAX, g, ret_subject);
    if (fold == FOLD_SUM && numeric)
        return fold_sum(a, g, ret_subject);
    return fold_same(a, g, ret_subject);
}
