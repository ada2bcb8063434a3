/* A host that puts each question once: whoever asks again gets the same answer, an error too. For one short run
 * alone, in which nothing changes that is asked for. Knows nothing of what is asked. */
#include "probes/host/host.h"

#include <string.h>

#include "advisor/base/hash.h"

#include "advisor/base/banned.h"

#define BUCKETS 1024u

struct answer {
    const struct answer *next;
    enum host_op op;
    const char *key;
    size_t max_bytes;
    bool any_max; /* the answer does not depend on it */
    const struct err *err; /* NULL: it went well */
    struct span bytes;
};

struct memo {
    struct host *inner;
    const struct answer *buckets[BUCKETS];
};

static size_t bucket_of(enum host_op op, const char *key)
{
    return (hash_quick(span_of(key)) ^ (uint32_t)op) % BUCKETS;
}

static const struct answer *find(const struct memo *m, const struct host_request *rq)
{
    const struct answer *a = m->buckets[bucket_of(rq->op, rq->key)];
    while (a != NULL && (a->op != rq->op || (!a->any_max && a->max_bytes != rq->max_bytes) ||
                         strcmp(a->key, rq->key) != 0)) {
        a = a->next;
    }
    return a;
}

static struct answer *add(struct host *h, enum host_op op, const char *key)
{
    struct memo *const m = h->state;
    const struct answer **const bucket = &m->buckets[bucket_of(op, key)];
    struct answer *const made = arena_alloc(h->arena, sizeof(*made));
    *made = (struct answer){.next = *bucket, .op = op, .key = arena_strdup(h->arena, key)};
    *bucket = made;
    return made;
}

static const struct err *keep(struct arena *a, const struct err *err)
{
    struct err *const copy = arena_alloc(a, sizeof(*copy));
    *copy = *err;
    return copy;
}

static const struct answer *ask(struct host *h, const struct host_request *rq)
{
    struct memo *const m = h->state;
    struct span bytes = {NULL, 0};
    struct err err = ERR_INIT;
    const bool ok = host_call(m->inner, rq, &bytes, &err);
    struct answer *const made = add(h, rq->op, rq->key);
    made->max_bytes = rq->max_bytes;
    made->bytes = bytes;
    made->err = ok ? NULL : keep(h->arena, &err);
    return made;
}

static bool memo_call(struct host *h, const struct host_request *rq, struct span *ret,
                      struct err *reterr)
{
    const struct answer *a = find(h->state, rq);
    if (a == NULL) {
        a = ask(h, rq);
    }
    if (a->err != NULL) {
        *reterr = *a->err;
        return false;
    }
    *ret = a->bytes;
    return true;
}

static const struct host_backend memo_backend = {.call = memo_call};

struct host *host_memo_new(struct arena *a, struct host *inner)
{
    struct memo *const m = arena_alloc(a, sizeof(*m));
    *m = (struct memo){.inner = inner};
    struct host *const h = arena_alloc(a, sizeof(*h));
    *h = (struct host){.backend = &memo_backend, .state = m, .arena = a};
    return h;
}

void host_memo_refuse(struct host *h, enum host_op op, const char *key, const struct err *err)
{
    struct answer *const made = add(h, op, key);
    made->any_max = true;
    made->err = keep(h->arena, err);
}
