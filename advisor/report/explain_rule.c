/* The page of a rule: what it looks for, what it found today, what it would change and why. */
#include "advisor/report/explain_int.h"

#include <string.h>

#include "advisor/report/fileline.h"
#include "rules/waiver.h"

#include "advisor/base/banned.h"

#define TEXT_MAX 16384

static const char *needs_text(const struct page *p, unsigned needs)
{
    static const struct {
        enum need need;
        const char *text;
    } rows[] = {{NEED_ROOT, "root"},
                {NEED_BENCH, "a benchmark of this storage"},
                {NEED_SAMPLE, "two readings a minute apart"},
                {NEED_HISTORY, "the readings of earlier runs"}};
    struct buf b;
    buf_init(&b, p->arena, 256);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        if ((needs & (unsigned)rows[i].need) != 0) {
            buf_printf(&b, "%s%s", b.len > 0 ? ", " : "", rows[i].text);
        }
    }
    return b.len > 0 ? b.ptr : "";
}

static void add_conditions(struct page *p, const struct rule *r)
{
    page_section(p, "what it looks for");
    page_item(p, "judged for", "each %s%s", subject_kind_name(r->scope),
              r->pairs ? " and each device below it; the worst device speaks" : "");
    if (r->applies != NULL) {
        page_item(p, "applies", "%.*s", SPAN_ARG(r->applies_text));
    }
    page_item(p, "fails", "%.*s", SPAN_ARG(r->fails_text));
    page_optional(p, "waits for", needs_text(p, r->needs));
    for (size_t i = 0; i < r->n_steps; i++) {
        const struct severity_step *step = &r->steps[i];
        if (step->when != NULL) {
            page_item(p, severity_name(step->level), "when %.*s", SPAN_ARG(step->when_text));
        } else {
            page_item(p, severity_name(step->level), "%s", i > 0 ? "otherwise" : "always");
        }
    }
}

/* What the conditions name: facts with their meaning, parameters with their values. */
static void add_names(struct page *p, const struct rule *r, enum ref_kind kind, const char *title)
{
    struct buf seen;
    buf_init(&seen, p->arena, TEXT_MAX);
    for (size_t i = 0; i < r->n_steps + 2; i++) {
        const struct expr *e = i == 0 ? r->applies : i == 1 ? r->fails : r->steps[i - 2].when;
        const struct expr_ref *const *refs;
        const size_t n = e == NULL ? 0 : expr_refs(p->arena, e, &refs);
        for (size_t k = 0; k < n; k++) {
            const char *mark = arena_printf(p->arena, " %s ", refs[k]->name);
            if (refs[k]->kind != kind || (seen.len > 0 && strstr(seen.ptr, mark) != NULL)) {
                continue;
            }
            if (seen.len == 0) {
                page_section(p, title);
            }
            buf_add_text(&seen, mark);
            const struct span bare = span_of(refs[k]->name + strlen("param."));
            if (kind == REF_PARAM) {
                page_param(p, ruleset_param(p->in->rules, bare));
            } else if (refs[k]->decl != NULL) {
                page_item(p, refs[k]->name, "%s", refs[k]->decl->meaning);
            }
        }
    }
}

static void add_finding(struct page *p, const struct finding *f)
{
    struct buf b;
    buf_init(&b, p->arena, TEXT_MAX);
    buf_add_text(&b, verdict_name(f->verdict));
    if (f->verdict == VERDICT_FAIL || f->verdict == VERDICT_UNKNOWN) {
        buf_printf(&b, " (%s)", severity_name(f->severity));
    }
    if (f->waiver != NULL) {
        buf_printf(&b, ", waived: %s", f->waiver->reason);
    }
    if (f->leaf != NULL) {
        buf_printf(&b, ", by %s", f->leaf->label);
    }
    page_item(p, f->subject->label, "%s", b.ptr);
    const struct evidence *list = f->n_evidence > 0 ? f->evidence : f->blockers;
    const size_t n = f->n_evidence > 0 ? f->n_evidence : f->n_blockers;
    for (size_t i = 0; i < n; i++) {
        const struct json *fact =
            doc_fact(&p->doc, list[i].name, list[i].subject, list[i].fact);
        const char *reason = json_get_str(fact, "reason");
        page_item(p, list[i].name, "%s%s%s  [%s]", json_get_str(fact, "text"),
                  reason != NULL ? ": " : "", reason != NULL ? reason : "", list[i].fact->source);
    }
    page_optional(p, "estimate", f->estimated);
}

/* Failures first: the text below is told for the first of them. */
static const struct finding *add_today(struct page *p, const struct rule *r)
{
    const struct findings *all = p->in->findings;
    const struct finding *worst = NULL;
    page_section(p, "today");
    for (int failed = 1; failed >= 0; failed--) {
        for (size_t i = 0; i < all->n; i++) {
            const struct finding *f = &all->items[i];
            if (f->rule == r && (f->verdict == VERDICT_FAIL) == (failed != 0)) {
                worst = worst != NULL ? worst : f;
                add_finding(p, f);
            }
        }
    }
    if (worst == NULL) {
        page_item(p, "", "nothing here that it could judge");
    }
    return worst;
}

static void add_settings(struct page *p, const struct rule *r, const struct finding *f)
{
    for (size_t i = 0; i < r->n_sets; i++) {
        struct setting_view view;
        if (settings_describe(p->in->rules, span_of(r->sets[i]), p->arena, &view)) {
            page_item(p, r->sets[i], "%s: %s", view.meaning, view.formula);
        }
    }
    for (size_t s = 0; f != NULL && s < p->in->n_servers; s++) {
        for (size_t i = 0; i < p->in->plans[s].n; i++) {
            const struct plan_line *line = &p->in->plans[s].lines[i];
            if (strcmp(line->rule, r->id) == 0) {
                const bool plain = strcmp(line->formula, line->new_text) == 0;
                const bool several = p->in->n_servers > 1;
                page_item(p, "today", "%s = %s%s%s%s%s%s", line->variable, line->new_text,
                          several ? " on " : "", several ? line->subject->label : "",
                          line->line == LINE_COMMENT ? " (only a comment, undecided)"
                          : line->estimated          ? " (estimated first step)"
                                                     : "",
                          plain ? "" : ": ", plain ? "" : line->formula);
            }
        }
    }
}

/* Told as of a bad state, so with values only where there is one: else the names stand in. */
static const char *told(const struct page *p, const struct finding *f, const char *text)
{
    if (f != NULL && f->verdict == VERDICT_FAIL) {
        return doc_places(&p->doc, f, doc_fill(&p->doc, f, text));
    }
    struct buf b;
    buf_init(&b, p->arena, TEXT_MAX);
    for (const char *c = text != NULL ? text : ""; *c != '\0'; c++) {
        const bool open = c[0] == '{' && c[1] == '{', close = c[0] == '}' && c[1] == '}';
        buf_add_char(&b, open ? '<' : close ? '>' : *c);
        c += open || close;
    }
    return b.len > 0 ? b.ptr : "";
}

static void add_fix(struct page *p, const struct rule *r, const struct finding *f)
{
    page_section(p, "what to do");
    page_item(p, "advice", "%s", r->advice);
    add_settings(p, r, f);
    for (size_t i = 0; i < r->n_actions; i++) {
        const struct rule_action *act = &r->actions[i];
        if (f != NULL && !doc_offers(&p->doc, f, act)) {
            continue;
        }
        const char *line = f == NULL ? fileline_told(p->arena, act->command) : NULL;
        page_item(p, line != NULL ? "line" : "command", "%s (%s%s%s%s%.*s)",
                  line != NULL ? line
                  : f != NULL  ? doc_command(&p->doc, f, act->command)
                               : act->command,
                  strcmp(act->effect, "none") == 0 ? "only looks" : act->effect,
                  act->destroys != NULL ? "; destroys " : "",
                  act->destroys != NULL ? act->destroys : "",
                  act->when != NULL && f == NULL ? "; when " : "",
                  f == NULL ? (int)act->when_text.len : 0, act->when_text.ptr != NULL ? act->when_text.ptr : "");
    }
    page_optional(p, "risk", told(p, f, r->risk));
    page_optional(p, "undo", told(p, f, r->undo));
}

static void add_sources(struct page *p, const struct rule *r)
{
    const struct ruleset *rs = p->in->rules;
    page_section(p, "sources");
    page_item(p, "", "%s", r->source);
    for (size_t i = 0; i < r->n_see; i++) {
        page_item(p, "see", "%s", r->see[i]);
    }
    for (size_t i = 0; i < rs->n_rules; i++) {
        if (rs->rules[i].alias_of != NULL && strcmp(rs->rules[i].alias_of, r->id) == 0) {
            page_item(p, "also called", "%s", rs->rules[i].id);
        }
    }
}

void explain_rule(struct page *p, const struct rule *r)
{
    if (r->retired != NULL) {
        page_name(p, "rule", r->id, "a retired rule");
        page_section(p, "why it is gone");
        page_item(p, "", "%s", r->retired);
        return;
    }
    page_name(p, "rule", r->id, r->title);
    add_conditions(p, r);
    const struct finding *f = add_today(p, r);
    page_section(p, "why it matters");
    page_item(p, "", "%s", told(p, f, r->why));
    add_fix(p, r, f);
    add_names(p, r, REF_PARAM, "parameters");
    add_names(p, r, REF_FACT, "facts");
    add_sources(p, r);
}
