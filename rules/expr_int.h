/* What the files of the rule language share with each other and with nobody else: the state of one
 * parse, failure reporting, and the steps parse -> names -> types. */
#ifndef NVADVISE_RULES_EXPR_INT_H
#define NVADVISE_RULES_EXPR_INT_H

#include "rules/expr.h"
#include "rules/lex.h"

/* The kind of a literal whose meaning the other side decides: a bare word, `unlimited`. Gone from every
 * tree that expr_parse returns. */
#define KIND_OPEN KINDS

struct parser {
    struct arena *arena;
    struct span text; /* in the arena: the tree borrows from it */
    const struct expr_names *names;
    struct err *err;
    unsigned column;     /* of the mistake */
    struct token token;  /* the next one, not yet taken */
    unsigned nesting;    /* of the descent, parentheses included */
    size_t nodes;
};

/* expr.c: report a mistake. Always false; `expr_hint` adds the remedy and returns false too. */
bool expr_fail(struct parser *p, unsigned column, const char *fmt, ...) ATTR_PRINTF(3, 4);
bool expr_fail_limit(struct parser *p, unsigned column, const char *text); /* E_LIMIT */
bool expr_hint(struct parser *p, const char *fmt, ...) ATTR_PRINTF(2, 3);

/* "'x' stands where WANTED is wanted". */
bool expr_fail_token(struct parser *p, const char *wanted);

/* Text of the rule's author, fit for a message: escaped, at most 60 bytes of it, in the arena. */
const char *expr_show(struct parser *p, struct span s);

/* The source bytes of a node. */
struct span expr_source(const struct parser *p, const struct expr *e);

void expr_advance(struct parser *p); /* to the next token */

/* A node at the current token, within the limit. */
ATTR_NODISCARD bool expr_new_node(struct parser *p, enum expr_op op, struct expr **ret);

/* As expr_new_node, and the token is taken; `left` (may be NULL) becomes the first kid. */
ATTR_NODISCARD bool expr_open_operator(struct parser *p, enum expr_op op, struct expr *left,
                                       struct expr **ret);

void expr_add_kid(struct parser *p, struct expr *e, struct expr *kid);

/* parse.c, primary.c: the grammar's loosest and its tightest step. */
ATTR_NODISCARD bool expr_parse_or(struct parser *p, struct expr **ret);
ATTR_NODISCARD bool expr_parse_primary(struct parser *p, struct expr **ret);

/* names.c: fill e->ref and e->type of an EXPR_NAME from e->ref.name. */
ATTR_NODISCARD bool expr_resolve_name(struct parser *p, struct expr *e);

/* check.c: types of the whole tree. `want` may be NULL. */
ATTR_NODISCARD bool expr_check(struct parser *p, struct expr *e, const struct expr_type *want);

/* literal.c */

/* Is the type of this node decided by its neighbour? */
bool expr_is_open(const struct expr *e);

/* A plain number as written: beside a version it is one ("10.11"). */
bool expr_is_plain_number(const struct expr *e);

/* Give an open or re-readable literal the type `as` where it can have it. `as` NULL: nothing says. */
ATTR_NODISCARD bool expr_settle_literal(struct parser *p, struct expr *e,
                                        const struct expr_type *as);

/* Complain about a number that is none ("16K", "5foo"). */
bool expr_fail_number(struct parser *p, unsigned column, struct span text);

/* types.c */

struct expr_type expr_type_of(enum kind kind, const char *allowed);
struct expr_type expr_type_bool(void);

/* "bytes", "true or false", "a version", "one of xfs, ext4, …"; in the arena. */
const char *expr_type_name(struct parser *p, const struct expr_type *t);

/* Same kind, or numbers of one dimension; enums with the same words or an open list. */
bool expr_type_fits(const struct expr_type *a, const struct expr_type *b);

/* "x is bytes, y is seconds", with the hint that helps; `verb` is what was tried ("compare", "add"). */
bool expr_fail_mismatch(struct parser *p, unsigned column, const char *verb, const struct expr *a,
                        const struct expr *b);

/* "TYPE is wanted here, 'text' is TYPE", with its hint. */
bool expr_fail_want(struct parser *p, const struct expr *e, const struct expr_type *want);

/* The kind of a numeric result. */
void expr_type_arithmetic(struct expr *e, struct dim dim);

/* nearest.c */

/* The word of a comma-separated list nearest to `word` (edit distance at most 1 + length / 4, letters'
 * case aside), or an empty span. */
struct span expr_nearest(const char *list, struct span word);

/* Does the comma-separated list hold exactly this word? */
bool expr_list_has(const char *list, struct span word);

/* print.c: as expr_print, with every leaf handed to `leaf` first: true = it has printed the node as
 * one piece (a name's value, the branch taken). `times` is the sign for multiplication. */
struct expr_printer {
    struct buf *b;
    const char *times;
    bool (*leaf)(void *ctx, const struct expr *e, unsigned level, struct buf *b);
    void *ctx;
};

void expr_print_with(const struct expr_printer *pr, const struct expr *e, unsigned level);

/* Binding strength. */
enum {
    EXPR_LEVEL_OR = 1,
    EXPR_LEVEL_AND,
    EXPR_LEVEL_NOT,
    EXPR_LEVEL_COMPARISON,
    EXPR_LEVEL_SUM,
    EXPR_LEVEL_PRODUCT,
    EXPR_LEVEL_SIGN,
    EXPR_LEVEL_PRIMARY,
};
unsigned expr_level(const struct expr *e);

/* The name of a call's function: "min", "floor_to"; NULL for other operators. */
const char *expr_function(enum expr_op op);
bool expr_function_find(struct span name, enum expr_op *ret, unsigned *ret_min, unsigned *ret_max);
const char *expr_function_list(void);

#endif
