/* See fakehost.h. */
#include "tests/lib/fakehost.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probes/host/reply.h"

#include "advisor/base/banned.h"

struct slot {
    struct fake_row row;
    unsigned calls;
    bool removed;
};

struct fake {
    struct slot *slots;
    size_t n, cap;
    unsigned calls[HOST_OPS];
};

static bool slot_is(const struct slot *s, enum host_op op, const char *key)
{
    return !s->removed && s->row.op == op && strcmp(s->row.key, key) == 0;
}

static bool fake_call(struct host *h, const struct host_request *rq, struct span *ret,
                      struct err *reterr)
{
    struct fake *f = h->state;
    f->calls[rq->op]++;
    struct slot *found = NULL;
    for (size_t i = 0; i < f->n; i++) {
        if (!slot_is(&f->slots[i], rq->op, rq->key)) {
            continue;
        }
        found = &f->slots[i];
        if (found->calls == 0) {
            break; /* the first row not yet given, else the last one */
        }
    }
    if (found == NULL) {
        return err_set_errno(reterr, ENOENT, "%s '%s'", host_op_name(rq->op), rq->key);
    }
    found->calls++;
    if (found->row.code != E_NONE) {
        err_set(reterr, found->row.code, "%s '%s': %s", host_op_name(rq->op), rq->key,
                err_code_name(found->row.code));
        reterr->sys_errno = found->row.sys_errno;
        return false;
    }
    if (found->row.bytes.len > rq->max_bytes) {
        return err_set(reterr, E_TOO_BIG, "%s '%s': more than %zu bytes", host_op_name(rq->op),
                       rq->key, rq->max_bytes);
    }
    *ret = span_copy(h->arena, found->row.bytes);
    return true;
}

static const struct host_backend fake_backend = {.call = fake_call};

struct host *fakehost_new(struct arena *a)
{
    struct host *h = arena_alloc(a, sizeof(*h));
    h->backend = &fake_backend;
    h->state = arena_alloc(a, sizeof(struct fake));
    h->arena = a;
    return h;
}

/* The kernel ends its texts in a newline, and readers take one that has none for cut. */
static struct span as_kernel(struct arena *a, const struct fake_row *row)
{
    const struct span s = row->bytes, key = span_of(row->key);
    const bool kernels = span_starts(key, "/sys/class/") || span_starts(key, "/sys/block/") ||
                         span_starts(key, "/proc/fs/");
    if (row->op != HOST_READ || row->code != E_NONE || !kernels || s.len == 0 || s.ptr[s.len - 1] == '\n') {
        return s;
    }
    return span_of(arena_printf(a, "%.*s\n", SPAN_ARG(s)));
}

void fakehost_add(struct host *h, const struct fake_row *rows, size_t n)
{
    struct fake *f = h->state;
    if (f->n + n > f->cap) {
        size_t cap = (f->n + n) * 2;
        f->slots =
            arena_grow(h->arena, f->slots, f->cap * sizeof(*f->slots), cap * sizeof(*f->slots));
        f->cap = cap;
    }
    for (size_t i = 0; i < n; i++) {
        f->slots[f->n] = (struct slot){.row = rows[i]};
        f->slots[f->n++].row.bytes = as_kernel(h->arena, &rows[i]);
    }
}

void fakehost_remove(struct host *h, enum host_op op, const char *key)
{
    struct fake *f = h->state;
    for (size_t i = 0; i < f->n; i++) {
        if (slot_is(&f->slots[i], op, key)) {
            f->slots[i].removed = true;
        }
    }
}

void fakehost_reply(struct host *h, enum host_op op, const char *key, struct span bytes)
{
    fakehost_remove(h, op, key);
    fakehost_add(h, &(struct fake_row){op, key, bytes, E_NONE, 0}, 1);
}

void fakehost_file(struct host *h, const char *path, const char *text)
{
    fakehost_reply(h, HOST_READ, path, span_of(text));
}

void fakehost_fail(struct host *h, enum host_op op, const char *key, enum err_code code,
                   int sys_errno)
{
    fakehost_remove(h, op, key);
    fakehost_add(h, &(struct fake_row){op, key, {NULL, 0}, code, sys_errno}, 1);
}

static int compare_names(const void *left, const void *right)
{
    const struct span *const a = left, *const b = right;
    return span_cmp(*a, *b);
}

void fakehost_list(struct host *h, const char *path, const char *names)
{
    struct span rest = span_of(names), word;
    struct span *list = arena_calloc(h->arena, strlen(names) + 1, sizeof(*list));
    size_t n = 0;
    while (span_word(&rest, &word)) {
        list[n++] = word;
    }
    qsort(list, n, sizeof(*list), compare_names);
    fakehost_reply(h, HOST_LIST, path, reply_names(h->arena, list, n));
}

void fakehost_link(struct host *h, const char *path, const char *target)
{
    fakehost_reply(h, HOST_LINK, path, span_of(target));
}

void fakehost_stat(struct host *h, const char *path, const struct host_stat *st)
{
    fakehost_reply(h, HOST_STAT, path, reply_stat(h->arena, st));
}

void fakehost_who(struct host *h, uint32_t uid, uint32_t gid, bool sys_admin)
{
    const struct host_who who = {.uid = uid, .gid = gid, .sys_admin = sys_admin};
    fakehost_reply(h, HOST_WHO, "", reply_who(h->arena, &who));
}

void fakehost_uname(struct host *h, const char *nodename, const char *release, const char *version)
{
    const struct host_uname u = {.sysname = SPAN_LIT("Linux"),
                                 .nodename = span_of(nodename),
                                 .release = span_of(release),
                                 .version = span_of(version),
                                 .machine = SPAN_LIT("x86_64")};
    fakehost_reply(h, HOST_UNAME, "", reply_uname(h->arena, &u));
}

unsigned fakehost_calls(const struct host *h, enum host_op op)
{
    const struct fake *f = h->state;
    if (op < HOST_OPS) {
        return f->calls[op];
    }
    unsigned sum = 0;
    for (unsigned i = 0; i < HOST_OPS; i++) {
        sum += f->calls[i];
    }
    return sum;
}

unsigned fakehost_calls_of(const struct host *h, enum host_op op, const char *key)
{
    const struct fake *f = h->state;
    unsigned sum = 0;
    for (size_t i = 0; i < f->n; i++) {
        if (slot_is(&f->slots[i], op, key)) {
            sum += f->slots[i].calls;
        }
    }
    return sum;
}
