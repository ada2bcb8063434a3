/* What must hold of every plan, on every worked host and every rule case: fixed point, calm, withheld, and
 * that a value within its band is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "rules/settings_int.h"
#include "tests/rules/planlib.h"

#include "advisor/base/banned.h"

#define SUBSETS 60

static const struct plan_line *active_line(const struct plan *p, size_t n, const char *variable)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < p[i].n; k++) {
            if (p[i].lines[k].line != LINE_COMMENT &&
                strcmp(p[i].lines[k].variable, variable) == 0)
                return &p[i].lines[k];
        }
    }
    return NULL;
}

/* ---- fixed point: after a restart with the plan no rule of it fails and nothing is left to do ---- */

static bool speaks_of(const struct plan_line *l, const char *rule)
{
    struct span rest = span_of(l->settles), one;
    if (strcmp(l->rule, rule) == 0)
        return true;
    while (span_split(&rest, ',', &one)) {
        if (span_eq_text(span_trim(one), rule))
            return true;
    }
    return false;
}

/* Undecided is what a rule may be that failed by one of its facts while another was not known. */
static bool is_settled(const struct finding *f)
{
    switch (f->verdict) {
    case VERDICT_PASS:
    case VERDICT_NOT_APPLICABLE:
        return true;
    case VERDICT_UNKNOWN:
    case VERDICT_NOT_MEASURED:
        return f->n_blockers > 0;
    case VERDICT_FAIL:
    case VERDICT_ERROR:
    case VERDICTS:
        break;
    }
    return false;
}

static unsigned owners_that_fail(const char *name, const struct plan_line *l,
                                 const struct findings *f)
{
    unsigned bad = 0;
    for (size_t i = 0; i < f->n; i++) {
        const struct finding *x = &f->items[i];
        if (x->subject != l->subject || !speaks_of(l, x->rule->id) || is_settled(x))
            continue;
        (void)fprintf(stderr, "%s: %s = %s: then %s is %s\n", name, l->variable, l->new_text,
                      x->rule->id, verdict_name(x->verdict));
        bad++;
    }
    return bad;
}

static void test_fixed_point(void **state)
{
    const struct rulelib *lib = *state;
    ARENA_AUTO all = arena_new();
    struct planlib_input *in;
    size_t n_in = planlib_inputs(lib, all, &in), lines = 0;
    unsigned bad = 0;
    for (size_t i = 0; i < n_in; i++) {
        ARENA_AUTO a = arena_new();
        struct plan *p, *then;
        struct findings f;
        struct store *s = planlib_store(lib, a, &in[i]);
        size_t n = planlib_make(lib, a, s, false, &p, NULL);
        for (size_t k = 0; k < n; k++)
            plan_overlay(&p[k], s);
        size_t n_then = planlib_make(lib, a, s, false, &then, &f);
        const char *left = planlib_text(a, then, n_then, true);
        if (left[0] != '\0') {
            (void)fprintf(stderr, "%s: after a restart there is still\n%s", in[i].name, left);
            bad++;
        }
        for (size_t k = 0; k < n; k++) {
            for (size_t m = 0; m < p[k].n; m++) {
                lines++;
                if (p[k].lines[m].line != LINE_COMMENT)
                    bad += owners_that_fail(in[i].name, &p[k].lines[m], &f);
            }
        }
    }
    assert_int_equal(bad, 0);
    assert_true(lines > 50); /* else this tested nothing */
}

/* ---- calm: rates moved by 20 % leave the lines as they are ----
 * From values that somebody else set, a target that was measured moves with its rate; first steps do not. */

/* A rate that somebody measured; a setting of the server is none. */
static bool is_measured_rate(const struct rulelib *lib, const char *name, const struct fact *f)
{
    const struct fact_decl *decl = decl_find(lib->rs.decls, span_of(name), false);
    return f->state == FACT_KNOWN && decl != NULL && !span_starts(span_of(name), "server.var.") &&
           (f->value.kind == KIND_RATE || f->value.kind == KIND_BYTES_PER_S);
}

static size_t scale_rates(const struct rulelib *lib, struct store *s, uint64_t percent,
                          const char *only)
{
    size_t changed = 0;
    for (size_t i = 0; i < store_subjects(s); i++) {
        const struct subject *sub = store_subject_at(s, i);
        const struct fact_row *rows;
        size_t n = store_facts(s, sub, &rows);
        for (size_t k = 0; k < n; k++) {
            struct fact f = *rows[k].fact;
            if (!is_measured_rate(lib, rows[k].name, &f) ||
                (only != NULL && strcmp(only, rows[k].name) != 0))
                continue;
            struct num factor;
            assert_int_equal(num_div(num_u64(percent), num_u64(100), &factor), NUM_OK);
            assert_int_equal(num_mul(f.value.num, factor, &f.value.num), NUM_OK);
            store_set(s, sub, rows[k].name, &f);
            changed++;
        }
    }
    return changed;
}

/* What must not move: all active lines after a restart with the plan, else the first steps. */
static const char *calm_lines(struct arena *a, const struct plan *p, size_t n, bool restarted)
{
    const char *all = planlib_text(a, p, n, true);
    struct span rest = span_of(all), line;
    struct buf b;
    buf_init(&b, a, 16384);
    while (span_line(&rest, &line)) {
        if (restarted || span_starts(line, "first_step "))
            buf_printf(&b, "%.*s\n", SPAN_ARG(line));
    }
    return b.ptr != NULL ? b.ptr : "";
}

static unsigned check_calm(const struct rulelib *lib, const struct planlib_input *in, bool restarted,
                           uint64_t percent, const char *only)
{
    ARENA_AUTO a = arena_new();
    struct plan *p, *moved;
    struct store *other = planlib_store(lib, a, in);
    if (scale_rates(lib, other, percent, only) == 0)
        return 0;
    struct store *s = planlib_store(lib, a, in);
    size_t n = planlib_make(lib, a, s, false, &p, NULL);
    if (restarted) {
        for (size_t k = 0; k < n; k++) {
            plan_overlay(&p[k], s);
            plan_overlay(&p[k], other);
        }
        n = planlib_make(lib, a, s, false, &p, NULL);
    }
    size_t n_moved = planlib_make(lib, a, other, false, &moved, NULL);
    const char *before = calm_lines(a, p, n, restarted);
    const char *after = calm_lines(a, moved, n_moved, restarted);
    if (strcmp(before, after) == 0)
        return 0;
    (void)fprintf(stderr, "%s%s, %s at %u %%: from\n%sto\n%s", in->name,
                  restarted ? " after a restart" : "", only != NULL ? only : "all rates",
                  (unsigned)percent, before, after);
    return 1;
}

static void test_calm(void **state)
{
    static const char *const rates[] = {
        NULL, "server.redo.write_rate_peak", "server.redo.write_rate_avg", "server.redo.write_rate",
        "bench.flush.rate", "bench.write16k.rate", "bench.read16k.rate", "server.flush.rate_p95",
    };
    const struct rulelib *lib = *state;
    ARENA_AUTO all = arena_new();
    struct planlib_input *in;
    size_t n_in = planlib_inputs(lib, all, &in);
    unsigned bad = 0;
    for (size_t i = 0; i < n_in; i++) {
        for (size_t k = 0; k < ARRAY_LEN(rates); k++) {
            bad += check_calm(lib, &in[i], false, 80, rates[k]);
            bad += check_calm(lib, &in[i], false, 120, rates[k]);
            bad += check_calm(lib, &in[i], true, 80, rates[k]);
            bad += check_calm(lib, &in[i], true, 120, rates[k]);
        }
    }
    assert_int_equal(bad, 0);
}

/* ---- withheld: hidden facts take lines away, never add or change one ---- */

static bool is_withheld(const struct plan_line *now, const struct plan_line *before)
{
    if (before == NULL)
        return false;
    if (now->line == LINE_SETTING)
        return before->line == LINE_SETTING && strcmp(now->new_text, before->new_text) == 0;
    return before->line == LINE_SETTING ||
           !kind_is_numeric(now->new_value.kind) ||
           num_cmp(now->new_value.num, before->new_value.num) <= 0;
}

static void hide(struct store *s, const struct case_fact *f)
{
    store_unknown(s, store_find_subject(s, f->subject), f->name, FACT_NOT_PERMITTED, "test", "",
                  "hidden");
}

/* A flush rate below what any drive of the class does refutes the estimate: no fact to hide. */
static bool may_hide(const struct store *s, const struct case_fact *f)
{
    if (strcmp(f->name, "bench.flush.rate") != 0 && strcmp(f->name, "bench.write16k.rate") != 0)
        return true;
    const struct fact *rate = store_get(s, store_find_subject(s, f->subject), span_of(f->name));
    return num_cmp(rate->value.num, num_u64(12000)) >= 0;
}

static unsigned check_withheld(const struct rulelib *lib, const struct planlib_input *in,
                               struct arena *a, const struct plan *before, size_t n_before,
                               struct store *hidden, const char *what)
{
    struct plan *p;
    unsigned bad = 0;
    size_t n = planlib_make(lib, a, hidden, false, &p, NULL);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < p[i].n; k++) {
            const struct plan_line *l = &p[i].lines[k];
            const struct plan_line *was = active_line(before, n_before, l->variable);
            if (l->line == LINE_COMMENT || is_withheld(l, was))
                continue;
            (void)fprintf(stderr, "%s without %s: %s %s = %s, before: %s\n", in->name, what,
                          line_kind_name(l->line), l->variable, l->new_text,
                          was != NULL ? was->new_text : "no line");
            bad++;
        }
    }
    return bad;
}

static unsigned hide_each(const struct rulelib *lib, const struct planlib_input *in,
                          const struct store *whole, const struct plan *before, size_t n_before, const struct case_fact *facts,
                          size_t n_facts)
{
    unsigned bad = 0;
    for (size_t i = 0; i < n_facts; i++) {
        ARENA_AUTO a = arena_new();
        struct store *s = store_clone(a, whole);
        if (!may_hide(s, &facts[i]))
            continue;
        hide(s, &facts[i]);
        bad += check_withheld(lib, in, a, before, n_before, s, facts[i].name);
    }
    return bad;
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

static unsigned hide_subsets(const struct rulelib *lib, const struct planlib_input *in,
                             const struct store *whole, const struct plan *before, size_t n_before,
                             const struct case_fact *facts, size_t n_facts, uint32_t *seed)
{
    unsigned bad = 0;
    for (unsigned round = 0; round < SUBSETS; round++) {
        ARENA_AUTO a = arena_new();
        struct store *s = store_clone(a, whole);
        uint32_t share = 2 + next_random(seed) % 12; /* one in so many is hidden */
        for (size_t i = 0; i < n_facts; i++) {
            if (next_random(seed) % share == 0 && may_hide(s, &facts[i]))
                hide(s, &facts[i]);
        }
        bad += check_withheld(lib, in, a, before, n_before, s, "a random subset");
    }
    return bad;
}

static void test_withheld(void **state)
{
    const struct rulelib *lib = *state;
    ARENA_AUTO all = arena_new();
    struct planlib_input *in;
    size_t n_in = planlib_inputs(lib, all, &in);
    uint32_t seed = 20240229;
    unsigned bad = 0;
    for (size_t i = 0; i < n_in; i++) {
        ARENA_AUTO a = arena_new();
        struct plan *before;
        struct case_fact *facts;
        struct store *s = planlib_store(lib, a, &in[i]);
        const struct store *whole = store_clone(a, s); /* nothing derived yet */
        size_t n_facts = rulelib_facts(a, s, &facts);
        size_t n_before = planlib_make(lib, a, s, false, &before, NULL);
        bad += hide_each(lib, &in[i], whole, before, n_before, facts, n_facts);
        if (in[i].c == NULL)
            bad += hide_subsets(lib, &in[i], whole, before, n_before, facts, n_facts, &seed);
    }
    assert_int_equal(bad, 0);
}

/* ---- keep: within its band a value is left alone ---- */

static void test_keep(void **state)
{
    const struct rulelib *lib = *state;
    ARENA_AUTO all = arena_new();
    struct planlib_input *in;
    size_t n_in = planlib_inputs(lib, all, &in), kept = 0;
    unsigned bad = 0;
    for (size_t i = 0; i < n_in; i++) {
        ARENA_AUTO a = arena_new();
        struct plan *p;
        struct store *s = planlib_store(lib, a, &in[i]);
        size_t n = planlib_make(lib, a, s, false, &p, NULL);
        const struct subject *const *servers;
        size_t n_servers = store_subjects_of(s, SUBJECT_SERVER, &servers);
        for (size_t k = 0; k < n_servers * lib->rs.n_settings; k++) {
            const struct setting *row = &lib->rs.settings[k % lib->rs.n_settings];
            if (row->keep == NULL)
                continue;
            struct eval_env env =
                engine_env(&lib->rs, s, servers[k / lib->rs.n_settings], NULL, a);
            struct eval_result r = eval(row->keep, &env);
            if (r.state != EVAL_KNOWN || !r.value.boolean)
                continue;
            kept++;
            const struct plan *own = &p[k / lib->rs.n_settings];
            for (size_t m = 0; m < own->n && n > 0; m++) {
                if (own->lines[m].setting == row && own->lines[m].line != LINE_COMMENT) {
                    (void)fprintf(stderr, "%s: %s is within its band\n", in[i].name, row->name);
                    bad++;
                }
            }
        }
    }
    assert_int_equal(bad, 0);
    assert_true(kept > 0);
}

int main(void)
{
    struct rulelib lib;
    rulelib_open(&lib);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_fixed_point, &lib),
        cmocka_unit_test_prestate(test_calm, &lib),
        cmocka_unit_test_prestate(test_withheld, &lib),
        cmocka_unit_test_prestate(test_keep, &lib),
    };
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(lib.a);
    return rc;
}
