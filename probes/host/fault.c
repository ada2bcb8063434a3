/* A host whose n-th operation fails, for the fault sweep. Knows nothing of what it wraps. */
#include "probes/host/host.h"

#include <string.h>

#include "advisor/base/banned.h"

struct fault {
    struct host *inner;
    unsigned at, n;
    enum err_code code;
    int sys_errno;
};

static bool fault_call(struct host *h, const struct host_request *rq, struct span *ret,
                       struct err *reterr)
{
    struct fault *const f = h->state;
    const bool hit = f->n++ == f->at;
    if (hit && f->code != E_NONE) {
        err_set(reterr, f->code, "%s '%s': %s", host_op_name(rq->op), rq->key,
                f->sys_errno == 0 ? err_code_name(f->code) : strerror(f->sys_errno));
        reterr->sys_errno = f->sys_errno;
        return false;
    }
    if (!host_call(f->inner, rq, ret, reterr)) {
        return false;
    }
    if (hit) {
        ret->len /= 2;
    }
    return true;
}

static const struct host_backend fault_backend = {.call = fault_call};

struct host *host_fault_new(struct arena *a, struct host *inner, unsigned n, enum err_code code,
                            int sys_errno)
{
    struct fault *const f = arena_alloc(a, sizeof(*f));
    *f = (struct fault){.inner = inner, .at = n, .code = code, .sys_errno = sys_errno};
    struct host *const h = arena_alloc(a, sizeof(*h));
    *h = (struct host){.backend = &fault_backend, .state = f, .arena = a};
    return h;
}
