/* The pages of variables, settings, facts and parameters. */
#include "advisor/report/explain_int.h"

#include <string.h>

#include "advisor/facts/optline.h"

#include "advisor/base/banned.h"

#define TEXT_MAX 16384

/* ---- settings ---- */

void page_setting(struct page *p, const struct setting_view *s)
{
    page_section(p, s->intermediate ? "how it is worked out" : "how it is set");
    page_optional(p, "formula", s->formula);
    page_optional(p, "first step", s->first_steps);
    page_optional(p, "kept while", s->keep);
    page_optional(p, "written in", s->place);
    for (unsigned f = 0; f < FLAVOURS; f++) {
        const bool same = f == FLAVOUR_PERCONA &&
                          strcmp(s->variables[f], s->variables[FLAVOUR_MYSQL]) == 0;
        if (!same && strcmp(s->variables[f], s->name) != 0) {
            page_optional(p, flavour_name((enum flavour)f), s->variables[f]);
        }
    }
    for (size_t i = 0; i < s->n_owners; i++) {
        const struct rule *r = ruleset_find(p->in->rules, s->owners[i]);
        if (r != NULL) { /* an owner that this rule set lacks sets nothing */
            page_item(p, s->owners[i], "%s", r->title);
        }
    }
    for (size_t i = 0; i < s->n_params; i++) {
        if (i == 0) {
            page_section(p, "parameters");
        }
        page_param(p, ruleset_param(p->in->rules, span_of(s->params[i]->name + strlen("param."))));
    }
}

static void add_planned(struct page *p, const char *variable, const char *setting)
{
    for (size_t s = 0; s < p->in->n_servers; s++) {
        for (size_t i = 0; i < p->in->plans[s].n; i++) {
            const struct plan_line *line = &p->in->plans[s].lines[i];
            if (strcmp(line->variable, variable) == 0 || strcmp(line->variable, setting) == 0) {
                const bool plain = strcmp(line->formula, line->new_text) == 0;
                page_item(p, "planned", "%s = %s on %s, by %s%s%s", line->variable,
                          line->new_text, line->subject->label, line->rule, plain ? "" : ": ",
                          plain ? "" : line->formula);
            }
        }
    }
}

/* A value in between that facts alone decide, with its numbers. */
static void add_worked(struct page *p, const char *name)
{
    const struct expr *e = settings_pure(p->in->rules, span_of(name));
    for (size_t i = 0; e != NULL && i < p->in->n_servers; i++) {
        const struct eval_env env = engine_env(p->in->rules, p->in->store, p->in->servers[i], NULL,
                                               p->arena);
        struct buf b;
        buf_init(&b, p->arena, TEXT_MAX);
        eval_arithmetic(&b, e, &env);
        page_item(p, p->in->servers[i]->label, "%s", b.ptr);
    }
}

void explain_setting(struct page *p, const struct setting_view *s)
{
    page_name(p, "setting", s->name, s->meaning);
    page_section(p, "today");
    add_worked(p, s->name);
    add_planned(p, s->name, s->name);
    page_setting(p, s);
}

/* ---- variables ---- */

static void add_version(struct page *p, const struct variable *v, enum flavour f)
{
    struct buf b;
    buf_init(&b, p->arena, TEXT_MAX);
    variable_history(v, f, &b);
    page_optional(p, flavour_name(f), b.ptr);
}

static bool server_is(const struct page *p, const struct subject *server, enum flavour *ret,
                      struct version *ret_version)
{
    const struct fact *f = store_get(p->in->store, server, SPAN_LIT("server.flavour"));
    const struct fact *v = store_get(p->in->store, server, SPAN_LIT("server.version"));
    if (f == NULL || v == NULL || f->state != FACT_KNOWN || v->state != FACT_KNOWN ||
        v->value.kind != KIND_VERSION || !flavour_from_name(f->value.text, ret)) {
        return false;
    }
    *ret_version = v->value.version;
    return true;
}

/* Where its option files and command line set it, in the order in which they count. */
static void add_lines(struct page *p, const struct variable *v, const struct subject *server)
{
    const struct fact *f = store_get(p->in->store, server, SPAN_LIT("server.option.lines"));
    if (f == NULL || f->state != FACT_KNOWN || f->value.kind != KIND_LIST) {
        return;
    }
    for (size_t i = 0; i < f->value.n_items; i++) {
        struct optline line;
        if (!optline_read(p->arena, f->value.items[i], &line) ||
            catalogue_find(p->in->rules->catalogue, line.name) != v) {
            continue;
        }
        struct buf b;
        buf_init(&b, p->arena, TEXT_MAX);
        optline_place(&b, &line);
        page_item(p, "set", "%.*s%s%.*s  [%s]", SPAN_ARG(line.name), line.has_value ? " = " : "",
                  SPAN_ARG(line.value), b.ptr);
    }
}

static void add_server(struct page *p, const struct variable *v, const struct subject *server)
{
    const char *name = arena_printf(p->arena, "server.var.%s", variable_name(v));
    const struct fact *f = store_get(p->in->store, server, span_of(name));
    enum flavour flavour;
    struct version version;
    struct buf b;
    buf_init(&b, p->arena, TEXT_MAX);
    if (f != NULL && f->state == FACT_KNOWN) {
        value_print(&b, &f->value);
        const struct fact *origin = store_get(
            p->in->store, server,
            span_of(arena_printf(p->arena, "server.source.%s", variable_name(v))));
        if (origin != NULL && origin->state == FACT_KNOWN) {
            buf_add_text(&b, ", from ");
            value_print(&b, &origin->value);
        }
        buf_printf(&b, "  [%s]", f->source);
    } else {
        buf_printf(&b, "unknown%s%s", f != NULL ? ": " : "", f != NULL ? f->reason : "");
    }
    page_item(p, server->label, "%s", b.ptr);
    struct value def;
    if (server_is(p, server, &flavour, &version)) {
        const enum presence there = variable_presence(v, flavour, &version);
        if (there != PRESENCE_YES) {
            page_item(p, "there", "%s", presence_name(there));
        } else if (variable_default(v, flavour, &version, &def)) {
            buf_init(&b, p->arena, TEXT_MAX);
            value_print(&b, &def);
            page_item(p, "default", "%s", b.ptr);
        }
    }
    add_lines(p, v, server);
}

void explain_variable(struct page *p, const struct variable *v)
{
    struct setting_view setting;
    const bool has_setting = settings_describe(p->in->rules, span_of(variable_name(v)), p->arena,
                                               &setting);
    page_name(p, "variable", variable_name(v),
              has_setting ? setting.meaning
                          : arena_printf(p->arena, "a server variable (%s)",
                                         kind_name(variable_kind(v))));
    page_section(p, "today");
    for (size_t i = 0; i < p->in->n_servers; i++) {
        add_server(p, v, p->in->servers[i]);
    }
    if (p->in->n_servers == 0) {
        page_item(p, "", "no server was looked at");
    }
    add_planned(p, variable_name(v), has_setting ? setting.name : variable_name(v));
    page_section(p, "versions");
    page_item(p, "kind", "%s", kind_name(variable_kind(v)));
    page_optional(p, "values", variable_values(v));
    for (unsigned f = 0; f < FLAVOURS; f++) {
        add_version(p, v, (enum flavour)f);
    }
    if (has_setting) {
        page_setting(p, &setting);
    }
    page_rules_naming(p, arena_printf(p->arena, "server.var.%s", variable_name(v)));
}

/* ---- facts, parameters ---- */

void explain_fact(struct page *p, const struct fact_decl *decl)
{
    const struct derived *d = ruleset_derived(p->in->rules, span_of(decl->name));
    page_name(p, "fact", decl->name, decl->meaning);
    page_section(p, "today");
    page_values(p, decl->name, decl->subject);
    page_section(p, "what it is");
    page_item(p, "of", "each %s", subject_kind_name(decl->subject));
    page_item(p, "kind", "%s", kind_name(decl->kind));
    page_optional(p, "values", decl->allowed);
    if (d != NULL) {
        page_item(p, d->folded ? "folds" : "formula", "%.*s", SPAN_ARG(d->text));
        page_optional(p, "estimate", d->model);
        page_optional(p, "stands for", d->twin);
    } else {
        page_optional(p, "read from", decl->read_from);
        page_optional(p, "privilege", decl->privilege);
    }
    page_rules_naming(p, decl->name);
}

void explain_param(struct page *p, const struct param *param)
{
    page_name(p, "parameter", param->name, param->meaning);
    page_section(p, "value");
    page_param(p, param);
    page_item(p, "declared by", "%s", param->rule);
    page_section(p, "how to set it");
    page_item(p, "", "In nvadvise.conf, section [parameters], or in a profile: %s = VALUE.",
              param->name);
}
