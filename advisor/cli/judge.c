/* See judge.h. */
#include "advisor/cli/judge.h"

#include <time.h>

#include "probes/waves.h"

#include "advisor/base/banned.h"

/* Another host's storage says nothing about the server there: only the server's own rules count. */
static void keep_server_rules(struct findings *f)
{
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++) {
        if (f->items[i].rule->scope == SUBJECT_SERVER) {
            f->items[n++] = f->items[i];
        }
    }
    f->n = n;
}

void judge(struct judged *j, const struct options *opt)
{
    struct session *s = &j->session;
    j->measured_only = option_flag(opt, "measured-only");
    engine_judge(&s->rules, s->store, s->arena, &j->findings);
    const int64_t today = s->clock != 0 ? s->clock : (int64_t)time(NULL);
    waivers_apply(&s->waivers, &j->findings, s->store, today);
    if (s->remote) {
        keep_server_rules(&j->findings);
    }
    j->n_servers = waves_servers_in_order(s->arena, s->store, &j->servers);
    j->plans = arena_calloc(s->arena, j->n_servers + 1, sizeof(*j->plans));
    for (size_t i = 0; i < j->n_servers; i++) {
        plan_make(&s->rules, s->store, &j->findings, j->servers[i], j->measured_only, s->arena,
                  &j->plans[i]);
    }
}

struct report_input judge_input(const struct judged *j, const struct options *opt)
{
    const struct session *s = &j->session;
    return (struct report_input){
        .rules = &s->rules,
        .store = s->store,
        .findings = &j->findings,
        .plans = j->plans,
        .servers = j->servers,
        .n_servers = j->n_servers,
        .profile = s->profile,
        .waivers = &s->waivers,
        .overrides = s->overrides,
        .n_overrides = s->n_overrides,
        .fail_on = SEV_HIGH,
        .allow_unknown = option_flag(opt, "allow-unknown"),
        .require_server = option_flag(opt, "require-server"),
        .measured_only = j->measured_only,
        .clock = s->clock,
    };
}

bool judge_report(const struct judged *j, const struct options *opt, struct json **ret,
                  struct err *reterr)
{
    const char *level = option_text(opt, "fail-on");
    struct report_input in = judge_input(j, opt);
    if (level != NULL && !severity_from_name(span_of(level), &in.fail_on)) {
        return err_set(reterr, E_USAGE,
                       "option '--fail-on': '%s' is not one of info,low,medium,high,critical",
                       level);
    }
    *ret = report_make(j->session.arena, &in);
    return true;
}
