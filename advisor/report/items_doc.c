/* The lines of option files that a finding is about, one item each. Pure. */
#include "advisor/report/doc.h"

#include "rules/options.h"

#include "advisor/base/banned.h"

#define ITEMS_MAX 1000 /* of one finding */

static struct json *item_doc(struct arena *a, const struct option_item *item)
{
    struct json *j = json_object(a);
    json_set(j, "setting", json_str(a, item->setting));
    json_set(j, "advice", json_str(a, item->advice));
    json_set(j, "file", item->file[0] != '\0' ? json_str(a, item->file) : json_null(a));
    json_set(j, "line", item->file[0] != '\0' ? json_int(a, item->line) : json_null(a));
    json_set(j, "value", json_str(a, item->value));
    json_set(j, "text", json_str(a, item->text));
    return j;
}

struct json *doc_items(const struct doc *d, const struct finding *f)
{
    struct json *list = json_array(d->arena);
    for (size_t i = 0; i < f->n_evidence && f->verdict == VERDICT_FAIL; i++) {
        struct option_item *items;
        const struct evidence *e = &f->evidence[i];
        if (e->subject == NULL || e->subject->kind != SUBJECT_SERVER)
            continue;
        const size_t n = options_items(d->in->rules, d->in->store, e->subject, e->name, d->arena,
                                       &items);
        for (size_t k = 0; k < n && list->n < ITEMS_MAX; k++)
            json_push(list, item_doc(d->arena, &items[k]));
    }
    return list;
}
