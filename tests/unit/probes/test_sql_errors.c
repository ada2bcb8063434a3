/* The SQL probe when things go wrong: nobody logged in, refusals, lost connections, hostile
 * replies. What is not known is never passed off as known, and says what would mend it. */
#include "tests/unit/probes/sql_fixture.h"

#include <string.h>

#include "advisor/base/banned.h"

static const struct fact *get(const struct sql_fixture *f, const char *name)
{
    const struct fact *const fact = store_get(f->store, f->server, span_of(name));
    if (fact == NULL) {
        fail_msg("%s is not there", name);
    }
    return fact;
}

/* ---- nobody logged in ------------------------------------------------------------------------ */

static void test_no_login(void **state)
{
    (void)state;
    static const struct {
        enum err_code code;
        enum fact_state want;
    } rows[] = {
        {E_LOGIN, FACT_NOT_PERMITTED},         {E_CONNECT, FACT_ABSENT},
        {E_DENIED, FACT_NOT_PERMITTED},        {E_TIMEOUT, FACT_TIMED_OUT},
        {E_NOT_SUPPORTED, FACT_ABSENT},        {E_ABSENT, FACT_ABSENT},
        {E_IO, FACT_UNREADABLE},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct sql_fixture f = sql_fixture_new(a);
        fakehost_fail(f.host, HOST_OPEN, "sql", rows[i].code, 0);
        sql_run_probe(&f);
        sql_check_whole(&f);
        assert_int_equal(fakehost_calls(f.host, HOST_SQL), 0);
        const struct fact_row *facts = NULL;
        const size_t n = store_facts(f.store, f.server, &facts);
        for (size_t k = 0; k < n; k++) {
            assert_int_equal(facts[k].fact->state, rows[i].want);
            assert_string_equal(facts[k].fact->remedy, facts[0].fact->remedy);
        }
        if (rows[i].code == E_LOGIN) {
            static const char *const ways[] = {"as root", "/etc/nvadvise/client.cnf",
                                               "--defaults-file", "CREATE USER", "GRANT PROCESS"};
            for (size_t k = 0; k < ARRAY_LEN(ways); k++) {
                assert_non_null(strstr(facts[0].fact->remedy, ways[k]));
            }
        }
    }
}

static void test_lost_child(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct sql_fixture f = sql_fixture_new(a);
    static const struct probe_args args = {.label = SQL_LABEL};
    struct probe_ctx ctx = {
        .host = f.host, .store = f.store, .args = &args, .subject = f.server, .arena = a};
    store_known(f.store, f.server, "server.uptime", value_u64(KIND_SECONDS, 5), "status");
    probe_sql.lost(&ctx, FACT_TIMED_OUT, "no answer within 3 s", "use --timeout");
    sql_check_whole(&f);
    assert_int_equal(get(&f, "server.uptime")->state, FACT_KNOWN);
    assert_int_equal(get(&f, "server.version")->state, FACT_TIMED_OUT);
    assert_int_equal(get(&f, "server.var.innodb_io_capacity")->state, FACT_TIMED_OUT);
    assert_string_equal(get(&f, "server.redo.lsn")->remedy, "use --timeout");
}

/* ---- one statement refused ------------------------------------------------------------------- */

static void test_refused(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct sql_fixture f = sql_fixture_new(a);
    sql_small(&f, "8.0.36", "", "performance_schema\tON\n", "Innodb_redo_log_current_lsn\t5\n");
    fakehost_fail(f.host, HOST_SQL, "innodb-status", E_DENIED, 0);
    fakehost_fail(f.host, HOST_SQL, "innodb-metrics", E_DENIED, 0);
    sql_run_probe(&f);
    sql_check_whole(&f);
    static const struct fact_want wants[] = {
        {"server.redo.lsn", "5"},
        {"server.redo.lsn_pages_flushed", "? not permitted"},
        {"server.purge.history_list_length", "? not permitted"},
        {"server.innodb.lsn", "? not permitted"},
        {"server.memory.pfs", "? not permitted"},
        {"server.version", "8.0.36"},
    };
    check_facts("refused", f.store, SQL_LABEL, wants, ARRAY_LEN(wants));
    assert_string_equal(get(&f, "server.innodb.lsn")->remedy,
                        "GRANT PROCESS ON *.* TO 'monitor'@'10.0.0.%'");
    assert_string_equal(get(&f, "server.memory.pfs")->remedy,
                        "GRANT SELECT ON performance_schema.* TO 'monitor'@'10.0.0.%'");
}

/* A name that would end the quotes is not put between them. */
static void test_account(void **state)
{
    (void)state;
    static const struct {
        const char *account, *want;
    } rows[] = {
        {"x'; DROP USER y; --@h", "GRANT PROCESS ON *.* TO the account that nvadvise uses"},
        {"a@b@h", "GRANT PROCESS ON *.* TO 'a@b'@'h'"},
        {"@h", "GRANT PROCESS ON *.* TO the account that nvadvise uses"},
        {"", "GRANT PROCESS ON *.* TO the account that nvadvise uses"},
        {"\\N", "GRANT PROCESS ON *.* TO the account that nvadvise uses"},
        {"a\\nb@h", "GRANT PROCESS ON *.* TO the account that nvadvise uses"},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct sql_fixture f = sql_fixture_new(a);
        sql_small(&f, "8.0.36", "", "", "");
        sql_reply(
            &f, "version",
            arena_printf(a, "version\tversion_comment\taccount\n8.0.36\tx\t%s\n", rows[i].account));
        fakehost_fail(f.host, HOST_SQL, "innodb-status", E_DENIED, 0);
        sql_run_probe(&f);
        assert_string_equal(get(&f, "server.innodb.lsn")->remedy, rows[i].want);
    }
}

/* ---- connection lost ------------------------------------------------------------------------- */

static void test_lost_connection(void **state)
{
    (void)state;
    for (size_t i = 0; i < SQL_IDS; i++) {
        ARENA_AUTO a = arena_new();
        struct sql_fixture f = sql_fixture_new(a);
        sql_recorded(&f, "mysql-9.7");
        fakehost_fail(f.host, HOST_SQL, sql_ids[i], E_CONNECT, 0);
        sql_run_probe(&f);
        sql_check_whole(&f);
        /* Nothing is asked behind it. */
        assert_int_equal(fakehost_calls_of(f.host, HOST_SQL, sql_ids[i]), 1);
        for (size_t k = i + 1; k < SQL_IDS; k++) {
            assert_int_equal(fakehost_calls_of(f.host, HOST_SQL, sql_ids[k]), 0);
        }
        if (i <= 4) {
            const struct fact *const fact = get(&f, "server.innodb.lsn");
            assert_int_equal(fact->state, FACT_UNREADABLE);
            assert_non_null(strstr(fact->reason, sql_ids[i]));
            assert_non_null(strstr(fact->remedy, "error log"));
        }
    }
}

/* ---- the sweep ------------------------------------------------------------------------------- */

/* May the fact be known although its first source failed: the second one is the same quantity. */
static bool may_differ(const char *name)
{
    static const char *const prefixes[] = {"server.redo.", "server.bp.", "server.purge."};
    for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
        if (span_starts(span_of(name), prefixes[i])) {
            return true;
        }
    }
    return false;
}

/* Not supported takes rules out of the run. A statement that fails shows no such thing, but for one
 * that asks for what a server may lack. */
static void check_not_excused(const struct sql_fixture *f, const struct sql_fixture *whole)
{
    const struct fact_row *facts = NULL;
    const size_t n = store_facts(f->store, f->server, &facts);
    for (size_t k = 0; k < n; k++) {
        const struct fact *const was =
            store_get(whole->store, whole->server, span_of(facts[k].name));
        if (facts[k].fact->state == FACT_NOT_SUPPORTED &&
            (was == NULL || was->state != FACT_NOT_SUPPORTED)) {
            fail_msg("%s is not supported after a failure", facts[k].name);
        }
    }
}

static bool may_lack(const char *id, int code)
{
    static const char *const ids[] = {"innodb-metrics", "innodb-status", "variable-origins"};
    for (size_t i = 0; code == E_NOT_SUPPORTED && i < ARRAY_LEN(ids); i++) {
        if (strcmp(id, ids[i]) == 0) {
            return true;
        }
    }
    return false;
}

static void check_against(const struct sql_fixture *f, const struct sql_fixture *whole)
{
    const struct fact_row *facts = NULL;
    const size_t n = store_facts(f->store, f->server, &facts);
    for (size_t k = 0; k < n; k++) {
        const struct fact *const was =
            store_get(whole->store, whole->server, span_of(facts[k].name));
        if (facts[k].fact->state != FACT_KNOWN || may_differ(facts[k].name)) {
            continue;
        }
        if (was == NULL || was->state != FACT_KNOWN ||
            !value_eq(&was->value, &facts[k].fact->value)) {
            fail_msg("%s is known, and otherwise than with all replies", facts[k].name);
        }
    }
}

static void test_sweep(void **state)
{
    (void)state;
    static const char *const recorded[] = {"mysql-9.7", "mariadb-10.11"};
    for (size_t r = 0; r < ARRAY_LEN(recorded); r++) {
        ARENA_AUTO keep = arena_new();
        struct sql_fixture whole = sql_fixture_new(keep);
        sql_recorded(&whole, recorded[r]);
        sql_run_probe(&whole);
        for (size_t i = 0; i < SQL_IDS; i++) {
            for (int code = E_USAGE; code < E_CODES; code++) {
                ARENA_AUTO a = arena_new();
                struct sql_fixture f = sql_fixture_new(a);
                sql_recorded(&f, recorded[r]);
                fakehost_fail(f.host, HOST_SQL, sql_ids[i], (enum err_code)code, 0);
                sql_run_probe(&f);
                sql_check_whole(&f);
                check_against(&f, &whole);
                if (!may_lack(sql_ids[i], code)) {
                    check_not_excused(&f, &whole);
                }
            }
        }
    }
}

/* ---- hostile replies ------------------------------------------------------------------------- */

static const struct {
    const char *name, *id, *text;
} hostile[] = {
    {"empty", "variables", ""},
    {"no rows", "variables", "Variable_name\tValue\n"},
    {"one column", "variables", "Variable_name\ninnodb_io_capacity\n"},
    {"no columns", "status", "\n"},
    {"NULL name", "variables", "Variable_name\tValue\n\\N\t5\n"},
    {"NULL value", "variables", "Variable_name\tValue\ninnodb_io_capacity\t\\N\n"},
    {"empty name", "status", "Variable_name\tValue\n\t5\n"},
    {"name with a newline", "variables", "Variable_name\tValue\na\\nb\t5\n"},
    {"name that is a path", "variables", "Variable_name\tValue\n../x\t5\n"},
    {"name with dots at its ends", "variables", "Variable_name\tValue\n.x.\t5\n"},
    {"huge number", "status",
     "Variable_name\tValue\nUptime\t99999999999999999999999999999999999\n"},
    {"beyond 128 bits", "status",
     "Variable_name\tValue\nUptime\t9999999999999999999999999999999999999999999999999\n"},
    {"exponent", "status", "Variable_name\tValue\nUptime\t1e300\n"},
    {"not UTF-8", "variables", "Variable_name\tValue\ntmpdir\t/\xff\xfe\xc0\nversion\t\x80\n"},
    {"twice", "variables", "Variable_name\tValue\nlog_bin\tON\nlog_bin\tOFF\n"},
    {"version NULL", "version", "version\tversion_comment\taccount\n\\N\t\\N\t\\N\n"},
    {"version of no row", "version", "version\tversion_comment\taccount\n"},
    {"other columns", "version", "a\tb\n1\t2\n"},
    {"no text", "innodb-status", "Type\tName\tStatus\nInnoDB\t\t\\N\n"},
    {"empty text", "innodb-status", "Type\tName\tStatus\nInnoDB\t\t\n"},
    {"no status column", "innodb-status", "Type\tName\nInnoDB\t\n"},
    {"text of something else", "innodb-status", "Type\tName\tStatus\nInnoDB\t\thello\n"},
    {"metrics of one column", "innodb-metrics", "name\nx\n"},
    {"memory NULL", "pfs-memory", "bytes\n\\N\n"},
    {"memory negative", "pfs-memory", "bytes\n-7\n"},
    {"memory of no row", "pfs-memory", "bytes\n"},
    {"origins of no columns", "variable-origins", "x\ny\n"},
    {"ragged", "variable-origins", "name\torigin\na\n"},
};

static void test_hostile(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(hostile); i++) {
        ARENA_AUTO a = arena_new();
        struct sql_fixture f = sql_fixture_new(a);
        sql_recorded(&f, "mysql-9.7");
        sql_reply(&f, hostile[i].id, hostile[i].text);
        sql_run_probe(&f);
        sql_check_whole(&f);
        const struct fact_row *facts = NULL;
        const size_t n = store_facts(f.store, f.server, &facts);
        for (size_t k = 0; k < n; k++) {
            const struct value *const v = &facts[k].fact->value;
            if (facts[k].fact->state == FACT_KNOWN && v->kind == KIND_STRING) {
                assert_true(span_is_utf8(v->text));
            }
            assert_null(strpbrk(facts[k].name, "\n/ "));
        }
    }
}

static void test_first_of_two(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct sql_fixture f = sql_fixture_new(a);
    sql_small(&f, "8.0.36", "", "log_bin\tON\nlog_bin\tOFF\n", "");
    sql_run_probe(&f);
    assert_true(get(&f, "server.binlog.enabled")->value.boolean);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_login),        cmocka_unit_test(test_lost_child),
        cmocka_unit_test(test_refused),         cmocka_unit_test(test_account),
        cmocka_unit_test(test_lost_connection), cmocka_unit_test(test_sweep),
        cmocka_unit_test(test_hostile),         cmocka_unit_test(test_first_of_two),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
