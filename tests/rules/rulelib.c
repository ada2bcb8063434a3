/* The built-in rules and their cases, for the rule tests. */
#include "tests/rules/rulelib.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/base/file.h"
#include "advisor/facts/factdoc.h"
#include "probes/probe.h"

#include "advisor/base/banned.h"

static void stop(const struct err *err, const struct buf *problems)
{
    (void)fprintf(stderr, "%s\n%s\n", err->text, problems->ptr != NULL ? problems->ptr : "");
    exit(1);
}

void rulelib_open(struct rulelib *lib)
{
    struct err err = ERR_INIT;
    struct buf problems;
    *lib = (struct rulelib){.a = arena_new()};
    buf_init(&problems, lib->a, 1024 * 1024);
    struct decl_set *decls = decl_set_new(lib->a);
    if (!probes_declare(decls, &err))
        stop(&err, &problems);
    if (!ruleset_load(lib->a, decls, rule_texts_builtin(lib->a), &lib->rs, &problems, &err))
        stop(&err, &problems);
    if (!rule_cases_read_dir(lib->a, &lib->rs, NV_SOURCE_DIR "/tests/rules", &lib->cases,
                             &lib->n_cases, &err))
        stop(&err, &problems);
}

bool rulelib_wanted(const struct rulelib *lib, const char *id)
{
    if (lib->only == NULL || lib->only[0] == NULL)
        return true;
    for (size_t i = 0; lib->only[i] != NULL; i++) {
        if (strcmp(lib->only[i], id) == 0)
            return true;
    }
    return false;
}

const char *const rulelib_hosts[] = {"w1", "w2", "w3", "w4", "w5", "w6", "w7", "w8", "w9", "raidz2", "zfs_lz4",
                                     "zfs_16k", "f1_zfs", "f2_split", "f3", "f4_stripe", "x1", "x2", "x3", "x4",
                                     "x5", NULL};

struct store *rulelib_host(const struct rulelib *lib, struct arena *a, const char *host,
                           struct span *ret_text)
{
    struct err err = ERR_INIT;
    struct span text;
    const char *path = arena_printf(a, NV_SOURCE_DIR "/tests/rules/hosts/%s.facts", host);
    struct store *s = store_new(a, lib->rs.decls);
    store_set_offline(s, true);
    /* Not strict: the hosts also state facts of rules that come later. */
    if (!file_read(a, path, 1024 * 1024, &text, &err) ||
        !factdoc_read(s, path, text, false, NULL, &err))
        stop(&err, &(struct buf){0});
    if (ret_text != NULL)
        *ret_text = text;
    return s;
}

size_t rulelib_facts(struct arena *a, const struct store *s, struct case_fact **ret)
{
    size_t n = 0, cap = 256;
    *ret = arena_calloc(a, cap, sizeof(**ret));
    for (size_t i = 0; i < store_subjects(s); i++) {
        const struct subject *sub = store_subject_at(s, i);
        const struct fact_row *rows;
        size_t n_rows = store_facts(s, sub, &rows);
        for (size_t k = 0; k < n_rows && n < cap; k++) {
            if (rows[k].fact->state == FACT_KNOWN)
                (*ret)[n++] = (struct case_fact){sub->label, rows[k].name};
        }
    }
    return n;
}
