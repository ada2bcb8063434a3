/* A host that tells a sink of every operation before and after it. Knows nothing of captures. */
#include "probes/host/host.h"

#include "advisor/base/banned.h"

struct record {
    struct host *inner;
    host_record_sink sink;
    void *ctx;
    unsigned n;
};

static bool record_call(struct host *h, const struct host_request *rq, struct span *ret,
                        struct err *reterr)
{
    struct record *const r = h->state;
    struct host_record rec = {.n = r->n++, .op = rq->op, .key = rq->key, .outcome = OUTCOME_BEGUN};
    r->sink(r->ctx, &rec);
    struct span got = {NULL, 0};
    struct err err = ERR_INIT;
    if (!host_call(r->inner, rq, &got, &err)) {
        rec.outcome = OUTCOME_ERR;
        rec.err = &err;
        r->sink(r->ctx, &rec);
        *reterr = err;
        return false;
    }
    rec.outcome = OUTCOME_OK;
    rec.bytes = got;
    r->sink(r->ctx, &rec);
    *ret = got;
    return true;
}

static const struct host_backend record_backend = {.call = record_call};

struct host *host_record_new(struct arena *a, struct host *inner, host_record_sink sink, void *ctx)
{
    struct record *const r = arena_alloc(a, sizeof(*r));
    *r = (struct record){.inner = inner, .sink = sink, .ctx = ctx};
    struct host *const h = arena_alloc(a, sizeof(*h));
    *h = (struct host){.backend = &record_backend, .state = r, .arena = a};
    return h;
}
