/* From verdicts and facts to lines: the rows of the spreadsheet in order. Pure. Knows nothing of what one row
 * comes to. */
#include "rules/settings.h"

#include "rules/plan_int.h"

#include "advisor/base/banned.h"

static void read_server(struct plan_ctx *p)
{
    const struct fact *flavour = store_get(p->s, p->server, SPAN_LIT("server.flavour"));
    const struct fact *version = store_get(p->s, p->server, SPAN_LIT("server.version"));
    p->has_version = flavour != NULL && flavour->state == FACT_KNOWN && version != NULL &&
                     version->state == FACT_KNOWN &&
                     flavour_from_name(flavour->value.text, &p->flavour);
    if (p->has_version)
        p->version = version->value.version;
}

/* At run time the upper bound is raised before what it bounds, and lowered after it. Places of two, so that
 * there is one free before each. */
static size_t place_of(const struct plan_ctx *p, size_t i)
{
    const struct plan_line *line = &p->plan->lines[i];
    const struct cell *c = &p->cells[line->setting - p->rs->settings];
    if (line->setting->set_before == NULL || line->line == LINE_COMMENT || !c->raised)
        return 2 * i + 1;
    const struct setting *other = settings_find(p->rs, span_of(line->setting->set_before));
    const struct cell *o = &p->cells[other - p->rs->settings];
    return o->line != 0 ? 2 * (o->line - 1) : 2 * i + 1;
}

/* From 0, without gaps. */
static void order_statements(struct plan_ctx *p)
{
    struct plan *plan = p->plan;
    for (size_t i = 0; i < plan->n; i++) {
        for (size_t k = 0; k < plan->n; k++) {
            bool there = !p->measured_only || plan->lines[k].line != LINE_FIRST_STEP;
            if (there && place_of(p, k) < place_of(p, i))
                plan->lines[i].set_order++;
        }
    }
}

static void leave_out_first_steps(struct plan *plan)
{
    size_t n = 0;
    for (size_t i = 0; i < plan->n; i++) {
        if (plan->lines[i].line != LINE_FIRST_STEP)
            plan->lines[n++] = plan->lines[i];
    }
    plan->n = n;
}

void plan_make(const struct ruleset *rs, struct store *s, const struct findings *f,
               const struct subject *server, bool measured_only, struct arena *a, struct plan *ret)
{
    const struct subject *const *hosts;
    struct plan plan = {0};
    struct plan_ctx p = {
        .rs = rs, .s = s, .findings = f, .server = server, .a = a, .plan = &plan,
        .measured_only = measured_only,
    };
    if (store_subjects_of(s, SUBJECT_HOST, &hosts) > 0)
        p.host = hosts[0];
    p.cells = arena_calloc(a, rs->n_settings, sizeof(*p.cells));
    plan_views_open(&p);
    if (server != NULL)
        read_server(&p);
    for (size_t i = 0; i < rs->n_settings; i++) {
        const struct setting *row = &rs->settings[i];
        const struct subject *sub = row->scope == SUBJECT_HOST ? p.host : p.server;
        if (!row->intermediate && sub != NULL)
            plan_row(&p, row);
    }
    order_statements(&p);
    if (measured_only)
        leave_out_first_steps(&plan);
    *ret = plan;
}
