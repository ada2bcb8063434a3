/* What servers said, recorded from MariaDB 10.11.19, 11.8.9, MySQL 9.7.4, from a manual 5.7. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "advisor/scratch/messages.h"

#include "advisor/base/banned.h"

static const struct {
    const char *line;
    enum message_level level;
    enum complaint_kind kind;
    bool follows;
    const char *name, *text;
} rows[] = {
    {"2026-11-30 17:48:01 0 [Warning] option 'innodb-io-capacity': unsigned value 1 adjusted to "
     "100",
     MESSAGE_WARNING, COMPLAINT_CHANGED, false, "innodb-io-capacity",
     "option 'innodb-io-capacity': unsigned value 1 adjusted to 100"},
    {"2026-11-30 17:48:01 0 [ERROR] /usr/sbin/mariadbd: Error while setting value 'ALL_O_DIRECT' "
     "to "
     "'innodb-flush-method'",
     MESSAGE_ERROR, COMPLAINT_REFUSED, false, "innodb-flush-method",
     "Error while setting value 'ALL_O_DIRECT' to 'innodb-flush-method'"},
    {"2026-11-30 17:48:01 0 [ERROR] Parsing options for plugin 'InnoDB' failed. Disabling plugin",
     MESSAGE_ERROR, COMPLAINT_REFUSED, true, "InnoDB",
     "Parsing options for plugin 'InnoDB' failed. Disabling plugin"},
    {"2026-11-30 17:48:01 0 [ERROR] /usr/sbin/mariadbd: unknown variable 'nonsense=1'",
     MESSAGE_ERROR, COMPLAINT_REFUSED, false, "nonsense", "unknown variable 'nonsense=1'"},
    {"2026-11-30 17:48:01 0 [Warning] /usr/sbin/mariadbd: unknown variable 'loose_nonsense=1'",
     MESSAGE_WARNING, COMPLAINT_CHANGED, false, "loose_nonsense",
     "unknown variable 'loose_nonsense=1'"},
    {"2026-11-30 17:48:01 0 [ERROR] Unknown suffix 'Q' used for variable 'innodb-buffer-pool-size' "
     "(value "
     "'12Q'). Legal suffix characters are: K, M, G, T, P, E",
     MESSAGE_ERROR, COMPLAINT_REFUSED, false, "innodb-buffer-pool-size", NULL},
    {"2026-11-30 17:48:01 0 [ERROR] Buffered error: /usr/sbin/mariadbd: Error while setting value "
     "'12Q' to "
     "'max_connections'",
     MESSAGE_ERROR, COMPLAINT_REFUSED, false, "max_connections",
     "Error while setting value '12Q' to 'max_connections'"},
    {"2026-11-30 17:48:02 0 [Warning] /usr/sbin/mariadbd: ignoring option '--innodb-doublewrite' "
     "due to "
     "invalid value 'fast'",
     MESSAGE_WARNING, COMPLAINT_CHANGED, false, "innodb-doublewrite", NULL},
    {"2026-11-30 17:48:02 0 [Warning] 'innodb-page-cleaners' was removed. It does nothing now and "
     "exists only "
     "for compatibility with old my.cnf files.",
     MESSAGE_WARNING, COMPLAINT_CHANGED, false, "innodb-page-cleaners", NULL},
    {"2026-11-30 17:48:02 0 [Warning] Changed limits: max_open_files: 20000  max_connections: "
     "16770 (was "
     "100000)  table_cache: 200 (was 2000)",
     MESSAGE_WARNING, COMPLAINT_WARNING, true, "", NULL},
    {"2026-11-30 17:48:01 0 [Warning] Could not increase number of max_open_files to more than "
     "20000 (request: "
     "32184)",
     MESSAGE_WARNING, COMPLAINT_WARNING, true, "", NULL},
    {"2026-11-30T17:48:13.165877Z 0 [Warning] [MY-000081] [Server] option 'innodb-io-capacity': "
     "unsigned "
     "value 1 adjusted to 100.",
     MESSAGE_WARNING, COMPLAINT_CHANGED, false, "innodb-io-capacity",
     "option 'innodb-io-capacity': unsigned value 1 adjusted to 100."},
    {"2026-11-30T17:48:13.249573Z 0 [ERROR] [MY-000077] [Server] /usr/sbin/mysqld: Error while "
     "setting value "
     "'ALL_O_DIRECT' to 'innodb-flush-method'.",
     MESSAGE_ERROR, COMPLAINT_REFUSED, false, "innodb-flush-method",
     "Error while setting value 'ALL_O_DIRECT' to 'innodb-flush-method'."},
    {"2026-11-30T17:48:13.249999Z 0 [ERROR] [MY-010119] [Server] Aborting", MESSAGE_ERROR,
     COMPLAINT_REFUSED, true, "", "Aborting"},
    {"2026-11-30T17:48:14.107418Z 0 [Warning] [MY-000083] [Server] option "
     "'innodb-max-dirty-pages-pct': value "
     "120 adjusted to 99.999.",
     MESSAGE_WARNING, COMPLAINT_CHANGED, false, "innodb-max-dirty-pages-pct", NULL},
    {"2026-11-30T17:48:14.189173Z 0 [Warning] [MY-011070] [Server] 'binlog_format' is deprecated "
     "and will be "
     "removed in a future release.",
     MESSAGE_WARNING, COMPLAINT_WARNING, false, "binlog_format", NULL},
    {"2026-11-30T17:48:13.669509Z 0 [System] [MY-015015] [Server] MySQL Server - start.",
     MESSAGE_NOTE, COMPLAINT_WARNING, false, "", "MySQL Server - start."},
    {"2015-06-05T12:00:00.000000Z 0 [ERROR] unknown option '--nonsense'", MESSAGE_ERROR,
     COMPLAINT_REFUSED, false, "nonsense", "unknown option '--nonsense'"},
    {"mysqld: [ERROR] Found option without preceding group in config file /x.cnf at line 1.",
     MESSAGE_ERROR, COMPLAINT_REFUSED, false, "", NULL},
    {"2026-11-30 17:48:48 0 [Warning] InnoDB: innodb_io_capacity cannot be set higher than "
     "innodb_io_capacity_max.Setting innodb_io_capacity=20000",
     MESSAGE_WARNING, COMPLAINT_CHANGED, false, "", NULL},
    /* A value that looks like a level, and one that looks like the end of the sentence. */
    {"2026-11-30 17:48:48 0 [Warning] /usr/sbin/mariadbd: unknown variable 'loose_x=[ERROR]'",
     MESSAGE_WARNING, COMPLAINT_CHANGED, false, "loose_x", NULL},
    {"2026-11-30 17:48:48 0 [ERROR] /usr/sbin/mariadbd: Error while setting value 'a' to 'b' to "
     "'sql_mode'",
     MESSAGE_ERROR, COMPLAINT_REFUSED, false, "sql_mode", NULL},
    {"Segmentation fault", MESSAGE_PLAIN, COMPLAINT_WARNING, false, "", "Segmentation fault"},
};

static void test_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct server_message m;
        const bool ok = server_message_read(span_of(rows[i].line), &m);
        if (!ok || m.level != rows[i].level || m.kind != rows[i].kind ||
            m.follows != rows[i].follows || !span_eq_text(m.name, rows[i].name) ||
            (rows[i].text != NULL && !span_eq_text(m.text, rows[i].text))) {
            fail_msg("'%s': level %d kind %d follows %d name '%.*s' text '%.*s'", rows[i].line,
                     (int)m.level, (int)m.kind, m.follows, SPAN_ARG(m.name), SPAN_ARG(m.text));
        }
    }
}

static void test_all(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct server_message *list = NULL, m;
    const char *const text = "2026-11-30 17:48:01 0 [Note] all is well\n\n"
                             "2026-11-30 17:48:01 0 [Warning] one\n"
                             "plain\r\n"
                             "2026-11-30 17:48:01 0 [ERROR] two";
    assert_int_equal(server_messages(a, span_of(text), 10, &list), 2);
    assert_true(span_eq_text(list[0].text, "one"));
    assert_true(span_eq_text(list[1].text, "two"));
    assert_int_equal(server_messages(a, span_of(text), 1, &list), 1);
    assert_int_equal(server_messages(a, SPAN_LIT(""), 1, &list), 0);
    assert_false(server_message_read(SPAN_LIT(" \t"), &m));
}

static void test_values(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct shown_value *list = NULL;
    const char *const help = "mariadbd  Ver 10.11\n"
                             "  --a-b=#   what it is\n\n"
                             "Variables (--variable-name=value)\n"
                             "and boolean options {FALSE|TRUE}  Value (after reading options)\n"
                             "------------------------------ -------------\n"
                             "allow-suspicious-udfs          FALSE\n"
                             "bind-address                   (No default value)\n"
                             "init-connect                   SET NAMES utf8\n"
                             "\n"
                             "To see what variables a running server is using, type\n";
    assert_int_equal(shown_values(a, span_of(help), &list), 3);
    assert_true(span_eq_text(list[0].name, "allow-suspicious-udfs"));
    assert_true(span_eq_text(list[0].value, "FALSE"));
    assert_int_equal(list[1].value.len, 0);
    assert_true(span_eq_text(list[2].value, "SET NAMES utf8"));
    assert_int_equal(shown_values(a, SPAN_LIT("no table here\n"), &list), 0);
    assert_int_equal(dumped_values(a, SPAN_LIT("A\t1\nEMPTY\t\nodd\n"), &list), 3);
    assert_true(span_eq_text(list[0].value, "1"));
    assert_int_equal(list[1].value.len, 0);
}

static void test_names(void **state)
{
    (void)state;
    assert_true(option_name_same(SPAN_LIT("innodb-IO_capacity"), SPAN_LIT("innodb_io_capacity")));
    assert_true(option_name_same(SPAN_LIT("--loose-x"), SPAN_LIT("x")));
    assert_false(option_name_same(SPAN_LIT("x"), SPAN_LIT("xy")));
    assert_false(option_name_same(SPAN_LIT("loosex"), SPAN_LIT("x")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
