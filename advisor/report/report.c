/* The report document, put together. Pure: facts, findings and plans in, one JSON value out. */
#include "advisor/report/report.h"

#include <string.h>
#include <time.h>

#include "advisor/base/hash.h"
#include "advisor/report/doc.h"

#include "advisor/base/banned.h"

struct tally {
    size_t by_verdict[VERDICTS];
    size_t failed[SEVERITIES];
    size_t unknown[SEVERITIES];
    size_t waived;
};

static struct tally count_findings(const struct findings *fs)
{
    struct tally t = {0};
    for (size_t i = 0; i < fs->n; i++) {
        const struct finding *f = &fs->items[i];
        t.by_verdict[f->verdict]++;
        if (f->waiver != NULL) {
            t.waived++; /* in the report, and not in what decides */
        } else if (f->verdict == VERDICT_FAIL) {
            t.failed[f->severity]++;
        } else if (f->verdict == VERDICT_UNKNOWN || f->verdict == VERDICT_ERROR) {
            t.unknown[f->severity]++;
        }
    }
    return t;
}

static size_t at_or_above(const size_t counts[SEVERITIES], enum severity level)
{
    size_t n = 0;
    for (size_t s = level; s < SEVERITIES; s++) {
        n += counts[s];
    }
    return n;
}

static enum exit_code decide(const struct report_input *in, const struct tally *t,
                             const struct json *target)
{
    if (in->require_server && in->n_servers == 0) {
        return EXIT_TROUBLE;
    }
    /* A line that stops the server of --target is as bad as one that stops this one. */
    if (at_or_above(t->failed, in->fail_on) > 0 || doc_target_count(target, "stops") > 0) {
        return EXIT_FAILED;
    }
    /* Server rules that were not even asked count as the unknowns that they would be. */
    if (!in->allow_unknown &&
        (at_or_above(t->unknown, in->fail_on) > 0 || doc_unseen_servers(in) != NULL ||
         doc_target_unsure(target))) {
        return EXIT_UNKNOWN;
    }
    return EXIT_OK;
}

static const char *exit_verdict(enum exit_code code)
{
    switch (code) {
    case EXIT_OK:
        return "pass";
    case EXIT_FAILED:
        return "fail";
    case EXIT_UNKNOWN:
        return "unknown";
    case EXIT_TROUBLE:
        break;
    }
    return "error";
}

static struct json *levels(struct arena *a, const size_t counts[SEVERITIES])
{
    struct json *j = json_object(a);
    for (size_t s = SEVERITIES; s-- > 0;) {
        json_set(j, severity_name((enum severity)s), json_int(a, (int64_t)counts[s]));
    }
    return j;
}

/* Rules that can be judged: aliases and retired ones only explain themselves. */
static size_t live_rules(const struct ruleset *rs)
{
    size_t n = 0;
    for (size_t i = 0; i < rs->n_rules; i++) {
        n += rs->rules[i].alias_of == NULL && rs->rules[i].retired == NULL;
    }
    return n;
}

static struct json *counts_doc(struct arena *a, const struct tally *t, size_t n_rules)
{
    struct json *j = json_object(a);
    for (size_t v = 0; v < VERDICTS; v++) {
        json_set(j, verdict_name((enum verdict)v), json_int(a, (int64_t)t->by_verdict[v]));
    }
    json_set(j, "waived", json_int(a, (int64_t)t->waived));
    json_set(j, "rules", json_int(a, (int64_t)n_rules));
    json_set(j, "failed_by_severity", levels(a, t->failed));
    json_set(j, "unknown_by_severity", levels(a, t->unknown));
    return j;
}

static const struct {
    enum need need;
    const char *name, *command;
} needs[] = {
    {NEED_ROOT, "root", "run nvadvise as root"},
    {NEED_BENCH, "bench", "needs a benchmark of this storage, which this version cannot run"},
    {NEED_SAMPLE, "sample", "needs two readings a minute apart, which this version does not take"},
    {NEED_HISTORY, "history", "needs the readings of a day, which this version does not keep"},
};

static struct json *not_measured_doc(struct arena *a, const struct findings *fs)
{
    struct json *list = json_array(a);
    for (size_t i = 0; i < fs->n; i++) {
        const struct finding *f = &fs->items[i];
        if (f->verdict != VERDICT_NOT_MEASURED) {
            continue;
        }
        size_t k = 0;
        while (k + 1 < ARRAY_LEN(needs) && needs[k].need != f->need) {
            k++;
        }
        struct json *j = json_object(a);
        json_set(j, "rule", json_str(a, f->rule->id));
        json_set(j, "subject", json_str(a, f->subject->label));
        json_set(j, "need", json_str(a, needs[k].name));
        json_set(j, "command", json_str(a, needs[k].command));
        json_set(j, "estimated", json_str(a, f->estimated));
        json_push(list, j);
    }
    return list;
}

static struct json *findings_doc(const struct doc *d)
{
    struct json *list = json_array(d->arena);
    for (size_t i = 0; i < d->in->findings->n; i++) {
        if (d->in->findings->items[i].verdict != VERDICT_NOT_MEASURED) {
            json_push(list, doc_finding(d, &d->in->findings->items[i]));
        }
    }
    return list;
}

static struct json *plan_list(const struct doc *d, struct json *refused)
{
    struct json *list = json_array(d->arena);
    for (size_t p = 0; p < d->in->n_servers; p++) {
        const struct plan *plan = &d->in->plans[p];
        for (size_t i = 0; i < plan->n; i++) {
            /* The host's own settings are planned beside every server: say them once. */
            if (p == 0 || plan->lines[i].subject->kind != SUBJECT_HOST) {
                json_push(list, doc_plan_line(d, &plan->lines[i]));
            }
        }
        for (size_t i = 0; i < plan->n_refused; i++) {
            json_push(refused, json_str(d->arena, plan->refused[i]));
        }
    }
    return list;
}

static struct json *named_hash(struct arena *a, const char *name, struct hash *h)
{
    char hex[HASH_HEX_LEN + 1];
    hash_end(h, hex);
    struct json *j = json_object(a);
    json_set(j, "name", json_str(a, name));
    json_set(j, "version", json_str(a, NVADVISE_VERSION)); /* all of them are built in */
    json_set(j, "hash", json_str(a, hex));
    return j;
}

/* Parameters that are not at their defaults, and a hash over all of them. */
static struct json *parameters_doc(struct arena *a, const struct ruleset *rs)
{
    struct hash *h = hash_new(a);
    struct json *changed = json_object(a);
    for (size_t i = 0; i < rs->n_params; i++) {
        struct buf b;
        buf_init(&b, a, 1024);
        value_print_literal(&b, &rs->params[i].value);
        hash_add(h, span_of(rs->params[i].name));
        hash_add(h, buf_span(&b));
        if (!value_eq(&rs->params[i].value, &rs->params[i].def)) {
            json_set(changed, rs->params[i].name, json_span(a, buf_span(&b)));
        }
    }
    struct json *j = named_hash(a, "parameters", h);
    json_set(j, "changed", changed);
    return j;
}

static struct json *tool_doc(struct arena *a)
{
    struct json *j = json_object(a);
    json_set(j, "name", json_str(a, "nvadvise"));
    json_set(j, "version", json_str(a, NVADVISE_VERSION));
    return j;
}

static struct json *rules_doc(struct arena *a, const struct ruleset *rs)
{
    struct json *j = json_object(a);
    json_set(j, "version", json_str(a, NVADVISE_VERSION));
    json_set(j, "hash", json_str(a, rs->hash));
    return j;
}

static struct json *host_doc(struct arena *a, const struct report_input *in)
{
    struct json *j = json_object(a);
    const struct subject *host = store_find_subject(in->store, "host");
    const struct fact *name =
        host == NULL ? NULL : store_get(in->store, host, SPAN_LIT("host.name"));
    const bool known = name != NULL && name->state == FACT_KNOWN;
    json_set(j, "name", known ? json_span(a, name->value.text) : json_null(a));
    const time_t t = (time_t)in->clock;
    struct tm tm;
    char text[32] = "";
    if (gmtime_r(&t, &tm) != NULL) {
        (void)strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
    }
    json_set(j, "clock", json_str(a, text));
    return j;
}

struct json *report_make(struct arena *a, const struct report_input *in)
{
    const struct doc d = {a, in};
    const struct tally t = count_findings(in->findings);
    struct json *target = doc_target(&d);
    const enum exit_code code = decide(in, &t, target);
    struct json *j = json_object(a), *overrides = json_array(a), *refused = json_array(a);
    for (size_t i = 0; i < in->n_overrides; i++) {
        json_push(overrides, json_str(a, in->overrides[i]));
    }
    json_set(j, "schema", json_str(a, "nvadvise.report/1"));
    json_set(j, "tool", tool_doc(a));
    json_set(j, "rules", rules_doc(a, in->rules));
    json_set(j, "profile", doc_profile(&d));
    json_set(j, "waivers", doc_waivers(&d));
    json_set(j, "parameters", parameters_doc(a, in->rules));
    json_set(j, "overrides", overrides);
    json_set(j, "host", host_doc(a, in));
    json_set(j, "fail_on", json_str(a, severity_name(in->fail_on)));
    json_set(j, "verdict", json_str(a, exit_verdict(code)));
    json_set(j, "exit", json_int(a, code));
    json_set(j, "counts", counts_doc(a, &t, live_rules(in->rules)));
    json_set(j, "subjects", doc_subjects(&d));
    json_set(j, "findings", findings_doc(&d));
    json_set(j, "not_measured", not_measured_doc(a, in->findings));
    json_set(j, "remedies", doc_remedies(&d));
    json_set(j, "plan", plan_list(&d, refused));
    json_set(j, "refused", refused);
    json_set(j, "target", target);
    json_set(j, "notes", doc_notes(&d));
    json_sort(j);
    return j;
}

enum exit_code report_exit(const struct json *doc)
{
    const struct json *code = json_get(doc, "exit");
    uint64_t v = EXIT_TROUBLE;
    if (code == NULL || code->type != JSON_NUMBER || !num_to_u64(code->number, &v) ||
        v > EXIT_UNKNOWN) {
        return EXIT_TROUBLE;
    }
    return (enum exit_code)v;
}
