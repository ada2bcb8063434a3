/* Which page a word leads to, or the names that are near it; what all pages share. */
#include "advisor/report/explain_int.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "advisor/base/near.h"

#include "advisor/base/banned.h"

#define TEXT_MAX 16384
#define HINTS 3u
#define NEAR_ENOUGH 4u

/* ---- building a page ---- */

void page_name(struct page *p, const char *kind, const char *name, const char *title)
{
    json_set(p->json, "schema", json_str(p->arena, "nvadvise.explain/1"));
    json_set(p->json, "kind", json_str(p->arena, kind));
    json_set(p->json, "name", json_str(p->arena, name));
    json_set(p->json, "title", json_str(p->arena, title));
    p->sections = json_array(p->arena);
    json_set(p->json, "sections", p->sections);
}

void page_section(struct page *p, const char *title)
{
    struct json *section = json_object(p->arena);
    p->items = json_array(p->arena);
    json_set(section, "title", json_str(p->arena, title));
    json_set(section, "items", p->items);
    json_push(p->sections, section);
}

void page_item(struct page *p, const char *label, const char *fmt, ...)
{
    char text[TEXT_MAX];
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    struct json *item = json_object(p->arena);
    json_set(item, "label", json_str(p->arena, label));
    json_set(item, "text", json_str(p->arena, text));
    json_push(p->items, item);
}

void page_optional(struct page *p, const char *label, const char *text)
{
    if (text != NULL && text[0] != '\0') {
        page_item(p, label, "%s", text);
    }
}

void page_param(struct page *p, const struct param *param)
{
    struct buf b;
    buf_init(&b, p->arena, TEXT_MAX);
    value_print(&b, &param->value);
    buf_printf(&b, " (%s", param->origin);
    if (strcmp(param->origin, "default") != 0) {
        buf_add_text(&b, "; default ");
        value_print(&b, &param->def);
    }
    if (param->has_range) {
        buf_add_text(&b, "; from ");
        value_print(&b, &param->min);
        buf_add_text(&b, " to ");
        value_print(&b, &param->max);
    }
    buf_printf(&b, "): %s", param->meaning);
    page_item(p, param->name, "%s", b.ptr);
}

/* "redo.fs.free_bytes" in a rule is volume.fs.free_bytes. */
static bool names_fact(struct arena *a, const struct rule *r, const char *fact)
{
    for (size_t i = 0; i < r->n_steps + 2; i++) {
        const struct expr *e = i == 0 ? r->applies : i == 1 ? r->fails : r->steps[i - 2].when;
        const struct expr_ref *const *refs;
        const size_t n = e == NULL ? 0 : expr_refs(a, e, &refs);
        for (size_t k = 0; k < n; k++) {
            if (refs[k]->kind == REF_FACT && strcmp(refs[k]->fact, fact) == 0) {
                return true;
            }
        }
    }
    return false;
}

void page_rules_naming(struct page *p, const char *fact)
{
    const struct ruleset *rs = p->in->rules;
    bool any = false;
    for (size_t i = 0; i < rs->n_rules; i++) {
        const struct rule *r = &rs->rules[i];
        if (r->alias_of != NULL || r->retired != NULL || !names_fact(p->arena, r, fact)) {
            continue;
        }
        if (!any) {
            page_section(p, "rules that look at it");
            any = true;
        }
        page_item(p, r->id, "%s", r->title);
    }
}

void page_values(struct page *p, const char *fact, enum subject_kind kind)
{
    const struct subject *const *subs;
    const size_t n = store_subjects_of(p->in->store, kind, &subs);
    for (size_t i = 0; i < n; i++) {
        const struct fact *f = store_get(p->in->store, subs[i], span_of(fact));
        struct buf b;
        buf_init(&b, p->arena, TEXT_MAX);
        if (f == NULL) {
            page_item(p, subs[i]->label, "not looked at");
            continue;
        }
        if (f->state == FACT_KNOWN) {
            value_print(&b, &f->value);
            buf_printf(&b, "  [%s]", f->source);
        } else {
            buf_printf(&b, "unknown, %s: %s", fact_state_name(f->state), f->reason);
            buf_printf(&b, "%s%s", f->remedy[0] != '\0' ? ". " : "", f->remedy);
        }
        buf_add_text(&b, f->overridden ? " (what-if)" : f->estimated ? " (estimated)" : "");
        page_item(p, subs[i]->label, "%s", b.ptr);
    }
    if (n == 0) {
        page_item(p, "", "no %s was looked at", subject_kind_name(kind));
    }
}

/* ---- which page ---- */

struct target {
    const struct rule *rule;
    const struct variable *variable;
    bool setting;
    struct setting_view view;
    const struct fact_decl *fact;
    const struct param *param;
};

static struct span bare(const char *word, const char *prefix)
{
    const struct span s = span_of(word);
    return span_starts(s, prefix) ? span_sub(s, strlen(prefix), s.len) : s;
}

/* "redo.fs.type", as rules and reports write it, is volume.fs.type of the volumes of that role. */
static const char *without_role(struct arena *a, const char *word)
{
    const char *const dot = strchr(word, '.');
    enum role role;
    return dot != NULL && role_from_name((struct span){word, (size_t)(dot - word)}, &role)
               ? arena_printf(a, "volume%s", dot)
               : word;
}

static const struct fact_decl *find_fact(struct arena *a, const struct ruleset *rs,
                                         const char *word)
{
    const struct fact_decl *const own = decl_find(rs->decls, span_of(word), false);
    return own != NULL ? own : decl_find(rs->decls, span_of(without_role(a, word)), false);
}

static bool find(struct arena *a, const struct ruleset *rs, const char *word, struct target *ret)
{
    struct target t = {.rule = ruleset_find(rs, word)};
    const struct span variable = bare(word, "server.var.");
    if (t.rule == NULL) {
        t.variable = catalogue_find(rs->catalogue, variable);
        t.setting = settings_describe(rs, span_of(word), a, &t.view);
        t.fact = find_fact(a, rs, word);
        t.param = ruleset_param(rs, bare(word, "param."));
    }
    *ret = t;
    return t.rule != NULL || t.variable != NULL || t.setting || t.fact != NULL || t.param != NULL;
}

/* ---- near names ---- */

struct near {
    struct span word;
    const char *best[HINTS];
    unsigned distance[HINTS];
    size_t n;
};

static void offer(struct near *m, const char *name)
{
    const unsigned d = near_distance(m->word, span_of(name));
    size_t at = m->n;
    for (size_t i = 0; i < m->n; i++) {
        if (strcmp(m->best[i], name) == 0) {
            return;
        }
    }
    while (at > 0 && m->distance[at - 1] > d) {
        at--;
    }
    /* A short word is near to everything. */
    if (d > NEAR_ENOUGH || d * 3 > m->word.len || at == HINTS) {
        return;
    }
    m->n += m->n < HINTS;
    for (size_t i = m->n - 1; i > at; i--) {
        m->best[i] = m->best[i - 1];
        m->distance[i] = m->distance[i - 1];
    }
    m->best[at] = name;
    m->distance[at] = d;
}

static void offer_all(struct near *m, const struct ruleset *rs)
{
    for (size_t i = 0; i < rs->n_rules; i++) {
        offer(m, rs->rules[i].id);
    }
    for (size_t i = 0; i < catalogue_count(rs->catalogue); i++) {
        offer(m, variable_name(catalogue_at(rs->catalogue, i)));
    }
    for (size_t i = 0; i < rs->n_settings; i++) {
        offer(m, settings_name_at(rs, i));
    }
    for (size_t i = 0; i < decl_count(rs->decls); i++) {
        offer(m, decl_at(rs->decls, i)->name);
    }
    for (size_t i = 0; i < rs->n_params; i++) {
        offer(m, rs->params[i].name);
    }
}

/* The last part of a fact's name is what people remember of it. */
static const char *by_tail(const struct ruleset *rs, const char *word)
{
    for (size_t i = 0; i < decl_count(rs->decls); i++) {
        const struct span name = span_of(decl_at(rs->decls, i)->name);
        const size_t len = strlen(word);
        if (name.len > len && name.ptr[name.len - len - 1] == '.' && span_ends(name, word)) {
            return decl_at(rs->decls, i)->name;
        }
    }
    return NULL;
}

bool explain_knows(struct arena *a, const struct ruleset *rs, const char *word, struct err *reterr)
{
    struct target t;
    if (find(a, rs, word, &t)) {
        return true;
    }
    (void)err_set(reterr, E_USAGE, "there is no rule, variable, setting, fact or parameter '%s'",
                  word);
    const struct span known = bare(span_dup(a, bare(word, "server.var.")), "param.");
    struct near m = {.word = span_of(without_role(a, span_dup(a, known)))};
    const char *const tail = by_tail(rs, word);
    if (tail != NULL) {
        return err_hint(reterr, "Did you mean '%s'?", tail);
    }
    offer_all(&m, rs);
    if (m.n == 0) {
        return err_hint(reterr, "'nvadvise rules list' lists the rules, 'nvadvise facts -v' the "
                                "facts.");
    }
    struct buf b;
    buf_init(&b, a, 1024);
    for (size_t i = 0; i < m.n; i++) {
        buf_printf(&b, "%s'%s'", i == 0 ? "" : i + 1 == m.n ? " or " : ", ", m.best[i]);
    }
    return err_hint(reterr, "Did you mean %s?", b.ptr);
}

bool explain_make(struct arena *a, const struct report_input *in, const char *word,
                  struct json **ret, struct err *reterr)
{
    struct target t;
    if (!explain_knows(a, in->rules, word, reterr) || !find(a, in->rules, word, &t)) {
        return false;
    }
    struct page p = {.arena = a, .in = in, .doc = {a, in}, .json = json_object(a)};
    if (t.rule != NULL) {
        explain_rule(&p, t.rule);
    } else if (t.variable != NULL) {
        explain_variable(&p, t.variable);
    } else if (t.fact != NULL) {
        explain_fact(&p, t.fact);
    } else if (t.setting) {
        explain_setting(&p, &t.view);
    } else {
        explain_param(&p, t.param);
    }
    *ret = p.json;
    return true;
}
