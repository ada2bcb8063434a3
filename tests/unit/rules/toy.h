/* A toy schema for tests of the rule language: a few declared facts of every subject and kind, and an
 * environment that answers names from a plain array. Knows nothing of the real declarations. */
#ifndef NVADVISE_TESTS_UNIT_RULES_TOY_H
#define NVADVISE_TESTS_UNIT_RULES_TOY_H

#include "rules/eval.h"

/* The declarations, with the families server.var., server.source. and server.status. */
struct decl_set *toy_decls(struct arena *a);

/* Names for a rule over `scope`; param.* and plan.* answer, too. */
struct expr_names toy_names(const struct decl_set *decls, enum subject_kind scope);

/* Values by the name as written in the rule; what is not there is unknown. */
struct toy_fact {
    const char *name;
    struct fact fact;
};

#define TOY_MAX 32

struct toy_world {
    struct toy_fact facts[TOY_MAX];
    size_t n;
};

/* Add `name` with a value read from `text` as the declaration has it; "?" is unknown. Fails the test
 * when it cannot be read. */
void toy_set(struct arena *a, struct toy_world *w, const char *name, enum kind kind,
             const char *text);

/* A world with a value of every kind; what is not in it is unknown, as are server.bp.size_in_force and
 * server.is_replica. */
void toy_fill(struct arena *a, struct toy_world *w);

struct eval_env toy_env(struct toy_world *w, struct arena *a);

/* Parse, or fail the test with the message. */
const struct expr *toy_parse(struct arena *a, const struct expr_names *names, const char *text);

/* "true", "2GiB", "unknown", "error: …". */
const char *toy_show(struct arena *a, const struct eval_result *r);

/* The same operators, names and literals? Offsets aside. */
bool toy_same_tree(const struct expr *x, const struct expr *y);

#endif
