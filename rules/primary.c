/* Text to tree: what an expression is made of: literals, names, calls, case. The operators between them
 * are parse.c's. */
#include "rules/expr_int.h"

#include "advisor/base/banned.h"

static bool take(struct parser *p, enum token_kind kind, const char *wanted)
{
    if (p->token.kind != kind) {
        return expr_fail_token(p, wanted);
    }
    expr_advance(p);
    return true;
}

static bool is_word(const struct parser *p, const char *word)
{
    return p->token.kind == TOK_WORD && span_eq_text(p->token.text, word);
}

/* Written as a percentage, and printed as one: a huge share that no percentage says exactly is a plain
 * number, so that what is printed reads back the same. */
static bool is_share(struct parser *p, struct span text, struct num num)
{
    struct buf b;
    buf_init(&b, p->arena, 64);
    if (span_ends(text, "%")) {
        units_print_literal(&b, num, DIM_NONE, true);
    }
    return span_ends(buf_span(&b), "%");
}

/* Number, version, string or word: one token, not yet typed where the neighbour decides. */
static bool parse_literal(struct parser *p, struct expr **ret)
{
    const struct token t = p->token;
    struct expr *e = NULL;
    if (!expr_new_node(p, EXPR_LITERAL, &e)) {
        return false;
    }
    e->literal.text = t.text;
    struct dim dim = DIM_NONE;
    struct num num = num_u64(0);
    if (t.kind == TOK_NUMBER && units_parse(t.text, &num, &dim, NULL)) {
        e->literal.kind = is_share(p, t.text, num) ? KIND_RATIO : KIND_COUNT;
        e->literal.num = num;
        e->type = expr_type_of(e->literal.kind, NULL);
        expr_type_arithmetic(e, dim);
        e->literal.kind = e->type.kind;
    } else if (t.kind == TOK_NUMBER && !lex_is_word(t.text)) {
        return expr_fail_number(p, t.begin, t.text);
    } else if (t.kind == TOK_VERSION) {
        struct version v = {0};
        if (!version_parse_exact(t.text, &v)) {
            return expr_fail(p, t.begin, "'%s' is no version", expr_show(p, t.text));
        }
        e->literal = value_version(v);
        e->type = expr_type_of(KIND_VERSION, NULL);
    } else if (t.kind == TOK_STRING) {
        struct span bytes = {0};
        if (!lex_string(p->arena, t.text, &bytes)) {
            expr_fail(p, t.begin, "a bad escape in %s", expr_show(p, t.text));
            return expr_hint(p, "Known are \\\" \\\\ \\n \\t and \\xNN.");
        }
        e->literal = value_text(KIND_STRING, bytes);
        e->type = expr_type_of(KIND_STRING, NULL);
    } else {
        e->literal.kind = KIND_ENUM;
        e->type.kind = KIND_OPEN;
    }
    expr_advance(p);
    *ret = e;
    return true;
}

static bool fail_function(struct parser *p, unsigned column, struct span name)
{
    static const char unknowns[] = "known,is_known,coalesce,default,ifnull,nvl,unknown,exists";
    expr_fail(p, column, "there is no function '%s'", expr_show(p, name));
    if (expr_list_has(unknowns, name)) {
        return expr_hint(p, "No operator turns unknown into an answer.");
    }
    if (span_eq_nocase(name, span_of("if")) || span_eq_nocase(name, span_of("iif"))) {
        return expr_hint(p, "Write case(condition: value, else: value).");
    }
    const struct span near = expr_nearest(expr_function_list(), name);
    if (near.len > 0) {
        return expr_hint(p, "Did you mean %.*s?", SPAN_ARG(near));
    }
    return expr_hint(p, "There are %s and case.", expr_function_list());
}

/* case(cond: value, …, else: value), from its '('. */
static bool parse_case(struct parser *p, struct expr *e)
{
    expr_advance(p);
    for (;;) {
        struct expr *kid = NULL;
        const bool last = is_word(p, "else");
        if (last) {
            expr_advance(p);
        } else {
            if (!expr_parse_or(p, &kid)) {
                return false;
            }
            expr_add_kid(p, e, kid);
        }
        if (!take(p, TOK_COLON, "':' and the value of this case") || !expr_parse_or(p, &kid)) {
            return false;
        }
        expr_add_kid(p, e, kid);
        e->end = p->token.end;
        if (last) {
            return e->n_kids > 1
                       ? take(p, TOK_RPAREN, "')' behind the else value")
                       : expr_fail(p, e->begin, "a case with nothing but 'else' decides nothing");
        }
        if (p->token.kind == TOK_RPAREN) {
            expr_fail(p, p->token.begin, "this case has no 'else'");
            return expr_hint(p, "End it with: else: value)");
        }
        if (!take(p, TOK_COMMA, "',' and the next case")) {
            return false;
        }
    }
}

/* name(arg, …), from its '('. */
static bool parse_call(struct parser *p, struct expr *e, unsigned min, unsigned max)
{
    do {
        struct expr *kid = NULL;
        expr_advance(p); /* over '(' or ',' */
        if (!expr_parse_or(p, &kid)) {
            return false;
        }
        expr_add_kid(p, e, kid);
    } while (p->token.kind == TOK_COMMA);
    e->end = p->token.end;
    if (!take(p, TOK_RPAREN, "')' or ','")) {
        return false;
    }
    if (e->n_kids < min || e->n_kids > max) {
        const char *const more = max > 3 ? " or more" : "";
        expr_fail(p, e->column, "%s takes %u%s values, not %zu", expr_function(e->op), min, more,
                  e->n_kids);
        return expr_hint(p, "%s", e->op == EXPR_CLAMP ? "Write clamp(value, low, high)."
                                  : min == 1          ? "Write one value."
                                  : max == 2          ? "Write the value, then the step."
                                                      : "Write at least two values.");
    }
    return true;
}

static bool parse_word(struct parser *p, struct expr **ret)
{
    const struct token word = p->token;
    const struct token after = lex_next(p->text, word.end);
    if (span_eq_text(word.text, "not")) {
        expr_fail(p, word.begin, "'not' is written as a sign here");
        return expr_hint(p, "Write ! in front of what is denied.");
    }
    if (after.kind != TOK_LPAREN) {
        return parse_literal(p, ret);
    }
    enum expr_op op = EXPR_CASE;
    unsigned min = 0, max = 0;
    if (!span_eq_text(word.text, "case") && !expr_function_find(word.text, &op, &min, &max)) {
        return fail_function(p, word.begin, word.text);
    }
    if (!expr_open_operator(p, op, NULL, ret)) {
        return false;
    }
    return op == EXPR_CASE ? parse_case(p, *ret) : parse_call(p, *ret, min, max);
}

static bool parse_parens(struct parser *p, struct expr **ret)
{
    const unsigned column = p->token.begin;
    expr_advance(p);
    if (!expr_parse_or(p, ret)) {
        return false;
    }
    if (p->token.kind == TOK_END) {
        expr_fail(p, column, "this '(' is not closed");
        return expr_hint(p, "Write a ) where its part ends.");
    }
    return take(p, TOK_RPAREN, "an operator or ')'");
}

bool expr_parse_primary(struct parser *p, struct expr **ret)
{
    switch ((int)p->token.kind) {
    case TOK_NUMBER:
    case TOK_VERSION:
    case TOK_STRING:
        return parse_literal(p, ret);
    case TOK_WORD:
        return parse_word(p, ret);
    case TOK_NAME:
        if (!expr_new_node(p, EXPR_NAME, ret)) {
            return false;
        }
        (*ret)->ref.name = span_dup(p->arena, p->token.text);
        expr_advance(p);
        return true;
    case TOK_LPAREN:
        return parse_parens(p, ret);
    default:
        return expr_fail_token(p, "a value, a name or '('");
    }
}

