/* Operations, and whole captures. One table says for each operation how its key and its reply are
 * redacted. */
#include "probes/host/redact.h"

#include <string.h>

#include "probes/host/capture_format.h"
#include "probes/host/redact_parts.h"
#include "probes/host/reply.h"

#include "advisor/base/banned.h"

/* ---- replies --------------------------------------------------------------------------------- */

/* Numbers in the seam's own words. */
static void as_numbers(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    (void)key;
    redact_add_text(r, out, in, &redact_text);
}

static void as_stat(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    struct host_stat st;
    struct err ignored = ERR_INIT;
    if (reply_read_stat(in, &st, &ignored)) {
        buf_add_span(out, reply_stat(r->arena, &st));
    } else {
        as_numbers(r, key, in, out);
    }
}

static void as_statfs(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    struct host_statfs st;
    struct err ignored = ERR_INIT;
    if (reply_read_statfs(in, &st, &ignored)) {
        buf_add_span(out, reply_statfs(r->arena, &st));
    } else {
        as_numbers(r, key, in, out);
    }
}

static void as_size(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    struct host_size sz;
    struct err ignored = ERR_INIT;
    if (reply_read_size(in, &sz, &ignored)) {
        buf_add_span(out, reply_size(r->arena, &sz));
    } else {
        as_numbers(r, key, in, out);
    }
}

static void as_fs(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    struct host_xfs xfs;
    struct host_extents extents;
    struct err ignored = ERR_INIT;
    if (strcmp(key, "super") == 0 && in.len == HOST_SUPER_BYTES) {
        buf_add_span(out, in); /* the seam leaves only numbers */
    } else if (reply_read_xfs(in, &xfs, &ignored)) {
        buf_add_span(out, reply_xfs(r->arena, &xfs));
    } else if (reply_read_extents(in, &extents, &ignored)) {
        buf_add_span(out, reply_extents(r->arena, &extents));
    } else {
        as_numbers(r, key, in, out);
    }
}

static void as_who(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    struct host_who who;
    struct err ignored = ERR_INIT;
    if (reply_read_who(in, &who, &ignored)) {
        buf_add_span(out, reply_who(r->arena, &who));
    } else {
        as_numbers(r, key, in, out);
    }
}

/* The server's greeting, or a namespace. */
static void as_note(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    if (span_starts(in, "mnt:[")) {
        redact_link(r, key, in, out);
    } else {
        redact_add_text(r, out, in, &redact_version);
    }
}

static void as_file(struct redactor *r, const char *key, struct span in, struct buf *out)
{
    if (strncmp(key, "at ", 3) == 0) {
        buf_add_span(out, in); /* registers of a PCI function */
        return;
    }
    redact_kind_of_file(key)(r, key, in, out);
}

enum key_kind { KEY_PATH, KEY_COMMAND, KEY_STAYS };

static const struct {
    enum key_kind key;
    redact_kind reply;
} kinds[HOST_OPS] = {
    [HOST_READ] = {KEY_PATH, as_file},
    [HOST_LIST] = {KEY_PATH, redact_names},
    [HOST_LINK] = {KEY_PATH, redact_link},
    [HOST_STAT] = {KEY_PATH, as_stat},
    [HOST_STATFS] = {KEY_PATH, as_statfs},
    [HOST_NVME] = {KEY_STAYS, redact_nvme},
    [HOST_UDEV] = {KEY_PATH, redact_udev},
    [HOST_SQL] = {KEY_STAYS, redact_sql},
    [HOST_EXEC] = {KEY_COMMAND, redact_output},
    [HOST_CLOCK] = {KEY_STAYS, as_numbers},
    [HOST_UNAME] = {KEY_STAYS, redact_uname},
    [HOST_SIZE] = {KEY_PATH, as_size},
    [HOST_OPTFILE] = {KEY_COMMAND, redact_optfile},
    [HOST_FS] = {KEY_COMMAND, as_fs},
    [HOST_WHO] = {KEY_STAYS, as_who},
    [HOST_OPEN] = {KEY_COMMAND, as_note},
};

/* ---- keys, ids, errors ----------------------------------------------------------------------- */

static const char *path_of(struct redactor *r, const char *text)
{
    struct buf made;
    buf_init(&made, r->arena, REDACT_BYTES_MAX);
    redact_add_text(r, &made, span_of(text), &redact_path);
    return made.ptr;
}

/* HOST:PORT, in volumes with the role behind it: the address by itself, as the options name it. */
static const char *place_of(struct redactor *r, const char *label, bool role)
{
    const char *end = label + strlen(label);
    for (int i = role ? 2 : 1; i > 0; i--) {
        while (end > label && end[-1] != ':') {
            end--;
        }
        end -= end > label;
    }
    struct buf made;
    buf_init(&made, r->arena, REDACT_BYTES_MAX);
    redact_add_identity(r, &made, (struct span){label, (size_t)(end - label)});
    redact_add_text(r, &made, span_of(end), &redact_path);
    return made.ptr;
}

/* "proc", "device:NAME", "server:LABEL": the first word is ours. */
const char *redactor_label(struct redactor *r, const char *id)
{
    const char *const colon = strchr(id, ':');
    const size_t n = strspn(id, "abcdefghijklmnopqrstuvwxyz");
    if (colon == NULL && id[n] == '\0') {
        return arena_strdup(r->arena, id);
    }
    if (colon == NULL || colon != id + n || strncmp(id, "device:", 7) == 0) {
        return path_of(r, id);
    }
    const char *const label = colon + 1;
    const bool place = label[0] != '/' && strncmp(label, "pid-", 4) != 0;
    const char *const made =
        place ? place_of(r, label, strncmp(id, "volume:", 7) == 0) : path_of(r, label);
    return arena_printf(r->arena, "%.*s:%s", (int)n, id, made);
}

const char *redactor_message(struct redactor *r, const char *text)
{
    struct buf made;
    buf_init(&made, r->arena, REDACT_BYTES_MAX);
    redact_add_message(r, &made, span_of(text));
    return span_dup(r->arena, buf_span(&made));
}

static void message(struct redactor *r, char *text, size_t size)
{
    ARENA_AUTO scratch = arena_new();
    struct buf made;
    buf_init(&made, scratch, REDACT_BYTES_MAX);
    redact_add_message(r, &made, span_of(text));
    const size_t n = made.len < size ? made.len : size - 1;
    memcpy(text, buf_span(&made).ptr, n);
    text[n] = '\0';
}

static const struct err *err_of(struct redactor *r, const struct err *err)
{
    if (err == NULL) {
        return NULL;
    }
    struct err *const copy = arena_alloc(r->arena, sizeof(*copy));
    *copy = *err;
    message(r, copy->text, sizeof(copy->text));
    message(r, copy->hint, sizeof(copy->hint));
    for (unsigned i = 0; i < copy->n_frames && i < ERR_FRAMES_MAX; i++) {
        message(r, copy->frames[i], sizeof(copy->frames[i]));
    }
    return copy;
}

/* The words in front of a path or a name are ours. */
static const char *key_of(struct redactor *r, const struct host_record *rec)
{
    const enum key_kind kind = rec->op < HOST_OPS ? kinds[rec->op].key : KEY_PATH;
    const char *const blank = strchr(rec->key, ' ');
    if (kind == KEY_STAYS || strcmp(rec->key, CAPTURE_NOT_RUN) == 0) {
        return arena_strdup(r->arena, rec->key);
    }
    if (kind == KEY_COMMAND && blank == NULL && rec->key[0] != '/') {
        return arena_strdup(r->arena, rec->key);
    }
    if (kind == KEY_COMMAND && rec->key[0] != '/') {
        return arena_printf(r->arena, "%.*s%s", (int)(blank - rec->key), rec->key,
                            path_of(r, blank));
    }
    return path_of(r, rec->key);
}

static void reply_of(struct redactor *r, const struct host_record *rec, struct buf *out)
{
    const redact_kind kind = rec->op < HOST_OPS ? kinds[rec->op].reply : NULL;
    if (kind != NULL) {
        kind(r, rec->key, rec->bytes, out);
    } else {
        redact_add_text(r, out, rec->bytes, &redact_path); /* an operation without a row */
    }
}

void redact_operation(struct redactor *r, const char *probe, const struct host_record *rec,
                      const char **ret_probe, struct host_record *ret)
{
    struct buf made;
    buf_init(&made, r->arena, REDACT_BYTES_MAX);
    if (rec->outcome == OUTCOME_OK) {
        reply_of(r, rec, &made);
    }
    *ret_probe = redactor_label(r, probe);
    *ret = (struct host_record){.n = rec->n,
                                .op = rec->op,
                                .key = key_of(r, rec),
                                .outcome = rec->outcome,
                                .bytes = buf_span(&made),
                                .err = err_of(r, rec->err)};
}

/* ---- the header ------------------------------------------------------------------------------ */

static const char *identity_of(struct redactor *r, const char *name)
{
    struct buf made;
    buf_init(&made, r->arena, REDACT_BYTES_MAX);
    redact_add_identity(r, &made, span_of(name));
    return made.ptr;
}

static struct json *paths_of(struct redactor *r, const struct json *list)
{
    struct json *const made = json_array(r->arena);
    for (size_t i = 0; i < list->n; i++) {
        if (list->items[i]->type == JSON_STRING) {
            const char *const path = span_dup(r->arena, list->items[i]->string);
            json_push(made, json_str(r->arena, path_of(r, path)));
        }
    }
    return made;
}

static struct json *member(struct redactor *r, const struct json *doc, struct span key)
{
    const char *const name = span_dup(r->arena, key);
    const char *const text = json_get_str(doc, name);
    if (span_eq_text(key, "host") || span_eq_text(key, "user")) {
        return text == NULL ? json_null(r->arena) : json_str(r->arena, identity_of(r, text));
    }
    if (span_eq_text(key, "socket") || span_eq_text(key, "defaults_file")) {
        return text == NULL ? json_null(r->arena) : json_str(r->arena, path_of(r, text));
    }
    const struct json *const item = json_get(doc, name);
    if (span_eq_text(key, "paths") && item != NULL && item->type == JSON_ARRAY) {
        return paths_of(r, item);
    }
    if (item != NULL && item->type == JSON_NUMBER) {
        return json_num(r->arena, item->number);
    }
    return item != NULL && item->type == JSON_BOOL ? json_bool(r->arena, item->boolean) : NULL;
}

/* Members that this version does not know are left out, but for numbers and switches. */
static struct json *object(struct redactor *r, const struct json *doc)
{
    struct json *const made = json_object(r->arena);
    for (size_t i = 0; i < doc->n; i++) {
        struct json *const item = member(r, doc, doc->keys[i]);
        if (item != NULL) {
            json_set(made, span_dup(r->arena, doc->keys[i]), item);
        }
    }
    return made;
}

struct json *redact_header(struct redactor *r, const struct json *header)
{
    struct json *const made = json_object(r->arena);
    for (size_t i = 0; i < header->n; i++) {
        const char *const key = span_dup(r->arena, header->keys[i]);
        const struct json *const item = header->items[i];
        if (span_eq_text(header->keys[i], "schema") || span_eq_text(header->keys[i], "tool")) {
            json_set(made, key, json_str(r->arena, json_get_str(header, key)));
        } else if (item->type == JSON_OBJECT) {
            json_set(made, key, object(r, item));
        } else if (item->type == JSON_NUMBER) {
            json_set(made, key, json_num(r->arena, item->number));
        }
    }
    json_set(made, "redacted", json_bool(r->arena, true));
    return made;
}

/* ---- whole captures -------------------------------------------------------------------------- */

static struct host_record record_of(const struct capture_op *op)
{
    return (struct host_record){.n = op->n,
                                .op = op->op,
                                .key = op->key,
                                .outcome = op->outcome,
                                .bytes = op->bytes,
                                .err = op->err};
}

void capture_redact(struct capture_writer *w, const struct redact_key *key)
{
    const struct json *const said = json_get(w->header, "redacted");
    if (said != NULL && said->type == JSON_BOOL && said->boolean) {
        return;
    }
    struct redactor *const r = redactor_new(w->arena, key);
    redact_learn_header(r, w->header);
    for (size_t i = 0; i < w->n; i++) {
        const struct host_record rec = record_of(&w->ops[i]);
        redact_learn(r, &rec);
    }
    w->header = redact_header(r, w->header);
    for (size_t i = 0; i < w->n; i++) {
        struct capture_op *const op = &w->ops[i];
        const struct host_record rec = record_of(op);
        struct host_record made;
        redact_operation(r, op->probe, &rec, &op->probe, &made);
        op->key = made.key;
        op->bytes = made.bytes;
        op->err = made.err;
    }
}
