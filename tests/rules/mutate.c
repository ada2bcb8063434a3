/* Single mutants of an expression tree. Knows nothing of rules or facts. */
#include "tests/rules/mutate.h"

#include <string.h>

#include "advisor/base/banned.h"

struct mutants {
    struct arena *a;
    const struct expr *root;
    struct expr **list;
    size_t n, cap;
};

/* ---- copies ---- */

/* A copy of the tree; where `target` stood, *ret_spot points into the copy. */
static struct expr *clone(struct arena *a, const struct expr *e, const struct expr *target,
                          struct expr **ret_spot)
{
    struct expr *c = arena_alloc(a, sizeof(*c));
    *c = *e;
    c->kids = arena_calloc(a, e->n_kids, sizeof(*c->kids));
    for (size_t i = 0; i < e->n_kids; i++)
        c->kids[i] = clone(a, e->kids[i], target, ret_spot);
    c->words = arena_calloc(a, e->n_words, sizeof(*c->words));
    for (size_t i = 0; i < e->n_words; i++)
        c->words[i] = e->words[i];
    if (e == target)
        *ret_spot = c;
    return c;
}

/* A new mutant; the caller changes the node that is returned. */
static struct expr *spot(struct mutants *m, const struct expr *target)
{
    struct expr *at = NULL;
    struct expr *root = clone(m->a, m->root, target, &at);
    if (m->n == m->cap) {
        size_t cap = m->cap == 0 ? 32 : 2 * m->cap;
        m->list = arena_grow(m->a, m->list, m->cap * sizeof(*m->list), cap * sizeof(*m->list));
        m->cap = cap;
    }
    m->list[m->n++] = root;
    return at;
}

/* ---- kinds of mutants ---- */

static void swap_operator(struct mutants *m, const struct expr *e)
{
    static const struct {
        enum expr_op from, to;
    } swaps[] = {
        {EXPR_OR, EXPR_AND}, {EXPR_AND, EXPR_OR}, {EXPR_EQ, EXPR_NE}, {EXPR_NE, EXPR_EQ},
        {EXPR_LT, EXPR_LE},  {EXPR_LT, EXPR_GT},  {EXPR_LE, EXPR_LT}, {EXPR_LE, EXPR_GE},
        {EXPR_GT, EXPR_GE},  {EXPR_GT, EXPR_LT},  {EXPR_GE, EXPR_GT}, {EXPR_GE, EXPR_LE},
        {EXPR_ADD, EXPR_SUB}, {EXPR_SUB, EXPR_ADD}, {EXPR_MUL, EXPR_DIV}, {EXPR_DIV, EXPR_MUL},
        {EXPR_MIN, EXPR_MAX}, {EXPR_MAX, EXPR_MIN},
    };
    for (size_t i = 0; i < ARRAY_LEN(swaps); i++) {
        if (swaps[i].from == e->op)
            spot(m, e)->op = swaps[i].to;
    }
}

static void drop_operand(struct mutants *m, const struct expr *e)
{
    if (e->op != EXPR_OR && e->op != EXPR_AND)
        return;
    for (size_t i = 0; i < e->n_kids; i++) {
        struct expr *at = spot(m, e);
        memmove(&at->kids[i], &at->kids[i + 1], (at->n_kids - i - 1) * sizeof(*at->kids));
        at->n_kids--;
        if (at->n_kids == 1) {
            const struct expr rest = *at->kids[0];
            *at = rest;
        }
    }
}

static void drop_word(struct mutants *m, const struct expr *e)
{
    for (size_t i = 0; e->op == EXPR_IN && i < e->n_words; i++) {
        struct expr *at = spot(m, e);
        memmove(&at->words[i], &at->words[i + 1], (at->n_words - i - 1) * sizeof(*at->words));
        at->n_words--;
    }
}

static void negate(struct mutants *m, const struct expr *e)
{
    bool truth = e->op == EXPR_IN || e->op == EXPR_HAS ||
                 (e->op == EXPR_NAME && e->type.kind == KIND_BOOL);
    if (e->op == EXPR_NOT) {
        struct expr *at = spot(m, e);
        const struct expr kid = *at->kids[0];
        *at = kid;
    } else if (truth) {
        struct expr *at = spot(m, e);
        struct expr *inner = arena_alloc(m->a, sizeof(*inner));
        *inner = *at;
        at->op = EXPR_NOT;
        at->kids = arena_calloc(m->a, 1, sizeof(*at->kids));
        at->kids[0] = inner;
        at->n_kids = 1;
        at->n_words = 0;
    }
}

size_t mutate_number(enum kind kind, struct num n, struct num ret[2])
{
    if (n.tag == NUM_UNLIMITED)
        return 0;
    struct num step;
    if (num_mul(n, num_real(0.1), &step) != NUM_OK)
        return 0;
    bool whole = kind == KIND_COUNT && n.tag == NUM_INT;
    if (num_is_zero(n) || (whole && num_cmp(step, num_u64(1)) < 0))
        step = num_u64(1);
    return num_add(n, step, &ret[0]) == NUM_OK && num_sub(n, step, &ret[1]) == NUM_OK ? 2 : 0;
}

static void move_constant(struct mutants *m, const struct expr *e)
{
    struct num moved[2];
    if (e->op != EXPR_LITERAL || !kind_is_numeric(e->literal.kind))
        return;
    size_t n = mutate_number(e->literal.kind, e->literal.num, moved);
    for (size_t i = 0; i < n; i++)
        spot(m, e)->literal.num = moved[i];
}

static void move_words(struct mutants *m, const struct expr *e)
{
    for (size_t w = 0; e->op == EXPR_IN && w < e->n_words; w++) {
        struct num moved[2];
        if (!kind_is_numeric(e->words[w].kind))
            continue;
        size_t n = mutate_number(e->words[w].kind, e->words[w].num, moved);
        for (size_t i = 0; i < n; i++)
            spot(m, e)->words[w].num = moved[i];
    }
}

static void walk(struct mutants *m, const struct expr *e)
{
    swap_operator(m, e);
    drop_operand(m, e);
    drop_word(m, e);
    negate(m, e);
    move_constant(m, e);
    move_words(m, e);
    for (size_t i = 0; i < e->n_kids; i++)
        walk(m, e->kids[i]);
}

size_t mutate_expr(struct arena *a, const struct expr *e, struct expr ***ret)
{
    struct mutants m = {.a = a, .root = e};
    walk(&m, e);
    *ret = m.list;
    return m.n;
}
