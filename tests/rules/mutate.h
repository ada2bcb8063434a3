/* Mutants of expressions: one operator swapped, one constant moved, one operand dropped. For the test
 * that every part of every rule matters in some case. */
#ifndef NVADVISE_TESTS_RULES_MUTATE_H
#define NVADVISE_TESTS_RULES_MUTATE_H

#include "rules/expr.h"

/* All single mutants of `e`, each a tree of its own in the arena. Returns how many. */
size_t mutate_expr(struct arena *a, const struct expr *e, struct expr ***ret);

/* A constant moved by 10 %, whole counts by one at least: up and down. Returns how many of ret are set. */
size_t mutate_number(enum kind kind, struct num n, struct num ret[2]);

#endif
