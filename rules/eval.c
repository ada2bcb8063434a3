/* Evaluation in Kleene logic. Every answer for a hidden fact is *unknown* unless logic alone decides,
 * so hiding facts undecides results and never turns them. Pure: asks env->resolve and nothing else. */
#include "rules/eval_int.h"

#include "advisor/base/banned.h"

#define ERROR_SOURCE_MAX 160

enum tri tri_and(enum tri a, enum tri b)
{
    static const enum tri table[3][3] = {
        /*                 FALSE      UNKNOWN      TRUE */
        [TRI_FALSE] = {TRI_FALSE, TRI_FALSE, TRI_FALSE},
        [TRI_UNKNOWN] = {TRI_FALSE, TRI_UNKNOWN, TRI_UNKNOWN},
        [TRI_TRUE] = {TRI_FALSE, TRI_UNKNOWN, TRI_TRUE},
    };
    return table[a][b];
}

enum tri tri_or(enum tri a, enum tri b)
{
    static const enum tri table[3][3] = {
        /*                 FALSE      UNKNOWN      TRUE */
        [TRI_FALSE] = {TRI_FALSE, TRI_UNKNOWN, TRI_TRUE},
        [TRI_UNKNOWN] = {TRI_UNKNOWN, TRI_UNKNOWN, TRI_TRUE},
        [TRI_TRUE] = {TRI_TRUE, TRI_TRUE, TRI_TRUE},
    };
    return table[a][b];
}

enum tri tri_not(enum tri a)
{
    static const enum tri table[3] = {
        [TRI_FALSE] = TRI_TRUE, [TRI_UNKNOWN] = TRI_UNKNOWN, [TRI_TRUE] = TRI_FALSE};
    return table[a];
}

static struct eval_result known(struct value v)
{
    return (struct eval_result){.state = EVAL_KNOWN, .value = v};
}

static struct eval_result unknown(void)
{
    return (struct eval_result){.state = EVAL_UNKNOWN};
}

static struct eval_result error_in(const struct expr *e, const struct eval_env *env,
                                   const char *what)
{
    struct buf b;
    buf_init(&b, env->arena, ERROR_SOURCE_MAX);
    expr_print(&b, e);
    return (struct eval_result){
        .state = EVAL_ERROR,
        .error = arena_printf(env->arena, "%s in '%.*s%s'", what, SPAN_ARG(buf_span(&b)),
                              b.full ? "..." : "")};
}

static struct eval_result from_tri(enum tri t)
{
    return t == TRI_UNKNOWN ? unknown() : known(value_bool(t == TRI_TRUE));
}

static enum tri to_tri(const struct eval_result *r)
{
    if (r->state != EVAL_KNOWN) {
        return TRI_UNKNOWN;
    }
    return r->value.boolean ? TRI_TRUE : TRI_FALSE;
}

/* The worse of two undecided results: an error outranks unknown, the first error stays. */
static void note_undecided(struct eval_result *worst, const struct eval_result *r)
{
    if (r->state == EVAL_ERROR && worst->state != EVAL_ERROR) {
        *worst = *r;
    }
}

/* && and ||: a side that decides does so whatever the others are, errors included, and wherever it
 * stands. */
static struct eval_result eval_logic(const struct expr *e, const struct eval_env *env)
{
    const bool is_and = e->op == EXPR_AND;
    const enum tri decisive = is_and ? TRI_FALSE : TRI_TRUE;
    enum tri sum = is_and ? TRI_TRUE : TRI_FALSE;
    struct eval_result undecided = unknown();
    for (size_t i = 0; i < e->n_kids; i++) {
        const struct eval_result r = eval(e->kids[i], env);
        note_undecided(&undecided, &r);
        sum = is_and ? tri_and(sum, to_tri(&r)) : tri_or(sum, to_tri(&r));
        if (sum == decisive) {
            return from_tri(sum);
        }
    }
    return sum == TRI_UNKNOWN ? undecided : from_tri(sum);
}

static struct eval_result eval_not(const struct expr *e, const struct eval_env *env)
{
    const struct eval_result r = eval(e->kids[0], env);
    return r.state == EVAL_ERROR ? r : from_tri(tri_not(to_tri(&r)));
}

/* -1, 0, 1; for what has no order 0 = same, else 1. */
static int compare(const struct value *a, const struct value *b)
{
    if (kind_is_numeric(a->kind)) {
        return num_cmp(a->num, b->num);
    }
    if (a->kind == KIND_VERSION) {
        return version_cmp(&a->version, &b->version);
    }
    if (a->kind == KIND_BOOL) {
        return a->boolean == b->boolean ? 0 : 1;
    }
    return span_eq(a->text, b->text) ? 0 : 1;
}

static bool holds(enum expr_op op, int c)
{
    switch ((int)op) {
    case EXPR_EQ:
        return c == 0;
    case EXPR_NE:
        return c != 0;
    case EXPR_LT:
        return c < 0;
    case EXPR_LE:
        return c <= 0;
    case EXPR_GT:
        return c > 0;
    default:
        return c >= 0;
    }
}

static struct eval_result eval_comparison(const struct expr *e, const struct eval_env *env)
{
    const struct eval_result l = eval(e->kids[0], env), r = eval(e->kids[1], env);
    struct eval_result undecided = unknown();
    note_undecided(&undecided, &l);
    note_undecided(&undecided, &r);
    if (l.state != EVAL_KNOWN || r.state != EVAL_KNOWN) {
        return undecided;
    }
    return known(value_bool(holds(e->op, compare(&l.value, &r.value))));
}

/* In a list, a text that ends in '*' stands for all that begin so. */
static bool is_member(const struct value *x, const struct value *word)
{
    if (x->kind != KIND_STRING || !span_ends(word->text, "*")) {
        return compare(x, word) == 0;
    }
    const struct span begin = span_sub(word->text, 0, word->text.len - 1);
    return span_eq(span_sub(x->text, 0, begin.len), begin);
}

static struct eval_result eval_members(const struct expr *e, const struct eval_env *env)
{
    const struct eval_result x = eval(e->kids[0], env);
    if (x.state != EVAL_KNOWN) {
        return x;
    }
    bool found = false;
    for (size_t i = 0; i < e->n_words && !found; i++) {
        found = e->op == EXPR_HAS ? value_has(&x.value, e->words[i].text)
                                  : is_member(&x.value, &e->words[i]);
    }
    return known(value_bool(found));
}

/* Any unknown number makes the result unknown, even where min or 0 * x could be guessed at. */
static struct eval_result eval_numbers(const struct expr *e, const struct eval_env *env)
{
    struct num few[4] = {0};
    struct num *const v = e->n_kids <= ARRAY_LEN(few)
                              ? few
                              : arena_calloc(env->arena, e->n_kids, sizeof(*v));
    struct eval_result undecided = unknown();
    bool all_known = true;
    for (size_t i = 0; i < e->n_kids; i++) {
        const struct eval_result r = eval(e->kids[i], env);
        note_undecided(&undecided, &r);
        all_known = all_known && r.state == EVAL_KNOWN;
        v[i] = r.value.num;
    }
    if (!all_known) {
        return undecided;
    }
    struct num n = num_u64(0);
    const char *const wrong = eval_arithmetic_op(e->op, v, e->n_kids, &n);
    return wrong != NULL ? error_in(e, env, wrong) : known(value_num(e->type.kind, n));
}

const struct expr *eval_case_branch(const struct expr *e, const struct eval_env *env,
                                    struct eval_result *why)
{
    for (size_t i = 0; i + 1 < e->n_kids; i += 2) {
        const struct eval_result r = eval(e->kids[i], env);
        if (r.state != EVAL_KNOWN) {
            if (why != NULL) {
                *why = r;
            }
            return NULL;
        }
        if (r.value.boolean) {
            return e->kids[i + 1];
        }
    }
    return e->kids[e->n_kids - 1];
}

static struct eval_result eval_case(const struct expr *e, const struct eval_env *env)
{
    struct eval_result why = unknown();
    const struct expr *const branch = eval_case_branch(e, env, &why);
    if (branch == NULL) {
        return why;
    }
    struct eval_result r = eval(branch, env);
    r.value.kind = r.state == EVAL_KNOWN ? e->type.kind : r.value.kind;
    return r;
}

bool eval_fact_value(const struct expr *name, const struct fact *f, struct value *ret)
{
    const struct expr_type *const t = &name->type;
    const enum kind k = f->value.kind;
    bool ok = k == t->kind;
    if (t->numeric) {
        ok = kind_is_numeric(k) && dim_eq(kind_dim(k), t->dim);
    } else if (t->kind == KIND_ENUM || t->kind == KIND_STRING) {
        ok = k == KIND_ENUM || k == KIND_STRING;
    } else if (t->kind == KIND_SET || t->kind == KIND_LIST) {
        ok = k == KIND_SET || k == KIND_LIST;
    }
    *ret = f->value;
    ret->kind = t->kind;
    return ok;
}

static struct eval_result eval_name(const struct expr *e, const struct eval_env *env)
{
    const struct subject *subject = NULL;
    const struct fact *const f = env->resolve(env->ctx, &e->ref, &subject);
    if (f == NULL || f->state != FACT_KNOWN) {
        return unknown();
    }
    struct value v;
    if (!eval_fact_value(e, f, &v)) {
        return error_in(e, env, "a value of another kind than declared");
    }
    return known(v);
}

struct eval_result eval(const struct expr *e, const struct eval_env *env)
{
    switch (e->op) {
    case EXPR_LITERAL:
        return known(e->literal);
    case EXPR_NAME:
        return eval_name(e, env);
    case EXPR_OR:
    case EXPR_AND:
        return eval_logic(e, env);
    case EXPR_NOT:
        return eval_not(e, env);
    case EXPR_EQ:
    case EXPR_NE:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
        return eval_comparison(e, env);
    case EXPR_IN:
    case EXPR_HAS:
        return eval_members(e, env);
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MUL:
    case EXPR_DIV:
    case EXPR_NEG:
    case EXPR_MIN:
    case EXPR_MAX:
    case EXPR_CLAMP:
    case EXPR_FLOOR_TO:
    case EXPR_CEIL_TO:
    case EXPR_GRID125:
    case EXPR_POW2:
    case EXPR_FLOOR:
        return eval_numbers(e, env);
    case EXPR_CASE:
    case EXPR_OPS: /* no node has it */
        break;
    }
    return eval_case(e, env);
}
