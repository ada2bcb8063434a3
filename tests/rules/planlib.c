/* Plans as text, and the stores that the properties of plans are tested on. */
#include "tests/rules/planlib.h"

#include <stdio.h>
#include <stdlib.h>

#include "advisor/base/banned.h"

size_t planlib_make(const struct rulelib *lib, struct arena *a, struct store *s, bool measured_only,
                    struct plan **ret, struct findings *ret_findings)
{
    struct findings f;
    const struct subject *const *servers;
    engine_derive(&lib->rs, s);
    engine_judge(&lib->rs, s, a, &f);
    if (ret_findings != NULL)
        *ret_findings = f;
    size_t n = store_subjects_of(s, SUBJECT_SERVER, &servers);
    *ret = arena_calloc(a, n + 1, sizeof(**ret));
    if (n == 0)
        plan_make(&lib->rs, s, &f, NULL, measured_only, a, &(*ret)[0]);
    for (size_t i = 0; i < n; i++)
        plan_make(&lib->rs, s, &f, servers[i], measured_only, a, &(*ret)[i]);
    return n > 0 ? n : 1;
}

const char *planlib_text(struct arena *a, const struct plan *p, size_t n, bool active_only)
{
    struct buf b;
    buf_init(&b, a, 64 * 1024);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < p[i].n; k++) {
            const struct plan_line *l = &p[i].lines[k];
            if (active_only && l->line == LINE_COMMENT)
                continue;
            buf_printf(&b, "%s [%s] %s = %s %s%s%s\n", line_kind_name(l->line), l->group,
                       l->variable, l->new_text, l->rule, l->settles[0] != '\0' ? ", settles " : "",
                       l->settles);
        }
    }
    return b.ptr != NULL ? b.ptr : "";
}

size_t planlib_inputs(const struct rulelib *lib, struct arena *a, struct planlib_input **ret)
{
    size_t n = 0, hosts = 0;
    while (rulelib_hosts[hosts] != NULL)
        hosts++;
    *ret = arena_calloc(a, hosts + lib->n_cases, sizeof(**ret));
    for (size_t i = 0; i < hosts; i++)
        (*ret)[n++] = (struct planlib_input){.name = rulelib_hosts[i]};
    for (size_t i = 0; i < lib->n_cases; i++)
        (*ret)[n++] = (struct planlib_input){.name = lib->cases[i].path, .c = &lib->cases[i]};
    return n;
}

struct store *planlib_store(const struct rulelib *lib, struct arena *a,
                            const struct planlib_input *in)
{
    if (in->c == NULL)
        return rulelib_host(lib, a, in->name, NULL);
    struct store *s;
    const struct subject *sub;
    struct err err = ERR_INIT;
    if (!rule_case_store(a, &lib->rs, in->c, &s, &sub, &err)) {
        (void)fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    return s;
}
