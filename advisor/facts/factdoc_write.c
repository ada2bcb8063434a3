/* Writing the facts document as JSON (schema nvadvise.facts/1).
 * Must not know rules or probes. */
#include "advisor/facts/factdoc_parts.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/base/banned.h"

static struct json *write_words(struct arena *a, const struct value *v)
{
    struct json *list = json_array(a);
    for (size_t i = 0; i < v->n_items; i++) {
        json_push(list, json_span(a, v->items[i]));
    }
    return list;
}

void factdoc_value(struct json *o, const char *name, const struct value *v)
{
    struct arena *a = o->arena;
    struct buf b;
    if (kind_is_numeric(v->kind)) {
        const char *unit = factdoc_unit(name, v->kind);
        struct num n = v->num;
        if (unit != NULL && !factdoc_to_unit(v->num, unit, &n)) {
            unit = factdoc_base_unit(v->kind);
            n = v->num;
        }
        if (unit != NULL) {
            json_set(o, "unit", json_str(a, unit));
        }
        json_set(o, "value", json_num(a, n));
    } else if (v->kind == KIND_BOOL) {
        json_set(o, "value", json_bool(a, v->boolean));
    } else if (v->kind == KIND_VERSION) {
        buf_init(&b, a, 64);
        version_print(&b, &v->version);
        json_set(o, "value", json_span(a, buf_span(&b)));
    } else if (v->kind == KIND_SET || v->kind == KIND_LIST) {
        json_set(o, "value", write_words(a, v));
    } else {
        json_set(o, "value", json_span(a, v->text));
    }
}

static struct json *write_fact(struct arena *a, const struct store *s, const struct subject *sub,
                               const struct fact_row *row)
{
    const struct fact *f = row->fact;
    const struct fact_decl *decl = decl_find(store_decls(s), span_of(row->name), false);
    struct json *o = json_object(a);
    json_set(o, "name", json_str(a, row->name));
    json_set(o, "subject", json_str(a, sub->label));
    json_set(o, "state", json_str(a, fact_state_name(f->state)));
    json_set(o, "source", json_str(a, f->source));
    if (f->state == FACT_KNOWN) {
        json_set(o, "kind", json_str(a, kind_name(f->value.kind)));
        factdoc_value(o, row->name, &f->value);
    } else {
        if (decl != NULL) {
            const char *unit = factdoc_unit(row->name, decl->kind);
            json_set(o, "kind", json_str(a, kind_name(decl->kind)));
            if (unit != NULL) {
                json_set(o, "unit", json_str(a, unit));
            }
        }
        json_set(o, "reason", json_str(a, f->reason));
        if (f->remedy[0] != '\0') {
            json_set(o, "remedy", json_str(a, f->remedy));
        }
    }
    const struct {
        const char *key;
        bool set;
    } marks[] = {
        {"overridden", f->overridden}, {"derived", f->derived}, {"estimated", f->estimated}};
    for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
        if (marks[i].set) {
            json_set(o, marks[i].key, json_bool(a, true));
        }
    }
    return o;
}

static struct json *write_subject(struct arena *a, const struct subject *sub)
{
    struct json *o = json_object(a);
    json_set(o, "subject", json_str(a, sub->label));
    if (sub->identity[0] != '\0') {
        json_set(o, "identity", json_str(a, sub->identity));
    }
    if (sub->server != NULL) {
        json_set(o, "server", json_str(a, sub->server->label));
    }
    if (sub->kind == SUBJECT_VOLUME) {
        struct json *list = json_array(a);
        for (unsigned i = 0; i < ROLES; i++) {
            if ((sub->roles & (1u << i)) != 0) {
                json_push(list, json_str(a, role_name((enum role)(1u << i))));
            }
        }
        json_set(o, "roles", list);
    }
    return o;
}

static int cmp_labels(const void *a, const void *b)
{
    const struct subject *const *x = a;
    const struct subject *const *y = b;
    return strcmp((*x)->label, (*y)->label);
}

struct json *factdoc_write(struct arena *a, const struct store *s)
{
    struct json *doc = json_object(a);
    struct json *facts = json_array(a);
    struct json *subjects = json_array(a);
    const size_t n = store_subjects(s);
    const struct subject **all = arena_calloc(a, n, sizeof(*all));
    for (size_t i = 0; i < n; i++) {
        all[i] = store_subject_at(s, i);
    }
    if (n > 1) {
        qsort(all, n, sizeof(*all), cmp_labels);
    }
    for (size_t i = 0; i < n; i++) {
        const struct fact_row *rows;
        const size_t n_rows = store_facts(s, all[i], &rows);
        json_push(subjects, write_subject(a, all[i]));
        for (size_t k = 0; k < n_rows; k++) {
            json_push(facts, write_fact(a, s, all[i], &rows[k]));
        }
    }
    json_set(doc, "schema", json_str(a, FACTDOC_SCHEMA));
    json_set(doc, "subjects", subjects);
    json_set(doc, "facts", facts);
    json_sort(doc);
    return doc;
}
