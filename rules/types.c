/* Types of the rule language: what fits what, how a type is called in messages, and which kind a
 * computed number has. Must not know facts or evaluation. */
#include "rules/expr_int.h"

#include "advisor/base/banned.h"

struct expr_type expr_type_of(enum kind kind, const char *allowed)
{
    return (struct expr_type){
        .kind = kind, .dim = kind_dim(kind), .numeric = kind_is_numeric(kind), .allowed = allowed};
}

struct expr_type expr_type_bool(void)
{
    return expr_type_of(KIND_BOOL, NULL);
}

const char *expr_type_name(struct parser *p, const struct expr_type *t)
{
    if (t->numeric) {
        struct buf b;
        buf_init(&b, p->arena, 80);
        dim_print(&b, t->dim);
        return span_dup(p->arena, buf_span(&b));
    }
    switch ((int)t->kind) {
    case KIND_BOOL:
        return "true or false";
    case KIND_VERSION:
        return "a version";
    case KIND_ENUM:
        return "a word of a list";
    case KIND_STRING:
        return "text";
    case KIND_SET:
        return "a set of words";
    default:
        return "a list of words";
    }
}

bool expr_type_fits(const struct expr_type *a, const struct expr_type *b)
{
    if (a->numeric || b->numeric) {
        return a->numeric && b->numeric && dim_eq(a->dim, b->dim);
    }
    if (a->kind != b->kind) {
        return false;
    }
    return a->kind != KIND_ENUM || a->allowed == NULL || b->allowed == NULL ||
           span_eq(span_of(a->allowed), span_of(b->allowed));
}

/* A number without unit stands where `t` is wanted: how to write it. */
static bool hint_unit(struct parser *p, const struct expr *number, const struct expr_type *t)
{
    const char *const text = expr_show(p, expr_source(p, number));
    if (dim_eq(t->dim, DIM_BYTES)) {
        return num_is_zero(number->literal.num)
                   ? expr_hint(p, "Write 0B.")
                   : expr_hint(p, "Write %sB, or KiB, MiB, GiB, TiB behind the number.", text);
    }
    if (dim_eq(t->dim, DIM_SECONDS)) {
        return expr_hint(p, "Write %ss, or us, ms, min, h, d behind the number.", text);
    }
    if (dim_eq(t->dim, DIM_RATE)) {
        return expr_hint(p, "Write %s/s, or %s/h, %s/d.", text, text, text);
    }
    if (dim_eq(t->dim, DIM_BYTES_PER_S)) {
        return expr_hint(p, "Write %sB/s, or KiB/s, MiB/s behind the number.", text);
    }
    if (dim_eq(t->dim, DIM_CELSIUS)) {
        return expr_hint(p, "Write %sdegC.", text);
    }
    return expr_hint(p, "A number without unit is no %s.", expr_type_name(p, t));
}

static bool hint_mismatch(struct parser *p, const struct expr *a, const struct expr *b)
{
    const struct expr_type *const s = &a->type, *const t = &b->type;
    if (s->numeric && t->numeric) {
        if (expr_is_plain_number(a)) {
            return hint_unit(p, a, t);
        }
        if (expr_is_plain_number(b)) {
            return hint_unit(p, b, s);
        }
        if (b->op == EXPR_LITERAL && dim_eq(s->dim, DIM_NONE)) {
            return expr_hint(p, "'%s' has no unit: write a plain number or a share such as 80%%.",
                             expr_show(p, expr_source(p, a)));
        }
        return expr_hint(p, "Multiply or divide until both are of one dimension.");
    }
    if (s->kind == KIND_ENUM && t->kind == KIND_ENUM) {
        return expr_hint(p, "Their words come from different lists.");
    }
    if (s->kind == KIND_VERSION || t->kind == KIND_VERSION) {
        return expr_hint(p, "Write a version as 8.0.30 or 8.4.");
    }
    if (s->kind == KIND_BOOL || t->kind == KIND_BOOL) {
        return expr_hint(p, "Use what is true or false by itself, or with !.");
    }
    return false;
}

bool expr_fail_mismatch(struct parser *p, unsigned column, const char *verb, const struct expr *a,
                        const struct expr *b)
{
    expr_fail(p, column, "cannot %s '%s' (%s) and '%s' (%s)", verb,
              expr_show(p, expr_source(p, a)), expr_type_name(p, &a->type),
              expr_show(p, expr_source(p, b)), expr_type_name(p, &b->type));
    return hint_mismatch(p, a, b);
}

bool expr_fail_want(struct parser *p, const struct expr *e, const struct expr_type *want)
{
    expr_fail(p, e->column, "'%s' is %s, but %s is wanted here", expr_show(p, expr_source(p, e)),
              expr_type_name(p, &e->type), expr_type_name(p, want));
    if (want->kind == KIND_BOOL) {
        return e->type.kind == KIND_SET || e->type.kind == KIND_LIST
                   ? expr_hint(p, "Ask for a word: … has WORD.")
                   : expr_hint(p, "Make it a condition: compare it with something.");
    }
    return want->numeric && e->type.numeric && expr_is_plain_number(e) && hint_unit(p, e, want);
}

/* Built of plain numbers alone: takes the kind of what it is combined with. */
static bool is_neutral(const struct expr *e)
{
    if (e->op == EXPR_LITERAL) {
        return expr_is_plain_number(e);
    }
    if (e->n_kids == 0 || !e->type.numeric || e->op == EXPR_CASE) {
        return false;
    }
    for (size_t i = 0; i < e->n_kids; i++) {
        if (!is_neutral(e->kids[i])) {
            return false;
        }
    }
    return true;
}

/* Count or ratio? Shown differently (16, 43 %), compared alike. */
static enum kind plain_product(const struct expr *e)
{
    const struct expr *const l = e->kids[0], *const r = e->kids[1];
    if (!dim_eq(l->type.dim, DIM_NONE) || !dim_eq(r->type.dim, DIM_NONE)) {
        /* bytes / bytes is a share, but "pool / 1GiB" counts */
        const bool share = e->op == EXPR_DIV && r->op != EXPR_LITERAL && l->op != EXPR_LITERAL;
        return share ? KIND_RATIO : KIND_COUNT;
    }
    const bool l_ratio = l->type.kind == KIND_RATIO, r_ratio = r->type.kind == KIND_RATIO;
    if (is_neutral(r)) {
        return l->type.kind;
    }
    if (e->op == EXPR_MUL) {
        return is_neutral(l) ? r->type.kind : l_ratio && r_ratio ? KIND_RATIO : KIND_COUNT;
    }
    return l_ratio || (!is_neutral(l) && !r_ratio) ? KIND_RATIO : KIND_COUNT;
}

static enum kind plain_kind(const struct expr *e)
{
    if (e->op == EXPR_LITERAL) {
        return e->literal.kind == KIND_RATIO ? KIND_RATIO : KIND_COUNT;
    }
    if (e->op == EXPR_MUL || e->op == EXPR_DIV) {
        return plain_product(e);
    }
    if (e->op == EXPR_FLOOR || e->op == EXPR_POW2 || e->op == EXPR_GRID125) {
        return KIND_COUNT;
    }
    bool any_ratio = false;
    const bool is_case = e->op == EXPR_CASE;
    for (size_t i = 0; i < e->n_kids; i++) {
        const bool condition = is_case && i % 2 == 0 && i + 1 < e->n_kids;
        if (condition || is_neutral(e->kids[i])) {
            continue;
        }
        if (e->kids[i]->type.kind != KIND_RATIO) {
            return KIND_COUNT;
        }
        any_ratio = true;
    }
    return any_ratio ? KIND_RATIO : KIND_COUNT;
}

void expr_type_arithmetic(struct expr *e, struct dim dim)
{
    static const enum kind kinds[] = {
        KIND_BYTES, KIND_SECONDS, KIND_RATE, KIND_BYTES_PER_S, KIND_CELSIUS,
    };
    struct expr_type t = {.kind = KIND_RATIO, .dim = dim, .numeric = true};
    if (dim_eq(dim, DIM_NONE)) {
        t.kind = plain_kind(e);
    }
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (dim_eq(dim, kind_dim(kinds[i]))) {
            t.kind = kinds[i];
        }
    }
    e->type = t;
}
