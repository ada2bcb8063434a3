/* Reading captures, which may be cut, flipped, or made to harm: everything is checked, and nothing
 * is handed out unless all of it was read. Knows nothing of what the operations mean. */
#include "probes/host/capture.h"

#include <string.h>

#include "advisor/base/hash.h"
#include "probes/host/capture_format.h"
#include "probes/host/gz.h"

#include "advisor/base/banned.h"

#define LINE_MAX_BYTES ((size_t)64 * 1024 * 1024)
/* The first line holds options and a place; names in it stand before each fact. A whole check makes some
 * hundred operations a server. Both ours. */
#define HEADER_MAX ((size_t)64 * 1024)
#define OPS_MAX ((size_t)500000)
#define SCRATCH_MAX ((size_t)1024 * 1024)

struct reader {
    struct arena *arena;   /* of the result */
    struct arena *scratch; /* of one line, or a few */
    const char *name;
    struct capture *cap;
    size_t ops_cap;
    size_t line_no;
    struct buf line;
    bool ended;         /* the "end" line was seen */
    struct err *reterr; /* of what stopped the reading */
};

static bool corrupt(struct reader *r, struct err *reterr, const char *what)
{
    err_set(reterr, E_CORRUPT, "capture '%s' is damaged: line %zu: %s", r->name, r->line_no, what);
    return err_hint(reterr, "Make it again, or copy it again from where it was made.");
}

static bool cut(struct reader *r, struct err *reterr)
{
    err_set(reterr, E_CUT, "capture '%s' is cut: it has no last line with the count", r->name);
    return err_hint(reterr, "Copy it again; a transfer or a full disk has cut it.");
}

static bool get_uint(const struct json *doc, const char *key, uint64_t max, uint64_t *ret)
{
    const struct json *const item = json_get(doc, key);
    return item != NULL && item->type == JSON_NUMBER && num_to_u64(item->number, ret) &&
           *ret <= max;
}

static bool get_span(const struct json *doc, const char *key, struct span *ret)
{
    const struct json *const item = json_get(doc, key);
    if (item == NULL || item->type != JSON_STRING) {
        return false;
    }
    *ret = item->string;
    return true;
}

static bool get_text(struct arena *a, const struct json *doc, const char *key, const char **ret)
{
    struct span s;
    if (!get_span(doc, key, &s) || span_has(s, '\0')) {
        return false;
    }
    *ret = span_dup(a, s);
    return true;
}

static bool get_code(const struct json *doc, enum err_code *ret)
{
    struct span name;
    if (!get_span(doc, "code", &name)) {
        return false;
    }
    for (unsigned i = E_NONE + 1; i < E_CODES; i++) {
        if (span_eq_text(name, err_code_name((enum err_code)i))) {
            *ret = (enum err_code)i;
            return true;
        }
    }
    return false;
}

static bool read_err(struct reader *r, const struct json *doc, const struct err **ret)
{
    enum err_code code = E_NONE;
    uint64_t sys_errno = 0;
    const char *text = NULL, *hint = NULL;
    if (doc->type != JSON_OBJECT || !get_code(doc, &code) ||
        !get_uint(doc, "errno", 4096, &sys_errno) || !get_text(r->scratch, doc, "text", &text) ||
        !get_text(r->scratch, doc, "hint", &hint)) {
        return false;
    }
    struct err *const err = arena_alloc(r->arena, sizeof(*err));
    err_set(err, code, "%s", text);
    err_hint(err, "%s", hint);
    const struct json *const frames = json_get(doc, "frames");
    for (size_t i = 0; frames != NULL && frames->type == JSON_ARRAY && i < frames->n; i++) {
        if (frames->items[i]->type != JSON_STRING) {
            return false;
        }
        err_wrap(err, "%.*s", SPAN_ARG(frames->items[i]->string));
    }
    err->sys_errno = (int)sys_errno;
    *ret = err;
    return true;
}

static bool read_key(struct reader *r, const struct json *doc, const char **ret)
{
    struct span packed, plain;
    if (get_text(r->arena, doc, "key", ret)) {
        return true;
    }
    if (!get_span(doc, "key_base64", &packed) || !base64_decode(r->scratch, packed, &plain) ||
        span_has(plain, '\0')) {
        return false;
    }
    *ret = span_dup(r->arena, plain);
    return true;
}

static bool read_outcome(struct reader *r, const struct json *doc, struct capture_op *op)
{
    struct span outcome, packed, plain;
    if (!get_span(doc, "outcome", &outcome)) {
        return false;
    }
    const struct json *const err = json_get(doc, "error");
    if (span_eq_text(outcome, "ok")) {
        op->outcome = OUTCOME_OK;
        if (!get_span(doc, "bytes", &packed) || !base64_decode(r->scratch, packed, &plain)) {
            return false;
        }
        op->bytes = span_copy(r->arena, plain);
        return true;
    }
    if (span_eq_text(outcome, "begun")) {
        op->outcome = OUTCOME_BEGUN;
        return err == NULL || read_err(r, err, &op->err);
    }
    op->outcome = OUTCOME_ERR;
    return span_eq_text(outcome, "error") && err != NULL && read_err(r, err, &op->err);
}

/* The same probe with the next n, or a later probe with n = 0; nothing after a "begun". */
static bool order_is_right(const struct capture *c, const struct capture_op *op)
{
    if (c->n_ops == 0) {
        return op->n == 0;
    }
    const struct capture_op *const last = &c->ops[c->n_ops - 1];
    const int by_probe = strcmp(last->probe, op->probe);
    if (by_probe == 0) {
        return op->n == last->n + 1 && last->outcome != OUTCOME_BEGUN;
    }
    return by_probe < 0 && op->n == 0;
}

static bool read_op(struct reader *r, const struct json *doc, struct err *reterr)
{
    struct capture_op op = {.n = 0};
    uint64_t n = 0, occurrence = 0;
    struct span op_name;
    if (!get_uint(doc, "n", UINT32_MAX - 1, &n) ||
        !get_uint(doc, "occurrence", UINT32_MAX, &occurrence) || !get_span(doc, "op", &op_name) ||
        !host_op_from_name(op_name, &op.op) || !get_text(r->scratch, doc, "probe", &op.probe) ||
        !read_key(r, doc, &op.key) || !read_outcome(r, doc, &op)) {
        return corrupt(r, reterr, "not an operation");
    }
    op.n = (unsigned)n;
    op.occurrence = (unsigned)occurrence;
    struct capture *const c = r->cap;
    if (!order_is_right(c, &op)) {
        return corrupt(r, reterr, "operations are missing or out of order");
    }
    const bool same = c->n_ops > 0 && strcmp(c->ops[c->n_ops - 1].probe, op.probe) == 0;
    op.probe = same ? c->ops[c->n_ops - 1].probe : arena_strdup(r->arena, op.probe);
    if (c->n_ops == OPS_MAX) {
        return err_set(reterr, E_TOO_BIG, "capture '%s' has more than %zu operations", r->name, OPS_MAX);
    }
    if (c->n_ops == r->ops_cap) {
        const size_t cap = r->ops_cap == 0 ? 256 : r->ops_cap * 2;
        c->ops = arena_grow(r->arena, c->ops, r->ops_cap * sizeof(*c->ops), cap * sizeof(*c->ops));
        r->ops_cap = cap;
    }
    c->ops[c->n_ops++] = op;
    return true;
}

static bool read_header(struct reader *r, struct err *reterr)
{
    struct json *doc = NULL;
    struct err ignored = ERR_INIT;
    struct span schema;
    if (r->line.len > HEADER_MAX) {
        return err_set(reterr, E_TOO_BIG, "'%s' is not a capture: its first line is larger than %zu KiB",
                       r->name, HEADER_MAX / 1024);
    }
    if (!json_read(r->arena, r->name, buf_span(&r->line), &doc, &ignored) ||
        doc->type != JSON_OBJECT || !get_span(doc, "schema", &schema) ||
        !span_starts(schema, "nvadvise.capture/")) {
        return err_set(reterr, E_SYNTAX, "'%s' is not a capture: its first line names no schema",
                       r->name);
    }
    if (!span_eq_text(schema, CAPTURE_SCHEMA)) {
        err_set(reterr, E_NOT_SUPPORTED, "capture '%s' has schema '%.*s'", r->name,
                SPAN_ARG(schema));
        return err_hint(reterr, "This version reads %s.", CAPTURE_SCHEMA);
    }
    r->cap->header = doc;
    return true;
}

static bool read_line(struct reader *r, struct err *reterr)
{
    r->line_no++;
    if (r->line_no == 1) {
        return read_header(r, reterr);
    }
    if (r->ended) {
        return corrupt(r, reterr, "text after the last line");
    }
    if (arena_used(r->scratch) > SCRATCH_MAX) {
        arena_free(r->scratch);
        r->scratch = arena_new();
    }
    struct json *doc = NULL;
    struct err why = ERR_INIT;
    if (!json_read(r->scratch, r->name, buf_span(&r->line), &doc, &why) ||
        doc->type != JSON_OBJECT) {
        return corrupt(r, reterr, "not a JSON object");
    }
    if (json_get(doc, "end") == NULL) {
        return read_op(r, doc, reterr);
    }
    uint64_t count = 0;
    if (!get_uint(doc, "end", UINT32_MAX, &count) || count != r->cap->n_ops) {
        return corrupt(r, reterr, "the count differs from the number of operations");
    }
    r->ended = true;
    return true;
}

/* Lines out of freshly unpacked bytes; what is left of the last one waits in r->line. */
static bool feed(void *ctx, struct span plain)
{
    struct reader *const r = ctx;
    struct err *const reterr = r->reterr;
    while (plain.len > 0) {
        const char *const nl = memchr(plain.ptr, '\n', plain.len);
        const size_t n = nl == NULL ? plain.len : (size_t)(nl - plain.ptr);
        buf_add(&r->line, plain.ptr, n);
        if (r->line.full) {
            return err_set(reterr, E_TOO_BIG, "capture '%s': line %zu is larger than %zu MiB",
                           r->name, r->line_no + 1, LINE_MAX_BYTES / (1024 * 1024));
        }
        if (nl == NULL) {
            return true;
        }
        if (!read_line(r, reterr)) {
            return false;
        }
        r->line.len = 0;
        plain = (struct span){nl + 1, plain.len - n - 1};
    }
    return true;
}

static bool unpack(struct reader *r, struct span packed, struct err *reterr)
{
    switch (gz_read(packed, CAPTURE_MAX, feed, r)) {
    case GZ_DONE:
        return r->ended && r->line.len == 0 ? true : cut(r, reterr);
    case GZ_CUT:
        return cut(r, reterr);
    case GZ_CORRUPT:
        return corrupt(r, reterr, "its checksum or compression is wrong");
    case GZ_TOO_BIG:
        return err_set(reterr, E_TOO_BIG, "capture '%s' is larger than %u MiB unpacked", r->name,
                       CAPTURE_MAX / (1024 * 1024));
    case GZ_STOPPED:
        return false; /* feed has said why */
    case GZ_BROKEN:
        break;
    }
    return err_set(reterr, E_INTERNAL, "cannot start to unpack '%s'", r->name);
}

static void index_probes(struct reader *r)
{
    struct capture *const c = r->cap;
    size_t n = 0;
    for (size_t i = 0; i < c->n_ops; i++) {
        n += i == 0 || c->ops[i].probe != c->ops[i - 1].probe;
    }
    c->probes = arena_calloc(r->arena, n, sizeof(*c->probes));
    c->first = arena_calloc(r->arena, n + 1, sizeof(*c->first));
    for (size_t i = 0; i < c->n_ops; i++) {
        if (i == 0 || c->ops[i].probe != c->ops[i - 1].probe) {
            c->probes[c->n_probes] = c->ops[i].probe;
            c->first[c->n_probes++] = i;
        }
    }
    c->first[c->n_probes] = c->n_ops;
}

bool capture_read(struct arena *a, const char *name, struct span gz_bytes, struct capture **ret,
                  struct err *reterr)
{
    if (gz_bytes.len < 2 || (unsigned char)gz_bytes.ptr[0] != 0x1f ||
        (unsigned char)gz_bytes.ptr[1] != 0x8b) {
        return err_set(reterr, E_SYNTAX, "'%s' is not a capture: it is not gzipped", name);
    }
    if (gz_bytes.len > CAPTURE_MAX) {
        return err_set(reterr, E_TOO_BIG, "capture '%s' is larger than %u MiB", name,
                       CAPTURE_MAX / (1024 * 1024));
    }
    ARENA_AUTO lines = arena_new();
    struct reader r = {.arena = a, .scratch = arena_new(), .name = name, .reterr = reterr};
    r.cap = arena_alloc(a, sizeof(*r.cap));
    buf_init(&r.line, lines, LINE_MAX_BYTES);
    const bool ok = unpack(&r, gz_bytes, reterr);
    arena_free(r.scratch);
    if (!ok) {
        return false;
    }
    index_probes(&r);
    *ret = r.cap;
    return true;
}

const struct json *capture_header(const struct capture *c)
{
    return c->header;
}

size_t capture_probes(const struct capture *c, const char *const **ret)
{
    *ret = (const char *const *)c->probes;
    return c->n_probes;
}

static size_t probe_index(const struct capture *c, const char *probe)
{
    size_t i = 0;
    while (i < c->n_probes && strcmp(c->probes[i], probe) != 0) {
        i++;
    }
    return i;
}

size_t capture_operations(const struct capture *c, const char *probe)
{
    const size_t i = probe_index(c, probe);
    return i < c->n_probes ? c->first[i + 1] - c->first[i] : 0;
}

const char *capture_operation_text(struct arena *a, const struct capture *c, const char *probe,
                                   size_t n)
{
    if (n >= capture_operations(c, probe)) {
        return "none";
    }
    const struct capture_op *const op = &c->ops[c->first[probe_index(c, probe)] + n];
    return arena_printf(a, "%s %s", host_op_name(op->op), op->key);
}
