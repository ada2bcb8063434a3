/* A wave from a capture: the same job, the same frames, the same merge as with children; only
 * nothing of this machine is touched. */
#include "probes/runner_live.h"

#include <string.h>

#include "probes/frames.h"

#include "advisor/base/banned.h"

static void replay_job(const struct capture *c, const struct fault *fault, struct job *job,
                       struct store *s, bool with_servers, struct job_end *end)
{
    ARENA_AUTO a = arena_new();
    struct host *const replay = host_replay_new(a, c, job->id);
    struct host *h = replay;
    if (fault->probe != NULL && strcmp(fault->probe, job->id) == 0) {
        h = host_fault_new(a, replay, fault->n, fault->code, fault->sys_errno);
    }
    struct job_out out = {.replay = replay};
    buf_init(&out.frames, a, JOB_FACTS_MAX);
    if (!host_replay_ended(replay)) {
        job_run(job, h, store_decls(s), a, &out, NULL, NULL);
    }
    *end = (struct job_end){.lost = false, .begun = UINT32_MAX};
    if (host_replay_ended(replay)) {
        end->lost = true;
        end->why = *host_replay_end(replay);
        end->aside = end->why.code == E_TIMEOUT; /* if it was not, nothing was recorded of a second try */
    }
    job_merge(job, buf_span(&out.frames), end, s, with_servers);
}

void wave_replay(const struct capture *c, const struct fault *fault, struct job *jobs, size_t n,
                 struct store *s, bool with_servers, struct job_end *ends)
{
    for (size_t i = 0; i < n; i++) {
        replay_job(c, fault, &jobs[i], s, with_servers, &ends[i]);
    }
}
