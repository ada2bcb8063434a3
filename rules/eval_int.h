/* What the files of the evaluator share with each other and with nobody else. */
#ifndef NVADVISE_RULES_EVAL_INT_H
#define NVADVISE_RULES_EVAL_INT_H

#include "rules/eval.h"
#include "rules/expr_int.h"

/* eval_num.c: an arithmetic operator or function on `n` numbers. NULL when *ret is set, else what went
 * wrong: static text such as "division by zero". */
ATTR_NODISCARD const char *eval_arithmetic_op(enum expr_op op, const struct num *v, size_t n,
                                              struct num *ret);

/* The value of a fact as its name's type has it; false: the store holds something else. */
ATTR_NODISCARD bool eval_fact_value(const struct expr *name, const struct fact *f,
                                    struct value *ret);

/* Is this kid of a case a condition (rather than a value)? */
static inline bool eval_is_condition(const struct expr *e, size_t i)
{
    return i % 2 == 0 && i + 1 < e->n_kids;
}

/* The value of a case that its conditions choose; NULL while one of them is undecided, whose result
 * `why` (may be NULL) then gets. */
const struct expr *eval_case_branch(const struct expr *e, const struct eval_env *env,
                                    struct eval_result *why);

#endif
