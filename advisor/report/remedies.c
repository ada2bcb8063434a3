/* What would make unknown facts known: one entry a remedy, however many rules wait for it. Pure. */
#include "advisor/report/doc.h"

#include <string.h>

#include "advisor/base/banned.h"

struct remedy {
    const char *text;
    const char *reason;
    enum severity worst;
    struct json *rules;
    size_t n_facts;
};

struct remedies {
    struct remedy *items;
    size_t n, cap;
};

static struct remedy *remedy_for(const struct doc *d, struct remedies *r, const struct fact *fact)
{
    const char *text = fact->remedy[0] != '\0' ? fact->remedy : fact->reason;
    for (size_t i = 0; i < r->n; i++) {
        if (strcmp(r->items[i].text, text) == 0) {
            return &r->items[i];
        }
    }
    if (r->n == r->cap) {
        const size_t cap = r->cap * 2 + 8;
        r->items = arena_grow(d->arena, r->items, r->cap * sizeof(*r->items),
                              cap * sizeof(*r->items));
        r->cap = cap;
    }
    struct remedy *item = &r->items[r->n++];
    *item = (struct remedy){.text = text, .reason = fact->reason, .rules = json_array(d->arena)};
    return item;
}

static void add_rule(const struct doc *d, struct remedy *item, const struct finding *f)
{
    for (size_t i = 0; i < item->rules->n; i++) {
        if (span_eq_text(item->rules->items[i]->string, f->rule->id)) {
            return;
        }
    }
    json_push(item->rules, json_str(d->arena, f->rule->id));
    if (f->severity > item->worst) {
        item->worst = f->severity;
    }
}

struct json *doc_remedies(const struct doc *d)
{
    struct remedies all = {0};
    for (size_t i = 0; i < d->in->findings->n; i++) {
        const struct finding *f = &d->in->findings->items[i];
        if (f->waiver != NULL) {
            continue;
        }
        if (f->verdict == VERDICT_ERROR) { /* no fact is missing: the rule could not be worked out */
            const struct fact error = {.reason = f->error, .remedy = ""};
            add_rule(d, remedy_for(d, &all, &error), f);
        }
        if (f->verdict != VERDICT_UNKNOWN) {
            continue;
        }
        for (size_t k = 0; k < f->n_blockers; k++) {
            struct remedy *item = remedy_for(d, &all, f->blockers[k].fact);
            item->n_facts++;
            add_rule(d, item, f);
        }
    }
    struct json *list = json_array(d->arena);
    for (size_t i = 0; i < all.n; i++) {
        struct json *j = json_object(d->arena);
        json_set(j, "text", json_str(d->arena, all.items[i].text));
        json_set(j, "reason", json_str(d->arena, all.items[i].reason));
        json_set(j, "severity", json_str(d->arena, severity_name(all.items[i].worst)));
        json_set(j, "facts", json_int(d->arena, (int64_t)all.items[i].n_facts));
        json_set(j, "rules", all.items[i].rules);
        json_push(list, j);
    }
    return list;
}
