/* Facts as short texts, for tables of expectations. */
#ifndef NVADVISE_TESTS_LIB_FACTCHECK_H
#define NVADVISE_TESTS_LIB_FACTCHECK_H

#include "advisor/facts/store.h"

/* A known fact as a literal ("19GiB", "true"), an unknown as "? STATE" ("? not permitted"),
 * "(none)" when the store holds no such fact or subject. Lives in the store's arena. */
const char *fact_text(const struct store *s, const char *label, const char *name);

/* Labels of a kind in byte order, a blank between them. */
const char *subject_labels(const struct store *s, enum subject_kind kind);

/* Fails the test unless every row's fact has its text. */
struct fact_want {
    const char *name, *text;
};
void check_facts(const char *what, const struct store *s, const char *label,
                 const struct fact_want *wants, size_t n);

#endif
