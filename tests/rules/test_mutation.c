/* Rule mutation: every operator of every rule swapped, every constant moved, every operand dropped. Some
 * case of the rule must tell each mutant from the rule (verdict or severity), or
 * mutants-that-cannot-matter.txt says why none can. A line there that fits no mutant is a mistake too.
 * Arguments are ids of the rules to look at, while you write them. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "advisor/base/file.h"
#include "tests/rules/mutate.h"
#include "tests/rules/rulelib.h"

#include "advisor/base/banned.h"

#define EXCUSES NV_SOURCE_DIR "/tests/rules/mutants-that-cannot-matter.txt"
#define EXCUSES_MAX 400

struct excuse {
    struct span key; /* "ID | applies | TEXT" */
    bool used;
};

struct bench {
    struct rulelib *lib;
    struct excuse excuses[EXCUSES_MAX];
    size_t n_excuses;
    unsigned mutants, survivors;
};

/* A case of the rule, derived and judged once. */
struct ready {
    const struct rule_case *c;
    struct store *s;
    const struct subject *sub;
    enum verdict verdict;
    enum severity severity;
};

static void read_excuses(struct bench *b)
{
    struct err err = ERR_INIT;
    struct span text, line;
    if (!file_read(b->lib->a, EXCUSES, 1024 * 1024, &text, &err))
        fail_msg("%s", err.text);
    while (span_line(&text, &line)) {
        line = span_trim(line);
        if (line.len == 0 || line.ptr[0] == '#')
            continue;
        size_t bar = 0;
        for (size_t i = 0; i + 3 <= line.len; i++) {
            if (memcmp(line.ptr + i, " | ", 3) == 0)
                bar = i;
        }
        if (bar == 0 || b->n_excuses == EXCUSES_MAX)
            fail_msg("%s: '%.*s' is not 'ID | PART | MUTANT | reason'", EXCUSES, SPAN_ARG(line));
        b->excuses[b->n_excuses++].key = span_sub(line, 0, bar);
    }
}

static bool excused(struct bench *b, const char *key)
{
    for (size_t i = 0; i < b->n_excuses; i++) {
        if (span_eq_text(b->excuses[i].key, key)) {
            b->excuses[i].used = true;
            return true;
        }
    }
    return false;
}

static size_t prepare(struct bench *b, const struct rule *r, struct arena *a, struct ready **ret)
{
    size_t n = 0;
    *ret = arena_calloc(a, b->lib->n_cases, sizeof(**ret));
    for (size_t i = 0; i < b->lib->n_cases; i++) {
        struct ready *c = &(*ret)[n];
        struct err err = ERR_INIT;
        struct finding f;
        if (b->lib->cases[i].rule != r)
            continue;
        if (!rule_case_store(a, &b->lib->rs, &b->lib->cases[i], &c->s, &c->sub, &err))
            fail_msg("%s", err.text);
        struct ruleset own;
        c->c = &b->lib->cases[i];
        if (!rule_case_rules(a, &b->lib->rs, c->c, &own, &err))
            fail_msg("%s", err.text);
        engine_derive(&own, c->s);
        engine_judge_one(&own, c->s, r, c->sub, a, &f);
        c->verdict = f.verdict;
        c->severity = f.severity;
        n++;
    }
    return n;
}

static bool told_apart(const struct ruleset *rs, const struct rule *mutant,
                       const struct ready *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ARENA_AUTO a = arena_new();
        struct finding f;
        struct ruleset own;
        struct err err = ERR_INIT;
        if (!rule_case_rules(a, rs, cases[i].c, &own, &err))
            fail_msg("%s", err.text);
        engine_judge_one(&own, cases[i].s, mutant, cases[i].sub, a, &f);
        bool level = f.verdict == VERDICT_FAIL || f.verdict == VERDICT_UNKNOWN;
        if (f.verdict != cases[i].verdict || (level && f.severity != cases[i].severity))
            return true;
    }
    return false;
}

static void try_mutant(struct bench *b, const struct ruleset *rs, const struct rule *mutant,
                       const struct ready *cases, size_t n, const char *part, const char *text)
{
    ARENA_AUTO a = arena_new();
    const char *key = arena_printf(a, "%s | %s | %s", mutant->id, part, text);
    b->mutants++;
    if (told_apart(rs, mutant, cases, n) || excused(b, key))
        return;
    (void)fprintf(stderr, "survives: %s\n", key);
    b->survivors++;
}

static const char *print(struct arena *a, const struct expr *e)
{
    struct buf text;
    buf_init(&text, a, 2u * EXPR_MAX_BYTES);
    expr_print(&text, e);
    return text.ptr;
}

static void try_condition(struct bench *b, const struct rule *r, const struct ready *cases,
                          size_t n, const char *part, const struct expr *e, struct arena *a,
                          const struct expr **slot, const struct rule *mutant)
{
    struct expr **mutants;
    if (e == NULL)
        return;
    size_t n_mutants = mutate_expr(a, e, &mutants);
    for (size_t i = 0; i < n_mutants; i++) {
        *slot = mutants[i];
        try_mutant(b, &b->lib->rs, mutant, cases, n, part, print(a, mutants[i]));
    }
    *slot = e;
    (void)r;
}

static void try_steps(struct bench *b, const struct rule *r, const struct ready *cases, size_t n,
                      struct arena *a)
{
    struct rule mutant = *r;
    mutant.steps = arena_calloc(a, r->n_steps, sizeof(*mutant.steps));
    for (size_t i = 0; i + 1 < r->n_steps; i++) {
        memcpy(mutant.steps, r->steps, r->n_steps * sizeof(*mutant.steps));
        mutant.n_steps = r->n_steps;
        const char *part = arena_printf(a, "severity %zu", i + 1);
        try_condition(b, r, cases, n, part, r->steps[i].when, a, &mutant.steps[i].when, &mutant);
        memmove(&mutant.steps[i], &mutant.steps[i + 1],
                (r->n_steps - i - 1) * sizeof(*mutant.steps));
        mutant.n_steps--;
        try_mutant(b, &b->lib->rs, &mutant, cases, n, part, "left out");
    }
}

static bool names_param(struct arena *a, const struct rule *r, const char *name)
{
    const char *whole = arena_printf(a, "param.%s", name);
    bool found = false;
    for (size_t i = 0; i < r->n_steps + 2; i++) {
        const struct expr *e = i == 0 ? r->applies : i == 1 ? r->fails : r->steps[i - 2].when;
        const struct expr_ref *const *refs;
        size_t n = e != NULL ? expr_refs(a, e, &refs) : 0;
        for (size_t k = 0; k < n; k++)
            found = found || strcmp(refs[k]->name, whole) == 0;
    }
    return found;
}

static void try_value(struct bench *b, const struct ruleset *rs, const struct rule *r,
                      const struct ready *cases, size_t n, const struct param *param,
                      struct arena *a)
{
    struct buf text;
    buf_init(&text, a, 200);
    value_print_literal(&text, &param->value);
    try_mutant(b, rs, r, cases, n, arena_printf(a, "param.%s", param->name), text.ptr);
}

/* What no site can set is no mutant. */
static bool in_range(const struct param *p, struct num n)
{
    return !p->has_range || (num_cmp(p->min.num, n) <= 0 && num_cmp(n, p->max.num) <= 0);
}

static void try_params(struct bench *b, const struct rule *r, const struct ready *cases, size_t n,
                       struct arena *a)
{
    struct ruleset rs = b->lib->rs;
    rs.params = arena_calloc(a, rs.n_params, sizeof(*rs.params));
    for (size_t p = 0; p < rs.n_params; p++) {
        struct num moved[2];
        memcpy(rs.params, b->lib->rs.params, rs.n_params * sizeof(*rs.params));
        struct param *param = &rs.params[p];
        if (!names_param(a, r, param->name))
            continue;
        if (param->type.kind == KIND_BOOL) {
            param->value.boolean = !param->value.boolean;
            try_value(b, &rs, r, cases, n, param, a);
            continue;
        }
        const size_t n_moved = mutate_number(param->type.kind, param->value.num, moved);
        for (size_t i = 0; i < n_moved; i++) {
            param->value.num = moved[i];
            if (in_range(param, moved[i]))
                try_value(b, &rs, r, cases, n, param, a);
        }
    }
}

static void try_rule(struct bench *b, const struct rule *r)
{
    ARENA_AUTO a = arena_new();
    struct ready *cases;
    size_t n = prepare(b, r, a, &cases);
    struct rule mutant = *r;
    try_condition(b, r, cases, n, "applies", r->applies, a, &mutant.applies, &mutant);
    try_condition(b, r, cases, n, "fails", r->fails, a, &mutant.fails, &mutant);
    try_steps(b, r, cases, n, a);
    try_params(b, r, cases, n, a);
}

static void test_mutation(void **state)
{
    struct bench b = {.lib = *state};
    read_excuses(&b);
    for (size_t i = 0; i < b.lib->rs.n_rules; i++) {
        const struct rule *r = &b.lib->rs.rules[i];
        if (r->alias_of == NULL && r->retired == NULL && rulelib_wanted(b.lib, r->id))
            try_rule(&b, r);
    }
    for (size_t i = 0; i < b.n_excuses; i++) {
        struct span id, rest = b.excuses[i].key;
        if (!b.excuses[i].used && span_split(&rest, '|', &id) &&
            rulelib_wanted(b.lib, span_dup(b.lib->a, span_trim(id)))) {
            (void)fprintf(stderr, "no such survivor: %.*s\n", SPAN_ARG(b.excuses[i].key));
            b.survivors++;
        }
    }
    (void)fprintf(stderr, "%u mutants\n", b.mutants);
    assert_int_equal(b.survivors, 0);
    assert_true(b.mutants > 0);
}

int main(int argc, char **argv)
{
    (void)argc;
    struct rulelib lib;
    rulelib_open(&lib);
    lib.only = (const char *const *)argv + 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_mutation, &lib),
    };
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(lib.a);
    return rc;
}
