/* The journal as JSON. What is read is checked member by member: names of files that are removed or put in
 * place come from here. */
#include "advisor/tune/journal_text.h"

#include <string.h>

#include "advisor/base/hash.h"

#include "advisor/base/banned.h"

#define SCHEMA_FAMILY "nvadvise.journal/"
#define MODE_BITS 07777
#define NS_PER_S 1000000000

static const char *const step_names[JOURNAL_STEPS] = {
    [STEP_NONE] = "none",       [STEP_BEGUN] = "begun", [STEP_KEPT] = "kept",
    [STEP_WRITTEN] = "written", [STEP_PLACED] = "placed", [STEP_UNDO] = "undo",
    [STEP_UNDONE] = "undone",
};

const char *journal_step_name(enum journal_step s)
{
    return step_names[s];
}

/* ---- making ---------------------------------------------------------------------------------- */

static struct json *json_base64(struct arena *a, struct span bytes)
{
    struct buf b;
    buf_init(&b, a, bytes.len * 2 + 8);
    base64_encode(&b, bytes);
    return json_span(a, buf_span(&b));
}

static struct json *former_json(struct arena *a, const struct journal_write *w)
{
    const struct confdir_file *f = &w->former;
    if (!f->there) {
        return json_null(a);
    }
    struct json *j = json_object(a), *xattrs = json_object(a);
    for (size_t i = 0; i < f->n_xattrs; i++) {
        json_set(xattrs, f->xattrs[i].name, json_base64(a, f->xattrs[i].value));
    }
    json_set(j, "sha256", json_str(a, f->sha256));
    json_set(j, "kept", json_str(a, w->former_name));
    json_set(j, "mode", json_int(a, f->mode));
    json_set(j, "uid", json_int(a, f->uid));
    json_set(j, "gid", json_int(a, f->gid));
    json_set(j, "mtime", json_int(a, f->mtime_s));
    json_set(j, "mtime_ns", json_int(a, f->mtime_ns));
    json_set(j, "attributes", xattrs);
    return j;
}

struct json *journal_to_json(struct arena *a, const struct journal *j)
{
    struct json *doc = json_object(a), *writes = json_array(a);
    for (size_t i = 0; i < j->n; i++) {
        const struct journal_write *w = &j->writes[i];
        struct json *o = json_object(a);
        json_set(o, "former", former_json(a, w));
        json_set(o, "sha256", json_str(a, w->sha256));
        json_set(o, "time", json_int(a, w->time));
        json_set(o, "server", json_str(a, w->server));
        json_set(o, "version", json_str(a, w->version));
        json_set(o, "tool", json_str(a, w->tool));
        json_push(writes, o);
    }
    json_set(doc, "schema", json_str(a, JOURNAL_SCHEMA));
    json_set(doc, "directory", json_str(a, j->directory));
    json_set(doc, "file", json_str(a, TUNE_FILE));
    json_set(doc, "step", json_str(a, step_names[j->step]));
    json_set(doc, "temporary", json_str(a, j->temp));
    json_set(doc, "time", json_int(a, j->time));
    json_set(doc, "writes", writes);
    json_sort(doc);
    return doc;
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reading {
    struct arena *arena;
    const char *path;
    struct err *err;
};

static bool wrong(const struct reading *r, const char *key)
{
    return err_set(r->err, E_CORRUPT, "journal '%s': member '%s' is missing or wrong", r->path, key);
}

static bool read_int(const struct reading *r, const struct json *o, const char *key, int64_t min,
                     int64_t max, int64_t *ret)
{
    const struct json *m = json_get(o, key);
    const bool whole = m != NULL && m->type == JSON_NUMBER && m->number.tag == NUM_INT;
    if (!whole || num_cmp(m->number, num_i64(min)) < 0 || num_cmp(m->number, num_i64(max)) > 0) {
        return wrong(r, key);
    }
    const int64_t v = (int64_t)(uint64_t)m->number.mag;
    *ret = m->number.neg ? -v : v;
    return true;
}

static bool read_text(const struct reading *r, const struct json *o, const char *key,
                      const char **ret)
{
    const char *text = json_get_str(o, key);
    if (text == NULL) {
        return wrong(r, key);
    }
    *ret = arena_strdup(r->arena, text);
    return true;
}

static bool read_hash(const struct reading *r, const struct json *o, char ret[65])
{
    const char *text = json_get_str(o, "sha256");
    if (text == NULL || strlen(text) != 64 || strspn(text, "0123456789abcdef") != 64) {
        return wrong(r, "sha256");
    }
    memcpy(ret, text, 65);
    return true;
}

/* A plain name in the one directory that it is for. */
static bool read_name(const struct reading *r, const struct json *o, const char *key,
                      const char *prefix, const char *suffix, const char **ret)
{
    if (!read_text(r, o, key, ret)) {
        return false;
    }
    const struct span s = span_of(*ret);
    if (s.len > 0 && (span_has(s, '/') || !span_starts(s, prefix) || !span_ends(s, suffix))) {
        return wrong(r, key);
    }
    return true;
}

static bool read_xattrs(const struct reading *r, const struct json *o, struct confdir_file *f)
{
    const struct json *m = json_get(o, "attributes");
    if (m == NULL || m->type != JSON_OBJECT || m->n > CONFDIR_XATTRS_MAX) {
        return wrong(r, "attributes");
    }
    f->xattrs = arena_calloc(r->arena, m->n, sizeof(*f->xattrs));
    f->n_xattrs = m->n;
    for (size_t i = 0; i < m->n; i++) {
        f->xattrs[i].name = span_dup(r->arena, m->keys[i]);
        if (m->items[i]->type != JSON_STRING ||
            !base64_decode(r->arena, m->items[i]->string, &f->xattrs[i].value)) {
            return wrong(r, "attributes");
        }
    }
    return true;
}

static bool read_former(const struct reading *r, const struct json *o, struct journal_write *w)
{
    const struct json *m = json_get(o, "former");
    w->former_name = "";
    if (m != NULL && m->type == JSON_NULL) {
        return true;
    }
    int64_t mode = 0, uid = 0, gid = 0, ns = 0;
    struct confdir_file *f = &w->former;
    f->there = true;
    if (m == NULL || !read_hash(r, m, f->sha256) ||
        !read_name(r, m, "kept", "tune-", ".former", &w->former_name) ||
        !read_int(r, m, "mode", 0, MODE_BITS, &mode) ||
        !read_int(r, m, "uid", 0, UINT32_MAX, &uid) ||
        !read_int(r, m, "gid", 0, UINT32_MAX, &gid) ||
        !read_int(r, m, "mtime", INT64_MIN + 1, INT64_MAX, &f->mtime_s) ||
        !read_int(r, m, "mtime_ns", 0, NS_PER_S - 1, &ns) || !read_xattrs(r, m, f)) {
        return m != NULL ? false : wrong(r, "former");
    }
    f->mode = (mode_t)mode;
    f->uid = (uid_t)uid;
    f->gid = (gid_t)gid;
    f->mtime_ns = (long)ns;
    return true;
}

static bool read_write(const struct reading *r, const struct json *o, struct journal_write *w)
{
    return read_former(r, o, w) && read_hash(r, o, w->sha256) &&
           read_int(r, o, "time", 0, INT64_MAX, &w->time) &&
           read_text(r, o, "server", &w->server) && read_text(r, o, "version", &w->version) &&
           read_text(r, o, "tool", &w->tool);
}

static bool read_writes(const struct reading *r, const struct json *doc, struct journal *j)
{
    const struct json *m = json_get(doc, "writes");
    if (m == NULL || m->type != JSON_ARRAY || m->n == 0 || m->n > ARRAY_LEN(j->writes)) {
        return wrong(r, "writes");
    }
    for (; j->n < m->n; j->n++) {
        if (!read_write(r, m->items[j->n], &j->writes[j->n])) {
            return false;
        }
    }
    return true;
}

static bool read_step(const struct reading *r, const struct json *doc, struct journal *j)
{
    const char *text = json_get_str(doc, "step");
    for (size_t i = 0; text != NULL && i < JOURNAL_STEPS; i++) {
        if (strcmp(text, step_names[i]) == 0) {
            j->step = (enum journal_step)i;
            return true;
        }
    }
    return wrong(r, "step");
}

bool journal_from_json(struct arena *a, const char *path, const struct json *doc,
                       struct journal *ret, struct err *reterr)
{
    const struct reading r = {.arena = a, .path = path, .err = reterr};
    const char *schema = json_get_str(doc, "schema");
    if (schema == NULL || !span_starts(span_of(schema), SCHEMA_FAMILY)) {
        return err_set(reterr, E_CORRUPT, "'%s' is no journal of nvadvise", path);
    }
    if (strcmp(schema, JOURNAL_SCHEMA) != 0) {
        return err_set(reterr, E_NOT_SUPPORTED, "journal '%s' is of a later nvadvise (%s)", path,
                       schema);
    }
    struct journal j = {0};
    if (!read_text(&r, doc, "directory", &j.directory) || !read_step(&r, doc, &j) ||
        !read_name(&r, doc, "temporary", ".nvadvise-", ".tmp", &j.temp) ||
        !read_int(&r, doc, "time", 0, INT64_MAX, &j.time) || !read_writes(&r, doc, &j)) {
        return false;
    }
    *ret = j;
    return true;
}
