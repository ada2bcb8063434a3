/* Values of single lines, as MySQL 9.7.4, MariaDB 10.11.19 and 11.8.9 read them: each row was tried there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "option_world.h"

#include "advisor/base/banned.h"

#define IN OPTION_IN_FORCE
#define STOP OPTION_STOPS
#define IGN OPTION_IGNORED
#define UNSURE OPTION_UNSURE

struct row {
    const char *line;
    enum option_effect effect;
    const char *value; /* as a literal of the rule language; NULL: none */
    unsigned marks;
};

static struct arena *arena;

static int begin(void **state)
{
    (void)state;
    arena = arena_new();
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static void check(const char *target, const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct option_reading *r;
        struct buf b;
        buf_init(&b, arena, 4096);
        if (world_read(arena, target, rows[i].line, &r) != 1)
            fail_msg("%s", rows[i].line);
        if (r->has_value)
            value_print_literal(&b, &r->value);
        const char *want = rows[i].value != NULL ? rows[i].value : "";
        if (r->effect != rows[i].effect || r->marks != rows[i].marks ||
            strcmp(b.ptr != NULL ? b.ptr : "", want) != 0)
            fail_msg("%s: %s: effect %d, marks %#x, value '%s', text '%s'", target, rows[i].line,
                     (int)r->effect, r->marks, b.ptr != NULL ? b.ptr : "", r->text);
    }
}

#define CHECK(target, rows) check(target, rows, ARRAY_LEN(rows))

static void test_whole_numbers_everywhere(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"innodb_io_capacity=500", IN, "500/s", 0},
        {"innodb_io_capacity=+500", IN, "500/s", 0},
        {"innodb_io_capacity= 500", IN, "500/s", 0},
        {"innodb_io_capacity=500KB", IN, "512000/s", 0},
        {"innodb_io_capacity=2k", IN, "2048/s", 0},
        {"innodb_io_capacity=50", IN, "100/s", OPTION_CLAMPED},
        {"innodb_io_capacity=1P", IN, "4294967295/s", OPTION_CLAMPED},
        {"innodb_io_capacity=1e6", IN, "4294967295/s", OPTION_CLAMPED | OPTION_FLOAT},
        {"innodb_io_capacity=300.5", STOP, NULL, OPTION_BAD_VALUE | OPTION_FLOAT},
        {"innodb_io_capacity=1.5K", STOP, NULL, OPTION_BAD_VALUE | OPTION_FLOAT},
        {"innodb_io_capacity=abc", STOP, NULL, OPTION_BAD_VALUE},
        {"innodb_io_capacity=500Q", STOP, NULL, OPTION_BAD_VALUE},
        {"innodb_io_capacity=0x10", STOP, NULL, OPTION_BAD_VALUE},
        {"innodb_io_capacity=500 600", STOP, NULL, OPTION_BAD_VALUE},
        {"innodb_io_capacity=500 ", STOP, NULL, OPTION_BAD_VALUE},
        {"innodb_io_capacity=99999999999999999999", STOP, NULL, OPTION_BAD_VALUE},
        {"innodb_io_capacity", STOP, NULL, OPTION_BAD_VALUE},
        {"skip-innodb-io-capacity", IN, "100/s", OPTION_CLAMPED},
        {"maximum-innodb_io_capacity=500", IN, "500/s", 0},
        {"innodb_log_buffer_size=16777217", IN, "16MiB", OPTION_CLAMPED},
        {"innodb_max_dirty_pages_pct=90.5", IN, "90.5%", 0},
        {"innodb_max_dirty_pages_pct=1e1", IN, "10%", 0},
        {"innodb_max_dirty_pages_pct=-5", IN, "0%", OPTION_CLAMPED},
        {"innodb_max_dirty_pages_pct=200", IN, "99.999%", OPTION_CLAMPED},
        {"innodb_max_dirty_pages_pct=10K", STOP, NULL, OPTION_BAD_VALUE},
        {"innodb_max_dirty_pages_pct=50%", STOP, NULL, OPTION_BAD_VALUE},
        {"innodb_flush_neighbors", IN, "1", 0},
    };
    CHECK("mysql:9.7.4", rows);
    CHECK("mariadb:10.11.19", rows);
    CHECK("mariadb:11.8.9", rows);
}

static void test_where_mysql_differs(void **state)
{
    (void)state;
    static const struct row mysql[] = {
        {"innodb_io_capacity=", STOP, NULL, OPTION_BAD_VALUE},
        {"innodb_io_capacity=-1", IN, "100/s", OPTION_CLAMPED},
        {"innodb_io_capacity=20E", STOP, NULL, OPTION_BAD_VALUE},
        {"innodb_max_dirty_pages_pct=", STOP, NULL, OPTION_BAD_VALUE},
        {"innodb_buffer_pool_size=1K", IN, "5MiB", OPTION_CLAMPED},
        {"Innodb-IO_Capacity=500", STOP, NULL, OPTION_UNKNOWN},
        {"LOOSE_innodb_io_capacity=500", STOP, NULL, OPTION_UNKNOWN},
        {"Loose-nosuch", STOP, NULL, OPTION_UNKNOWN},
        {"loose_Innodb_io_capacity=500", IGN, NULL, OPTION_LOOSE | OPTION_UNKNOWN},
        {"loose_innodb_data_file_buffering=1", IGN, NULL,
         OPTION_LOOSE | OPTION_UNKNOWN | OPTION_FOREIGN},
    };
    static const struct row mariadb[] = {
        {"innodb_io_capacity=", IN, "100/s", OPTION_CLAMPED},
        {"innodb_io_capacity=-1", STOP, NULL, OPTION_BAD_VALUE},
        {"innodb_io_capacity=20E", IN, "4294967295/s", OPTION_CLAMPED},
        {"innodb_io_capacity=16E", IN, "100/s", OPTION_CLAMPED},
        {"innodb_buffer_pool_size=33E", IN, "1EiB", 0},
        {"tmp_table_size=20E", IN, "4EiB", 0},
        {"loose_innodb_log=1", STOP, NULL, OPTION_LOOSE | OPTION_BY_PREFIX | OPTION_UNKNOWN},
        {"innodb_max_dirty_pages_pct=", IN, "0%", 0},
        {"innodb_buffer_pool_size=1K", IN, "2MiB", OPTION_CLAMPED},
        {"Innodb-IO_Capacity=500", IN, "500/s", 0},
        {"LOOSE_innodb_io_capacity=500", IN, "500/s", OPTION_LOOSE},
    };
    CHECK("mysql:9.7.4", mysql);
    CHECK("mariadb:10.11.19", mariadb);
    static const struct row old[] = {{"innodb_buffer_pool_size=1T", STOP, NULL, OPTION_BAD_VALUE}};
    static const struct row now[] = {{"innodb_buffer_pool_size=1T", IN, "1TiB", 0}};
    CHECK("mysql:8.0.13", old);
    CHECK("mysql:8.0.14", now);
    CHECK("mariadb:10.5.9", now);
}

static void test_booleans(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"performance_schema", IN, "true", 0},
        {"performance_schema=oN", IN, "true", 0},
        {"performance_schema=0", IN, "false", 0},
        {"performance_schema=FALSE", IN, "false", 0},
        {"performance_schema=", IN, "false", OPTION_BAD_VALUE},
        {"performance_schema=yes", IN, "false", OPTION_BAD_VALUE},
        {"performance_schema=2", IN, "false", OPTION_BAD_VALUE},
        {"skip-performance_schema", IN, "false", 0},
        {"skip-performance_schema=0", IN, "true", 0},
        {"skip-performance_schema=1", IN, "false", 0},
        {"enable-performance_schema=0", IN, "false", 0},
        {"disable-performance_schema=1", IN, "false", 0},
        {"loose-skip-performance_schema", IN, "false", OPTION_LOOSE},
        {"skip-loose-performance_schema", IN, "true", OPTION_LOOSE},
        {"maximum-performance_schema=1", STOP, NULL, OPTION_BAD_VALUE},
        {"log_bin", IN, "true", 0},
        {"log_bin=", IN, "true", 0},
        {"log_bin=0", IN, "true", 0},
        {"log-bin=OFF", IN, "true", 0},
        {"skip-log-bin", IN, "false", 0},
        {"disable-log-bin", IN, "false", 0},
        {"skip-log_bin=0", IN, "true", 0},
        {"innodb_doublewrite", IN, "ON", 0},
        {"skip-innodb_doublewrite", IN, "OFF", 0},
        {"innodb_doublewrite=0", IN, "OFF", 0},
    };
    CHECK("mysql:9.7.4", rows);
    CHECK("mariadb:10.11.19", rows);
    CHECK("mariadb:11.8.9", rows);
}

static void test_enums(void **state)
{
    (void)state;
    static const struct row mysql[] = {
        {"innodb_doublewrite=2", IN, "DETECT_ONLY", 0},
        {"innodb_doublewrite=3", IN, "DETECT_AND_RECOVER", 0},
        {"innodb_doublewrite=true", IN, "ON", 0},
        {"innodb_doublewrite=fast", STOP, NULL, OPTION_BAD_VALUE},
        {"innodb_doublewrite=yes", STOP, NULL, OPTION_BAD_VALUE},
        {"innodb_doublewrite=", STOP, NULL, OPTION_BAD_VALUE},
        {"innodb_flush_method=o_direct", IN, "O_DIRECT", 0},
        {"innodb_flush_method=O_DIR", STOP, NULL, OPTION_BAD_VALUE},
        {"innodb_flush_method=4", IN, "O_DIRECT", 0},
        {"innodb_flush_method=9", STOP, NULL, OPTION_BAD_VALUE},
        {"innodb_flush_method=ALL_O_DIRECT", STOP, NULL, OPTION_BAD_VALUE},
    };
    static const struct row maria10[] = {
        {"innodb_doublewrite=fast", IGN, NULL, OPTION_BAD_VALUE},
        {"innodb_doublewrite=2", IGN, NULL, OPTION_BAD_VALUE},
        {"innodb_doublewrite=", IGN, NULL, OPTION_BAD_VALUE},
        {"innodb_doublewrite=TRUE", IN, "ON", 0},
        {"innodb_flush_method=", IN, "fsync", 0},
        {"innodb_flush_method=nosync", IN, "nosync", 0},
        {"innodb_flush_method=ALL_O_DIRECT", STOP, NULL, OPTION_BAD_VALUE},
    };
    static const struct row maria11[] = {
        {"innodb_doublewrite=fast", IN, "fast", 0},
        {"innodb_doublewrite=2", IN, "fast", 0},
        {"innodb_doublewrite=", IN, "OFF", 0},
        {"innodb_doublewrite=TRUE", STOP, NULL, OPTION_BAD_VALUE},
        {"innodb_doublewrite=DETECT_ONLY", STOP, NULL, OPTION_BAD_VALUE},
        {"innodb_flush_method=4", IN, "O_DIRECT", OPTION_DEPRECATED},
    };
    CHECK("mysql:9.7.4", mysql);
    CHECK("mariadb:10.11.19", maria10);
    CHECK("mariadb:11.8.9", maria11);
}

/* What has a value for each session has a bound for it; a plugin's variable takes maximum_ for itself. */
static void test_maximum(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"maximum-sort_buffer_size=8M", IN, NULL, OPTION_MAXIMUM},
        {"maximum-max_allowed_packet=8M", IN, NULL, OPTION_MAXIMUM},
        {"maximum-tmp_table_size=8M", IN, NULL, OPTION_MAXIMUM},
        {"maximum-max_connections=100", STOP, NULL, OPTION_BAD_VALUE},
        {"loose_maximum_max_connections=100", STOP, NULL, OPTION_LOOSE | OPTION_BAD_VALUE},
        {"maximum-table_open_cache=100", STOP, NULL, OPTION_BAD_VALUE},
        {"maximum-sync_binlog=1", STOP, NULL, OPTION_BAD_VALUE},
        {"maximum-key_buffer_size=8M", STOP, NULL, OPTION_BAD_VALUE},
        {"maximum-long_query_time=1", STOP, NULL, OPTION_BAD_VALUE},
    };
    CHECK("mariadb:10.11.19", rows);
    CHECK("mysql:5.7.44", rows);
    CHECK("mysql:8.0.36", rows);
}

static void test_names(void **state)
{
    (void)state;
    static const struct row mysql[] = {
        {"innodb_log_file_size=1G", STOP, NULL, OPTION_UNKNOWN | OPTION_REMOVED},
        {"loose_innodb_log_file_size=1G", IGN, NULL,
         OPTION_LOOSE | OPTION_UNKNOWN | OPTION_REMOVED},
        {"innodb_data_file_buffering=1", STOP, NULL, OPTION_UNKNOWN | OPTION_FOREIGN},
        {"innodb_io_capacity_m=5000", STOP, NULL, OPTION_UNKNOWN},
        {"query_cache_size=16M", STOP, NULL, OPTION_UNKNOWN | OPTION_REMOVED},
    };
    static const struct row maria[] = {
        {"innodb_redo_log_capacity=1G", STOP, NULL, OPTION_UNKNOWN | OPTION_FOREIGN},
        {"innodb_log_files_in_group=2", IGN, NULL, OPTION_REMOVED},
        {"innodb_io_capacity_m=5000", IN, "5000/s", OPTION_BY_PREFIX},
        {"innodb_io_cap=5000", STOP, NULL, OPTION_BY_PREFIX | OPTION_UNKNOWN},
        {"maximum-sort_buffer_size=8M", IN, NULL, OPTION_MAXIMUM},
    };
    static const struct row old[] = {
        {"innodb_io_capacity_m=5000", IN, "5000/s", OPTION_BY_PREFIX},
        {"innodb_redo_log_capacity=1G", STOP, NULL, OPTION_UNKNOWN},
    };
    CHECK("mysql:9.7.4", mysql);
    CHECK("mariadb:10.11.19", maria);
    CHECK("mysql:5.6.40", old);
}

static void test_words_that_are_gone(void **state)
{
    (void)state;
    static const struct row mysql[] = {
        {"sql_mode=STRICT_TRANS_TABLES,NO_AUTO_CREATE_USER", STOP, NULL, OPTION_BAD_VALUE},
        {"tls_version=TLSv1,TLSv1.2", STOP, NULL, OPTION_BAD_VALUE},
        {"tls_version=TLSv1.2,TLSv1.3", IN, NULL, 0},
        {"sql_mode=strict_trans_tables, no_key_options", STOP, NULL, OPTION_BAD_VALUE},
        {"character-set-server=UTF8", STOP, NULL, OPTION_BAD_VALUE},
    };
    CHECK("mysql:9.7.4", mysql);
    struct option_reading *r;
    assert_int_equal(world_read(arena, "mysql:5.7.44", mysql[0].line, &r), 1);
    assert_int_equal(r[0].effect, IN);
    assert_int_equal(world_read(arena, "mariadb:11.8.9", mysql[0].line, &r), 1);
    assert_int_equal(r[0].effect, IN);
    assert_int_equal(world_read(arena, "mysql:8.0.36", "character-set-server=utf8", &r), 1);
    assert_int_equal(r[0].effect, IN);
    assert_int_equal(world_read(arena, "mysql:9.7.4", "character-set-server=utf8mb4", &r), 1);
    assert_int_equal(r[0].effect, IN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_whole_numbers_everywhere, begin, end),
        cmocka_unit_test_setup_teardown(test_where_mysql_differs, begin, end),
        cmocka_unit_test_setup_teardown(test_booleans, begin, end),
        cmocka_unit_test_setup_teardown(test_enums, begin, end),
        cmocka_unit_test_setup_teardown(test_maximum, begin, end),
        cmocka_unit_test_setup_teardown(test_names, begin, end),
        cmocka_unit_test_setup_teardown(test_words_that_are_gone, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
