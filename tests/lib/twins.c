/* See twins.h. */
#include "tests/lib/twins.h"

#include <string.h>

#include "advisor/facts/layer.h"
#include "probes/host/redact_parts.h"

#include "advisor/base/banned.h"

/* ---- names for names ------------------------------------------------------------------------- */

static bool is_wordy(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (unsigned char)c >= 0x80;
}

static struct span word_at(struct span s, size_t *i)
{
    const size_t from = *i;
    while (*i < s.len && is_wordy(s.ptr[*i])) {
        (*i)++;
    }
    return span_sub(s, from, *i - from);
}

/* One name has one pseudonym and back. Numbers in addresses and identifiers are no names. */
static bool agrees(struct twin_names *p, struct span plain, struct span redacted)
{
    for (size_t i = 0; i < p->n; i++) {
        if (span_eq(p->list[i].plain, plain) || span_eq(p->list[i].redacted, redacted)) {
            return span_eq(p->list[i].plain, plain) && span_eq(p->list[i].redacted, redacted);
        }
    }
    p->list = arena_list_room(p->arena, p->list, p->n, sizeof(*p->list));
    p->list[p->n++] = (struct twin_name){span_copy(p->arena, plain), span_copy(p->arena, redacted)};
    return true;
}

static bool is_pseudonym(struct span s)
{
    return s.len == 11 && s.ptr[0] == 'x';
}

bool twin_text(struct twin_names *p, struct span a, struct span b)
{
    size_t i = 0, k = 0;
    if (is_pseudonym(b)) {
        return agrees(p, a, b);
    }
    while (i < a.len || k < b.len) {
        if (i < a.len && k < b.len && !is_wordy(a.ptr[i]) && a.ptr[i] == b.ptr[k]) {
            i++;
            k++;
            continue;
        }
        const size_t from = i;
        struct span x = word_at(a, &i);
        const struct span y = word_at(b, &k);
        if (x.len == 0 || y.len == 0) {
            return false;
        }
        if (span_eq(x, y) || !is_pseudonym(y)) {
            continue;
        }
        /* A name of several words: up to where the texts agree again. */
        while (i < a.len && (k >= b.len || a.ptr[i] != b.ptr[k])) {
            i++;
        }
        x = span_sub(a, from, i - from);
        if (!agrees(p, x, y)) {
            return false;
        }
    }
    return true;
}

static bool same_items(struct twin_names *p, const struct value *a, const struct value *b)
{
    bool same = a->n_items == b->n_items;
    for (size_t i = 0; same && i < a->n_items; i++) {
        same = twin_text(p, a->items[i], b->items[i]);
    }
    return same;
}

static bool same_value(struct twin_names *p, const struct value *a, const struct value *b)
{
    if (a->kind != b->kind) {
        return false;
    }
    switch (a->kind) {
    case KIND_STRING:
        return twin_text(p, a->text, b->text);
    case KIND_ENUM:
        return span_eq(a->text, b->text);
    case KIND_SET:
    case KIND_LIST:
        return same_items(p, a, b);
    case KIND_BOOL:
    case KIND_COUNT:
    case KIND_BYTES:
    case KIND_SECONDS:
    case KIND_RATIO:
    case KIND_RATE:
    case KIND_BYTES_PER_S:
    case KIND_CELSIUS:
    case KIND_VERSION:
    case KINDS:
        break;
    }
    return value_eq(a, b);
}

/* An account that cannot be quoted is not named; its pseudonym can be. */
static bool same_remedy(struct twin_names *p, const char *plain, const char *redacted)
{
    return strstr(plain, "the account that nvadvise uses") != NULL ||
           twin_text(p, span_of(plain), span_of(redacted));
}

bool twin_fact(struct twin_names *p, const struct fact *a, const struct fact *b)
{
    if (a->state != b->state || !twin_text(p, span_of(a->source), span_of(b->source))) {
        return false;
    }
    return a->state == FACT_KNOWN ? same_value(p, &a->value, &b->value)
                                  : twin_text(p, span_of(a->reason), span_of(b->reason)) &&
                                        same_remedy(p, a->remedy, b->remedy);
}

/* ---- the twin -------------------------------------------------------------------------------- */

#define INSTANCE "twin"

static const struct redact_key key = {.bytes = {7}};

struct twin {
    struct arena *arena;
    struct capture_writer *writer;
    struct host *host;
};

static void keep(void *ctx, const struct host_record *rec)
{
    capture_add(ctx, INSTANCE, 0, rec);
}

bool twin_is_due(void)
{
    static unsigned runs;
    runs++;
    return runs <= 300 || runs % 41 == 0;
}

struct twin *twin_new(struct arena *a, struct host *inner)
{
    struct twin *const t = arena_alloc(a, sizeof(*t));
    t->arena = a;
    t->writer = capture_new(a, NULL);
    t->host = host_record_new(a, inner, keep, t->writer);
    return t;
}

struct host *twin_host(const struct twin *t)
{
    return t->host;
}

static const char *path_of(struct redactor *r, const char *text)
{
    struct buf b;
    buf_init(&b, r->arena, 65536);
    redact_add_text(r, &b, span_of(text), &redact_path);
    return text == NULL ? NULL : b.ptr;
}

static const char *label_of(struct redactor *r, const char *label)
{
    const struct host_record none = {.key = "", .outcome = OUTCOME_BEGUN};
    struct host_record made;
    const char *id = NULL;
    redact_operation(r, label, &none, &id, &made);
    return id;
}

/* A word of volume.layers, as the redacted twin of a volume's job would have made it. */
static struct span layer_of(struct redactor *r, struct span word)
{
    struct layer l;
    struct buf b;
    if (!layer_read(r->arena, word, &l)) {
        return word;
    }
    l.name = span_of(path_of(r, span_dup(r->arena, l.name)));
    for (size_t i = 0; i < l.n_keys; i++) {
        l.keys[i].value = span_of(path_of(r, span_dup(r->arena, l.keys[i].value)));
    }
    buf_init(&b, r->arena, 65536);
    layer_print(&b, &l);
    return buf_span(&b);
}

static const struct pool_member *members_of(struct redactor *r, const struct probe_args *args)
{
    struct pool_member *const made = arena_calloc(r->arena, args->n_members, sizeof(*made));
    for (size_t i = 0; i < args->n_members; i++) {
        const struct pool_member *const m = &args->members[i];
        made[i] = (struct pool_member){.label = label_of(r, m->label),
                                       .dataset = path_of(r, m->dataset),
                                       .layer = layer_of(r, m->layer)};
    }
    return made;
}

static struct probe_args args_of(struct redactor *r, const struct probe_args *args)
{
    struct probe_args made = *args;
    struct buf b;
    buf_init(&b, r->arena, 4096);
    made.label = label_of(r, args->label);
    made.server = args->server == NULL ? NULL : label_of(r, args->server);
    made.path = path_of(r, args->path);
    made.pool = path_of(r, args->pool);
    made.members = members_of(r, args);
    made.exe = path_of(r, args->exe);
    made.cwd = path_of(r, args->cwd);
    made.named_socket = path_of(r, args->named_socket);
    redact_add_identity(r, &b, span_of(args->named_host));
    made.named_host = args->named_host == NULL ? NULL : b.ptr;
    return made;
}

static void run(struct twin *t, const struct probe *probe, enum subject_kind kind,
                const struct probe_args *args, struct store *s, struct capture *c)
{
    struct subject *const sub = store_subject(s, kind, args->label);
    if (args->server != NULL) {
        sub->server = store_subject(s, SUBJECT_SERVER, args->server);
    }
    sub->roles = args->roles;
    struct probe_ctx ctx = {.host = host_replay_new(t->arena, c, INSTANCE),
                            .store = s,
                            .args = args,
                            .subject = sub,
                            .arena = t->arena};
    if (probe->open == NULL || probe->open(&ctx)) {
        probe->run(&ctx);
        if (probe->ask != NULL) {
            probe->ask(&ctx);
        }
    }
}

static const struct subject *plain_of(struct redactor *r, const struct store *s, const char *label)
{
    for (size_t i = 0; i < store_subjects(s); i++) {
        const struct subject *const sub = store_subject_at(s, i);
        if (span_eq_text(span_of(label_of(r, sub->label)), label)) {
            return sub;
        }
    }
    return NULL;
}

static void show(struct buf *out, const char *what, const struct fact *f)
{
    buf_printf(out, "    %s %s ", what, fact_state_name(f->state));
    if (f->state == FACT_KNOWN) {
        value_print_literal(out, &f->value);
        buf_printf(out, " (%s)\n", f->source);
    } else {
        buf_printf(out, "(%s; %s; %s)\n", f->reason, f->remedy, f->source);
    }
}

static void compare(struct redactor *r, const struct store *s, const struct store *redacted,
                    struct buf *out)
{
    struct twin_names names = {.arena = r->arena};
    for (size_t i = 0; i < store_subjects(redacted); i++) {
        const struct subject *const sub = store_subject_at(redacted, i);
        const struct subject *const plain = plain_of(r, s, sub->label);
        const struct fact_row *rows = NULL;
        const size_t n = store_facts(redacted, sub, &rows);
        if (plain == NULL && n == 0) {
            continue; /* a server that is only pointed to */
        }
        if (plain == NULL || !twin_text(&names, span_of(plain->identity), span_of(sub->identity))) {
            buf_printf(out, "%s: another subject: %s, %s\n", sub->label,
                       plain == NULL ? "none" : plain->identity, sub->identity);
            continue;
        }
        for (size_t k = 0; k < n; k++) {
            const struct fact *const f = store_get(s, plain, span_of(rows[k].name));
            if (f != NULL && !twin_fact(&names, f, rows[k].fact)) {
                buf_printf(out, "%s: %s\n", sub->label, rows[k].name);
                show(out, "was", f);
                show(out, "is", rows[k].fact);
            }
        }
    }
}

const char *twin_differences(struct twin *t, const struct probe *probe, enum subject_kind kind,
                             const struct probe_args *args, const struct store *s)
{
    struct redactor *const r = redactor_new(t->arena, &key);
    struct store *const redacted = store_new(t->arena, store_decls(s));
    struct err err = ERR_INIT;
    struct span bytes;
    struct capture *c = NULL;
    struct buf out;
    buf_init(&out, t->arena, 65536);
    capture_redact(t->writer, &key);
    if (!capture_pack(t->writer, t->arena, &bytes, &err) ||
        !capture_read(t->arena, INSTANCE, bytes, &c, &err)) {
        return arena_printf(t->arena, "%s\n", err.text);
    }
    const struct probe_args use = args_of(r, args);
    run(t, probe, kind, &use, redacted, c);
    compare(r, s, redacted, &out);
    return out.ptr;
}
