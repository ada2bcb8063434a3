/* Literals whose meaning the other side decides: bare words of enums, ON and OFF, `unlimited`, "10.11"
 * beside a version. Must not know facts but for the nearest name in a hint. */
#include "rules/expr_int.h"

#include "advisor/base/banned.h"

bool expr_is_open(const struct expr *e)
{
    switch ((int)e->op) {
    case EXPR_LITERAL:
        return e->type.kind == KIND_OPEN;
    case EXPR_MIN:
    case EXPR_MAX:
    case EXPR_CLAMP:
    case EXPR_CASE:
        for (size_t i = 0; i < e->n_kids; i++) {
            const bool condition = e->op == EXPR_CASE && i % 2 == 0 && i + 1 < e->n_kids;
            if (!condition && !expr_is_open(e->kids[i])) {
                return false;
            }
        }
        return true;
    default:
        return false;
    }
}

bool expr_is_plain_number(const struct expr *e)
{
    return e->op == EXPR_LITERAL && e->type.numeric && e->literal.kind == KIND_COUNT &&
           e->literal.num.tag != NUM_UNLIMITED;
}

bool expr_fail_number(struct parser *p, unsigned column, struct span text)
{
    struct num n;
    struct dim d;
    const char *why = NULL;
    expr_fail(p, column, "'%s' is not a number with a known unit", expr_show(p, text));
    if (!units_parse(text, &n, &d, &why) && why != NULL) {
        return expr_hint(p, "%s.", why);
    }
    if (text.ptr[0] == '.') {
        return expr_hint(p, "Write 0%s.", expr_show(p, text));
    }
    return expr_hint(p, "Units: B KiB MiB GiB TiB, kB MB GB TB, us ms s min h d, %%, degC, /s, /h, /d.");
}

/* A bare word that has no meaning where it stands. */
static bool fail_word(struct parser *p, const struct expr *e, const char *wanted)
{
    const struct span word = e->literal.text;
    if (word.len > 0 && word.ptr[0] >= '0' && word.ptr[0] <= '9') {
        return expr_fail_number(p, e->column, word);
    }
    if (wanted == NULL) {
        expr_fail(p, e->column, "nothing says what '%s' means here", expr_show(p, word));
    } else {
        expr_fail(p, e->column, "'%s' is a bare word, but %s is wanted here", expr_show(p, word),
                  wanted);
    }
    if (span_eq_text(word, "unknown") || span_eq_nocase(word, span_of("null"))) {
        return expr_hint(p, "No operator turns unknown into an answer.");
    }
    const char *const near = decl_nearest(p->names->decls, word);
    return near != NULL ? expr_hint(p, "Did you mean %s?", near)
                        : expr_hint(p, "Names of facts have dots: SUBJECT.NAME.");
}

static bool settle_enum(struct parser *p, struct expr *e, const struct expr_type *as,
                        bool quoted)
{
    const struct span word = e->literal.text;
    if (as->allowed == NULL || expr_list_has(as->allowed, word)) {
        if (quoted && as->allowed != NULL && lex_is_word(word)) {
            expr_fail(p, e->column, "\"%s\" is a word of a list, not text", expr_show(p, word));
            return expr_hint(p, "Write %s without quotes.", expr_show(p, word));
        }
        e->literal = value_text(KIND_ENUM, word);
        e->type = *as;
        e->type.kind = KIND_ENUM;
        return true;
    }
    expr_fail(p, e->column, "'%s' is not one of its words", expr_show(p, word));
    if (span_eq_text(word, "unknown") || span_eq_nocase(word, span_of("null"))) {
        return expr_hint(p, "No operator turns unknown into an answer.");
    }
    const struct span near = expr_nearest(as->allowed, word);
    return near.len > 0 ? expr_hint(p, "Did you mean %.*s? Its words: %s.", SPAN_ARG(near),
                                    as->allowed)
                        : expr_hint(p, "Its words: %s.", as->allowed);
}

/* true, false, ON, OFF (whatever case). */
static bool read_bool(struct span word, bool *ret)
{
    const bool yes = span_eq_nocase(word, span_of("true")) || span_eq_nocase(word, span_of("on"));
    const bool no = span_eq_nocase(word, span_of("false")) || span_eq_nocase(word, span_of("off"));
    *ret = yes;
    return yes || no;
}

static bool settle_word(struct parser *p, struct expr *e, const struct expr_type *as)
{
    const struct span word = e->literal.text;
    bool truth = false;
    if (as == NULL) {
        if (!span_eq_text(word, "true") && !span_eq_text(word, "false")) {
            return fail_word(p, e, NULL);
        }
        e->literal = value_bool(span_eq_text(word, "true"));
        e->type = expr_type_bool();
        return true;
    }
    if (as->kind == KIND_ENUM) {
        return settle_enum(p, e, as, false);
    }
    if (as->kind == KIND_BOOL && read_bool(word, &truth)) {
        e->literal = value_bool(truth);
        e->type = expr_type_bool();
        return true;
    }
    if (as->numeric && span_eq_text(word, "unlimited")) {
        e->literal = value_num(as->kind, num_unlimited());
        e->type = *as;
        return true;
    }
    if (as->kind == KIND_SET || as->kind == KIND_LIST) {
        expr_fail(p, e->column, "'%s' is one word, but the other side is %s", expr_show(p, word),
                  expr_type_name(p, as));
        return expr_hint(p, "Ask for a word: … has %s.", expr_show(p, word));
    }
    if (as->kind == KIND_STRING) {
        expr_fail(p, e->column, "'%s' is a bare word, but text is wanted here",
                  expr_show(p, word));
        return expr_hint(p, "Write \"%s\".", expr_show(p, word));
    }
    return fail_word(p, e, expr_type_name(p, as));
}

bool expr_settle_literal(struct parser *p, struct expr *e, const struct expr_type *as)
{
    if (e->type.kind == KIND_OPEN) {
        return settle_word(p, e, as);
    }
    if (as == NULL) {
        return true;
    }
    if (as->kind == KIND_VERSION && expr_is_plain_number(e)) {
        struct version v = {0};
        const struct span text = expr_source(p, e);
        if (!version_parse_exact(text, &v)) {
            expr_fail(p, e->column, "'%s' is no version", expr_show(p, text));
            return expr_hint(p, "Write at least two numbers: %s.0.", expr_show(p, text));
        }
        e->literal = value_version(v);
        e->type = *as;
    } else if (as->kind == KIND_ENUM && e->type.kind == KIND_STRING) {
        return settle_enum(p, e, as, true);
    }
    return true;
}
