/* Rule cases: reading them and comparing what the engine says with what they ask for. */
#include "rules/cases.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/file.h"
#include "advisor/facts/factdoc.h"

#include "advisor/base/banned.h"

#define CASE_MAX (256u * 1024)

/* ---- reading ---- */

static bool verdict_from_name(struct span s, enum verdict *ret)
{
    for (unsigned v = 0; v < VERDICTS; v++) {
        if (span_eq_text(s, verdict_name((enum verdict)v))) {
            *ret = (enum verdict)v;
            return true;
        }
    }
    return false;
}

bool rule_case_read(struct arena *a, const struct ruleset *rs, const char *path,
                    struct rule_case *ret, struct err *reterr)
{
    const char *slash = strrchr(path, '/');
    struct span rest = span_of(slash != NULL ? slash + 1 : path), id, verdict;
    struct rule_case c = {.path = path};
    if (!span_split(&rest, '.', &id) || !span_split(&rest, '.', &verdict) ||
        !verdict_from_name(verdict, &c.verdict)) {
        err_set(reterr, E_USAGE, "'%s' is not named ID.VERDICT.facts", path);
        return err_hint(reterr, "Verdicts: pass, fail, unknown, not_applicable, not_measured, error.");
    }
    c.rule = ruleset_find(rs, span_dup(a, id));
    if (c.rule == NULL)
        return err_set(reterr, E_USAGE, "'%s': there is no rule '%.*s'", path, SPAN_ARG(id));
    if (!file_read(a, path, CASE_MAX, &c.text, reterr))
        return false;
    *ret = c;
    return true;
}

static int by_name(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

#define CASES_MAX 5000

bool rule_cases_read_dir(struct arena *a, const struct ruleset *rs, const char *dir,
                         struct rule_case **ret, size_t *ret_n, struct err *reterr)
{
    DIR *d = opendir(dir);
    if (d == NULL)
        return err_set_errno(reterr, errno, "cannot open '%s'", dir);
    const char **names = arena_calloc(a, CASES_MAX, sizeof(*names));
    size_t n = 0;
    const struct dirent *e;
    while ((e = readdir(d)) != NULL && n < CASES_MAX) {
        if (span_ends(span_of(e->d_name), ".facts"))
            names[n++] = arena_printf(a, "%s/%s", dir, e->d_name);
    }
    (void)closedir(d);
    if (n == CASES_MAX)
        return err_set(reterr, E_TOO_BIG, "'%s' holds %d cases or more", dir, CASES_MAX);
    if (n > 0)
        qsort(names, n, sizeof(*names), by_name);
    struct rule_case *cases = arena_calloc(a, n, sizeof(*cases));
    for (size_t i = 0; i < n; i++) {
        if (!rule_case_read(a, rs, names[i], &cases[i], reterr))
            return false;
    }
    *ret = cases;
    *ret_n = n;
    return true;
}

/* The next "#! key = value" line of the text. */
static bool next_wish(struct span *rest, struct span *ret_key, struct span *ret_value)
{
    struct span line;
    while (span_line(rest, &line)) {
        if (!span_starts(line, "#!"))
            continue;
        struct span wish = span_sub(line, 2, line.len);
        if (!span_split(&wish, '=', ret_key))
            continue;
        *ret_key = span_trim(*ret_key);
        *ret_value = span_trim(wish);
        return true;
    }
    return false;
}

bool rule_case_store(struct arena *a, const struct ruleset *rs, const struct rule_case *c,
                     struct store **ret, const struct subject **ret_subject, struct err *reterr)
{
    struct store *s = store_new(a, rs->decls);
    store_set_offline(s, true);
    if (!factdoc_read(s, c->path, c->text, true, NULL, reterr))
        return false;
    const struct subject *const *subs;
    size_t n = store_subjects_of(s, c->rule->scope, &subs);
    struct span rest = c->text, key, value;
    const struct subject *named = NULL;
    while (next_wish(&rest, &key, &value)) {
        if (span_eq_text(key, "subject"))
            named = store_find_subject(s, span_dup(a, value));
    }
    if (named == NULL && n != 1)
        return err_set(reterr, E_USAGE, "'%s' has %zu subjects of kind %s, and names none", c->path,
                       n, subject_kind_name(c->rule->scope));
    *ret = s;
    *ret_subject = named != NULL ? named : subs[0];
    return true;
}

static bool set_param(struct arena *a, struct ruleset *rs, const struct rule_case *c,
                      struct span name, struct span text, struct err *reterr)
{
    for (size_t i = 0; i < rs->n_params; i++) {
        struct param *p = &rs->params[i];
        if (!span_eq_text(name, p->name))
            continue;
        p->origin = c->path;
        return value_read(a, p->type.kind, NULL, false, text, &p->value, reterr);
    }
    return err_set(reterr, E_USAGE, "%s: there is no parameter '%.*s'", c->path, SPAN_ARG(name));
}

bool rule_case_rules(struct arena *a, const struct ruleset *rs, const struct rule_case *c,
                     struct ruleset *ret, struct err *reterr)
{
    struct ruleset copy = *rs;
    struct span rest = c->text, key, value;
    while (next_wish(&rest, &key, &value)) {
        if (!span_starts(key, "param."))
            continue;
        if (copy.params == rs->params) {
            copy.params = arena_calloc(a, rs->n_params, sizeof(*copy.params));
            memcpy(copy.params, rs->params, rs->n_params * sizeof(*copy.params));
        }
        if (!set_param(a, &copy, c, span_sub(key, 6, key.len), value, reterr))
            return false;
    }
    *ret = copy;
    return true;
}

/* ---- comparing ---- */

static bool fail(struct err *reterr, const struct rule_case *c, const char *what,
                 struct span wanted, const char *got)
{
    return err_set(reterr, E_SYNTAX, "%s: expected %s %.*s, got %s", c->path, what,
                   SPAN_ARG(wanted), got);
}

static bool holds(const char *text, struct span part, struct arena *a)
{
    return text != NULL && strstr(text, span_dup(a, part)) != NULL;
}

static bool among(const struct evidence *e, size_t n, struct span name)
{
    for (size_t i = 0; i < n; i++) {
        if (span_eq_text(name, e[i].name))
            return true;
    }
    return false;
}

static const char *names_of(struct arena *a, const struct evidence *e, size_t n)
{
    struct buf b;
    buf_init(&b, a, 400);
    for (size_t i = 0; i < n; i++)
        buf_printf(&b, "%s%s", i > 0 ? ", " : "", e[i].name);
    return n > 0 ? b.ptr : "none";
}

static const char *need_name(enum need need)
{
    switch (need) {
    case NEED_BENCH:
        return "bench";
    case NEED_SAMPLE:
        return "sample";
    case NEED_ROOT:
        return "root";
    case NEED_HISTORY:
        return "history";
    case NEED_NONE:
        break;
    }
    return "none";
}

static bool meets(struct arena *a, const struct ruleset *rs, struct store *s,
                  const struct rule_case *c, const struct finding *f, struct span key,
                  struct span value, struct err *reterr)
{
    if (span_eq_text(key, "subject") || span_starts(key, "param."))
        return true;
    if (span_eq_text(key, "severity"))
        return span_eq_text(value, severity_name(f->severity)) ||
               fail(reterr, c, "severity", value, severity_name(f->severity));
    if (span_eq_text(key, "evidence"))
        return among(f->evidence, f->n_evidence, value) ||
               fail(reterr, c, "evidence", value, names_of(a, f->evidence, f->n_evidence));
    if (span_eq_text(key, "blocker"))
        return among(f->blockers, f->n_blockers, value) ||
               fail(reterr, c, "blocker", value, names_of(a, f->blockers, f->n_blockers));
    if (span_eq_text(key, "need"))
        return span_eq_text(value, need_name(f->need)) ||
               fail(reterr, c, "need", value, need_name(f->need));
    if (span_eq_text(key, "skipped"))
        return holds(f->skipped_steps, value, a) ||
               fail(reterr, c, "skipped steps with", value, f->skipped_steps);
    if (span_eq_text(key, "estimated"))
        return holds(f->estimated, value, a) ||
               fail(reterr, c, "an estimate with", value, f->estimated);
    if (span_eq_text(key, "why")) {
        struct eval_env env = engine_env(rs, s, f->subject, f->leaf, a);
        const char *why = engine_fill(&env, rs, c->rule->scope, c->rule->why, a);
        return holds(why, value, a) || fail(reterr, c, "a why with", value, why);
    }
    return err_set(reterr, E_USAGE, "%s: '#! %.*s' is no expectation", c->path, SPAN_ARG(key));
}

bool rule_case_check(struct arena *a, const struct ruleset *rs, struct store *s,
                     const struct rule_case *c, const struct finding *f, struct err *reterr)
{
    if (f->verdict != c->verdict) {
        struct span wanted = span_of(verdict_name(c->verdict));
        const char *got = verdict_name(f->verdict);
        if (f->error != NULL)
            got = arena_printf(a, "%s (%s)", got, f->error);
        else if (f->n_blockers > 0)
            got = arena_printf(a, "%s (missing: %s)", got,
                               names_of(a, f->blockers, f->n_blockers));
        return fail(reterr, c, "verdict", wanted, got);
    }
    struct span rest = c->text, key, value;
    while (next_wish(&rest, &key, &value)) {
        if (!meets(a, rs, s, c, f, key, value, reterr))
            return false;
    }
    return true;
}

bool rule_case_run(struct arena *a, const struct ruleset *rs, const struct rule_case *c,
                   struct err *reterr)
{
    struct store *s;
    const struct subject *sub;
    struct ruleset own;
    if (!rule_case_store(a, rs, c, &s, &sub, reterr) ||
        !rule_case_rules(a, rs, c, &own, reterr))
        return false;
    engine_derive(&own, s);
    struct finding f;
    engine_judge_one(&own, s, c->rule, sub, a, &f);
    return rule_case_check(a, &own, s, c, &f, reterr);
}

bool rule_case_wanted(const struct rule *r, enum verdict v)
{
    if (r->alias_of != NULL || r->retired != NULL)
        return false;
    switch (v) {
    case VERDICT_PASS:
    case VERDICT_FAIL:
    case VERDICT_UNKNOWN:
        return true;
    case VERDICT_NOT_APPLICABLE:
        return r->applies != NULL;
    case VERDICT_NOT_MEASURED:
        return r->needs != 0;
    case VERDICT_ERROR:
    case VERDICTS:
        break;
    }
    return false;
}
