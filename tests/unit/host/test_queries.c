/* The table of statements keeps its own rules, and a greeting chooses among its rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include <cmocka.h>

#include "probes/host/live_sql.h"
#include "probes/host/queries.h"

#include "advisor/base/banned.h"

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < query_n_rows; i++) {
        const struct query *const q = &query_rows[i];
        assert_int_equal(strspn(q->id, "abcdefghijklmnopqrstuvwxyz0123456789-"), strlen(q->id));
        assert_true(q->id[0] != '\0' && q->flavours != 0);
        assert_true((q->flavours & ~(unsigned)QUERY_ANY) == 0);
        assert_true(q->until == 0 || q->since < q->until);
        assert_non_null(q->privilege);
        assert_true(q->cost != NULL && q->cost[0] != '\0');
        assert_null(strchr(q->text, ';'));
        assert_true(q->max_bytes > 0 && q->max_bytes <= 8u * 1024 * 1024);
        assert_true(q->filter == FILTER_NONE || q->values != 0);
        if (q->use == QUERY_GUARD) {
            assert_int_equal(strncasecmp(q->text, "SET SESSION ", 12), 0);
        } else {
            assert_true(strncasecmp(q->text, "SHOW ", 5) == 0 ||
                        strncasecmp(q->text, "SELECT ", 7) == 0);
            assert_true(q->max_rows > 0);
        }
    }
}

/* What holds SQL text or secrets has a filter. */
static void test_filters(void **state)
{
    (void)state;
    static const struct {
        const char *part;
        enum query_filter filter;
    } rows[] = {
        {"ENGINE INNODB STATUS", FILTER_STATUS_TEXT}, {"GLOBAL VARIABLES", FILTER_VARIABLES},
        {"SYSTEM_VARIABLES", FILTER_VARIABLES},       {"global_variables", FILTER_VARIABLES},
        {"persisted_variables", FILTER_VARIABLES},    {"REPLICA STATUS", FILTER_ROWS},
        {"SLAVES STATUS", FILTER_ROWS},               {"SLAVE STATUS", FILTER_ROWS},
    };
    for (size_t i = 0; i < query_n_rows; i++) {
        for (size_t k = 0; k < ARRAY_LEN(rows); k++) {
            if (strcasestr(query_rows[i].text, rows[k].part) != NULL) {
                assert_int_equal(query_rows[i].filter, rows[k].filter);
            }
        }
    }
}

static void test_servers(void **state)
{
    (void)state;
    static const struct {
        const char *greeting;
        bool ok;
        enum query_flavour flavour;
        uint32_t version;
    } rows[] = {
        {"9.7.4-2", true, QUERY_MYSQL, 90704},
        {"8.0.36-28", true, QUERY_MYSQL, 80036},
        {"5.7.15-log", true, QUERY_MYSQL, 50715},
        {"10.11.19-MariaDB-0+deb12u1", true, QUERY_MARIADB, 101119},
        {"5.5.5-10.11.19-MariaDB-0+deb12u1", true, QUERY_MARIADB, 101119},
        {"11.8.9-mariadb", true, QUERY_MARIADB, 110809},
        {"", false, QUERY_MYSQL, 0},
        {"MariaDB", false, QUERY_MYSQL, 0},
        {"99999.1.1", false, QUERY_MYSQL, 0},
        {"8.100.1", false, QUERY_MYSQL, 0},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        enum query_flavour flavour = QUERY_ANY;
        uint32_t version = 7;
        assert_int_equal(query_server(span_of(rows[i].greeting), &flavour, &version), rows[i].ok);
        assert_int_equal(version, rows[i].ok ? rows[i].version : 7);
        assert_int_equal(flavour, rows[i].ok ? rows[i].flavour : QUERY_ANY);
    }
}

static void test_find(void **state)
{
    (void)state;
    static const struct {
        enum query_flavour flavour;
        uint32_t version;
        const char *has;
    } rows[] = {
        {QUERY_MARIADB, 100500, "max_statement_time"},
        {QUERY_MYSQL, 90704, "max_execution_time"},
        {QUERY_MYSQL, 50708, "max_execution_time"},
        {QUERY_MYSQL, 50707, "lock_wait_timeout"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct query *const q = query_find("guard-limits", rows[i].flavour, rows[i].version);
        assert_non_null(q);
        assert_non_null(strstr(q->text, rows[i].has));
        assert_non_null(strstr(q->text, "lock_wait_timeout"));
        assert_non_null(query_find("guard-read-only", rows[i].flavour, rows[i].version));
    }
    assert_null(strstr(query_find("guard-limits", QUERY_MYSQL, 50707)->text, "execution"));
    assert_null(query_find("no such", QUERY_MYSQL, 90704));
}

static void test_error_numbers(void **state)
{
    (void)state;
    static const struct {
        unsigned number;
        enum err_code statement, connect;
    } rows[] = {
        {1044, E_DENIED, E_LOGIN},
        {1142, E_DENIED, E_LOGIN},
        {1227, E_DENIED, E_LOGIN},
        {1370, E_DENIED, E_LOGIN},
        {1054, E_IO, E_LOGIN},
        {1064, E_IO, E_LOGIN},
        {1193, E_IO, E_LOGIN},
        {1231, E_IO, E_LOGIN},
        {1109, E_NOT_SUPPORTED, E_LOGIN},
        {1146, E_NOT_SUPPORTED, E_LOGIN},
        {1969, E_TIMEOUT, E_LOGIN},
        {3024, E_TIMEOUT, E_LOGIN},
        {2006, E_CONNECT, E_CONNECT},
        {2013, E_CONNECT, E_CONNECT},
        {1045, E_DENIED, E_LOGIN},
        {1698, E_IO, E_LOGIN},
        {2002, E_CONNECT, E_CONNECT},
        {2059, E_CONNECT, E_LOGIN},
        {2027, E_CONNECT, E_CONNECT},
        {1040, E_IO, E_CONNECT},
        {0, E_IO, E_LOGIN},
        {65535, E_IO, E_LOGIN},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        assert_int_equal(sql_code_of_statement(rows[i].number), rows[i].statement);
        assert_int_equal(sql_code_of_connect(rows[i].number), rows[i].connect);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),          cmocka_unit_test(test_filters),
        cmocka_unit_test(test_servers),       cmocka_unit_test(test_find),
        cmocka_unit_test(test_error_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
