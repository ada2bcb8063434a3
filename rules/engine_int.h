/* Inside rules/ only: what the files of the engine share. */
#ifndef NVADVISE_RULES_ENGINE_INT_H
#define NVADVISE_RULES_ENGINE_INT_H

#include "rules/engine.h"

/* Facts about one name, before they are folded into one. */
struct gathered {
    const struct fact **facts;
    const struct subject **subjects;
    size_t n, cap;
    const struct fact *hole; /* why there may be more of them (an unknown list), or NULL */
};

/* Fold to one fact; *ret_subject: the one that decided, or NULL when it was several. Kleene: a hole or an
 * unknown fact makes the result unknown unless the others decide it. */
const struct fact *engine_fold(struct arena *a, const struct fact_decl *decl, enum fold fold,
                               const struct gathered *g, const struct subject **ret_subject);

/* A fact that says that nothing is known of the name. */
const struct fact *engine_unknown(struct arena *a, enum fact_state state, const char *source,
                                  const char *remedy, const char *fmt, ...) ATTR_PRINTF(5, 6);

/* An unknown fact made of what keeps it unknown: the gravest state, its reason and remedy. */
const struct fact *engine_unknown_from(struct arena *a, const struct evidence *blockers, size_t n,
                                       const char *source);

/* Are all of them "not supported"? false for none. */
bool engine_all_unsupported(const struct evidence *blockers, size_t n);

/* Give a raw value of the server the declared kind (a number of pages per second was read as a plain
 * count). false: it does not fit. */
bool engine_fit_kind(struct arena *a, const struct fact_decl *decl, const struct value *raw,
                     struct value *ret);

/* The leaves of a volume; false: unknown, *ret_why says why. */
bool engine_leaves(struct store *s, const struct subject *volume, struct arena *a,
                   const struct subject *const **ret, size_t *ret_n, const struct fact **ret_why);

/* Does any fact of the list rest on --set, on an estimate? */
bool engine_any_overridden(const struct evidence *e, size_t n);
bool engine_any_estimated(const struct evidence *e, size_t n);

/* Evidence of a decided expression, appended to *list, each (name, subject) once. */
void engine_add_evidence(const struct expr *e, const struct eval_env *env, struct arena *a,
                         struct evidence **list, size_t *n);

void engine_add_input(struct arena *a, struct evidence **list, size_t *n,
                      const struct eval_input *in);

/* Append blockers of an undecided expression, plan values opened, each (name, subject) once. */
void engine_add_blockers(const struct expr *e, const struct eval_env *env, struct arena *a,
                         struct evidence **list, size_t *n);

#endif
