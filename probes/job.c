/* Runs a probe over a host and turns what it finds into frames, as it finds it: so that what was
 * found before an operation that never returns is not lost. Knows nothing of processes. */
#include "probes/job.h"

#include <stdio.h>
#include <string.h>

#include "probes/frames.h"
#include "probes/host/capture.h"

#include "advisor/base/banned.h"

#define FLUSH_AT ((size_t)48 * 1024)

struct running {
    struct job *job;
    struct job_out *out;
    struct store *store;
    struct arena *arena;
    unsigned begun;
    const char **identities; /* as last sent, in the store's order of subjects */
    size_t n_identities;
    struct probe_ctx ctx;
    bool opened;
};

static void flush(struct job_out *out)
{
    if (out->flush != NULL && out->frames.len > 0 && out->flush(out)) {
        out->frames.len = 0;
        out->frames.full = false;
    }
}

static bool is_muted(const struct running *r)
{
    return r->out->replay != NULL && host_replay_ended(r->out->replay);
}

/* Subjects that are new, or whose identity changed, since the last frame. */
static void send_subjects(struct running *r)
{
    const size_t n = store_subjects(r->store);
    if (n > r->n_identities) {
        r->identities =
            arena_grow(r->arena, r->identities, r->n_identities * sizeof(*r->identities),
                       n * sizeof(*r->identities));
        r->n_identities = n;
    }
    for (size_t i = 0; i < n; i++) {
        const struct subject *const s = store_subject_at(r->store, i);
        if (r->identities[i] == NULL || strcmp(r->identities[i], s->identity) != 0) {
            r->identities[i] = arena_strdup(r->arena, s->identity);
            frame_add_subject(&r->out->frames, r->begun, s);
        }
    }
}

static void on_fact(void *ctx, const struct subject *sub, const char *name, const struct fact *f)
{
    struct running *const r = ctx;
    if (is_muted(r)) {
        return;
    }
    send_subjects(r);
    frame_add_fact(&r->out->frames, r->begun, sub->label, name, f);
    if (r->out->frames.len >= FLUSH_AT) {
        flush(r->out);
    }
}

/* After the flush: what the parent counts as begun it also has the facts and frames before of. */
static void note_begun(struct running *r, const struct host_record *rec)
{
    struct job_status *const status = r->out->status;
    r->begun = rec->n + 1;
    if (status == NULL) {
        return;
    }
    status->op = (uint32_t)rec->op;
    snprintf(status->key, sizeof(status->key), "%s", rec->key);
    __atomic_store_n(&status->begun, r->begun, __ATOMIC_RELEASE);
}

static void on_operation(void *ctx, const struct host_record *rec)
{
    struct running *const r = ctx;
    struct job_out *const out = r->out;
    if (rec->outcome == OUTCOME_BEGUN) {
        if (out->with_operations) {
            frame_add_record(&out->frames, rec);
        }
        flush(out);
        note_begun(r, rec);
        return;
    }
    if (out->with_operations) {
        frame_add_record(&out->frames, rec);
    }
    if (rec->outcome == OUTCOME_ERR && rec->op == HOST_OPEN && strcmp(rec->key, "sql") == 0) {
        frame_add_err(&out->frames, FRAME_OPEN_ERR, rec->err);
    }
}

static struct probe_ctx make_ctx(struct running *r, struct host *h)
{
    const struct probe_args *const args = &r->job->args;
    struct subject *const sub = store_subject(r->store, r->job->kind, args->label);
    sub->roles = args->roles;
    if (args->server != NULL) {
        sub->server = store_subject(r->store, SUBJECT_SERVER, args->server);
    }
    return (struct probe_ctx){
        .host = h, .store = r->store, .args = args, .subject = sub, .arena = r->arena};
}

static void set_busy(const struct running *r, bool busy)
{
    if (r->out->status != NULL) {
        __atomic_store_n(&r->out->status->busy, busy, __ATOMIC_RELEASE);
    }
}

static void begin(struct running *r, struct job *job, struct host *inner, const struct decl_set *decls,
                  struct arena *a, struct job_out *out)
{
    *r = (struct running){.job = job, .out = out, .arena = a, .store = store_new(a, decls)};
    r->ctx = make_ctx(r, host_record_new(a, inner, on_operation, r));
    store_observe(r->store, on_fact, r);
    set_busy(r, true);
    r->opened = job->probe->open == NULL || job->probe->open(&r->ctx);
    set_busy(r, false);
}

/* `shared`: others of the child come next, and what hangs there must not cost what was found here. */
static void run_probe(struct running *r, bool shared)
{
    set_busy(r, true);
    if (r->opened) {
        r->job->probe->run(&r->ctx);
    }
    if (shared) {
        flush(r->out);
        set_busy(r, false);
    }
}

static void ask_and_end(struct running *r)
{
    set_busy(r, true);
    if (r->opened && r->job->probe->ask != NULL) {
        r->job->probe->ask(&r->ctx);
    }
    if (!is_muted(r)) {
        send_subjects(r);
    }
    frame_add_end(&r->out->frames);
    flush(r->out);
    set_busy(r, false);
}

void jobs_run(struct job *const *jobs, size_t n, struct host *inner, const struct decl_set *decls,
              struct arena *a, struct job_out *outs, bool (*drop)(void *ctx, struct err *reterr),
              void *drop_ctx)
{
    struct running *const all = arena_calloc(a, n, sizeof(*all));
    struct err err = ERR_INIT;
    for (size_t i = 0; i < n; i++) {
        begin(&all[i], jobs[i], inner, decls, a, &outs[i]);
    }
    if (drop != NULL && !drop(drop_ctx, &err)) {
        for (size_t i = 0; i < n; i++) {
            frame_add_err(&outs[i].frames, FRAME_FAILED, &err);
            flush(&outs[i]);
        }
        return;
    }
    for (size_t i = 0; i < n; i++) {
        run_probe(&all[i], n > 1);
    }
    for (size_t i = 0; i < n; i++) {
        ask_and_end(&all[i]);
    }
}

void job_run(struct job *job, struct host *inner, const struct decl_set *decls, struct arena *a,
             struct job_out *out, bool (*drop)(void *ctx, struct err *reterr), void *drop_ctx)
{
    jobs_run(&job, 1, inner, decls, a, out, drop, drop_ctx);
}
