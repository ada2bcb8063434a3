/* The wave of pools of ZFS: one job for each that some volume lies on. See waves.h. */
#include <string.h>

#include "probes/runner.h"
#include "probes/waves.h"

#include "advisor/base/banned.h"

/* As whom the volume itself was read: its server, or the owner of a path that was named. */
static void set_reader(const struct waves *w, const struct subject *volume, struct probe_args *args)
{
    if (volume->server != NULL) {
        waves_set_process(w, volume->server, args);
        return;
    }
    for (size_t i = 0; i < w->n_paths; i++) {
        if (strcmp(volume->label + strlen("volume:"), w->paths[i].path) == 0) {
            args->uid = w->paths[i].uid;
            args->gid = w->paths[i].gid;
        }
    }
}

static struct job *job_of(struct job *jobs, size_t n, const char *pool)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(jobs[i].args.pool, pool) == 0) {
            return &jobs[i];
        }
    }
    return NULL;
}

/* The first layer is the filesystem's own. */
static struct span top_layer(const struct store *s, const struct subject *volume)
{
    const struct fact *const f = store_get(s, volume, SPAN_LIT("volume.layers"));
    return f != NULL && f->state == FACT_KNOWN && f->value.n_items > 0 ? f->value.items[0]
                                                                       : (struct span){"", 0};
}

static void add_member(struct job *job, struct pool_member *members, const struct waves *w,
                       const struct subject *volume, const char *dataset)
{
    members[job->args.n_members++] =
        (struct pool_member){.label = volume->label,
                             .dataset = dataset,
                             .layer = top_layer(w->store, volume)};
}

size_t waves_pools(struct waves *w, struct job **ret)
{
    const struct subject *const *volumes = NULL;
    const size_t n = store_subjects_of(w->store, SUBJECT_VOLUME, &volumes);
    struct job *const jobs = arena_calloc(w->arena, n, sizeof(*jobs));
    struct pool_member **const members = arena_calloc(w->arena, n, sizeof(*members));
    size_t count = 0;
    for (size_t i = 0; w->probes->pool != NULL && i < n; i++) {
        const char *const pool = waves_text(w->store, volumes[i], "volume.zfs.pool", w->arena);
        const char *const dataset =
            waves_text(w->store, volumes[i], "volume.zfs.dataset", w->arena);
        if (pool == NULL || dataset == NULL) {
            continue;
        }
        struct job *job = job_of(jobs, count, pool);
        if (job == NULL) {
            members[count] = arena_calloc(w->arena, n - i, sizeof(**members));
            job = &jobs[count++];
            *job = (struct job){.id = arena_printf(w->arena, "pool:%s", pool),
                                .probe = w->probes->pool,
                                .kind = SUBJECT_VOLUME};
            job->args.label = volumes[i]->label;
            job->args.pool = pool;
            job->args.members = members[count - 1];
            set_reader(w, volumes[i], &job->args);
        }
        add_member(job, members[job - jobs], w, volumes[i], dataset);
    }
    *ret = jobs;
    return count;
}
