/* A host that answers from a capture. Touches nothing of this machine. */
#include "probes/host/capture.h"

#include <string.h>

#include "probes/host/capture_format.h"

#include "advisor/base/banned.h"

#define REDACTED_ROOM 12u /* a word of one letter in another script becomes eleven bytes */

struct replay {
    const struct capture_op *ops;
    size_t n, next;
    bool ended;
    size_t room; /* how much larger than asked for a reply may be: pseudonyms are longer than names */
    struct err end;
};

static bool op_is(const struct capture_op *op, const struct host_request *rq)
{
    return op->op == rq->op && strcmp(op->key, rq->key) == 0;
}

static bool fail_ended(const struct host_request *rq, struct err *reterr)
{
    return err_set(reterr, E_TIMEOUT, "no answer to %s '%s' was recorded", host_op_name(rq->op),
                   rq->key);
}

static bool end_replay(struct replay *r, const struct capture_op *begun,
                       const struct host_request *rq, struct err *reterr)
{
    r->ended = true;
    fail_ended(rq, reterr);
    r->end = begun != NULL && begun->err != NULL ? *begun->err : *reterr;
    return false;
}

/* The next operation as asked; the "begun" that ends the recording stands for every question. */
static const struct capture_op *find_op(const struct replay *r, const struct host_request *rq)
{
    for (size_t i = r->next; i < r->n; i++) {
        if (op_is(&r->ops[i], rq) || r->ops[i].outcome == OUTCOME_BEGUN) {
            return &r->ops[i];
        }
    }
    return NULL;
}

static bool replay_call(struct host *h, const struct host_request *rq, struct span *ret,
                        struct err *reterr)
{
    struct replay *const r = h->state;
    if (r->ended) {
        return fail_ended(rq, reterr);
    }
    if (r->next >= r->n) {
        return end_replay(r, NULL, rq, reterr);
    }
    const struct capture_op *const op = find_op(r, rq);
    if (op == NULL) {
        return err_set(reterr, E_INTERNAL,
                       "the capture was made by another version: it has no %s '%s' here",
                       host_op_name(rq->op), rq->key);
    }
    if (op->outcome == OUTCOME_BEGUN) {
        return end_replay(r, op, rq, reterr);
    }
    r->next = (size_t)(op - r->ops) + 1;
    if (op->outcome == OUTCOME_ERR) {
        *reterr = *op->err;
        return false;
    }
    if (op->bytes.len / r->room > rq->max_bytes) {
        return err_set(reterr, E_TOO_BIG, "reply to %s '%s' is larger than %zu bytes",
                       host_op_name(rq->op), rq->key, rq->max_bytes);
    }
    *ret = op->bytes;
    return true;
}

static const struct host_backend replay_backend = {.call = replay_call};

struct host *host_replay_new(struct arena *a, const struct capture *c, const char *probe)
{
    struct replay *const r = arena_alloc(a, sizeof(*r));
    const struct json *const redacted = json_get(c->header, "redacted");
    r->room = redacted != NULL && redacted->type == JSON_BOOL && redacted->boolean ? REDACTED_ROOM : 1;
    for (size_t i = 0; i < c->n_probes; i++) {
        if (strcmp(c->probes[i], probe) == 0) {
            r->ops = c->ops + c->first[i];
            r->n = c->first[i + 1] - c->first[i];
        }
    }
    if (r->ops == NULL) {
        /* A probe that could not run left at least its reason. */
        r->ended = true;
        err_set(&r->end, E_INTERNAL,
                "the capture was made by another version: it holds nothing of probe '%s'", probe);
        err_hint(&r->end, "Make a new one: nvadvise capture FILE.");
    }
    if (r->n > 0 && r->ops[0].outcome == OUTCOME_BEGUN &&
        strcmp(r->ops[0].key, CAPTURE_NOT_RUN) == 0) {
        r->ended = true;
        r->end = r->ops[0].err != NULL ? *r->ops[0].err : r->end;
    }
    struct host *const h = arena_alloc(a, sizeof(*h));
    *h = (struct host){.backend = &replay_backend, .state = r, .arena = a};
    return h;
}

bool host_replay_ended(const struct host *h)
{
    const struct replay *const r = h->state;
    return r->ended;
}

const struct err *host_replay_end(const struct host *h)
{
    const struct replay *const r = h->state;
    return &r->end;
}
