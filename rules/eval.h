/* Evaluation in Kleene logic: true, false, unknown; and error (overflow, division by zero), which
 * outranks unknown and is undecided too. Pure. */
#ifndef NVADVISE_RULES_EVAL_H
#define NVADVISE_RULES_EVAL_H

#include "rules/expr.h"

enum eval_state { EVAL_KNOWN, EVAL_UNKNOWN, EVAL_ERROR };

struct eval_result {
    enum eval_state state;
    struct value value;       /* EVAL_KNOWN */
    const char *error;        /* EVAL_ERROR: "division by zero in '…'" */
};

/* One fact that an evaluation looked at. */
struct eval_input {
    const struct expr_ref *ref;
    const struct subject *subject; /* NULL for params and plan values */
    const struct fact *fact;
    bool decided;   /* taken part in the result (short-circuited sides are not) */
};

/* Answers names. For a REF_FACT: all matching subjects folded (decl->fold, Kleene) into one fact, and
 * the inputs it came from. */
struct eval_env {
    void *ctx;
    /* false: there is no such subject at all (no device below, no server): unknown(absent). */
    const struct fact *(*resolve)(void *ctx, const struct expr_ref *ref,
                                  const struct subject **ret_subject);
    struct arena *arena;
};

/* Short-circuit is by logic, not order: `unknown && false` is false. When `inputs` is not NULL every
 * fact looked at is added there once (array of at least expr's number of names). */
struct eval_result eval(const struct expr *e, const struct eval_env *env);

/* The unknown facts that keep an undecided expression undecided: making any *all* of them known would
 * decide it. Returns how many; array in the arena. */
size_t eval_blockers(const struct expr *e, const struct eval_env *env,
                     const struct eval_input **ret);

/* All facts that took part in a decided result, in order of the text: the evidence. */
size_t eval_evidence(const struct expr *e, const struct eval_env *env,
                     const struct eval_input **ret);

/* The expression with its values put in, for the arithmetic in reports:
 * "clamp(max(128 MiB, 19 GiB) / 2, 512 MiB, 2 GiB) = 2 GiB". */
void eval_arithmetic(struct buf *b, const struct expr *e, const struct eval_env *env);

/* The 3x3 tables, for tests and folds. */
enum tri { TRI_FALSE, TRI_UNKNOWN, TRI_TRUE };
enum tri tri_and(enum tri a, enum tri b);
enum tri tri_or(enum tri a, enum tri b);
enum tri tri_not(enum tri a);

#endif
