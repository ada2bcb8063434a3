/* The whole document from facts: what stands once although two servers run, the units of planned values, rules
 * that could not be worked out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "advisor/facts/factdoc.h"
#include "advisor/report/docread.h"
#include "advisor/report/report.h"
#include "probes/probe.h"

#include "advisor/base/banned.h"

struct scene {
    struct ruleset rs;
    struct store *store;
    struct findings findings;
    struct report_input in;
    struct plan plans[2];
};

static void scene_open(struct scene *w, struct arena *a)
{
    struct err err = ERR_INIT;
    struct decl_set *decls = decl_set_new(a);
    memset(w, 0, sizeof(*w));
    if (!probes_declare(decls, &err) ||
        !ruleset_load(a, decls, rule_texts_builtin(a), &w->rs, NULL, &err)) {
        fail_msg("%s", err.text);
    }
    w->store = store_new(a, decls);
    store_set_offline(w->store, true);
    w->in = (struct report_input){.rules = &w->rs,
                                  .store = w->store,
                                  .findings = &w->findings,
                                  .plans = w->plans,
                                  .fail_on = SEV_HIGH};
}

static void put(struct scene *w, const char *assignment)
{
    struct err err = ERR_INIT;
    if (!factdoc_set(w->store, assignment, &err)) {
        fail_msg("%s", err.text);
    }
}

static struct json *document(struct scene *w, struct arena *a)
{
    engine_derive(&w->rs, w->store);
    engine_judge(&w->rs, w->store, a, &w->findings);
    w->in.n_servers = store_subjects_of(w->store, SUBJECT_SERVER, &w->in.servers);
    for (size_t i = 0; i < w->in.n_servers; i++) {
        plan_make(&w->rs, w->store, &w->findings, w->in.servers[i], false, a, &w->plans[i]);
    }
    return report_make(a, &w->in);
}

static const struct json *finding_of(const struct json *doc, const char *rule)
{
    const struct json *all = read_list(doc, "findings");
    for (size_t i = 0; i < all->n; i++) {
        if (read_is(all->items[i], "rule", rule)) {
            return all->items[i];
        }
    }
    fail_msg("no finding of %s", rule);
    return NULL;
}

/* "VARIABLE UNIT" of all settings of a list, a line each. */
static const char *units_of(struct arena *a, const struct json *list)
{
    struct buf b;
    buf_init(&b, a, 4096);
    for (size_t i = 0; i < list->n; i++) {
        buf_printf(&b, "%s '%s'\n", read_text(list->items[i], "variable"),
                   read_text(list->items[i], "unit"));
    }
    return b.ptr != NULL ? b.ptr : "";
}

static void test_two_servers(void **state)
{
    static const char *const facts[] = {
        "host.swap.total=4GiB",
        "host.vm.swappiness=60",
        "server.flavour=mariadb",
        "server.version=10.11.19",
        "server.process.vm_swap=0B",
        "server.doublewrite.mode=on",
        "server.var.innodb_io_capacity=200/s",
        "server.var.innodb_io_capacity_max=2000/s",
        "server.var.innodb_flush_log_at_trx_commit=0",
        "volume:a:data/volume.transport_nvme=true",
        "volume:a:data/volume.network=false",
        "volume:a:data/volume.rotational=false",
    };
    (void)state;
    ARENA_AUTO a = arena_new();
    struct scene w;
    scene_open(&w, a);
    (void)store_subject(w.store, SUBJECT_HOST, "host");
    struct subject *server = store_subject(w.store, SUBJECT_SERVER, "server:a");
    (void)store_subject(w.store, SUBJECT_SERVER, "server:b");
    struct subject *volume = store_subject(w.store, SUBJECT_VOLUME, "volume:a:data");
    volume->server = server;
    volume->roles = ROLE_DATA;
    for (size_t i = 0; i < ARRAY_LEN(facts); i++) {
        put(&w, facts[i]);
    }
    const struct json *doc = document(&w, a);
    assert_string_equal(units_of(a, read_list(doc, "plan")),
                        "innodb_io_capacity '1/s'\n"
                        "innodb_io_capacity_max '1/s'\n"
                        "innodb_flush_log_at_trx_commit ''\n"
                        "vm.swappiness ''\n"
                        "innodb_flush_log_at_trx_commit ''\n");
    assert_string_equal(units_of(a, read_list(finding_of(doc, "os-swappiness"), "settings")),
                        "vm.swappiness ''\n");
    assert_string_equal(
        units_of(a, read_list(finding_of(doc, "dur-trx-commit-relaxed"), "settings")),
        "innodb_flush_log_at_trx_commit ''\n");
}

/* What nobody could work out is said, like what nobody could see. */
static void test_errors(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct scene w;
    scene_open(&w, a);
    struct rule r = {.id = "toy", .title = "", .why = "", .source = ""};
    struct expr *fails = NULL;
    struct expr_names names = ruleset_names(&w.rs, SUBJECT_HOST);
    struct err err = ERR_INIT;
    r.fails_text = SPAN_LIT("host.cpu.online == 1");
    assert_true(expr_parse(a, r.fails_text, &names, NULL, &fails, NULL, &err));
    r.fails = fails;
    struct finding f = {.rule = &r,
                        .subject = store_subject(w.store, SUBJECT_HOST, "host"),
                        .verdict = VERDICT_ERROR,
                        .severity = SEV_HIGH,
                        .error = "division by zero in 'a / b'"};
    w.findings = (struct findings){&f, 1};
    const struct json *doc = report_make(a, &w.in);
    const struct json *remedies = read_list(doc, "remedies");
    assert_int_equal(remedies->n, 1);
    assert_string_equal(read_text(remedies->items[0], "text"), f.error);
    assert_string_equal(read_text(remedies->items[0], "severity"), "high");
    assert_int_equal(report_exit(doc), EXIT_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_servers),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
