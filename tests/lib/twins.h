/* A probe's recording and its redacted twin: the same facts, but for names. */
#ifndef NVADVISE_TESTS_LIB_TWINS_H
#define NVADVISE_TESTS_LIB_TWINS_H

#include "probes/host/capture.h"
#include "probes/probe.h"

/* Which pseudonym each name has; a name has one, and no other has it. Begin with the arena alone.
 */
struct twin_name {
    struct span plain, redacted;
};
struct twin_names {
    struct arena *arena;
    struct twin_name *list;
    size_t n;
};

/* Are both texts the same, with a pseudonym in place of a name here and there? */
bool twin_text(struct twin_names *names, struct span plain, struct span redacted);

/* The same of two facts: state, value, source, reason, remedy. */
bool twin_fact(struct twin_names *names, const struct fact *plain, const struct fact *redacted);

/* Sweeps run a probe some ten thousand times: true for the first hundreds of runs of this program,
 * then now and then. */
bool twin_is_due(void);

/* A host that records what a probe asks `inner`. */
struct twin;
struct twin *twin_new(struct arena *a, struct host *inner);
struct host *twin_host(const struct twin *t);

/* Redact what was recorded, run the probe over it again, with redacted arguments, and compare with
 * what it set in `s`: "", or what differs, a line each. */
const char *twin_differences(struct twin *t, const struct probe *probe, enum subject_kind kind,
                             const struct probe_args *args, const struct store *s);

#endif
