/* A planned line as JSON. Pure. */
#include "advisor/report/doc.h"

#include "advisor/facts/factdoc.h"
#include "rules/options.h"

#include "advisor/base/banned.h"

#define TEXT_MAX 4096

static const char *where_name(enum setting_where w)
{
    switch (w) {
    case WHERE_OPTION_FILE:
        return "option_file";
    case WHERE_SYSCTL:
        return "sysctl";
    case WHERE_UNIT:
        return "unit";
    case WHERE_MODULE:
        return "module";
    }
    return "option_file";
}

/* The value in force for people: "128 MiB", where "134217728" is what the option file would say. */
static const char *old_shown(struct arena *a, const struct plan_line *line)
{
    if (line->old == NULL || line->old->state != FACT_KNOWN) {
        return "unknown";
    }
    struct buf b;
    buf_init(&b, a, TEXT_MAX);
    value_print(&b, &line->old->value);
    return b.ptr;
}

/* What `new` counts: "bytes", "1/s", "percent"; "" for a plain number or a word. */
static const char *unit_of(struct arena *a, const struct plan_line *line)
{
    struct json *as_fact = json_object(a);
    factdoc_value(as_fact, line->variable, &line->new_value);
    const char *unit = json_get_str(as_fact, "unit");
    return unit != NULL ? unit : "";
}

struct json *doc_plan_line(const struct doc *d, const struct plan_line *line)
{
    struct arena *a = d->arena;
    struct json *j = json_object(a);
    struct buf b;
    buf_init(&b, a, TEXT_MAX);
    value_print(&b, &line->new_value);
    json_set(j, "variable", json_str(a, line->variable));
    json_set(j, "server", json_str(a, line->subject->label));
    json_set(j, "where", json_str(a, where_name(line->where)));
    json_set(j, "line", json_str(a, line_kind_name(line->line)));
    json_set(j, "old", json_str(a, line->old_text));
    json_set(j, "old_text", json_str(a, old_shown(a, line)));
    json_set(j, "old_origin", json_str(a, line->old_origin));
    json_set(j, "new", json_str(a, line->new_text));
    json_set(j, "new_text", json_span(a, buf_span(&b)));
    json_set(j, "unit", json_str(a, unit_of(a, line)));
    json_set(j, "formula", json_str(a, line->formula));
    json_set(j, "rule", json_str(a, line->rule));
    json_set(j, "settles", json_str(a, line->settles));
    json_set(j, "estimated", json_bool(a, line->estimated));
    json_set(j, "dynamic", json_bool(a, line->dynamic));
    json_set(j, "restart", json_bool(a, line->restart));
    json_set(j, "set_order", json_int(a, (int64_t)line->set_order));
    json_set(j, "risk", json_str(a, line->risk));
    json_set(j, "group", json_str(a, line->group));
    json_set(j, "overridden", json_bool(a, line->overridden));
    const bool persisted =
        line->where == WHERE_OPTION_FILE && line->subject->kind == SUBJECT_SERVER &&
        options_is_persisted(d->in->rules, d->in->store, line->subject, line->variable);
    json_set(j, "first", persisted ? json_str(a, arena_printf(a, "RESET PERSIST %s", line->variable))
                                   : json_null(a));
    return j;
}
