/* The rule language: text to checked tree. Small, typed, total: no loops, no I/O, no recursion
 * without a cap.
 *
 * Grammar, loosest first:
 *   or    := and ('||' and)*
 *   and   := not ('&&' not)*
 *   not   := '!' not | cmp
 *   cmp   := sum (('=='|'!='|'<'|'<='|'>'|'>=') sum)?     comparisons do not chain
 *          | sum 'in' '{' literal (',' literal)* '}' | sum 'not' 'in' '{' … '}' | sum 'has' word
 *   sum   := prod (('+'|'-') prod)*      prod := unary (('*'|'/') unary)*      unary := '-' unary | prim
 *   prim  := literal | name | '(' or ')' | call | case
 *   call  := min|max|clamp|floor_to|ceil_to|grid125|pow2|floor '(' … ')'
 *   case  := 'case' '(' cond ':' value (',' cond ':' value)* ',' 'else' ':' value ')'
 *   literal := number with unit | version (two or more dots, or beside a version) | true | false
 *            | unlimited | "text" | bare word (an enum value of the other side)
 *   name  := facts ("server.redo.capacity", "data.fs.type", "redo.bench.sync.fdatasync_p50"),
 *            "param.x", "plan.x"
 * clamp(x, lo, hi): hi wins when lo > hi. grid125(x): down to 1, 2 or 5 times a power of ten; pow2(x):
 * down to a power of two; both keep the dimension, count in its base unit, give 0 below 1, and a
 * negative number is an error. floor_to(x, step), ceil_to(x, step): to a multiple of a step above zero
 * (with reals, a quotient within 1e-9 of a whole number is that number). floor(x): to a whole number.
 * In a list of texts one that ends in '*' stands for all that begin so: device.model in {"INTEL SSDPEDME*"}.
 * Words: '-' and '+' between letters or digits belong to a word ("mq-deadline", "defer+madvise"), never
 * to a dotted name; a word that cannot stand bare is quoted. Beside a bool ON, OFF, true and false are
 * read whatever their case. `!a == b` denies the comparison.
 * Count and ratio are both plain numbers; which one a result is decides only how it prints.
 * There is no operator that turns unknown into an answer. */
#ifndef NVADVISE_RULES_EXPR_H
#define NVADVISE_RULES_EXPR_H

#include "advisor/facts/store.h"

#define EXPR_MAX_BYTES 4096
#define EXPR_MAX_DEPTH 32 /* of the tree; parentheses and chains a + b + c add none */
#define EXPR_MAX_NODES 512

enum expr_op {
    EXPR_LITERAL, EXPR_NAME,
    EXPR_OR, EXPR_AND, EXPR_NOT,
    EXPR_EQ, EXPR_NE, EXPR_LT, EXPR_LE, EXPR_GT, EXPR_GE, EXPR_IN, EXPR_HAS,
    EXPR_ADD, EXPR_SUB, EXPR_MUL, EXPR_DIV, EXPR_NEG,
    EXPR_MIN, EXPR_MAX, EXPR_CLAMP, EXPR_FLOOR_TO, EXPR_CEIL_TO, EXPR_GRID125, EXPR_POW2, EXPR_FLOOR,
    EXPR_CASE, /* kids: cond, value, cond, value, …, else value */
    EXPR_OPS
};

/* Where a name leads, decided when the rule loads. */
enum ref_kind {
    REF_FACT,   /* a fact of `subject`; role 0, or the volumes of that role */
    REF_PARAM,
    REF_PLAN,
};

struct expr_ref {
    enum ref_kind kind;
    const struct fact_decl *decl; /* REF_FACT */
    const char *fact;             /* whole fact name, role replaced: "volume.fs.type" */
    unsigned role;                /* enum role, or 0: the rule's own subject or its relatives */
    const char *name;             /* as written */
};

/* A checked type: for numeric kinds the dimension decides; enums carry their words. */
struct expr_type {
    enum kind kind;        /* numeric results of arithmetic: the kind that fits the dimension, RATIO else */
    struct dim dim;
    bool numeric;
    const char *allowed;   /* enums and sets: words, or NULL = open */
};

struct expr {
    enum expr_op op;
    struct expr_type type;
    unsigned column;       /* byte offset in the source, for carets: the operator's own */
    unsigned begin;        /* of its first byte */
    unsigned end;          /* one past its last byte */
    struct value literal;  /* EXPR_LITERAL */
    struct expr_ref ref;   /* EXPR_NAME */
    struct expr **kids;
    size_t n_kids;
    struct value *words;   /* EXPR_IN: the literals; EXPR_HAS: one */
    size_t n_words;
};

/* What names mean; handed in, so that the language knows facts only through declarations. */
struct expr_names {
    const struct decl_set *decls;
    enum subject_kind scope;
    /* param.* and plan.*: type of the name (without prefix), or false. May be NULL. */
    bool (*lookup)(const void *ctx, enum ref_kind kind, struct span name, struct expr_type *ret);
    const void *ctx;
};

/* Parse and check. `want`: the type asked for (KIND_BOOL for conditions; for settings the kind of the
 * variable); NULL = any. Failure: E_SYNTAX or E_LIMIT; text is "MESSAGE", hint has the nearest name or
 * the way to write it, and *ret_column (may be NULL) the byte offset for a caret. */
ATTR_NODISCARD bool expr_parse(struct arena *a, struct span text, const struct expr_names *names,
                               const struct expr_type *want, struct expr **ret,
                               unsigned *ret_column, struct err *reterr);

/* "TEXT\n   ^~~" for messages. */
void expr_caret(struct buf *b, struct span text, unsigned column);

/* Print back, fully parenthesised only where needed; parses to the same tree. */
void expr_print(struct buf *b, const struct expr *e);

/* Every EXPR_NAME below, each once by name, in order of the text. */
size_t expr_refs(struct arena *a, const struct expr *e, const struct expr_ref *const **ret);

#endif
