/* Mistakes that only show beside the built-in settings: what a site's rule may set and name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probes/probe.h"
#include "tests/rules/rulelib.h"

#include "advisor/base/banned.h"

#define TAIL "severity = low\ntitle = t\nwhy = w\nadvice = set\nsource = s\n"

static const struct {
    const char *text, *message; /* NULL: it loads */
} table[] = {
    {"[site-rule]\nscope = server\nfails = server.bp.size_in_force < 1GiB\ndo.1 = x | online\n" TAIL,
     NULL},
    {"[site-rule]\nscope = server\nfails = plan.memory.pool_target < 1GiB\ndo.1 = x | online\n" TAIL,
     NULL},
    {"[site-rule]\nscope = host\nfails = plan.memory.pool_target < 1GiB\ndo.1 = x | online\n" TAIL,
     "only server rules may name plan values"},
    {"[site-rule]\nscope = server\nfails = plan.innodb_io_capacity < 9/s\ndo.1 = x | online\n" TAIL,
     "depends on verdicts"},
    {"[site-rule]\nscope = server\nfails = est.flush.rate < 9/s\ndo.1 = x | online\n" TAIL,
     "falls back to an estimate"},
    {"[site-rule]\nscope = server\nfails = server.dedicated\nsets = innodb_io_capacity\n" TAIL,
     "whose owners do not name this rule"},
    {"[site-rule]\nscope = server\nfails = server.dedicated\nsets = innodb_nothing\n" TAIL,
     "no section of the settings describes"},
    {"[os-swappiness]\nscope = server\nfails = server.dedicated\ndo.1 = x | online\n" TAIL,
     "the id is taken"},
    {"[site-rule]\nscope = server\nfails = server.dedicated\ndo.1 = x | online\n" TAIL
     "param.swappiness_max = count 1 0 9 again\n", "is declared already, by os-swappiness"},
    {"[site-rule]\nscope = server\nfails = server.var.innodb_nothing > 1\ndo.1 = x | online\n" TAIL,
     "is not in the variable catalogue"},
};

static void test_site_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(table); i++) {
        ARENA_AUTO a = arena_new();
        struct err err = ERR_INIT;
        struct buf problems;
        struct ruleset rs;
        struct decl_set *decls = decl_set_new(a);
        const struct rule_texts *own = rule_texts_builtin(a);
        struct rule_text *all = arena_calloc(a, own->n_rules + 1, sizeof(*all));
        memcpy(all, own->rules, own->n_rules * sizeof(*all));
        all[own->n_rules] = (struct rule_text){"site.ini", span_of(table[i].text), NULL};
        struct rule_texts texts = *own;
        texts.rules = all;
        texts.n_rules++;
        buf_init(&problems, a, 65536);
        assert_true(probes_declare(decls, &err));
        bool ok = ruleset_load(a, decls, &texts, &rs, &problems, &err);
        const char *said = problems.ptr != NULL ? problems.ptr : "";
        if (ok != (table[i].message == NULL))
            fail_msg("row %zu: %s", i, ok ? "loads" : said);
        if (!ok && strstr(said, table[i].message) == NULL)
            fail_msg("row %zu: wanted '%s', got %s", i, table[i].message, said);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_site_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
