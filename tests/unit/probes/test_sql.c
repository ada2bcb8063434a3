/* The SQL probe on real and on small servers: every theme, every version's own spelling. */
#include "tests/unit/probes/sql_fixture.h"

#include <string.h>

#include "advisor/base/banned.h"

#define SOURCE(f, name) (store_get((f).store, (f).server, SPAN_LIT(name))->source)

static void test_mariadb(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct sql_fixture f = sql_fixture_new(a);
    sql_recorded(&f, "mariadb-10.11");
    sql_run_probe(&f);
    sql_check_whole(&f);
    static const struct fact_want wants[] = {
        {"server.flavour", "mariadb"},
        {"server.version", "10.11.19"},
        {"server.version_string", "10.11.19-MariaDB-0+deb12u1"},
        {"server.read_only", "false"},
        {"server.binlog.enabled", "false"},
        {"server.binlog.engine", "file"},
        {"server.doublewrite.mode", "on"},
        {"server.redo.enabled", "true"},
        {"server.memory.pfs", "0B"},
        {"server.session.running", "0"},
        {"server.var.innodb_buffer_pool_size", "128MiB"},
        {"server.var.innodb_io_capacity", "200/s"},
        {"server.var.innodb_max_dirty_pages_pct", "90%"},
        {"server.var.innodb_flush_sync", "true"},
        {"server.var.innodb_flush_method", "O_DIRECT"},
        {"server.var.innodb_flush_log_at_trx_commit", "1"},
        {"server.var.innodb_log_file_size", "96MiB"},
        {"server.var.innodb_redo_log_capacity", "? not supported"},
        {"server.var.long_query_time", "10s"},
        {"server.var.tmpdir", "/tmp"},
        {"server.var.innodb_purge_threads", "4"},
        {"server.var.max_seeks_for_key", "? not permitted"},
        {"server.source.datadir", "file"},
        {"server.source.basedir", "auto"},
        {"server.source.innodb_io_capacity", "compiled"},
        {"server.source.innodb_buffer_pool_size", "compiled"},
        {"server.var_min.innodb_io_capacity", "100"},
        {"server.var_max.innodb_io_capacity", "4294967295"},
        {"server.var_max.innodb_max_dirty_pages_pct", "99"},
        {"server.var_step.innodb_buffer_pool_size", "1048576"},
        {"server.var_step.innodb_io_capacity", "(none)"},
        {"server.var_min.innodb_flush_sync", "(none)"},
        {"server.var_min.port", "(none)"},
        {"server.var_dynamic.innodb_io_capacity", "true"},
        {"server.var_dynamic.innodb_flush_method", "false"},
        {"server.status.Innodb_redo_log_capacity_resized", "? absent"},
        {"server.status.Innodb_checkpoint_max_age", "80819529"},
        {"server.redo.max_checkpoint_age", "80819529B"},
        {"server.status.Innodb_have_snappy", "OFF"},
        {"server.bp.bp_pages_total", "8112"},
        {"server.redo.log_pending_flushes", "? absent"},
        {"server.innodb.io_pending_flush_log", "? absent"},
        {"server.innodb.io_pending_flush_bp", "0"},
        {"server.innodb.has_deadlock_section", "false"},
    };
    check_facts("MariaDB 10.11", f.store, SQL_LABEL, wants, ARRAY_LEN(wants));
    assert_string_equal(f.server->identity, "fXdYp7ZWAMMBm0PUMZFJoAcM0o0= /srv/mariadb/data/");
    assert_non_null(strstr(SOURCE(f, "server.source.datadir"), ": /srv/mariadb/my.cnf"));
    assert_int_equal(fakehost_calls(f.host, HOST_SQL), SQL_IDS);
}

static void test_mysql(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct sql_fixture f = sql_fixture_new(a);
    sql_recorded(&f, "mysql-9.7");
    sql_run_probe(&f);
    sql_check_whole(&f);
    static const struct fact_want wants[] = {
        {"server.flavour", "mysql"},
        {"server.version", "9.7.4"},
        {"server.version_string", "9.7.4-2"},
        {"server.binlog.enabled", "true"},
        {"server.binlog.engine", "file"},
        {"server.doublewrite.mode", "on"},
        {"server.redo.enabled", "true"},
        {"server.memory.pfs", "251203568B"},
        {"server.session.running", "0"},
        {"server.var.innodb_io_capacity", "10000/s"},
        {"server.var.innodb_redo_log_capacity", "100MiB"},
        {"server.var.innodb_log_file_size", "? not supported"},
        {"server.source.datadir", "file"},
        {"server.source.event_scheduler", "dynamic"},
        {"server.var_max.innodb_redo_log_capacity", "549755813888"},
        {"server.var_max.innodb_max_dirty_pages_pct", "99"},
        {"server.var_min.innodb_flush_sync", "(none)"},
        {"server.var_dynamic.innodb_io_capacity", "(none)"},
        {"server.status.Innodb_redo_log_capacity_resized", "104857600"},
        {"server.status.Innodb_checkpoint_max_age", "? absent"},
        {"server.redo.max_checkpoint_age", "(none)"},
        {"server.innodb.bp_instances_listed", "? absent"},
    };
    check_facts("MySQL 9.7", f.store, SQL_LABEL, wants, ARRAY_LEN(wants));
    assert_string_equal(f.server->identity, "c4a58548-eccd-11f1-a853-02fc00000001");
    assert_non_null(strstr(SOURCE(f, "server.purge.history_list_length"), "metric"));
    assert_non_null(strstr(SOURCE(f, "server.redo.lsn"), "Innodb_redo_log_current_lsn"));
    assert_int_equal(fakehost_calls(f.host, HOST_SQL), SQL_IDS + 1);
}

/* ---- who it is ------------------------------------------------------------------------------- */

static const struct {
    const char *version, *comment, *variables, *flavour, *number;
} servers[] = {
    {"5.7.44-log", "MySQL Community Server (GPL)", "", "mysql", "5.7.44"},
    {"8.0.36-28", "Percona Server (GPL), Release 28", "", "percona", "8.0.36"},
    {"8.0.36-28", "Source distribution", "innodb_cleaner_lsn_age_factor\tHIGH_CHECKPOINT\n",
     "percona", "8.0.36"},
    {"8.0.36-28", "Source distribution", "", "mysql", "8.0.36"},
    {"8.4.5-5.1", "Percona XtraDB Cluster (GPL)", "", "percona", "8.4.5"},
    {"26.7.0", "MySQL Community Server", "", "mysql", "26.7.0"},
    {"10.5.23", "mariadb.org binary distribution", "", "mariadb", "10.5.23"},
    {"5.5.5-10.6.18-MariaDB", "", "", "mariadb", "10.6.18"},
    {"11.8.9-MariaDB-0+deb13u1 from Debian", "x", "", "mariadb", "11.8.9"},
    {"mainline", "MySQL", "", "mysql", "? absent"},
};

static void test_versions(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(servers); i++) {
        ARENA_AUTO a = arena_new();
        struct sql_fixture f = sql_fixture_new(a);
        sql_small(&f, servers[i].version, servers[i].comment, servers[i].variables, "");
        sql_run_probe(&f);
        sql_check_whole(&f);
        const struct fact_want wants[] = {{"server.flavour", servers[i].flavour},
                                          {"server.version", servers[i].number}};
        check_facts(servers[i].version, f.store, SQL_LABEL, wants, ARRAY_LEN(wants));
    }
}

/* ---- one fact of one small server ------------------------------------------------------------ */

#define MYSQL57 "5.7.44"
#define MARIADB "10.5.23-MariaDB"

static const struct {
    const char *version, *variables, *status, *fact, *want;
} rows[] = {
    {MYSQL57, "innodb_flush_method\t\n", "", "server.var.innodb_flush_method", "fsync"},
    {MYSQL57, "innodb_flush_method\t\\N\n", "", "server.var.innodb_flush_method", "fsync"},
    {MYSQL57, "innodb_flush_method\to_direct\n", "", "server.var.innodb_flush_method", "O_DIRECT"},
    {MYSQL57, "innodb_flush_method\tO_NEW\n", "", "server.var.innodb_flush_method", "? absent"},
    {MYSQL57, "innodb_flush_sync\t1\n", "", "server.var.innodb_flush_sync", "true"},
    {MYSQL57, "innodb_flush_sync\tNO\n", "", "server.var.innodb_flush_sync", "false"},
    {MYSQL57, "innodb_flush_sync\tMAYBE\n", "", "server.var.innodb_flush_sync", "? absent"},
    {MYSQL57, "innodb_max_dirty_pages_pct\t75.000000\n", "",
     "server.var.innodb_max_dirty_pages_pct", "75%"},
    {MARIADB, "optimizer_disk_read_ratio\t0.020000\n", "", "server.var.optimizer_disk_read_ratio",
     "2%"},
    {MYSQL57, "innodb_io_capacity\t\n", "", "server.var.innodb_io_capacity", "? absent"},
    {MYSQL57, "innodb_io_capacity\tunlimited\n", "", "server.var.innodb_io_capacity", "? absent"},
    {MYSQL57, "innodb_log_file_size\t0.5\n", "", "server.var.innodb_log_file_size", "? absent"},
    {MYSQL57, "innodb_io_capacity\t-5\n", "", "server.var.innodb_io_capacity", "-5/s"},
    {MYSQL57, "anything\t18446744073709551615\n", "", "server.var.anything",
     "18446744073709551615"},
    {MYSQL57, "anything\t-1\n", "", "server.var.anything", "-1"},
    {MYSQL57, "anything\t0.500000\n", "", "server.var.anything", "0.500000"},
    {MYSQL57, "ANYTHING\tON\n", "", "server.var.anything", "ON"},
    {MYSQL57, "validate_password.length\t8\n", "", "server.var.validate_password.length", "8"},
    {MYSQL57, "read_only\tOFF\nsuper_read_only\tOFF\n", "", "server.read_only", "false"},
    {MYSQL57, "read_only\tON\nsuper_read_only\tOFF\n", "", "server.read_only", "true"},
    {MYSQL57, "read_only\tOFF\nsuper_read_only\tON\n", "", "server.read_only", "true"},
    {MARIADB, "read_only\tNO_LOCK_NO_ADMIN\n", "", "server.read_only", "true"},
    {MYSQL57, "", "", "server.read_only", "? absent"},
    {MYSQL57, "innodb_doublewrite\tDETECT_AND_RECOVER\n", "", "server.doublewrite.mode", "on"},
    {MYSQL57, "innodb_doublewrite\tDETECT_ONLY\n", "", "server.doublewrite.mode", "detect_only"},
    {MYSQL57, "innodb_doublewrite\tOFF\n", "", "server.doublewrite.mode", "off"},
    {MYSQL57, "innodb_doublewrite\tTRUE\n", "", "server.doublewrite.mode", "on"},
    {MARIADB, "innodb_doublewrite\tfast\n", "", "server.doublewrite.mode", "fast"},
    {MARIADB, "innodb_doublewrite\t1\n", "", "server.doublewrite.mode", "on"},
    {MARIADB, "innodb_doublewrite\tsometimes\n", "", "server.doublewrite.mode", "? absent"},
    {MARIADB, "binlog_storage_engine\tinnodb\n", "", "server.binlog.engine", "innodb"},
    {MARIADB, "binlog_storage_engine\t\n", "", "server.binlog.engine", "file"},
    {MARIADB, "binlog_storage_engine\tother\n", "", "server.binlog.engine", "? absent"},
    {MYSQL57, "log_bin\tON\n", "", "server.binlog.enabled", "true"},
    {MYSQL57, "performance_schema\tOFF\n", "", "server.memory.pfs", "0B"},
    {MYSQL57, "performance_schema\tON\n", "", "server.memory.pfs", "? not permitted"},
    {MYSQL57, "", "", "server.redo.enabled", "true"},
    {MARIADB, "", "", "server.redo.enabled", "true"},
    {"8.0.36", "", "", "server.redo.enabled", "? absent"},
    {"8.0.36", "", "Innodb_redo_log_enabled\tOFF\n", "server.redo.enabled", "false"},
    {MYSQL57, "", "Max_used_connections\t7\nThreads_connected\t7\n", "server.session.max_used",
     "6"},
    {MYSQL57, "", "Max_used_connections\t7\nThreads_connected\t3\n", "server.session.max_used",
     "7"},
    {MYSQL57, "", "Max_used_connections\t7\n", "server.session.max_used", "7"},
    {MYSQL57, "", "Threads_running\t3\n", "server.session.running", "2"},
    {MYSQL57, "event_scheduler\tON\n", "Threads_running\t3\n", "server.session.running", "1"},
    {MYSQL57, "event_scheduler\tON\n", "Threads_running\t1\n", "server.session.running", "0"},
    {MYSQL57, "", "Threads_running\t0\n", "server.session.running", "0"},
    {MYSQL57, "", "Uptime\t60\nInnodb_os_log_written\t6000\n", "server.redo.write_rate_avg",
     "100B/s"},
    {MYSQL57, "", "Uptime\t0\nInnodb_os_log_written\t6000\n", "server.redo.write_rate_avg",
     "? absent"},
    {MYSQL57, "", "Uptime\t-60\nInnodb_os_log_written\t6000\n", "server.redo.write_rate_avg",
     "? absent"},
    {MYSQL57, "", "", "server.redo.lsn", "900"},
    {MYSQL57, "", "", "server.redo.checkpoint_age", "200B"},
    {MYSQL57, "", "", "server.redo.log_pending_flushes", "0"},
    {MYSQL57, "", "", "server.redo.lsn_pages_flushed", "? absent"},
    {MARIADB, "", "Innodb_lsn_current\t50\nInnodb_lsn_last_checkpoint\t20\n",
     "server.redo.lsn_checkpoint", "20"},
    {MARIADB, "", "Innodb_checkpoint_age\t31\n", "server.redo.checkpoint_age", "31B"},
    {MARIADB, "", "Innodb_checkpoint_max_age\t99\n", "server.redo.max_checkpoint_age", "99B"},
    {MARIADB, "", "Innodb_history_list_length\t5\n", "server.purge.history_list_length", "5"},
    {"8.0.36", "", "Innodb_redo_log_current_lsn\t500\nInnodb_redo_log_checkpoint_lsn\t420\n",
     "server.redo.checkpoint_age", "80B"},
    {"8.0.36", "", "Innodb_redo_log_current_lsn\t400\nInnodb_redo_log_checkpoint_lsn\t420\n",
     "server.redo.checkpoint_age", "200B"},
    {MYSQL57, "", "Innodb_buffer_pool_pages_dirty\t12\n", "server.bp.bp_pages_dirty", "12"},
    {MYSQL57, "", "Innodb_buffer_pool_pages_dirty\t-12\n", "server.bp.bp_pages_dirty", "? absent"},
    {MYSQL57, "", "Ssl_version\tTLSv1.3\n", "server.status.Ssl_version", "TLSv1.3"},
};

static void test_small(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        ARENA_AUTO a = arena_new();
        struct sql_fixture f = sql_fixture_new(a);
        sql_small(&f, rows[i].version, "", rows[i].variables, rows[i].status);
        sql_run_probe(&f);
        sql_check_whole(&f);
        const struct fact_want want = {rows[i].fact, rows[i].want};
        check_facts(arena_printf(a, "row %zu", i), f.store, SQL_LABEL, &want, 1);
    }
}

/* ---- metrics and origins --------------------------------------------------------------------- */

static void test_metrics(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct sql_fixture f = sql_fixture_new(a);
    sql_small(&f, MYSQL57, "", "", "");
    sql_reply(&f, "innodb-metrics",
              "name\tvalue\nlog_lsn_current\t77\nlog_lsn_checkpoint_age\t7\n"
              "trx_rseg_history_len\t3\nodd\t-4\nnot_a_number\tx\n");
    sql_run_probe(&f);
    static const struct fact_want wants[] = {
        {"server.metric.log_lsn_current", "77"},  {"server.metric.odd", "-4"},
        {"server.metric.not_a_number", "(none)"}, {"server.redo.lsn", "77"},
        {"server.redo.checkpoint_age", "7B"},     {"server.purge.history_list_length", "3"},
    };
    check_facts("metrics", f.store, SQL_LABEL, wants, ARRAY_LEN(wants));
}

static void test_origins(void **state)
{
    (void)state;
    ARENA_AUTO a = arena_new();
    struct sql_fixture f = sql_fixture_new(a);
    sql_small(&f, "8.0.36", "", "", "");
    sql_reply(&f, "variable-origins",
              "name\torigin\tpath\tlow\thigh\n"
              "a\tGLOBAL\t/etc/my.cnf\t0\t0\nb\tPERSISTED\t/d/mysqld-auto.cnf\t0\t0\n"
              "c\tCOMMAND_LINE\t\t0\t0\nd\tDYNAMIC\t\\N\t0\t0\ne\tELSEWHERE\t\t0\t0\n"
              "f\t\\N\t\\N\t\\N\t\\N\n\\N\tGLOBAL\t\t0\t0\nbad name\tGLOBAL\t\t0\t0\n"
              "innodb_io_capacity\tEXPLICIT\t\t100\t4294967295\n"
              "innodb_log_file_size\tSERVER\t\t9\t4\n"
              "innodb_redo_log_capacity\tLOGIN\t\tx\ty\n");
    sql_run_probe(&f);
    static const struct fact_want wants[] = {
        {"server.source.a", "file"},
        {"server.source.b", "persisted"},
        {"server.source.c", "command_line"},
        {"server.source.d", "dynamic"},
        {"server.source.e", "(none)"},
        {"server.source.f", "(none)"},
        {"server.source.innodb_io_capacity", "file"},
        {"server.var_min.innodb_io_capacity", "100"},
        {"server.var_max.innodb_io_capacity", "4294967295"},
        {"server.var_min.innodb_log_file_size", "(none)"},
        {"server.var_max.innodb_redo_log_capacity", "(none)"},
    };
    check_facts("origins", f.store, SQL_LABEL, wants, ARRAY_LEN(wants));
    assert_non_null(strstr(SOURCE(f, "server.source.a"), "/etc/my.cnf"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mariadb),  cmocka_unit_test(test_mysql),
        cmocka_unit_test(test_versions), cmocka_unit_test(test_small),
        cmocka_unit_test(test_metrics),  cmocka_unit_test(test_origins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
