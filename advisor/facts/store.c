/* The fact store: subjects, and what is known of each. Filling gaps, cloning and names of states
 * are in store_fill.c. Must not know probes, documents or rules. */
#include "advisor/facts/store.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/facts/map.h"

#include "advisor/base/banned.h"

/* A subject with its facts. The sorted view is made when asked for, and again after a change. */
struct node {
    struct subject subject;
    struct map facts; /* name -> struct fact */
    struct fact_row *rows;
    size_t n_rows;
    bool sorted;
};

/* Views that a const store may make; results handed out stay valid, a new view is new memory. */
struct views {
    const struct subject **of[SUBJECT_KINDS]; /* in byte order of labels */
    size_t n[SUBJECT_KINDS];
    bool sorted[SUBJECT_KINDS];
};

struct store {
    struct arena *arena;
    const struct decl_set *decls;
    struct map labels; /* label -> struct node, in order of making */
    struct views *views;
    bool offline;
    store_observer observer;
    void *observer_ctx;
};

struct store *store_new(struct arena *a, const struct decl_set *decls)
{
    struct store *s = arena_alloc(a, sizeof(*s));
    s->arena = a;
    s->decls = decls;
    s->views = arena_alloc(a, sizeof(*s->views));
    map_init(&s->labels, a);
    return s;
}

struct arena *store_arena(const struct store *s)
{
    return s->arena;
}

const struct decl_set *store_decls(const struct store *s)
{
    return s->decls;
}

/* ---- subjects --------------------------------------------------------------------------- */

/* By label, so that a subject of one store names the same one in a clone of it. */
static struct node *find_node(const struct store *s, const char *label)
{
    return map_get(&s->labels, span_of(label));
}

struct subject *store_subject(struct store *s, enum subject_kind kind, const char *label)
{
    struct map_entry *e = map_put(&s->labels, span_of(label));
    struct node *node = e->value;
    if (node == NULL) {
        node = arena_alloc(s->arena, sizeof(*node));
        node->subject = (struct subject){.kind = kind, .label = e->key, .identity = ""};
        map_init(&node->facts, s->arena);
        e->value = node;
        s->views->sorted[kind] = false;
    }
    return &node->subject;
}

struct subject *store_find_subject(const struct store *s, const char *label)
{
    struct node *node = find_node(s, label);
    return node == NULL ? NULL : &node->subject;
}

size_t store_subjects(const struct store *s)
{
    return s->labels.n;
}

struct subject *store_subject_at(const struct store *s, size_t i)
{
    if (i >= s->labels.n) {
        return NULL;
    }
    struct node *node = s->labels.entries[i].value;
    return &node->subject;
}

static int cmp_subjects(const void *a, const void *b)
{
    const struct subject *const *x = a;
    const struct subject *const *y = b;
    return strcmp((*x)->label, (*y)->label);
}

size_t store_subjects_of(const struct store *s, enum subject_kind kind,
                         const struct subject *const **ret)
{
    struct views *v = s->views;
    if (!v->sorted[kind]) {
        size_t n = 0;
        const struct subject **all = arena_calloc(s->arena, store_subjects(s), sizeof(*all));
        for (size_t i = 0; i < store_subjects(s); i++) {
            const struct subject *sub = store_subject_at(s, i);
            if (sub->kind == kind) {
                all[n++] = sub;
            }
        }
        if (n > 1) {
            qsort(all, n, sizeof(*all), cmp_subjects);
        }
        v->of[kind] = all;
        v->n[kind] = n;
        v->sorted[kind] = true;
    }
    *ret = v->of[kind];
    return v->n[kind];
}

static bool is_same(const struct subject *a, const struct subject *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a->label, b->label) == 0);
}

/* Most often one, or all side by side: then a piece of the view is the answer, without a copy. */
static const struct subject *const *pick(const struct store *s, const struct subject *const *all,
                                         const bool *wanted, size_t n, size_t *ret_n)
{
    size_t first = n;
    size_t last = 0;
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (wanted[i]) {
            first = first == n ? i : first;
            last = i;
            count++;
        }
    }
    *ret_n = count;
    if (count == 0 || last - first + 1 == count) {
        return all + (count == 0 ? 0 : first);
    }
    const struct subject **picked = arena_calloc(s->arena, count, sizeof(*picked));
    size_t k = 0;
    for (size_t i = first; i <= last; i++) {
        if (wanted[i]) {
            picked[k++] = all[i];
        }
    }
    return picked;
}

size_t store_volumes(const struct store *s, const struct subject *server, enum role role,
                     const struct subject *const **ret)
{
    const struct subject *const *all;
    const size_t n = store_subjects_of(s, SUBJECT_VOLUME, &all);
    ARENA_AUTO scratch = arena_new();
    bool *wanted = arena_calloc(scratch, n, sizeof(*wanted));
    size_t found = 0;
    for (unsigned attempt = 0; attempt < 2; attempt++) {
        for (size_t i = 0; i < n; i++) {
            wanted[i] = is_same(all[i]->server, server) && (all[i]->roles & (unsigned)role) != 0;
        }
        *ret = pick(s, all, wanted, n, &found);
        if (found > 0) {
            break;
        }
        role = ROLE_DATA;
    }
    return found;
}

/* A device that is no subject makes the list incomplete, so unknown. */
bool store_devices(const struct store *s, const struct subject *volume, const char *fact,
                   const struct subject *const **ret, size_t *ret_n)
{
    const struct fact *f = store_get(s, volume, span_of(fact));
    if (f == NULL) {
        return false;
    }
    const struct value *v = &f->value;
    if (f->state != FACT_KNOWN || (v->kind != KIND_SET && v->kind != KIND_LIST)) {
        return false;
    }
    const struct subject **leaves = arena_calloc(s->arena, v->n_items, sizeof(*leaves));
    for (size_t i = 0; i < v->n_items; i++) {
        ARENA_AUTO scratch = arena_new();
        leaves[i] =
            store_find_subject(s, arena_printf(scratch, "device:%.*s", SPAN_ARG(v->items[i])));
        if (leaves[i] == NULL) {
            return false;
        }
    }
    *ret = leaves;
    *ret_n = v->n_items;
    return true;
}

bool store_leaves(const struct store *s, const struct subject *volume,
                  const struct subject *const **ret, size_t *ret_n)
{
    const struct fact *f = store_get(s, volume, SPAN_LIT("volume.leaf_devices"));
    if (f != NULL && !store_is_filled(f)) {
        return store_devices(s, volume, "volume.leaf_devices", ret, ret_n);
    }
    const struct subject *const *devices;
    if (!s->offline || store_subjects_of(s, SUBJECT_DEVICE, &devices) != 1) {
        return false;
    }
    *ret = devices;
    *ret_n = 1;
    return true;
}

/* ---- facts ------------------------------------------------------------------------------ */

static const char *copy_text(struct arena *a, const char *text)
{
    return text == NULL || text[0] == '\0' ? "" : arena_strdup(a, text);
}

static struct fact *copy_fact(struct arena *a, const struct fact *f)
{
    struct fact *copy = arena_alloc(a, sizeof(*copy));
    *copy = *f;
    copy->source = copy_text(a, f->source);
    copy->reason = copy_text(a, f->reason);
    copy->remedy = copy_text(a, f->remedy);
    if (f->state == FACT_KNOWN) {
        copy->value = value_copy(a, &f->value);
    } else {
        copy->value = (struct value){.kind = f->value.kind};
    }
    return copy;
}

/* A new object each time: whoever holds the old one (evidence) keeps what it saw. */
void store_set(struct store *s, const struct subject *sub, const char *name, const struct fact *f)
{
    struct node *node = find_node(s, sub->label);
    if (node == NULL) {
        return;
    }
    struct fact *const copy = copy_fact(s->arena, f);
    map_put(&node->facts, span_of(name))->value = copy;
    node->sorted = false;
    if (s->observer != NULL) {
        s->observer(s->observer_ctx, &node->subject, name, copy);
    }
}

void store_observe(struct store *s, store_observer fn, void *ctx)
{
    s->observer = fn;
    s->observer_ctx = ctx;
}

const struct fact *store_get(const struct store *s, const struct subject *sub, struct span name)
{
    const struct node *node = find_node(s, sub->label);
    return node == NULL ? NULL : map_get(&node->facts, name);
}

void store_unset(struct store *s, const struct subject *sub, const char *name)
{
    struct node *node = find_node(s, sub->label);
    if (node != NULL && map_get(&node->facts, span_of(name)) != NULL) {
        map_put(&node->facts, span_of(name))->value = NULL;
        node->sorted = false;
    }
}

static int cmp_fact_rows(const void *a, const void *b)
{
    const struct fact_row *x = a;
    const struct fact_row *y = b;
    return strcmp(x->name, y->name);
}

size_t store_facts(const struct store *s, const struct subject *sub, const struct fact_row **ret)
{
    struct node *node = find_node(s, sub->label);
    if (node == NULL) {
        *ret = NULL;
        return 0;
    }
    if (!node->sorted) {
        size_t n = 0;
        struct fact_row *rows = arena_calloc(s->arena, node->facts.n, sizeof(*rows));
        for (size_t i = 0; i < node->facts.n; i++) {
            const struct map_entry *e = &node->facts.entries[i];
            if (e->value != NULL) {
                rows[n++] = (struct fact_row){e->key, e->value};
            }
        }
        if (n > 1) {
            qsort(rows, n, sizeof(*rows), cmp_fact_rows);
        }
        node->rows = rows;
        node->n_rows = n;
        node->sorted = true;
    }
    *ret = node->rows;
    return node->n_rows;
}

void store_set_offline(struct store *s, bool offline)
{
    s->offline = offline;
}

bool store_is_offline(const struct store *s)
{
    return s->offline;
}
