/* What the test programs over captures share: rules, facts from a capture, verdicts as comparable rows.
 * Knows nothing of what is compared with what. */
#ifndef NVADVISE_TESTS_CASES_JUDGE_H
#define NVADVISE_TESTS_CASES_JUDGE_H

#include "advisor/report/report.h"
#include "probes/host/capture.h"
#include "probes/runner.h"

struct judge {
    struct arena *arena; /* of the rules; lives as long as the program */
    struct decl_set *decls;
    struct ruleset rules;
};

/* Declarations and the compiled-in rules; ends the program when they do not load. */
void judge_init(struct judge *j, struct arena *a);

/* One verdict. The key names rule and subject so that it is the same when a server lost its name:
 * "redo-default-100m server", "fs-type-unfit volume:data", "blk-scheduler volume:data". */
struct verdict_row {
    const char *key;
    enum verdict verdict;
};

struct verdicts {
    struct verdict_row *rows; /* in byte order of keys */
    size_t n;
    int exit_code;            /* of check, with its default options */
};

/* Derive, judge, report: everything after the facts. All of it in `a`. */
void judge_store(const struct judge *j, struct store *s, struct arena *a, struct verdicts *ret);

/* Where `now` says more, or something better, than `whole` did: an undecided verdict that became decided,
 * a decided one that became another decided one, an error, an exit code 0 that was none. One line each;
 * "" when there is none. */
const char *judge_better(struct arena *a, const struct verdicts *whole, const struct verdicts *now);

/* Is any verdict another one, there or not? */
bool judge_differ(const struct verdicts *a, const struct verdicts *b);

/* The bytes of a capture, read whole; ends the program when it cannot be. */
const struct capture *judge_capture(struct arena *a, const char *path);

#endif
