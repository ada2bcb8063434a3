/* Options that no row of the catalogue describes: what MariaDB 10.11's --help makes of such lines.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "option_world.h"
#include "probes/probe.h"

#include "advisor/base/banned.h"

static void test_values(void **state)
{
    (void)state;
    static const struct {
        const char *line, *name, *literal;
    } rows[] = {
        {"port=3306", "port", "3306"},
        {"datadir=/srv/a", "datadir", "/srv/a/"},
        {"datadir=/srv/a/", "datadir", "/srv/a/"},
        {"slow_query_log=", "slow_query_log", "false"},
        {"slow-query-log=ON", "slow_query_log", "true"},
        {"slow_query_log=maybe", "slow_query_log", "false"},
        {"slow_query_log", "slow_query_log", "true"},
        {"disable-slow_query_log", "slow_query_log", "false"},
        {"skip-slow_query_log=0", "slow_query_log", "true"},
        {"loose_skip-external-locking=", "external_locking", "false"},
        {"skip_name_resolve", "skip_name_resolve", "true"},
        {"sql_mode=", "sql_mode", "\"\""},
        {"port=1k", "port", "1024"},
        {"pid-file=/run/x.pid", "pid_file", "/run/x.pid"},
        {"log-error", "log_error", "\"\""},
        {"port=1|port=2", "port", "2"},
        {"port=99999999999999999999999999999999999999999", "port",
         "99999999999999999999999999999999999999999"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct ruleset rs;
        struct err err = ERR_INIT;
        struct decl_set *decls = decl_set_new(a);
        assert_true(probes_declare(decls, &err));
        assert_true(ruleset_load(a, decls, rule_texts_builtin(a), &rs, NULL, &err));
        struct store *s = store_new(a, decls);
        struct subject *server = store_subject(s, SUBJECT_SERVER, "server:/s");
        const struct option_target t = world_target("mariadb:10.11.18");
        struct optline *lines;
        const size_t n = world_lines(a, rows[i].line, &lines);
        struct span *words = arena_calloc(a, n, sizeof(*words));
        for (size_t k = 0; k < n; k++) {
            struct buf b;
            buf_init(&b, a, 4096);
            optline_print(&b, &lines[k]);
            words[k] = buf_span(&b);
        }
        store_known(s, server, "server.flavour", value_text(KIND_ENUM, SPAN_LIT("mariadb")), "");
        store_known(s, server, "server.version", value_version(t.version), "");
        store_known(s, server, "server.option.lines", value_words(a, KIND_LIST, words, n), "");
        options_rest(&rs, s, server);
        const char *name = arena_printf(a, "server.var.%s", rows[i].name);
        const struct fact *f = store_get(s, server, span_of(name));
        if (f == NULL) {
            fail_msg("'%s' gave no '%s'", rows[i].line, name);
        }
        struct buf b;
        buf_init(&b, a, 4096);
        value_print_literal(&b, &f->value);
        if (strcmp(b.ptr, rows[i].literal) != 0) {
            fail_msg("'%s' gave %s", rows[i].line, b.ptr);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
