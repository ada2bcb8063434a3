/* rules: list them, check their texts, run their cases. */
#include <stdio.h>
#include <string.h>

#include "advisor/cli/cmd.h"
#include "advisor/cli/session.h"
#include "advisor/report/report.h"
#include "rules/cases.h"

#include "advisor/base/banned.h"

#define PROBLEMS_MAX (1024u * 1024)

static const struct option_row rows[] = {
    {"rules", 0, "DIR", false, "use the rule texts of DIR instead of the compiled-in ones"},
};

static const char *worst_severity(const struct rule *r)
{
    enum severity worst = SEV_INFO;
    for (size_t i = 0; i < r->n_steps; i++) {
        worst = r->steps[i].level > worst ? r->steps[i].level : worst;
    }
    return severity_name(worst);
}

static int list(const struct session *s)
{
    for (size_t i = 0; i < s->rules.n_rules; i++) {
        const struct rule *r = &s->rules.rules[i];
        if (r->alias_of != NULL) {
            printf("%-28s -> %s\n", r->id, r->alias_of);
        } else if (r->retired != NULL) {
            printf("%-28s retired: %s\n", r->id, r->retired);
        } else {
            printf("%-28s %-7s %-8s %s\n", r->id, subject_kind_name(r->scope), worst_severity(r),
                   r->title);
        }
    }
    return EXIT_OK;
}

static int lint(struct arena *a, const struct options *opt, struct err *reterr)
{
    struct session s;
    struct buf problems;
    buf_init(&problems, a, PROBLEMS_MAX);
    if (session_rules(a, opt, &s, &problems, reterr)) {
        printf("%zu rules, %zu settings, %zu derived facts, %zu parameters: no problem found\n",
               s.rules.n_rules, s.rules.n_settings, s.rules.n_derived, s.rules.n_params);
        return EXIT_OK;
    }
    if (problems.len == 0) {
        return -1;
    }
    (void)!fwrite(problems.ptr, 1, problems.len, stdout);
    return EXIT_FAILED;
}

static int test(struct arena *a, const struct session *s, const char *dir, struct err *reterr)
{
    struct rule_case *cases = NULL;
    size_t n = 0, failed = 0;
    if (!rule_cases_read_dir(a, &s->rules, dir, &cases, &n, reterr)) {
        return -1;
    }
    if (n == 0) {
        err_set(reterr, E_ABSENT, "'%s' holds no case (files ID.VERDICT.facts)", dir);
        return -1;
    }
    for (size_t i = 0; i < n; i++) {
        struct err why = ERR_INIT;
        if (!rule_case_run(a, &s->rules, &cases[i], &why)) {
            printf("%s\n", why.text);
            failed++;
        }
    }
    printf("%zu passed, %zu failed\n", n - failed, failed);
    return failed == 0 ? EXIT_OK : EXIT_FAILED;
}

static int run(const struct options *opt, struct arena *a, struct err *reterr)
{
    const char *const *args = NULL;
    const size_t n = option_args(opt, &args);
    if (n == 1 && strcmp(args[0], "lint") == 0) {
        return lint(a, opt, reterr);
    }
    const bool want_list = n == 1 && strcmp(args[0], "list") == 0;
    const bool want_test = n == 2 && strcmp(args[0], "test") == 0;
    if (!want_list && !want_test) {
        err_set(reterr, E_USAGE, "say one of: nvadvise rules list | lint | test DIR");
        return -1;
    }
    struct session s;
    if (!session_rules(a, opt, &s, NULL, reterr)) {
        return -1;
    }
    return want_list ? list(&s) : test(a, &s, args[1], reterr);
}

const struct cmd cmd_rules = {
    .name = "rules",
    .summary = "list the rules, check their texts, run their cases",
    .synopsis = "rules list | lint | test DIR [options]",
    .help =
        "  nvadvise rules list                every rule: scope, highest severity, title\n"
        "  nvadvise rules lint --rules rules  check rule, setting and catalogue texts\n"
        "  nvadvise rules test tests/rules    run cases: files ID.VERDICT.facts\n\n"
        "A case is a file of lines 'name = value'. Its name says the rule and the\n"
        "verdict that must come out; lines '#! severity = high' ask for more.\n\n"
        "exit status: 0 all well, 1 a problem or a failed case was printed, 2 trouble",
    .options = rows,
    .n_options = ARRAY_LEN(rows),
    .max_args = 2,
    .run = run,
};
