/* The rule language's front door (expr_parse), and what its files share: reporting mistakes, making
 * nodes within the limits, stepping through tokens. Must not know single operators or fact names. */
#include <stdarg.h>
#include <stdio.h>

#include "rules/expr_int.h"

#include "advisor/base/banned.h"

/* What a message quotes of the author's text at most. */
#define SHOW_MAX 60

bool expr_fail(struct parser *p, unsigned column, const char *fmt, ...)
{
    char text[ERR_TEXT_MAX];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    p->column = column;
    return err_set(p->err, E_SYNTAX, "%s", text);
}

bool expr_hint(struct parser *p, const char *fmt, ...)
{
    char text[ERR_HINT_MAX];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    return err_hint(p->err, "%s", text);
}

bool expr_fail_limit(struct parser *p, unsigned column, const char *text)
{
    p->column = column;
    err_set(p->err, E_LIMIT, "%s", text);
    return expr_hint(p, "Split it, or make a derived fact of a part.");
}

const char *expr_show(struct parser *p, struct span s)
{
    struct buf b;
    buf_init(&b, p->arena, 4 * SHOW_MAX + 8);
    buf_add_escaped(&b, span_sub(s, 0, SHOW_MAX));
    if (s.len > SHOW_MAX) {
        buf_add_text(&b, "...");
    }
    return span_dup(p->arena, buf_span(&b));
}

struct span expr_source(const struct parser *p, const struct expr *e)
{
    return span_sub(p->text, e->begin, e->end - e->begin);
}

void expr_advance(struct parser *p)
{
    p->token = lex_next(p->text, p->token.end);
}

bool expr_fail_token(struct parser *p, const char *wanted)
{
    const struct token *const t = &p->token;
    if (t->kind == TOK_BAD) {
        expr_fail(p, t->begin, "%s: '%s'", t->message, expr_show(p, t->text));
        return expr_hint(p, "%s", t->hint);
    }
    if (t->kind == TOK_END) {
        return expr_fail(p, t->begin, "the expression ends where %s is wanted", wanted);
    }
    return expr_fail(p, t->begin, "'%s' stands where %s is wanted", expr_show(p, t->text), wanted);
}

bool expr_new_node(struct parser *p, enum expr_op op, struct expr **ret)
{
    if (p->nodes >= EXPR_MAX_NODES) {
        return expr_fail_limit(p, p->token.begin, "the expression has more than 512 parts");
    }
    p->nodes++;
    struct expr *const e = arena_alloc(p->arena, sizeof(*e));
    e->op = op;
    e->column = e->begin = p->token.begin;
    e->end = p->token.end;
    *ret = e;
    return true;
}

void expr_add_kid(struct parser *p, struct expr *e, struct expr *kid)
{
    const size_t size = sizeof(struct expr *);
    if ((e->n_kids & (e->n_kids - 1)) == 0) { /* full at 0, 1, 2, 4, 8, … */
        const size_t cap = e->n_kids == 0 ? 1 : 2 * e->n_kids;
        e->kids = arena_grow(p->arena, e->kids, e->n_kids * size, cap * size);
    }
    e->kids[e->n_kids++] = kid;
    if (e->n_kids == 1 && kid->begin < e->begin) {
        e->begin = kid->begin;
    }
    if (kid->end > e->end) {
        e->end = kid->end;
    }
}

/* An operator node at the current token, which is taken; `left` becomes its first kid. */
bool expr_open_operator(struct parser *p, enum expr_op op, struct expr *left, struct expr **ret)
{
    if (!expr_new_node(p, op, ret)) {
        return false;
    }
    expr_advance(p);
    if (left != NULL) {
        expr_add_kid(p, *ret, left);
    }
    return true;
}

/* Is `left` the beginning of the sum or product that `e` goes on with? */
static bool is_chain(const struct expr *left, const struct expr *e)
{
    const unsigned level = expr_level(e);
    return (level == EXPR_LEVEL_SUM || level == EXPR_LEVEL_PRODUCT) && expr_level(left) == level;
}

/* Depth as the limit counts it: a chain such as a + b + c is one level. */
static unsigned depth_of(const struct expr *e)
{
    unsigned deepest = 0;
    for (size_t i = 0; i < e->n_kids; i++) {
        const unsigned below = depth_of(e->kids[i]);
        const bool chain = i == 0 && is_chain(e->kids[i], e);
        const unsigned depth = chain && below > 0 ? below - 1 : below;
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest + 1;
}

/* A whole expression stands where an operator, or the end, is wanted: say what the author meant. */
static bool fail_trailing(struct parser *p)
{
    const struct token *const t = &p->token;
    const struct span word = t->kind == TOK_WORD ? t->text : span_of("");
    if (span_eq_nocase(word, span_of("and")) || span_eq_nocase(word, span_of("or"))) {
        const bool is_and = word.len == 3;
        expr_fail(p, t->begin, "'%s' is written as a sign here", expr_show(p, word));
        return expr_hint(p, "Write %s.", is_and ? "&&" : "||");
    }
    if (t->kind == TOK_RPAREN) {
        return expr_fail(p, t->begin, "this ')' closes nothing");
    }
    expr_fail_token(p, "an operator or the end");
    struct num n;
    struct dim d;
    struct buf joined;
    buf_init(&joined, p->arena, 64);
    buf_add_text(&joined, "1");
    buf_add_span(&joined, word);
    if (word.len > 0 && units_parse(buf_span(&joined), &n, &d, NULL)) {
        return expr_hint(p, "Write the unit directly behind its number: 1%.*s.", SPAN_ARG(word));
    }
    return false;
}

bool expr_parse(struct arena *a, struct span text, const struct expr_names *names,
                const struct expr_type *want, struct expr **ret, unsigned *ret_column,
                struct err *reterr)
{
    struct parser p = {.arena = a, .names = names, .err = reterr};
    struct expr *e = NULL;
    bool ok = false;
    if (text.len > EXPR_MAX_BYTES) {
        ok = expr_fail_limit(&p, EXPR_MAX_BYTES, "the expression is longer than 4096 bytes");
    } else {
        p.text = span_copy(a, text);
        expr_advance(&p);
        ok = expr_parse_or(&p, &e);
    }
    if (ok && p.token.kind != TOK_END) {
        ok = fail_trailing(&p);
    }
    if (ok && depth_of(e) > EXPR_MAX_DEPTH) {
        ok = expr_fail_limit(&p, e->column, "the expression is nested more than 32 deep");
    }
    if (!ok || !expr_check(&p, e, want)) {
        if (ret_column != NULL) {
            *ret_column = p.column;
        }
        return false;
    }
    *ret = e;
    return true;
}

static size_t collect_refs(const struct expr *e, const struct expr_ref **refs, size_t n)
{
    size_t i = 0;
    if (e->op == EXPR_NAME) {
        while (i < n && !span_eq(span_of(refs[i]->name), span_of(e->ref.name))) {
            i++;
        }
        refs[i] = &e->ref;
        n = i == n ? n + 1 : n;
    }
    for (i = 0; i < e->n_kids; i++) {
        n = collect_refs(e->kids[i], refs, n);
    }
    return n;
}

size_t expr_refs(struct arena *a, const struct expr *e, const struct expr_ref *const **ret)
{
    const struct expr_ref *found[EXPR_MAX_NODES];
    const size_t n = collect_refs(e, found, 0);
    const struct expr_ref **const refs = arena_calloc(a, n, sizeof(struct expr_ref *));
    for (size_t i = 0; i < n; i++) {
        refs[i] = found[i];
    }
    *ret = refs;
    return n;
}
