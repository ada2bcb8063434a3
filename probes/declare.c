/* One set of every probe's declarations. A new probe is one line here. */
#include "probes/disks.h"
#include "probes/joined.h"
#include "probes/leaf_limits.h"
#include "probes/probe.h"
#include "probes/redundancy.h"
#include "probes/shared.h"

#include "advisor/base/banned.h"

/* Rows whose name ends in '.' are families. */
static bool add_rows(struct decl_set *set, const struct fact_decl *rows, size_t n,
                     struct err *reterr)
{
    size_t from = 0;
    if (n == 0)
        return true;
    for (size_t i = 0; i < n; i++) {
        if (!span_ends(span_of(rows[i].name), "."))
            continue;
        if (!decl_set_add(set, rows + from, i - from, reterr) ||
            !decl_set_add_family(set, rows[i].name, &rows[i], reterr))
            return false;
        from = i + 1;
    }
    return decl_set_add(set, rows + from, n - from, reterr);
}

static const struct probe *const probes[] = {
    &probe_proc,
    &probe_server,
    &probe_sql,
    &probe_options,
    &probe_volume,
    &probe_device,
    &probe_disks,
    NULL, /* the end */
};

bool probes_declare(struct decl_set *set, struct err *reterr)
{
    for (size_t i = 0; probes[i] != NULL; i++) {
        const struct probe *p = probes[i];
        if (!add_rows(set, p->decls, p->n_decls, reterr))
            return err_wrap(reterr, "declaring the facts of probe '%s'", p->name);
        for (size_t t = 0; t < p->n_themes; t++) {
            if (!add_rows(set, p->themes[t].rows, p->themes[t].n, reterr))
                return err_wrap(reterr, "declaring the facts of probe '%s'", p->name);
        }
    }
    return add_rows(set, shared_decls, SHARED_DECLS, reterr) &&
           add_rows(set, leaf_limit_decls, LEAF_LIMIT_DECLS, reterr) &&
           add_rows(set, joined_decls, JOINED_DECLS, reterr) &&
           add_rows(set, redundancy_decls, REDUNDANCY_DECLS, reterr) &&
           add_rows(set, bench_decls, bench_n_decls, reterr);
}
