/* One finding as JSON: what is wrong, why, with which evidence, and what mends it. Pure; knows
 * nothing of terminals and templates. */
#include "advisor/report/doc.h"

#include <string.h>

#include "advisor/facts/factdoc.h"

#include "advisor/base/banned.h"

#define TEXT_MAX 4096

struct json *doc_fact(const struct doc *d, const char *name, const struct subject *sub,
                      const struct fact *fact)
{
    struct arena *a = d->arena;
    struct json *j = json_object(a);
    json_set(j, "name", json_str(a, name));
    json_set(j, "subject", json_str(a, sub != NULL ? sub->label : NULL));
    json_set(j, "state", json_str(a, fact_state_name(fact->state)));
    struct buf b;
    buf_init(&b, a, TEXT_MAX);
    if (fact->state == FACT_KNOWN) {
        factdoc_value(j, name, &fact->value);
        value_print(&b, &fact->value);
    } else {
        json_set(j, "reason", json_str(a, fact->reason));
        json_set(j, "remedy", json_str(a, fact->remedy));
        buf_printf(&b, "unknown (%s)", fact_state_name(fact->state));
    }
    json_set(j, "text", json_span(a, buf_span(&b)));
    json_set(j, "source", json_str(a, fact->source));
    if (fact->overridden) {
        json_set(j, "overridden", json_bool(a, true));
    }
    if (fact->estimated) {
        json_set(j, "estimated", json_bool(a, true));
    }
    return j;
}

static struct json *evidence_list(const struct doc *d, const struct evidence *e, size_t n)
{
    struct json *list = json_array(d->arena);
    for (size_t i = 0; i < n; i++) {
        json_push(list, doc_fact(d, e[i].name, e[i].subject, e[i].fact));
    }
    return list;
}

static bool line_is_for(const struct plan_line *line, const struct finding *f)
{
    if (strcmp(line->rule, f->rule->id) == 0) {
        return true;
    }
    struct span rest = span_of(line->settles), word;
    while (span_split(&rest, ',', &word)) {
        if (span_eq_text(span_trim(word), f->rule->id)) {
            return true;
        }
    }
    return false;
}

/* The planned lines that this finding asked for: its own, and those that settle it. */
static struct json *settings_of(const struct doc *d, const struct finding *f)
{
    struct json *list = json_array(d->arena);
    for (size_t p = 0; p < d->in->n_servers; p++) {
        const struct plan *plan = &d->in->plans[p];
        for (size_t i = 0; i < plan->n; i++) {
            const struct plan_line *line = &plan->lines[i];
            const bool host = line->subject->kind == SUBJECT_HOST;
            /* The host's own settings are planned beside every server: once is enough. */
            const bool here = host ? p == 0 : line->subject == f->subject;
            if (here && line_is_for(line, f)) {
                json_push(list, doc_plan_line(d, line));
            }
        }
    }
    return list;
}

static struct json *actions_of(const struct doc *d, const struct finding *f)
{
    struct json *list = json_array(d->arena);
    for (size_t i = 0; i < f->rule->n_actions; i++) {
        const struct rule_action *act = &f->rule->actions[i];
        struct json *j = json_object(d->arena);
        if (!doc_offers(d, f, act)) {
            continue;
        }
        doc_action_command(d, f, act->command, j);
        json_set(j, "effect", json_str(d->arena, act->effect));
        json_set(j, "destroys", json_str(d->arena, act->destroys));
        json_push(list, j);
    }
    return list;
}

/* The bad state's condition, as written, and with today's values put in. */
static void add_condition(const struct doc *d, const struct finding *f, struct json *j)
{
    struct buf b;
    buf_init(&b, d->arena, TEXT_MAX);
    buf_add_text(&b, "not: ");
    buf_add_span(&b, f->rule->fails_text);
    json_set(j, "expected", json_span(d->arena, buf_span(&b)));
    buf_init(&b, d->arena, TEXT_MAX);
    const struct eval_env env =
        engine_env(d->in->rules, d->in->store, f->subject, f->leaf, d->arena);
    eval_arithmetic(&b, f->rule->fails, &env);
    json_set(j, "actual", json_span(d->arena, buf_span(&b)));
}

static void add_advice(const struct doc *d, const struct finding *f, struct json *j)
{
    struct arena *a = d->arena;
    const struct rule *r = f->rule;
    json_set(j, "advice", json_str(a, r->advice));
    json_set(j, "settings", settings_of(d, f));
    json_set(j, "items", doc_items(d, f));
    json_set(j, "actions", actions_of(d, f));
    json_set(j, "risk", json_str(a, doc_fill(d, f, r->risk)));
    json_set(j, "undo", json_str(a, doc_places(d, f, doc_fill(d, f, r->undo))));
}

struct json *doc_finding(const struct doc *d, const struct finding *f)
{
    struct arena *a = d->arena;
    struct json *j = json_object(a);
    json_set(j, "rule", json_str(a, f->rule->id));
    json_set(j, "subject", json_str(a, f->subject->label));
    json_set(j, "identity", json_str(a, f->subject->identity));
    json_set(j, "device", json_str(a, f->leaf != NULL ? f->leaf->label : NULL));
    json_set(j, "verdict", json_str(a, verdict_name(f->verdict)));
    const bool graded = f->verdict == VERDICT_FAIL || f->verdict == VERDICT_UNKNOWN ||
                        f->verdict == VERDICT_ERROR;
    json_set(j, "severity", json_str(a, graded ? severity_name(f->severity) : NULL));
    json_set(j, "title", json_str(a, doc_fill(d, f, f->rule->title)));
    json_set(j, "waived", doc_waived(d, f));
    if (f->verdict == VERDICT_NOT_APPLICABLE) {
        return j;
    }
    /* It tells of the bad state, which a rule that passes has not found. */
    if (f->verdict != VERDICT_PASS) {
        json_set(j, "why", json_str(a, doc_fill(d, f, f->rule->why)));
    }
    add_condition(d, f, j);
    json_set(j, "evidence", evidence_list(d, f->evidence, f->n_evidence));
    json_set(j, "missing", evidence_list(d, f->blockers, f->n_blockers));
    json_set(j, "skipped_steps", json_str(a, f->skipped_steps));
    json_set(j, "estimated", json_str(a, f->estimated));
    json_set(j, "overridden", json_bool(a, f->overridden));
    if (f->verdict == VERDICT_ERROR) {
        json_set(j, "error", json_str(a, f->error));
    }
    if (f->verdict == VERDICT_FAIL) {
        add_advice(d, f, j);
    }
    json_set(j, "sources", json_str(a, f->rule->source));
    return j;
}
