/* Static types of the rule language: kinds and dimensions of every node, before anything is judged.
 * Literals get their meaning from the other side here. Must not know single facts. */
#include "rules/expr_int.h"

#include "advisor/base/banned.h"

static bool check(struct parser *p, struct expr *e, const struct expr_type *as);

static bool need_number(struct parser *p, const struct expr *e, const char *op)
{
    if (e->type.numeric) {
        return true;
    }
    return expr_fail(p, e->column, "%s needs numbers, but '%s' is %s", op,
                     expr_show(p, expr_source(p, e)), expr_type_name(p, &e->type));
}

/* The kid whose type decides for the others: one that stands by itself, rather than a literal that can
 * be read in two ways. */
static size_t leading(struct expr *const *v, size_t n)
{
    size_t lead = n;
    for (size_t i = n; i-- > 0;) {
        const bool text = v[i]->op == EXPR_LITERAL && v[i]->type.kind == KIND_STRING;
        if (!expr_is_open(v[i]) && !expr_is_plain_number(v[i]) && !text) {
            lead = i;
        }
    }
    for (size_t i = 0; lead == n && i < n; i++) {
        lead = expr_is_open(v[i]) ? lead : i;
    }
    return lead == n ? 0 : lead;
}

/* Check `n` nodes that must have one type, which ret gets. Mistakes point at `column`, or at the
 * offending node when that is NULL. */
static bool unify(struct parser *p, struct expr *const *v, size_t n, const struct expr_type *as,
                  const char *verb, const unsigned *column, struct expr_type *ret)
{
    const size_t lead = leading(v, n);
    if (!check(p, v[lead], as)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (i == lead) {
            continue;
        }
        if (!check(p, v[i], &v[lead]->type)) {
            return false;
        }
        if (!expr_type_fits(&v[lead]->type, &v[i]->type)) {
            const struct expr *const first = i < lead ? v[i] : v[lead];
            const struct expr *const second = i < lead ? v[lead] : v[i];
            return expr_fail_mismatch(p, column != NULL ? *column : v[i]->column, verb, first,
                                      second);
        }
    }
    *ret = v[lead]->type;
    return true;
}

static bool check_conditions(struct parser *p, struct expr *e)
{
    const struct expr_type want = expr_type_bool();
    for (size_t i = 0; i < e->n_kids; i++) {
        if (!check(p, e->kids[i], &want)) {
            return false;
        }
        if (e->kids[i]->type.kind != KIND_BOOL) {
            return expr_fail_want(p, e->kids[i], &want);
        }
    }
    e->type = want;
    return true;
}

static bool check_comparison(struct parser *p, struct expr *e)
{
    struct expr_type t = {0};
    if (!unify(p, e->kids, 2, NULL, "compare", &e->column, &t)) {
        return false;
    }
    const char *const left = expr_show(p, expr_source(p, e->kids[0]));
    if (t.kind == KIND_SET || t.kind == KIND_LIST) {
        expr_fail(p, e->column, "'%s' is %s and cannot be compared", left, expr_type_name(p, &t));
        return expr_hint(p, "Ask for a word: … has WORD.");
    }
    const bool ordering = e->op != EXPR_EQ && e->op != EXPR_NE;
    if (ordering && !t.numeric && t.kind != KIND_VERSION) {
        expr_fail(p, e->column, "'%s' is %s, which has no order", left, expr_type_name(p, &t));
        return expr_hint(p, "%s", t.kind == KIND_BOOL ? "Use it by itself, or with !."
                                                      : "Use ==, != or in {a, b}.");
    }
    e->type = expr_type_bool();
    return true;
}

/* The literals behind the first kid move to e->words, typed as `t`. */
static bool take_words(struct parser *p, struct expr *e, const struct expr_type *t)
{
    e->words = arena_calloc(p->arena, e->n_kids, sizeof(*e->words));
    for (size_t i = 1; i < e->n_kids; i++) {
        struct expr *const word = e->kids[i];
        struct expr *const literal = word->op == EXPR_NEG ? word->kids[0] : word;
        if (!check(p, word, t)) {
            return false;
        }
        if (!expr_type_fits(t, &word->type)) {
            return expr_fail_mismatch(p, word->column, "compare", e->kids[0], word);
        }
        struct value v = literal->literal;
        if (word->op == EXPR_NEG &&
            num_sub(num_u64(0), literal->literal.num, &v.num) != NUM_OK) {
            return expr_fail(p, word->column, "'-unlimited' has no meaning");
        }
        e->words[e->n_words++] = v;
    }
    e->n_kids = 1;
    e->type = expr_type_bool();
    return true;
}

static bool check_in(struct parser *p, struct expr *e)
{
    if (!check(p, e->kids[0], NULL)) {
        return false;
    }
    const struct expr_type t = e->kids[0]->type;
    if (t.kind == KIND_SET || t.kind == KIND_LIST || t.kind == KIND_BOOL) {
        expr_fail(p, e->column, "'in' cannot ask '%s', it is %s",
                  expr_show(p, expr_source(p, e->kids[0])), expr_type_name(p, &t));
        return expr_hint(p, "%s", t.kind == KIND_BOOL ? "Use it by itself, or with !."
                                                      : "Ask for each word: … has a || … has b.");
    }
    return take_words(p, e, &t);
}

static bool check_has(struct parser *p, struct expr *e)
{
    if (!check(p, e->kids[0], NULL)) {
        return false;
    }
    const struct expr_type *const t = &e->kids[0]->type;
    if (t->kind != KIND_SET && t->kind != KIND_LIST) {
        expr_fail(p, e->column, "'has' asks sets and lists, '%s' is %s",
                  expr_show(p, expr_source(p, e->kids[0])), expr_type_name(p, t));
        return expr_hint(p, "Write == or in {a, b}.");
    }
    const struct expr_type word = expr_type_of(KIND_ENUM, t->allowed);
    return take_words(p, e, &word);
}

static bool check_product(struct parser *p, struct expr *e)
{
    static const struct expr_type plain = {.kind = KIND_COUNT, .numeric = true};
    const char *const op = e->op == EXPR_MUL ? "'*'" : "'/'";
    for (size_t i = 0; i < 2; i++) {
        if (!check(p, e->kids[i], expr_is_open(e->kids[i]) ? &plain : NULL) ||
            !need_number(p, e->kids[i], op)) {
            return false;
        }
    }
    struct dim dim = DIM_NONE;
    const struct dim l = e->kids[0]->type.dim, r = e->kids[1]->type.dim;
    if (!(e->op == EXPR_MUL ? dim_mul(l, r, &dim) : dim_div(l, r, &dim))) {
        return expr_fail_limit(p, e->column, "the dimension is past all sense");
    }
    expr_type_arithmetic(e, dim);
    return true;
}

/* + - and the functions whose values are of one dimension. */
static bool check_same_dimension(struct parser *p, struct expr *e, const struct expr_type *as)
{
    const bool sum = e->op == EXPR_ADD || e->op == EXPR_SUB;
    const char *const function = expr_function(e->op);
    const char *const verb = sum ? (e->op == EXPR_ADD ? "add" : "subtract")
                                 : arena_printf(p->arena, "use in one %s", function);
    const char *const op = sum ? (e->op == EXPR_ADD ? "'+'" : "'-'") : function;
    struct expr_type t = {0};
    if (!unify(p, e->kids, e->n_kids, as != NULL && as->numeric ? as : NULL, verb,
               sum ? &e->column : NULL, &t)) {
        return false;
    }
    for (size_t i = 0; i < e->n_kids; i++) {
        if (!need_number(p, e->kids[i], op)) {
            return false;
        }
    }
    expr_type_arithmetic(e, t.dim);
    return true;
}

/* One number in, one number out: a sign, grid125, pow2, floor. */
static bool check_single(struct parser *p, struct expr *e, const struct expr_type *as)
{
    if (!check(p, e->kids[0], as != NULL && as->numeric ? as : NULL) ||
        !need_number(p, e->kids[0], e->op == EXPR_NEG ? "'-'" : expr_function(e->op))) {
        return false;
    }
    expr_type_arithmetic(e, e->kids[0]->type.dim);
    return true;
}

static bool check_case(struct parser *p, struct expr *e, const struct expr_type *as)
{
    const struct expr_type condition = expr_type_bool();
    struct expr **const values = arena_calloc(p->arena, e->n_kids, sizeof(struct expr *));
    size_t n = 0;
    for (size_t i = 0; i < e->n_kids; i++) {
        if (i % 2 == 1 || i + 1 == e->n_kids) {
            values[n++] = e->kids[i];
            continue;
        }
        if (!check(p, e->kids[i], &condition)) {
            return false;
        }
        if (e->kids[i]->type.kind != KIND_BOOL) {
            return expr_fail_want(p, e->kids[i], &condition);
        }
    }
    struct expr_type t = {0};
    if (!unify(p, values, n, as, "choose between", NULL, &t)) {
        return false;
    }
    e->type = t;
    if (t.numeric) {
        expr_type_arithmetic(e, t.dim);
    }
    return true;
}

static bool check(struct parser *p, struct expr *e, const struct expr_type *as)
{
    switch (e->op) {
    case EXPR_LITERAL:
        return expr_settle_literal(p, e, as);
    case EXPR_NAME:
        return expr_resolve_name(p, e);
    case EXPR_OR:
    case EXPR_AND:
    case EXPR_NOT:
        return check_conditions(p, e);
    case EXPR_EQ:
    case EXPR_NE:
    case EXPR_LT:
    case EXPR_LE:
    case EXPR_GT:
    case EXPR_GE:
        return check_comparison(p, e);
    case EXPR_IN:
        return check_in(p, e);
    case EXPR_HAS:
        return check_has(p, e);
    case EXPR_MUL:
    case EXPR_DIV:
        return check_product(p, e);
    case EXPR_ADD:
    case EXPR_SUB:
    case EXPR_MIN:
    case EXPR_MAX:
    case EXPR_CLAMP:
    case EXPR_FLOOR_TO:
    case EXPR_CEIL_TO:
        return check_same_dimension(p, e, as);
    case EXPR_NEG:
    case EXPR_GRID125:
    case EXPR_POW2:
    case EXPR_FLOOR:
        return check_single(p, e, as);
    case EXPR_CASE:
    case EXPR_OPS: /* no node has it */
        break;
    }
    return check_case(p, e, as);
}

bool expr_check(struct parser *p, struct expr *e, const struct expr_type *want)
{
    if (!check(p, e, want)) {
        return false;
    }
    if (want == NULL) {
        return true;
    }
    if (!expr_type_fits(want, &e->type)) {
        return expr_fail_want(p, e, want);
    }
    e->type.kind = want->kind; /* count or ratio: as the setting says */
    return true;
}
