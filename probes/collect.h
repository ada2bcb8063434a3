/* The runs of runner.h over any table of probes, so that tests can run toys. */
#ifndef NVADVISE_PROBES_COLLECT_H
#define NVADVISE_PROBES_COLLECT_H

#include "probes/login.h"
#include "probes/runner.h"
#include "probes/runner_live.h"
#include "probes/waves.h"

/* As collect_live; `login` is what login_resolve found (may be NULL: no server is asked). */
ATTR_NODISCARD bool collect_run_live(const struct probe_table *probes,
                                     const struct collect_options *opt, const struct login *login,
                                     struct store *s, struct capture_writer *capture,
                                     struct err *reterr);

/* As collect_replay and collect_replay_fault (fault->probe NULL: none). */
ATTR_NODISCARD bool collect_run_replay(const struct probe_table *probes, const struct capture *c,
                                       const struct fault *fault, struct store *s,
                                       struct err *reterr);

#endif
