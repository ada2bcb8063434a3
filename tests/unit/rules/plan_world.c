/* The small world that tests of settings and plan share. */
#include "tests/unit/rules/plan_world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "advisor/facts/factdoc.h"

#include "advisor/base/banned.h"

#define ROW(name, kind, words, needs)                                                              \
    {name, kind, words, SUBJECT_SERVER, FOLD_SAME, needs, "a fact", "a file", ""}

static const struct fact_decl rows[] = {
    ROW("server.flavour", KIND_ENUM, "mysql,percona,mariadb", NEED_NONE),
    ROW("server.version", KIND_VERSION, NULL, NEED_NONE),
    ROW("server.a", KIND_BOOL, NULL, NEED_NONE),
    ROW("server.b", KIND_BOOL, NULL, NEED_NONE),
    ROW("server.c", KIND_BOOL, NULL, NEED_NONE),
    ROW("server.small", KIND_BOOL, NULL, NEED_NONE),
    ROW("server.size", KIND_BYTES, NULL, NEED_NONE),
    ROW("server.wish", KIND_BYTES, NULL, NEED_NONE),
    ROW("server.other", KIND_BYTES, NULL, NEED_NONE),
    ROW("server.mode", KIND_ENUM, "on,off,detect_only", NEED_NONE),
    ROW("server.rate", KIND_RATE, NULL, NEED_BENCH),
    ROW("server.mean", KIND_RATE, NULL, NEED_NONE),
    {"volume.free", KIND_BYTES, NULL, SUBJECT_VOLUME, FOLD_MIN, NEED_NONE, "a fact", "a file", ""},
    {"host.n", KIND_COUNT, NULL, SUBJECT_HOST, FOLD_SAME, NEED_NONE, "a fact", "a file", ""},
};

static const struct fact_decl families[] = {
    ROW("server.var.", KIND_STRING, NULL, NEED_NONE),
    ROW("server.source.", KIND_ENUM, "compiled,auto,file,persisted,command_line,dynamic", NEED_NONE),
    ROW("server.var_min.", KIND_COUNT, NULL, NEED_NONE),
    ROW("server.var_max.", KIND_COUNT, NULL, NEED_NONE),
    ROW("server.var_step.", KIND_COUNT, NULL, NEED_NONE),
    ROW("server.var_dynamic.", KIND_BOOL, NULL, NEED_NONE),
};

#define RULE(id, scope, fails)                                                                     \
    "[" id "]\ntitle = t\nscope = " scope "\nfails = " fails "\nseverity = low\nwhy = w\n"        \
    "advice = set\ndo.1 = true | online\nrisk = risk of " id "\nsource = s\n"

static const char rules[] =
    RULE("rule-a", "server", "server.a") RULE("rule-b", "server", "server.b")
    RULE("rule-c", "server", "server.c") RULE("rule-rate", "server", "server.rate > 100/s")
    RULE("rule-host", "host", "host.n > 1");

static const char derived[] =
    "[est.rate]\nscope = server\nkind = rate\nmodel = twice\ntwin = server.rate\nmeaning = m\n"
    "formula = 2 * server.mean\n"
    "[est.floor]\nscope = server\nkind = rate\nmodel = floor\nmeaning = m\n"
    "formula = server.rate\notherwise = 500/s\notherwise_when = server.a\n";

static struct decl_set *declare(struct world *w)
{
    struct decl_set *decls = decl_set_new(w->a);
    if (!decl_set_add(decls, rows, ARRAY_LEN(rows), &w->err))
        fail_msg("%s", w->err.text);
    for (size_t i = 0; i < ARRAY_LEN(families); i++) {
        if (!decl_set_add_family(decls, families[i].name, &families[i], &w->err))
            fail_msg("%s", w->err.text);
    }
    return decls;
}

bool world_open(struct world *w, const char *settings)
{
    *w = (struct world){.a = arena_new(), .err = ERR_INIT};
    buf_init(&w->problems, w->a, 64 * 1024);
    static const struct rule_text rule_file = {"r.ini", {rules, sizeof(rules) - 1}, NULL};
    const struct rule_texts *builtin = rule_texts_builtin(w->a);
    struct rule_texts texts = {
        .rules = &rule_file, .n_rules = 1,
        .catalogue = builtin->catalogue, .n_catalogue = builtin->n_catalogue,
        .settings = {"s.ini", span_of(settings)},
        .derived = {"d.ini", {derived, sizeof(derived) - 1}},
    };
    return ruleset_load(w->a, declare(w), &texts, &w->rs, &w->problems, &w->err);
}

struct store *world_store(struct world *w, const char *facts, bool offline)
{
    struct store *s = store_new(w->a, w->rs.decls);
    (void)store_subject(s, SUBJECT_HOST, "host");
    if (!factdoc_read(s, "facts", span_of(facts), true, NULL, &w->err))
        fail_msg("%s", w->err.text);
    store_set_offline(s, offline);
    engine_derive(&w->rs, s);
    return s;
}

struct plan world_plan(struct world *w, struct store *s, bool measured_only)
{
    struct findings f;
    struct plan plan;
    const struct subject *const *servers;
    size_t n = store_subjects_of(s, SUBJECT_SERVER, &servers);
    engine_judge(&w->rs, s, w->a, &f);
    plan_make(&w->rs, s, &f, n > 0 ? servers[0] : NULL, measured_only, w->a, &plan);
    return plan;
}

const char *world_text(struct world *w, const struct plan *p)
{
    struct buf b;
    buf_init(&b, w->a, 64 * 1024);
    for (size_t i = 0; i < p->n; i++) {
        const struct plan_line *l = &p->lines[i];
        buf_printf(&b, "%s [%s] %s = %s %s%s%s\n", line_kind_name(l->line), l->group, l->variable,
                   l->new_text, l->rule, l->settles[0] != '\0' ? ", settles " : "", l->settles);
    }
    return b.ptr != NULL ? b.ptr : "";
}
