/* Lines beside each other: who wins, what servers couple, and what an upgrade makes of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "option_world.h"

#include "advisor/base/banned.h"

static struct arena *arena;
static struct option_reading *r;

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

static void read(const char *target, const char *text, size_t n)
{
    assert_int_equal(world_read(arena, target, text, &r), n);
}

static void is_value(const struct option_reading *one, const char *literal)
{
    struct buf b;
    buf_init(&b, arena, 1000);
    assert_true(one->has_value);
    value_print_literal(&b, &one->value);
    assert_string_equal(b.ptr, literal);
}

static void test_the_last_wins(void **state)
{
    (void)state;
    read("mariadb:10.11.19", "innodb-buffer-pool-size=2G|sync_binlog=1|innodb_buffer_pool_size=3G",
         3);
    assert_int_equal(r[0].effect, OPTION_SHADOWED);
    assert_ptr_equal(r[0].by, &r[2]);
    assert_int_equal(r[0].marks, OPTION_DUPLICATE);
    assert_int_equal(r[1].effect, OPTION_IN_FORCE);
    assert_int_equal(r[2].effect, OPTION_IN_FORCE);
    is_value(&r[2], "3GiB");
    assert_ptr_equal(option_winner(r, 3, "innodb_buffer_pool_size"), &r[2]);
    assert_null(option_winner(r, 3, "max_connections"));
}

static void test_all_look_at_the_last(void **state)
{
    (void)state;
    read("mysql:8.0.36", "sync_binlog=1|sync_binlog=2|sync_binlog=3", 3);
    assert_ptr_equal(r[0].by, &r[2]);
    assert_ptr_equal(r[1].by, &r[2]);
}

static void test_equal_lines_are_no_duplicates(void **state)
{
    (void)state;
    read("mysql:8.0.36", "innodb_log_buffer_size=1G|innodb_log_buffer_size=1024M", 2);
    assert_int_equal(r[0].effect, OPTION_SHADOWED);
    assert_int_equal(r[0].marks, 0);
    read("mysql:8.0.36", "innodb_log_buffer_size=1G|innodb-log-buffer-size=1G", 2);
    assert_int_equal(r[0].marks, OPTION_DUPLICATE); /* in two spellings */
}

static void test_a_dropin_of_ours_is_no_duplicate(void **state)
{
    (void)state;
    read("mysql:8.0.36", "sync_binlog=2|@/etc/mysql/conf.d/zz-nvadvise.cnf|sync_binlog=1", 2);
    assert_int_equal(r[0].effect, OPTION_SHADOWED);
    assert_int_equal(r[0].marks, 0);
}

static void test_above_the_files(void **state)
{
    (void)state;
    read("mysql:8.0.36", "sync_binlog=1|C:sync_binlog=2|P:sync_binlog=3", 3);
    assert_int_equal(r[0].marks, OPTION_OVERRIDDEN);
    assert_int_equal(r[1].marks, OPTION_OVERRIDDEN);
    assert_int_equal(r[2].marks, OPTION_PERSISTED);
    assert_ptr_equal(r[0].by, &r[2]);
    is_value(&r[2], "3");
    read("mysql:8.0.36", "sync_binlog=1|C:sync_binlog=2", 2);
    assert_int_equal(r[0].marks, OPTION_OVERRIDDEN);
    /* What SET PERSIST left from an earlier version stops nothing. */
    read("mysql:9.7.4", "P:innodb_log_file_size=48M", 1);
    assert_int_equal(r[0].effect, OPTION_IGNORED);
}

static void test_lines_that_take_no_part(void **state)
{
    (void)state;
    read("mariadb:10.11.19", "sort_buffer_size=4M|maximum-sort_buffer_size=8M", 2);
    assert_int_equal(r[0].effect, OPTION_IN_FORCE);
    read("mysql:9.7.4", "innodb_io_capacity=abc|innodb_io_capacity=500", 2);
    assert_int_equal(r[0].effect, OPTION_STOPS); /* a later line does not mend it */
    read("mysql:9.7.4", "innodb_io_capacity=500|innodb_io_capacity=abc", 2);
    assert_int_equal(r[0].effect, OPTION_IN_FORCE);
}

static void test_io_capacity_below_its_maximum(void **state)
{
    (void)state;
    read("mysql:9.7.4", "innodb_io_capacity=30000|innodb_io_capacity_max=20000", 2);
    is_value(&r[0], "20000/s");
    assert_int_equal(r[0].marks, OPTION_CLAMPED);
    assert_int_equal(r[1].marks, 0);
    read("mysql:9.7.4", "innodb_io_capacity=20000|innodb_io_capacity_max=20000", 2);
    assert_int_equal(r[0].marks, 0);
}

static void test_whole_chunks(void **state)
{
    (void)state;
    read("mysql:5.7.14", "innodb_buffer_pool_size=9G|innodb_buffer_pool_instances=4", 2);
    assert_int_equal(r[0].marks, 0);
    read("mysql:5.7.14", "innodb_buffer_pool_size=9G|innodb_buffer_pool_instances=16", 2);
    is_value(&r[0], "10GiB");
    read("mysql:5.7.14", "innodb_buffer_pool_size=1100M", 1); /* 8 instances */
    is_value(&r[0], "2GiB");
    read("mysql:5.7.14", "innodb_buffer_pool_size=300M|innodb_buffer_pool_instances=8", 2);
    is_value(&r[0], "384MiB"); /* below 1 GiB there is one */
    read("mysql:5.7.14", "innodb_buffer_pool_size=256M|innodb_buffer_pool_chunk_size=128M", 2);
    assert_int_equal(r[0].marks, 0);
    read("mysql:5.7.14",
         "innodb_buffer_pool_size=1G|innodb_buffer_pool_instances=16", 2); /* the chunk shrinks */
    assert_int_equal(r[0].marks, 0);
    read("mysql:8.4.3", "innodb_buffer_pool_size=1100M", 1); /* the processors count as well */
    assert_int_equal(r[0].marks, 0);
    read("mysql:5.6.40", "innodb_buffer_pool_size=1100M", 1);
    assert_int_equal(r[0].marks, 0);
}

static void test_the_redo_pair_under_the_capacity(void **state)
{
    (void)state;
    read("mysql:8.0.36", "innodb_log_file_size=1G|innodb_redo_log_capacity=4G", 2);
    assert_int_equal(r[0].effect, OPTION_IGNORED);
    read("mysql:8.0.36", "innodb_log_file_size=1G|innodb_log_files_in_group=4", 2);
    assert_int_equal(r[0].effect, OPTION_IN_FORCE);
}

/* ---- upgrades ---- */

static struct option_upgrade *up;

static size_t upgrade(const char *from, const char *to, const char *lines, const char *others)
{
    struct optline *l, *o;
    const struct option_target now = world_target(from), then = world_target(to);
    const size_t n = world_lines(arena, lines, &l), m = world_lines(arena, others, &o);
    return options_upgrade(world_catalogue(arena), &now, &then, l, n, o, m, arena, &up);
}

static void test_upgrade_of_mysql(void **state)
{
    (void)state;
    assert_int_equal(upgrade("mysql:8.0.28", "mysql:9.7.4",
                             "innodb_log_file_size=1G|sync_binlog=1|innodb_io_capacity=1000", ""),
                     1);
    assert_int_equal(up[0].change, CHANGE_STOPS);
    assert_string_equal(up[0].name, "innodb_log_file_size");
    assert_string_equal(up[0].instead, "innodb_redo_log_capacity");
    assert_int_equal(up[0].line->line, 1);
}

static void test_upgrade_of_mariadb(void **state)
{
    (void)state;
    assert_int_equal(upgrade("mariadb:10.11.19", "mariadb:11.8.9",
                             "innodb_doublewrite=2|innodb_doublewrite=DETECT_ONLY|"
                             "innodb_flush_method=O_DIRECT|innodb_log_files_in_group=2|"
                             "innodb_doublewrite=on",
                             ""),
                     3);
    assert_int_equal(up[0].change, CHANGE_VALUE); /* passed over here, "fast" there */
    assert_int_equal(up[1].change, CHANGE_STOPS);
    assert_int_equal(up[2].change, CHANGE_VALUE);
    assert_string_equal(up[2].name, "innodb_flush_method");
}

static void test_another_flavour(void **state)
{
    (void)state;
    assert_int_equal(upgrade("mysql:8.0.36", "mariadb:11.8.9",
                             "innodb_redo_log_capacity=4G|sync_binlog=1|P:sync_binlog=0", ""),
                     2);
    assert_int_equal(up[0].change, CHANGE_STOPS);
    assert_string_equal(up[0].instead, "innodb_log_file_size");
    assert_int_equal(up[1].change, CHANGE_IGNORED); /* no SET PERSIST there */
}

static void test_groups_of_versions(void **state)
{
    (void)state;
    assert_int_equal(upgrade("mysql:8.0.36", "mysql:8.4.3",
                             "[mysqld-8.0]|sync_binlog=0|[mysqld@one]|sync_binlog=1",
                             "[mysqld-8.4]|innodb_doublewrite=ON|[mysqldump]|max_connections=7|"
                             "[mysqld-5.7]|query_cache_size=1M"),
                     2);
    assert_int_equal(up[0].change, CHANGE_IGNORED);
    assert_null(up[0].then);
    assert_int_equal(up[1].change, CHANGE_VALUE);
    assert_null(up[1].now);
    assert_string_equal(up[1].name, "innodb_doublewrite");
}

static bool reads(const char *target, const char *group)
{
    const struct option_target t = world_target(target);
    return option_group_read(t.flavour, &t.version, span_of(group));
}

static void test_groups_that_are_read(void **state)
{
    (void)state;
    assert_true(reads("mysql:8.0.36", "MySQLd"));
    assert_true(reads("mysql:8.0.36", "mysqld-8.0"));
    assert_false(reads("mysql:8.0.36", "mysqld-8.4"));
    assert_false(reads("mysql:8.0.36", "mysqld-8"));
    assert_false(reads("mysql:8.0.36", "mariadb-8.0"));
    assert_false(reads("mysql:8.0.36", "galera"));
    assert_true(reads("mariadb:10.11.19", "galera"));
    assert_true(reads("mariadb:10.11.19", "mariadbd-10.11"));
    assert_false(reads("mariadb:10.11.19", "mariadb-10"));
    assert_true(reads("mariadb:11.8.9", "mariadb-11"));
    assert_false(reads("mariadb:11.8.9", "mysqld-11"));
    assert_false(reads("mariadb:11.8.9", "mysqld_safe"));
}

static void test_a_stop_that_is_there_already_is_said(void **state)
{
    (void)state;
    assert_int_equal(upgrade("mysql:8.0.36", "mysql:8.4.3", "query_cache_size=1M", ""), 1);
    assert_int_equal(up[0].change, CHANGE_STOPS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_the_last_wins, begin, end),
        cmocka_unit_test_setup_teardown(test_all_look_at_the_last, begin, end),
        cmocka_unit_test_setup_teardown(test_equal_lines_are_no_duplicates, begin, end),
        cmocka_unit_test_setup_teardown(test_a_dropin_of_ours_is_no_duplicate, begin, end),
        cmocka_unit_test_setup_teardown(test_above_the_files, begin, end),
        cmocka_unit_test_setup_teardown(test_lines_that_take_no_part, begin, end),
        cmocka_unit_test_setup_teardown(test_io_capacity_below_its_maximum, begin, end),
        cmocka_unit_test_setup_teardown(test_whole_chunks, begin, end),
        cmocka_unit_test_setup_teardown(test_the_redo_pair_under_the_capacity, begin, end),
        cmocka_unit_test_setup_teardown(test_upgrade_of_mysql, begin, end),
        cmocka_unit_test_setup_teardown(test_upgrade_of_mariadb, begin, end),
        cmocka_unit_test_setup_teardown(test_another_flavour, begin, end),
        cmocka_unit_test_setup_teardown(test_groups_of_versions, begin, end),
        cmocka_unit_test_setup_teardown(test_groups_that_are_read, begin, end),
        cmocka_unit_test_setup_teardown(test_a_stop_that_is_there_already_is_said, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
