/* See judge.h. */
#include "advisor/cli/judge.h"

#include <string.h>
#include <time.h>

#include "advisor/cli/offline.h"
#include "probes/waves.h"
#include "rules/options.h"

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

/* What SET PERSIST holds and the plan wants to set is in the way as well: the rule that counts such names is
 * judged anew. */
static void judge_persisted(struct judged *j, size_t server)
{
    static const char count[] = "server.option.persisted_count";
    struct session *s = &j->session;
    const struct plan *plan = &j->plans[server];
    const char **names = arena_calloc(s->arena, plan->n + 1, sizeof(*names));
    size_t n = 0;
    for (size_t i = 0; i < plan->n; i++) {
        if (plan->lines[i].where == WHERE_OPTION_FILE && plan->lines[i].line != LINE_COMMENT) {
            names[n++] = plan->lines[i].variable;
        }
    }
    if (!options_persisted_plan(&s->rules, s->store, j->servers[server], names, n)) {
        return;
    }
    for (size_t i = 0; i < j->findings.n; i++) {
        struct finding *f = &j->findings.items[i];
        bool rests = false;
        for (size_t k = 0; k < f->n_evidence; k++) {
            rests = rests || strcmp(f->evidence[k].name, count) == 0;
        }
        if (rests && f->subject == j->servers[server]) {
            engine_judge_one(&s->rules, s->store, f->rule, f->subject, s->arena, f);
        }
    }
}

void judge(struct judged *j, const struct options *opt)
{
    struct session *s = &j->session;
    j->measured_only = option_flag(opt, "measured-only");
    engine_judge(&s->rules, s->store, s->arena, &j->findings);
    if (s->remote) {
        keep_server_rules(&j->findings);
    }
    const int64_t today = s->clock != 0 ? s->clock : (int64_t)time(NULL);
    /* Before the plan, which leaves what is waived alone; and for what is judged anew behind it. */
    waivers_apply(&s->waivers, &j->findings, s->store, today);
    j->n_servers = waves_servers_in_order(s->arena, s->store, &j->servers);
    j->plans = arena_calloc(s->arena, j->n_servers + 1, sizeof(*j->plans));
    for (size_t i = 0; i < j->n_servers; i++) {
        plan_make(&s->rules, s->store, &j->findings, j->servers[i], j->measured_only, s->arena,
                  &j->plans[i]);
        judge_persisted(j, i);
    }
    waivers_apply(&s->waivers, &j->findings, s->store, today);
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
                       "option '--fail-on': '%s' is not one of info, low, medium, high, critical",
                       level);
    }
    const char *target = option_text(opt, "target");
    struct server_spec spec;
    if (target != NULL) {
        if (!server_spec_read("target", target, &spec, reterr)) {
            return false;
        }
        in.has_target = true;
        in.target_flavour = spec.flavour;
        in.target_version = spec.version;
    }
    *ret = report_make(j->session.arena, &in);
    return true;
}
