/* What the drop-in would say: the plan's lines, and those of the present one that nothing speaks against.
 * A line that is right stays byte for byte, comment included: after a restart the plan is empty because
 * those very lines are in force. */
#include "advisor/cli/tune.h"

#include <string.h>

#include "advisor/cli/output.h"
#include "advisor/report/docread.h"
#include "templates/template.h"

#include "advisor/base/banned.h"

static void leave_out(struct tune *t, const char *variable, const char *value, const char *why)
{
    t->left = arena_list_room(t->arena, t->left, t->n_left, sizeof(*t->left));
    t->left[t->n_left++] = (struct tune_left){variable, value, why};
}

static bool is_ours(const struct tune *t, const struct json *line)
{
    return read_is(line, "server", t->server->label) && read_is(line, "where", "option_file") &&
           !read_is(line, "line", "comment");
}

const struct json *tune_planned(const struct tune *t, const char *variable)
{
    const struct json *plan = read_list(t->report, "plan");
    for (size_t i = 0; i < plan->n; i++) {
        if (is_ours(t, plan->items[i]) && read_is(plan->items[i], "variable", variable)) {
            return plan->items[i];
        }
    }
    return NULL;
}

/* ---- the version that starts next ------------------------------------------------------------ */

static const char *next_name(const struct tune *t)
{
    struct buf b;
    buf_init(&b, t->arena, 256);
    buf_printf(&b, "%s ", flavour_title(t->next.flavour));
    version_print(&b, &t->next.version);
    return b.ptr;
}

static bool in_range(const struct tune *t, const struct variable *v, const char *value)
{
    struct num n, min, max, step;
    return !num_parse(span_of(value), &n) ||
           !variable_range(v, t->next.flavour, &t->next.version, &min, &max, &step) ||
           (num_cmp(n, min) >= 0 && num_cmp(n, max) <= 0);
}

/* Why the next binary would not take the line, or NULL. What the running server has is in the plan already. */
static const char *next_refuses(const struct tune *t, const char *variable, const char *value)
{
    const struct variable *v =
        catalogue_find(t->judged.session.rules.catalogue, span_of(variable));
    if (!t->next.has_next || v == NULL) {
        return NULL;
    }
    const enum presence at = variable_presence(v, t->next.flavour, &t->next.version);
    if (at == PRESENCE_REFUSED) {
        return arena_printf(t->arena, "%s, which starts next, refuses it", next_name(t));
    }
    if (at == PRESENCE_IGNORED) {
        return arena_printf(t->arena, "%s, which starts next, ignores it", next_name(t));
    }
    return in_range(t, v, value)
               ? NULL
               : arena_printf(t->arena, "outside the range of %s, which starts next", next_name(t));
}

/* The report without the plan's lines that the next binary refuses. */
static struct json *plan_for_next(struct tune *t)
{
    struct json *doc = json_object(t->arena), *plan = json_array(t->arena);
    const struct json *all = read_list(t->report, "plan");
    for (size_t i = 0; i < all->n; i++) {
        const char *variable = read_text(all->items[i], "variable");
        const char *value = read_text(all->items[i], "new");
        const char *why = is_ours(t, all->items[i]) ? next_refuses(t, variable, value) : NULL;
        if (why != NULL) {
            leave_out(t, variable, value, why);
        } else {
            json_push(plan, all->items[i]);
        }
    }
    for (size_t i = 0; i < t->report->n; i++) {
        if (!span_eq_text(t->report->keys[i], "plan")) {
            json_append(doc, t->report->keys[i], t->report->items[i]);
        }
    }
    json_set(doc, "plan", plan);
    return doc;
}

/* ---- what stays ------------------------------------------------------------------------------ */

static struct json *kept_line(struct arena *a, const struct dropin_line *l)
{
    const struct {
        const char *key, *text;
    } members[] = {
        {"group", l->group},       {"variable", l->variable}, {"value", l->value},
        {"rule", l->rule},         {"settles", l->settles},   {"mark", l->mark},
        {"old_text", l->was},      {"old_origin", l->origin}, {"evidence", l->facts},
        {"formula", l->formula},   {"risk", l->risk},
    };
    struct json *j = json_object(a);
    for (size_t i = 0; i < ARRAY_LEN(members); i++) {
        json_set(j, members[i].key, json_str(a, members[i].text));
    }
    json_set(j, "dynamic", json_bool(a, l->dynamic));
    return j;
}

/* Does the line stay? If not, and no new one takes its place, t->left says why. */
static bool stays(struct tune *t, const struct dropin_line *l)
{
    const struct json *planned = tune_planned(t, l->variable);
    const char *why = next_refuses(t, l->variable, l->value);
    if (l->rule[0] == '\0') {
        why = "not a line of nvadvise";
    } else if (planned != NULL) {
        return why == NULL && read_is(planned, "new", l->value) &&
               read_is(planned, "group", l->group);
    } else if (why == NULL && t->judged.measured_only && l->mark[0] != '\0') {
        why = "rests on an estimate, and only measured values are asked for";
    }
    if (why != NULL) {
        leave_out(t, l->variable, l->value, why);
    }
    return why == NULL;
}

/* What somebody wrote over a line of ours no rule has seen: the value that they have passed is the one in force. */
static struct dropin_line as_judged(const struct tune *t, struct dropin_line l)
{
    if (t->present.look.state == TUNE_CHANGED && tune_planned(t, l.variable) == NULL) {
        const struct tune_force f = tune_in_force(t, &l, NULL);
        l.value = f.known && !f.in_force ? f.now : l.value;
    }
    return l;
}

static struct json *kept_lines(struct tune *t)
{
    struct json *kept = json_array(t->arena);
    for (size_t i = 0; i < t->present.n_lines; i++) {
        const struct dropin_line l = as_judged(t, t->present.lines[i]);
        if (stays(t, &l)) {
            json_push(kept, kept_line(t->arena, &l));
        }
    }
    return kept;
}

/* ---- what was removed ------------------------------------------------------------------------ */

/* Where the server has the value from, when that is a drop-in of ours; else NULL. */
static const char *from_ours(const struct tune *t, const struct fact *source)
{
    const char *path = source->state == FACT_KNOWN && span_eq_text(source->value.text, "file")
                           ? strstr(source->source, ": ")
                           : NULL;
    return path != NULL && span_ends(span_of(path), "/" TUNE_FILE)
               ? arena_strdup(t->arena, path + 2)
               : NULL;
}

/* The group that a later version, which refuses the name, does not read. */
static const char *group_of(const struct tune *t, const char *variable)
{
    const struct variable *v =
        catalogue_find(t->judged.session.rules.catalogue, span_of(variable));
    const struct next *n = &t->next;
    struct version then;
    if (v == NULL || !variable_refused_after(v, n->flavour, &n->version, &then)) {
        return "mysqld";
    }
    return arena_printf(t->arena, "%s-%u.%u", n->flavour == FLAVOUR_MARIADB ? "mariadb" : "mysqld",
                        n->version.part[0], n->version.part[1]);
}

static void add_removed(struct tune *t, const char *variable, const char *path, struct json *kept)
{
    const struct fact *now =
        store_get(t->judged.session.store, t->server,
                  span_of(arena_printf(t->arena, "server.var.%s", variable)));
    if (now == NULL || now->state != FACT_KNOWN) {
        return;
    }
    const char *value = tune_value_text(t, variable, now);
    const struct dropin_line l = {
        .group = group_of(t, variable), .variable = variable, .value = value,
        .rule = "in force, from a drop-in that was removed since", .settles = "", .mark = "",
        .was = value, .origin = arena_printf(t->arena, "file %s", path),
        .facts = arena_printf(t->arena, "server.var.%s = %s", variable, value),
        .formula = value, .risk = "none: it is in force",
    };
    if (t->judged.measured_only) {
        leave_out(t, variable, value, "in force, but whether it rests on an estimate is not known "
                                      "any more");
    } else if (tune_planned(t, variable) == NULL && stays(t, &l)) {
        json_push(kept, kept_line(t->arena, &l));
    }
}

/* Somebody has removed the file, and the server runs with its lines: its rules pass, and after the next start
 * they would not. NULL: there are none. */
static struct json *removed_lines(struct tune *t)
{
    static const char prefix[] = "server.source.";
    const struct session *s = &t->judged.session;
    const struct fact_row *rows = NULL;
    const size_t n = t->next.has_next ? store_facts(s->store, t->server, &rows) : 0;
    struct json *kept = json_array(t->arena);
    for (size_t i = 0; i < n; i++) {
        const char *variable = rows[i].name + sizeof(prefix) - 1;
        const char *path = span_starts(span_of(rows[i].name), prefix) &&
                                   settings_has(&s->rules, span_of(variable))
                               ? from_ours(t, rows[i].fact)
                               : NULL;
        if (path != NULL) {
            add_removed(t, arena_strdup(t->arena, variable), path, kept);
        }
    }
    return kept->n > 0 ? kept : NULL;
}

/* ---- the text -------------------------------------------------------------------------------- */

static struct json *statements_of(struct arena *a, const struct json *dropin)
{
    const struct json *from = read_list(dropin, "statements");
    struct json *list = json_array(a);
    for (size_t i = 0; i < from->n; i++) {
        json_push(list,
                  json_str(a, arena_printf(a, "%s;", read_text(from->items[i], "statement"))));
    }
    return list;
}

bool tune_compose(struct tune *t, struct err *reterr)
{
    const struct json *report = plan_for_next(t);
    const struct json *kept = t->present.there ? kept_lines(t) : removed_lines(t);
    struct json *dropin = report_dropin_doc(t->arena, report, t->server->label, kept);
    t->statements = statements_of(t->arena, dropin);
    t->has_text = dropin != NULL;
    if (!t->has_text) {
        return true;
    }
    struct buf out;
    buf_init(&out, t->arena, TEMPLATE_OUT_MAX);
    if (!output_render(t->arena, "my.cnf", dropin, &out, reterr)) {
        return false;
    }
    t->text = buf_span(&out);
    t->n_lines = dropin_read(t->arena, t->text, &t->lines);
    if (t->present.there && dropin_same_settings(t->lines, t->n_lines, t->present.lines,
                                                 t->present.n_lines)) {
        t->same = true;
        t->text = t->present.look.file.bytes;
        t->lines = t->present.lines;
    }
    return true;
}
