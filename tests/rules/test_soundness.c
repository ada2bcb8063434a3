/* Soundness: hiding facts may undecide a verdict, never flip it, and never decide one. Over every case of
 * every rule: each fact hidden alone, each pair, and random larger subsets; and over whole hosts, all
 * rules at once. Arguments are ids of the rules whose cases to look at, while you write them. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>

#include <cmocka.h>
#include <stdio.h>

#include "tests/rules/rulelib.h"

#include "advisor/base/banned.h"

#define RANDOM_SUBSETS 60
#define PAIRS_UP_TO 24 /* facts; beyond, pairs are left to the random subsets */

static bool decided(enum verdict v)
{
    return v == VERDICT_PASS || v == VERDICT_FAIL || v == VERDICT_NOT_APPLICABLE;
}

struct trial {
    const struct rulelib *lib;
    const struct rule_case *c;
    struct store *whole; /* nothing derived */
    const struct subject *sub;
    const struct case_fact *facts;
    size_t n;
    unsigned flips;
    struct ruleset rs; /* with the parameters of the case */
};

static enum verdict judge(const struct trial *t, struct arena *a, struct store *s)
{
    struct finding f;
    engine_derive(&t->rs, s);
    engine_judge_one(&t->rs, s, t->c->rule, store_find_subject(s, t->sub->label), a, &f);
    return f.verdict;
}

/* `hide` holds a bit a fact. */
static void try_hidden(struct trial *t, const bool *hide, enum verdict whole)
{
    ARENA_AUTO a = arena_new();
    struct store *s = store_clone(a, t->whole);
    for (size_t i = 0; i < t->n; i++) {
        if (hide[i])
            store_unset(s, store_find_subject(s, t->facts[i].subject), t->facts[i].name);
    }
    enum verdict v = judge(t, a, s);
    if (!decided(v) || v == whole)
        return;
    (void)fprintf(stderr, "%s: %s becomes %s without", t->c->path, verdict_name(whole),
                  verdict_name(v));
    for (size_t i = 0; i < t->n; i++) {
        if (hide[i])
            (void)fprintf(stderr, " %s", t->facts[i].name);
    }
    (void)fprintf(stderr, "\n");
    t->flips++;
}

/* A fixed sequence, so that a failure can be had again. */
static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void hide_subsets(struct trial *t, enum verdict whole)
{
    bool hide[256];
    uint32_t seed = 20240917;
    for (size_t i = 0; i < t->n; i++) {
        for (size_t k = i; k < t->n; k++) {
            if (k != i && t->n > PAIRS_UP_TO)
                break;
            for (size_t x = 0; x < t->n; x++)
                hide[x] = x == i || x == k;
            try_hidden(t, hide, whole);
        }
    }
    for (unsigned r = 0; r < RANDOM_SUBSETS; r++) {
        uint32_t share = 1 + next_random(&seed) % 4;
        for (size_t x = 0; x < t->n; x++)
            hide[x] = next_random(&seed) % 5 < share;
        try_hidden(t, hide, whole);
    }
}

static unsigned soundness_of(const struct rulelib *lib, const struct rule_case *c)
{
    ARENA_AUTO a = arena_new();
    struct err err = ERR_INIT;
    struct trial t = {.lib = lib, .c = c};
    if (!rule_case_store(a, &lib->rs, c, &t.whole, &t.sub, &err) ||
        !rule_case_rules(a, &lib->rs, c, &t.rs, &err)) {
        (void)fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    struct case_fact *facts;
    t.n = rulelib_facts(a, t.whole, &facts);
    t.facts = facts;
    hide_subsets(&t, judge(&t, a, store_clone(a, t.whole)));
    return t.flips;
}

/* ---- whole hosts ---- */

/* All verdicts of a store, in the order of engine_judge. */
static void judge_all(const struct rulelib *lib, struct arena *a, struct store *s,
                      struct findings *ret)
{
    engine_derive(&lib->rs, s);
    engine_judge(&lib->rs, s, a, ret);
}

static unsigned compare(const char *host, const struct findings *whole, const struct findings *part)
{
    unsigned flips = 0;
    for (size_t i = 0; i < part->n && part->n == whole->n; i++) {
        enum verdict v = part->items[i].verdict;
        if (!decided(v) || v == whole->items[i].verdict)
            continue;
        (void)fprintf(stderr, "%s: %s: %s becomes %s\n", host, part->items[i].rule->id,
                      verdict_name(whole->items[i].verdict), verdict_name(v));
        flips++;
    }
    return flips + (part->n != whole->n);
}

static unsigned soundness_of_host(const struct rulelib *lib, const char *host)
{
    ARENA_AUTO a = arena_new();
    struct store *whole = rulelib_host(lib, a, host, NULL);
    struct case_fact *facts;
    struct findings all;
    uint32_t seed = 7;
    unsigned flips = 0;
    size_t n = rulelib_facts(a, whole, &facts);
    judge_all(lib, a, store_clone(a, whole), &all);
    for (size_t round = 0; round < n + RANDOM_SUBSETS; round++) {
        ARENA_AUTO scratch = arena_new();
        struct store *s = store_clone(scratch, whole);
        struct findings some;
        uint32_t share = 1 + next_random(&seed) % 4;
        for (size_t i = 0; i < n; i++) {
            bool hide = round < n ? i == round : next_random(&seed) % 5 < share;
            if (hide)
                store_unset(s, store_find_subject(s, facts[i].subject), facts[i].name);
        }
        judge_all(lib, scratch, s, &some);
        flips += compare(host, &all, &some);
    }
    return flips;
}

static void test_hosts(void **state)
{
    struct rulelib *lib = *state;
    unsigned flips = 0;
    for (size_t i = 0; rulelib_hosts[i] != NULL; i++)
        flips += soundness_of_host(lib, rulelib_hosts[i]);
    assert_int_equal(flips, 0);
}

static void test_cases(void **state)
{
    struct rulelib *lib = *state;
    unsigned flips = 0;
    assert_true(lib->n_cases > 0);
    for (size_t i = 0; i < lib->n_cases; i++)
        flips += rulelib_wanted(lib, lib->cases[i].rule->id) ? soundness_of(lib, &lib->cases[i]) : 0;
    assert_int_equal(flips, 0);
}

int main(int argc, char **argv)
{
    (void)argc;
    struct rulelib lib;
    rulelib_open(&lib);
    lib.only = (const char *const *)argv + 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_cases, &lib),
        cmocka_unit_test_prestate(test_hosts, &lib),
    };
    int rc = cmocka_run_group_tests(tests, NULL, NULL);
    arena_free(lib.a);
    return rc;
}
