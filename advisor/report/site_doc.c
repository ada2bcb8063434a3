/* What the site decided, as the report states it: profile, waivers. Pure. */
#include "advisor/report/doc.h"

#include "advisor/base/hash.h"
#include "rules/profile.h"
#include "rules/waiver.h"

#include "advisor/base/banned.h"

static void set_hash(const struct doc *d, struct json *j, struct hash *h)
{
    char hex[HASH_HEX_LEN + 1];
    hash_end(h, hex);
    json_set(j, "hash", json_str(d->arena, hex));
}

/* Name and all that it sets; the parameters have a hash of their own. */
struct json *doc_profile(const struct doc *d)
{
    const struct profile *p = d->in->profile;
    struct json *j = json_object(d->arena);
    struct hash *h = hash_new(d->arena);
    const char *name = p == NULL ? "durable" : p->name;
    hash_add(h, span_of(name));
    for (size_t i = 0; p != NULL && i < p->n_values; i++) {
        struct buf b;
        buf_init(&b, d->arena, 1024);
        value_print_literal(&b, &p->values[i].value);
        hash_add(h, span_of(d->in->rules->params[p->values[i].param].name));
        hash_add(h, buf_span(&b));
    }
    set_hash(d, j, h);
    json_set(j, "name", json_str(d->arena, name));
    json_set(j, "version", json_str(d->arena, NVADVISE_VERSION));
    json_set(j, "meaning", json_str(d->arena, p == NULL ? NULL : p->meaning));
    return j;
}

static struct json *waiver_doc(const struct doc *d, const struct waivers *all,
                               const struct waiver *w)
{
    struct arena *a = d->arena;
    struct json *j = json_object(a);
    json_set(j, "reason", json_str(a, w->reason));
    json_set(j, "expires", json_str(a, w->expires));
    json_set(j, "permanent", json_bool(a, w->expires == NULL));
    json_set(j, "owner", json_str(a, w->owner));
    json_set(j, "ticket", json_str(a, w->ticket));
    json_set(j, "file", json_str(a, all->name));
    json_set(j, "line", json_int(a, w->line));
    return j;
}

struct json *doc_waived(const struct doc *d, const struct finding *f)
{
    return f->waiver == NULL ? json_null(d->arena) : waiver_doc(d, d->in->waivers, f->waiver);
}

struct json *doc_waivers(const struct doc *d)
{
    struct arena *a = d->arena;
    const struct waivers *all = d->in->waivers;
    struct json *j = json_object(a), *items = json_array(a);
    const bool none = all == NULL || all->name == NULL;
    json_set(j, "name", json_str(a, none ? "none" : all->name));
    json_set(j, "version", json_str(a, NVADVISE_VERSION));
    if (none) {
        set_hash(d, j, hash_new(a));
    } else {
        json_set(j, "hash", json_str(a, all->hash));
    }
    for (size_t i = 0; !none && i < all->n; i++) {
        struct json *one = waiver_doc(d, all, &all->items[i]);
        json_set(one, "rule", json_str(a, all->items[i].rule->id));
        json_set(one, "state", json_str(a, waiver_state_name(all->items[i].state)));
        json_push(items, one);
    }
    json_set(j, "count", json_int(a, (int64_t)items->n));
    json_set(j, "items", items);
    return j;
}

/* "nvadvise.waivers:3: the waiver of RULE …" */
static void note_waiver(const struct doc *d, const struct waiver *w, struct json *notes)
{
    const char *what = NULL;
    if (w->state == WAIVER_EXPIRED) {
        what = arena_printf(d->arena, "expired on %s: the finding counts again", w->expires);
    } else if (w->state == WAIVER_LAPSED) {
        what = arena_printf(d->arena, "was for the value %s, which is no longer so: the finding "
                                      "counts again", w->when_actual);
    } else if (w->soon) {
        what = arena_printf(d->arena, "ends on %s", w->expires);
    }
    if (what != NULL) {
        json_push(notes, json_str(d->arena, arena_printf(d->arena, "the waiver of %s (%s:%u) %s",
                                                         w->rule->id, d->in->waivers->name,
                                                         w->line, what)));
    }
}

void doc_note_waivers(const struct doc *d, struct json *notes)
{
    const struct waivers *all = d->in->waivers;
    for (size_t i = 0; all != NULL && i < all->n; i++) {
        note_waiver(d, &all->items[i], notes);
    }
}
