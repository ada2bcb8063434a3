/* Reads rules/settings.ini. A row may name only rows above it, so there are no cycles. Knows nothing of
 * facts' values, verdicts or lines. */
#include <string.h>

#include "rules/expr_int.h"
#include "rules/settings_row.h"

#include "advisor/base/banned.h"

#define NAME_MAX_BYTES 48

static const struct ini_entry *entry(struct setting_row *r, const char *key, bool needed)
{
    const struct ini_entry *e = ini_entry(r->section, key);
    r->at.line = e != NULL ? e->line : r->section->line;
    if (needed && (e == NULL || e->value.len == 0)) {
        problem_add(r->l, &r->at, "'%s' is missing", key);
        return NULL;
    }
    return e;
}

static bool read_kind(struct setting_row *r)
{
    const struct ini_entry *e = entry(r, "kind", true);
    enum kind kind;
    if (e == NULL)
        return false;
    if (!kind_from_name(e->value, &kind) ||
        (!kind_is_numeric(kind) && kind != KIND_ENUM && kind != KIND_BOOL)) {
        problem_add(r->l, &r->at, "'%.*s' is no kind that a planned value may have",
                    SPAN_ARG(e->value));
        return false;
    }
    r->s->type = expr_type_of(kind, NULL);
    return true;
}

static void read_scope_and_where(struct setting_row *r)
{
    static const char *const places[] = {"option_file", "sysctl", "unit", "module"};
    struct setting *s = r->s;
    s->scope = SUBJECT_SERVER;
    const struct ini_entry *e = entry(r, "scope", false);
    if (e != NULL && load_scope(r->l, &r->at, e->value, &s->scope) && s->scope != SUBJECT_SERVER &&
        s->scope != SUBJECT_HOST)
        problem_add(r->l, &r->at, "a setting is the server's or the host's");
    e = entry(r, "where", false);
    if (e == NULL)
        return;
    for (unsigned i = 0; i < ARRAY_LEN(places); i++) {
        if (span_eq_text(e->value, places[i])) {
            s->where = (enum setting_where)i;
            return;
        }
    }
    problem_add(r->l, &r->at, "where '%.*s' is none of option_file, sysctl, unit, module",
                SPAN_ARG(e->value));
}

/* The value in force also says what words an enum has. */
static void read_in_force(struct setting_row *r)
{
    struct setting *s = r->s;
    const struct ini_entry *e = entry(r, "in_force", false);
    struct span text = e != NULL
                           ? e->value
                           : span_of(arena_printf(r->l->arena, "server.var.%s", s->name));
    s->in_force = setting_read_name(r, text, NULL);
    if (s->in_force == NULL)
        return;
    if (s->in_force->type.kind != s->type.kind)
        problem_add(r->l, &r->at, "'%.*s' is %s, the setting is %s", SPAN_ARG(text),
                    kind_name(s->in_force->type.kind), kind_name(s->type.kind));
    s->type = s->in_force->type;
}

static void read_setting(struct setting_row *r)
{
    struct setting *s = r->s;
    read_scope_and_where(r);
    read_in_force(r);
    const struct ini_entry *owners = entry(r, "owners", true);
    if (owners != NULL)
        setting_read_owners(r, owners->value);
    const struct ini_entry *e = entry(r, "target", true);
    s->target = e != NULL ? setting_read_value(r, e->value) : NULL;
    for (size_t i = 0; i < s->n_owners; i++)
        s->owners[i].target = s->target;
    s->first_step_note = "";
    setting_read_keys(r);
    r->at.line = r->section->line;
    setting_name_itself(r);
    if (s->follows_when != NULL && s->follows == NULL)
        problem_add(r->l, &r->at, "'follows_when' without 'follows'");
    for (size_t i = 0; i < s->n_owners; i++) {
        if (s->owners[i].first_step && s->n_first_step == 0)
            problem_add(r->l, &r->at, "'first_step_owners' without 'first_step.1'");
    }
}

static bool is_pure(struct setting_row *r, const struct expr *e)
{
    const struct expr_ref *const *refs;
    size_t n = e != NULL ? expr_refs(r->l->arena, e, &refs) : 0;
    for (size_t i = 0; i < n; i++) {
        if (refs[i]->kind == REF_PLAN && settings_pure(r->l->set, load_bare(refs[i]->name)) == NULL)
            return false;
    }
    return e != NULL;
}

static void read_intermediate(struct setting_row *r)
{
    struct setting *s = r->s;
    s->scope = SUBJECT_SERVER;
    const struct ini_entry *e = entry(r, "formula", true);
    s->formula = e != NULL ? setting_read_value(r, e->value) : NULL;
    s->pure = is_pure(r, s->formula);
    setting_read_keys(r);
}

static bool name_ok(struct span name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
            c != '_' && c != '.')
            return false;
    }
    return name.len > 0 && name.len <= NAME_MAX_BYTES;
}

/* Appended when it is whole: a row cannot name itself. */
static void read_row(struct loader *l, const struct ini_file *f, const struct ini_section *section,
                     struct setting **all)
{
    struct setting s = {.file = f->name, .line = section->line};
    struct setting_row r = {
        .l = l, .at = {f->name, section->line, section->name}, .section = section, .s = &s,
    };
    struct span name = section->name;
    s.intermediate = span_starts(name, "plan.");
    if (s.intermediate)
        name = span_sub(name, 5, name.len);
    if (!name_ok(name)) {
        problem_add(l, &r.at, "is no name: at most %d letters, digits, _ and dots", NAME_MAX_BYTES);
        return;
    }
    if (settings_find(l->set, name) != NULL)
        problem_add(l, &r.at, "plan.%.*s stands twice", SPAN_ARG(name));
    s.name = span_dup(l->arena, name);
    if (!read_kind(&r))
        return;
    const struct ini_entry *meaning = entry(&r, "meaning", true);
    s.meaning = meaning != NULL ? span_dup(l->arena, meaning->value) : "";
    if (s.intermediate)
        read_intermediate(&r);
    else
        read_setting(&r);
    size_t n = l->set->n_settings;
    *all = arena_list_room(l->arena, *all, n, sizeof(s));
    (*all)[n] = s;
    l->set->settings = *all;
    l->set->n_settings = n + 1;
}

/* A parameter that no formula reads would be a promise that nobody keeps. */
static void check_params(struct loader *l, const struct ini_file *f)
{
    for (size_t i = 0; i < f->n_sections; i++) {
        for (size_t k = 0; k < f->sections[i].n_entries; k++) {
            const struct ini_entry *e = &f->sections[i].entries[k];
            if (!span_starts(e->key, "param."))
                continue;
            struct where w = {f->name, e->line, f->sections[i].name};
            const char *used = arena_printf(l->arena, " %.*s ", SPAN_ARG(e->key));
            if (l->used_params.ptr == NULL || strstr(l->used_params.ptr, used) == NULL)
                problem_add(l, &w, "%.*s: no formula names it", SPAN_ARG(e->key));
        }
    }
}

bool settings_load(struct arena *a, const struct ini_file *f, struct ruleset *rs,
                   struct buf *problems, struct err *reterr)
{
    struct err first = ERR_INIT;
    struct loader l = {.arena = a, .set = rs, .out = problems, .first = &first};
    struct setting *all = NULL;
    buf_init(&l.used_params, a, 64 * 1024);
    for (size_t i = 0; i < f->n_sections; i++)
        read_row(&l, f, &f->sections[i], &all);
    check_params(&l, f);
    if (l.n_problems == 0)
        return true;
    *reterr = first;
    return false;
}
