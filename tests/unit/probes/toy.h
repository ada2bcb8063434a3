/* What the tests of the runner share: toy probes' facts, runs live and from the run's own capture,
 * and a store as text. */
#ifndef NVADVISE_TESTS_UNIT_PROBES_TOY_H
#define NVADVISE_TESTS_UNIT_PROBES_TOY_H

#include "probes/collect.h"

/* Every name that toys set; host.*, server.*, volume.*, device.* . */
struct decl_set *toy_decls(struct arena *a);

/* All subjects in order with identity, roles and server, all facts with everything. */
const char *toy_dump(struct arena *a, const struct store *s);

struct toy_run {
    bool ok;
    struct err err;
    struct store *store;
    const struct capture *capture; /* read back from its file's bytes; live only */
    double seconds;
};

struct toy_run toy_live(struct arena *a, const struct probe_table *t,
                        const struct collect_options *opt, const struct login *login);
struct toy_run toy_replay(struct arena *a, const struct probe_table *t, const struct capture *c,
                          const struct fault *fault);

/* Toys for every kind of job: a host with the servers /a and /b, each with a data directory on sda and
 * sdb. */
extern const struct probe_table toy_table;
extern const struct probe toy_device;

/* Replays of the run's capture, twice, give the run's store. */
void toy_assert_same(struct arena *a, const struct toy_run *live, const struct probe_table *t);

/* Set a known count, text. */
void toy_count(struct probe_ctx *ctx, const char *name, uint64_t v);
void toy_text(struct probe_ctx *ctx, const char *name, const char *text);

#endif
