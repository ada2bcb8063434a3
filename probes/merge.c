/* From a job's frames to the store of the run: checked first, all of them, then taken over. Knows
 * nothing of where the frames come from. */
#include "probes/job.h"

#include <string.h>

#include "probes/frames.h"

#include "advisor/base/banned.h"

struct merge {
    const struct job *job;
    struct store *store;
    struct job_end *end;
    struct arena *scratch;
    bool with_servers;
};

static enum subject_kind kind_of(const char *label)
{
    static const char *const prefixes[] = {
        [SUBJECT_SERVER] = "server:", [SUBJECT_VOLUME] = "volume:", [SUBJECT_DEVICE] = "device:"};
    for (unsigned k = SUBJECT_SERVER; k < SUBJECT_KINDS; k++) {
        if (strncmp(label, prefixes[k], strlen(prefixes[k])) == 0) {
            return (enum subject_kind)k;
        }
    }
    return strcmp(label, "host") == 0 ? SUBJECT_HOST : SUBJECT_KINDS;
}

static bool is_member(const struct job *job, const char *label)
{
    for (size_t i = 0; i < job->args.n_members; i++) {
        if (strcmp(label, job->args.members[i].label) == 0) {
            return true;
        }
    }
    return false;
}

/* A job speaks of its own subject and of the server it belongs to, a pool's job of the volumes on it; the
 * host's job finds the servers. */
static bool may_speak_of(const struct job *job, const char *label, enum subject_kind kind)
{
    if (kind == SUBJECT_KINDS) {
        return false;
    }
    if (strcmp(label, job->args.label) == 0) {
        return kind == job->kind;
    }
    if (job->args.server != NULL && strcmp(label, job->args.server) == 0) {
        return kind == SUBJECT_SERVER;
    }
    if (is_member(job, label)) {
        return kind == job->kind;
    }
    return job->kind == SUBJECT_HOST && kind == SUBJECT_SERVER;
}

/* A fact of a declared name has the declared kind and subject: rules count on it. Another kind makes the
 * fact unknown, another subject breaks the frames. Families are as the server says. */
static bool check_declared(const struct merge *m, struct frame_fact *f, enum subject_kind subject)
{
    const struct fact_decl *const decl =
        decl_find(store_decls(m->store), span_of(f->name), false);
    if (decl == NULL) {
        return true;
    }
    if (f->fact.state == FACT_KNOWN && f->fact.value.kind != decl->kind) {
        f->fact.state = FACT_UNREADABLE;
        f->fact.reason = arena_printf(m->scratch, "the probe gave a %s instead of a %s",
                                      kind_name(f->fact.value.kind), kind_name(decl->kind));
    }
    return decl->subject == subject;
}

static bool is_left_out(const struct merge *m, enum subject_kind kind)
{
    return kind == SUBJECT_SERVER && !m->with_servers;
}

static bool came_too_late(const struct merge *m, unsigned begun)
{
    return m->end->lost && begun >= m->end->begun;
}

static bool take_subject(const struct merge *m, struct span payload, bool apply)
{
    struct frame_subject f;
    if (!frame_read_subject(m->scratch, payload, &f)) {
        return false;
    }
    const enum subject_kind kind = kind_of(f.label);
    if (!may_speak_of(m->job, f.label, kind)) {
        return false;
    }
    if (!apply || is_left_out(m, kind) || came_too_late(m, f.begun)) {
        return true;
    }
    struct subject *const sub = store_subject(m->store, kind, f.label);
    if (f.identity[0] != '\0') {
        sub->identity = arena_strdup(store_arena(m->store), f.identity);
    }
    return true;
}

static bool take_fact(const struct merge *m, struct span payload, bool apply)
{
    struct frame_fact f;
    if (!frame_read_fact(m->scratch, payload, &f)) {
        return false;
    }
    const enum subject_kind kind = kind_of(f.label);
    if (!may_speak_of(m->job, f.label, kind) || !check_declared(m, &f, kind)) {
        return false;
    }
    if (!apply || is_left_out(m, kind) || came_too_late(m, f.begun)) {
        return true;
    }
    const struct subject *const sub = store_subject(m->store, kind, f.label);
    const struct fact *const had = m->job->again ? store_get(m->store, sub, span_of(f.name)) : NULL;
    if (had == NULL || had->state != FACT_KNOWN) {
        store_set(m->store, sub, f.name, &f.fact);
    }
    return true;
}

/* Up to the first frame that is broken or says what it may not: false then. */
static bool take_all(struct merge *m, struct span frames, bool apply)
{
    struct frame f;
    while (frames.len > 0) {
        if (frame_next(&frames, &f) != FRAME_READY) {
            return false;
        }
        if (f.type == FRAME_SUBJECT && !take_subject(m, f.payload, apply)) {
            return false;
        }
        if (f.type == FRAME_FACT && !take_fact(m, f.payload, apply)) {
            return false;
        }
        if (f.type == FRAME_OPEN_ERR) {
            m->end->open_failed = frame_read_err(m->scratch, f.payload, &m->end->open_err);
            if (!m->end->open_failed) {
                return false;
            }
        }
    }
    return true;
}

/* ---- lost ------------------------------------------------------------------------------------ */

static void set_rest_of(const struct job *job, struct store *s, const struct fact_decl *rows,
                        size_t n, const struct job_end *end)
{
    const enum fact_state state = fact_state_from_err(end->why.code);
    for (size_t i = 0; i < n; i++) {
        const struct fact_decl *const d = &rows[i];
        const char *const label = d->subject == job->kind        ? job->args.label
                                  : d->subject == SUBJECT_SERVER ? job->args.server
                                                                 : NULL;
        const struct subject *const sub = label == NULL ? NULL : store_find_subject(s, label);
        const bool is_family = span_ends(span_of(d->name), ".");
        if (sub != NULL && !is_family && store_get(s, sub, span_of(d->name)) == NULL) {
            store_unknown(s, sub, d->name, state, d->read_from, end->why.hint, "%s", end->why.text);
        }
    }
}

static bool no_call(struct host *h, const struct host_request *rq, struct span *ret,
                    struct err *reterr)
{
    (void)h;
    (void)ret;
    return err_set(reterr, E_INTERNAL, "%s '%s' was asked after the probe was lost",
                   host_op_name(rq->op), rq->key);
}

static void set_lost(const struct job *job, struct store *s, const struct job_end *end,
                     struct arena *scratch)
{
    static const struct host_backend none = {.call = no_call};
    struct host h = {.backend = &none, .arena = scratch};
    struct probe_ctx ctx = {.host = &h,
                            .store = s,
                            .args = &job->args,
                            .subject = store_subject(s, job->kind, job->args.label),
                            .arena = scratch};
    const struct probe *const p = job->probe;
    if (p->lost != NULL) {
        p->lost(&ctx, fact_state_from_err(end->why.code), end->why.text, end->why.hint);
    }
    set_rest_of(job, s, p->decls, p->n_decls, end);
    for (size_t i = 0; i < p->n_themes; i++) {
        set_rest_of(job, s, p->themes[i].rows, p->themes[i].n, end);
    }
}

void job_merge(const struct job *job, struct span frames, struct job_end *end, struct store *s,
               bool with_servers)
{
    ARENA_AUTO scratch = arena_new();
    struct merge m = {
        .job = job, .store = s, .end = end, .scratch = scratch, .with_servers = with_servers};
    if (!take_all(&m, frames, false) && !end->lost) {
        end->lost = true;
        err_set(&end->why, E_CRASHED, "the probe sent what is no fact of its own");
    }
    (void)take_all(&m, frames, true);
    if (end->lost) {
        set_lost(job, s, end, scratch);
    }
}
