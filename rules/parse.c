/* Text to tree: the operators of expr.h's grammar by recursive descent, every level of nesting counted.
 * Gives every mistake in the *form* of an expression its message; what names and types mean is for
 * names.c and check.c. */
#include "rules/expr_int.h"

#include "advisor/base/banned.h"

/* Parentheses and signs cost stack but no depth of the tree, so that printing may add some. */
#define NESTING_MAX (4 * EXPR_MAX_DEPTH)

/* One level down; the way back up is `p->nesting--` of the callers. */
static bool descend(struct parser *p)
{
    if (++p->nesting > NESTING_MAX) {
        return expr_fail_limit(p, p->token.begin, "parentheses and signs are nested too deeply");
    }
    return true;
}

static bool parse_unary(struct parser *p, struct expr **ret)
{
    if (!descend(p)) {
        return false;
    }
    bool ok = false;
    if (p->token.kind == TOK_MINUS) {
        struct expr *e = NULL, *kid = NULL;
        ok = expr_open_operator(p, EXPR_NEG, NULL, &e) && parse_unary(p, &kid);
        if (ok) {
            expr_add_kid(p, e, kid);
            *ret = e;
        }
    } else if (p->token.kind == TOK_NOT) {
        expr_fail(p, p->token.begin, "'!' denies a whole comparison and cannot stand behind a sign");
        ok = expr_hint(p, "Put the denial in parentheses: (! …).");
    } else {
        ok = expr_parse_primary(p, ret);
    }
    p->nesting--;
    return ok;
}

static bool parse_product(struct parser *p, struct expr **ret)
{
    struct expr *left = NULL, *right = NULL, *e = NULL;
    if (!parse_unary(p, &left)) {
        return false;
    }
    while (p->token.kind == TOK_STAR || p->token.kind == TOK_SLASH) {
        const enum expr_op op = p->token.kind == TOK_STAR ? EXPR_MUL : EXPR_DIV;
        if (!expr_open_operator(p, op, left, &e) || !parse_unary(p, &right)) {
            return false;
        }
        expr_add_kid(p, e, right);
        left = e;
    }
    *ret = left;
    return true;
}

static bool parse_sum(struct parser *p, struct expr **ret)
{
    struct expr *left = NULL, *right = NULL, *e = NULL;
    if (!parse_product(p, &left)) {
        return false;
    }
    while (p->token.kind == TOK_PLUS || p->token.kind == TOK_MINUS) {
        const enum expr_op op = p->token.kind == TOK_PLUS ? EXPR_ADD : EXPR_SUB;
        if (!expr_open_operator(p, op, left, &e) || !parse_product(p, &right)) {
            return false;
        }
        expr_add_kid(p, e, right);
        left = e;
    }
    *ret = left;
    return true;
}

/* "in {a, b}" from behind the word `in`. The literals become kids until they are typed. */
static bool parse_members(struct parser *p, struct expr *e)
{
    if (p->token.kind != TOK_LBRACE) {
        expr_fail_token(p, "'{'");
        return expr_hint(p, "Write in {a, b}.");
    }
    do {
        struct expr *word = NULL;
        expr_advance(p);
        const unsigned column = p->token.begin;
        if (!expr_parse_or(p, &word)) {
            return false;
        }
        const bool negative = word->op == EXPR_NEG && word->kids[0]->op == EXPR_LITERAL;
        if (word->op != EXPR_LITERAL && !negative) {
            expr_fail(p, column, "only words, numbers and versions can stand in { }");
            return expr_hint(p, "Compare with == and join with ||.");
        }
        expr_add_kid(p, e, word);
    } while (p->token.kind == TOK_COMMA);
    e->end = p->token.end;
    if (p->token.kind != TOK_RBRACE) {
        return expr_fail_token(p, "',' or '}'");
    }
    expr_advance(p);
    return true;
}

static bool parse_in(struct parser *p, struct expr *left, struct expr **ret)
{
    const bool denied = span_eq_text(p->token.text, "not");
    struct expr *not_node = NULL;
    if (denied) {
        if (!expr_open_operator(p, EXPR_NOT, NULL, &not_node)) {
            return false;
        }
        if (!span_eq_text(p->token.text, "in")) {
            return expr_fail_token(p, "'in' behind 'not'");
        }
    }
    struct expr *e = NULL;
    if (!expr_open_operator(p, EXPR_IN, left, &e) || !parse_members(p, e)) {
        return false;
    }
    *ret = e;
    if (denied) {
        expr_add_kid(p, not_node, e);
        *ret = not_node;
    }
    return true;
}

static bool parse_has(struct parser *p, struct expr *left, struct expr **ret)
{
    struct expr *word = NULL;
    if (!expr_open_operator(p, EXPR_HAS, left, ret) || !expr_parse_primary(p, &word)) {
        return false;
    }
    if (word->op != EXPR_LITERAL) {
        expr_fail(p, word->begin, "'has' asks for one word");
        return expr_hint(p, "Write x has a || x has b.");
    }
    expr_add_kid(p, *ret, word);
    return true;
}

static bool comparison_op(enum token_kind kind, enum expr_op *ret)
{
    static const struct {
        enum token_kind kind;
        enum expr_op op;
    } rows[] = {
        {TOK_EQ, EXPR_EQ}, {TOK_NE, EXPR_NE}, {TOK_LT, EXPR_LT},
        {TOK_LE, EXPR_LE}, {TOK_GT, EXPR_GT}, {TOK_GE, EXPR_GE},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if (rows[i].kind == kind) {
            *ret = rows[i].op;
            return true;
        }
    }
    return false;
}

static bool parse_comparison(struct parser *p, struct expr **ret)
{
    struct expr *left = NULL, *right = NULL;
    enum expr_op op = EXPR_EQ;
    if (!parse_sum(p, &left)) {
        return false;
    }
    const struct span word = p->token.kind == TOK_WORD ? p->token.text : span_of("");
    if (comparison_op(p->token.kind, &op)) {
        if (!expr_open_operator(p, op, left, ret) || !parse_sum(p, &right)) {
            return false;
        }
        expr_add_kid(p, *ret, right);
    } else if (span_eq_text(word, "in") || span_eq_text(word, "not")) {
        if (!parse_in(p, left, ret)) {
            return false;
        }
    } else if (span_eq_text(word, "has")) {
        if (!parse_has(p, left, ret)) {
            return false;
        }
    } else {
        *ret = left;
        return true;
    }
    if (comparison_op(p->token.kind, &op)) {
        expr_fail(p, p->token.begin, "comparisons do not chain");
        return expr_hint(p, "Write a < b && b < c; compare a condition with == only in ( ).");
    }
    return true;
}

static bool parse_not(struct parser *p, struct expr **ret)
{
    if (p->token.kind != TOK_NOT) {
        return parse_comparison(p, ret);
    }
    struct expr *e = NULL, *kid = NULL;
    if (!descend(p) || !expr_open_operator(p, EXPR_NOT, NULL, &e) || !parse_not(p, &kid)) {
        return false;
    }
    p->nesting--;
    expr_add_kid(p, e, kid);
    *ret = e;
    return true;
}

static bool parse_and(struct parser *p, struct expr **ret)
{
    struct expr *e = NULL, *kid = NULL;
    if (!parse_not(p, ret)) {
        return false;
    }
    while (p->token.kind == TOK_AND) {
        if (e == NULL) {
            if (!expr_open_operator(p, EXPR_AND, *ret, &e)) {
                return false;
            }
            *ret = e;
        } else {
            expr_advance(p);
        }
        if (!parse_not(p, &kid)) {
            return false;
        }
        expr_add_kid(p, e, kid);
    }
    return true;
}

bool expr_parse_or(struct parser *p, struct expr **ret)
{
    struct expr *e = NULL, *kid = NULL;
    if (!parse_and(p, ret)) {
        return false;
    }
    while (p->token.kind == TOK_OR) {
        if (e == NULL) {
            if (!expr_open_operator(p, EXPR_OR, *ret, &e)) {
                return false;
            }
            *ret = e;
        } else {
            expr_advance(p);
        }
        if (!parse_and(p, &kid)) {
            return false;
        }
        expr_add_kid(p, e, kid);
    }
    return true;
}
