/* What the tests of the storage probes share: a probe run on a fake host, and facts as text. */
#ifndef NVADVISE_TESTS_UNIT_PROBES_STORAGE_FIXTURE_H
#define NVADVISE_TESTS_UNIT_PROBES_STORAGE_FIXTURE_H

#include "probes/probe.h"
#include "tests/lib/fakehost.h"

/* What a fact must be: a literal as value_print_literal writes it, or "?STATE" for an unknown. */
struct want {
    const char *name, *text;
};

/* A store that knows this probe's declarations. */
struct store *fixture_store(struct arena *a, const struct probe *probe);

/* open and run; facts go to the store, the subject is args->label of `kind`. Fails the test when a
 * declared fact of the subject was not set at all. */
struct subject *fixture_run(struct arena *a, struct store *s, const struct probe *probe,
                            struct host *h, enum subject_kind kind, const struct probe_args *args);

/* The same without that last check; and the check, over the tables of `probe`. */
struct subject *fixture_run_part(struct arena *a, struct store *s, const struct probe *probe,
                                 struct host *h, enum subject_kind kind,
                                 const struct probe_args *args);
void fixture_all_set(const struct store *s, const struct subject *sub, const struct probe *probe);

/* The fact as text in the form of struct want; "(none)" when it was never set. */
const char *fixture_text(struct arena *a, const struct store *s, const struct subject *sub,
                         const char *name);

/* Fails the test, naming `row`, at the first fact that is not as wanted. Ends at a NULL name. */
void fixture_check(struct arena *a, const struct store *s, const struct subject *sub,
                   const char *row, const struct want *wants);

/* Replies that the table macros of fakehost.h cannot make. */
void fixture_list(struct host *h, const char *path, const char *names /* blanks between */);
void fixture_link(struct host *h, const char *path, const char *target);
void fixture_stat(struct host *h, const char *path, const struct host_stat *st);

#endif
