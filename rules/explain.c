/* Why a result is what it is: the facts that decided it, the facts that keep it undecided, and the
 * arithmetic with its numbers put in. Judges nothing by itself. */
#include "rules/eval_int.h"

#include "advisor/base/banned.h"

struct walk {
    const struct eval_env *env;
    struct eval_input *inputs; /* room for every name of the expression */
    size_t n;
};

static size_t count_names(const struct expr *e)
{
    size_t n = e->op == EXPR_NAME ? 1 : 0;
    for (size_t i = 0; i < e->n_kids; i++) {
        n += count_names(e->kids[i]);
    }
    return n;
}

/* Each name once, where it stands first. */
static void add_input(struct walk *w, const struct expr *e, bool decided)
{
    const struct span name = span_of(e->ref.name);
    for (size_t i = 0; i < w->n; i++) {
        if (span_eq(span_of(w->inputs[i].ref->name), name)) {
            return;
        }
    }
    const struct subject *subject = NULL;
    const struct fact *const fact = w->env->resolve(w->env->ctx, &e->ref, &subject);
    w->inputs[w->n++] = (struct eval_input){
        .ref = &e->ref, .subject = subject, .fact = fact, .decided = decided};
}

static bool is_undecided(const struct expr *e, const struct eval_env *env)
{
    return eval(e, env).state != EVAL_KNOWN;
}

static void walk_blockers(struct walk *w, const struct expr *e);

/* A condition that is not known leaves everything behind it open too. */
static void walk_case_blockers(struct walk *w, const struct expr *e)
{
    for (size_t i = 0; i + 1 < e->n_kids; i += 2) {
        const struct eval_result r = eval(e->kids[i], w->env);
        if (r.state == EVAL_KNOWN && !r.value.boolean) {
            continue;
        }
        walk_blockers(w, e->kids[i]);
        walk_blockers(w, e->kids[i + 1]);
        if (r.state == EVAL_KNOWN) {
            return;
        }
    }
    walk_blockers(w, e->kids[e->n_kids - 1]);
}

static void walk_blockers(struct walk *w, const struct expr *e)
{
    const struct eval_result r = eval(e, w->env);
    if (r.state == EVAL_KNOWN) {
        return;
    }
    if (e->op == EXPR_NAME) {
        if (r.state == EVAL_UNKNOWN) {
            add_input(w, e, false);
        }
        return;
    }
    if (e->op == EXPR_CASE) {
        walk_case_blockers(w, e);
        return;
    }
    for (size_t i = 0; i < e->n_kids; i++) {
        walk_blockers(w, e->kids[i]);
    }
}

static void walk_evidence(struct walk *w, const struct expr *e);

static void walk_case_evidence(struct walk *w, const struct expr *e)
{
    const struct expr *const branch = eval_case_branch(e, w->env, NULL);
    for (size_t i = 0; i < e->n_kids; i++) {
        if (eval_is_condition(e, i)) {
            walk_evidence(w, e->kids[i]);
        } else if (e->kids[i] == branch) {
            walk_evidence(w, e->kids[i]);
            return;
        }
    }
}

/* Below a decided node: of && and || only the sides that say what the whole says. */
static void walk_evidence(struct walk *w, const struct expr *e)
{
    if (e->op == EXPR_NAME) {
        add_input(w, e, true);
        return;
    }
    if (e->op == EXPR_CASE) {
        walk_case_evidence(w, e);
        return;
    }
    const bool logic = e->op == EXPR_AND || e->op == EXPR_OR;
    const bool truth = logic && eval(e, w->env).value.boolean;
    for (size_t i = 0; i < e->n_kids; i++) {
        if (logic) {
            const struct eval_result r = eval(e->kids[i], w->env);
            if (r.state != EVAL_KNOWN || r.value.boolean != truth) {
                continue;
            }
        }
        walk_evidence(w, e->kids[i]);
    }
}

static struct walk begin_walk(const struct expr *e, const struct eval_env *env)
{
    return (struct walk){
        .env = env, .inputs = arena_calloc(env->arena, count_names(e), sizeof(struct eval_input))};
}

size_t eval_blockers(const struct expr *e, const struct eval_env *env,
                     const struct eval_input **ret)
{
    struct walk w = begin_walk(e, env);
    walk_blockers(&w, e);
    *ret = w.inputs;
    return w.n;
}

size_t eval_evidence(const struct expr *e, const struct eval_env *env,
                     const struct eval_input **ret)
{
    struct walk w = begin_walk(e, env);
    if (!is_undecided(e, env)) {
        walk_evidence(&w, e);
    }
    *ret = w.inputs;
    return w.n;
}

struct arithmetic {
    const struct eval_env *env;
    const struct expr_printer *printer;
};

static void add_value(struct buf *b, const struct eval_env *env, const struct value *v)
{
    struct buf text;
    buf_init(&text, env->arena, EXPR_MAX_BYTES);
    value_print(&text, v);
    buf_add_escaped(b, buf_span(&text));
}

/* Factors keep all their digits: 0.375 is not 0.38. */
static void add_literal(struct buf *b, const struct eval_env *env, const struct value *v)
{
    if (v->kind == KIND_COUNT && v->num.tag == NUM_REAL) {
        num_print(b, v->num);
    } else {
        add_value(b, env, v);
    }
}

static void add_name(struct buf *b, const struct eval_env *env, const struct expr *e)
{
    const struct eval_result r = eval(e, env);
    if (r.state == EVAL_KNOWN) {
        add_value(b, env, &r.value);
    } else {
        buf_add_text(b, "unknown");
    }
}

static bool print_leaf(void *ctx, const struct expr *e, unsigned level, struct buf *b)
{
    const struct arithmetic *const a = ctx;
    if (e->op == EXPR_NAME) {
        add_name(b, a->env, e);
    } else if (e->op == EXPR_LITERAL) {
        add_literal(b, a->env, &e->literal);
    } else if (e->op == EXPR_CASE) {
        const struct expr *const branch = eval_case_branch(e, a->env, NULL);
        if (branch != NULL) {
            expr_print_with(a->printer, branch, level);
        } else {
            buf_add_text(b, "unknown");
        }
    } else {
        return false;
    }
    return true;
}

void eval_arithmetic(struct buf *b, const struct expr *e, const struct eval_env *env)
{
    struct buf left, right;
    buf_init(&left, env->arena, 4 * EXPR_MAX_BYTES);
    buf_init(&right, env->arena, EXPR_MAX_BYTES);
    struct arithmetic a = {.env = env};
    const struct expr_printer printer = {
        .b = &left, .times = " x ", .leaf = print_leaf, .ctx = &a};
    a.printer = &printer;
    expr_print_with(&printer, e, EXPR_LEVEL_OR);
    const struct eval_result r = eval(e, env);
    if (r.state == EVAL_KNOWN) {
        add_value(&right, env, &r.value);
    } else {
        buf_add_text(&right, r.state == EVAL_UNKNOWN ? "unknown" : r.error);
    }
    buf_add_span(b, buf_span(&left));
    if (!span_eq(buf_span(&left), buf_span(&right))) { /* "19 GiB = 19 GiB" says nothing */
        buf_add_text(b, " = ");
        buf_add_span(b, buf_span(&right));
    }
}
