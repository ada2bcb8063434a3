/* See judge.h. */
#include "tests/cases/judge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/file.h"
#include "probes/probe.h"

#include "advisor/base/banned.h"

static ATTR_NORETURN void give_up(const char *what, const struct err *err)
{
    fprintf(stderr, "%s: %s\n", what, err->text);
    exit(2);
}

void judge_init(struct judge *j, struct arena *a)
{
    struct err err = ERR_INIT;
    *j = (struct judge){.arena = a, .decls = decl_set_new(a)};
    if (!probes_declare(j->decls, &err) ||
        !ruleset_load(a, j->decls, rule_texts_builtin(a), &j->rules, NULL, &err)) {
        give_up("rules", &err);
    }
}

const struct capture *judge_capture(struct arena *a, const char *path)
{
    struct err err = ERR_INIT;
    struct span bytes;
    struct capture *c = NULL;
    if (!file_read(a, path, CAPTURE_MAX, &bytes, &err) || !capture_read(a, path, bytes, &c, &err)) {
        give_up(path, &err);
    }
    return c;
}

/* "volume:/run/x.sock:data" is "volume:data", a server is "server"; the rest stays. */
static const char *place_of(struct arena *a, const struct subject *sub)
{
    const char *colon = strrchr(sub->label, ':');
    switch (sub->kind) {
    case SUBJECT_SERVER:
        return "server";
    case SUBJECT_VOLUME:
        return arena_printf(a, "volume%s", colon != NULL ? colon : "");
    case SUBJECT_HOST:
    case SUBJECT_DEVICE:
    case SUBJECT_KINDS:
        break;
    }
    return sub->label;
}

static int cmp_rows(const void *x, const void *y)
{
    const struct verdict_row *a = x, *b = y;
    return strcmp(a->key, b->key);
}

static int exit_of(const struct judge *j, struct store *s, struct arena *a,
                   const struct findings *findings)
{
    const struct subject *const *servers = NULL;
    const size_t n = store_subjects_of(s, SUBJECT_SERVER, &servers);
    struct plan *plans = arena_calloc(a, n + 1, sizeof(*plans));
    for (size_t i = 0; i < n; i++) {
        plan_make(&j->rules, s, findings, servers[i], false, a, &plans[i]);
    }
    const struct report_input in = {
        .rules = &j->rules,
        .store = s,
        .findings = findings,
        .plans = plans,
        .servers = servers,
        .n_servers = n,
        .fail_on = SEV_HIGH,
    };
    return (int)report_exit(report_make(a, &in));
}

void judge_store(const struct judge *j, struct store *s, struct arena *a, struct verdicts *ret)
{
    struct findings findings;
    engine_derive(&j->rules, s);
    engine_judge(&j->rules, s, a, &findings);
    *ret = (struct verdicts){.rows = arena_calloc(a, findings.n + 1, sizeof(*ret->rows)),
                             .n = findings.n,
                             .exit_code = exit_of(j, s, a, &findings)};
    for (size_t i = 0; i < findings.n; i++) {
        const struct finding *f = &findings.items[i];
        ret->rows[i] = (struct verdict_row){
            .key = arena_printf(a, "%s %s", f->rule->id, place_of(a, f->subject)),
            .verdict = f->verdict,
        };
    }
    qsort(ret->rows, ret->n, sizeof(*ret->rows), cmp_rows);
}

bool judge_differ(const struct verdicts *a, const struct verdicts *b)
{
    bool same = a->n == b->n;
    for (size_t i = 0; same && i < a->n; i++) {
        same = a->rows[i].verdict == b->rows[i].verdict &&
               strcmp(a->rows[i].key, b->rows[i].key) == 0;
    }
    return !same;
}

static bool is_decided(enum verdict v)
{
    return v == VERDICT_PASS || v == VERDICT_FAIL || v == VERDICT_NOT_APPLICABLE ||
           v == VERDICT_ERROR;
}

/* Is it worse than nothing that it was decided? A subject that only the run with the fault has (places
 * that the server could not tell) passes and fails nowhere; that a rule is not about it is no verdict. */
static bool is_better(const struct verdict_row *was, enum verdict now)
{
    if (was == NULL) {
        return is_decided(now) && now != VERDICT_NOT_APPLICABLE;
    }
    return is_decided(now) && was->verdict != now;
}

const char *judge_better(struct arena *a, const struct verdicts *whole, const struct verdicts *now)
{
    struct buf b;
    buf_init(&b, a, 65536);
    for (size_t i = 0; i < now->n; i++) {
        const struct verdict_row *row = &now->rows[i];
        const struct verdict_row *was =
            bsearch(row, whole->rows, whole->n, sizeof(*row), cmp_rows);
        if (is_better(was, row->verdict)) {
            buf_printf(&b, "  %s: %s, was %s\n", row->key, verdict_name(row->verdict),
                       was != NULL ? verdict_name(was->verdict) : "not there");
        }
    }
    if (now->exit_code == EXIT_OK && whole->exit_code != EXIT_OK) {
        buf_printf(&b, "  exit code 0, was %d\n", whole->exit_code);
    }
    return b.len > 0 ? b.ptr : "";
}
