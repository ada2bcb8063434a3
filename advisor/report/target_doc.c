/* check --target: what the option lines of each server would mean in another version. Pure. */
#include "advisor/report/doc.h"

#include <string.h>

#include "rules/options.h"

#include "advisor/base/banned.h"

#define PLANNED "zz-nvadvise.cnf (planned)"

/* Files come first, then the command line and SET PERSIST: what is planned stands between. */
static bool is_above_files(const struct optline *l)
{
    return span_eq_text(l->file, OPTLINE_COMMAND_LINE) || span_eq_text(l->group, OPTLINE_PERSISTED);
}

/* The lines that the plan would add to the files. */
static size_t planned_lines(const struct doc *d, size_t server, struct optline **ret)
{
    const struct plan *plan = &d->in->plans[server];
    struct optline *lines = arena_calloc(d->arena, plan->n + 1, sizeof(*lines));
    size_t n = 0;
    for (size_t i = 0; i < plan->n; i++) {
        const struct plan_line *p = &plan->lines[i];
        if (p->where == WHERE_OPTION_FILE && p->line != LINE_COMMENT &&
            p->subject->kind == SUBJECT_SERVER) {
            lines[n++] = (struct optline){.file = span_of(PLANNED),
                                          .group = span_of(p->group),
                                          .name = span_of(p->variable),
                                          .value = span_of(p->new_text),
                                          .has_value = true};
        }
    }
    *ret = lines;
    return n;
}

static size_t all_lines(const struct doc *d, size_t server, const struct optline *read, size_t n,
                        struct optline **ret)
{
    struct optline *planned;
    const size_t n_planned = planned_lines(d, server, &planned);
    struct optline *all = arena_calloc(d->arena, n + n_planned + 1, sizeof(*all));
    size_t first = n, k = 0;
    while (first > 0 && is_above_files(&read[first - 1])) {
        first--;
    }
    for (size_t i = 0; i < first; i++) {
        all[k++] = read[i];
    }
    for (size_t i = 0; i < n_planned; i++) {
        all[k++] = planned[i];
    }
    for (size_t i = first; i < n; i++) {
        all[k++] = read[i];
    }
    *ret = all;
    return k;
}

static struct json *item_doc(struct arena *a, const struct subject *server,
                             const struct option_upgrade *u)
{
    struct json *j = json_object(a);
    const bool persisted = span_eq_text(u->line->group, OPTLINE_PERSISTED);
    json_set(j, "server", json_str(a, server->label));
    json_set(j, "file", persisted ? json_null(a) : json_span(a, u->line->file));
    json_set(j, "line", u->line->line == 0 ? json_null(a) : json_int(a, u->line->line));
    json_set(j, "group", json_span(a, u->line->group));
    json_set(j, "name", json_str(a, u->name));
    /* Of groups that this server does not read the values were never taken. */
    const bool has_value = u->line->has_value && u->now != NULL;
    json_set(j, "value", has_value ? json_span(a, u->line->value) : json_null(a));
    json_set(j, "change", json_str(a, option_change_name(u->change)));
    json_set(j, "text", json_str(a, u->text));
    json_set(j, "instead", json_str(a, u->instead));
    return j;
}

/* `server` is NULL where there is none. */
static struct json *unknown_doc(struct arena *a, const struct subject *server, const char *reason)
{
    struct json *j = json_object(a);
    json_set(j, "server", server != NULL ? json_str(a, server->label) : json_null(a));
    json_set(j, "reason", json_str(a, reason));
    return j;
}

static bool target_now(const struct doc *d, const struct subject *server,
                       struct option_target *ret)
{
    const struct fact *flavour = store_get(d->in->store, server, SPAN_LIT("server.flavour"));
    const struct fact *version = store_get(d->in->store, server, SPAN_LIT("server.version"));
    *ret = (struct option_target){.store = d->in->store, .server = server};
    if (flavour == NULL || flavour->state != FACT_KNOWN || version == NULL ||
        version->state != FACT_KNOWN || !flavour_from_name(flavour->value.text, &ret->flavour)) {
        return false;
    }
    ret->version = version->value.version;
    return true;
}

static void add_server(const struct doc *d, size_t i, struct json *items, struct json *unknown)
{
    struct arena *a = d->arena;
    const struct subject *server = d->in->servers[i];
    const struct option_target then = {.flavour = d->in->target_flavour,
                                       .version = d->in->target_version};
    struct option_target now;
    struct optline *read, *others, *lines;
    size_t n_read, n_others = 0;
    if (!options_lines(d->in->store, server, a, &read, &n_read)) {
        json_push(unknown, unknown_doc(a, server, "its option files are not known"));
        return;
    }
    if (!target_now(d, server, &now)) {
        json_push(unknown, unknown_doc(a, server, "its flavour or version is not known"));
        return;
    }
    if (!option_other_lines(d->in->store, server, a, &others, &n_others)) {
        others = NULL;
    }
    const size_t n = all_lines(d, i, read, n_read, &lines);
    struct option_upgrade *up;
    const size_t n_up = options_upgrade(d->in->rules->catalogue, &now, &then, lines, n, others,
                                        n_others, a, &up);
    for (size_t k = 0; k < n_up; k++) {
        json_push(items, item_doc(a, server, &up[k]));
    }
}

struct json *doc_target(const struct doc *d)
{
    struct arena *a = d->arena;
    if (!d->in->has_target) {
        return json_null(a);
    }
    struct json *j = json_object(a), *items = json_array(a), *unknown = json_array(a);
    for (size_t i = 0; i < d->in->n_servers; i++) {
        add_server(d, i, items, unknown);
    }
    if (d->in->n_servers == 0) {
        json_push(unknown, unknown_doc(a, NULL, "no server was found, so no option file was read"));
    }
    struct buf b;
    buf_init(&b, a, 64);
    version_print(&b, &d->in->target_version);
    json_set(j, "flavour", json_str(a, flavour_name(d->in->target_flavour)));
    json_set(j, "version", json_span(a, buf_span(&b)));
    const struct catalogue *c = d->in->rules->catalogue;
    json_set(j, "tried",
             json_str(a, confidence_name(catalogue_confidence(c, d->in->target_flavour,
                                                              &d->in->target_version))));
    buf_init(&b, a, 512);
    catalogue_confidence_text(c, d->in->target_flavour, &d->in->target_version, &b);
    json_set(j, "note", json_span(a, buf_span(&b)));
    json_set(j, "items", items);
    json_set(j, "unknown", unknown);
    return j;
}

size_t doc_target_count(const struct json *target, const char *change)
{
    const struct json *items = target->type == JSON_OBJECT ? json_get(target, "items") : NULL;
    size_t n = 0;
    for (size_t i = 0; items != NULL && i < items->n; i++) {
        const char *text = json_get_str(items->items[i], "change");
        n += text != NULL && strcmp(text, change) == 0 ? 1 : 0;
    }
    return n;
}

bool doc_target_unsure(const struct json *target)
{
    const struct json *unknown = target->type == JSON_OBJECT ? json_get(target, "unknown") : NULL;
    return (unknown != NULL && unknown->n > 0) || doc_target_count(target, "unsure") > 0;
}
