/* The document of a run (schema nvadvise.tune/1); every output is a view of it. */
#include "advisor/cli/tune.h"

#include <string.h>

#include "advisor/report/docread.h"
#include "advisor/tune/diff.h"

#include "advisor/base/banned.h"

#define DIFF_MAX (4u * 1024 * 1024)

const char *tune_mode_name(enum tune_mode m)
{
    static const char *const names[] = {
        [TUNE_OVERVIEW] = "overview", [TUNE_DRY_RUN] = "dry-run", [TUNE_DIFF] = "diff",
        [TUNE_WRITE] = "write",       [TUNE_STATUS] = "status",   [TUNE_UNDO] = "undo",
    };
    return names[m];
}

static void set_text(struct json *j, const char *key, const char *text)
{
    json_set(j, key, json_str(j->arena, text != NULL ? text : ""));
}

static void set_flag(struct json *j, const char *key, bool flag)
{
    json_set(j, key, json_bool(j->arena, flag));
}

static const char *version_text(struct arena *a, const struct version *v)
{
    struct buf b;
    buf_init(&b, a, 128);
    version_print(&b, v);
    return b.ptr != NULL ? b.ptr : "";
}

static struct json *next_doc(const struct tune *t)
{
    const struct next *n = &t->next;
    struct json *j = json_object(t->arena);
    if (!n->has_next) {
        return json_null(t->arena);
    }
    set_text(j, "binary", n->binary);
    set_text(j, "flavour", flavour_name(n->flavour));
    set_text(j, "version", version_text(t->arena, &n->version));
    set_text(j, "text", n->text);
    set_text(j, "running", n->has_running ? version_text(t->arena, &n->running_version) : "");
    set_flag(j, "restart_pending", n->replaced || n->differs);
    set_flag(j, "differs", n->differs);
    return j;
}

struct json *tune_doc_head(const struct tune *t, int exit_code)
{
    struct json *j = json_object(t->arena);
    struct json *tool = json_object(t->arena);
    set_text(tool, "version", NVADVISE_VERSION);
    set_text(j, "schema", "nvadvise.tune/1");
    json_set(j, "tool", tool);
    set_text(j, "mode", tune_mode_name(t->mode));
    set_text(j, "server", t->server != NULL ? t->server->label : "");
    json_set(j, "next", next_doc(t));
    json_set(j, "exit", json_int(t->arena, exit_code));
    return j;
}

void tune_doc_why(const struct tune *t, struct json *doc)
{
    const bool any = t->why.code != E_NONE;
    set_text(doc, "reason", any ? t->why.text : "");
    set_text(doc, "remedy", !any ? "" : t->remedy != NULL ? t->remedy : t->why.hint);
}

/* ---- settings -------------------------------------------------------------------------------- */

/* "set", "change" against the drop-in that stands there, "keep". */
static const char *action_of(const struct tune *t, const struct dropin_line *l)
{
    const struct dropin_line *old =
        dropin_find(t->present.lines, t->present.n_lines, l->group, l->variable);
    return old == NULL ? "set" : strcmp(old->value, l->value) == 0 ? "keep" : "change";
}

static const char *takes_effect(const struct tune *t, const struct dropin_line *l)
{
    const struct json *planned = tune_planned(t, l->variable);
    if (planned != NULL) {
        return read_flag(planned, "dynamic") ? "statement" : "restart";
    }
    return tune_in_force(t, l, NULL).in_force ? "in force" : "restart";
}

static struct json *setting_doc(const struct tune *t, const struct dropin_line *l)
{
    const struct json *planned = tune_planned(t, l->variable);
    const struct place_name *name = tune_name(t, l);
    struct json *j = json_object(t->arena);
    set_text(j, "group", l->group);
    set_text(j, "variable", l->variable);
    set_text(j, "value", l->value);
    set_text(j, "action", action_of(t, l));
    set_text(j, "old", l->was);
    set_text(j, "old_origin", l->origin);
    set_text(j, "rule", l->rule);
    set_text(j, "mark", l->mark);
    set_text(j, "new_text", planned != NULL ? read_text(planned, "new_text") : l->value);
    set_text(j, "takes_effect", takes_effect(t, l));
    set_flag(j, "wins", name != NULL && name->wins);
    set_text(j, "why", name != NULL    ? name->why
                       : !t->has_place ? ""
                                       : "the version that starts next does not read its group");
    set_text(j, "overridden_by", name != NULL && !name->wins ? name->by : "");
    set_text(j, "mend", name != NULL ? name->mend : "");
    return j;
}

static struct json *settings_doc(const struct tune *t)
{
    struct json *list = json_array(t->arena);
    for (size_t i = 0; i < t->n_lines; i++) {
        json_push(list, setting_doc(t, &t->lines[i]));
    }
    return list;
}

static struct json *left_doc(const struct tune *t)
{
    struct json *list = json_array(t->arena);
    for (size_t i = 0; i < t->n_left; i++) {
        struct json *j = json_object(t->arena);
        set_text(j, "variable", t->left[i].variable);
        set_text(j, "value", t->left[i].value);
        set_text(j, "why", t->left[i].why);
        json_push(list, j);
    }
    return list;
}

static struct json *refused_doc(const struct tune *t)
{
    struct json *list = json_array(t->arena);
    for (size_t i = 0; i < t->n_refused; i++) {
        json_push(list, json_str(t->arena, t->refused[i]));
    }
    return list;
}

/* A persisted value goes first, or it is back at the next start. */
static struct json *statements_doc(const struct tune *t)
{
    struct json *list = json_array(t->arena);
    for (size_t i = 0; t->has_place && i < t->place.n_names; i++) {
        if (t->place.names[i].reset[0] != '\0') {
            json_push(list, json_str(t->arena, arena_printf(t->arena, "RESET PERSIST %s;",
                                                            t->place.names[i].reset)));
        }
    }
    for (size_t i = 0; t->statements != NULL && i < t->statements->n; i++) {
        json_push(list, t->statements->items[i]);
    }
    return list;
}

/* ---- validation ------------------------------------------------------------------------------ */

static const char *complaint_name(enum complaint_kind k)
{
    return k == COMPLAINT_REFUSED ? "refused" : k == COMPLAINT_CHANGED ? "changed" : "warning";
}

static struct json *validation_doc(const struct tune *t)
{
    const struct validation *v = &t->validation;
    struct json *j = json_object(t->arena), *list = json_array(t->arena);
    if (!t->validated) {
        return json_null(t->arena);
    }
    for (size_t i = 0; i < v->n_complaints; i++) {
        struct json *c = json_object(t->arena);
        set_text(c, "kind", complaint_name(v->complaints[i].kind));
        set_flag(c, "ours", v->complaints[i].ours);
        set_text(c, "variable", v->complaints[i].name);
        json_set(c, "text", json_span(t->arena, span_of(v->complaints[i].text)));
        json_push(list, c);
    }
    set_flag(j, "good", v->good);
    set_flag(j, "bad_before", v->bad_before);
    set_text(j, "how", v->how);
    set_text(j, "version", v->version);
    json_set(j, "complaints", list);
    return j;
}

/* ---- notes and difference -------------------------------------------------------------------- */

static void note(struct json *list, const char *text)
{
    if (text[0] != '\0') {
        json_push(list, json_str(list->arena, text));
    }
}

/* A value that was set with SET GLOBAL makes its rule pass, and is gone after the next start. */
static void note_run_time_only(const struct tune *t, struct json *list)
{
    static const char prefix[] = "server.source.";
    const struct session *s = &t->judged.session;
    const struct fact_row *rows = NULL;
    const size_t n = t->server != NULL ? store_facts(s->store, t->server, &rows) : 0;
    for (size_t i = 0; i < n; i++) {
        const struct fact *f = rows[i].fact;
        const char *variable = rows[i].name + sizeof(prefix) - 1;
        if (!span_starts(span_of(rows[i].name), prefix) || f->state != FACT_KNOWN ||
            !span_eq_text(f->value.text, "dynamic") ||
            !settings_has(&s->rules, span_of(variable))) {
            continue;
        }
        bool written = false;
        for (size_t k = 0; k < t->n_lines; k++) {
            written = written || strcmp(t->lines[k].variable, variable) == 0;
        }
        if (!written) {
            note(list, arena_printf(t->arena, "%s was set at run time: the next start forgets it, "
                                              "unless an option file says the same", variable));
        }
    }
}

static struct json *notes_doc(const struct tune *t)
{
    struct arena *a = t->arena;
    struct json *list = json_array(a);
    const struct next *n = &t->next;
    if (n->has_next && (n->differs || n->replaced)) {
        note(list, arena_printf(a, "restart pending: %s runs, and %s %s starts next (%s)",
                                n->has_running ? version_text(a, &n->running_version)
                                               : "an unknown version",
                                flavour_title(n->flavour), version_text(a, &n->version),
                                n->binary));
    }
    if (t->has_place && t->present.there && strcmp(t->present.dir, t->place.dir) != 0) {
        note(list, arena_printf(a, "there is an older drop-in, '%s', that would be read as well: "
                                   "take it away once this one is in place", t->present.path));
    }
    if (t->reader != NULL && t->has_place) {
        note(list, reader_confinement(t->reader, t->place.dir));
    }
    note_run_time_only(t, list);
    for (size_t i = 0; i < t->tree.n_warnings; i++) {
        note(list, t->tree.warnings[i]);
    }
    return list;
}

static const char *path_of(const struct tune *t)
{
    return t->has_place ? t->place.path : "";
}

static struct json *diff_doc(const struct tune *t)
{
    struct buf b;
    buf_init(&b, t->arena, DIFF_MAX);
    const bool there = t->present.there && (!t->has_place ||
                                            strcmp(t->present.dir, t->place.dir) == 0);
    const char *name = t->has_place ? t->place.path : TUNE_FILE;
    if (t->has_text && !t->same) {
        diff_unified(&b, there ? t->present.path : NULL,
                     there ? t->present.look.file.bytes : SPAN_LIT(""), name, t->text);
    }
    return json_span(t->arena, buf_span(&b));
}

static const char *effect_of(const struct tune *t)
{
    if (t->mode == TUNE_WRITE && t->changed) {
        return "written";
    }
    if (t->why.code != E_NONE && (t->has_text || t->blind || t->n_refused > 0)) {
        return "not installed";
    }
    if (!t->has_text) {
        return "nothing to set";
    }
    const bool there =
        t->same && t->has_place && t->present.there && strcmp(t->present.dir, t->place.dir) == 0;
    return t->mode == TUNE_WRITE || there ? "nothing changed" : "would be written";
}

/* Somebody else may put it there: this program is not the one, or not on that machine. */
static bool is_by_hand(const struct tune *t)
{
    return t->has_text && (t->why.code == E_NOT_SUPPORTED || t->why.code == E_ABSENT ||
                           (t->why.code == E_DENIED && t->why_exit == 2));
}

struct json *tune_doc(const struct tune *t, int exit_code)
{
    struct json *j = tune_doc_head(t, exit_code);
    set_text(j, "effect", effect_of(t));
    set_text(j, "path", path_of(t));
    set_flag(j, "changed", t->changed);
    set_text(j, "present", t->present.there ? tune_state_name(t->present.look.state) : "");
    tune_doc_why(t, j);
    set_flag(j, "by_hand", is_by_hand(t));
    json_set(j, "settings", settings_doc(t));
    json_set(j, "left_out", left_doc(t));
    json_set(j, "refused", refused_doc(t));
    json_set(j, "statements", statements_doc(t));
    json_set(j, "validation", validation_doc(t));
    json_set(j, "notes", notes_doc(t));
    json_set(j, "diff", diff_doc(t));
    json_set(j, "text", t->has_text ? json_span(t->arena, t->text) : json_null(t->arena));
    return j;
}
