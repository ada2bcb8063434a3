/* Writing captures: operations are kept in memory, sorted, and compressed line by line. The same
 * operations give the same bytes. Knows nothing of what they mean. */
#include "probes/host/capture.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advisor/base/file.h"
#include "advisor/base/hash.h"
#include "probes/host/capture_format.h"
#include "probes/host/gz.h"

#include "advisor/base/banned.h"

#define SCRATCH_MAX ((size_t)1024 * 1024)

struct capture_writer *capture_new(struct arena *a, const struct json *header)
{
    struct capture_writer *const w = arena_alloc(a, sizeof(*w));
    w->arena = a;
    w->header = json_object(a);
    json_set(w->header, "schema", json_str(a, CAPTURE_SCHEMA));
    json_set(w->header, "tool", json_str(a, "nvadvise " NVADVISE_VERSION));
    json_set(w->header, "redacted", json_bool(a, false));
    for (size_t i = 0; header != NULL && i < header->n; i++) {
        json_set(w->header, span_dup(a, header->keys[i]), header->items[i]);
    }
    return w;
}

struct capture_writer *capture_copy(struct arena *a, const struct capture *c)
{
    struct capture_writer *const w = capture_new(a, c->header);
    for (size_t i = 0; i < c->n_ops; i++) {
        const struct capture_op *const op = &c->ops[i];
        const struct host_record rec = {.n = op->n,
                                        .op = op->op,
                                        .key = op->key,
                                        .outcome = op->outcome,
                                        .bytes = op->bytes,
                                        .err = op->err};
        capture_add(w, op->probe, op->occurrence, &rec);
    }
    return w;
}

void capture_set_header(struct capture_writer *w, const char *key, struct json *value)
{
    json_set(w->header, key, value);
}

const struct json *capture_writer_header(const struct capture_writer *w)
{
    return w->header;
}

static const struct err *copy_err(struct arena *a, const struct err *err)
{
    if (err == NULL) {
        return NULL;
    }
    struct err *const copy = arena_alloc(a, sizeof(*copy));
    *copy = *err;
    return copy;
}

/* The open "begun" of this operation. Few children run side by side, so it is near the end. */
static struct capture_op *find_begun(struct capture_writer *w, const char *probe,
                                     unsigned occurrence, unsigned n)
{
    for (size_t i = w->n; i > 0; i--) {
        struct capture_op *const op = &w->ops[i - 1];
        if (op->n == n && op->occurrence == occurrence && strcmp(op->probe, probe) == 0) {
            return op->outcome == OUTCOME_BEGUN ? op : NULL;
        }
    }
    return NULL;
}

void capture_add(struct capture_writer *w, const char *probe, unsigned occurrence,
                 const struct host_record *rec)
{
    struct capture_op *op =
        rec->outcome == OUTCOME_BEGUN ? NULL : find_begun(w, probe, occurrence, rec->n);
    if (op == NULL) {
        if (w->n == w->cap) {
            const size_t cap = w->cap == 0 ? 256 : w->cap * 2;
            w->ops = arena_grow(w->arena, w->ops, w->cap * sizeof(*w->ops), cap * sizeof(*w->ops));
            w->cap = cap;
        }
        op = &w->ops[w->n++];
        op->probe = arena_strdup(w->arena, probe);
        op->key = arena_strdup(w->arena, rec->key);
    }
    op->n = rec->n;
    op->occurrence = occurrence;
    op->op = rec->op;
    op->outcome = rec->outcome;
    op->bytes =
        rec->outcome == OUTCOME_OK ? span_copy(w->arena, rec->bytes) : (struct span){NULL, 0};
    op->err = rec->outcome == OUTCOME_OK ? NULL : copy_err(w->arena, rec->err);
}

static int compare_ops(const void *left, const void *right)
{
    const struct capture_op *const a = left;
    const struct capture_op *const b = right;
    const int by_probe = strcmp(a->probe, b->probe);
    if (by_probe != 0) {
        return by_probe;
    }
    if (a->n != b->n) {
        return a->n < b->n ? -1 : 1;
    }
    return a->occurrence < b->occurrence ? -1 : a->occurrence > b->occurrence;
}

static struct json *base64_json(struct arena *a, struct span bytes)
{
    struct buf b;
    buf_init(&b, a, bytes.len / 3 * 4 + 8);
    base64_encode(&b, bytes);
    return json_span(a, buf_span(&b));
}

static struct json *err_json(struct arena *a, const struct err *err)
{
    struct json *const doc = json_object(a);
    json_set(doc, "code", json_str(a, err_code_name(err->code)));
    json_set(doc, "errno", json_int(a, err->sys_errno));
    json_set(doc, "text", json_str(a, err->text));
    json_set(doc, "hint", json_str(a, err->hint));
    if (err->n_frames > 0) {
        struct json *const frames = json_array(a);
        for (unsigned i = 0; i < err->n_frames; i++) {
            json_push(frames, json_str(a, err->frames[i]));
        }
        json_set(doc, "frames", frames);
    }
    return doc;
}

static struct json *op_json(struct arena *a, const struct capture_op *op)
{
    static const char *const outcomes[] = {
        [OUTCOME_BEGUN] = "begun", [OUTCOME_OK] = "ok", [OUTCOME_ERR] = "error"};
    const struct span key = span_of(op->key);
    struct json *const doc = json_object(a);
    json_set(doc, "probe", json_str(a, op->probe));
    json_set(doc, "n", json_int(a, op->n));
    json_set(doc, "occurrence", json_int(a, op->occurrence));
    json_set(doc, "op", json_str(a, host_op_name(op->op)));
    /* A path may hold any byte; JSON only UTF-8. */
    if (span_is_utf8(key)) {
        json_set(doc, "key", json_span(a, key));
    } else {
        json_set(doc, "key_base64", base64_json(a, key));
    }
    json_set(doc, "outcome", json_str(a, outcomes[op->outcome]));
    if (op->outcome == OUTCOME_OK) {
        json_set(doc, "bytes", base64_json(a, op->bytes));
    } else if (op->err != NULL) {
        json_set(doc, "error", err_json(a, op->err));
    }
    return doc;
}

struct packer {
    struct gz_writer *gz;
    size_t plain; /* bytes given so far */
};

static bool pack_line(struct packer *p, struct arena *scratch, struct json *doc)
{
    struct buf line;
    buf_init(&line, scratch, CAPTURE_MAX);
    json_sort(doc);
    json_write(&line, doc, false);
    /* The writer may or may not end its line. */
    while (line.len > 0 && line.ptr[line.len - 1] == '\n') {
        line.len--;
    }
    buf_add_char(&line, '\n');
    p->plain += line.len;
    return !line.full && p->plain <= CAPTURE_MAX && gz_write(p->gz, buf_span(&line));
}

static bool pack_ops(struct packer *p, const struct capture_writer *w)
{
    struct arena *scratch = arena_new();
    bool ok = true;
    for (size_t i = 0; ok && i < w->n; i++) {
        ok = pack_line(p, scratch, op_json(scratch, &w->ops[i]));
        if (arena_used(scratch) > SCRATCH_MAX) {
            arena_free(scratch);
            scratch = arena_new();
        }
    }
    struct json *const end = json_object(scratch);
    json_set(end, "end", json_int(scratch, (int64_t)w->n));
    ok = ok && pack_line(p, scratch, end);
    arena_free(scratch);
    return ok;
}

bool capture_pack(struct capture_writer *w, struct arena *a, struct span *ret, struct err *reterr)
{
    if (w->n > 1) {
        qsort(w->ops, w->n, sizeof(*w->ops), compare_ops);
    }
    struct packer p = {.gz = gz_writer_new(a, CAPTURE_MAX)};
    if (p.gz == NULL) {
        return err_set(reterr, E_INTERNAL, "cannot start to compress the capture");
    }
    const bool packed = pack_line(&p, a, w->header) && pack_ops(&p, w);
    if (!gz_writer_end(p.gz, ret) || !packed) {
        return err_set(reterr, E_TOO_BIG, "the capture is larger than %u MiB",
                       CAPTURE_MAX / (1024 * 1024));
    }
    return true;
}

bool capture_write(struct span packed, const char *path, struct err *reterr)
{
    const bool ok = strcmp(path, "-") == 0 ? file_write_all(STDOUT_FILENO, packed, reterr)
                                           : file_replace(path, packed, 0600, reterr);
    return ok || err_wrap(reterr, "writing capture '%s'", path);
}

bool capture_save(struct capture_writer *w, const char *path, struct err *reterr)
{
    ARENA_AUTO a = arena_new();
    struct span packed;
    if (!capture_pack(w, a, &packed, reterr)) {
        return err_wrap(reterr, "writing capture '%s'", path);
    }
    return capture_write(packed, path, reterr);
}
