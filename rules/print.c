/* Trees back to text, with parentheses where the grammar needs them; the table of function names. Also
 * prints the arithmetic of reports, where names have become values (explain.c). */
#include "rules/expr_int.h"

#include "advisor/base/banned.h"

struct function {
    enum expr_op op;
    const char *name;
    unsigned min, max; /* values taken */
};

static const struct function functions[] = {
    {EXPR_MIN, "min", 2, EXPR_MAX_NODES},
    {EXPR_MAX, "max", 2, EXPR_MAX_NODES},
    {EXPR_CLAMP, "clamp", 3, 3},
    {EXPR_FLOOR_TO, "floor_to", 2, 2},
    {EXPR_CEIL_TO, "ceil_to", 2, 2},
    {EXPR_GRID125, "grid125", 1, 1},
    {EXPR_POW2, "pow2", 1, 1},
    {EXPR_FLOOR, "floor", 1, 1},
};

const char *expr_function(enum expr_op op)
{
    for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
        if (functions[i].op == op) {
            return functions[i].name;
        }
    }
    return NULL;
}

bool expr_function_find(struct span name, enum expr_op *ret, unsigned *ret_min, unsigned *ret_max)
{
    for (size_t i = 0; i < ARRAY_LEN(functions); i++) {
        if (span_eq_text(name, functions[i].name)) {
            *ret = functions[i].op;
            *ret_min = functions[i].min;
            *ret_max = functions[i].max;
            return true;
        }
    }
    return false;
}

const char *expr_function_list(void)
{
    return "min,max,clamp,floor_to,ceil_to,grid125,pow2,floor";
}

struct op_text {
    unsigned level;
    const char *text; /* of a binary operator */
};

static struct op_text op_text(enum expr_op op)
{
    static const struct op_text rows[EXPR_OPS] = {
        [EXPR_OR] = {EXPR_LEVEL_OR, " || "},
        [EXPR_AND] = {EXPR_LEVEL_AND, " && "},
        [EXPR_NOT] = {EXPR_LEVEL_NOT, "!"},
        [EXPR_EQ] = {EXPR_LEVEL_COMPARISON, " == "},
        [EXPR_NE] = {EXPR_LEVEL_COMPARISON, " != "},
        [EXPR_LT] = {EXPR_LEVEL_COMPARISON, " < "},
        [EXPR_LE] = {EXPR_LEVEL_COMPARISON, " <= "},
        [EXPR_GT] = {EXPR_LEVEL_COMPARISON, " > "},
        [EXPR_GE] = {EXPR_LEVEL_COMPARISON, " >= "},
        [EXPR_IN] = {EXPR_LEVEL_COMPARISON, " in "},
        [EXPR_HAS] = {EXPR_LEVEL_COMPARISON, " has "},
        [EXPR_ADD] = {EXPR_LEVEL_SUM, " + "},
        [EXPR_SUB] = {EXPR_LEVEL_SUM, " - "},
        [EXPR_MUL] = {EXPR_LEVEL_PRODUCT, " * "},
        [EXPR_DIV] = {EXPR_LEVEL_PRODUCT, " / "},
        [EXPR_NEG] = {EXPR_LEVEL_SIGN, "-"},
    };
    const struct op_text row = rows[op];
    return row.text != NULL ? row : (struct op_text){EXPR_LEVEL_PRIMARY, NULL};
}

static bool is_not_in(const struct expr *e)
{
    return e->op == EXPR_NOT && e->kids[0]->op == EXPR_IN;
}

unsigned expr_level(const struct expr *e)
{
    return is_not_in(e) ? EXPR_LEVEL_COMPARISON : op_text(e->op).level;
}

/* A word as it can be read back: bare, or quoted where its bytes forbid that. */
static void print_word(struct buf *b, struct span word)
{
    if (lex_is_word(word)) {
        buf_add_span(b, word);
    } else {
        lex_quote(b, word);
    }
}

static void print_literal(struct buf *b, const struct value *v)
{
    switch ((int)v->kind) {
    case KIND_BOOL:
        buf_add_text(b, v->boolean ? "true" : "false");
        break;
    case KIND_VERSION:
        version_print(b, &v->version);
        break;
    case KIND_ENUM:
        print_word(b, v->text);
        break;
    case KIND_STRING:
        lex_quote(b, v->text);
        break;
    default:
        if (v->num.tag == NUM_UNLIMITED) {
            buf_add_text(b, "unlimited");
        } else {
            units_print_literal(b, v->num, kind_dim(v->kind), v->kind == KIND_RATIO);
        }
        break;
    }
}

static void print_words(const struct expr_printer *pr, const struct expr *e)
{
    if (e->op == EXPR_HAS) {
        print_word(pr->b, e->words[0].text);
        return;
    }
    buf_add_char(pr->b, '{');
    for (size_t i = 0; i < e->n_words; i++) {
        buf_add_text(pr->b, i > 0 ? ", " : "");
        print_literal(pr->b, &e->words[i]);
    }
    buf_add_char(pr->b, '}');
}

static void print_binary(const struct expr_printer *pr, const struct expr *e)
{
    const struct op_text op = op_text(e->op);
    const char *const text = e->op == EXPR_MUL ? pr->times : op.text;
    /* Only sums and products lean to the left by themselves. */
    const bool left = op.level == EXPR_LEVEL_SUM || op.level == EXPR_LEVEL_PRODUCT;
    for (size_t i = 0; i < e->n_kids; i++) {
        buf_add_text(pr->b, i > 0 ? text : "");
        expr_print_with(pr, e->kids[i], op.level + (left && i == 0 ? 0 : 1));
    }
}

static void print_case(const struct expr_printer *pr, const struct expr *e)
{
    buf_add_text(pr->b, "case(");
    for (size_t i = 0; i + 1 < e->n_kids; i += 2) {
        expr_print_with(pr, e->kids[i], EXPR_LEVEL_OR);
        buf_add_text(pr->b, ": ");
        expr_print_with(pr, e->kids[i + 1], EXPR_LEVEL_OR);
        buf_add_text(pr->b, ", ");
    }
    buf_add_text(pr->b, "else: ");
    expr_print_with(pr, e->kids[e->n_kids - 1], EXPR_LEVEL_OR);
    buf_add_char(pr->b, ')');
}

static void print_call(const struct expr_printer *pr, const struct expr *e)
{
    buf_printf(pr->b, "%s(", expr_function(e->op));
    for (size_t i = 0; i < e->n_kids; i++) {
        buf_add_text(pr->b, i > 0 ? ", " : "");
        expr_print_with(pr, e->kids[i], EXPR_LEVEL_OR);
    }
    buf_add_char(pr->b, ')');
}

static void print_node(const struct expr_printer *pr, const struct expr *e)
{
    switch ((int)e->op) {
    case EXPR_LITERAL:
        print_literal(pr->b, &e->literal);
        break;
    case EXPR_NAME:
        buf_add_text(pr->b, e->ref.name);
        break;
    case EXPR_NOT:
        if (is_not_in(e)) {
            expr_print_with(pr, e->kids[0]->kids[0], EXPR_LEVEL_SUM);
            buf_add_text(pr->b, " not in ");
            print_words(pr, e->kids[0]);
            break;
        }
        buf_add_char(pr->b, '!'); /* !!a and !a bare; a comparison in parentheses, to be read so */
        expr_print_with(pr, e->kids[0],
                        e->kids[0]->op == EXPR_NOT ? EXPR_LEVEL_NOT : EXPR_LEVEL_PRIMARY);
        break;
    case EXPR_NEG:
        buf_add_char(pr->b, '-');
        expr_print_with(pr, e->kids[0], EXPR_LEVEL_SIGN);
        break;
    case EXPR_IN:
    case EXPR_HAS:
        expr_print_with(pr, e->kids[0], EXPR_LEVEL_SUM);
        buf_add_text(pr->b, op_text(e->op).text);
        print_words(pr, e);
        break;
    case EXPR_CASE:
        print_case(pr, e);
        break;
    default:
        if (expr_function(e->op) != NULL) {
            print_call(pr, e);
        } else {
            print_binary(pr, e);
        }
        break;
    }
}

void expr_print_with(const struct expr_printer *pr, const struct expr *e, unsigned level)
{
    if (pr->leaf != NULL && pr->leaf(pr->ctx, e, level, pr->b)) {
        return;
    }
    const bool parens = expr_level(e) < level;
    buf_add_text(pr->b, parens ? "(" : "");
    print_node(pr, e);
    buf_add_text(pr->b, parens ? ")" : "");
}

void expr_print(struct buf *b, const struct expr *e)
{
    const struct expr_printer pr = {.b = b, .times = " * "};
    expr_print_with(&pr, e, EXPR_LEVEL_OR);
}
